//! A context package within a number of tokens, as Markdown, JSON, TOON or paths.
//!
//! Every item has several texts of different lengths. The module `choice` selects one per item by its
//! number of tokens: each section has a share of the budget, and what a section does not use goes to
//! the other sections, then to fuller texts. The budget covers the whole text.
//!
//! **Invariant:** the same package and budget give the same bytes.

mod choice;
mod markdown;

use std::{borrow::Cow, io};

use anyhow::bail;
use lore_console::{report::UsageError, shell::shell_word, text};
use lore_engine::{ContextItem, ContextPackage, Detail};
use serde_json::Value;

use self::choice::{Cost, choose};
pub use super::toon::encode as toon;
use super::{edges::write_paths, jsonl};
use crate::{
    pack::fence,
    tokens::Tokenizer,
    wire::{self, ContextParts, ContextWire},
};

/// An output format of packages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    /// Markdown, for people and agents.
    #[default]
    Markdown,
    /// One JSON object on one line.
    Json,
    /// One JSON object per item, then one for the rest of the package.
    JsonLines,
    /// The paths of the items, each once.
    Paths,
    /// The same object as TOON, in fewer tokens.
    Toon,
}

impl Format {
    /// The names that users type.
    pub const NAMES: [&'static str; 7] =
        ["agent", "human", "json", "jsonl", "markdown", "paths", "toon"];

    /// The format with this name, if it exists.
    pub fn from_name(name: &str) -> Option<Format> {
        Some(match name {
            "json" => Format::Json,
            "jsonl" => Format::JsonLines,
            // Markdown is for people as well as for agents.
            "agent" | "human" | "markdown" => Format::Markdown,
            "paths" => Format::Paths,
            "toon" => Format::Toon,
            _ => return None,
        })
    }

    /// True if the output itself explains why the package is empty.
    pub fn explains_absence(self) -> bool {
        !matches!(self, Format::Markdown | Format::Paths)
    }
}

/// The budget of a package, and the commands that show more.
#[derive(Debug, Clone)]
pub struct Budget {
    /// Maximum number of tokens of the whole text.
    pub tokens: usize,
    /// The tokenizer that counts them.
    pub tokenizer: Tokenizer,
    /// The command that writes this package, without the budget: `lore`, `context` …; empty if there
    /// is no such command.
    pub command: Vec<String>,
    /// The arguments that name the tree in other commands: `-C` and a folder, or none.
    pub tree: Vec<String>,
}

/// The text of a package.
#[derive(Debug)]
pub struct WrittenPackage {
    /// The text, with a final line end.
    pub text: String,
    /// Number of tokens of the text.
    pub tokens: usize,
}

/// The text selected for an item: a position in its details, or their number for name and place only.
/// `None` omits the item.
type Choice = Option<usize>;

/// The choice for every item of every section.
type Selection = Vec<Vec<Choice>>;

/// Detail of the report on omitted items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Footer {
    /// One entry for each section, with commands.
    Whole,
    /// One total, with the command for the whole package.
    Short,
}

/// Maximum number of selections, each with less room, before items are removed one by one.
const MAX_ATTEMPTS: usize = 12;

/// Adds fences around texts of outside authors that read like instructions.
fn fenced(package: &ContextPackage) -> Cow<'_, ContextPackage> {
    let is_outside = |item: &ContextItem| {
        let outside = lore_schema::Trust::Outside.as_str();
        item.about.iter().any(|(name, value)| *name == "origin" && value == outside)
    };
    if !package.sections.iter().flat_map(|section| &section.items).any(is_outside) {
        return Cow::Borrowed(package);
    }
    let mut package = package.clone();
    let items = package.sections.iter_mut().flat_map(|section| &mut section.items);
    for detail in items.filter(|item| is_outside(item)).flat_map(|item| &mut item.details) {
        for text in [&mut detail.prose, &mut detail.code] {
            if fence::looks_like_instructions(text) {
                *text = fence::fenced(&format!("{text}\n"));
                text.truncate(text.trim_end().len());
            }
        }
    }
    Cow::Owned(package)
}

