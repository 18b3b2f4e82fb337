//! `code_research`: what belongs to a question, followed for some steps, with how it was reached.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

use lore_console::focus::parse_question;
use lore_engine::{EdgeKind, ResearchRequest, ResearchResponse, SearchRequest, Syntax};
use lore_schema::{Filter, SourceName};
use lore_server::{
    failure::Failure,
    tools::{Call, Tool, ToolAnswer, no_index},
    tree::{NotesOnly, Opened, Outcome},
};
use serde_json::{Value, json};

use super::{super::not_empty, place};

/// Steps where nothing is said.
const DEPTH: usize = 2;

/// Hits of the first step.
const HITS: usize = 20;

/// Most references that are named.
const REFERENCES: usize = 50;

/// Most edges that are read: several may lead to one reference.
const EDGES: usize = 4 * REFERENCES;

/// Most files, names and topics that are named.
const NAMED: usize = 10;

pub(super) static CODE_RESEARCH: Tool = Tool {
    name: "code_research",
    title: "Code Research",
    description: "Follow what code calls, uses and implements, from a question such as `implementations \
                  of Store` or from what words find.",
    is_read_only: true,
    input: || {
        json!({
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "A question or words"},
                "path": {"type": "string", "default": ".", "description": "A folder of this session's roots"},
                "depth": {
                    "type": "integer", "minimum": 1, "maximum": 5, "default": DEPTH,
                    "description": "Steps to follow",
                },
                "focus": {
                    "type": "string", "enum": ["architecture", "dependencies", "patterns", "flow"],
                    "description": "What to ask where the query is a name alone",
                },
            },
            "required": ["query"],
            "additionalProperties": false,
        })
    },
    output: None,
    call: |call| research(call),
};

/// Something that the research reached.
struct Reference {
    path: String,
    symbol: String,
    kind: String,
    relationship: &'static str,
    hop: usize,
}

/// The references of an answer.
#[derive(Default)]
struct References {
    references: Vec<Reference>,
    /// True if there are more.
    is_cut: bool,
}

impl References {
    /// Adds a reference, up to the maximum.
    fn add(&mut self, reference: Reference) {
        if self.references.len() < REFERENCES {
            self.references.push(reference);
        } else {
            self.is_cut = true;
        }
    }
}

fn research(call: &Call<'_>) -> Result<ToolAnswer, Failure> {
    let arguments = &call.arguments;
    let query = not_empty(call, "query")?.to_owned();
    let (tree, folder) = place(call)?;
    let depth = arguments.number("depth").unwrap_or(DEPTH);
    let focus = arguments.text("focus").map(str::to_owned);
    let filter = Filter { paths: folder.into_iter().collect(), ..Filter::default() };
    let (words, aim) = (query.clone(), focus.clone());
    let asked = tree.run(&call.control, move |opened| {
        // A question for the graph is answered by the graph.
        match parse_question(&words, aim.as_deref()) {
            Ok((question, _)) => {
                let request = ResearchRequest {
                    question,
                    depth: Some(depth),
                    filter: filter.clone(),
                    limit: EDGES,
                    guesses: false,
                };
                by_graph(opened, &request)
            }
            Err(_) => by_words(opened, &words, depth, filter),
        }
    })?;
    let References { references, is_cut } = match asked {
        Outcome::Answered(found) => found,
        Outcome::NotReady(progress) => return Err(no_index(progress)),
    };
    let mut analysis = analysis(&query, focus.as_deref(), &references);
    if is_cut {
        let count = references.len();
        let _ = write!(analysis, "\nOnly the nearest {count} are listed; narrow it with `path`.");
    }
    let value = json!({
        "query": query,
        "depth": depth,
        "focus": focus,
        "analysis": analysis,
        "result_count": references.len(),
        "references": references.iter().map(reference_json).collect::<Vec<_>>(),
        "related_topics": topics(&references),
    });
    Ok(ToolAnswer { text: format!("{value:#}"), structured: None })
}

fn reference_json(reference: &Reference) -> Value {
    json!({
        "path": reference.path,
        "symbol": reference.symbol,
        "kind": reference.kind,
        "relationship": reference.relationship,
        "hop_level": reference.hop,
    })
}

fn by_graph(opened: &Opened, request: &ResearchRequest) -> Result<References, Failure> {
    Ok(reached(&opened.engine.research(request, &NotesOnly)?))
}

