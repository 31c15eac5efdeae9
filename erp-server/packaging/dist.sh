#!/usr/bin/env bash
# Makes what is handed out: erp-server/packaging/dist.sh FOLDER
#
#   erp-server-VERSION-TARGET.tar.gz   the program with manual, completions, units, examples and documentation
#   erp-server_VERSION_ARCH.deb        the Debian package, where dpkg is
#   erp-server-VERSION.cdx.json        the software bill of materials (CycloneDX) of this target
#   SHA256SUMS                         their checksums
#
# PACKAGE_PROFILE names another profile of cargo, for tests.
set -euo pipefail
out=$(mkdir -p "${1:?a folder for the files is needed}" && cd "$1" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

profile=${PACKAGE_PROFILE:-dist}
target=$(cargo metadata --format-version 1 --no-deps --locked |
    sed 's/.*"target_directory":"\([^"]*\)".*/\1/')
built=$target/${profile/#dev/debug}
version=$(sed -n '/^\[workspace.package\]/,/^$/s/^version = "\(.*\)"/\1/p' Cargo.toml)
triple=$(rustc -vV | sed -n 's/^host: //p')
name=erp-server-$version-$triple
made=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}

# tool NAME VERSION: a subcommand of cargo, installed below the target folder when it is missing.
tool() {
    export PATH=$target/tools/bin:$PATH
    cargo "$1" --version >/dev/null 2>&1 ||
        CARGO_PROFILE_DEV_DEBUG=0 CARGO_INCREMENTAL=0 CARGO_TARGET_DIR=$target/tools/build \
            cargo install --quiet --debug --locked --root "$target/tools" "cargo-$1@$2"
}

# The paths of this machine are no part of what is handed out.
if [ "$profile" = dist ]; then
    export RUSTFLAGS="--remap-path-prefix=$PWD=/source --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=/cargo ${RUSTFLAGS:-}"
fi
cargo build --profile "$profile" --locked -p erp-server

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
top=$work/$name
mkdir -p "$top/man" "$top/completions"
install -m 755 "$built/erp-server" "$top/"
"$top/erp-server" manual "$top/man"
for shell in bash zsh fish; do "$top/erp-server" completions "$shell" >"$top/completions/$shell"; done
mkdir "$top/units"
cp erp-server/packaging/*.{service,timer,conf,toml,sh} "$top/units/"
rm "$top/units"/{build,dist}.sh
cp -r erp-server/packaging/{monitoring,proxies} erp-server/docs "$top/"
cp erp-server/README.md CHANGELOG.md NOTICE LICENSE-MIT LICENSE-APACHE "$top/"
tar --sort=name --mtime="@$made" --owner=0 --group=0 --numeric-owner --mode=go-w -C "$work" -c "$name" |
    gzip -9 -n >"$out/$name.tar.gz"

tool cyclonedx 0.5.9
SOURCE_DATE_EPOCH=$made cargo cyclonedx --quiet --format json --target "$triple" \
    --override-filename erp-dist --manifest-path erp-server/Cargo.toml
sed "s#file://$PWD#file:///source#g" erp-server/erp-dist.json >"$out/erp-server-$version.cdx.json"
find . -path ./target -prune -o -name erp-dist.json -exec rm {} +

if command -v dpkg >/dev/null; then
    cp "$(erp-server/packaging/build.sh | tail -n 1)" "$out/"
fi

cd "$out"
files=(erp-server[-_]"$version"*)
sha256sum "${files[@]}" >SHA256SUMS
cat SHA256SUMS
