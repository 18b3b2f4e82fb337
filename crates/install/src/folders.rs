//! The folders of the agents' files, as the environment names them.

use std::path::{Path, PathBuf};

use lore_engine::native;
use lore_settings::env_vars::{self, Lookup, non_empty};

/// The folder that a path is relative to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base {
    /// The tree.
    Project,
    /// The user's home.
    Home,
    /// `~/.claude`.
    Claude,
    /// The folder that contains `.claude.json`: the home, unless Claude Code's own folder is set.
    ClaudeState,
    /// `~/.codex`.
    Codex,
    /// `~/.config`, on every system.
    Config,
    /// The folder of Visual Studio Code's default profile.
    Code,
    /// Zed's folder.
    Zed,
}

/// A file or folder of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AgentPath {
    pub base: Base,
    /// The path below the base, with `/`.
    pub path: &'static str,
}

/// The folders of this user and this tree.
#[derive(Debug, Clone)]
pub struct Folders {
    /// The tree, absolute.
    pub root: PathBuf,
    home: Option<PathBuf>,
    claude: Option<PathBuf>,
    codex: Option<PathBuf>,
    config: Option<PathBuf>,
    roaming: Option<PathBuf>,
    /// Folder of the record and the backups.
    pub state: Option<PathBuf>,
}

impl Folders {
    /// Reads the environment. Relative paths are ignored.
    pub fn new(root: &Path, lookup: Lookup<'_>) -> Folders {
        let named =
            |name| non_empty(lookup, name).map(PathBuf::from).filter(|path| path.is_absolute());
        let on_windows = |name| if cfg!(windows) { named(name) } else { None };
        let home = named(env_vars::HOME).or_else(|| on_windows(env_vars::USERPROFILE));
        let below_home = |name: &str| home.as_ref().map(|home| home.join(name));
        Folders {
            root: root.to_owned(),
            claude: named(env_vars::CLAUDE_CONFIG_DIR),
            codex: named(env_vars::CODEX_HOME).or_else(|| below_home(".codex")),
            config: named(env_vars::XDG_CONFIG_HOME).or_else(|| below_home(".config")),
            roaming: on_windows(env_vars::APPDATA),
            state: lore_settings::state_folder(lookup).map(|folder| folder.join("install")),
            home,
        }
    }

    /// The path on disk; `None` if the user has no such folder.
    pub fn path(&self, path: AgentPath) -> Option<PathBuf> {
        let below_home = |name: &str| self.home.as_ref().map(|home| home.join(name));
        let below =
            |folder: &Option<PathBuf>, name: &str| folder.as_ref().map(|folder| folder.join(name));
        let base = match path.base {
            Base::Project => Some(self.root.clone()),
            Base::Home => self.home.clone(),
            Base::Claude => self.claude.clone().or_else(|| below_home(".claude")),
            Base::ClaudeState => self.claude.clone().or_else(|| self.home.clone()),
            Base::Codex => self.codex.clone(),
            Base::Config => self.config.clone(),
            Base::Code if cfg!(windows) => below(&self.roaming, "Code/User"),
            Base::Code if cfg!(target_os = "macos") => {
                below_home("Library/Application Support/Code/User")
            }
            Base::Code => below(&self.config, "Code/User"),
            Base::Zed if cfg!(windows) => below(&self.roaming, "Zed"),
            Base::Zed if cfg!(target_os = "macos") => below_home(".config/zed"),
            Base::Zed => below(&self.config, "zed"),
        };
        base.map(|base| base.join(path.path))
    }

    /// A path for messages, relative to the tree or the home if possible.
    pub fn display(&self, path: &Path) -> String {
        if let Ok(relative) = path.strip_prefix(&self.root) {
            return native::display(&relative.to_string_lossy());
        }
        match self.home.as_ref().and_then(|home| path.strip_prefix(home).ok()) {
            Some(relative) => format!("~/{}", native::display(&relative.to_string_lossy())),
            None => path.display().to_string(),
        }
    }
}
