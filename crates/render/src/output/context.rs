//! A context package within a number of tokens, as Markdown, JSON or TOON.
//!
//! Every item has several texts. Which of them are written is decided by what they take, section by
//! section within their shares; what is over goes first to the next sections, then to fuller texts.
//! The tokens are those of the whole text that is written.
//!
//! **Invariant:** the same package and budget give the same bytes.

mod choice;
mod markdown;

use std::borrow::Cow;

use anyhow::bail;
use lore_console::{report::UsageError, shell::shell_word};
use lore_engine::{ContextItem, ContextPackage, Detail};

use self::choice::{Cost, choose};
pub use super::toon::encode as toon;
use crate::{
    pack::fence,
    tokens::Tokenizer,
    wire::{self, ContextParts},
};

/// A form of a package.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    /// For people and agents.
    #[default]
    Markdown,
    /// One object on one line.
    Json,
    /// The same object in fewer tokens.
    Toon,
}

impl Format {
    /// The names that users type.
    pub const NAMES: [&'static str; 3] = ["json", "markdown", "toon"];

    /// The format with this name, if there is one.
    pub fn from_name(name: &str) -> Option<Format> {
        Some(match name {
            "json" => Format::Json,
            "markdown" => Format::Markdown,
            "toon" => Format::Toon,
            _ => return None,
        })
    }

    /// Whether the text itself says why there is nothing.
    pub fn explains_absence(self) -> bool {
        self != Format::Markdown
    }
}

/// What a package may take, and how to ask for more.
#[derive(Debug, Clone)]
pub struct Budget {
    /// Most tokens of the whole text.
    pub tokens: usize,
    /// How they are counted.
    pub tokenizer: Tokenizer,
    /// The words that ask for the package again, without the budget: `lore`, `context` …; empty
    /// where there is no such command.
    pub command: Vec<String>,
    /// The words that name the tree, for every other command: `-C` and a folder, or none.
    pub tree: Vec<String>,
}

/// A package that is written.
#[derive(Debug)]
pub struct WrittenPackage {
    /// The text with its last line end.
    pub text: String,
    /// Its tokens.
    pub tokens: usize,
}

/// Which text of an item is written: a position in its details, their number for its name and place
/// alone; `None` leaves it out.
type Shown = Option<usize>;

/// What is written of every section.
type Shape = Vec<Vec<Shown>>;

/// How much is said of what is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Footer {
    /// Section by section, with commands.
    Whole,
    /// How much it is in all, and how to get it.
    Short,
}

/// Attempts to come below the budget by aiming lower.
const ATTEMPTS: usize = 12;

/// The package with fences around what outsiders wrote and what reads like orders.
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

/// Writes as much of a package as fits, best first.
///
/// # Errors
/// When not even its head fits.
pub fn write(
    package: &ContextPackage,
    format: Format,
    budget: &Budget,
) -> anyhow::Result<WrittenPackage> {
    let fenced = fenced(package);
    let package = fenced.as_ref();
    let sheet = BudgetedOutput { package, format, budget, whole: 0 };
    let everything: Shape = package
        .sections
        .iter()
        .map(|section| section.items.iter().map(|_| Some(0)).collect())
        .collect();
    let text = sheet.text(&everything, Footer::Whole)?;
    let all = budget.tokenizer.count(&text);
    if all <= budget.tokens {
        return Ok(WrittenPackage { text, tokens: all });
    }
    let sheet = BudgetedOutput { whole: rounded(all), ..sheet };
    let costs = sheet.costs()?;
    let nothing: Shape =
        package.sections.iter().map(|section| vec![None; section.items.len()]).collect();
    for footer in [Footer::Whole, Footer::Short] {
        let frame = budget.tokenizer.count(&sheet.text(&nothing, footer)?);
        if frame > budget.tokens {
            continue;
        }
        let mut room = budget.tokens.saturating_sub(frame);
        let mut shape = nothing.clone();
        for _ in 0..ATTEMPTS {
            shape = choose(&package.sections, &costs, room);
            let text = sheet.text(&shape, footer)?;
            let tokens = budget.tokenizer.count(&text);
            if tokens <= budget.tokens {
                return Ok(WrittenPackage { text, tokens });
            }
            room = room.saturating_sub(tokens - budget.tokens + 1);
        }
        while let Some(last) = last_shown(&mut shape) {
            *last = None;
            let text = sheet.text(&shape, footer)?;
            if let Some(tokens) = budget.tokenizer.count_within(&text, budget.tokens) {
                return Ok(WrittenPackage { text, tokens });
            }
        }
    }
    let least = budget.tokenizer.count(&sheet.text(&nothing, Footer::Short)?);
    bail!(
        UsageError::new(format!(
            "{} tokens hold no package for this task: its head alone takes {least}",
            budget.tokens
        ))
        .hint(format!("ask for more, for example `{}`", sheet.again(least * 4)))
    );
}

