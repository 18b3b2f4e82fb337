//! `lore trust`: lets the settings file of a project say what touches the machine.

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
    trust::{self, Claim, Standing},
};

use crate::args::TrustArguments;

/// Shows what the file says, and notes that it is trusted once that is agreed to.
pub(super) fn run(arguments: &TrustArguments) -> anyhow::Result<Status> {
    if arguments.list {
        return list();
    }
    let root = lore_session::root(arguments.directory.as_deref())?;
    if arguments.remove {
        let was = trust::distrust(&root, &env_vars::of_process)?;
        report::note(if was { "the file is not trusted any more" } else { "it was not trusted" });
        return Ok(if was { Status::Found } else { Status::Nothing });
    }
    let Some((path, text)) = trust::project_file(&root)? else {
        return Err(UsageError::new(format!(
            "could not find a settings file of a project: there is no `{}`",
            root.join(lore_settings::FILE_NAME).display()
        ))
        .hint("name another tree with `-C DIR`")
        .into());
    };
    let claims = trust::claims(&path, &text)?;
    let standing = trust::standing(&root, &text, &env_vars::of_process);
    if claims.iter().all(|claim| claim.effect.is_none()) {
        write_output(|out| write(&claims, out))?;
        report::note("the file says nothing that trust would allow");
        return Ok(Status::Found);
    }
    write_output(|out| write(&claims, out))?;
    if standing == Standing::Trusted {
        report::note("the file is trusted as it is");
        return Ok(Status::Found);
    }
    if standing == Standing::Changed {
        report::warning("the file changed since it was trusted");
    }
    if !arguments.yes && !is_agreed()? {
        report::note("nothing was trusted; `lore trust --yes` trusts the file as it is now");
        return Ok(Status::Nothing);
    }
    // The text that was shown, not what the file holds by now.
    trust::trust(&root, &text, &env_vars::of_process)?;
    report::note("the file is trusted as it is now; any change of it takes that back");
    Ok(Status::Found)
}

/// Asks on a terminal; elsewhere nobody agrees.
fn is_agreed() -> io::Result<bool> {
    if !io::stdin().is_terminal() || !Terminal::of_process().messages {
        return Ok(false);
    }
    report::question("trust this file as it is now? [y/N] ");
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

fn write(claims: &[Claim], out: &mut dyn Write) -> io::Result<()> {
    let rows: Vec<[String; 4]> = claims
        .iter()
        .map(|claim| {
            let effect = claim.effect.unwrap_or("never: only your own settings may say it");
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

/// Lists the files that were trusted.
fn list() -> anyhow::Result<Status> {
    let trusted = trust::trusted(&env_vars::of_process);
    write_output(|out| {
        for (path, standing) in &trusted {
            let state = if *standing == Standing::Trusted { "trusted" } else { "changed" };
            writeln!(out, "{state}  {}", quoted(path))?;
        }
        Ok(())
    })?;
    Ok(if trusted.is_empty() { Status::Nothing } else { Status::Found })
}
