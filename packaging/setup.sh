# Sets up everything Operative needs on this machine; sourced by run, test and bench.
#
# Afterwards ROOT is the folder of the project and VENV its environment, complete and current. What is already
# there is not touched again: the system packages are compared with the package database, the Python packages
# with a stamp made from requirements.lock and pyproject.toml.
# shellcheck shell=bash

ROOT=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
VENV=$ROOT/.venv
STAMP=$VENV/operative-setup.stamp

# What Qt's own libraries are linked to on X11, a font, and the D-Bus library.
WINDOW_PACKAGES=(
    fonts-dejavu-core libdbus-1-3 libegl1 libfontconfig1 libgl1 libxcb-cursor0 libxcb-icccm4 libxcb-image0
    libxcb-keysyms1 libxcb-randr0 libxcb-render-util0 libxcb-shape0 libxcb-xinerama0 libxcb-xkb1
    libxkbcommon-x11-0
)
DISPLAY_PACKAGES=(openbox xvfb)
TEST_PACKAGES=(
    at-spi2-core dbus-x11 featherpad galculator mousepad pcmanfm x11-xkb-utils xauth xclip xdotool xterm zenity
)
BROWSERS=(chromium chromium-browser google-chrome google-chrome-stable microsoft-edge microsoft-edge-stable)

say() { printf '%s\n' "$*" >&2; }

fail() {
    say "$*"
    exit 1
}

has_display() { [[ -n ${DISPLAY:-} || -n ${WAYLAND_DISPLAY:-} ]]; }

# set_up window|test: make the machine ready, or say what is missing and exit with 1.
set_up() {
    local wanted=("${WINDOW_PACKAGES[@]}")
    [[ $(uname -s) == Linux ]] ||
        fail "This script sets up Linux. On Windows and macOS: pipx install \"$ROOT\", then start: operative"
    if [[ $1 == test ]]; then
        wanted+=("${DISPLAY_PACKAGES[@]}" "${TEST_PACKAGES[@]}")
    elif ! has_display; then
        wanted+=("${DISPLAY_PACKAGES[@]}")
    fi
    has_browser || wanted+=(chromium)
    is_environment_usable || find_python
    [[ -n ${PYTHON_PACKAGES:-} ]] && wanted+=("${PYTHON_PACKAGES[@]}")
    install_system_packages "${wanted[@]}"
    install_python_packages
}

has_browser() {
    local name
    for name in "${BROWSERS[@]}"; do
        type -P "$name" >/dev/null && return 0
    done
    return 1
}

is_environment_usable() { [[ -f $STAMP && -x $VENV/bin/python ]]; }

is_recent_python() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

# Choose PYTHON, and name in PYTHON_PACKAGES what it lacks to make an environment.
find_python() {
    local candidate
    for candidate in ${OPERATIVE_PYTHON:+"$OPERATIVE_PYTHON"} python3.11 python3.12 python3.13 python3; do
        if candidate=$(type -P "$candidate") && is_recent_python "$candidate"; then
            PYTHON=$candidate
            # Debian ships the module venv without ensurepip, which is in a package of its own.
            "$PYTHON" -c 'import ensurepip, venv' 2>/dev/null || PYTHON_PACKAGES=(python3-venv)
            return
        fi
    done
    PYTHON=python3
    PYTHON_PACKAGES=(python3 python3-venv)
}

# missing_packages NAME...: print those that are not installed, one a line.
missing_packages() {
    local installed
    # dpkg-query exits with 1 when it does not know one of the names; what it prints is right all the same.
    installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null |
        sed -n 's/^installed //p') || true
    comm -23 <(printf '%s\n' "$@" | sort -u) <(printf '%s\n' "$installed" | sort -u)
}

install_system_packages() {
    local missing as_root=()
    if ! type -P dpkg-query >/dev/null; then
        return # not Debian or a relative of it: whatever is missing is named by what needs it
    fi
    mapfile -t missing < <(missing_packages "$@")
    ((${#missing[@]})) || return 0
    if (($(id -u) != 0)); then
        if sudo -n true 2>/dev/null; then
            as_root=(sudo -n)
        else
            say "Operative needs system packages which only an administrator can install. Type this one command:"
            say ""
            say "    sudo apt-get update && sudo apt-get install -y --no-install-recommends ${missing[*]}"
            say ""
            fail "Then start again."
        fi
    fi
    say "Installing system packages: ${missing[*]}"
    local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300)
    "${apt[@]}" update </dev/null >&2 || fail "The list of system packages could not be fetched (apt-get update)."
    "${apt[@]}" install -y --no-install-recommends "${missing[@]}" </dev/null >&2 ||
        fail "System packages could not be installed: ${missing[*]}"
}

# What the environment was made from; another place counts too, because scripts in it name their folder.
stamp_now() {
    { printf '%s\n' "$ROOT" && cat -- "$ROOT/packaging/requirements.lock" "$ROOT/pyproject.toml"; } | sha256sum
}

install_python_packages() {
    # One at a time: two starts at once would install into one another. The lock ends with the file descriptor.
    exec 9<"$ROOT/pyproject.toml"
    flock 9
    if is_environment_usable && [[ $(<"$STAMP") == "$(stamp_now)" ]]; then
        exec 9<&-
        return
    fi
    [[ -n ${PYTHON:-} ]] || find_python
    rm -f -- "$STAMP"
    if [[ ! -x $VENV/bin/python ]] || ! is_recent_python "$VENV/bin/python"; then
        say "Making the Python environment $VENV"
        "$PYTHON" -m venv --clear "$VENV" || fail "$PYTHON could not make an environment in $VENV."
    fi
    say "Installing Python packages (only this first time, and after an update)"
    # Complete and pinned, so nothing has to be resolved: see packaging/requirements_lock.py for what is left out.
    pip_install --upgrade $(grep -E '^(pip|setuptools|wheel)==' "$ROOT/packaging/requirements.lock")
    pip_install --no-deps --no-build-isolation --requirement "$ROOT/packaging/requirements.lock"
    pip_install --no-deps --no-build-isolation --editable "$ROOT"
    stamp_now >"$STAMP"
    exec 9<&-
}

pip_install() {
    "$VENV/bin/python" -m pip --disable-pip-version-check --no-input install --quiet "$@" </dev/null >&2 ||
        fail "Python packages could not be installed; the reason stands above. Start again to go on."
}
