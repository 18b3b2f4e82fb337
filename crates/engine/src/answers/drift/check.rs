//! Compares statements with the tree as it is now.

use std::collections::{BTreeSet, HashMap, HashSet};

use aho_corasick::AhoCorasick;
use lore_sources::NameRole;
use lore_statements::{Kind, Place, Statement, definition, naming, split};

use super::{
    documents::{DriftDocument, Files},
    manifests::Manifests,
    paths::{Lookup, Paths},
};
use crate::EngineConfig;

/// A statement without a counterpart in the tree.
pub(super) struct Missing<'a> {
    pub(super) document: &'a DriftDocument,
    pub(super) statement: &'a Statement,
    /// The part of the statement that does not exist.
    pub(super) name: String,
    pub(super) evidence: Evidence,
}

/// Evidence that a statement is out of date.
pub(super) enum Evidence {
    /// The removal of one of the forms of a name. The second value is a similar name.
    Name {
        forms: Vec<String>,
        /// The lines whose removal counts.
        role: NameRole,
        /// Only a removal with a replacement counts.
        is_replaced: bool,
        near: Option<String>,
    },
    /// The removal of a parameter of a function.
    Parameter { function: String },
    /// The removal of one of these paths.
    Path { paths: Vec<String>, near: Option<String> },
    /// A link leads nowhere, or to a page without the anchor.
    Link { path: String, is_anchor: bool, is_label: bool, near: Option<String> },
    /// Another value in a manifest.
    Version { now: String },
}

/// Returns the statements without a counterpart in the tree.
pub(super) fn check<'a>(
    files: &'a Files,
    paths: &Paths<'_>,
    manifests: &Manifests,
    config: &EngineConfig,
) -> Vec<Missing<'a>> {
    let pages: HashMap<&str, &DriftDocument> =
        files.documents.iter().map(|document| (document.path.as_str(), document)).collect();
    let mut missing = Vec::new();
    let mut texts = Texts::default();
    for document in &files.documents {
        for statement in &document.statements {
            match statement.kind {
                Kind::Link => missing.extend(link(document, statement, paths, &pages)),
                Kind::Path => missing.extend(path(document, statement, paths)),
                Kind::Version => missing.extend(version(document, statement, manifests)),
                Kind::Message | Kind::Signature => texts.add(document, statement),
                _ => missing.extend(name(document, statement, files)),
            }
        }
    }
    missing.extend(texts.missing(files, config));
    add_near_names(&mut missing, files);
    missing
}

fn link<'a>(
    document: &'a DriftDocument,
    statement: &'a Statement,
    paths: &Paths<'_>,
    pages: &HashMap<&str, &DriftDocument>,
) -> Option<Missing<'a>> {
    if document.is_code {
        return None;
    }
    let target = &statement.names[0];
    let (lookup, is_anchor) = paths.link(document, target, pages);
    let Lookup::Missing(candidates) = lookup else { return None };
    let path = candidates.into_iter().next()?;
    // Without an ending, it may be a label or an address of a site.
    let last = path.rsplit('/').next().unwrap_or_default();
    let is_label = !is_anchor
        && !last.contains('.')
        && !path.rsplit_once('/').is_some_and(|(folder, _)| paths.exists(folder));
    let near = if is_anchor { None } else { paths.elsewhere(&path).map(str::to_owned) };
    let evidence = Evidence::Link { path, is_anchor, is_label, near };
    Some(Missing { document, statement, name: target.clone(), evidence })
}

fn path<'a>(
    document: &'a DriftDocument,
    statement: &'a Statement,
    paths: &Paths<'_>,
) -> Option<Missing<'a>> {
    let written = &statement.names[0];
    let Lookup::Missing(candidates) = paths.path(&document.path, written) else { return None };
    let first = candidates[0].split('/').next().unwrap_or_default();
    let is_file = written.rsplit('/').next().is_some_and(|name| name.contains('.'));
    let is_specific = is_file
        && !document.is_code
        && written.contains('/')
        && paths.exists(first)
        && statement.place == Place::Span;
    let near = paths.elsewhere(&candidates[0]).filter(|_| is_specific).map(str::to_owned);
    let evidence = Evidence::Path { paths: candidates, near };
    Some(Missing { document, statement, name: written.clone(), evidence })
}

fn version<'a>(
    document: &'a DriftDocument,
    statement: &'a Statement,
    manifests: &Manifests,
) -> Option<Missing<'a>> {
    let [tool, written] = statement.details.as_slice() else { return None };
    if document.is_code || statement.in_table {
        return None;
    }
    let is_language = tool != "package";
    if is_language && !is_about_setup(&document.path) {
        return None;
    }
    let now = manifests.other(tool, &statement.names[0], written)?.to_owned();
    Some(Missing {
        document,
        statement,
        name: written.clone(),
        evidence: Evidence::Version { now },
    })
}

/// Returns true for documents about the installation or development of the project. Others mention
/// versions of languages for many reasons.
fn is_about_setup(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    [
        "readme",
        "install",
        "contributing",
        "getting",
        "start",
        "develop",
        "build",
        "requirement",
        "setup",
    ]
    .iter()
    .any(|word| lower.contains(word))
}

