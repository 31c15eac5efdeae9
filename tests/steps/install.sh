# Programs that the checks need besides Rust, and how they are installed where that is allowed.
# shellcheck shell=bash

readonly target=${CARGO_TARGET_DIR:-$PWD/target}

# A program or file, and Debian's packages of it.
readonly programs="
cc          gcc libc6-dev
c++         g++
curl        curl ca-certificates
qpdf        qpdf
pdfdetach   poppler-utils
initdb      postgresql
${CHROMIUM:-/usr/bin/chromium} chromium
adduser     adduser
php         php-cli
buildah     buildah
"
# Their packages start services, which tests do not need: on systems with systemd the user has to install them.
readonly services="
promtool    prometheus
caddy       caddy
nginx       nginx
haproxy     haproxy
pgbouncer   pgbouncer
"
readonly cluster_programs="
initdb      postgresql
haproxy     haproxy
pgbouncer   pgbouncer
patroni     patroni
etcd        etcd-server
"

# Debian installs some programs in folders that are not in a user's PATH.
has() {
    command -v "$1" >/dev/null 2>&1 || [[ $1 == /* && -f $1 ]] || [ -x "/usr/sbin/$1" ] ||
        compgen -G "/usr/lib/postgresql/*/bin/$1" >/dev/null
}

# with "PROGRAM..." COMMAND...: a step that needs programs.
with() {
    local program
    for program in $1; do
        has "$program" || cannot "$program is missing and cannot be installed"
    done
    "${@:2}"
}

# quietly COMMAND...: shows the output only of a command that fails.
quietly() {
    local log status=0
    log=$(mktemp)
    "$@" >"$log" 2>&1 || status=$?
    [ "$status" = 0 ] || tail -n 20 "$log" >&2
    rm -f "$log"
    return "$status"
}

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif has sudo && sudo -n true 2>/dev/null; then
        sudo -n "$@"
    else
        return 1
    fi
}

# The lists of packages are fetched once in an hour; apt waits while another installation runs.
install_packages() {
    local lists=/var/lib/apt/lists
    has apt-get && as_root true || return 1
    if [ -z "$(find "$lists" -maxdepth 1 -name '*Packages*' -mmin -60 -print -quit 2>/dev/null)" ]; then
        quietly as_root apt-get update -q || return 1
        as_root find "$lists" -maxdepth 1 -name '*Packages*' -exec touch {} +
    fi
    # At runlevel 1 no package starts a service.
    quietly as_root env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 \
        apt-get install -q -y --no-install-recommends -o DPkg::Lock::Timeout=600 "$@"
}

# missing TABLE: the packages of programs that are not here, a line each.
# shellcheck disable=SC2086 # words without blanks
missing() {
    local program packages
    while read -r program packages; do
        [ -z "$program" ] || has "$program" || printf '%s\n' $packages
    done <<<"$1"
}

systemd() { [ -d /run/systemd/system ]; }

# In one go: each check finds out itself whether its programs exist.
debian_packages() {
    local wanted
    mapfile -t wanted < <(missing "$programs"; systemd || missing "$services")
    python3 -c 'import ensurepip, venv' 2>/dev/null || wanted+=(python3 python3-venv)
    python3 -c 'import yaml' 2>/dev/null || wanted+=(python3-yaml)
    [ ${#wanted[@]} -eq 0 ] || install_packages "${wanted[@]}"
}

cluster_packages() {
    local wanted
    mapfile -t wanted < <(missing "$cluster_programs")
    [ ${#wanted[@]} -eq 0 ] || { ! systemd && install_packages "${wanted[@]}"; }
}

# component COMMAND NAME: a part of the Rust toolchain.
component() {
    cargo "$1" --version >/dev/null 2>&1 && return
    has rustup && quietly rustup component add "$2" && cargo "$1" --version >/dev/null 2>&1 ||
        cannot "$2 is missing and rustup cannot fetch it"
}

# python_tools NAME: an environment in the target folder with the packages of tests/requirements-NAME.txt.
python_tools() {
    local folder=$target/$1-tools wanted=tests/requirements-$1.txt
    cmp -s "$wanted" "$folder/requirements.txt" && return
    python3 -m venv --clear "$folder" && timeout 300 "$folder/bin/python" -m pip install -q -r "$wanted" &&
        cp "$wanted" "$folder/requirements.txt" || cannot "the packages of $wanted cannot be installed"
}

python_packages() { python_tools bills && python_tools openapi && python_tools sql; }

npm_packages() { (cd "$1" && npm ci --no-audit --no-fund); }
