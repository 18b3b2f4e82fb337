//! The answers of other systems: `--as NAME`. One file and one row each.
//!
//! A contract sets the default sources and limit, and writes the answer in the exact shape, order of
//! keys and scale of its system. `semtree` and `swift` rank with the engine, like every other
//! command; `lean`, `sage` and `spex` rank documents in memory by the published rule of their system.

mod arguments;
mod documents;
mod lean;
pub mod mcp;
pub mod sage;
mod semtree;
pub mod spex;
mod swift;

use std::{
    io::{self, Write},
    path::Path,
};

pub use arguments::ContractArguments;
use lore_console::report::{Status, UsageError};
use lore_engine::{
    Engine, EngineError, Extras, Fusion, Mode, SearchRequest, SearchResponse, SymbolRequest,
};
use lore_render::output::{self, style::Style};
use lore_schema::{Filter, SourceName};
use lore_session::progress::Reporter;
use lore_settings::Settings;

/// A replaced system whose answers are reproduced exactly.
pub trait Contract: Sync {
    /// The name that users type.
    fn name(&self) -> &'static str;

    /// The values used without flags.
    fn defaults(&self) -> Defaults;

    /// Default limit of a search with this filter.
    fn limit(&self, _: &Filter) -> usize {
        self.defaults().limit
    }

    /// The search mode; `None` for that of the settings.
    fn mode(&self) -> Option<Mode> {
        Some(Mode::Lexical)
    }

    /// Default fusion of lexical and semantic scores.
    fn fusion(&self) -> Fusion {
        Fusion::default()
    }

    /// Default minimum score, on the scale of the contract.
    fn least_score(&self) -> f32 {
        0.0
    }

    /// Maximum of the contract's scale.
    fn top_score(&self) -> f32 {
        1.0
    }

    /// Returns true if its sources have names of their own, which it then parses itself.
    fn names_sources(&self) -> bool {
        false
    }

    /// Applies the flags of this system to a request.
    fn prepare(&self, _: &mut SearchRequest, _: &ContractArguments) -> Result<(), UsageError> {
        Ok(())
    }

    /// Answers a search.
    fn search(&self, asked: &ContractRequest<'_, SearchRequest>)
    -> anyhow::Result<Box<dyn Answer>>;

    /// Finds definitions by name; `None` if the system has no such command.
    fn symbols(
        &self,
        _: &ContractRequest<'_, SymbolRequest>,
    ) -> Option<anyhow::Result<Box<dyn Answer>>> {
        None
    }

    /// Lists the definitions of files; `None` if the system has no such command.
    fn files(
        &self,
        _: &ContractRequest<'_, SymbolRequest>,
    ) -> Option<anyhow::Result<Box<dyn Answer>>> {
        None
    }
}

/// Replaces the parts of a request that a contract decides where the caller specified nothing: the
/// limit, the mode, the weights, the minimum score, and no optional parts.
pub fn with_defaults(
    request: SearchRequest,
    contract: &dyn Contract,
    settings: &Settings,
) -> SearchRequest {
    let limit = contract.limit(&request.filter);
    request
        .with_limit(limit)
        .with_mode(contract.mode().unwrap_or_else(|| settings.mode()))
        .with_fusion(settings.fusion_over(contract.fusion()))
        .with_min_score(contract.least_score())
        .with_extras(Extras::default())
}

/// Values of a contract used without flags. They ignore settings files, because programs that read
/// the answer expect the defaults of the system.
#[derive(Debug, Clone, Copy)]
pub struct Defaults {
    /// Maximum number of hits.
    pub limit: usize,
    /// The sources that are searched.
    pub sources: &'static [SourceName],
    /// The formats, in the order of their names.
    pub formats: &'static [&'static str],
    /// The format on a terminal.
    pub on_terminal: &'static str,
    /// The format for a file or a program.
    pub piped: &'static str,
    /// The flags that only some contracts take, as users type them.
    pub flags: &'static [&'static str],
    /// Exit status of a search without hits.
    pub on_none: Status,
}

/// A request to a contract, with everything needed to answer it.
pub struct ContractRequest<'a, Request> {
    /// The engine.
    pub engine: &'a Engine,
    /// The tree, absolute.
    pub root: &'a Path,
    /// The request, with defaults filled in.
    pub request: Request,
    /// The flags of this system.
    pub typed: &'a ContractArguments,
    /// The sources, as typed.
    pub sources: &'a [String],
    /// Receives progress and warnings.
    pub progress: &'a Reporter,
}

/// An answer, ready to be written.
pub trait Answer {
    /// Returns true if there is no hit.
    fn is_empty(&self) -> bool;

    /// Writes the whole answer in one of the contract's formats. It must contain no
    /// terminal control sequences, whatever the searched files contain.
    fn write(&self, format: &str, style: &Style, out: &mut dyn Write) -> io::Result<()>;

    /// Writes notes to standard error, after the answer was written.
    fn report(&self, engine: &Engine);
}

/// Every contract, in the order of the names.
pub static CONTRACTS: &[&dyn Contract] =
    &[&lean::Lean, &sage::Sage, &semtree::Semtree, &spex::Spex, &swift::Swift];

/// The contract with this name, if there is one.
pub fn contract(name: &str) -> Option<&'static dyn Contract> {
    CONTRACTS.iter().copied().find(|contract| contract.name() == name)
}

/// The names of the contracts.
pub fn names() -> Vec<&'static str> {
    CONTRACTS.iter().map(|contract| contract.name()).collect()
}