/// The far ends of the edges of an answer, each once.
fn reached(response: &ResearchResponse) -> References {
    let mut found = References { is_cut: response.is_cut, ..References::default() };
    // Edges are in the order of their distance: the end that is known is the nearer one.
    let mut known: BTreeSet<usize> = response.subjects.iter().copied().collect();
    for edge in &response.edges {
        let far = if known.contains(&edge.from) { edge.to } else { edge.from };
        if !known.insert(far) {
            continue;
        }
        let node = &response.nodes[far];
        found.add(Reference {
            path: node.path.clone().unwrap_or_default(),
            symbol: node.name.clone(),
            kind: node.kind.to_owned(),
            relationship: match edge.kind {
                EdgeKind::Implements | EdgeKind::Extends | EdgeKind::Derives => "implements",
                EdgeKind::Uses => "uses",
                kind => kind.as_str(),
            },
            hop: edge.depth,
        });
    }
    found
}

fn by_words(
    opened: &Opened,
    query: &str,
    depth: usize,
    filter: Filter,
) -> Result<References, Failure> {
    let request = SearchRequest::new("")
        .with_query(query.to_owned())
        .with_syntax(Syntax::Raw)
        .with_filter(Filter { sources: vec![SourceName::Code], ..filter })
        .with_limit(HITS)
        .with_hops(depth)
        .with_mode(opened.settings.mode())
        .with_fusion(opened.settings.fusion());
    let response = opened.engine.search(&request, &NotesOnly)?;
    let mut found = References::default();
    for reference in response.hits.into_iter().map(|hit| Reference {
        path: hit.path.unwrap_or_default(),
        symbol: hit.title,
        kind: hit.kind,
        relationship: if hit.hops == 0 { "direct_match" } else { "referenced" },
        hop: hit.hops,
    }) {
        found.add(reference);
    }
    Ok(found)
}

/// Counts, in words.
fn analysis(query: &str, focus: Option<&str>, references: &[Reference]) -> String {
    let focus = focus.map(|focus| format!(", focus {focus}")).unwrap_or_default();
    if references.is_empty() {
        return format!("Nothing was found for \"{query}\"{focus}.");
    }
    let mut kinds = BTreeMap::<&str, usize>::new();
    for reference in references {
        *kinds.entry(&reference.kind).or_default() += 1;
    }
    let files: BTreeSet<&str> =
        references.iter().map(|reference| reference.path.as_str()).collect();
    let mut text = format!("\"{query}\"{focus}: {} places\n", references.len());
    for (kind, count) in kinds {
        let _ = writeln!(text, "- {kind}: {count}");
    }
    let _ = writeln!(text, "in {} files:", files.len());
    for file in files.iter().take(NAMED) {
        let _ = writeln!(text, "- {file}");
    }
    text.truncate(text.trim_end().len());
    text
}

fn topics(references: &[Reference]) -> Vec<&str> {
    let names: BTreeSet<&str> =
        references.iter().map(|reference| reference.symbol.as_str()).collect();
    names.into_iter().take(NAMED).collect()
}

#[cfg(test)]
mod tests {
    use lore_render::output::graph_fixture::{callees, callers};

    use super::*;

    #[test]
    fn research_names_the_far_end_once_and_reports_a_cut() {
        let names = |found: &References| -> Vec<(String, usize)> {
            let all = found.references.iter();
            all.map(|reference| (reference.symbol.clone(), reference.hop)).collect()
        };
        let of_callers = reached(&callers());
        let expected = [("Shop.pay", 1), ("run.py", 1), ("main", 2)];
        assert_eq!(names(&of_callers), expected.map(|(name, hop)| (name.to_owned(), hop)));
        assert!(of_callers.is_cut);
        let of_callees = reached(&callees());
        let expected = [("Shop.pay", 1), ("Disk.save", 2)];
        assert_eq!(names(&of_callees), expected.map(|(name, hop)| (name.to_owned(), hop)));
        assert!(!of_callees.is_cut);
        let mut many = References::default();
        for hop in 0..=REFERENCES {
            many.add(Reference {
                path: "a.rs".into(),
                symbol: "a".into(),
                kind: "function".into(),
                relationship: "calls",
                hop,
            });
        }
        assert!(many.is_cut && many.references.len() == REFERENCES);
    }
}
