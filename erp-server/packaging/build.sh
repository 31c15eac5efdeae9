#!/usr/bin/env bash
# Builds the Debian package: erp-server/packaging/build.sh [VERSION]
#
# It needs cargo-deb, and installs it below the target folder when it is missing. PACKAGE_PROFILE names another
# profile of cargo than that of what is handed out; its package is larger, because it is made for tests.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

target=$(cargo metadata --format-version 1 --no-deps --locked |
    sed 's/.*"target_directory":"\([^"]*\)".*/\1/')
tools=$target/tools
deb_version=${1:-}
profile=${PACKAGE_PROFILE:-dist}
built=$target/${profile/#dev/debug}

if ! cargo deb --version >/dev/null 2>&1; then
    export PATH=$tools/bin:$PATH
    cargo deb --version >/dev/null 2>&1 ||
        CARGO_PROFILE_DEV_DEBUG=0 CARGO_INCREMENTAL=0 CARGO_TARGET_DIR=$tools/build \
            cargo install --quiet --debug --locked --root "$tools" cargo-deb@3.8.0
fi

cargo build --profile "$profile" --locked -p erp-server

# What the program says of itself: its manual and the completions of shells.
assets=erp-server/packaging/assets
rm -rf "$assets"
mkdir -p "$assets/man" "$assets/completions"
"$built/erp-server" manual "$assets/man"
gzip -9 -n "$assets"/man/*/*
for shell in bash zsh fish; do
    "$built/erp-server" completions "$shell" >"$assets/completions/$shell"
done

rm -f "$target"/debian/*.deb
options=(--quiet --no-build --locked --profile "$profile" -p erp-server)
[ "$profile" = dist ] || options+=(--fast)
cargo deb "${options[@]}" ${deb_version:+--deb-version "$deb_version"}
ls "$target"/debian/*.deb
