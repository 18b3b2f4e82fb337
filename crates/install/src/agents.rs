//! The supported agents: the paths of their files and the entries to write.
//!
//! `docs/reference/agents.md` gives the source of each fact.

use serde_json::{Value, json};

use super::{
    edit::Edit,
    folders::{AgentPath, Base},
};

/// The name of the entry.
pub(super) const NAME: &str = "lore";

/// The text between the markers. An agent reads it in every session, so it is short.
///
/// A copy without a record, for example in a committed file, is recognised only if it is exactly this
/// text or one of [`EARLIER_INSTRUCTIONS`]. After a change, add the previous text there.
// prose: data begins
pub(super) const INSTRUCTIONS: &str = "\
## Searching this repository

Ask the `lore` MCP tools first:

- `search`: where something is, in code, docs, specs, tickets, history
- `read`: a span or symbol
- `context`: what matters for a task or ticket
- `trace`: who calls, implements or changed it

Better for an exact name or every match: `rg` or `lore rg`; for who changed a line: `git`.

Each answer's receipt: `fresh` covers the files as they are now. Look further where something was not \
searched.";

/// The texts of earlier versions.
const EARLIER_INSTRUCTIONS: &[&str] = &["\
## Searching this repository

Ask the `lore` MCP tools before you grep or read whole files:

- `search`: where something is, in code, docs, specs, tickets and history
- `read`: a span or a symbol with its surroundings
- `context`: what matters for a task or ticket
- `research`: who calls, implements or uses what

Each answer ends with a receipt: `fresh` means that it covers the files as they are now. Where it says \
that something was left out or not searched yet, look further."];
// prose: data ends

/// The command that Claude Code runs at the start of a session: the shell always succeeds, and the
/// output is one line for the agent.
const HOOK: &str = "lore status 2>/dev/null | tail -n 1 || true";

/// The command that Claude Code runs before a shell command. It always succeeds, so it never prevents
/// the shell command.
const SEARCH_HOOK: &str = "lore agent-hook 2>/dev/null || true";

/// Time limit of each hook.
const HOOK_SECONDS: u64 = 5;

/// The owner of the files to change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// The files of the tree.
    Project,
    /// The files of the user, for every tree.
    User,
}

/// An agent.
#[derive(Debug)]
pub struct Agent {
    /// Its name on the command line and in the record.
    pub name: &'static str,
    /// Its product name.
    pub title: &'static str,
    /// Other names accepted on the command line.
    pub aliases: &'static [&'static str],
    /// Paths that indicate that the agent is in use.
    pub signs: &'static [AgentPath],
    /// The files of a tree, if the agent reads servers from a tree.
    pub project: Option<Files>,
    /// The user's files.
    pub user: Files,
    /// The format of the entry.
    pub form: EntryFormat,
    /// A note or instruction for the user, without a final period.
    pub note: Option<&'static str>,
}

/// The files of an agent in a scope.
#[derive(Debug)]
pub struct Files {
    /// Files that list servers: the first that exists, otherwise the first.
    pub servers: &'static [AgentPath],
    /// The file of instructions.
    pub instructions: Option<Instructions>,
    /// The file that lists hooks.
    pub hook: Option<AgentPath>,
}

/// A file of instructions.
#[derive(Debug)]
pub struct Instructions {
    pub path: AgentPath,
    /// The start of a new file.
    pub header: &'static str,
}

/// The format of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryFormat {
    /// `mcpServers`, with `command` and `args`.
    McpServers,
    /// `servers`, with a `type` of `stdio`.
    Servers,
    /// `mcp`, with a `type` of `local` and one list for the command and its arguments.
    Mcp,
    /// `context_servers`, with a `source` of `custom`.
    ContextServers,
    /// A TOML table below `mcp_servers`.
    Table,
}

const fn project(path: &'static str) -> AgentPath {
    AgentPath { base: Base::Project, path }
}

const fn home(path: &'static str) -> AgentPath {
    AgentPath { base: Base::Home, path }
}

const fn markdown(path: AgentPath) -> Instructions {
    Instructions { path, header: "" }
}

/// The file in a tree that several agents read.
const AGENTS_MD: AgentPath = project("AGENTS.md");

