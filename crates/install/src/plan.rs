//! Plans the changes, from the current texts. This module writes nothing.

use std::path::{Path, PathBuf};

use super::{
    AGENTS, Agent, Folders, Present, Problem, Record, Removal, Scope, Trace, agents,
    edit::Edit,
    files::{self, FileState},
    folders::AgentPath,
    record::Entry,
};

/// A request to install or uninstall.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a command-line flag")]
pub struct InstallRequest {
    /// The agents, without duplicates.
    pub agents: Vec<&'static Agent>,
    /// True if the user named the agents.
    pub is_named: bool,
    /// The scope; `None` for the default scope of each agent.
    pub scope: Option<Scope>,
    /// True to install a hook as well.
    pub hook: bool,
    /// True to install instructions as well.
    pub instructions: bool,
    /// True to replace or remove entries that others wrote or changed.
    pub force: bool,
}

/// One file that would change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The path for messages.
    pub shown: String,
    /// The path with all links resolved.
    pub target: PathBuf,
    /// True if `shown` is a link to `target`.
    pub is_linked: bool,
    /// True if the file belongs to the tree and a link places it elsewhere.
    pub is_outside: bool,
    /// The agents that use it.
    pub agents: Vec<&'static str>,
    /// The current text; `None` if the file does not exist.
    pub before: Option<String>,
    /// The new text; `None` if the file is deleted.
    pub after: Option<String>,
    /// Folders that were created for it; they are deleted with it if empty.
    pub folders: Vec<PathBuf>,
}

/// A file that cannot be changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedFile {
    pub shown: String,
    pub problem: Problem,
    /// True if `--force` would help.
    pub is_forceable: bool,
}

/// The planned changes.
#[derive(Debug)]
pub struct Plan {
    /// Files that would change.
    pub changes: Vec<Change>,
    /// If there are any, nothing may be written.
    pub refusals: Vec<RefusedFile>,
    /// Notes for the user.
    pub notes: Vec<String>,
    /// Requested removals that are not possible, one line each.
    pub kept: Vec<String>,
    /// The current record.
    pub older: Record,
    /// The planned record.
    pub record: Record,
}

/// One edit of one file for one agent.
struct PlannedEdit {
    agent: &'static Agent,
    scope: Scope,
    path: PathBuf,
    edit: Edit,
}

/// A file with its edits so far.
struct FileWork {
    path: PathBuf,
    found: FileState,
    /// The text after these edits.
    text: Option<String>,
    agents: Vec<&'static str>,
    folders: Vec<PathBuf>,
}

struct Planner<'a> {
    folders: &'a Folders,
    request: &'a InstallRequest,
    works: Vec<FileWork>,
    plan: Plan,
}

/// Plans `lore install`.
pub fn install(folders: &Folders, record: Record, request: &InstallRequest) -> Plan {
    let mut planner = Planner::new(folders, record, request);
    for agent in &request.agents {
        let scope = request.scope.unwrap_or_else(|| agent.default_scope());
        for wanted in planner.wanted(agent, scope, request.hook, request.instructions) {
            planner.insert(&wanted);
        }
    }
    planner.finish()
}

/// Plans `lore uninstall`.
pub fn uninstall(folders: &Folders, record: Record, request: &InstallRequest) -> Plan {
    let mut planner = Planner::new(folders, record, request);
    // In reverse order of insertion.
    for position in planner.release().into_iter().rev() {
        planner.remove_recorded(position);
    }
    for agent in &request.agents {
        let scope = request.scope.unwrap_or_else(|| agent.default_scope());
        for wanted in planner.wanted(agent, scope, true, true) {
            planner.remove_unrecorded(&wanted);
        }
    }
    planner.note_other_scope();
    planner.finish()
}

