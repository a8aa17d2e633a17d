#!/bin/bash
# Installs Crownhead as a service, or brings an installed one up to date: one command, as often as you like.
#
#   sudo systemd/install.sh              install or upgrade from this source tree
#   sudo systemd/install.sh --rollback   go back to the release before
#        systemd/install.sh --dry-run    only say what would be done
#
# Each release is a virtual environment of its own below /opt/crownhead/releases; /opt/crownhead/current points to the
# one in use. A new release that does not come up is left for the one before. Settings (/etc/crownhead), journal and
# calibration (/var/lib/crownhead) are never touched. Made for Raspberry Pi OS and Debian, Bookworm and Trixie.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
source_tree=$(dirname "$here")
prefix=/opt/crownhead
releases=$prefix/releases
current=$prefix/current
unit=/etc/systemd/system/crownhead.service
rules=/etc/udev/rules.d/99-crownhead.rules
command=/usr/local/bin/crownhead
comes_up_s=60
os_release=${CROWNHEAD_OS_RELEASE:-/etc/os-release}

dry_run=
rollback=
for argument; do
    case $argument in
        --dry-run) dry_run=1 ;;
        --rollback) rollback=1 ;;
        -h | --help)
            sed -n '2,12s/^# \{0,1\}//p' "$0"
            exit 0
            ;;
        *)
            echo "install.sh: there is no option $argument: see --help" >&2
            exit 2
            ;;
    esac
done

say() { printf '%s\n' "- $*"; }

fail() {
    printf 'install.sh: %s\n' "$*" >&2
    exit 1
}

# Run a command, or, for a dry run, print it.
run() {
    if [[ $dry_run ]]; then
        printf '    %s\n' "$*"
    else
        "$@"
    fi
}

booted() { [[ -d /run/systemd/system ]]; }

if ((EUID != 0)) && [[ ! $dry_run ]]; then
    fail "run it as root: sudo $0 $*"
fi

# Point `current` to a release: in one step, so that there always is one.
point_to() {
    run ln -sfn "$1" "$current.new"
    run mv -T "$current.new" "$current"
}

# Whether the service is up, told by itself, before long; it may wait for a camera and is up all the same.
comes_up() {
    local second
    for ((second = 0; second < comes_up_s; second++)); do
        case $(systemctl is-active crownhead.service || true) in
            active) return 0 ;;
            failed) return 1 ;;
        esac
        sleep 1
    done
    return 1
}

restart() {
    if ! booted; then
        say "systemd does not run here: the service starts at the next boot"
        return 0
    fi
    run systemctl daemon-reload
    run systemctl enable --quiet crownhead.service
    run systemctl reset-failed crownhead.service 2>/dev/null || true
    run systemctl restart crownhead.service || return 1
    [[ $dry_run ]] || comes_up
}

before=
[[ -L $current ]] && before=$(readlink -f "$current")

if [[ $rollback ]]; then
    [[ $before ]] || fail "nothing is installed: run it without --rollback"
    older=
    for release in $(ls -1t "$releases"); do
        [[ $releases/$release == "$before" || ! -e $releases/$release/complete ]] && continue
        older=$releases/$release
        break
    done
    [[ $older ]] || fail "there is no other release to go back to: install one from its source tree"
    say "going back from $(basename "$before") to $(basename "$older")"
    point_to "$older"
    restart || fail "$(basename "$older") does not come up either: see 'journalctl -u crownhead'"
    say "done: $(basename "$older") is in use"
    exit 0
fi

# What system this is.
codename=$(. "$os_release" && echo "${VERSION_CODENAME:-unknown}")
case $codename in
    bookworm) constraints=$here/constraints-bookworm.txt ;;
    trixie) constraints= ;;
    *)
        constraints=
        say "this system ($codename) is neither Bookworm nor Trixie: it has not been tried"
        ;;
esac
pi=
if grep -qs "Raspberry Pi" /proc/device-tree/model; then pi=1; fi