/// Every agent, sorted by name.
pub const AGENTS: &[Agent] = &[
    Agent {
        name: "claude-code",
        title: "Claude Code",
        aliases: &["claude", "claudecode"],
        signs: &[
            project(".mcp.json"),
            project(".claude"),
            project("CLAUDE.md"),
            AgentPath { base: Base::Claude, path: "" },
            AgentPath { base: Base::ClaudeState, path: ".claude.json" },
        ],
        project: Some(Files {
            servers: &[project(".mcp.json")],
            instructions: Some(markdown(project("CLAUDE.md"))),
            hook: Some(project(".claude/settings.json")),
        }),
        user: Files {
            servers: &[AgentPath { base: Base::ClaudeState, path: ".claude.json" }],
            instructions: Some(markdown(AgentPath { base: Base::Claude, path: "CLAUDE.md" })),
            hook: Some(AgentPath { base: Base::Claude, path: "settings.json" }),
        },
        form: EntryFormat::McpServers,
        note: Some("it asks once whether it may start the servers of a project"),
    },
    Agent {
        name: "codex",
        title: "Codex",
        aliases: &["codex-cli", "openai-codex"],
        signs: &[project(".codex"), AgentPath { base: Base::Codex, path: "" }],
        project: Some(Files {
            servers: &[project(".codex/config.toml")],
            instructions: Some(markdown(AGENTS_MD)),
            hook: None,
        }),
        user: Files {
            servers: &[AgentPath { base: Base::Codex, path: "config.toml" }],
            instructions: Some(markdown(AgentPath { base: Base::Codex, path: "AGENTS.md" })),
            hook: None,
        },
        form: EntryFormat::Table,
        note: Some("it reads `.codex/config.toml` only in projects that it trusts"),
    },
    Agent {
        name: "cursor",
        title: "Cursor",
        aliases: &["cursor-agent"],
        signs: &[project(".cursor"), project(".cursorrules"), home(".cursor")],
        project: Some(Files {
            servers: &[project(".cursor/mcp.json")],
            instructions: Some(Instructions {
                path: project(".cursor/rules/lorehound.mdc"),
                header: "---\ndescription: How to search this repository\nalwaysApply: true\n---\n\n",
            }),
            hook: None,
        }),
        user: Files { servers: &[home(".cursor/mcp.json")], instructions: None, hook: None },
        form: EntryFormat::McpServers,
        note: None,
    },
    Agent {
        name: "gemini-cli",
        title: "Gemini CLI",
        aliases: &["gemini"],
        signs: &[project(".gemini"), project("GEMINI.md"), home(".gemini")],
        project: Some(Files {
            servers: &[project(".gemini/settings.json")],
            instructions: Some(markdown(project("GEMINI.md"))),
            hook: None,
        }),
        user: Files {
            servers: &[home(".gemini/settings.json")],
            instructions: Some(markdown(home(".gemini/GEMINI.md"))),
            hook: None,
        },
        form: EntryFormat::McpServers,
        note: None,
    },
    Agent {
        name: "opencode",
        title: "OpenCode",
        aliases: &["open-code"],
        signs: &[
            project("opencode.json"),
            project("opencode.jsonc"),
            project(".opencode"),
            AgentPath { base: Base::Config, path: "opencode" },
        ],
        project: Some(Files {
            servers: &[project("opencode.json"), project("opencode.jsonc")],
            instructions: Some(markdown(AGENTS_MD)),
            hook: None,
        }),
        user: Files {
            servers: &[
                AgentPath { base: Base::Config, path: "opencode/opencode.json" },
                AgentPath { base: Base::Config, path: "opencode/opencode.jsonc" },
            ],
            instructions: Some(markdown(AgentPath {
                base: Base::Config,
                path: "opencode/AGENTS.md",
            })),
            hook: None,
        },
        form: EntryFormat::Mcp,
        note: None,
    },
    Agent {
        name: "vscode",
        title: "Visual Studio Code",
        aliases: &["code", "copilot", "github-copilot", "vs-code"],
        signs: &[project(".vscode"), AgentPath { base: Base::Code, path: "" }],
        project: Some(Files {
            servers: &[project(".vscode/mcp.json")],
            instructions: Some(markdown(AGENTS_MD)),
            hook: None,
        }),
        user: Files {
            servers: &[AgentPath { base: Base::Code, path: "mcp.json" }],
            instructions: None,
            hook: None,
        },
        form: EntryFormat::Servers,
        note: Some("it asks once whether you trust the server"),
    },
    Agent {
        name: "windsurf",
        title: "Windsurf",
        aliases: &["cascade", "codeium"],
        signs: &[project(".windsurf"), project(".windsurfrules"), home(".codeium/windsurf")],
        project: None,
        user: Files {
            servers: &[home(".codeium/windsurf/mcp_config.json")],
            instructions: Some(markdown(home(".codeium/windsurf/memories/global_rules.md"))),
            hook: None,
        },
        form: EntryFormat::McpServers,
        note: None,
    },
    Agent {
        name: "zed",
        title: "Zed",
        aliases: &["zed-editor"],
        signs: &[project(".zed"), AgentPath { base: Base::Zed, path: "" }],
        project: Some(Files {
            servers: &[project(".zed/settings.json")],
            instructions: Some(markdown(AGENTS_MD)),
            hook: None,
        }),
        user: Files {
            servers: &[AgentPath { base: Base::Zed, path: "settings.json" }],
            instructions: None,
            hook: None,
        },
        form: EntryFormat::ContextServers,
        note: None,
    },
];

