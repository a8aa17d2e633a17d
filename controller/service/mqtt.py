"""Tells a home automation by MQTT how the service is, and takes its start and stop (Home Assistant's discovery).

Source of topics and payloads: Home Assistant's documentation, "MQTT discovery". The extra "mqtt" brings paho-mqtt.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from controller.errors import ServiceError
from controller.service.requests import EndGame, NewGame, Order
from controller.service.status import Record
from controller.service_settings import MqttSettings

if TYPE_CHECKING:
    from paho.mqtt.client import Client

EVERY_S = 1.0
ONLINE, OFFLINE = "online", "offline"
START, STOP = "start", "stop"
LACKING = "MQTT needs the extra: pip install 'crownhead[mqtt]', or leave 'host' in [mqtt] unset"


def discovery(settings: MqttSettings) -> dict[str, dict[str, Any]]:
    """Topic → what Home Assistant is to know of it: four sensors and two buttons of one device."""
    base = settings.topic
    identity = base.replace("/", "_")
    device = {"identifiers": [identity], "name": "Crownhead", "manufacturer": "Crownhead"}
    found: dict[str, dict[str, Any]] = {}
    common = {"device": device, "availability_topic": f"{base}/availability"}
    for key, name in (("state", "State"), ("turn", "Turn"), ("result", "Result"), ("sentence", "Says")):
        found[f"{settings.discovery}/sensor/{identity}/{key}/config"] = {
            **common,
            "name": name,
            "unique_id": f"{identity}_{key}",
            "state_topic": f"{base}/{key}",
        }
    for key, name in ((START, "New game"), (STOP, "End game")):
        found[f"{settings.discovery}/button/{identity}/{key}/config"] = {
            **common,
            "name": name,
            "unique_id": f"{identity}_{key}",
            "command_topic": f"{base}/command",
            "payload_press": key,
        }
    return found


def states(values: dict[str, Any]) -> dict[str, str]:
    """What the topics below ours say, from the service's status."""
    game = values["game"]
    turn = "nobody" if game is None else ("you" if game["turn"] == game["human"] else "robot")
    return {
        "state": values["state"],
        "turn": turn,
        "result": values["last_result"] or "none",
        "sentence": str(values["sentence"])[:250],
    }


@contextmanager
def telling_by_mqtt(
    settings: MqttSettings, record: Record, give: Callable[[Order], str], log: Callable[[str], None]
) -> Iterator[None]:
    """While in it a broker is told how the service is; nothing happens without a host in the settings.

    A broker that is not there is waited for: playing does not need it. ServiceError if paho-mqtt is not installed.
    """
    if settings.host is None:
        yield
        return
    client = _client(settings, give, log)
    ended = threading.Event()
    thread = threading.Thread(target=_tell, args=(client, settings, record, ended), name="mqtt states", daemon=True)
    client.connect_async(settings.host, settings.port)
    client.loop_start()
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        client.publish(f"{settings.topic}/availability", OFFLINE, qos=1, retain=True)
        client.disconnect()
        client.loop_stop()


def _client(settings: MqttSettings, give: Callable[[Order], str], log: Callable[[str], None]) -> Client:
    try:
        from paho.mqtt.client import Client, MQTTMessage  # noqa: PLC0415
        from paho.mqtt.enums import CallbackAPIVersion  # noqa: PLC0415
    except ImportError as error:
        raise ServiceError(LACKING) from error
    client = Client(CallbackAPIVersion.VERSION2, client_id="")
    if settings.username is not None:
        client.username_pw_set(settings.username, settings.password)
    availability = f"{settings.topic}/availability"
    client.will_set(availability, OFFLINE, qos=1, retain=True)

    def connected(_client: Client, _data: Any, _flags: Any, reason: Any, _properties: Any) -> None:
        if reason.is_failure:
            log(f"the MQTT broker refuses: {reason}")
            return
        for topic, content in discovery(settings).items():
            client.publish(topic, json.dumps(content), qos=1, retain=True)
        client.publish(availability, ONLINE, qos=1, retain=True)
        client.subscribe(f"{settings.topic}/command", qos=1)

    def received(_client: Client, _data: Any, message: MQTTMessage) -> None:
        command = message.payload.decode(errors="replace").strip()
        if message.retain or command not in (START, STOP):
            return
        log(f"by MQTT: {give(NewGame() if command == START else EndGame())}")

    client.on_connect = connected
    client.on_message = received
    return client


def _tell(client: Client, settings: MqttSettings, record: Record, ended: threading.Event) -> None:
    """Publish what has changed, about once a second."""
    told: dict[str, str] = {}
    while not ended.wait(EVERY_S):
        if not client.is_connected():
            told.clear()
            continue
        for key, value in states(record.values()).items():
            if told.get(key) != value:
                client.publish(f"{settings.topic}/{key}", value, qos=1, retain=True)
                told[key] = value
