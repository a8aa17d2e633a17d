"""What a home automation hears and says, by way of a real Mosquitto."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from controller.service.mqtt import telling_by_mqtt
from controller.service.requests import EndGame, NewGame, Order
from controller.service.status import Record, ServiceState
from controller.service_settings import MqttSettings
from hardware.clock import RealClock

mqtt = pytest.importorskip("paho.mqtt.client", reason="paho-mqtt is not installed")
MOSQUITTO = shutil.which("mosquitto", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
pytestmark = pytest.mark.skipif(MOSQUITTO is None, reason="mosquitto is not installed")
PATIENCE_S = 30.0


@pytest.fixture
def port(tmp_path: Path) -> Iterator[int]:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    config = tmp_path / "mosquitto.conf"
    config.write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\n")
    broker = subprocess.Popen([str(MOSQUITTO), "-c", str(config)], stderr=subprocess.DEVNULL)
    clock = RealClock()
    give_up = clock.now() + PATIENCE_S
    while True:
        with closing(socket.socket()) as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                break
        assert broker.poll() is None
        assert clock.now() < give_up
        clock.sleep(0.05)
    yield port
    broker.terminate()
    broker.wait()


class Home:
    """A home automation: remembers the last word on each topic."""

    def __init__(self, port: int) -> None:
        self.said: dict[str, str] = {}
        self.changed = threading.Condition()
        self.client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2)
        self.client.on_message = self._hear
        self.client.connect("127.0.0.1", port)
        self.client.subscribe("#")
        self.client.loop_start()

    def _hear(self, client: object, data: object, message: mqtt.MQTTMessage) -> None:
        with self.changed:
            self.said[message.topic] = message.payload.decode()
            self.changed.notify_all()

    def wait_for(self, topic: str, payload: str) -> None:
        with self.changed:
            assert self.changed.wait_for(lambda: self.said.get(topic) == payload, PATIENCE_S), self.said

    def close(self) -> None:
        self.client.disconnect()
        self.client.loop_stop()


def test_a_home_automation_hears_the_state_and_begins_and_ends_games(port: int) -> None:
    record, orders, came = Record(RealClock(), "p"), [], threading.Condition()

    def give(order: Order) -> str:
        with came:
            orders.append(order)
            came.notify_all()
        return "so be it"

    home = Home(port)
    with telling_by_mqtt(MqttSettings(host="127.0.0.1", port=port), record, give, lambda line: None):
        home.wait_for("crownhead/availability", "online")
        record.state = ServiceState.READY
        home.wait_for("crownhead/state", "ready")
        home.wait_for("crownhead/turn", "nobody")
        config = json.loads(home.said["homeassistant/sensor/crownhead/state/config"])
        assert config["state_topic"] == "crownhead/state"
        for command in ("start", "dance", "stop"):
            home.client.publish("crownhead/command", command, qos=1)
        with came:
            assert came.wait_for(lambda: len(orders) == 2, PATIENCE_S)
    assert orders == [NewGame(), EndGame()]
    home.wait_for("crownhead/availability", "offline")
    home.close()


def test_without_a_broker_the_service_runs_all_the_same() -> None:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    record = Record(RealClock(), "p")
    with telling_by_mqtt(MqttSettings(host="127.0.0.1", port=port), record, lambda order: "", lambda line: None):
        assert record.values()["state"] == "starting"
