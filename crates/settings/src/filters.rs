//! Builds the engine's filter from the filter arguments, and rejects invalid ones.

use std::path::Path;

use globset::GlobBuilder;
use jiff::Zoned;
use lore_console::{dates, names::did_you_mean, report::UsageError};
use lore_engine::{Archived, AttributeFilter, Period, native};
use lore_schema::{Category, Filter, Part, SourceName, SymbolKind};

use crate::flags::{CodeFilterArguments, FilterArguments};

/// Kinds of documents, in addition to the kinds of definitions. The list only serves suggestions
/// for misspelled names; unknown names are searched as they are.
const DOCUMENT_KINDS: &[&str] = &[
    "anti-pattern",
    "commit",
    "decision",
    "delta",
    "design",
    "file",
    "guide",
    "pattern",
    "plan",
    "proposal",
    "report",
    "requirements",
    "research",
    "rfc",
    "spec",
    "steering",
    "tasks",
    "tests",
    "ticket",
];

/// Builds the filter. `default_sources` applies without `--in`; absolute paths below `root` become
/// relative.
pub fn filter(
    arguments: &FilterArguments,
    default_sources: &[String],
    root: &Path,
    now: &Zoned,
) -> Result<Filter, UsageError> {
    let typed = if arguments.sources.is_empty() { default_sources } else { &arguments.sources };
    let (sources, parts) = sources(typed)?;
    Ok(Filter { sources, parts, ..filter_without_sources(arguments, root, now)? })
}

/// Builds the filter without the choice of sources.
pub fn filter_without_sources(
    arguments: &FilterArguments,
    root: &Path,
    now: &Zoned,
) -> Result<Filter, UsageError> {
    Ok(Filter {
        since: period("--since", arguments.since.as_deref(), now)?.map(|period| period.start),
        until: period("--until", arguments.until.as_deref(), now)?.map(|period| period.end),
        ..code_filter(&arguments.code, root)?
    })
}

/// Builds the filter of a query for definitions.
pub fn code_filter(arguments: &CodeFilterArguments, root: &Path) -> Result<Filter, UsageError> {
    Ok(Filter {
        paths: arguments
            .paths
            .iter()
            .map(|glob| path("--path", glob, root))
            .collect::<Result<_, _>>()?,
        excludes: arguments
            .excludes
            .iter()
            .map(|glob| path("--exclude", glob, root))
            .collect::<Result<_, _>>()?,
        // An unknown language is searched as it is: the answer then explains why it does not match.
        languages: names("--lang", &arguments.languages)?
            .into_iter()
            .map(|name| lore_engine::language_name(&name).map_or(name, str::to_owned))
            .collect(),
        kinds: names("--kind", &arguments.kinds)?
            .into_iter()
            .map(|name| SymbolKind::of_word(&name).map_or(name, str::to_owned))
            .collect(),
        ..Filter::default()
    })
}

/// Location of the docs for agents and their examples.
const AGENT_FOLDER: &str = "**/.sage/agent/**";

/// Names of `--in` that select parts of sources: the sources, and the selected part.
const PARTS: &[(&str, &[SourceName], Region)] = &[
    ("agent", &[SourceName::Docs, SourceName::Patterns, SourceName::Specs], Region::Agent),
    (
        "examples",
        &[SourceName::Code, SourceName::Docs, SourceName::Patterns],
        Region::Of(Category::Example),
    ),
    (
        "templates",
        &[SourceName::Code, SourceName::Docs, SourceName::Patterns, SourceName::Specs],
        Region::Of(Category::Template),
    ),
];

/// A part of a source.
#[derive(Debug, Clone, Copy)]
enum Region {
    Agent,
    Of(Category),
}

impl Region {
    fn of(self, source: SourceName) -> Part {
        let (paths, categories) = match self {
            Region::Agent => (vec![AGENT_FOLDER.to_owned()], Vec::new()),
            Region::Of(category) => (Vec::new(), vec![category]),
        };
        Part { source, paths, categories }
    }
}

/// Every name that `--in` accepts, sorted.
pub fn source_names() -> Vec<&'static str> {
    let sources = SourceName::ALL.iter().map(|source| source.as_str());
    let mut names: Vec<&str> = sources.chain(PARTS.iter().map(|(name, ..)| *name)).collect();
    names.sort_unstable();
    names
}

