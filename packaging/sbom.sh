#!/usr/bin/env bash
# Writes the list of the crates in the program, for all targets, as CycloneDX 1.5.
#
#   packaging/sbom.sh OUT      OUT/lorehound-VERSION.cdx.json
set -euo pipefail
cd "$(dirname "$0")/.."

out=${1:?"usage: packaging/sbom.sh OUT"}
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
# Without it, the file would contain the time and a random number.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
name=lorehound-$version.cdx
# The tool writes a file beside the manifest of each crate of the workspace.
trap 'find crates xtask -maxdepth 2 -name "$name.json" -delete' EXIT
cargo cyclonedx --quiet --format json --spec-version 1.5 --target all --override-filename "$name"
mkdir -p "$out"
mv "crates/cli/$name.json" "$out/"
echo "$out/$name.json"