impl<'a> Planner<'a> {
    fn new(folders: &'a Folders, record: Record, request: &'a InstallRequest) -> Planner<'a> {
        let plan = Plan {
            changes: Vec::new(),
            refusals: Vec::new(),
            notes: Vec::new(),
            kept: Vec::new(),
            older: record.clone(),
            record,
        };
        Planner { folders, request, works: Vec::new(), plan }
    }

    /// The edits of an agent's files.
    fn wanted(
        &mut self,
        agent: &'static Agent,
        scope: Scope,
        hook: bool,
        instructions: bool,
    ) -> Vec<PlannedEdit> {
        let Some(files) = agent.files(scope) else {
            if self.request.is_named {
                self.refuse(
                    agent.title,
                    Problem::whole("it reads no servers from a project; use `--user`"),
                    false,
                );
            }
            return Vec::new();
        };
        let resolve = |path: AgentPath| self.folders.path(path);
        let servers: Vec<PathBuf> =
            files.servers.iter().filter_map(|path| resolve(*path)).collect();
        let servers = servers
            .iter()
            .find(|path| path.symlink_metadata().is_ok())
            .or(servers.first())
            .cloned();
        let Some(servers) = servers else {
            self.refuse(
                agent.title,
                Problem::whole("its folder is unknown, because `HOME` is not set"),
                false,
            );
            return Vec::new();
        };
        let mut wanted = vec![PlannedEdit { agent, scope, path: servers, edit: agent.entry() }];
        if instructions
            && let Some(file) = &files.instructions
            && let Some(path) = resolve(file.path)
        {
            let edit = Edit::Block {
                header: file.header.to_owned(),
                body: agents::INSTRUCTIONS.to_owned(),
            };
            wanted.push(PlannedEdit { agent, scope, path, edit });
        }
        if hook && let Some(path) = files.hook.and_then(resolve) {
            for edit in agents::hooks() {
                wanted.push(PlannedEdit { agent, scope, path: path.clone(), edit });
            }
        }
        wanted
    }

    fn refuse(&mut self, shown: &str, problem: Problem, is_forceable: bool) {
        let refusal = RefusedFile { shown: shown.to_owned(), problem, is_forceable };
        if !self.plan.refusals.contains(&refusal) {
            self.plan.refusals.push(refusal);
        }
    }

    fn refuse_file(&mut self, path: &Path, problem: Problem) {
        self.refuse(&self.folders.display(path), problem, false);
    }

    /// The index of the work on a file, which is the same for all its paths.
    fn work(&mut self, path: &Path) -> Result<usize, Problem> {
        let found = files::inspect(path)?;
        if let Some(known) = self.works.iter().position(|work| work.found.target == found.target) {
            return Ok(known);
        }
        let text = found.text.clone();
        let path = path.to_owned();
        self.works.push(FileWork { path, found, text, agents: Vec::new(), folders: Vec::new() });
        Ok(self.works.len() - 1)
    }

    /// Plans one insertion.
    fn insert(&mut self, wanted: &PlannedEdit) {
        let result = self.work(&wanted.path).and_then(|work| self.insert_into(work, wanted));
        if let Err(problem) = result {
            self.refuse_file(&wanted.path, problem);
        }
    }

    fn insert_into(&mut self, number: usize, wanted: &PlannedEdit) -> Result<(), Problem> {
        let edit = &wanted.edit;
        let work = &self.works[number];
        let target = work.found.target.clone();
        let mut text = work.text.clone().unwrap_or_default();
        let known = self.plan.record.position(&target, edit);
        let recorded = known.map(|position| self.plan.record.entries[position].clone());
        let present = edit.present(&text)?;
        if present == Present::Same {
            self.share(number, known, wanted.agent);
            return Ok(());
        }
        // Text of an earlier version of `lore` is replaced.
        let is_present = |entry: &Entry| entry.edit.present(&text) == Ok(Present::Same);
        let older = recorded
            .clone()
            .into_iter()
            .chain(earlier_entries(wanted, &target))
            .find(|entry| is_present(entry));
        if let Some(entry) = &older {
            match entry.edit.remove(&text, &entry.trace, false)? {
                Removal::Text(without) => text = without,
                Removal::Edited(at) => {
                    self.refuse_foreign(number, edit, &at);
                    return Ok(());
                }
                Removal::Absent => {}
            }
        } else if let Present::Different(at) = present {
            if !self.request.force {
                self.refuse_foreign(number, edit, &at);
                return Ok(());
            }
            let trace = recorded.as_ref().map(|entry| entry.trace.clone()).unwrap_or_default();
            if let Removal::Text(without) = edit.remove(&text, &trace, true)? {
                text = without;
            }
        }
        let (text, trace) = edit.insert(&text)?;
        let was_ours = older.is_some() || (recorded.is_some() && self.request.force);
        let work = &mut self.works[number];
        let is_new = work.found.text.is_none() && work.text.is_none();
        let (created, folders) = match recorded {
            Some(entry) if was_ours => (entry.created, entry.folders),
            _ => (is_new, if is_new { work.found.missing.clone() } else { Vec::new() }),
        };
        work.text = Some(text);
        work.agents.push(wanted.agent.name);
        let mut agents: Vec<String> = older.map(|entry| entry.agents.clone()).unwrap_or_default();
        add_agent(&mut agents, wanted.agent);
        let entry = Entry {
            file: target,
            scope: wanted.scope,
            root: (wanted.scope == Scope::Project).then(|| self.folders.root.clone()),
            agents,
            edit: edit.clone(),
            trace,
            created,
            folders,
        };
        self.plan.record.put(known, entry);
        Ok(())
    }

    /// Adds an agent to the record of an entry that exists already.
    fn share(&mut self, number: usize, known: Option<usize>, agent: &'static Agent) {
        let Some(position) = known else { return };
        add_agent(&mut self.plan.record.entries[position].agents, agent);
        let work = &mut self.works[number];
        if work.text != work.found.text {
            work.agents.push(agent.name);
        }
    }

    /// Refuses an edit because another entry has its name.
    fn refuse_foreign(&mut self, work: usize, edit: &Edit, at: &Problem) {
        let shown = self.folders.display(&self.works[work].path);
        let reason = format!("{} exists already, with other content than lore writes", edit.name());
        self.refuse(&shown, Problem { position: at.position, reason }, true);
    }

    /// Removes the agents from their entries. Returns the positions of entries without agents.
    fn release(&mut self) -> Vec<usize> {
        let request = self.request;
        let is_requested = |entry: &Entry, name: &String| {
            request.agents.iter().any(|agent| {
                let scope = request.scope.unwrap_or_else(|| agent.default_scope());
                agent.name == name && entry.scope == scope
            })
        };
        let root = &self.folders.root;
        let mut released = Vec::new();
        for (position, entry) in self.plan.record.entries.iter_mut().enumerate() {
            if entry.scope == Scope::Project && entry.root.as_ref() != Some(root) {
                continue;
            }
            let agents = entry.agents.clone();
            entry.agents.retain(|name| !is_requested(&self.plan.older.entries[position], name));
            if entry.agents.len() == agents.len() {
                continue;
            }
            if entry.agents.is_empty() {
                released.push(position);
                continue;
            }
            self.plan.notes.push(format!(
                "{} in `{}` stays, because it is also used by {}",
                entry.edit.name(),
                self.folders.display(&entry.file),
                entry.agents.join(", ")
            ));
        }
        released
    }

    /// Notes that the user's files stay unchanged, if no scope is given.
    fn note_other_scope(&mut self) {
        let is_requested =
            |name: &String| self.request.agents.iter().any(|agent| agent.name == name);
        let rest = self
            .plan
            .record
            .entries
            .iter()
            .any(|entry| entry.scope == Scope::User && entry.agents.iter().any(is_requested));
        if self.request.scope.is_none() && rest {
            let note = "your own files are unchanged; run `lore uninstall --user` to change them";
            self.plan.notes.push(note.to_owned());
        }
    }

    /// Plans the removal of a recorded edit.
    fn remove_recorded(&mut self, position: usize) {
        let entry = self.plan.record.entries[position].clone();
        let agents = self.plan.older.entries[position].agents.clone();
        let shown = self.folders.display(&entry.file);
        let number = match self.work(&entry.file) {
            Ok(number) => number,
            Err(problem) => return self.refuse_file(&entry.file, problem),
        };
        let text = self.works[number].text.clone();
        let removal = match &text {
            None => Ok(Removal::Absent),
            Some(text) => entry.edit.remove(text, &entry.trace, self.request.force),
        };
        match removal {
            Err(problem) => return self.refuse_file(&entry.file, problem),
            Ok(Removal::Absent) => {
                let what = entry.edit.name();
                self.plan.notes.push(format!("{what} is no longer in `{shown}`"));
            }
            Ok(Removal::Edited(at)) => {
                let what = entry.edit.name();
                let place = at.located(&shown);
                self.plan
                    .kept
                    .push(format!("kept {what} in `{place}`: it was changed after installation"));
                self.plan.record.entries[position].agents = agents;
                return;
            }
            Ok(Removal::Text(text)) => {
                let work = &mut self.works[number];
                let names = AGENTS.iter().map(|agent| agent.name);
                work.agents.extend(names.filter(|name| agents.iter().any(|known| known == name)));
                let is_gone = entry.created && text.is_empty();
                work.text = (!is_gone).then_some(text);
                if is_gone {
                    work.folders.clone_from(&entry.folders);
                }
            }
        }
        self.plan.record.entries.remove(position);
    }

    /// Plans the removal of an entry that is not recorded but has the content that install writes:
    /// another user committed it, or the record was lost.
    fn remove_unrecorded(&mut self, wanted: &PlannedEdit) {
        let number = match self.work(&wanted.path) {
            Ok(number) => number,
            Err(problem) => return self.report_unreadable(wanted, &problem),
        };
        let target = &self.works[number].found.target;
        if self.plan.record.position(target, &wanted.edit).is_some()
            || self.plan.older.position(target, &wanted.edit).is_some()
        {
            return;
        }
        let Some(text) = self.works[number].text.clone() else { return };
        let edit = agents::earlier(&wanted.edit)
            .into_iter()
            .find(|edit| edit.present(&text) == Ok(Present::Same))
            .unwrap_or_else(|| wanted.edit.clone());
        match edit.remove(&text, &Trace::default(), false) {
            Ok(Removal::Text(text)) => {
                let work = &mut self.works[number];
                work.text = Some(text);
                work.agents.push(wanted.agent.name);
            }
            Ok(Removal::Edited(at)) if self.request.is_named => {
                let place = at.located(&self.folders.display(&wanted.path));
                let what = wanted.edit.name();
                self.plan
                    .kept
                    .push(format!("kept {what} in `{place}`: lore did not write this content"));
            }
            Err(problem) => self.report_unreadable(wanted, &problem),
            // Without a record, this content is not ours.
            Ok(Removal::Edited(_) | Removal::Absent) => {}
        }
    }

    /// Reports that the file of a named agent cannot be read.
    fn report_unreadable(&mut self, wanted: &PlannedEdit, problem: &Problem) {
        if self.request.is_named {
            let place = problem.located(&self.folders.display(&wanted.path));
            self.plan.kept.push(format!("kept `{place}` unchanged: {}", problem.reason));
        }
    }

    fn finish(mut self) -> Plan {
        for work in self.works {
            if work.text == work.found.text {
                continue;
            }
            let mut agents = work.agents;
            agents.sort_unstable();
            agents.dedup();
            self.plan.changes.push(Change {
                shown: self.folders.display(&work.path),
                is_linked: work.path != work.found.target,
                is_outside: work.path.starts_with(&self.folders.root)
                    && !work.found.target.starts_with(&self.folders.root),
                target: work.found.target,
                agents,
                before: work.found.text,
                after: work.text,
                folders: work.folders,
            });
        }
        self.plan
    }
}

/// Entries without a record for the texts that earlier versions wrote.
fn earlier_entries(wanted: &PlannedEdit, file: &Path) -> Vec<Entry> {
    let entry = |edit| Entry {
        file: file.to_owned(),
        scope: wanted.scope,
        root: None,
        agents: Vec::new(),
        edit,
        trace: Trace::default(),
        created: false,
        folders: Vec::new(),
    };
    agents::earlier(&wanted.edit).into_iter().map(entry).collect()
}

fn add_agent(agents: &mut Vec<String>, agent: &Agent) {
    if !agents.iter().any(|name| name == agent.name) {
        agents.push(agent.name.to_owned());
    }
}

#[cfg(test)]
mod tests;
