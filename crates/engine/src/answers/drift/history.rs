//! Finds the commits that removed what statements name, and turns both into findings.

use std::{collections::HashMap, time::Duration};

use lore_sources::{
    NameHistory, NameHistoryRequest, NameRole, NameRules, Removal, Revision, SoughtName,
    SoughtPath, SoughtText, name_history,
};
use lore_statements::{Place, definition, split};

use super::{
    DriftCommit, DriftFinding, DriftState,
    check::{Evidence, Missing},
    documents::{is_beside_code, is_document},
    report::column,
};
use crate::{EngineConfig, EngineError};

/// Report on the part of the history that was read.
#[derive(Default)]
pub(super) struct HistoryRead {
    pub(super) commits: usize,
    pub(super) is_cut: bool,
    pub(super) is_missing: bool,
}

struct Rules;

impl NameRules for Rules {
    fn is_code(&self, path: &str) -> bool {
        !is_document(path)
            && !crate::is_lock_file(path)
            && !crate::is_vendored(path)
            && !is_beside_code(path)
    }

    fn split(&self, path: &str, text: &str) -> (String, String) {
        let parts = split(path, text);
        (parts.code, parts.comments)
    }

    fn is_evidence(&self, line: &str, name: &str, role: NameRole) -> bool {
        match role {
            NameRole::Word => true,
            // Ordinary words are also names of parameters and fields.
            NameRole::Definition if name.bytes().all(|byte| byte.is_ascii_lowercase()) => {
                definition::is_declared(line, name)
            }
            NameRole::Definition => definition::is_definition(line, name),
            NameRole::Option => definition::is_option(line, name),
        }
    }

    fn has_parameter(&self, code: &str, function: &str, parameter: &str) -> bool {
        let lists = definition::parameters(code, function);
        lists.iter().any(|list| list.iter().any(|word| word == parameter))
    }

    fn replacement(&self, old: &str, new: &str, name: &str) -> Option<String> {
        definition::replacement(old, new, name)
    }
}

/// The request for the history, and the place of each missing statement in it.
#[derive(Default)]
struct Plan {
    names: Vec<SoughtName>,
    paths: Vec<SoughtPath>,
    texts: Vec<SoughtText>,
    /// Index of the text of each missing statement.
    text_of: Vec<usize>,
    /// Index in `names` or `paths` of each missing statement.
    subject_of: Vec<Option<Subject>>,
}

/// The forms, the role and the parameter of a name.
type NameKey = (Vec<String>, NameRole, Option<String>);

#[derive(Clone, Copy)]
enum Subject {
    Name(usize),
    Path(usize),
}

