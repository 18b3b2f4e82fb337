//! A folder of indexes with what may lie in it.

use std::time::Duration;

use super::*;

/// A folder of a repository with one view, of a tree, last used so many seconds after the epoch.
fn shelf(cache: &Path, name: &str, root: &Path, bytes: usize, used: u64) -> PathBuf {
    let view = cache.join(name).join("0123456789abcdef");
    let place = view.join("code");
    fs::create_dir_all(&place).unwrap();
    fs::write(place.join("vectors-1-0.bin"), vec![0; bytes]).unwrap();
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(used);
    let times = fs::FileTimes::new().set_accessed(time).set_modified(time);
    let file = fs::File::options().write(true).open(place.join("vectors-1-0.bin")).unwrap();
    file.set_times(times).unwrap();
    assert!(note_root(&view, root).unwrap());
    assert!(!note_root(&view, root).unwrap());
    view
}

const ONE: &str = "one-00000000000000aa";
const TWO: &str = "two-00000000000000bb";
const THREE: &str = "three-00000000000000cc";

#[test]
fn the_least_recently_used_go_first_and_what_is_not_ours_stays() {
    let folder = tempfile::tempdir().unwrap();
    let (cache, here) = (folder.path().join("cache"), folder.path());
    shelf(&cache, ONE, here, 1000, 300);
    shelf(&cache, TWO, here, 1000, 100);
    shelf(&cache, THREE, here, 1000, 200);
    fs::write(cache.join(TWO).join("0123456789abcdef/code/notes.md"), "mine").unwrap();
    fs::create_dir_all(cache.join("photos")).unwrap();
    fs::write(cache.join("photos/1.jpg"), "mine").unwrap();

    // All fit: nothing happens.
    assert_eq!(make_room(&cache, 10_000, &cache.join(ONE)), []);
    // The own one is never removed, however old it is.
    let removed = make_room(&cache, 2_100, &cache.join(TWO));
    let paths: Vec<_> = removed.iter().map(|shelf| shelf.path.clone()).collect();
    assert_eq!(paths, [cache.join(THREE)]);
    assert!(!cache.join(THREE).exists());
    let removed = make_room(&cache, 0, &cache.join(ONE));
    assert_eq!(removed.len(), 1);
    let view = cache.join(TWO).join("0123456789abcdef");
    assert!(!view.join("code/vectors-1-0.bin").exists());
    assert!(!view.join("root").exists());
    assert_eq!(fs::read_to_string(view.join("code/notes.md")).unwrap(), "mine");
    assert!(cache.join("photos/1.jpg").exists());
    assert!(cache.join(ONE).exists());
}

#[test]
fn a_tree_that_is_gone_goes_before_older_ones() {
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("cache");
    shelf(&cache, ONE, folder.path(), 1000, 100);
    shelf(&cache, TWO, &folder.path().join("gone"), 1000, 900);
    let shelves = survey(&cache);
    assert_eq!(shelves.len(), 2);
    assert!(!shelves[0].views[0].is_orphan());
    assert!(shelves[1].views[0].is_orphan());
    let removed = make_room(&cache, 1_500, &cache.join(THREE));
    assert_eq!(removed.iter().map(|one| &one.path).collect::<Vec<_>>(), [&cache.join(TWO)]);
}

#[cfg(unix)]
#[test]
fn shared_files_count_once_and_links_lead_nowhere() {
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("cache");
    let view = shelf(&cache, ONE, folder.path(), 1000, 100);
    let other = cache.join(ONE).join("fedcba9876543210/code");
    fs::create_dir_all(&other).unwrap();
    fs::hard_link(view.join("code/vectors-1-0.bin"), other.join("vectors-1-0.bin")).unwrap();
    fs::write(other.join("vectors-2-0.bin"), [0; 10]).unwrap();
    let outside = shelf(&folder.path().join("elsewhere"), TWO, folder.path(), 1000, 100);
    std::os::unix::fs::symlink(folder.path().join("elsewhere").join(TWO), cache.join(TWO)).unwrap();

    let shelves = survey(&cache);
    assert_eq!(shelves.len(), 1, "{shelves:?}");
    assert_eq!(shelves[0].bytes, 1010);
    assert_eq!(shelves[0].views.iter().map(|view| view.bytes).collect::<Vec<_>>(), [0, 10]);
    assert_eq!(bytes_of(&view), 1000);
    make_room(&cache, 0, Path::new("/nowhere"));
    assert!(!cache.join(ONE).exists());
    assert!(outside.join("code/vectors-1-0.bin").exists());
}