/// The sources to search, and the parts of sources that are not searched in full.
fn sources(typed: &[String]) -> Result<(Vec<SourceName>, Vec<Part>), UsageError> {
    let mut whole: Vec<SourceName> = Vec::new();
    let mut parts: Vec<Part> = Vec::new();
    for name in typed {
        let folded = name.trim().to_lowercase();
        if let Some(source) = SourceName::from_name(&folded) {
            whole.push(source);
        } else if let Some((_, sources, region)) = PARTS.iter().find(|(part, ..)| *part == folded) {
            parts.extend(sources.iter().map(|source| region.of(*source)));
        } else {
            let known = source_names();
            let error = UsageError::new(format!("there is no source `{name}`"));
            return Err(error.hint(format!(
                "the sources are {}{}",
                known.join(", "),
                did_you_mean(&folded, &known)
            )));
        }
    }
    let mut all = whole.clone();
    for part in &parts {
        if !all.contains(&part.source) {
            all.push(part.source);
        }
    }
    // A source named in full keeps all its parts; its templates still need their own name.
    parts.retain(|part| {
        !whole.contains(&part.source) || part.categories.contains(&Category::Template)
    });
    let is_divided = |source: &SourceName| parts.iter().any(|part| part.source == *source);
    let rest: Vec<SourceName> = whole.into_iter().filter(is_divided).collect();
    parts.extend(rest.into_iter().map(|source| Part {
        source,
        paths: Vec::new(),
        categories: Vec::new(),
    }));
    Ok((all, parts))
}

/// Converts a glob to one relative to the root, and checks its syntax.
pub fn path(flag: &str, typed: &str, root: &Path) -> Result<String, UsageError> {
    let relative = Path::new(typed)
        .strip_prefix(root)
        .ok()
        .filter(|_| Path::new(typed).is_absolute())
        .and_then(Path::to_str)
        .unwrap_or(typed);
    // Users type the separators of their system; on Unix a backslash escapes the next character.
    let relative = native::display(relative);
    let relative = relative.strip_prefix("./").unwrap_or(&relative).trim_end_matches('/');
    // The whole tree, as users and shell completion write it.
    let relative = if matches!(relative, "." | "") && !typed.is_empty() { "**" } else { relative };
    let refuse = |reason: &str| {
        UsageError::new(format!("could not understand the glob `{typed}` of `{flag}`: {reason}"))
    };
    if relative.is_empty() {
        return Err(refuse("it is empty").hint("omit the flag to search all paths"));
    }
    if relative.starts_with('/') || relative.split('/').any(|part| part == "..") {
        return Err(refuse("it is outside the tree")
            .hint("paths start at the root of the tree; use `-C DIR` to search another one"));
    }
    GlobBuilder::new(relative)
        .literal_separator(true)
        .build()
        .map_err(|error| {
            refuse(&error.kind().to_string())
                .hint("to match `[`, `{` or `*` literally, write `[[]`, `[{]` or `[*]`")
        })
        .map(|_| relative.to_owned())
}

fn names(flag: &str, typed: &[String]) -> Result<Vec<String>, UsageError> {
    typed
        .iter()
        .map(|name| {
            let name = name.trim().to_lowercase();
            if name.is_empty() {
                return Err(UsageError::new(format!("`{flag}` contains an empty name")));
            }
            Ok(name)
        })
        .collect()
}

fn period(flag: &str, text: Option<&str>, now: &Zoned) -> Result<Option<Period>, UsageError> {
    let read = |text: &str| {
        dates::period(text, now).ok_or_else(|| {
            UsageError::new(format!("could not understand the date `{text}` of `{flag}`"))
                .hint(dates::FORMS)
        })
    };
    text.map(read).transpose()
}

/// Builds the filter on attributes of documents.
pub fn attributes(arguments: &FilterArguments) -> Result<AttributeFilter, UsageError> {
    let fields = arguments.fields.iter().map(|field| match field.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() && !value.trim().is_empty() => {
            Ok((name.trim().to_owned(), value.trim().to_owned()))
        }
        _ => Err(UsageError::new(format!("could not understand the field `{field}` of `--field`"))
            .hint("write a name and a value, as in `--field epic=billing`")),
    });
    let archived = arguments.archived.as_deref();
    let archived = Archived::ALL.iter().find(|(name, _)| Some(*name) == archived);
    Ok(AttributeFilter {
        statuses: [names("--status", &arguments.status)?, names("--state", &arguments.state)?]
            .concat(),
        tags: names("--tag", &arguments.tag)?,
        priorities: names("--priority", &arguments.priority)?,
        assignees: names("--assignee", &arguments.assignee)?,
        authors: names("--author", &arguments.author)?,
        fields: fields.collect::<Result<_, _>>()?,
        archived: archived.map_or_else(Archived::default, |(_, archived)| *archived),
    })
}

/// Warnings about kinds that no reader produces, for a search without hits.
pub fn unknown_kinds(kinds: &[String]) -> Vec<String> {
    let known: Vec<&str> = SymbolKind::ALL
        .iter()
        .map(|kind| kind.as_str())
        .chain(DOCUMENT_KINDS.iter().copied())
        .collect();
    unknown("kind", kinds, &known)
}

/// Warnings about languages that the tree does not contain, for a search without hits.
pub fn unknown_languages(languages: &[String], of_tree: &[&str]) -> Vec<String> {
    unknown("language of this tree", languages, of_tree)
}

