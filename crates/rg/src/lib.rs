//! `lore rg`: the flags, output and exit codes of ripgrep.
