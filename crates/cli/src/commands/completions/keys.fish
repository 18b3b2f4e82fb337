# Ctrl-x Ctrl-f: search with `lore pick` and insert the chosen paths at the cursor.
function __lore_pick
    set -l picked (lore pick --height=40% --no-line </dev/tty | string escape)
    if test -n "$picked"
        commandline -i -- (string join ' ' -- $picked)' '
    end
    commandline -f repaint
end
bind \cx\cf __lore_pick
bind -M insert \cx\cf __lore_pick
