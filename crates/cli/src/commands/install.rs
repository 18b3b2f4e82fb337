//! `lore install`: connects agents to lore. Also the preview and confirmation, which
//! `lore uninstall` shares.

use std::io::{self, BufRead as _, IsTerminal as _, Write};

use anyhow::Context as _;
use lore_console::{
    report::{self, Status, UsageError},
    text,
};
use lore_install::{AGENTS, Agent, Change, Folders, InstallRequest, Plan, Record, Scope};
use lore_session::write_output;
use lore_settings::{
    env_vars,
    terminal::{ColorChoice, Terminal},
};
use similar::TextDiff;

use crate::args::{InstallArguments, SetupArguments};

/// Number of unchanged lines shown around a change. Few, as such files contain keys of other servers.
const CONTEXT_LINES: usize = 1;

/// Argument that selects every agent.
const ALL: &str = "all";

/// Direction of the change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Install,
    Uninstall,
}

/// Connects agents.
pub(super) fn run(arguments: &InstallArguments) -> anyhow::Result<Status> {
    carry_out(&arguments.setup, Direction::Install, |folders, record, mut wishes| {
        wishes.hook = arguments.hook;
        wishes.instructions = !arguments.no_instructions;
        if !wishes.is_named {
            wishes.agents = detected(folders, wishes.scope)?;
        }
        for agent in &wishes.agents {
            announce(agent, &wishes);
        }
        Ok(lore_install::install(folders, record, &wishes))
    })
}

/// Plans the changes, shows them, prompts for confirmation and writes.
pub(super) fn carry_out(
    arguments: &SetupArguments,
    direction: Direction,
    plan: impl FnOnce(&Folders, Record, InstallRequest) -> anyhow::Result<Plan>,
) -> anyhow::Result<Status> {
    let root = lore_session::root(arguments.directory.as_deref())?;
    let folders = Folders::new(&root, &env_vars::from_process);
    let Some(state) = &folders.state else {
        return Err(UsageError::new("there is no state directory to record the installation")
            .hint("set `HOME` or `XDG_STATE_HOME` to a directory")
            .into());
    };
    let record = Record::load(state)?;
    let plan = plan(&folders, record, wishes(arguments)?)?;
    refuse(&plan)?;
    for note in &plan.notes {
        report::note(note);
    }
    for kept in &plan.kept {
        report::warning(kept);
    }
    if plan.changes.is_empty() {
        if !arguments.dry_run {
            // The record may still need an update.
            lore_install::apply(&plan)?;
        }
        report::note("nothing to do");
        return Ok(ended(&plan));
    }
    show(&plan, arguments)?;
    if arguments.dry_run {
        report::note("dry run: nothing changed");
        return Ok(ended(&plan));
    }
    if arguments.yes {
        refuse_outside(&plan)?;
    }
    if !arguments.yes && !is_agreed(&plan)? {
        report::note("nothing changed");
        return Ok(Status::NoResult);
    }
    write_changes(&plan, &folders, direction)?;
    Ok(ended(&plan))
}

/// Rejects a change through a link to a file outside the project: a repository can contain any link,
/// and with `--yes` the user has not seen its target.
fn refuse_outside(plan: &Plan) -> Result<(), UsageError> {
    let Some(change) = plan.changes.iter().find(|change| change.is_outside) else {
        return Ok(());
    };
    let target = change.target.display();
    let message = format!("`{}` is a link to `{target}`, outside the project", change.shown);
    Err(UsageError::new(message).hint("run the command without `--yes`, on a terminal"))
}

/// Writes the changes and reports each, with the notes of the agents that were connected.
fn write_changes(plan: &Plan, folders: &Folders, direction: Direction) -> anyhow::Result<()> {
    let backups = lore_install::apply(plan)?;
    for (change, backup) in plan.changes.iter().zip(backups) {
        let done = if change.after.is_some() { "wrote" } else { "removed" };
        let before = backup
            .map(|path| format!("; previous version: {}", folders.display(&path)))
            .unwrap_or_default();
        report::note(&format!("{done} {}{before}", change.shown));
    }
    if direction == Direction::Install {
        let written =
            |agent: &&Agent| plan.changes.iter().any(|change| change.agents.contains(&agent.name));
        for agent in AGENTS.iter().filter(written) {
            if let Some(note) = agent.note {
                report::note(&format!("{}: {note}", agent.title));
            }
        }
    }
    Ok(())
}

fn ended(plan: &Plan) -> Status {
    if plan.kept.is_empty() { Status::Success } else { Status::NoResult }
}

fn wishes(arguments: &SetupArguments) -> Result<InstallRequest, UsageError> {
    let scope = match (arguments.project, arguments.user) {
        (true, _) => Some(Scope::Project),
        (_, true) => Some(Scope::User),
        _ => None,
    };
    let mut agents: Vec<&'static Agent> = Vec::new();
    for name in &arguments.agents {
        let named: Vec<&'static Agent> = if name == ALL {
            let has_files = |agent: &&Agent| scope.is_none_or(|scope| agent.files(scope).is_some());
            AGENTS.iter().filter(has_files).collect()
        } else {
            let agent = Agent::find(name).ok_or_else(|| {
                UsageError::new(format!("lore does not support the agent `{name}`"))
                    .hint(format!("name one of {}", known_names()))
            })?;
            vec![agent]
        };
        for agent in named {
            if !agents.iter().any(|known| known.name == agent.name) {
                agents.push(agent);
            }
        }
    }
    Ok(InstallRequest {
        is_named: !agents.is_empty(),
        agents,
        scope,
        hook: false,
        instructions: true,
        force: arguments.force,
    })
}

