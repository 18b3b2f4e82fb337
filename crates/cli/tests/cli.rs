//! End-to-end tests of `lore`: the guide's examples, invalid input, hostile trees and crashes.
#![allow(
    clippy::disallowed_methods,
    reason = "tests run `lore` and create the trees that it searches"
)]

#[path = "cli/absence.rs"]
mod absence;
#[path = "cli/age.rs"]
mod age;
#[path = "cli/answers.rs"]
mod answers;
#[path = "cli/bench.rs"]
mod bench;
#[cfg(target_os = "linux")]
#[path = "cli/cache_files.rs"]
mod cache_files;
#[cfg(feature = "opensearch")]
#[path = "cli/cluster.rs"]
mod cluster;
#[path = "cli/commits.rs"]
mod commits;
#[path = "cli/context.rs"]
mod context;
#[path = "cli/contracts.rs"]
mod contracts;
#[path = "cli/contracts_in_memory.rs"]
mod contracts_in_memory;
#[path = "cli/crash.rs"]
mod crash;
#[path = "cli/drift.rs"]
mod drift;
#[path = "cli/earlier.rs"]
mod earlier;
#[path = "cli/embedding.rs"]
mod embedding;
#[path = "cli/embedding_server.rs"]
mod embedding_server;
#[path = "cli/eval.rs"]
mod eval;
#[path = "cli/exchange.rs"]
mod exchange;
#[path = "cli/expand.rs"]
mod expand;
#[path = "cli/extensions.rs"]
mod extensions;
#[path = "cli/failure.rs"]
mod failure;
#[path = "cli/fit.rs"]
mod fit;
#[path = "cli/folder.rs"]
mod folder;
#[path = "cli/formats.rs"]
mod formats;
#[path = "cli/fresh.rs"]
mod fresh;
#[path = "cli/graph.rs"]
mod graph;
#[path = "cli/guide.rs"]
mod guide;
#[path = "cli/history.rs"]
mod history;
#[path = "cli/hostile.rs"]
mod hostile;
#[path = "cli/hostile_git.rs"]
mod hostile_git;
#[cfg(target_os = "linux")]
#[path = "cli/hostile_git_files.rs"]
mod hostile_git_files;
#[path = "cli/install.rs"]
mod install;
#[path = "cli/interrupt.rs"]
mod interrupt;
#[path = "cli/many_processes.rs"]
mod many_processes;
#[path = "cli/model.rs"]
mod model;
#[path = "cli/natural.rs"]
mod natural;
#[path = "cli/overlay.rs"]
mod overlay;
#[path = "cli/own_history.rs"]
mod own_history;
#[path = "cli/owners.rs"]
mod owners;
#[path = "cli/pack.rs"]
mod pack;
#[path = "cli/pages.rs"]
mod pages;
#[path = "cli/parsers.rs"]
mod parsers;
#[path = "../../../xtask/src/processes/mod.rs"]
mod processes;
#[path = "cli/progress.rs"]
mod progress;
#[path = "cli/related.rs"]
mod related;
#[path = "cli/review.rs"]
mod review;
#[path = "cli/rubbish.rs"]
mod rubbish;
#[path = "cli/secrets.rs"]
mod secrets;
#[path = "cli/secured_cluster.rs"]
mod secured_cluster;
#[path = "../../../xtask/src/server.rs"]
mod server;
#[path = "cli/similar.rs"]
mod similar;
#[path = "cli/suggest.rs"]
mod suggest;
#[path = "cli/surroundings.rs"]
mod surroundings;
#[path = "cli/terminal.rs"]
mod terminal;
#[path = "cli/trust.rs"]
mod trust;
#[path = "cli/tune.rs"]
mod tune;
#[path = "cli/upkeep.rs"]
mod upkeep;
#[path = "cli/why.rs"]
mod why;
#[path = "cli/workspace.rs"]
mod workspace;
#[path = "cli/workspaces.rs"]
mod workspaces;
#[path = "../../../xtask/src/yaml.rs"]
mod yaml;