# What the system has to provide.
packages=(python3-venv python3-dev gcc libc6-dev libgl1 libglib2.0-0)
[[ $pi ]] && packages+=(python3-lgpio python3-picamera2)
missing=()
for package in "${packages[@]}"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q "ok installed" || missing+=("$package")
done
# Trixie calls one of them otherwise, and it provides the old name.
if ((${#missing[@]})) && [[ $codename == trixie ]]; then
    missing=("${missing[@]/#libglib2.0-0/libglib2.0-0t64}")
    dpkg-query -W -f='${Status}' libglib2.0-0t64 2>/dev/null | grep -q "ok installed" &&
        missing=("${missing[@]/libglib2.0-0t64/}")
    read -ra missing <<<"${missing[*]}"
fi
if ((${#missing[@]})); then
    say "installing ${missing[*]}"
    run apt-get update -q
    run env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}"
else
    say "the system has all that is needed"
fi

# Who it runs as.
for group in dialout video render gpio; do
    getent group "$group" >/dev/null || { say "making the group $group" && run groupadd --system "$group"; }
done
if getent passwd crownhead >/dev/null; then
    say "the user crownhead is there"
else
    say "making the user crownhead"
    run useradd --system --user-group --home-dir /var/lib/crownhead --no-create-home --shell /usr/sbin/nologin crownhead
fi
if [[ ${SUDO_USER:-root} != root ]] && ! id -nG "$SUDO_USER" | tr ' ' '\n' | grep -qx crownhead; then
    say "$SUDO_USER may ask the service and read its journal, from the next log-in on"
    run usermod -aG crownhead "$SUDO_USER"
fi

# The release: named by what is in it, so that the same sources are not built twice.
contents=$(cd "$source_tree" && find controller vision hardware calibration setup.py pyproject.toml systemd -type f \
    ! -path '*/__pycache__/*' ! -name '*.so' -print0 | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum)
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$source_tree/pyproject.toml")
release=$releases/$version-${contents:0:12}
if [[ -e $release/complete ]]; then
    say "the release $(basename "$release") is built"
else
    say "building the release $(basename "$release"), which takes a few minutes"
    run rm -rf "$release"
    run mkdir -p "$release"
    run python3 -m venv --system-site-packages "$release"
    # A copy is built, so that the source tree stays as it is.
    copy=$release/sources
    run mkdir -p "$copy"
    for part in controller vision hardware calibration setup.py pyproject.toml MANIFEST.in README.md LICENSE; do
        run cp -r "$source_tree/$part" "$copy/"
    done
    run "$release/bin/pip" install --quiet --disable-pip-version-check ${constraints:+--constraint "$constraints"} \
        "$copy[mqtt]"
    run rm -rf "$copy"
    run "$release/bin/crownhead" --version
    run touch "$release/complete"
fi
if [[ $before == "$release" ]]; then
    say "it is in use already"
else
    say "it comes into use${before:+, in place of $(basename "$before")}"
    point_to "$release"
fi
run mkdir -p "$(dirname "$command")"
run ln -sfn "$current/bin/crownhead" "$command"

# Settings, device names, service.
if [[ -e /etc/crownhead/config.toml ]]; then
    say "the settings /etc/crownhead/config.toml stay as they are"
else
    say "writing the settings /etc/crownhead/config.toml: port, travel and pins of your machine go in there"
    run mkdir -p /etc/crownhead
    run "$release/bin/crownhead" config init --config /etc/crownhead/config.toml
fi
if cmp -s "$here/99-crownhead.rules" "$rules"; then
    say "the udev rules are there"
else
    say "installing the udev rules: the serial port is /dev/crownhead"
    run install -D -m 644 "$here/99-crownhead.rules" "$rules"
    if command -v udevadm >/dev/null && booted; then
        run udevadm control --reload
        run udevadm trigger --subsystem-match=tty
    fi
fi
kept=
if [[ -e $unit ]] && ! cmp -s "$here/crownhead.service" "$unit"; then
    kept=$(mktemp)
    cp "$unit" "$kept"
fi
say "installing the service"
run install -D -m 644 "$here/crownhead.service" "$unit"
if ! restart; then
    if [[ $before && $before != "$release" && -d $before ]]; then
        say "it does not come up: going back to $(basename "$before")"
        point_to "$before"
        [[ $kept ]] && install -m 644 "$kept" "$unit"
        restart || fail "nor does the release before: see 'journalctl -u crownhead'"
        fail "the new release did not come up and the one before is in use: see 'journalctl -u crownhead'"
    fi
    fail "the service does not come up: see 'journalctl -u crownhead'"
fi

# The one in use and the one before it are kept.
if [[ -d $releases ]]; then
    for old in "$releases"/*; do
        [[ $old == "$release" || $old == "$before" || ! -d $old ]] && continue
        say "removing the old release $(basename "$old")"
        run rm -rf "$old"
    done
fi
say "done: ask it with 'crownhead status', read what happens with 'journalctl -u crownhead -f'"
