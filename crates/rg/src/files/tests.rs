//! Tests of the order of files.

use super::*;

fn sorted(paths: &[&str]) -> Vec<String> {
    let file = |path: &&str| SearchedFile {
        path: PathBuf::from(path),
        is_explicit: false,
        is_stdin: false,
        root: 0,
    };
    let mut files: Vec<SearchedFile> = paths.iter().map(file).collect();
    sort(&mut files, None);
    files.iter().map(|file| file.path.display().to_string()).collect()
}

#[test]
fn files_of_a_directory_come_before_longer_names() {
    assert_eq!(
        sorted(&["a.txt", "a-b", "a/z", "a/b/c", "Z", "ab"]),
        ["Z", "a/b/c", "a/z", "a-b", "a.txt", "ab"]
    );
}

#[test]
fn repeated_paths_are_walked_in_batches_of_their_own() {
    let paths: Vec<PathBuf> = ["a", "b", "a/", "a", "c"].iter().map(PathBuf::from).collect();
    let batches = batches(&paths);
    let positions: Vec<Vec<usize>> =
        batches.iter().map(|batch| batch.values().copied().collect()).collect();
    assert_eq!(positions, [vec![0, 1, 4], vec![2], vec![3]]);
}