/// Writes as much of a package as fits, the best items first.
///
/// # Errors
/// Returns an error if even the header does not fit.
pub fn write(
    package: &ContextPackage,
    format: Format,
    budget: &Budget,
) -> anyhow::Result<WrittenPackage> {
    let fenced = fenced(package);
    let package = fenced.as_ref();
    let writer = PackageWriter { package, format, budget, full_tokens: 0 };
    let everything: Selection = package
        .sections
        .iter()
        .map(|section| section.items.iter().map(|_| Some(0)).collect())
        .collect();
    let text = writer.text(&everything, Footer::Whole)?;
    let all = budget.tokenizer.count(&text);
    if all <= budget.tokens {
        return Ok(WrittenPackage { text, tokens: all });
    }
    let writer = PackageWriter { full_tokens: rounded(all), ..writer };
    let costs = writer.costs()?;
    let nothing: Selection =
        package.sections.iter().map(|section| vec![None; section.items.len()]).collect();
    for footer in [Footer::Whole, Footer::Short] {
        let frame = budget.tokenizer.count(&writer.text(&nothing, footer)?);
        if frame > budget.tokens {
            continue;
        }
        let mut room = budget.tokens.saturating_sub(frame);
        let mut selection = nothing.clone();
        for _ in 0..MAX_ATTEMPTS {
            selection = choose(&package.sections, &costs, room);
            let text = writer.text(&selection, footer)?;
            let tokens = budget.tokenizer.count(&text);
            if tokens <= budget.tokens {
                return Ok(WrittenPackage { text, tokens });
            }
            room = room.saturating_sub(tokens - budget.tokens + 1);
        }
        while let Some(last) = last_shown(&mut selection) {
            *last = None;
            let text = writer.text(&selection, footer)?;
            if let Some(tokens) = budget.tokenizer.count_within(&text, budget.tokens) {
                return Ok(WrittenPackage { text, tokens });
            }
        }
    }
    let least = budget.tokenizer.count(&writer.text(&nothing, Footer::Short)?);
    bail!(
        UsageError::new(format!(
            "a budget of {} tokens is too small for this package: its header alone takes {least}",
            budget.tokens
        ))
        .hint(format!("raise the budget, for example `{}`", writer.command_with(least * 4)))
    );
}

/// Writes the items of all sections, each with the name of its section, then the rest.
fn json_lines(mut object: Value, out: &mut Vec<u8>) -> io::Result<()> {
    let sections = object["sections"].take();
    let mut items = Vec::new();
    for section in sections.as_array().into_iter().flatten() {
        for item in section["items"].as_array().into_iter().flatten() {
            let mut item = item.clone();
            if let Some(fields) = item.as_object_mut() {
                fields.shift_insert(0, "section".to_owned(), section["name"].clone());
            }
            items.push(item);
        }
    }
    object["sections"] = Value::Array(items);
    jsonl::write(object, "sections", out)
}

/// Rounds up to a readable budget with a small reserve.
fn rounded(tokens: usize) -> usize {
    (tokens + 60).div_ceil(100) * 100
}

fn last_shown(selection: &mut Selection) -> Option<&mut Choice> {
    selection
        .iter_mut()
        .rev()
        .flat_map(|items| items.iter_mut().rev())
        .find(|shown| shown.is_some())
}

/// Number of items shown with a shorter text than their fullest one.
fn shortened(selection: &Selection) -> usize {
    selection.iter().flatten().filter(|shown| shown.is_some_and(|shown| shown > 0)).count()
}

/// Writes a package in one format.
struct PackageWriter<'a> {
    package: &'a ContextPackage,
    format: Format,
    budget: &'a Budget,
    /// A budget that fits the whole package.
    full_tokens: usize,
}

impl<'a> PackageWriter<'a> {
    fn text(&self, selection: &Selection, footer: Footer) -> anyhow::Result<String> {
        Ok(match self.format {
            Format::Markdown => markdown::text(self, selection, footer)?,
            Format::Json => {
                let mut out = Vec::new();
                wire::write_line(&self.object(selection, footer), &mut out)?;
                String::from_utf8(out)?
            }
            Format::JsonLines => {
                let object = serde_json::to_value(self.object(selection, footer))?;
                let mut out = Vec::new();
                json_lines(object, &mut out)?;
                String::from_utf8(out)?
            }
            Format::Paths => {
                let shown = self.package.sections.iter().zip(selection);
                let items = shown.flat_map(|(section, shown)| section.items.iter().zip(shown));
                let paths = items.filter(|(_, shown)| shown.is_some());
                let paths = paths.filter_map(|(item, _)| item.path.as_deref());
                let mut out = Vec::new();
                write_paths(paths, false, &mut out)?;
                String::from_utf8(out)?
            }
            Format::Toon => {
                format!("{}\n", toon(&serde_json::to_value(self.object(selection, footer))?))
            }
        })
    }

