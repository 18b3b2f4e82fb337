#!/usr/bin/env bash
# Builds the current commit again in another folder, and compares the program with an earlier build.
#
#   packaging/reproduce.sh TARGET PROGRAM
set -euo pipefail
cd "$(dirname "$0")/.."

target=${1:?"usage: packaging/reproduce.sh TARGET PROGRAM"}
program=$(realpath "${2:?"usage: packaging/reproduce.sh TARGET PROGRAM"}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

git clone --quiet . "$folder/another/tree"
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH CARGO_TARGET_DIR="$folder/build"
"$folder/another/tree/packaging/build.sh" "$target" "$folder/out"
sha256sum "$program" "$folder"/out/lore*
if ! cmp "$program" "$folder"/out/lore*; then
    echo "error: two builds of one commit differ" >&2
    exit 1
fi
echo "both builds are equal"
