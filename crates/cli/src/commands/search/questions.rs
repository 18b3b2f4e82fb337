//! Several questions in one search: one answer after the other, within one budget.

use lore_console::{
    report::{Status, UsageError},
    text::clean,
};
use lore_render::{
    output::{Answer, context::toon, offsets::Offsets},
    pack::PackRequest,
    wire,
};
use lore_session::write_output;
use serde_json::Value;

use super::{AnsweredQuestion, Search, packed_text};
use crate::args::SearchArguments;

/// Maximum number of questions.
const MAX_QUESTIONS: usize = 20;

/// Tokens that the answers for agents share, if the user gives no budget.
const SHARED_TOKENS: usize = 1_200;

/// Minimum number of tokens of an answer.
const MIN_TOKENS: usize = 100;

/// Answers every question, in the order in which they were typed.
pub(super) fn run(arguments: &SearchArguments) -> anyhow::Result<Status> {
    let questions = questions(arguments)?;
    let search = Search::open(arguments)?;
    let mut asker = Asker {
        search: &search,
        left: arguments.amount.budget.map(lore_session::number),
        shared: SHARED_TOKENS,
        objects: Vec::new(),
    };
    let mut status = Status::NoResult;
    for (at, question) in questions.iter().enumerate() {
        let found = asker.ask(question, at, questions.len() - at)?;
        if search.finish(&found) == Status::Success {
            status = Status::Success;
        }
    }
    asker.write_objects()?;
    Ok(status)
}

/// The questions: that of the words, then those of the flags.
fn questions(arguments: &SearchArguments) -> Result<Vec<String>, UsageError> {
    let example = "for example `lore -e \"retry a refund\" -e \"who calls save\"`";
    let words = arguments.query.join(" ");
    let typed = Some(words).filter(|words| !words.is_empty());
    let questions: Vec<String> =
        typed.into_iter().chain(arguments.questions.iter().cloned()).collect();
    if questions.iter().any(|question| question.trim().is_empty()) {
        return Err(UsageError::new("a question is empty").hint(example));
    }
    if MAX_QUESTIONS < questions.len() {
        return Err(UsageError::new(format!(
            "{} questions are too many for one search",
            questions.len()
        ))
        .hint(format!("ask at most {MAX_QUESTIONS} at a time")));
    }
    Ok(questions)
}

/// Answers questions one by one.
struct Asker<'a> {
    search: &'a Search<'a>,
    /// Tokens of the user's budget that are left.
    left: Option<usize>,
    /// Tokens that answers for agents share otherwise.
    shared: usize,
    /// The answers as objects, in the formats of one document.
    objects: Vec<Value>,
}

impl Asker<'_> {
    /// Answers the question at a position; `count` are left, including this one.
    fn ask(&mut self, question: &str, at: usize, count: usize) -> anyhow::Result<AnsweredQuestion> {
        let search = self.search;
        let share = self.left.map(|left| (left / count).max(MIN_TOKENS));
        let packed = search.packed.as_ref().map(|packed| PackRequest {
            budget: share,
            at_most: share.is_none().then(|| (self.shared / count).max(MIN_TOKENS)),
            ..packed.clone()
        });
        let found = search.ask(question.to_owned(), None, packed.as_ref())?;
        let name = search.format.name();
        if matches!(name, "json" | "toon") && search.arguments.amount.budget.is_none() {
            let offsets = search.arguments.amount.offsets.as_deref();
            let offsets = offsets.and_then(Offsets::from_name).unwrap_or_default();
            self.objects.push(wire::search(&Answer::whole(&found.response, offsets)));
            return Ok(found);
        }
        if matches!(name, "agent" | "human" | "markdown") {
            let gap = if at == 0 { "" } else { "\n" };
            let heading = clean(question);
            write_output(|out| writeln!(out, "{gap}## {heading}\n"))?;
        }
        if let Some(packed) = packed {
            let text = packed_text(&found.response, &packed)?;
            let used = packed.tokenizer.count(&text);
            self.left = self.left.map(|left| left.saturating_sub(used));
            self.shared = self.shared.saturating_sub(used);
            write_output(|out| out.write_all(text.as_bytes()))?;
        } else {
            self.left = self.left.zip(share).map(|(left, share)| left.saturating_sub(share));
            let text = search.text(&found.response, share)?;
            write_output(|out| out.write_all(text.as_bytes()))?;
        }
        Ok(found)
    }

    /// Writes the answers of the formats of one document as one list.
    fn write_objects(self) -> anyhow::Result<()> {
        if self.objects.is_empty() {
            return Ok(());
        }
        let list = Value::Array(self.objects);
        match self.search.format.name() {
            "toon" => write_output(|out| writeln!(out, "{}", toon(&list))),
            _ => write_output(|out| wire::write(&list, out)),
        }
    }
}