/// Looks up the parts of a name, flag, key or environment variable.
fn name<'a>(
    document: &'a DriftDocument,
    statement: &'a Statement,
    files: &Files,
) -> Option<Missing<'a>> {
    let words = &files.vocabulary;
    for name in &statement.names {
        let (forms, role, is_replaced) = match statement.kind {
            Kind::Flag | Kind::Key => {
                let forms = naming::forms(name);
                let is_exact = |form: &String| {
                    if form.contains('-') {
                        words.contains(form)
                    } else {
                        words.contains_quoted(form)
                    }
                };
                if forms.exact.iter().any(is_exact) {
                    continue;
                }
                // An argument parser may derive it from an identifier.
                let identifiers = forms.exact.iter().filter(|form| !form.contains('-'));
                let is_derived = identifiers.chain(&forms.derived).any(|form| words.contains(form));
                let mut all = forms.exact;
                if !is_derived {
                    all.extend(forms.derived);
                }
                all.retain(|form| form.len() > 2);
                (all, NameRole::Option, is_derived)
            }
            _ if words.contains(name) => continue,
            kind => {
                // Serialisers derive names in another case style.
                let styles = naming::other_styles(name);
                let is_derived = styles.iter().any(|style| words.contains(style));
                let role = if kind == Kind::Symbol { NameRole::Definition } else { NameRole::Word };
                (vec![name.clone()], role, is_derived)
            }
        };
        let evidence = Evidence::Name { forms, role, is_replaced, near: None };
        return Some(Missing { document, statement, name: name.clone(), evidence });
    }
    None
}

/// Adds similar names to missing ones in code spans.
fn add_near_names(missing: &mut [Missing<'_>], files: &Files) {
    let is_formed = |name: &str| {
        let lower = name.bytes().any(|byte| byte.is_ascii_lowercase());
        let upper = name.bytes().skip(1).any(|byte| byte.is_ascii_uppercase());
        name.len() >= 8 && (name.trim_matches(['_', '-']).contains(['_', '-']) || lower && upper)
    };
    let wanted: BTreeSet<String> = missing
        .iter()
        .filter(|item| item.statement.place == Place::Span && is_formed(&item.name))
        .filter(|item| !item.document.is_code)
        .filter(|item| matches!(item.evidence, Evidence::Name { .. }))
        .map(|item| item.name.clone())
        .collect();
    let wanted: Vec<&str> = wanted.iter().map(String::as_str).collect();
    let near = files.vocabulary.near(&wanted);
    for item in missing.iter_mut().filter(|item| item.statement.place == Place::Span) {
        if let Evidence::Name { near: found, .. } = &mut item.evidence {
            *found = near.get(item.name.as_str()).cloned();
        }
    }
}

/// Messages and signatures, which are compared with the texts of the code.
#[derive(Default)]
struct Texts<'a> {
    all: Vec<(&'a DriftDocument, &'a Statement)>,
}

impl<'a> Texts<'a> {
    fn add(&mut self, document: &'a DriftDocument, statement: &'a Statement) {
        self.all.push((document, statement));
    }

    /// Reads the code once more, and returns the messages and parameters that it does not contain.
    fn missing(self, files: &'a Files, config: &EngineConfig) -> Vec<Missing<'a>> {
        let mut wanted: Vec<&str> =
            self.all.iter().map(|(_, statement)| statement.names[0].as_str()).collect();
        wanted.sort_unstable();
        wanted.dedup();
        let Ok(patterns) = AhoCorasick::new(&wanted) else { return Vec::new() };
        if wanted.is_empty() {
            return Vec::new();
        }
        let mut present: HashSet<&str> = HashSet::new();
        let mut parameters: HashMap<&str, Vec<Vec<String>>> = HashMap::new();
        for path in &files.code {
            let Ok(text) = config.read_text(path) else { continue };
            let code = joined_strings(&split(path, &text).code);
            let mut found: Vec<&str> = patterns
                .find_overlapping_iter(&code)
                .map(|found| wanted[found.pattern().as_usize()])
                .collect();
            found.sort_unstable();
            found.dedup();
            for name in found {
                present.insert(name);
                if !name.contains(' ') {
                    parameters.entry(name).or_default().extend(definition::parameters(&code, name));
                }
            }
        }
        let missing = self.all.into_iter().filter_map(|(document, statement)| {
            let name = statement.names[0].as_str();
            if statement.kind == Kind::Message {
                let evidence = Evidence::Name {
                    forms: vec![name.to_owned()],
                    role: NameRole::Word,
                    is_replaced: false,
                    near: None,
                };
                let is_missing = !present.contains(name);
                return is_missing.then(|| Missing {
                    document,
                    statement,
                    name: name.to_owned(),
                    evidence,
                });
            }
            let known = parameters.get(name).filter(|lists| !lists.is_empty())?;
            let has = |list: &Vec<String>, wanted: &String| list.iter().any(|word| word == wanted);
            let is_known = |wanted: &&String| known.iter().any(|list| has(list, wanted));
            let lost = statement.details.iter().find(|wanted| !is_known(wanted))?;
            let evidence = Evidence::Parameter { function: name.to_owned() };
            Some(Missing { document, statement, name: lost.clone(), evidence })
        });
        missing.collect()
    }
}

/// Joins string literals that are continued on the next line.
fn joined_strings(code: &str) -> String {
    let mut text = String::with_capacity(code.len());
    let mut rest = code;
    while let Some(at) = rest.find("\\\n") {
        text.push_str(&rest[..at]);
        rest = rest[at + 2..].trim_start();
    }
    text.push_str(rest);
    text
}
