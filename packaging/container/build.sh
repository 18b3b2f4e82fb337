#!/usr/bin/env bash
# Builds the container image from a static program, and checks its settings. Uses buildah, podman or docker.
#
#   packaging/container/build.sh PROGRAM [IMAGE]
set -euo pipefail

program=${1:?"usage: packaging/container/build.sh PROGRAM [IMAGE]"}
image=${2:-lorehound}
here=$(cd "$(dirname "$0")" && pwd)
# `file` is not everywhere; a program without an interpreter in its headers is static.
if readelf --program-headers "$program" 2>/dev/null | grep -q 'program interpreter'; then
    echo "error: $program is not static; build it for a target of musl" >&2
    exit 1
fi
context=$(mktemp -d)
trap 'rm -rf "$context"' EXIT
cp "$program" "$context/lore"
mkdir -m 700 "$context/cache"
mkdir -m 1777 "$context/tmp"
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$here" log -1 --format=%ct)}

for tool in ${CONTAINER_TOOL:-buildah podman docker}; do
    command -v "$tool" >/dev/null || continue
    case $tool in
        buildah) buildah build --quiet --isolation chroot --timestamp "$SOURCE_DATE_EPOCH" -f "$here/Containerfile" -t "$image" "$context" ;;
        podman) podman build --quiet --timestamp "$SOURCE_DATE_EPOCH" -f "$here/Containerfile" -t "$image" "$context" ;;
        docker) docker build --quiet --build-arg "SOURCE_DATE_EPOCH=$SOURCE_DATE_EPOCH" -f "$here/Containerfile" -t "$image" "$context" ;;
        *) echo "error: CONTAINER_TOOL is buildah, podman or docker, not \`$tool\`" >&2; exit 2 ;;
    esac
    echo "$tool: built $image"
    exit 0
done
echo "error: buildah, podman and docker are missing" >&2
exit 1
