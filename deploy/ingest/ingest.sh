#!/usr/bin/env bash
# Clones or updates repositories, and writes what changed into the cluster. Fails if one of them failed; the others are
# written all the same.
#
#   ingest [NAME...]
#
# Without names, all repositories of the list: lines with a name, a URL, and a branch if it is not the default one. The
# cluster and its user are those of LOREHOUND_CLUSTER_URL and the other settings of `cluster`.
set -euo pipefail

list=${REPOSITORY_LIST:-/etc/lorehound/repositories.txt}
folder=${REPOSITORY_FOLDER:-/repositories}
export GIT_TERMINAL_PROMPT=0
if [ -n "${GIT_CREDENTIALS:-}" ]; then
    git config --global credential.helper "store --file=$GIT_CREDENTIALS"
fi

# Brings the clone of a repository up to date. `set -e` has no effect in it, because its result is a condition.
update() {
    local url=$1 branch=$2 clone=$3
    if [ ! -d "$clone/.git" ]; then
        rm -rf "$clone"
        git clone --quiet ${branch:+--branch "$branch"} -- "$url" "$clone"
        return
    fi
    git -C "$clone" remote set-url origin "$url" &&
        git -C "$clone" fetch --quiet --prune origin || return 1
    # The default branch may have another name now.
    [ -n "$branch" ] || git -C "$clone" remote set-head origin --auto > /dev/null || return 1
    git -C "$clone" reset --quiet --hard "origin/${branch:-HEAD}" &&
        git -C "$clone" clean --quiet -ffdx
}

failed=()
done=0
while read -r -u 3 name url branch; do
    case $name in '' | '#'*) continue ;; esac
    if [ $# -gt 0 ]; then
        wanted=no
        for argument in "$@"; do [ "$argument" != "$name" ] || wanted=yes; done
        [ "$wanted" = yes ] || continue
    fi
    # A name may contain slashes, and a clone is one folder.
    clone=$folder/${name//\//--}
    if update "$url" "$branch" "$clone" && lore cluster ingest --as "$name" -C "$clone"; then
        done=$((done + 1))
    else
        failed+=("$name")
        echo "error: \`$name\` was not ingested" >&2
    fi
done 3< "$list"

echo "ingested: $done, failed: ${#failed[@]}"
[ "${#failed[@]}" -eq 0 ]
