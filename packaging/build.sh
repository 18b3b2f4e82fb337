#!/usr/bin/env bash
# Builds the program of a release for one target, with the list of its crates inside (`cargo auditable`).
#
#   packaging/build.sh TARGET [OUT]      OUT/lore or OUT/lore.exe; default of OUT: target/programs/TARGET
#
# Linux programs are linked by zig: those of GNU need glibc 2.17 or newer, those of musl are static. The others are
# linked by the linker of their system. Paths of this machine do not get into the program, so two builds of one commit
# with one toolchain are equal; `packaging/reproduce.sh` checks that.
set -euo pipefail
cd "$(dirname "$0")/.."

target=${1:?"usage: packaging/build.sh TARGET [OUT]"}
out=${2:-target/programs/$target}
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH CARGO_INCREMENTAL=0

# Rust and C code name their source files in messages.
root=$(pwd -P)
home=${CARGO_HOME:-$HOME/.cargo}
rust="$(rustc --print sysroot)/lib/rustlib/src/rust"
flags="--remap-path-prefix=$home=/cargo --remap-path-prefix=$root=/lorehound --remap-path-prefix=$rust=/rust"
prefixes="-ffile-prefix-map=$home=/cargo -ffile-prefix-map=$root=/lorehound"

program=lore
build=(build)
case $target in
    *-linux-gnu*)
        build=(zigbuild)
        built_for=$target.2.17
        export CFLAGS="$prefixes"
        ;;
    *-linux-musl*)
        build=(zigbuild)
        export CFLAGS="$prefixes"
        ;;
    *-apple-darwin)
        export CFLAGS="$prefixes" MACOSX_DEPLOYMENT_TARGET=11.0
        ;;
    *-windows-msvc)
        program=lore.exe
        # No separate runtime library has to be installed, and the header has no time.
        flags="$flags -C target-feature=+crt-static -C link-arg=/Brepro"
        ;;
esac
export RUSTFLAGS="$flags"

cargo auditable "${build[@]}" --profile dist --locked --package lorehound --bin lore --target "${built_for:-$target}"
mkdir -p "$out"
cp "${CARGO_TARGET_DIR:-target}/$target/dist/$program" "$out/$program"
echo "$out/$program"