fn unknown(what: &str, typed: &[String], known: &[&str]) -> Vec<String> {
    typed
        .iter()
        .filter(|name| !known.contains(&name.as_str()))
        .map(|name| {
            let near = did_you_mean(name, known);
            if near.is_empty() {
                format!("`{name}` is not a {what}; the known ones are {}", known.join(", "))
            } else {
                format!("`{name}` is not a {what}{near}")
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use SourceName::{Code, Docs, Patterns, Specs};

    fn build(change: impl FnOnce(&mut FilterArguments)) -> Result<Filter, UsageError> {
        let now: Zoned = "2025-03-10T15:30:00Z[UTC]".parse().expect("a valid time");
        let mut arguments = FilterArguments::default();
        change(&mut arguments);
        filter(&arguments, &["docs".to_owned()], Path::new("/shop"), &now)
    }

    fn path_of(typed: &str) -> Result<String, String> {
        build(|arguments| arguments.code.paths = vec![typed.to_owned()])
            .map(|filter| filter.paths[0].clone())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn sources_fall_back_to_the_settings() {
        let filter = build(|_| ()).expect("valid");
        assert_eq!(filter.sources, [SourceName::Docs]);
        let filter = build(|arguments| arguments.sources = vec!["Git".into(), "code".into()]);
        assert_eq!(filter.expect("valid").sources, [SourceName::Git, SourceName::Code]);
        let error = build(|arguments| arguments.sources = vec!["ticket".into()]).unwrap_err();
        assert_eq!(error.to_string(), "there is no source `ticket`");
        assert_eq!(
            error.hint.as_deref(),
            Some(
                "the sources are agent, code, docs, examples, git, patterns, specs, templates, tickets; \
                 did you mean `tickets`?"
            )
        );
    }

    #[test]
    fn names_select_parts_of_sources() {
        let of = |typed: &[&str]| {
            let typed = typed.iter().map(|&name| name.to_owned()).collect();
            build(|arguments| arguments.sources = typed).expect("valid")
        };
        let part = |source, paths: &[&str], categories: &[Category]| Part {
            source,
            paths: paths.iter().map(|&path| path.to_owned()).collect(),
            categories: categories.to_vec(),
        };
        let agent = of(&["Agent"]);
        assert_eq!(agent.sources, [Docs, Patterns, Specs]);
        let of_agent = |source| part(source, &["**/.sage/agent/**"], &[]);
        assert_eq!(agent.parts, [of_agent(Docs), of_agent(Patterns), of_agent(Specs)]);
        let both = of(&["docs", "agent", "git"]);
        assert_eq!(both.sources, [Docs, SourceName::Git, Patterns, Specs]);
        assert_eq!(both.parts, [of_agent(Patterns), of_agent(Specs)], "all of the docs");
        let templates = of(&["templates"]);
        assert_eq!(templates.sources, [Code, Docs, Patterns, Specs]);
        assert!(templates.parts.iter().all(|part| part.categories == [Category::Template]));
        let examples = of(&["examples"]);
        assert_eq!(examples.sources, [Code, Docs, Patterns]);
        assert!(examples.parts.iter().all(|part| part.categories == [Category::Example]));
        // Naming the templates does not lose the rest of the docs.
        let parts = of(&["docs", "templates"]).parts;
        assert!(parts.contains(&part(Docs, &[], &[Category::Template])));
        assert!(parts.contains(&part(Docs, &[], &[])));
    }

    #[test]
    fn paths_are_relative_to_the_root() {
        assert_eq!(path_of("src/**/*.rs").as_deref(), Ok("src/**/*.rs"));
        assert_eq!(path_of("./src/").as_deref(), Ok("src"));
        assert_eq!(path_of("/shop/src").as_deref(), Ok("src"));
        assert_eq!(path_of("/shop").as_deref(), Ok("**"));
        assert_eq!(path_of(".").as_deref(), Ok("**"));
        assert!(path_of("/etc/passwd").unwrap_err().ends_with("it is outside the tree"));
        assert!(path_of("src/../..").unwrap_err().ends_with("it is outside the tree"));
        assert!(path_of("").unwrap_err().ends_with("it is empty"));
        assert!(path_of("src/[").unwrap_err().starts_with("could not understand the glob `src/[`"));
    }

    #[test]
    fn languages_have_short_names() {
        let languages = |typed: &[&str]| {
            let typed = typed.iter().map(|&name| name.to_owned()).collect();
            build(|arguments| arguments.code.languages = typed).expect("valid").languages
        };
        assert_eq!(languages(&["CPP", "js", "rust"]), ["c++", "javascript", "rust"]);
        assert_eq!(languages(&["klingon"]), ["klingon"]);
    }

    #[test]
    fn misspelled_names_get_a_suggestion() {
        assert_eq!(
            unknown_kinds(&["functon".into(), "class".into()]),
            ["`functon` is not a kind; did you mean `function`?"]
        );
        assert_eq!(
            unknown_languages(&["cobol".into()], &["python", "rust"]),
            ["`cobol` is not a language of this tree; the known ones are python, rust"]
        );
    }
}
