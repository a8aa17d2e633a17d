#!/bin/bash
# Installs the service in a fresh Debian by systemd/install.sh, boots that under a real systemd in a container, and looks
# at what systemd sees: notify, status, watchdog, state directory, denied writes, a clean stop.
#
#   sudo systemd/boot-in-container.sh [SUITE]     SUITE is bookworm (default) or trixie
#
# Exit status 0: all is as it should be; 1: it is not; 77: this machine does not allow it, and the reason is printed.
# $CROWNHEAD_ROOT keeps the Debian there for the next time.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
source_tree=$(dirname "$here")
suite=${1:-bookworm}

skip() {
    echo "skipped: $*"
    exit 77
}

((EUID == 0)) || skip "it has to be run as root"
command -v systemd-nspawn >/dev/null || skip "systemd-nspawn is not installed (apt-get install systemd-container)"
command -v mmdebstrap >/dev/null || skip "mmdebstrap is not installed (apt-get install mmdebstrap)"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=${CROWNHEAD_ROOT:-$work/root}
if [[ ! -e $root/etc/os-release ]]; then
    echo "== making a Debian ($suite)"
    mmdebstrap --quiet --variant=minbase \
        --include=systemd,systemd-sysv,dbus,udev,ca-certificates,python3-venv,python3-dev,gcc,libc6-dev,libgl1,libglib2.0-0 \
        "$suite" "$root" >"$work/made" 2>&1 || skip "no Debian can be made here: $(tail -1 "$work/made")"
fi
contained=(systemd-nspawn --quiet --directory="$root" --register=no --keep-unit --bind-ro="$source_tree:/src")
"${contained[@]}" --pipe true >"$work/tried" 2>&1 || skip "no container runs here: $(tail -1 "$work/tried")"

echo "== installing"
settings=()
for file in /etc/pip.conf /etc/xdg/pip; do # A mirror that this machine uses for pip.
    [[ -e $file ]] && settings+=(--bind-ro="$file")
done
for folder in ${PIP_FIND_LINKS:-} ${CROWNHEAD_PIP_FOLDERS:-}; do
    [[ -d $folder ]] && settings+=(--bind-ro="$folder")
done
"${contained[@]}" "${settings[@]}" --bind-ro=/etc/ssl/certs --setenv=PIP_FIND_LINKS="${PIP_FIND_LINKS:-}" \
    --pipe bash /src/systemd/install.sh

# The proof runs in the container once it has booted, and switches it off.
cat >"$root/usr/local/sbin/proof" <<'PROOF'
#!/bin/bash
exec >/proof.txt 2>&1
wrong=0
check() { if eval "$2"; then echo "ok    $1"; else echo "WRONG $1"; wrong=1; fi; }
show() { systemctl show --property="$1" --value crownhead.service; }
for _ in $(seq 60); do [[ $(systemctl is-active crownhead.service) == active ]] && break; sleep 1; done
check "it is active by its own word (Type=notify)" '[[ $(show ActiveState) == active && $(show Type) == notify ]]'
sleep 8
echo "      its status: $(show StatusText)"
check "its status says that it waits for what is missing" '[[ $(show StatusText) == *trouble* ]]'
check "it runs as a user of its own" '[[ $(stat -c %U "/proc/$(show MainPID)") == crownhead ]]'
check "it keeps its journal in its state directory" '[[ -s /var/lib/crownhead/journal.sqlite3 ]]'
check "it answers at its socket" 'crownhead status --json | grep -q "\"state\": \"trouble\""'
check "a second one is refused" '! runuser -u crownhead -- env STATE_DIRECTORY=/var/lib/crownhead crownhead serve'
pid=$(show MainPID)
check "it cannot write to /etc" '! nsenter -t $pid -m touch /etc/written 2>/dev/null || [[ ! -e /etc/written ]]'
sleep 100
check "after more than the watchdog's time it still runs, for its loop says so" '[[ $(show MainPID) == "$pid" ]]'
kill -STOP "$pid"
for _ in $(seq 130); do [[ $(show MainPID) != "$pid" && $(show ActiveState) == active ]] && break; sleep 1; done
check "one that hangs is started anew by the watchdog" '[[ $(show MainPID) != "$pid" && $(show NRestarts) -ge 1 ]]'
systemctl stop crownhead.service
check "it stops cleanly" '[[ $(show Result) == success && $(show ActiveState) == inactive ]]'
check "its socket is gone" '[[ ! -e /run/crownhead/service.sock ]]'
journalctl -u crownhead.service --no-pager -o cat | tail -20
echo "RESULT $wrong"
systemctl poweroff
PROOF
chmod +x "$root/usr/local/sbin/proof"
cat >"$root/etc/systemd/system/proof.service" <<'UNIT'
[Unit]
After=crownhead.service
[Service]
Type=exec
ExecStart=/usr/local/sbin/proof
[Install]
WantedBy=multi-user.target
UNIT
ln -sf ../proof.service "$root/etc/systemd/system/multi-user.target.wants/proof.service"
ln -sf ../crownhead.service "$root/etc/systemd/system/multi-user.target.wants/crownhead.service"
rm -f "$root/proof.txt"

echo "== booting"
timeout 600 "${contained[@]}" --private-network --boot >"$work/booted" 2>&1 ||
    [[ -s $root/proof.txt ]] || skip "the container does not boot here: $(tail -1 "$work/booted")"
cat "$root/proof.txt"
grep -q "^RESULT 0" "$root/proof.txt"