fn known_names() -> String {
    let names: Vec<&str> = AGENTS.iter().map(|agent| agent.name).collect();
    names.join(", ")
}

/// The agents with files in the project or the home directory that support the scope.
fn detected(folders: &Folders, scope: Option<Scope>) -> Result<Vec<&'static Agent>, UsageError> {
    let is_here = |agent: &&Agent| {
        let is_there = |spot| folders.path(spot).is_some_and(|path| path.exists());
        agent.signs.iter().any(|spot| is_there(*spot))
    };
    let found: Vec<&Agent> = AGENTS.iter().filter(is_here).collect();
    let agents: Vec<&Agent> = found
        .iter()
        .copied()
        .filter(|agent| scope.is_none_or(|scope| agent.files(scope).is_some()))
        .collect();
    if agents.is_empty() {
        let reason = if found.is_empty() {
            "no supported agent has files here or in your home directory"
        } else {
            "none of the agents found here supports project settings"
        };
        return Err(UsageError::new(reason).hint(format!(
            "name the agents that you use, for example `lore install claude-code`; supported are {}",
            known_names()
        )));
    }
    Ok(agents)
}

/// Reports which files of an agent will change.
fn announce(agent: &Agent, wishes: &InstallRequest) {
    let scope = wishes.scope.unwrap_or_else(|| agent.default_scope());
    if agent.files(scope).is_none() {
        // The plan rejects this agent.
        return;
    }
    let whose = match (scope, wishes.scope) {
        (Scope::Project, _) => "the files of this project",
        (Scope::User, Some(_)) => "your own files",
        (Scope::User, None) => "your own files, as it does not support project settings",
    };
    let hook = match agent.files(scope) {
        Some(files) if wishes.hook && files.hook.is_none() => {
            ", without a hook, which it does not support"
        }
        _ => "",
    };
    report::note(&format!("{}: {whose}{hook}", agent.title));
}

/// Fails if any file cannot be changed; then no file is written.
fn refuse(plan: &Plan) -> Result<(), UsageError> {
    let messages: Vec<String> = plan
        .refusals
        .iter()
        .map(|refusal| {
            let place = refusal.problem.located(&refusal.shown);
            format!("could not change `{place}`: {}", refusal.problem.reason)
        })
        .collect();
    let hint = if plan.refusals.iter().any(|refusal| refusal.is_forceable) {
        "if the entry is your own, rename it; to replace it, add `--force`"
    } else {
        "no file was changed: fix the problem, or name only the other agents"
    };
    match messages.as_slice() {
        [] => Ok(()),
        [only] => Err(UsageError::new(only).hint(hint)),
        several => {
            for refusal in several {
                report::warning(refusal);
            }
            let count = several.len();
            Err(UsageError::new(format!("no file was changed: {count} files cannot be")).hint(hint))
        }
    }
}

/// Writes the planned changes as a patch.
fn show(plan: &Plan, arguments: &SetupArguments) -> anyhow::Result<()> {
    let terminal = Terminal::from_process();
    let choice = ColorChoice::from_name(arguments.color.as_deref().unwrap_or("auto"));
    let color = terminal.colors(choice, &env_vars::from_process);
    for change in plan.changes.iter().filter(|change| change.is_linked) {
        report::note(&format!("{} is a link to {}", change.shown, change.target.display()));
    }
    write_output(|out| {
        plan.changes.iter().try_for_each(|change| write_diff(change, terminal.output, color, out))
    })
}

fn write_diff(
    change: &Change,
    is_terminal: bool,
    color: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    let before = change.before.as_deref().unwrap_or_default();
    let after = change.after.as_deref().unwrap_or_default();
    let name = |text: &Option<String>| if text.is_some() { &change.shown } else { "/dev/null" };
    let diff = TextDiff::from_lines(before, after)
        .unified_diff()
        .context_radius(CONTEXT_LINES)
        .header(name(&change.before), name(&change.after))
        .to_string();
    if !is_terminal && !color {
        return out.write_all(diff.as_bytes());
    }
    for line in diff.lines() {
        // Control characters in a file must not reach the terminal.
        let line = if is_terminal { text::clean_code(line) } else { line.to_owned() };
        let style = match line.as_bytes().first() {
            Some(b'+') if color => anstyle::AnsiColor::Green.on_default(),
            Some(b'-') if color => anstyle::AnsiColor::Red.on_default(),
            _ => anstyle::Style::new(),
        };
        writeln!(out, "{style}{line}{style:#}")?;
    }
    Ok(())
}

/// Prompts for confirmation once, on a terminal.
fn is_agreed(plan: &Plan) -> anyhow::Result<bool> {
    if !io::stdin().is_terminal() || !Terminal::from_process().messages {
        return Err(UsageError::new("nothing changed: there is no terminal for a confirmation")
            .hint("to apply the patch above, add `--yes`")
            .into());
    }
    let files = lore_render::output::plural(plan.changes.len() as u64, "file", "files");
    report::prompt(&format!("change {files}? [y/N] "));
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer).context("could not read the answer")?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}
