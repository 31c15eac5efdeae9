# Builds the program that build.sh and dist.sh pack; sourced by both from the top folder.
#
# PACKAGE_PROFILE names another profile of cargo than that of what is handed out, for tests. PACKAGE_TARGET names another
# target than this machine's: it needs `rustup target add`, and a linker of the target's name without its vendor, such as
# aarch64-linux-gnu-gcc from Debian's gcc-aarch64-linux-gnu.
# shellcheck shell=bash

profile=${PACKAGE_PROFILE:-dist}
target=$(cargo metadata --format-version 1 --no-deps --locked |
    sed 's/.*"target_directory":"\([^"]*\)".*/\1/')
host=$(rustc -vV | sed -n 's/^host: //p')
triple=${PACKAGE_TARGET:-$host}
# Of this machine; it also writes the manual for another target.
own=$target/${profile/#test/debug}/erp-server
cross=()
program=$own
debs=$target/debian
if [ "$triple" != "$host" ]; then
    cross=(--target "$triple")
    program=$target/$triple/${profile/#test/debug}/erp-server
    debs=$target/$triple/debian
    export "CARGO_TARGET_$(tr a-z- A-Z_ <<<"$triple")_LINKER=${triple/-unknown/}-gcc"
fi

# The paths of this machine are no part of what is handed out.
if [ "$profile" = dist ]; then
    export RUSTFLAGS="--remap-path-prefix=$PWD=/source --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=/cargo"
fi
cargo build --profile "$profile" --locked -p erp-server
[ ${#cross[@]} = 0 ] || cargo build --profile "$profile" --locked -p erp-server "${cross[@]}"

# tool NAME VERSION: a subcommand of cargo, installed below the target folder when it is missing.
tool() {
    export PATH=$target/tools/bin:$PATH
    cargo "$1" --version >/dev/null 2>&1 ||
        CARGO_PROFILE_DEV_DEBUG=0 CARGO_INCREMENTAL=0 CARGO_TARGET_DIR=$target/tools/build \
            cargo install --quiet --debug --locked --root "$target/tools" "cargo-$1@$2"
}

# write_documents FOLDER: what the program says of itself, its manual and the completions of shells.
write_documents() {
    local shell
    mkdir -p "$1/completions"
    "$own" manual "$1/man"
    for shell in bash zsh fish; do "$own" completions "$shell" >"$1/completions/$shell"; done
}
