#!/usr/bin/env bash
# Writes `SHA256SUMS` for all files of a folder, sorted by name: `sha256sum --check SHA256SUMS` verifies them.
#
#   packaging/checksums.sh FOLDER
set -euo pipefail
cd "${1:?"usage: packaging/checksums.sh FOLDER"}"

rm -f SHA256SUMS
sums=$(find . -maxdepth 1 -type f -printf '%f\n' | LC_ALL=C sort | xargs -d '\n' sha256sum)
printf '%s\n' "$sums" | tee SHA256SUMS