impl Agent {
    /// Finds an agent by name or alias, in any letter case.
    pub fn find(name: &str) -> Option<&'static Agent> {
        let name = name.to_lowercase().replace([' ', '_'], "-");
        AGENTS.iter().find(|agent| agent.name == name || agent.aliases.contains(&name.as_str()))
    }

    /// The scope without a flag: the tree, if the agent reads servers there.
    pub fn default_scope(&self) -> Scope {
        if self.project.is_some() { Scope::Project } else { Scope::User }
    }

    /// Its files in a scope.
    pub fn files(&self, scope: Scope) -> Option<&Files> {
        match scope {
            Scope::Project => self.project.as_ref(),
            Scope::User => Some(&self.user),
        }
    }

    /// The entry that starts the MCP server.
    pub(super) fn entry(&self) -> Edit {
        let key = NAME.to_owned();
        let member = |container: &str, value: Value| Edit::Member {
            containers: vec![container.to_owned()],
            key: key.clone(),
            value,
        };
        match self.form {
            EntryFormat::McpServers => {
                member("mcpServers", json!({ "command": "lore", "args": ["mcp"] }))
            }
            EntryFormat::Servers => {
                member("servers", json!({ "type": "stdio", "command": "lore", "args": ["mcp"] }))
            }
            EntryFormat::Mcp => member(
                "mcp",
                json!({ "type": "local", "command": ["lore", "mcp"], "enabled": true }),
            ),
            EntryFormat::ContextServers => member(
                "context_servers",
                json!({ "source": "custom", "command": "lore", "args": ["mcp"], "env": {} }),
            ),
            EntryFormat::Table => Edit::Table {
                containers: vec!["mcp_servers".to_owned()],
                key,
                value: json!({ "command": "lore", "args": ["mcp"] }),
            },
        }
    }
}

/// The entries that make Claude Code run the hooks.
pub(super) fn hooks() -> [Edit; 2] {
    [hook("SessionStart", "startup", HOOK), hook("PreToolUse", "Bash", SEARCH_HOOK)]
}

fn hook(event: &str, matcher: &str, command: &str) -> Edit {
    Edit::Element {
        containers: vec!["hooks".to_owned(), event.to_owned()],
        value: json!({
            "matcher": matcher,
            "hooks": [{ "type": "command", "command": command, "timeout": HOOK_SECONDS }],
        }),
    }
}

/// The forms in which earlier versions wrote an insertion.
pub(super) fn earlier(edit: &Edit) -> Vec<Edit> {
    match edit {
        Edit::Block { header, body } if body == INSTRUCTIONS => {
            let block =
                |body: &&str| Edit::Block { header: header.clone(), body: (*body).to_owned() };
            EARLIER_INSTRUCTIONS.iter().map(block).collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_unique() {
        assert!(AGENTS.is_sorted_by(|left, right| left.name < right.name));
        let mut names: Vec<&str> = AGENTS
            .iter()
            .flat_map(|agent| agent.aliases.iter().copied().chain([agent.name]))
            .collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn agents_are_found_by_name_and_alias() {
        let found = |name| Agent::find(name).map(|agent| agent.name);
        assert_eq!(found("Claude Code"), Some("claude-code"));
        assert_eq!(found("claude"), Some("claude-code"));
        assert_eq!(found("copilot"), Some("vscode"));
        assert_eq!(found("emacs"), None);
    }

    #[test]
    fn every_agent_has_a_row_in_the_reference() {
        let page = include_str!("../../../docs/reference/agents.md");
        for agent in AGENTS {
            assert!(page.contains(&format!("`{}`", agent.name)), "{}", agent.name);
            let files = agent.project.iter().chain([&agent.user]);
            for path in files.flat_map(|files| files.servers) {
                assert!(page.contains(path.path), "{} {}", agent.name, path.path);
            }
        }
    }

    #[test]
    fn instructions_are_at_most_120_tokens() {
        let tokens = lore_render::tokens::Tokenizer::O200k.count(INSTRUCTIONS);
        assert!(tokens <= 120, "{tokens}");
    }
}
