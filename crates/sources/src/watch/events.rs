//! Events of a tree, collected by folder until they are taken.

use std::collections::BTreeMap;

/// Maximum number of names that are collected. With more of them, a walk is cheaper.
const MAX_NAMES: usize = 50_000;

/// Change of a name in a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum NameEvent {
    /// The content or the attributes of a file may have changed.
    Content,
    /// The name may be new, gone, or the name of something else.
    Name,
}

/// Events of one folder.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct FolderEvents {
    /// The names that events concern.
    pub(crate) names: BTreeMap<String, NameEvent>,
    /// True if an event concerns a name that is not UTF-8, or the folder itself.
    pub(crate) is_unnamed: bool,
}

/// Events that were not taken yet.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Reported {
    /// Events by root-relative folder, without a final `/`.
    pub(crate) folders: BTreeMap<String, FolderEvents>,
    /// True if events were lost: everything may have changed.
    pub(crate) is_lost: bool,
    names: usize,
}

impl Reported {
    /// Events of which some were lost.
    pub(super) fn lost() -> Reported {
        Reported { is_lost: true, ..Reported::default() }
    }

    /// Adds an event. `None` stands for a name that is not UTF-8, or the folder itself.
    pub(super) fn add(&mut self, folder: &str, name: Option<&str>, event: NameEvent) {
        if self.is_lost {
            return;
        }
        if !self.folders.contains_key(folder) {
            self.folders.insert(folder.to_owned(), FolderEvents::default());
        }
        let Some(events) = self.folders.get_mut(folder) else { return };
        let Some(name) = name else {
            events.is_unnamed = true;
            return;
        };
        if let Some(known) = events.names.get_mut(name) {
            *known = event.max(*known);
            return;
        }
        events.names.insert(name.to_owned(), event);
        self.names += 1;
        if self.names > MAX_NAMES {
            *self = Reported::lost();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_of_a_name_are_one_event_and_too_many_names_are_a_loss() {
        let mut reported = Reported::default();
        for event in [NameEvent::Content, NameEvent::Name, NameEvent::Content] {
            reported.add("src", Some("a.rs"), event);
        }
        assert_eq!(reported.folders["src"].names["a.rs"], NameEvent::Name);
        assert_eq!(reported.names, 1);
        for number in 0..MAX_NAMES {
            reported.add("src", Some(&number.to_string()), NameEvent::Content);
        }
        assert_eq!(reported, Reported::lost());
        reported.add("src", Some("a.rs"), NameEvent::Content);
        assert_eq!(reported, Reported::lost());
    }
}
