//! Works out what would change, on the texts as they are now. Nothing is written here.

use std::path::{Path, PathBuf};

use super::{
    AGENTS, Agent, Folders, Present, Problem, Record, Removal, Scope, Trace, agents,
    edit::Edit,
    files::{self, Found},
    folders::AgentPath,
    record::Entry,
};

/// What the user asked for.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag that was typed or not")]
pub struct InstallRequest {
    /// The agents, each once.
    pub agents: Vec<&'static Agent>,
    /// Whether the user named them.
    pub is_named: bool,
    /// `None`: for each agent its own.
    pub scope: Option<Scope>,
    /// Whether a hook is installed, too.
    pub hook: bool,
    /// Whether instructions are installed, too.
    pub instructions: bool,
    /// Whether what others wrote or changed is replaced or removed.
    pub force: bool,
}

/// One file that would change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// As people write the path.
    pub shown: String,
    /// The file itself, behind all links.
    pub target: PathBuf,
    /// Whether `shown` leads there by a link.
    pub is_linked: bool,
    /// Whether it is a file of the tree that a link puts elsewhere.
    pub is_outside: bool,
    /// The agents that it is for.
    pub agents: Vec<&'static str>,
    /// `None`: it is not there.
    pub before: Option<String>,
    /// `None`: it is deleted.
    pub after: Option<String>,
    /// Folders that were made for it and go with it, if they are empty then.
    pub folders: Vec<PathBuf>,
}

/// A file that cannot be changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedFile {
    pub shown: String,
    pub problem: Problem,
    /// Whether `--force` would help.
    pub is_forceable: bool,
}

/// All that would change.
#[derive(Debug)]
pub struct Plan {
    /// Files that would change.
    pub changes: Vec<Change>,
    /// Nothing may be written where there are any.
    pub refusals: Vec<RefusedFile>,
    /// What the user should know.
    pub notes: Vec<String>,
    /// What was left although it was asked for.
    pub left: Vec<String>,
    /// The record as it was.
    pub older: Record,
    /// The record as it will be.
    pub record: Record,
}

/// One thing for one file.
struct Wanted {
    agent: &'static Agent,
    scope: Scope,
    path: PathBuf,
    edit: Edit,
}

/// A file on which work is done.
struct Work {
    path: PathBuf,
    found: Found,
    /// The text so far.
    text: Option<String>,
    agents: Vec<&'static str>,
    folders: Vec<PathBuf>,
}

struct Planner<'a> {
    folders: &'a Folders,
    wishes: &'a InstallRequest,
    works: Vec<Work>,
    plan: Plan,
}

/// What `lore install` would change.
pub fn install(folders: &Folders, record: Record, wishes: &InstallRequest) -> Plan {
    let mut planner = Planner::new(folders, record, wishes);
    for agent in &wishes.agents {
        let scope = wishes.scope.unwrap_or_else(|| agent.default_scope());
        for wanted in planner.wanted(agent, scope, wishes.hook, wishes.instructions) {
            planner.put_in(&wanted);
        }
    }
    planner.finish()
}

/// What `lore uninstall` would change.
pub fn uninstall(folders: &Folders, record: Record, wishes: &InstallRequest) -> Plan {
    let mut planner = Planner::new(folders, record, wishes);
    // What came last goes first.
    for position in planner.free().into_iter().rev() {
        planner.take_out(position);
    }
    for agent in &wishes.agents {
        let scope = wishes.scope.unwrap_or_else(|| agent.default_scope());
        for wanted in planner.wanted(agent, scope, true, true) {
            planner.take_out_unrecorded(&wanted);
        }
    }
    planner.tell_of_other_scope();
    planner.finish()
}

