#!/bin/bash
# Takes the service away again. Settings, journal and calibration stay, unless they are to go, too:
#
#   sudo systemd/uninstall.sh            takes away program, service, udev rules
#   sudo systemd/uninstall.sh --purge    and the user with /etc/crownhead, /var/lib/crownhead, /var/cache/crownhead
#        systemd/uninstall.sh --dry-run  only says what would be done
set -euo pipefail

dry_run=
purge=
for argument; do
    case $argument in
        --dry-run) dry_run=1 ;;
        --purge) purge=1 ;;
        -h | --help)
            sed -n '2,6s/^# \{0,1\}//p' "$0"
            exit 0
            ;;
        *)
            echo "uninstall.sh: there is no option $argument: see --help" >&2
            exit 2
            ;;
    esac
done

say() { printf '%s\n' "- $*"; }

run() {
    if [[ $dry_run ]]; then
        printf '    %s\n' "$*"
    else
        "$@"
    fi
}

booted() { [[ -d /run/systemd/system ]]; }

if ((EUID != 0)) && [[ ! $dry_run ]]; then
    echo "uninstall.sh: run it as root: sudo $0 $*" >&2
    exit 1
fi

if [[ -e /etc/systemd/system/crownhead.service ]]; then
    say "stopping and removing the service"
    booted && run systemctl disable --now --quiet crownhead.service
    run rm -f /etc/systemd/system/crownhead.service
    booted && run systemctl daemon-reload
else
    say "there is no service"
fi
if [[ -e /etc/udev/rules.d/99-crownhead.rules ]]; then
    say "removing the udev rules"
    run rm -f /etc/udev/rules.d/99-crownhead.rules
    if command -v udevadm >/dev/null && booted; then run udevadm control --reload; fi
fi
if [[ -d /opt/crownhead ]]; then
    say "removing the program"
    run rm -rf /opt/crownhead
fi
if [[ $(readlink /usr/local/bin/crownhead 2>/dev/null || true) == /opt/crownhead/* ]]; then
    run rm -f /usr/local/bin/crownhead
fi
if [[ $purge ]]; then
    say "removing settings, journal, calibration and the user"
    run rm -rf /etc/crownhead /var/lib/crownhead /var/cache/crownhead
    if getent passwd crownhead >/dev/null; then run userdel crownhead; fi
else
    say "settings and journal stay in /etc/crownhead and /var/lib/crownhead"
fi
say "done"
