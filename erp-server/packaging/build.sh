#!/usr/bin/env bash
# Builds the Debian package: erp-server/packaging/build.sh [VERSION]
#
# It needs cargo-deb, and installs it below the target folder when it is missing. PACKAGE_PROFILE and PACKAGE_TARGET name
# another profile and another target (program.sh).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. erp-server/packaging/program.sh

assets=erp-server/packaging/assets
rm -rf "$assets"
write_documents "$assets"
gzip -9 -n "$assets"/man/*/*

tool deb 3.8.0
rm -f "$debs"/*.deb
# It does not know that the profile of tests has the folder of `dev`.
options=(--quiet --no-build --locked --profile "${profile/#test/dev}" -p erp-server "${cross[@]}")
[ "$profile" = dist ] || options+=(--fast)
cargo deb "${options[@]}" ${1:+--deb-version "$1"}
ls "$debs"/*.deb
