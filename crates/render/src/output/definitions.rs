//! The output formats of lists of definitions, one table row each.

use std::{
    fmt::Write as _,
    io::{self, Write},
};

use lore_console::text;
use lore_engine::{SymbolHit, SymbolMatch, SymbolResponse};

use super::{
    Style, agent,
    edges::write_paths,
    human::{count, plural},
    jsonl, markdown, symbols, toon,
};
use crate::wire;

/// The request that a list of definitions answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listing {
    /// Definitions by name.
    Name,
    /// Definitions of files.
    File,
}

/// An output format of lists of definitions.
pub struct SymbolFormat {
    /// The name that users type.
    pub name: &'static str,
    /// Writes the whole answer. The output never contains control sequences for a terminal.
    pub write: fn(Listing, &SymbolResponse, &Style, &mut dyn Write) -> io::Result<()>,
    /// True if the output itself explains why there is no definition.
    pub explains_absence: bool,
}

/// Every format for lists of definitions, sorted by name.
pub static SYMBOL_FORMATS: &[SymbolFormat] = &[
    SymbolFormat { name: agent::NAME, write: for_agents, explains_absence: true },
    SymbolFormat {
        name: "human",
        write: |listing, response, style, out| match listing {
            Listing::Name => symbols::by_name(response, style, out),
            Listing::File => symbols::of_files(response, style, out),
        },
        explains_absence: false,
    },
    SymbolFormat {
        name: "json",
        write: |_, response, _, out| wire::write(&wire::symbols(response), out),
        explains_absence: true,
    },
    SymbolFormat {
        name: "jsonl",
        write: |_, response, _, out| {
            jsonl::write(serde_json::to_value(wire::symbols(response))?, "results", out)
        },
        explains_absence: true,
    },
    SymbolFormat { name: "markdown", write: markdown_list, explains_absence: false },
    SymbolFormat {
        name: "paths",
        write: |_, response, style, out| {
            write_paths(response.hits.iter().map(|hit| hit.path.as_str()), style.null, out)
        },
        explains_absence: false,
    },
    SymbolFormat {
        name: "toon",
        write: |_, response, _, out| {
            let object = serde_json::to_value(wire::symbols(response))?;
            writeln!(out, "{}", toon::encode(&object))
        },
        explains_absence: true,
    },
];

/// The format for lists of definitions with this name, if it exists.
pub fn symbol_format(name: &str) -> Option<&'static SymbolFormat> {
    SYMBOL_FORMATS.iter().find(|format| format.name == name)
}

/// The names of the formats for lists of definitions.
pub fn symbol_format_names() -> Vec<&'static str> {
    SYMBOL_FORMATS.iter().map(|format| format.name).collect()
}

/// One line per definition: place, kind and name, declaration.
fn for_agents(
    listing: Listing,
    response: &SymbolResponse,
    _: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut text = format!("{}: {}\n", text::clean(&response.query), extent(response));
    for hit in &response.hits {
        let declaration = text::clean(hit.signature.trim());
        let _ = write!(text, "{}", place(listing, hit));
        if !declaration.is_empty() {
            let _ = write!(text, " | {declaration}");
        }
        text.push('\n');
    }
    if let Some(absence) = &response.absence {
        for reason in &absence.reasons {
            let _ = writeln!(text, "{}", text::clean(reason));
        }
    }
    for warning in &response.warnings {
        let _ = writeln!(text, "note: {}", text::clean(warning));
    }
    out.write_all(text.as_bytes())
}

/// `path:first-last kind Container.name`, with the kind of match unless the name is exact.
fn place(listing: Listing, hit: &SymbolHit) -> String {
    let container =
        hit.container.as_ref().map(|container| format!("{container}.")).unwrap_or_default();
    let name = text::clean(&format!("{} {container}{}", hit.kind, hit.name));
    let mut place =
        format!("{}:{}-{} {name}", text::quoted(&hit.path), hit.start_line, hit.end_line);
    let label = hit.matched.filter(|matched| {
        listing == Listing::Name && !matches!(matched, SymbolMatch::Exact | SymbolMatch::Member)
    });
    if let Some(label) = label {
        let _ = write!(place, " ({})", symbols::label(label));
    }
    place
}

/// The number of definitions, and whether these are all.
fn extent(response: &SymbolResponse) -> String {
    let is_near = |hit: &&SymbolHit| hit.matched == Some(SymbolMatch::Near);
    let near = response.hits.iter().filter(is_near).count();
    let shown = (response.hits.len() - near) as u64;
    let found = match shown {
        0 => "no definition".to_owned(),
        _ if !response.receipt.exhaustive => {
            format!("the first {} definitions", count(shown))
        }
        1 => "the only definition".to_owned(),
        _ => format!("all {}", plural(shown, "definition", "definitions")),
    };
    match near {
        0 => found,
        near => format!("{found}, {}", plural(near as u64, "near name", "near names")),
    }
}

/// A list with an item per definition.
fn markdown_list(
    listing: Listing,
    response: &SymbolResponse,
    _: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "### {}: {}\n", markdown::word(&response.query), extent(response))?;
    for hit in &response.hits {
        write!(out, "- {}", markdown::word(&place(listing, hit)))?;
        let declaration = text::clean(hit.signature.trim());
        if !declaration.is_empty() {
            write!(out, ": {}", markdown::span(&declaration))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::graph_fixture;

    #[test]
    fn formats_are_sorted_and_write_every_definition() {
        assert!(symbol_format_names().is_sorted_by(|left, right| left < right));
        for (listing, response) in
            [(Listing::Name, graph_fixture::symbols()), (Listing::File, graph_fixture::files())]
        {
            for format in SYMBOL_FORMATS {
                let mut out = Vec::new();
                (format.write)(listing, &response, &Style::plain(), &mut out)
                    .expect("writing to a vector cannot fail");
                let text = String::from_utf8(out).expect("output is Unicode");
                if matches!(format.name, "agent" | "markdown") {
                    insta::assert_snapshot!(text);
                }
                for hit in &response.hits {
                    assert!(text.contains(&hit.path), "{}: {text}", format.name);
                }
            }
        }
    }
}
