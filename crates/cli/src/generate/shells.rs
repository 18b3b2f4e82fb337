//! Completion scripts of all shells.

use clap_complete::Generator;
use clap_complete_nushell::Nushell;

use super::GeneratedFile;

/// A shell with completions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shell {
    /// One that `clap_complete` supports itself.
    Common(clap_complete::Shell),
    /// Nushell.
    Nushell,
}

impl Shell {
    /// Every shell, sorted by name.
    pub(crate) const ALL: [(&'static str, Shell); 6] = [
        ("bash", Shell::Common(clap_complete::Shell::Bash)),
        ("elvish", Shell::Common(clap_complete::Shell::Elvish)),
        ("fish", Shell::Common(clap_complete::Shell::Fish)),
        ("nushell", Shell::Nushell),
        ("powershell", Shell::Common(clap_complete::Shell::PowerShell)),
        ("zsh", Shell::Common(clap_complete::Shell::Zsh)),
    ];

    /// The shell with this name.
    pub(crate) fn from_name(name: &str) -> Option<Shell> {
        Shell::ALL.iter().find(|(known, _)| *known == name).map(|(_, shell)| *shell)
    }

    /// Its name, as users type it.
    pub(crate) fn name(self) -> &'static str {
        Shell::ALL.iter().find(|(_, shell)| *shell == self).map_or("", |(name, _)| name)
    }

    /// The file in which the shell looks for completions of `lore`.
    fn file_name(self) -> String {
        match self {
            Shell::Common(shell) => shell.file_name("lore"),
            Shell::Nushell => Nushell.file_name("lore"),
        }
    }
}

/// The completion script of a shell.
pub(crate) fn completions(shell: Shell) -> Vec<u8> {
    let mut script = Vec::new();
    let mut definition = crate::command();
    match shell {
        Shell::Common(shell) => {
            clap_complete::generate(shell, &mut definition, "lore", &mut script);
        }
        Shell::Nushell => clap_complete::generate(Nushell, &mut definition, "lore", &mut script),
    }
    script
}

/// The completion scripts of all shells.
pub(crate) fn scripts() -> Vec<GeneratedFile> {
    let file = |(_, shell): &(&str, Shell)| GeneratedFile {
        name: shell.file_name(),
        text: String::from_utf8_lossy(&completions(*shell)).into_owned(),
    };
    Shell::ALL.iter().map(file).collect()
}
