//! `lore uninstall`: takes out of agents' files what install put in.

use lore_console::report::Status;

use super::install::{self, Direction};
use crate::args::UninstallArguments;

/// Takes it out.
pub(super) fn run(arguments: &UninstallArguments) -> anyhow::Result<Status> {
    let task = Direction::TakeOut;
    install::carry_out(&arguments.setup, task, |folders, record, mut wishes| {
        if !wishes.is_named {
            wishes.agents = lore_install::AGENTS.iter().collect();
        }
        Ok(lore_install::uninstall(folders, record, &wishes))
    })
}
