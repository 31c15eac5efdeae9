# What is handed out: for another machine, and the Debian package, installed on this system where that is allowed.
# shellcheck shell=bash

# debian_package PROFILE: compiled with this profile.
debian_package() {
    has dpkg && [ "$(id -u)" = 0 ] || cannot "it needs root and dpkg"
    has adduser || cannot "adduser is missing and cannot be installed"
    # Two runs on one machine take turns. The one that waits says so, and does not hang.
    exec 9>"${TMPDIR:-/tmp}/erp-package-test"
    until flock -w 60 9; do echo "another run tests its package"; done
    ! dpkg -s erp-server >/dev/null 2>&1 && ! getent passwd erp >/dev/null && [ ! -e /var/lib/erp ] ||
        cannot "erp-server or a user erp is on this system already"
    PACKAGE_PROFILE=$1 tests/package/run
}

dist_for_arm() {
    local -x PACKAGE_TARGET=aarch64-unknown-linux-gnu
    quietly rustup target add "$PACKAGE_TARGET" || cannot "rustup cannot fetch $PACKAGE_TARGET"
    tests/package/dist
}
