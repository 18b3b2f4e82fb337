//! `lore uninstall`: takes out of agents' files what install put in.

use lore_console::report::Status;

use super::install::{self, Direction};
use crate::{args::UninstallArguments, install as setup};

/// Takes it out.
pub(super) fn run(arguments: &UninstallArguments) -> anyhow::Result<Status> {
    let task = Direction::TakeOut;
    install::carry_out(&arguments.setup, task, |folders, record, mut wishes| {
        if !wishes.is_named {
            wishes.agents = setup::AGENTS.iter().collect();
        }
        Ok(setup::uninstall(folders, record, &wishes))
    })
}
