#!/usr/bin/env bash
# Installs packages on a Debian system with neither Rust nor a C compiler, without a network, and asks a
# question there.
#
#   packaging/clean_install.sh PACKAGES TREE [ROOT]
#
# PACKAGES is a directory with any of lorehound-*.tar.gz, *.deb, *.whl and npm packages (*.tgz); TREE is
# the repository that is searched. ROOT is the Debian system, made by debootstrap if it does not exist, and
# kept; default: target/clean-debian. Needs root, debootstrap, strace and unshare. For each package, prints
# its size and the seconds of the install and of the first answer. Fails if an install takes 10 seconds, if
# there is no answer, or if a process connects or sends to a network address.
set -euo pipefail
cd "$(dirname "$0")/.."

usage="usage: packaging/clean_install.sh PACKAGES TREE [ROOT]"
packages=$(realpath "${1:?$usage}")
tree=$(realpath "${2:?$usage}")
root=${3:-target/clean-debian}
question=${QUESTION:-"where are errors handled?"}
max_seconds=10

if [ ! -x "$root/usr/bin/npm" ]; then
    mkdir -p "$root"
    debootstrap --variant=minbase --include=python3,python3-venv,git,ca-certificates bookworm "$root" > "$root.log"
    # debootstrap does not order the many packages of npm; apt does.
    chroot "$root" apt-get update -qq
    DEBIAN_FRONTEND=noninteractive chroot "$root" apt-get install -y -qq --no-install-recommends nodejs npm >> "$root.log" 2>&1
fi
root=$(realpath "$root")
for tool in rustc cargo cc gcc; do
    if chroot "$root" sh -c "command -v $tool" > /dev/null; then
        echo "error: the system in $root has $tool" >&2
        exit 2
    fi
done

trace=$(mktemp)
failed=0
passed=0
trap 'rm -f "$trace"; umount "$root/proc" 2> /dev/null || true' EXIT
mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"
rm -rf "$root/work"
mkdir -p "$root/work/tree"
cp -a "$tree/." "$root/work/tree/"

# Runs a shell command in the system, in a network namespace without interfaces, and records its sockets.
inside() {
    strace -f -qq -e trace=socket,connect,sendto -o "$trace" \
        unshare --net chroot "$root" /usr/bin/env -i HOME=/work/home PATH="/work/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin" \
        LANG=C.UTF-8 npm_config_update_notifier=false sh -ec "$1"
}

seconds() { date +%s.%N; }

# An empty home directory, with the virtual environment that a user of pip has.
fresh() {
    rm -rf "$root/work/home" "$root/work/bin"
    mkdir -p "$root/work/home" "$root/work/bin"
    [ "$1" != wheel ] || chroot "$root" python3 -m venv /work/home/v
}

# check NAME FILE INSTALL PROGRAM
check() {
    local name=$1 file=$2 install=$3 program=$4 start sockets problems=""
    fresh "$name"
    start=$(seconds)
    # Without tracing, which makes every system call slower.
    unshare --net chroot "$root" /usr/bin/env -i HOME=/work/home PATH="/work/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin" \
        LANG=C.UTF-8 npm_config_update_notifier=false sh -ec "$install" > "$root.install.log" 2>&1 || problems+=" install-failed"
    local installed
    installed=$(awk -v a="$start" -v b="$(seconds)" 'BEGIN { printf "%.1f", b - a }')
    start=$(seconds)
    unshare --net chroot "$root" /usr/bin/env -i HOME=/work/home PATH="/work/bin:/usr/local/bin:/usr/bin:/bin" LANG=C.UTF-8 \
        "$program" "$question" -C /work/tree --format paths > "$root.answer" 2> "$root.answer.err" || problems+=" no-answer"
    local answered
    answered=$(awk -v a="$start" -v b="$(seconds)" 'BEGIN { printf "%.1f", b - a }')
    [ -s "$root.answer" ] || problems+=" empty-answer"
    awk -v s="$installed" -v m="$max_seconds" 'BEGIN { exit !(s < m) }' || problems+=" slow-install"
    # The same again with a trace, from the start.
    fresh "$name"
    inside "$install && $program '$question' -C /work/tree --format paths" > /dev/null 2>&1 || problems+=" failed-when-traced"
    # pip creates a socket to learn whether the system has IPv6; that alone reaches nothing.
    sockets=$(grep -acE '(connect|sendto)\(.*AF_INET' "$trace" || true)
    [ "$sockets" -eq 0 ] || problems+=" $sockets-connections"
    printf '%-10s %6.1f MB  install %5s s  first answer %5s s  %s connections  %s%s\n' "$name" \
        "$(stat -c %s "$file" | awk '{ print $1 / 1e6 }')" "$installed" "$answered" "$sockets" "$(head -n 1 "$root.answer")" "${problems:+  FAILED:$problems}"
    if [ -n "$problems" ]; then
        failed=$((failed + 1))
        tail -n 5 "$root.install.log" "$root.answer.err" >&2
    else
        passed=$((passed + 1))
    fi
}

mkdir -p "$root/work/packages"
for file in "$packages"/*; do
    name=$(basename "$file")
    cp "$file" "$root/work/packages/" 2> /dev/null || continue
    case $name in
        *.tar.gz) check tarball "$file" "tar -xzf /work/packages/$name -C /work/home --strip-components=1 && cp /work/home/lore /work/bin/" lore ;;
        *.deb) check deb "$file" "dpkg -i /work/packages/$name" lore; chroot "$root" dpkg --purge lorehound > /dev/null ;;
        *.whl) check wheel "$file" "/work/home/v/bin/pip install --quiet --no-index --disable-pip-version-check /work/packages/$name" /work/home/v/bin/lorehound ;;
    esac
done
launcher=$(cd "$packages" && ls lorehound-[0-9]*.tgz 2> /dev/null || true)
program=$(cd "$packages" && ls ./lorehound-linux-x64-[0-9]*.tgz 2> /dev/null || true)
if [ -n "$launcher" ] && [ -n "$program" ]; then
    check npm "$packages/$program" \
        "mkdir -p /work/home/n && cd /work/home/n && npm install --offline --ignore-scripts --no-audit --no-fund /work/packages/$program /work/packages/$launcher" \
        /work/home/n/node_modules/.bin/lorehound
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
