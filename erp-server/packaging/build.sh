#!/usr/bin/env bash
# Builds the Debian package: erp-server/packaging/build.sh [VERSION]
#
# It needs cargo-deb, and installs it below the target folder when it is missing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

target=$(cargo metadata --format-version 1 --no-deps --locked |
    sed 's/.*"target_directory":"\([^"]*\)".*/\1/')
tools=$target/tools
deb_version=${1:-}

if ! cargo deb --version >/dev/null 2>&1; then
    export PATH=$tools/bin:$PATH
    cargo deb --version >/dev/null 2>&1 ||
        cargo install --quiet --locked --root "$tools" cargo-deb@3.8.0
fi

cargo build --release --locked -p erp-server

# What the program says of itself: its manual and the completions of shells.
assets=erp-server/packaging/assets
rm -rf "$assets"
mkdir -p "$assets/man" "$assets/completions"
"$target/release/erp-server" manual "$assets/man"
gzip -9 -n "$assets"/man/*.1
for shell in bash zsh fish; do
    "$target/release/erp-server" completions "$shell" >"$assets/completions/$shell"
done

rm -f "$target"/debian/*.deb
cargo deb --quiet --no-build --locked -p erp-server ${deb_version:+--deb-version "$deb_version"}
ls "$target"/debian/*.deb
