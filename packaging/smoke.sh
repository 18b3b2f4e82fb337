#!/usr/bin/env bash
# Runs an installed program on a small repository: version, an answer, its exit codes.
#
#   packaging/smoke.sh COMMAND...      e.g. packaging/smoke.sh lore, packaging/smoke.sh npx lorehound
set -euo pipefail

[ "$#" -gt 0 ] || { echo "usage: packaging/smoke.sh COMMAND..." >&2; exit 2; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export LOREHOUND_CACHE_DIR="$folder/cache"
mkdir "$folder/tree"
printf 'def retry_refund(payment):\n    return send(payment)\n' > "$folder/tree/refund.py"
printf '# Ledger\n\nBookings are never changed.\n' > "$folder/tree/ledger.md"
git -C "$folder/tree" init --quiet
git -C "$folder/tree" -c user.name=Test -c user.email=test@example.org commit --quiet --allow-empty --message "shop: open"

fail() { echo "error: $*" >&2; exit 1; }
version=$("$@" --version)
[[ "$version" =~ ^lore\ [0-9]+\. ]] || fail "--version printed \`$version\`"
answer=$("$@" "how is a refund retried?" -C "$folder/tree" --format paths)
[ "$(head -n 1 <<< "$answer" | tr -d '\r')" = refund.py ] || fail "the first path is not refund.py: $answer"
code=0
"$@" zzqqy_nothing -C "$folder/tree" > "$folder/none" 2>&1 || code=$?
[ "$code" -eq 1 ] || fail "the exit code for no answer is $code"
code=0
"$@" --no-such-flag > "$folder/usage" 2>&1 || code=$?
[ "$code" -eq 2 ] || fail "the exit code for a wrong flag is $code"
echo "$version: 4 passed, 0 failed"
