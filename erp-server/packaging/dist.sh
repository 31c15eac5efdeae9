#!/usr/bin/env bash
# Makes what is handed out: erp-server/packaging/dist.sh FOLDER
#
#   erp-server-VERSION-TARGET.tar.gz     the program with manual, completions, units, examples and documentation
#   erp-server_VERSION_ARCH.deb          the Debian package, where dpkg is
#   erp-server-VERSION-TARGET.cdx.json   the software bill of materials (CycloneDX)
#   SHA256SUMS                           the checksums of all files, also those of other targets in the same folder
#
# PACKAGE_PROFILE and PACKAGE_TARGET name another profile and another target (program.sh).
set -euo pipefail
out=$(mkdir -p "${1:?a folder for the files is needed}" && cd "$1" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. erp-server/packaging/program.sh

version=$(sed -n '/^\[workspace.package\]/,/^$/s/^version = "\(.*\)"/\1/p' Cargo.toml)
name=erp-server-$version-$triple
made=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
top=$work/$name
mkdir -p "$top/units"
install -m 755 "$program" "$top/"
write_documents "$top"
cp erp-server/packaging/*.{service,timer,conf,toml} erp-server/packaging/backup.sh "$top/units/"
cp -r erp-server/packaging/{monitoring,proxies} erp-server/docs "$top/"
cp erp-server/README.md CHANGELOG.md NOTICE LICENSE-MIT LICENSE-APACHE "$top/"
tar --sort=name --mtime="@$made" --owner=0 --group=0 --numeric-owner --mode=go-w -C "$work" -c "$name" |
    gzip -9 -n >"$out/$name.tar.gz"

tool cyclonedx 0.5.9
SOURCE_DATE_EPOCH=$made cargo cyclonedx --quiet --format json --target "$triple" \
    --override-filename erp-dist --manifest-path erp-server/Cargo.toml
sed "s#file://$PWD#file:///source#g" erp-server/erp-dist.json >"$out/$name.cdx.json"
find . -path ./target -prune -o -name erp-dist.json -exec rm {} +

if command -v dpkg >/dev/null; then
    cp "$(erp-server/packaging/build.sh | tail -n 1)" "$out/"
fi

cd "$out"
files=(erp-server[-_]"$version"*)
sha256sum "${files[@]}" >SHA256SUMS
cat SHA256SUMS
