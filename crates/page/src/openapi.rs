//! The endpoints for programs, and their description in the form of `OpenAPI` 3.1. One table makes both, so that
//! the description cannot differ from the server.

use std::sync::Arc;

use lore_render::wire::page as wires;
use serde_json::{Value, json};

use crate::{api, error::PageError, params::Params, site::Site};

/// Address of the description.
pub(crate) const PATH: &str = "/api/openapi.json";

/// An address for programs.
pub(crate) struct Endpoint {
    /// Its path.
    pub(crate) path: &'static str,
    /// The answer, in a few words.
    summary: &'static str,
    /// Its parameters.
    pub(crate) parameters: &'static [Parameter],
    /// Computes the answer.
    pub(crate) answer: fn(&Arc<Site>, &Params) -> Result<Value, PageError>,
    /// Schema of the answer.
    schema: fn() -> Value,
}

/// A parameter of an endpoint.
pub(crate) struct Parameter {
    /// Its name.
    pub(crate) name: &'static str,
    /// Its meaning.
    summary: &'static str,
    /// A value.
    pub(crate) example: &'static str,
    /// True if it must be there.
    pub(crate) is_required: bool,
}

impl Endpoint {
    /// Checks the names of the parameters of a request. `more` are accepted, too.
    pub(crate) fn check(&self, params: &Params, more: &[&'static str]) -> Result<(), PageError> {
        let known = self.parameters.iter().map(|parameter| parameter.name);
        let known: Vec<&str> = known.chain(more.iter().copied()).collect();
        if let Some(unknown) = params.unknown(&known) {
            return Err(PageError::bad(format!("`{}` has no parameter `{unknown}`", self.path))
                .hint(format!("its parameters are {}", known.join(", "))));
        }
        let mut required = self.parameters.iter().filter(|parameter| parameter.is_required);
        match required.find(|parameter| params.get(parameter.name).is_none()) {
            Some(Parameter { name, example, .. }) => {
                Err(PageError::bad(format!("`{}` needs the parameter `{name}`", self.path))
                    .hint(format!("for example {}?{name}={example}", self.path)))
            }
            None => Ok(()),
        }
    }
}

const fn needs(name: &'static str, summary: &'static str, example: &'static str) -> Parameter {
    Parameter { name, summary, example, is_required: true }
}

const fn takes(name: &'static str, summary: &'static str, example: &'static str) -> Parameter {
    Parameter { name, summary, example, is_required: false }
}

const AT: Parameter =
    takes("at", "A commit, branch, tag or date; without it, the files on disk", "HEAD");

/// The search, which a server of several repositories answers over all of them.
pub(crate) const SEARCH: Endpoint = Endpoint {
    path: "/api/search",
    summary: "The hits of a query, with counts of their attributes",
    parameters: &[
        takes("q", "Words, a question, a name, or the query language", "retry a refund"),
        takes(
            "in",
            "Sources: code, docs, git, patterns, specs, tickets; separated by commas",
            "code",
        ),
        takes("lang", "Languages, separated by commas", "rust"),
        takes("kind", "Kinds, separated by commas", "function"),
        takes("status", "Statuses, separated by commas", "open"),
        takes("author", "Authors, separated by commas", "ada"),
        takes("since", "Changed since this date", "7d"),
        takes("until", "Changed up to this date", "2025-01-31"),
        takes("path", "Globs of paths, separated by commas", "src/**"),
        takes("exclude", "Globs of paths that are excluded", "tests/**"),
        takes("tag", "Tags, separated by commas", "billing"),
        takes("priority", "Priorities, separated by commas", "high"),
        takes("assignee", "People, separated by commas", "ada"),
        takes("mode", "hybrid, lexical or semantic", "hybrid"),
        takes("match", "words, or literal or regex for every match in every file", "words"),
        takes("limit", "Maximum number of hits, from 1 to 100", "10"),
        AT,
    ],
    answer: api::search,
    schema: wires::schemas::search,
};

/// All endpoints, sorted by path.
pub(crate) static ENDPOINTS: &[Endpoint] = &[
    Endpoint {
        path: "/api/commit",
        summary: "A commit: message, changed lines, and the records that it is connected with",
        parameters: &[needs("hash", "A hash or its beginning, a branch or a tag", "HEAD")],
        answer: api::commit,
        schema: wires::schemas::commit,
    },
    Endpoint {
        path: "/api/file",
        summary: "The text of a file without its secrets, and its definitions",
        parameters: &[needs("path", "Path from the root", "README.md"), AT],
        answer: api::text,
        schema: wires::schemas::file,
    },
    Endpoint {
        path: "/api/files",
        summary: "Paths that contain the characters of a text in their order, best first",
        parameters: &[takes("q", "The characters", "readme")],
        answer: api::files,
        schema: wires::schemas::files,
    },
    Endpoint {
        path: "/api/graph",
        summary: "Edges of a definition",
        parameters: &[
            needs("id", "Identifier or name of the definition", "main"),
            takes(
                "relation",
                "callees, callers, dependencies, dependents, implementations, references or related",
                "callers",
            ),
        ],
        answer: api::graph,
        schema: wires::schemas::graph,
    },
    Endpoint {
        path: "/api/history",
        summary: "The commits that change a file or folder, newest first, fifty on a page",
        parameters: &[
            needs("path", "Path from the root", "README.md"),
            takes("page", "Number of the page, from 1", "1"),
            AT,
        ],
        answer: api::history,
        schema: wires::schemas::history,
    },
    Endpoint {
        path: "/api/lines",
        summary: "The commit that changed each line of a file last",
        parameters: &[needs("path", "Path from the root", "README.md"), AT],
        answer: api::lines,
        schema: wires::schemas::lines,
    },
    Endpoint {
        path: "/api/name",
        summary: "The definitions and uses of the name at a place of a file",
        parameters: &[
            needs("path", "Path from the root", "src/lib.rs"),
            needs(
                "place",
                "LINE.COLUMN: the line from 1, the column in UTF-16 units from 0",
                "1.0",
            ),
            AT,
        ],
        answer: api::name,
        schema: wires::schemas::name,
    },
    Endpoint {
        path: "/api/record",
        summary: "A ticket or spec: state, text, and everything that it is connected with",
        parameters: &[needs("id", "Its identifier, or the path of its file", "REF-12")],
        answer: api::record,
        schema: wires::schemas::record,
    },
    SEARCH,
    Endpoint {
        path: "/api/status",
        summary: "State of the index",
        parameters: &[],
        answer: api::status,
        schema: wires::schemas::status,
    },
    Endpoint {
        path: "/api/suggest",
        summary: "Completions of a query",
        parameters: &[needs("q", "The query so far", "ref")],
        answer: api::suggest,
        schema: wires::schemas::suggest,
    },
    Endpoint {
        path: "/api/symbols",
        summary: "Definitions of a name, best first",
        parameters: &[needs("name", "The name", "main")],
        answer: api::symbols,
        schema: wires::schemas::definitions,
    },
    Endpoint {
        path: "/api/tree",
        summary: "Files and folders of a folder",
        parameters: &[takes("path", "Path from the root; without it, the root", "src"), AT],
        answer: api::folder,
        schema: wires::schemas::folder,
    },
    Endpoint {
        path: "/api/why",
        summary: "The commits, tickets, specs and pages that explain a place",
        parameters: &[needs(
            "target",
            "PATH:LINE, the name of a definition, a hash or a ticket",
            "README.md:1",
        )],
        answer: api::why,
        schema: wires::schemas::why,
    },
];

/// The description of all endpoints.
pub(crate) fn description() -> String {
    let mut paths = serde_json::Map::new();
    for endpoint in ENDPOINTS {
        let parameters: Vec<Value> = endpoint
            .parameters
            .iter()
            .map(|parameter| {
                json!({
                    "name": parameter.name,
                    "in": "query",
                    "required": parameter.is_required,
                    "description": parameter.summary,
                    "schema": {"type": "string"},
                    "example": parameter.example,
                })
            })
            .collect();
        let content = |schema: Value| json!({"application/json": {"schema": schema}});
        let error = |summary: &str| json!({"description": summary, "content": content(wires::schemas::error())});
        paths.insert(
            endpoint.path.to_owned(),
            json!({"get": {
                "summary": endpoint.summary,
                "parameters": parameters,
                "responses": {
                    "200": {"description": "The answer", "content": content((endpoint.schema)())},
                    "400": error("The request cannot be understood"),
                    "401": {"description": "The token is missing or wrong"},
                    "403": error("The path is outside the tree, or the Host or Origin is another one"),
                    "404": error("There is nothing of that name"),
                    "500": error("The tree or the index could not be read"),
                    "503": error("The first index is being built, the answer takes too long, or too many requests wait"),
                },
            }}),
        );
    }
    let description = json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Lorehound",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Searches one repository: code, docs, specs, tickets, commits and patterns. Reads only.",
        },
        "security": [{"token": []}, {"cookie": []}],
        "components": {"securitySchemes": {
            "token": {"type": "http", "scheme": "bearer"},
            "cookie": {"type": "apiKey", "in": "cookie", "name": "lore-PORT"},
        }},
        "paths": paths,
    });
    description.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoints_are_sorted_and_described() {
        assert!(ENDPOINTS.is_sorted_by(|left, right| left.path < right.path));
        let description: Value = serde_json::from_str(&description()).expect("JSON");
        for endpoint in ENDPOINTS {
            let described = &description["paths"][endpoint.path]["get"];
            assert_eq!(
                described["parameters"].as_array().map(Vec::len),
                Some(endpoint.parameters.len())
            );
            let schema = &described["responses"]["200"]["content"]["application/json"]["schema"];
            assert_eq!(schema["type"], "object", "{}", endpoint.path);
            assert!(schema["required"].as_array().is_some_and(|keys| !keys.is_empty()));
        }
    }
}
