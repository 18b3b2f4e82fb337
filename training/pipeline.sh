#!/usr/bin/env bash
# All steps from public repositories to the model file. Run from anywhere; needs git and requirements.txt installed.
#   WORK      where everything is written (about 4 GB, and as much again for clones)   default: training/work
#   DIGESTS   the digests of benchmark lines that must not occur in the corpus         required
#   MIRRORS   a folder of local mirrors, OWNER+NAME/repo                               default: clone from GitHub
#   OUT       where static.bin and golden.jsonl go                                     default: $WORK/model
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=${WORK:-$here/work}
digests=${DIGESTS:?the file of digests of benchmark lines}
out=${OUT:-$work/model}
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 NUMBA_NUM_THREADS=${THREADS:-2}
mkdir -p "$work"

step() {
    local name=$1
    shift
    printf '== %s\n' "$name"
    python3 "$here/$@" 2>&1 | tee "$work/$name.log" | tail -n 3
}

step corpus corpus.py --out "$work/corpus" --clones "$work/clones" --depth 1200 ${MIRRORS:+--mirrors "$MIRRORS"}
step decontaminate-files decontaminate.py files --digests "$digests" "$work/corpus"
step pairs pairs.py --corpus "$work/corpus" --out "$work/pairs" --history "$work/clones" ${MIRRORS:+--history "$MIRRORS"}
step decontaminate-pairs decontaminate.py pairs --digests "$digests" "$work/pairs"
step proof decontaminate.py proof --digests "$digests" "$work/pairs"
step features features.py --pairs "$work/pairs" --out "$work/features"
step vocabulary vocabulary.py --features "$work/features" --out "$work/vocabulary.txt"
step start start.py --features "$work/features" --vocabulary "$work/vocabulary.txt" --out "$work/start.npy"
step train train.py --features "$work/features" --vocabulary "$work/vocabulary.txt" --start "$work/start.npy" \
    --out "$work/model.npz"
step export export.py --model "$work/model.npz" --vocabulary "$work/vocabulary.txt" --out "$out"
step check encode.py "$out/static.bin" check "$out/golden.jsonl"
step evaluate evaluate.py --model "$out/static.bin" --cache "$work/evaluation" --features "$work/features"
sha256sum "$out/static.bin" "$out/golden.jsonl"
