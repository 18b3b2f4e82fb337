//! The user of the nodes: OpenSearch refuses to run as root.

use std::{
    os::unix::{fs::lchown, process::CommandExt as _},
    path::Path,
    process::Command,
};

use anyhow::{Context as _, Result, bail};

use super::{report, state::own_user};
use crate::clients::call;

/// Name of the system user.
const NAME: &str = "lore-opensearch";

/// The user that the nodes run as.
#[derive(Debug, Clone, Copy)]
pub(super) enum User {
    /// The user of this process.
    Current,
    /// The system user with these numbers of user and group.
    System(u32, u32),
}

impl User {
    /// The current user, or for root a system user, which is created if it does not exist.
    pub(super) fn find() -> Result<User> {
        if own_user()? != 0 {
            return Ok(User::Current);
        }
        if let Some((user, group)) = numbers() {
            return Ok(User::System(user, group));
        }
        report(&format!("creating the user `{NAME}`, because OpenSearch refuses to run as root"));
        let mut create = Command::new("useradd");
        create.args(["--system", "--user-group", "--no-create-home", "--home-dir", "/nonexistent"]);
        call(create.args(["--shell", "/usr/sbin/nologin", NAME]))?;
        let (user, group) = numbers().with_context(|| format!("there is no user `{NAME}`"))?;
        Ok(User::System(user, group))
    }

    /// Lets the command run as this user.
    pub(super) fn apply(self, command: &mut Command) {
        if let User::System(user, group) = self {
            command.gid(group).uid(user);
        }
    }

    /// Gives a file, or a folder with its contents, to this user.
    pub(super) fn own(self, path: &Path) -> Result<()> {
        let User::System(user, group) = self else { return Ok(()) };
        lchown(path, Some(user), Some(group))
            .with_context(|| format!("could not change the owner of `{}`", path.display()))?;
        if path.symlink_metadata()?.is_dir() {
            for entry in std::fs::read_dir(path)? {
                self.own(&entry?.path())?;
            }
        }
        Ok(())
    }

    /// Checks that this user can enter a folder.
    pub(super) fn check_access(self, folder: &Path) -> Result<()> {
        let mut test = Command::new("test");
        test.arg("-x").arg(folder);
        self.apply(&mut test);
        if test.status().context("could not start `test`")?.success() {
            return Ok(());
        }
        bail!(
            "the user `{NAME}` cannot enter `{}`\n\
             hint: use `--folder /var/tmp/lore-opensearch`, which every user can enter",
            folder.display()
        )
    }
}

/// Numbers of the system user and its group.
fn numbers() -> Option<(u32, u32)> {
    let number = |flag| {
        let output = Command::new("id").args([flag, NAME]).output().ok()?;
        String::from_utf8_lossy(&output.stdout).trim().parse().ok()
    };
    Some((number("-u")?, number("-g")?))
}
