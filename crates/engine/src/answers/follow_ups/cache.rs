//! Caches the latest follow-ups of a process.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::FollowUp;

/// Number of cached answers.
const CAPACITY: usize = 50;

/// The follow-ups of the latest answers. If the cache is full, the least recently used one is
/// evicted.
#[derive(Debug)]
pub(crate) struct FollowUpCache {
    /// Most recently used last.
    entries: Mutex<Vec<(String, Vec<FollowUp>)>>,
    capacity: usize,
}

impl Default for FollowUpCache {
    fn default() -> FollowUpCache {
        FollowUpCache::new(CAPACITY)
    }
}

impl FollowUpCache {
    /// Creates an empty cache for this many answers.
    pub(crate) fn new(capacity: usize) -> FollowUpCache {
        FollowUpCache { entries: Mutex::new(Vec::with_capacity(capacity)), capacity }
    }

    /// Returns the cached follow-ups of an answer and marks it as most recently used.
    pub(crate) fn get(&self, key: &str) -> Option<Vec<FollowUp>> {
        let mut entries = self.lock();
        let position = entries.iter().position(|(known, _)| known == key)?;
        let entry = entries.remove(position);
        let follow_ups = entry.1.clone();
        entries.push(entry);
        Some(follow_ups)
    }

    /// Caches the follow-ups of an answer as most recently used.
    pub(crate) fn put(&self, key: String, follow_ups: Vec<FollowUp>) {
        let mut entries = self.lock();
        entries.retain(|(known, _)| *known != key);
        if entries.len() >= self.capacity {
            entries.remove(0);
        }
        entries.push((key, follow_ups));
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(String, Vec<FollowUp>)>> {
        // A thread that panicked leaves the entries consistent.
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FollowUpCategory;

    fn of(query: &str) -> Vec<FollowUp> {
        vec![FollowUp { query: query.to_owned(), category: FollowUpCategory::Callers }]
    }

    #[test]
    fn the_least_recently_used_answer_is_evicted() {
        let cache = FollowUpCache::new(3);
        for key in ["A", "B", "C"] {
            cache.put(key.to_owned(), of(key));
        }
        assert_eq!(cache.get("A"), Some(of("A")));
        cache.put("D".to_owned(), of("D"));
        assert_eq!(cache.get("B"), None);
        for key in ["A", "C", "D"] {
            assert_eq!(cache.get(key), Some(of(key)), "{key}");
        }
    }

    #[test]
    fn answers_are_cached_once_and_evicted_in_order_of_use() {
        let cache = FollowUpCache::default();
        for number in 0..CAPACITY {
            cache.put(number.to_string(), of("x"));
        }
        cache.put("0".to_owned(), of("again"));
        assert_eq!(cache.get("1"), Some(of("x")), "the same answer takes no second place");
        cache.put("new".to_owned(), of("new"));
        assert_eq!(cache.get("2"), None);
        assert_eq!(cache.get("0"), Some(of("again")));
        assert_eq!(cache.lock().len(), CAPACITY);
    }
}