    fn object(&self, selection: &Selection, footer: Footer) -> ContextWire<'a> {
        let package = self.package;
        wire::context(ContextParts {
            package,
            items: &|section, item| {
                let shown = (*selection.get(section)?.get(item)?)?;
                Some(package.sections[section].items[item].details.get(shown))
            },
            omitted: self.omitted(selection, footer),
            more: self.full_command(selection),
            tokens: self.budget.tokens,
            tokenizer: self.budget.tokenizer.as_str(),
        })
    }

    /// Number of tokens of each text of each item.
    fn costs(&self) -> anyhow::Result<Vec<Vec<Cost>>> {
        let mut costs = Vec::new();
        for section in &self.package.sections {
            let mut of_section = Vec::new();
            for item in &section.items {
                let mut of_item = Vec::new();
                for detail in item.details.iter().map(Some).chain([None]) {
                    of_item.push(self.budget.tokenizer.count(&self.item(item, detail)?));
                }
                of_section.push(of_item);
            }
            costs.push(of_section);
        }
        Ok(costs)
    }

    fn item(&self, item: &ContextItem, detail: Option<&Detail>) -> anyhow::Result<String> {
        Ok(match self.format {
            Format::Markdown => markdown::item(item, detail)?,
            Format::Json | Format::JsonLines => {
                format!("{},", serde_json::to_string(&wire::context_item(item, detail))?)
            }
            Format::Paths => item.path.as_deref().map(text::quoted).unwrap_or_default() + "\n",
            Format::Toon => {
                let items = [wire::context_item(item, detail)];
                let text = toon(&serde_json::to_value(items)?);
                // The header with the column names is written once for all rows.
                text.split_once('\n').map_or(text.clone(), |(_, row)| format!("  {row}\n"))
            }
        })
    }

    /// Omitted items: section, number of omitted items, number of shown items.
    fn omitted(&self, selection: &Selection, footer: Footer) -> Vec<(&'static str, usize, usize)> {
        let mut omitted = Vec::new();
        for (section, shown) in self.package.sections.iter().zip(selection) {
            let missing = shown.iter().filter(|shown| shown.is_none()).count();
            if missing + section.beyond > 0 {
                let present = shown.len() - missing;
                omitted.push((section.name.as_str(), missing + section.beyond, present));
            }
        }
        if footer == Footer::Short && !omitted.is_empty() {
            let missing = omitted.iter().map(|(_, missing, _)| missing).sum();
            let present = selection.iter().flatten().filter(|shown| shown.is_some()).count();
            return vec![("items", missing, present)];
        }
        omitted
    }

    /// The command that writes the whole package; `None` if nothing is omitted or shortened.
    fn full_command(&self, selection: &Selection) -> Option<String> {
        let is_cut = selection.iter().flatten().any(|shown| *shown != Some(0));
        (is_cut && !self.budget.command.is_empty()).then(|| self.command_with(self.full_tokens))
    }

    fn command_with(&self, tokens: usize) -> String {
        let words = self.budget.command.iter().map(|word| shell_word(word));
        let words: Vec<String> = words.chain(["--budget".to_owned(), tokens.to_string()]).collect();
        words.join(" ")
    }

    /// Commands that list the items beyond those of the package, by section.
    fn beyond(&self) -> Vec<(&'static str, usize, String)> {
        let sections = self.package.sections.iter();
        sections
            .filter(|section| section.beyond > 0 && !section.command.is_empty())
            .map(|section| {
                let mut words = vec!["lore".to_owned()];
                let (first, rest) = section.command.split_at(1);
                words.extend(first.iter().map(|word| shell_word(word)));
                words.extend(self.budget.tree.iter().map(|word| shell_word(word)));
                words.extend(rest.iter().map(|word| shell_word(word)));
                (section.name.as_str(), section.beyond, words.join(" "))
            })
            .collect()
    }
}