/// A budget that is easy to read and holds a bit more than this.
fn rounded(tokens: usize) -> usize {
    (tokens + 60).div_ceil(100) * 100
}

fn last_shown(shape: &mut Shape) -> Option<&mut Shown> {
    shape.iter_mut().rev().flat_map(|items| items.iter_mut().rev()).find(|shown| shown.is_some())
}

/// Items of which a fuller text is left out.
fn shortened(shape: &Shape) -> usize {
    shape.iter().flatten().filter(|shown| shown.is_some_and(|shown| shown > 0)).count()
}

/// A package in one of its forms.
struct BudgetedOutput<'a> {
    package: &'a ContextPackage,
    format: Format,
    budget: &'a Budget,
    /// Tokens that hold all of it.
    whole: usize,
}

impl BudgetedOutput<'_> {
    fn text(&self, shape: &Shape, footer: Footer) -> anyhow::Result<String> {
        Ok(match self.format {
            Format::Markdown => markdown::text(self, shape, footer)?,
            Format::Json => {
                let mut out = Vec::new();
                wire::write_line(&self.object(shape, footer), &mut out)?;
                String::from_utf8(out)?
            }
            Format::Toon => format!("{}\n", toon(&self.object(shape, footer))),
        })
    }

    fn object(&self, shape: &Shape, footer: Footer) -> serde_json::Value {
        wire::context(&ContextParts {
            package: self.package,
            items: &|section, item| {
                let shown = (*shape.get(section)?.get(item)?)?;
                Some(self.package.sections[section].items[item].details.get(shown))
            },
            left_out: self.left_out(shape, footer),
            more: self.more(shape),
            tokens: self.budget.tokens,
            tokenizer: self.budget.tokenizer.as_str(),
        })
    }

    /// What each text of each item takes by itself.
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
            Format::Json => format!("{},", wire::context_item(item, detail)),
            Format::Toon => {
                let items = serde_json::Value::Array(vec![wire::context_item(item, detail)]);
                let text = toon(&items);
                // The names of the columns stand once above all of them.
                text.split_once('\n').map_or(text.clone(), |(_, row)| format!("  {row}\n"))
            }
        })
    }

    /// What is left out: section, items that are not there, items that are there.
    fn left_out(&self, shape: &Shape, footer: Footer) -> Vec<(&'static str, usize, usize)> {
        let mut left_out = Vec::new();
        for (section, shown) in self.package.sections.iter().zip(shape) {
            let missing = shown.iter().filter(|shown| shown.is_none()).count();
            if missing + section.beyond > 0 {
                let there = shown.len() - missing;
                left_out.push((section.name.as_str(), missing + section.beyond, there));
            }
        }
        if footer == Footer::Short && !left_out.is_empty() {
            let missing = left_out.iter().map(|(_, missing, _)| missing).sum();
            let there = shape.iter().flatten().filter(|shown| shown.is_some()).count();
            return vec![("items", missing, there)];
        }
        left_out
    }

    /// The command that writes all of the package; `None` where nothing of it is left out.
    fn more(&self, shape: &Shape) -> Option<String> {
        let is_cut = shape.iter().flatten().any(|shown| *shown != Some(0));
        (is_cut && !self.budget.command.is_empty()).then(|| self.again(self.whole))
    }

    fn again(&self, tokens: usize) -> String {
        let words = self.budget.command.iter().map(|word| shell_word(word));
        let words: Vec<String> = words.chain(["--budget".to_owned(), tokens.to_string()]).collect();
        words.join(" ")
    }

    /// Commands that list what was not looked at, by section.
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
