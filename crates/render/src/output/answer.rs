//! The input of a format: an answer whose hits are reduced to their levels.

use std::{cell::OnceCell, collections::BTreeMap, io};

use lore_engine::{Hit, SearchResponse, Snippet};

use super::{Format, Style};
use crate::{
    budget::{BudgetReport, BudgetedOutput, Level},
    output::offsets::Offsets,
    tokens::Tokenizer,
};

/// An answer to write.
pub struct Answer<'a> {
    /// The response with the hits to show, reduced to their levels.
    pub response: &'a SearchResponse,
    /// Hits that did not fit into the budget, best first.
    pub dropped: &'a [Hit],
    /// The level of each hit, dropped ones included; empty without a budget.
    pub levels: &'a [Level],
    /// The size of the answer; `None` without a budget.
    pub budget_report: Option<&'a BudgetReport>,
    /// The unit of positions in texts.
    pub offsets: Offsets,
    /// Texts of files by their paths, for the colours of passages.
    pub files: Option<&'a Files>,
}

/// Texts of files by their paths.
pub type Files = BTreeMap<String, String>;

impl<'a> Answer<'a> {
    /// The whole response.
    pub fn whole(response: &'a SearchResponse, offsets: Offsets) -> Answer<'a> {
        Answer { response, dropped: &[], levels: &[], budget_report: None, offsets, files: None }
    }

    /// The level of a hit; `None` without a budget.
    pub fn level(&self, hit: &Hit) -> Option<Level> {
        self.levels.get(hit.rank.checked_sub(1)?).copied()
    }

    /// Adds the texts of files.
    #[must_use]
    pub fn with_files(mut self, files: &'a Files) -> Answer<'a> {
        self.files = Some(files);
        self
    }

    /// The text of a hit's file, if it was added.
    pub fn file(&self, hit: &Hit) -> Option<&'a str> {
        self.files?.get(hit.path.as_deref()?).map(String::as_str)
    }

    /// True if a hit is shown with its signature instead of its passage.
    pub fn shows_signature(&self, hit: &Hit) -> bool {
        self.level(hit) == Some(Level::Signature)
    }
}

/// A response in one format that is fitted into a budget.
pub struct Page<'a> {
    format: &'a dyn Format,
    response: &'a SearchResponse,
    style: &'a Style,
    offsets: Offsets,
    /// Number of tokens of each hit's text, counted on first use.
    counts: Vec<OnceCell<u64>>,
}

impl<'a> Page<'a> {
    /// The response in this format.
    pub fn new(
        format: &'a dyn Format,
        response: &'a SearchResponse,
        style: &'a Style,
        offsets: Offsets,
    ) -> Page<'a> {
        let counts = response.hits.iter().map(|_| OnceCell::new()).collect();
        Page { format, response, style, offsets, counts }
    }

    /// A hit reduced to its level, with its exact number of tokens.
    fn cut(&self, position: usize, level: Level, tokenizer: Tokenizer) -> Hit {
        let hit = &self.response.hits[position];
        let whole = hit.body.as_ref();
        let mut cut = Hit { body: None, ..hit.clone() };
        let counted = whole.unwrap_or(&hit.snippet);
        cut.token_count = *self.counts[position]
            .get_or_init(|| u64::try_from(tokenizer.count(&counted.text)).unwrap_or(u64::MAX));
        if level == Level::Body
            // With its context lines, the passage may be longer than the span.
            && let Some(body) = whole.filter(|body| body.text.len() > cut.snippet.text.len())
        {
            cut.snippet = body.clone();
        }
        if level >= Level::Signature {
            cut.snippet = Snippet::default();
            cut.matches.clear();
            cut.extra.clear();
            cut.doc_comment = None;
            cut.explanation = None;
        }
        if level >= Level::Path {
            cut.signature = None;
            cut.breadcrumb.clear();
            cut.tags.clear();
            cut.also_found_in.clear();
            cut.via = None;
        }
        cut
    }
}

impl BudgetedOutput for Page<'_> {
    fn results(&self) -> usize {
        self.response.hits.len()
    }

    fn render(&self, levels: &[Level], budget_report: &BudgetReport) -> io::Result<String> {
        let all = &self.response.hits;
        let shown = levels.iter().take_while(|level| **level != Level::Dropped).count();
        let hits = (0..shown)
            .map(|position| self.cut(position, levels[position], budget_report.tokenizer))
            .collect();
        let mut receipt = self.response.receipt.clone();
        receipt.exhaustive &= shown == all.len();
        let response = SearchResponse {
            query: self.response.query.clone(),
            hits,
            receipt,
            absence: self.response.absence.clone(),
            follow_ups: self.response.follow_ups.clone(),
            holders: self.response.holders.clone(),
            facets: None,
            warnings: self.response.warnings.clone(),
        };
        let answer = Answer {
            response: &response,
            dropped: &all[shown..],
            levels,
            budget_report: Some(budget_report),
            offsets: self.offsets,
            files: None,
        };
        let mut out = Vec::new();
        self.format.write(&answer, self.style, &mut out)?;
        String::from_utf8(out).map_err(io::Error::other)
    }
}

#[cfg(test)]
mod tests;
