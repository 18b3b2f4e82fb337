# Ctrl-x Ctrl-f: search with `lore pick` and insert the chosen paths at the cursor.
__lore_pick() {
    local picked
    picked=$(lore pick --height=40% --no-line | while IFS= read -r path; do printf '%q ' "$path"; done)
    READLINE_LINE="${READLINE_LINE:0:READLINE_POINT}$picked${READLINE_LINE:READLINE_POINT}"
    READLINE_POINT=$((READLINE_POINT + ${#picked}))
}
bind -m emacs-standard -x '"\C-x\C-f": __lore_pick'
bind -m vi-insert -x '"\C-x\C-f": __lore_pick'
