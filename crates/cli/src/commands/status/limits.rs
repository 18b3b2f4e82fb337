//! Resource limits: their values, the origin of each, and the current use.

use lore_engine::{default_backend, own_memory};
use lore_render::{
    output::{self, bytes},
    wire::Limit,
};
use lore_settings::{Origin, Settings};

/// Every limit, in the order of the keys.
pub(super) fn limits(settings: &Settings) -> Vec<Limit> {
    let memory = own_memory();
    let list = |cache| default_backend().cache().repositories(cache);
    let cached = settings.cache_dir().map(list).unwrap_or_default();
    let disk: u64 = cached.iter().map(|repository| repository.bytes).sum();
    let repositories = output::plural(cached.len() as u64, "repository", "repositories");
    let cores = settings.cores() as u64;
    let used = [
        ("limits.cores", Some(cores), output::plural(cores, "thread", "threads")),
        ("limits.disk", Some(disk), format!("{} of {repositories}", bytes(disk))),
        // Only a process that follows a tree writes without a search, and this one does not.
        ("limits.idle-writes", Some(0), "0 B by this process".to_owned()),
        (
            "limits.memory",
            memory,
            memory.map_or_else(
                || "unknown on this system".to_owned(),
                |memory| format!("{} by this process", bytes(memory)),
            ),
        ),
    ];
    let rows = used.into_iter().filter_map(|(key, used, in_words)| {
        let decided = settings.get(key)?;
        let origin = match &decided.origin {
            Origin::Default => "default".to_owned(),
            origin => format!("{} {}", origin.layer(), origin.location().unwrap_or_default()),
        };
        Some(Limit { key, value: decided.value.to_string(), origin, used, in_words })
    });
    rows.collect()
}