impl Plan {
    fn new(missing: &[Missing<'_>]) -> Plan {
        let mut plan = Plan::default();
        let mut texts: HashMap<(&str, &str), usize> = HashMap::new();
        let mut names: HashMap<NameKey, usize> = HashMap::new();
        let mut paths: HashMap<Vec<String>, usize> = HashMap::new();
        for item in missing {
            let text = item.statement.text.as_str();
            let index = *texts.entry((item.document.path.as_str(), text)).or_insert_with(|| {
                let document = item.document.path.clone();
                plan.texts.push(SoughtText { document, text: text.to_owned() });
                plan.texts.len() - 1
            });
            plan.text_of.push(index);
            let subject = match &item.evidence {
                Evidence::Name { forms, role, .. } => {
                    let key = (forms.clone(), *role, None);
                    Some(Subject::Name(plan.name(key, index, &mut names)))
                }
                Evidence::Parameter { function } => {
                    let key = (vec![function.clone()], NameRole::Word, Some(item.name.clone()));
                    Some(Subject::Name(plan.name(key, index, &mut names)))
                }
                Evidence::Path { paths: wanted, .. } => {
                    Some(Subject::Path(plan.path(wanted.clone(), true, index, &mut paths)))
                }
                Evidence::Link { path, is_anchor: false, .. } => {
                    Some(Subject::Path(plan.path(vec![path.clone()], false, index, &mut paths)))
                }
                Evidence::Link { .. } | Evidence::Version { .. } => None,
            };
            plan.subject_of.push(subject);
        }
        plan
    }

    fn name(&mut self, key: NameKey, text: usize, known: &mut HashMap<NameKey, usize>) -> usize {
        let index = *known.entry(key).or_insert_with_key(|(forms, role, parameter)| {
            self.names.push(SoughtName {
                forms: forms.clone(),
                role: *role,
                parameter: parameter.clone(),
                texts: Vec::new(),
            });
            self.names.len() - 1
        });
        self.names[index].texts.push(text);
        index
    }

    fn path(
        &mut self,
        paths: Vec<String>,
        is_suffix: bool,
        text: usize,
        known: &mut HashMap<Vec<String>, usize>,
    ) -> usize {
        let index = *known.entry(paths).or_insert_with_key(|paths| {
            self.paths.push(SoughtPath { paths: paths.clone(), is_suffix, texts: Vec::new() });
            self.paths.len() - 1
        });
        self.paths[index].is_suffix |= is_suffix;
        self.paths[index].texts.push(text);
        index
    }
}

/// Turns missing statements into findings, with the evidence of the history.
pub(super) fn explain(
    missing: &[Missing<'_>],
    config: &EngineConfig,
    time: Duration,
    since: Option<&Revision>,
) -> Result<(Vec<DriftFinding>, HistoryRead), EngineError> {
    let plan = Plan::new(missing);
    let request = NameHistoryRequest {
        names: &plan.names,
        paths: &plan.paths,
        texts: &plan.texts,
        at: config.at.as_ref(),
        since,
        time,
    };
    let mut read = HistoryRead::default();
    let history = if config.commit().is_some() {
        name_history(&config.root, &request, &Rules)?
    } else {
        read.is_missing = true;
        NameHistory::default()
    };
    read.commits = history.commits;
    read.is_cut = history.is_cut;
    let mut findings = Vec::new();
    for (index, item) in missing.iter().enumerate() {
        let written = history.texts.get(plan.text_of[index]).and_then(Option::as_ref);
        let removal = match plan.subject_of[index] {
            Some(Subject::Name(name)) => history.names.get(name).and_then(Option::as_ref),
            Some(Subject::Path(path)) => history.paths.get(path).and_then(Option::as_ref),
            None => None,
        };
        // A name that was removed before the statement was written is history.
        let removal = removal
            .filter(|removal| written.is_none_or(|written| removal.step.index < written.index));
        let finding = finding(item, removal);
        let is_recent = since.is_none() || removal.is_some() || written.is_some();
        findings.extend(finding.filter(|_| is_recent));
    }
    Ok((findings, read))
}

/// The finding of a missing statement, if there is enough evidence.
fn finding(item: &Missing<'_>, removal: Option<&Removal>) -> Option<DriftFinding> {
    let replacement = removal.and_then(|removal| removal.replacement.clone());
    let (state, replacement) = match &item.evidence {
        Evidence::Name { is_replaced, near, .. } => match removal {
            Some(_) if *is_replaced && replacement.is_none() => return None,
            Some(removal) => {
                match replacement.map(|name| renamed(&removal.form, &item.name, &name)) {
                    Some(name) => (DriftState::Renamed, Some(name)),
                    None => (DriftState::Gone, None),
                }
            }
            None if near.is_some() && !*is_replaced => (DriftState::Unknown, near.clone()),
            None => return None,
        },
        Evidence::Parameter { .. } => (DriftState::Changed, removal.map(|_| None)?),
        Evidence::Path { near, .. } => match removal {
            // A page names a file of its own example, not that of another one.
            Some(removal) if !item.name.contains('/') && is_beside_code(&removal.path) => {
                return None;
            }
            Some(_) if replacement.is_some() => (DriftState::Moved, replacement),
            Some(_) => (DriftState::Gone, near.clone()),
            None => (DriftState::Unknown, Some(near.clone()?)),
        },
        Evidence::Link { near, is_label, .. } => match removal {
            Some(_) if replacement.is_some() => (DriftState::Moved, replacement),
            Some(_) => (DriftState::Gone, near.clone()),
            None if *is_label => return None,
            None => (DriftState::Broken, near.clone()),
        },
        Evidence::Version { now } => (DriftState::Changed, Some(now.clone())),
    };
    // A name in running text is only certain if it names a definition that was removed.
    if state == DriftState::Unknown && item.statement.place != Place::Span {
        return None;
    }
    let commit = removal.and_then(|removal| {
        let step = &removal.step;
        let hash = step.hash.clone()?;
        Some(DriftCommit { hash, date: step.date, subject: step.subject.clone() })
    });
    Some(DriftFinding {
        kind: item.statement.kind,
        state,
        path: item.document.path.clone(),
        line: item.statement.line,
        column: column(&item.document.text, item.statement.range.start),
        text: item.statement.text.clone(),
        name: item.name.clone(),
        place: item.statement.place,
        replacement,
        is_uncommitted: removal.is_some_and(|removal| removal.step.hash.is_none()),
        commit,
    })
}

/// The replacement of a form of a name, as the statement would write it.
fn renamed(form: &str, name: &str, replacement: &str) -> String {
    if name.starts_with("--") && !replacement.starts_with('-') {
        let words =
            if form.contains('_') { replacement.replace('_', "-") } else { replacement.to_owned() };
        return format!("--{words}");
    }
    replacement.to_owned()
}
