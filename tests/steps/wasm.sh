# Tools for builds for WebAssembly; sourced after install.sh by tests/run and erp-wasm/build.sh from the top folder.
#
# They are installed into the target folder, or come from Debian's packages where those may be installed. Nothing
# is written to the home folder except by rustup and cargo themselves.
# shellcheck shell=bash

readonly wasm=wasm32-unknown-unknown
readonly wasm_small=$target/small

has_wasm_target() { [ -d "$(rustc --print sysroot)/lib/rustlib/$wasm/lib" ]; }

wasm_from_rustup() {
    has_wasm_target && return
    has rustup || return 1
    quietly timeout 300 rustup target add "$wasm" || return 1
    has_wasm_target
}

# The linker that comes with the Rust toolchain.
wasm_linker() {
    local folder
    for folder in "$(rustc --print sysroot)"/lib/rustlib /usr/lib; do
        find -L "$folder" -name rust-lld -type f -print -quit 2>/dev/null | grep . && return
    done
    command -v wasm-ld
}

# Debian's own Rust with the sources of the standard library, for systems where the target cannot be downloaded.
wasm_from_debian() {
    [ "$(uname -m)" = x86_64 ] || return 1
    local wanted found
    if ! has dpkg || ! dpkg -s rustc-web cargo-web rust-web-src >/dev/null 2>&1; then
        install_packages rustc-web cargo-web rust-web-src || return 1
    fi
    wanted=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
    found=$(/usr/bin/rustc --version | cut -d ' ' -f 2)
    if [ "$(printf '%s\n' "$wanted" "$found" | sort -V | head -n 1)" != "$wanted" ]; then
        echo "Debian's Rust is $found, and this project needs $wanted" >&2
        return 1
    fi
    wasm_linker >/dev/null
}

# Finds out how to build: sets wasm_rust (rustup or debian).
# WASM_RUST=debian ignores rustup.
wasm_rust=
find_wasm_rust() {
    if [ "${WASM_RUST:-}" != debian ] && wasm_from_rustup; then
        wasm_rust=rustup
    else
        use_debian
    fi
}

use_debian() {
    wasm_from_debian || return 1
    wasm_rust=debian
}

wasm_flags() {
    printf '%s' "--remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}/registry/src= --remap-path-prefix=$PWD="
}

# Debian's Rust has no standard library for browsers, only its sources.
builds_std() { [ "$wasm_rust" = debian ] || [ "${WASM_SMALL:-}" = true ]; }

# The sources of the standard library.
find_rust_sources() {
    local sources
    ! builds_std || [ "$wasm_rust" = debian ] && return
    sources=$(rustc --print sysroot)/lib/rustlib/src/rust/library/std
    [ -d "$sources" ] || { has rustup && quietly timeout 300 rustup component add rust-src && [ -d "$sources" ]; }
}

# wasm_cargo COMMAND ARGUMENT...: cargo for WebAssembly. No path of this machine gets into the result. The output has a
# folder of its own, so that other builds stay valid.
# With WASM_SMALL=true the standard library is built for size, too, and a panic is a trap without a message, which no one
# could read: a sixth less after compression. Both are unstable options of rustc, therefore RUSTC_BOOTSTRAP.
wasm_cargo() {
    local -x CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS RUSTC_WORKSPACE_WRAPPER=
    CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS=$(wasm_flags)
    local arguments=("$1" --locked --target "$wasm" --target-dir "$wasm_small" --profile wasm)
    if builds_std; then
        local -x RUSTC_BOOTSTRAP=1
        CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS+=" -Zunstable-options -Cpanic=immediate-abort"
        arguments+=(-Zbuild-std=std,panic_abort -Zbuild-std-features=optimize_for_size)
    fi
    arguments+=("${@:2}")
    if [ "$wasm_rust" = rustup ]; then
        cargo "${arguments[@]}"
    else
        env RUSTC=/usr/bin/rustc RUSTUP_TOOLCHAIN= \
            CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER="$(wasm_linker)" \
            /usr/bin/cargo "${arguments[@]}"
    fi
}

# wasm_module ARGUMENT...: the module of a library. The last step inlines only where that reduces the size: a twentieth
# less, and no slower.
wasm_module() { wasm_cargo rustc "$@" --lib --crate-type cdylib -- -Cllvm-args=-inline-threshold=0; }

# Builds erp-wasm/bindgen and prints where it is.
wasm_bindgen() {
    local folder=$target/tools/bindgen
    RUSTC_WORKSPACE_WRAPPER="" cargo build --locked --manifest-path erp-wasm/bindgen/Cargo.toml --target-dir "$folder" || return 1
    printf '%s\n' "$folder/debug/bindgen"
}
