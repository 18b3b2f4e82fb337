#!/usr/bin/env bash
# Installs the packages of a folder from its files, without a network, in the ways that this system supports, and runs
# each on a small repository.
#
#   packaging/test_packages.sh FOLDER TARGET NPM      e.g. … packages x86_64-unknown-linux-gnu linux-x64
#
# FOLDER contains `SHA256SUMS` and the files that it lists.
set -euo pipefail

usage="usage: packaging/test_packages.sh FOLDER TARGET NPM"
packages=$(cd "${1:?"$usage"}" && pwd)
target=${2:?"$usage"}
npm=${3:?"$usage"}
smoke=$(cd "$(dirname "$0")" && pwd)/smoke.sh
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
step() { printf '\n== %s\n' "$*"; }

step "checksums"
(cd "$packages" && if command -v sha256sum >/dev/null; then sha256sum --check SHA256SUMS; else shasum -a 256 --check SHA256SUMS; fi)

step "archive"
mkdir "$folder/archive"
case $target in
    *windows*) unzip -q "$packages"/lorehound-*-"$target".zip -d "$folder/archive" ;;
    *) tar -xzf "$packages"/lorehound-*-"$target".tar.gz -C "$folder/archive" ;;
esac
ls "$folder"/archive/*/man "$folder"/archive/*/completions
"$smoke" "$folder"/archive/*/lore*

if [[ "$target" = x86_64-*-linux-gnu || "$target" = aarch64-*-linux-gnu ]]; then
    step "static archive"
    mkdir "$folder/static"
    tar -xzf "$packages"/lorehound-*-"${target%gnu}musl.tar.gz" -C "$folder/static"
    if readelf --program-headers "$folder"/static/*/lore | grep -q 'program interpreter'; then
        echo "error: the program of ${target%gnu}musl is not static" >&2
        exit 1
    fi
    "$smoke" "$folder"/static/*/lore
fi

step "wheel"
python=$(command -v python3 || command -v python)
"$python" -m venv "$folder/venv"
bin=$([ -d "$folder/venv/Scripts" ] && echo Scripts || echo bin)
"$folder/venv/$bin/python" -m pip install --quiet --no-index --find-links "$packages" lorehound
"$smoke" "$folder/venv/$bin/lore"

step "npm"
mkdir "$folder/npm"
(
    cd "$folder/npm"
    echo '{}' > package.json
    # From Windows, npm needs a path of its own form.
    from=$(command -v cygpath >/dev/null && cygpath -m "$packages" || echo "$packages")
    version=$(sed -n 's/^lorehound-\([0-9].*\)\.tgz$/\1/p' <<< "$(cd "$packages" && ls)")
    npm install --silent --ignore-scripts --offline --no-audit --no-fund \
        "$from/lorehound-$npm-$version.tgz" "$from/lorehound-$version.tgz"
    "$smoke" node node_modules/lorehound/lore.js
)

if command -v dpkg >/dev/null && [[ "$target" = *-linux-gnu ]]; then
    step "Debian package"
    found=("$packages"/lorehound_*_"$(dpkg --print-architecture)".deb)
    if [ -w / ]; then root=(); else root=(sudo); fi
    "${root[@]}" dpkg --install "${found[@]}"
    (cd / && "$smoke" lore)
    "${root[@]}" dpkg --remove lorehound
fi
