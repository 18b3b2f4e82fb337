//! Tests of a cache folder with indexes and files of the user.

use std::time::{Duration, SystemTime};

use super::*;

/// Makes a repository with one view, last used so many seconds after the epoch.
fn repository(cache: &Path, name: &str, root: &Path, bytes: usize, used: u64) -> PathBuf {
    let view = cache.join(name).join("0123456789abcdef");
    let folder = view.join("code");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("vectors-1-0.bin"), vec![0; bytes]).unwrap();
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(used);
    let times = fs::FileTimes::new().set_accessed(time).set_modified(time);
    let file = fs::File::options().write(true).open(folder.join("vectors-1-0.bin")).unwrap();
    file.set_times(times).unwrap();
    assert!(record_root(&view, root).unwrap());
    assert!(!record_root(&view, root).unwrap());
    view
}

const ONE: &str = "one-00000000000000aa";
const TWO: &str = "two-00000000000000bb";
const THREE: &str = "three-00000000000000cc";

#[test]
fn eviction_removes_the_least_recently_used_and_keeps_files_of_the_user() {
    let folder = tempfile::tempdir().unwrap();
    let (cache, here) = (folder.path().join("cache"), folder.path());
    repository(&cache, ONE, here, 1000, 300);
    repository(&cache, TWO, here, 1000, 100);
    repository(&cache, THREE, here, 1000, 200);
    fs::write(cache.join(TWO).join("0123456789abcdef/code/notes.md"), "mine").unwrap();
    fs::create_dir_all(cache.join("photos")).unwrap();
    fs::write(cache.join("photos/1.jpg"), "mine").unwrap();

    // All fit: nothing happens.
    assert_eq!(evict(&cache, 10_000, &cache.join(ONE)), []);
    // The own repository is never removed, however old it is.
    let removed = evict(&cache, 2_100, &cache.join(TWO));
    let paths: Vec<_> = removed.iter().map(|repository| repository.path.clone()).collect();
    assert_eq!(paths, [cache.join(THREE)]);
    assert!(!cache.join(THREE).exists());
    let removed = evict(&cache, 0, &cache.join(ONE));
    assert_eq!(removed.len(), 1);
    let view = cache.join(TWO).join("0123456789abcdef");
    assert!(!view.join("code/vectors-1-0.bin").exists());
    assert!(!view.join("root").exists());
    assert_eq!(fs::read_to_string(view.join("code/notes.md")).unwrap(), "mine");
    assert!(cache.join("photos/1.jpg").exists());
    assert!(cache.join(ONE).exists());
}

#[test]
fn eviction_removes_indexes_of_deleted_trees_first() {
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("cache");
    repository(&cache, ONE, folder.path(), 1000, 100);
    repository(&cache, TWO, &folder.path().join("gone"), 1000, 900);
    let repositories = list(&cache);
    assert_eq!(repositories.len(), 2);
    assert!(!repositories[0].views[0].is_orphan());
    assert!(repositories[1].views[0].is_orphan());
    let removed = evict(&cache, 1_500, &cache.join(THREE));
    assert_eq!(
        removed.iter().map(|repository| &repository.path).collect::<Vec<_>>(),
        [&cache.join(TWO)]
    );
}

#[cfg(unix)]
#[test]
fn hard_links_count_once_and_symbolic_links_are_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("cache");
    let view = repository(&cache, ONE, folder.path(), 1000, 100);
    let other = cache.join(ONE).join("fedcba9876543210/code");
    fs::create_dir_all(&other).unwrap();
    fs::hard_link(view.join("code/vectors-1-0.bin"), other.join("vectors-1-0.bin")).unwrap();
    fs::write(other.join("vectors-2-0.bin"), [0; 10]).unwrap();
    let outside = repository(&folder.path().join("elsewhere"), TWO, folder.path(), 1000, 100);
    std::os::unix::fs::symlink(folder.path().join("elsewhere").join(TWO), cache.join(TWO)).unwrap();

    let repositories = list(&cache);
    assert_eq!(repositories.len(), 1, "{repositories:?}");
    assert_eq!(repositories[0].bytes, 1010);
    assert_eq!(repositories[0].views.iter().map(|view| view.bytes).collect::<Vec<_>>(), [0, 10]);
    assert_eq!(view_size(&view), 1000);
    evict(&cache, 0, Path::new("/nowhere"));
    assert!(!cache.join(ONE).exists());
    assert!(outside.join("code/vectors-1-0.bin").exists());
}