impl<'a> Planner<'a> {
    fn new(folders: &'a Folders, record: Record, wishes: &'a InstallRequest) -> Planner<'a> {
        let plan = Plan {
            changes: Vec::new(),
            refusals: Vec::new(),
            notes: Vec::new(),
            left: Vec::new(),
            older: record.clone(),
            record,
        };
        Planner { folders, wishes, works: Vec::new(), plan }
    }

    /// What belongs into which file of an agent.
    fn wanted(
        &mut self,
        agent: &'static Agent,
        scope: Scope,
        hook: bool,
        instructions: bool,
    ) -> Vec<Wanted> {
        let Some(files) = agent.files(scope) else {
            if self.wishes.is_named {
                self.refuse(
                    agent.title,
                    Problem::whole("it reads no servers from a project; use `--user`"),
                    false,
                );
            }
            return Vec::new();
        };
        let path = |spot: AgentPath| self.folders.path(spot);
        let servers: Vec<PathBuf> = files.servers.iter().filter_map(|spot| path(*spot)).collect();
        let servers = servers
            .iter()
            .find(|path| path.symlink_metadata().is_ok())
            .or(servers.first())
            .cloned();
        let Some(servers) = servers else {
            self.refuse(
                agent.title,
                Problem::whole("its folder is unknown, for `HOME` is not set"),
                false,
            );
            return Vec::new();
        };
        let mut wanted = vec![Wanted { agent, scope, path: servers, edit: agent.entry() }];
        if instructions
            && let Some(file) = &files.instructions
            && let Some(path) = path(file.spot)
        {
            let edit = Edit::Block {
                header: file.header.to_owned(),
                body: agents::INSTRUCTIONS.to_owned(),
            };
            wanted.push(Wanted { agent, scope, path, edit });
        }
        if hook && let Some(path) = files.hook.and_then(path) {
            wanted.push(Wanted { agent, scope, path, edit: agents::hook() });
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
        self.refuse(&self.folders.shown(path), problem, false);
    }

    /// The work on a file, by whichever of its names.
    fn work(&mut self, path: &Path) -> Result<usize, Problem> {
        let found = files::look(path)?;
        if let Some(known) = self.works.iter().position(|work| work.found.target == found.target) {
            return Ok(known);
        }
        let text = found.text.clone();
        let path = path.to_owned();
        self.works.push(Work { path, found, text, agents: Vec::new(), folders: Vec::new() });
        Ok(self.works.len() - 1)
    }

    /// Puts one thing into its file.
    fn put_in(&mut self, wanted: &Wanted) {
        let result = self.work(&wanted.path).and_then(|work| self.put_into(work, wanted));
        if let Err(problem) = result {
            self.refuse_file(&wanted.path, problem);
        }
    }

    fn put_into(&mut self, number: usize, wanted: &Wanted) -> Result<(), Problem> {
        let edit = &wanted.edit;
        let work = &self.works[number];
        let target = work.found.target.clone();
        let mut text = work.text.clone().unwrap_or_default();
        let known = self.plan.record.position(&target, edit);
        let recorded = known.map(|position| self.plan.record.entries[position].clone());
        let present = edit.present(&text)?;
        if present == Present::Same {
            if let Some(position) = known {
                let agents = &mut self.plan.record.entries[position].agents;
                if !agents.iter().any(|name| name == wanted.agent.name) {
                    agents.push(wanted.agent.name.to_owned());
                }
                if work.text != work.found.text {
                    self.works[number].agents.push(wanted.agent.name);
                }
            }
            return Ok(());
        }
        // What an earlier version of the program wrote is replaced.
        let older = recorded.clone().filter(|entry| entry.edit.present(&text) == Ok(Present::Same));
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
            if !self.wishes.force {
                self.refuse_foreign(number, edit, &at);
                return Ok(());
            }
            let trace = recorded.as_ref().map(|entry| entry.trace.clone()).unwrap_or_default();
            if let Removal::Text(without) = edit.remove(&text, &trace, true)? {
                text = without;
            }
        }
        let (text, trace) = edit.insert(&text)?;
        let was_ours = older.is_some() || (recorded.is_some() && self.wishes.force);
        let work = &mut self.works[number];
        let is_new = work.found.text.is_none() && work.text.is_none();
        let (created, folders) = match recorded {
            Some(entry) if was_ours => (entry.created, entry.folders),
            _ => (is_new, if is_new { work.found.missing.clone() } else { Vec::new() }),
        };
        work.text = Some(text);
        work.agents.push(wanted.agent.name);
        let mut agents: Vec<String> = older.map(|entry| entry.agents.clone()).unwrap_or_default();
        if !agents.iter().any(|name| name == wanted.agent.name) {
            agents.push(wanted.agent.name.to_owned());
        }
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
        match known {
            Some(position) => self.plan.record.entries[position] = entry,
            None => self.plan.record.entries.push(entry),
        }
        Ok(())
    }

    /// Something else stands where the edit belongs.
    fn refuse_foreign(&mut self, work: usize, edit: &Edit, at: &Problem) {
        let shown = self.folders.shown(&self.works[work].path);
        let reason = format!("{} is there already, and not as lore writes it", edit.name());
        self.refuse(&shown, Problem { position: at.position, reason }, true);
    }

    /// Takes the agents from the entries that they need; those that nobody needs then are returned.
    fn free(&mut self) -> Vec<usize> {
        let wishes = self.wishes;
        let is_meant = |entry: &Entry, name: &String| {
            wishes.agents.iter().any(|agent| {
                let scope = wishes.scope.unwrap_or_else(|| agent.default_scope());
                agent.name == name && entry.scope == scope
            })
        };
        let root = &self.folders.root;
        let mut freed = Vec::new();
        for (position, entry) in self.plan.record.entries.iter_mut().enumerate() {
            if entry.scope == Scope::Project && entry.root.as_ref() != Some(root) {
                continue;
            }
            let agents = entry.agents.clone();
            entry.agents.retain(|name| !is_meant(&self.plan.older.entries[position], name));
            if entry.agents.len() == agents.len() {
                continue;
            }
            if entry.agents.is_empty() {
                freed.push(position);
                continue;
            }
            self.plan.notes.push(format!(
                "{} in `{}` stays, for it is also there for {}",
                entry.edit.name(),
                self.folders.shown(&entry.file),
                entry.agents.join(", ")
            ));
        }
        freed
    }

    /// Where no scope was named, what is in the user's files stays; says so.
    fn tell_of_other_scope(&mut self) {
        let is_meant = |name: &String| self.wishes.agents.iter().any(|agent| agent.name == name);
        let rest = self
            .plan
            .record
            .entries
            .iter()
            .any(|entry| entry.scope == Scope::User && entry.agents.iter().any(is_meant));
        if self.wishes.scope.is_none() && rest {
            let note = "your own files stay as they are; `lore uninstall --user` is for those";
            self.plan.notes.push(note.to_owned());
        }
    }

    /// Takes a recorded thing out of its file.
    fn take_out(&mut self, position: usize) {
        let entry = self.plan.record.entries[position].clone();
        let agents = self.plan.older.entries[position].agents.clone();
        let shown = self.folders.shown(&entry.file);
        let number = match self.work(&entry.file) {
            Ok(number) => number,
            Err(problem) => return self.refuse_file(&entry.file, problem),
        };
        let text = self.works[number].text.clone();
        let removal = match &text {
            None => Ok(Removal::Absent),
            Some(text) => entry.edit.remove(text, &entry.trace, self.wishes.force),
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
                self.plan.left.push(format!("left {what} in `{place}`: it was changed since"));
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

    /// Takes out what is as install would write it, though no record of it is here: somebody else
    /// committed it, or the record was lost.
    fn take_out_unrecorded(&mut self, wanted: &Wanted) {
        let number = match self.work(&wanted.path) {
            Ok(number) => number,
            Err(problem) => return self.leave_unread(wanted, &problem),
        };
        let target = &self.works[number].found.target;
        if self.plan.record.position(target, &wanted.edit).is_some()
            || self.plan.older.position(target, &wanted.edit).is_some()
        {
            return;
        }
        let Some(text) = self.works[number].text.clone() else { return };
        match wanted.edit.remove(&text, &Trace::default(), false) {
            Ok(Removal::Text(text)) => {
                let work = &mut self.works[number];
                work.text = Some(text);
                work.agents.push(wanted.agent.name);
            }
            Ok(Removal::Edited(at)) if self.wishes.is_named => {
                let place = at.located(&self.folders.shown(&wanted.path));
                let what = wanted.edit.name();
                self.plan.left.push(format!("left {what} in `{place}`: lore did not write it so"));
            }
            Err(problem) => self.leave_unread(wanted, &problem),
            // No record says that anything of ours is in there.
            Ok(Removal::Edited(_) | Removal::Absent) => {}
        }
    }

    /// Says of a file of a named agent that nobody can tell what is in there.
    fn leave_unread(&mut self, wanted: &Wanted, problem: &Problem) {
        if self.wishes.is_named {
            let place = problem.located(&self.folders.shown(&wanted.path));
            self.plan.left.push(format!("left `{place}` as it is: {}", problem.reason));
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
                shown: self.folders.shown(&work.path),
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

#[cfg(test)]
mod tests;
