//! `lore uninstall`: removes from agents' files what `lore install` added.

use lore_console::report::Status;

use super::install::{self, Direction};
use crate::args::UninstallArguments;

/// Removes the entries and instructions.
pub(super) fn run(arguments: &UninstallArguments) -> anyhow::Result<Status> {
    let task = Direction::Uninstall;
    install::carry_out(&arguments.setup, task, |folders, record, mut wishes| {
        if !wishes.is_named {
            wishes.agents = lore_install::AGENTS.iter().collect();
        }
        Ok(lore_install::uninstall(folders, record, &wishes))
    })
}
