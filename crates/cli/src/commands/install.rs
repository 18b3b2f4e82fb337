//! `lore install`: sets agents up. Also the conversation about it, which uninstall shares.

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

/// Unchanged lines that are shown around a change. Few, for such files hold keys of other servers.
const CONTEXT_LINES: usize = 1;

/// Names every agent.
const ALL: &str = "all";

/// Which way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    PutIn,
    TakeOut,
}

/// Sets agents up.
pub(super) fn run(arguments: &InstallArguments) -> anyhow::Result<Status> {
    carry_out(&arguments.setup, Direction::PutIn, |folders, record, mut wishes| {
        wishes.hook = arguments.hook;
        wishes.instructions = !arguments.no_instructions;
        if !wishes.is_named {
            wishes.agents = detected(folders, wishes.scope)?;
        }
        for agent in &wishes.agents {
            tell(agent, &wishes);
        }
        Ok(lore_install::install(folders, record, &wishes))
    })
}

/// Plans, shows, asks and writes.
pub(super) fn carry_out(
    arguments: &SetupArguments,
    direction: Direction,
    plan: impl FnOnce(&Folders, Record, InstallRequest) -> anyhow::Result<Plan>,
) -> anyhow::Result<Status> {
    let root = lore_session::root(arguments.directory.as_deref())?;
    let folders = Folders::new(&root, &env_vars::from_process);
    let Some(state) = &folders.state else {
        return Err(UsageError::new("there is no place to remember what was installed")
            .hint("set `HOME` or `XDG_STATE_HOME` to a folder")
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
            // The record alone may have to learn something.
            lore_install::apply(&plan)?;
        }
        report::note("nothing to do");
        return Ok(ended(&plan));
    }
    show(&plan, arguments)?;
    if arguments.dry_run {
        report::note("nothing was changed, for this is a dry run");
        return Ok(ended(&plan));
    }
    let outside = plan.changes.iter().find(|change| change.is_outside);
    if let Some(change) = outside.filter(|_| arguments.yes) {
        // A repository can hold any link; whoever says yes beforehand has not seen where it leads.
        let target = change.target.display();
        let message = format!("`{}` leads out of the project, to `{target}`", change.shown);
        return Err(UsageError::new(message).hint("run it without `--yes`, on a terminal").into());
    }
    if !arguments.yes && !is_agreed(&plan)? {
        report::note("nothing was changed");
        return Ok(Status::NoResult);
    }
    let backups = lore_install::apply(&plan)?;
    for (change, backup) in plan.changes.iter().zip(backups) {
        let done = if change.after.is_some() { "wrote" } else { "removed" };
        let before = backup
            .map(|path| format!("; as it was before: {}", folders.display(&path)))
            .unwrap_or_default();
        report::note(&format!("{done} {}{before}", change.shown));
    }
    if direction == Direction::PutIn {
        let written =
            |agent: &&Agent| plan.changes.iter().any(|change| change.agents.contains(&agent.name));
        for agent in AGENTS.iter().filter(written) {
            if let Some(note) = agent.note {
                report::note(&format!("{}: {note}", agent.title));
            }
        }
    }
    Ok(ended(&plan))
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
                UsageError::new(format!("there is no agent `{name}` that lore knows"))
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

/// The agents that have files here or in the home, as far as they can be set up so.
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
            "no agent has files here or in your home"
        } else {
            "the agents here read no servers from a project"
        };
        return Err(UsageError::new(reason).hint(format!(
            "name those that you use, for example `lore install claude-code`; there are {}",
            known_names()
        )));
    }
    Ok(agents)
}

/// Says whose files are meant.
fn tell(agent: &Agent, wishes: &InstallRequest) {
    let scope = wishes.scope.unwrap_or_else(|| agent.default_scope());
    if agent.files(scope).is_none() {
        // The plan refuses that.
        return;
    }
    let whose = match (scope, wishes.scope) {
        (Scope::Project, _) => "the files of this project",
        (Scope::User, Some(_)) => "your own files",
        (Scope::User, None) => "your own files, for it reads no servers from a project",
    };
    let hook = match agent.files(scope) {
        Some(files) if wishes.hook && files.hook.is_none() => {
            ", without a hook: there is none for it"
        }
        _ => "",
    };
    report::note(&format!("{}: {whose}{hook}", agent.title));
}

/// Fails if a file cannot be changed; nothing is written then, to no file.
fn refuse(plan: &Plan) -> Result<(), UsageError> {
    let told: Vec<String> = plan
        .refusals
        .iter()
        .map(|refusal| {
            let place = refusal.problem.located(&refusal.shown);
            format!("could not change `{place}`: {}", refusal.problem.reason)
        })
        .collect();
    let hint = if plan.refusals.iter().any(|refusal| refusal.is_forceable) {
        "if it is yours, give it another name; `lore install --help` says what else can be done"
    } else {
        "repair that, or name the other agents alone: no file was changed"
    };
    match told.as_slice() {
        [] => Ok(()),
        [only] => Err(UsageError::new(only).hint(hint)),
        several => {
            for refusal in several {
                report::warning(refusal);
            }
            let count = several.len();
            Err(UsageError::new(format!("{count} files cannot be changed, so that none was"))
                .hint(hint))
        }
    }
}

/// Writes what would change as a patch.
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
        // A terminal must not be steered by what is in a file.
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

/// Asks once, on a terminal.
fn is_agreed(plan: &Plan) -> anyhow::Result<bool> {
    if !io::stdin().is_terminal() || !Terminal::from_process().messages {
        return Err(UsageError::new("nothing was changed, for there is no terminal to ask on")
            .hint("if the patch above is right, add `--yes`")
            .into());
    }
    let files = lore_render::output::plural(plan.changes.len() as u64, "file", "files");
    report::prompt(&format!("change {files}? [y/N] "));
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer).context("could not read the answer")?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}
