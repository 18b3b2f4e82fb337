//! Tools of other systems, which a server takes beside its own.

use crate::tools::{TOOLS, Tool};

/// A system whose tools are taken.
#[derive(Debug)]
pub struct System {
    /// The name that users type.
    pub name: &'static str,
    /// Its tools, in its order.
    pub tools: &'static [&'static Tool],
}

/// A tool under the name that a session has for it.
#[derive(Debug, Clone, Copy)]
pub struct Named {
    /// The name.
    pub name: &'static str,
    /// The tool.
    pub tool: &'static Tool,
}

/// The tools of a session: the own ones, then those of the systems, in their order. An own tool whose
/// name a system claims is called `lore_` and its name.
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
