# Ctrl-x Ctrl-f: search with `lore pick` and insert the chosen paths at the cursor.
__lore_pick() {
    local name
    lore pick --height=40% --no-line </dev/tty | while IFS= read -r name; do LBUFFER+="${(q)name} "; done
    zle reset-prompt
}
zle -N __lore_pick
bindkey '^X^F' __lore_pick