/// The names of all formats, those of contracts included, sorted.
pub fn format_names() -> Vec<&'static str> {
    let of_contracts = CONTRACTS.iter().flat_map(|contract| contract.defaults().formats);
    let mut names: Vec<&str> = output::names().into_iter().chain(of_contracts.copied()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Refuses the flags that this contract does not take; without a contract, all of them but `own`.
pub fn refuse_foreign(
    contract: Option<&dyn Contract>,
    own: &[&'static str],
    typed: &[&'static str],
) -> Result<(), UsageError> {
    let taken = contract.map_or(own, |contract| contract.defaults().flags);
    let Some(foreign) = typed.iter().find(|flag| !taken.contains(flag)) else { return Ok(()) };
    let owners: Vec<String> = CONTRACTS
        .iter()
        .filter(|contract| contract.defaults().flags.contains(foreign))
        .map(|contract| format!("`--as {}`", contract.name()))
        .collect();
    Err(UsageError::new(format!("`{foreign}` is only for {}", owners.join(" and ")))
        .hint(format!("add {}, or leave `{foreign}` out", owners.join(" or "))))
}

/// Refuses the filters of a search that this contract's system does not have: all of them, and
/// every choice of sources but its own.
pub fn refuse_filters(contract: &dyn Contract, request: &SearchRequest) -> Result<(), UsageError> {
    let own = contract.defaults().sources;
    let unfiltered = Filter { sources: own.to_vec(), ..Filter::default() };
    let has_conditions =
        !request.attributes.is_empty() || request.min_score != 0.0 || request.hops != 0;
    if request.filter == unfiltered && !has_conditions {
        return Ok(());
    }
    let name = contract.name();
    let sources: Vec<&str> = own.iter().map(|source| source.as_str()).collect();
    Err(UsageError::new(format!("`--as {name}` has no filters")).hint(format!(
        "leave `--as {name}` out, for example `lore search --in {} QUERY`",
        sources.join(",")
    )))
}

/// Searches with the engine; `None` for a query without a word, for which those systems return no
/// hits rather than an error.
pub fn ask(
    engine: &Engine,
    request: &SearchRequest,
    progress: &Reporter,
) -> Result<Option<SearchResponse>, EngineError> {
    // With a filter, the engine would list all documents that match it.
    let is_pattern = request.pattern.is_some();
    if !is_pattern
        && !request.query.chars().any(|character| character.is_alphanumeric() || character == '_')
    {
        return Ok(None);
    }
    match engine.search(request, progress) {
        Ok(response) => {
            for warning in &response.warnings {
                progress.warn(warning);
            }
            Ok(Some(response))
        }
        Err(EngineError::EmptyQuery) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The output format: the typed one, otherwise the default of the contract.
pub fn choose_format(
    contract: &dyn Contract,
    typed: Option<&str>,
    terminal: bool,
) -> Result<&'static str, UsageError> {
    let defaults = contract.defaults();
    let Some(typed) = typed else {
        return Ok(if terminal { defaults.on_terminal } else { defaults.piped });
    };
    defaults.formats.iter().copied().find(|format| *format == typed).ok_or_else(|| {
        UsageError::new(format!("there is no format `{typed}` under `--as {}`", contract.name()))
            .hint(format!("its formats are {}", defaults.formats.join(", ")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contracts_are_sorted_and_their_defaults_are_sound() {
        assert!(names().is_sorted_by(|left, right| left < right));
        for contract in CONTRACTS {
            let defaults = contract.defaults();
            assert!(defaults.formats.is_sorted(), "{}", contract.name());
            assert!(defaults.formats.contains(&defaults.on_terminal), "{}", contract.name());
            assert!(defaults.formats.contains(&defaults.piped), "{}", contract.name());
            assert!(defaults.formats.contains(&"json"), "{}", contract.name());
            assert!(0 < defaults.limit, "{}", contract.name());
        }
    }

    #[test]
    fn limits_and_minimum_scores_are_those_of_the_systems() {
        let of = |name| {
            let contract = contract(name).expect("it is registered");
            (contract.limit(&Filter::default()), contract.least_score(), contract.top_score())
        };
        assert_eq!(of("lean"), (50, 10.0, 100.0));
        assert_eq!(of("sage"), (10, 0.0, 1.0));
        assert_eq!(of("semtree"), (20, 0.0, 1.0));
        assert_eq!(of("spex"), (10, 0.0, 1.0));
        assert_eq!(of("swift"), (20, 0.0, 1.0));
    }

    #[test]
    fn a_flag_belongs_to_its_contract() {
        let spex = contract("spex");
        assert!(refuse_foreign(spex, &[], &["--id-sep"]).is_ok());
        assert!(refuse_foreign(None, &["--strict"], &["--strict"]).is_ok());
        let error = refuse_foreign(None, &["--strict"], &["--id-sep"]).unwrap_err();
        assert_eq!(error.to_string(), "`--id-sep` is only for `--as spex`");
        assert_eq!(error.hint.as_deref(), Some("add `--as spex`, or leave `--id-sep` out"));
    }

    #[test]
    fn a_format_is_one_of_the_contract() {
        let spex = contract("spex").expect("it is registered");
        assert_eq!(choose_format(spex, Some("json"), true).ok(), Some("json"));
        assert_eq!(choose_format(spex, None, false).ok(), Some("human"));
        let error = choose_format(spex, Some("paths"), true).unwrap_err();
        assert_eq!(error.to_string(), "there is no format `paths` under `--as spex`");
    }
}
