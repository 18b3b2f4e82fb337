//! `lore trust`: allows more settings in a project's settings file.

use std::io::{self, IsTerminal as _, Write};

use lore_console::{
    report::{self, Status, UsageError},
    text::{clean, quoted},
};
use lore_render::output::table::{self, Align};
use lore_session::write_output;
use lore_settings::{
    env_vars,
    terminal::Terminal,
    trust::{self, RestrictedSetting, TrustState},
};

use crate::args::TrustArguments;

/// Shows the settings of the file, prompts for confirmation and records the trust.
pub(super) fn run(arguments: &TrustArguments) -> anyhow::Result<Status> {
    if arguments.list {
        return list();
    }
    let root = lore_session::root(arguments.directory.as_deref())?;
    if arguments.remove {
        let was = trust::distrust(&root, &env_vars::from_process)?;
        report::note(if was {
            "the file is no longer trusted"
        } else {
            "the file was not trusted"
        });
        return Ok(if was { Status::Success } else { Status::NoResult });
    }
    let Some((path, text)) = trust::project_file(&root)? else {
        return Err(UsageError::new(format!(
            "this project has no settings file: there is no `{}`",
            root.join(lore_settings::FILE_NAME).display()
        ))
        .hint("name another tree with `-C DIR`")
        .into());
    };
    let claims = trust::restricted_settings(&path, &text)?;
    let standing = trust::trust_state(&root, &text, &env_vars::from_process);
    if claims.iter().all(|claim| claim.effect.is_none()) {
        write_output(|out| write(&claims, out))?;
        report::note("the file contains no setting that needs trust");
        return Ok(Status::Success);
    }
    write_output(|out| write(&claims, out))?;
    if standing == TrustState::Trusted {
        report::note("the file is already trusted");
        return Ok(Status::Success);
    }
    if standing == TrustState::Changed {
        report::warning("the file has changed since it was trusted");
    }
    if !arguments.yes && !is_agreed()? {
        report::note("the file is not trusted; `lore trust --yes` trusts it as it is now");
        return Ok(Status::NoResult);
    }
    // The text that was shown: the file may have changed meanwhile.
    trust::trust(&root, &text, &env_vars::from_process)?;
    report::note("the file is trusted as it is now; any change to it revokes the trust");
    Ok(Status::Success)
}

/// Prompts for confirmation on a terminal; returns false without one.
fn is_agreed() -> io::Result<bool> {
    if !io::stdin().is_terminal() || !Terminal::from_process().messages {
        return Ok(false);
    }
    report::prompt("trust this file as it is now? [y/N] ");
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

fn write(claims: &[RestrictedSetting], out: &mut dyn Write) -> io::Result<()> {
    let rows: Vec<[String; 4]> = claims
        .iter()
        .map(|claim| {
            let effect =
                claim.effect.unwrap_or("never allowed: only your own settings can set this");
            [
                format!("line {}", claim.line),
                clean(&claim.key),
                clean(&lore_engine::redact(claim.value.clone())),
                effect.to_owned(),
            ]
        })
        .collect();
    table::write([Align::Left; 4], &rows, out)
}

/// Lists the trusted files.
fn list() -> anyhow::Result<Status> {
    let trusted = trust::trusted(&env_vars::from_process);
    write_output(|out| {
        for (path, standing) in &trusted {
            let state = if *standing == TrustState::Trusted { "trusted" } else { "changed" };
            writeln!(out, "{state}  {}", quoted(path))?;
        }
        Ok(())
    })?;
    Ok(if trusted.is_empty() { Status::NoResult } else { Status::Success })
}
