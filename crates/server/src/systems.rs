//! Tools of replaced systems, which a server offers beside its own.

use crate::tools::{TOOLS, Tool};

/// A replaced system whose tools a server can offer.
#[derive(Debug)]
pub struct System {
    /// The name that users type.
    pub name: &'static str,
    /// Its tools, in its order.
    pub tools: &'static [&'static Tool],
}

/// A tool with its name in a session.
#[derive(Debug, Clone, Copy)]
pub struct Named {
    /// The name.
    pub name: &'static str,
    /// The tool.
    pub tool: &'static Tool,
}

/// The tools of a session: the own ones, then those of the systems, in their order. If a system has a
/// tool `search`, the own one is called `lore_search`.
pub fn tools(systems: &[&'static System]) -> Vec<Named> {
    let foreign: Vec<Named> = systems
        .iter()
        .flat_map(|system| system.tools)
        .map(|tool| Named { name: tool.name, tool })
        .collect();
    let is_claimed = |name: &str| foreign.iter().any(|other| other.name == name);
    let own = TOOLS.iter().map(|tool| Named {
        name: match tool.name {
            "search" if is_claimed("search") => "lore_search",
            name => name,
        },
        tool,
    });
    own.chain(foreign.iter().copied()).collect()
}
