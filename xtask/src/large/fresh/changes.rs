//! Changes of files and folders. Each checks the answers right after its calls have returned.

use std::{
    fs::{self, File},
    io::Write as _,
    os::unix::fs::symlink,
};

use anyhow::{Context as _, Result};

use super::{
    texts,
    writer::{OwnFile, Writer},
};

/// Maximum number of older words of a file that are checked after it changed.
const MAX_OLD_WORDS: usize = 2;

/// Makes a file.
pub(super) fn create(writer: &mut Writer<'_>) -> Result<usize> {
    let path = writer.new_path();
    let word = writer.write_new(&path)?;
    writer.check(&word, &[&path]);
    Ok(1)
}

/// Writes another text: the same size, with an older time or not, or in two steps.
pub(super) fn overwrite(writer: &mut Writer<'_>) -> Result<usize> {
    let at = writer.pick()?;
    let word = writer.word();
    let path = writer.own[at].path.clone();
    let on_disk = writer.on_disk(&path);
    let text = texts::text(&path, &word);
    match writer.random.below(4) {
        0 => {
            let modified = fs::metadata(&on_disk)?.modified()?;
            fs::write(&on_disk, text)?;
            File::options().write(true).open(&on_disk)?.set_modified(modified)?;
        }
        1 => {
            let mut file = File::create(&on_disk)?;
            for part in text.as_bytes().chunks(16) {
                file.write_all(part)?;
            }
        }
        _ => fs::write(&on_disk, text)?,
    }
    let old = std::mem::replace(&mut writer.own[at].words, vec![word.clone()]);
    writer.check(&word, &[&path]);
    check_old(writer, &old, &[]);
    Ok(1)
}

/// Appends lines to a file that stays open.
pub(super) fn append(writer: &mut Writer<'_>) -> Result<usize> {
    if writer.open.is_none() || writer.random.one_in(4) {
        let at = writer.pick()?;
        let path = writer.own[at].path.clone();
        let file = File::options().append(true).open(writer.on_disk(&path))?;
        writer.open = Some((file, path));
    }
    let word = writer.word();
    let (file, path) = writer.open.as_mut().context("a file was just opened")?;
    file.write_all(texts::lines(path, &word).as_bytes())?;
    let path = path.clone();
    writer.check(&word, &[&path]);
    let own = writer.own.iter_mut().find(|file| file.path == path);
    own.context("the open file has an entry")?.words.push(word);
    Ok(1)
}

/// Writes a file outside of the tree or beside the old one, and renames it over the old one.
pub(super) fn replace(writer: &mut Writer<'_>) -> Result<usize> {
    let at = writer.pick()?;
    let word = writer.word();
    let path = writer.own[at].path.clone();
    writer.close(&path);
    let on_disk = writer.on_disk(&path);
    let new = if writer.random.one_in(2) {
        writer.shared.aside.join(format!("replacement{}", writer.number))
    } else {
        on_disk.with_extension("tmp~")
    };
    fs::write(&new, texts::text(&path, &word))?;
    fs::rename(&new, &on_disk)?;
    let old = std::mem::replace(&mut writer.own[at].words, vec![word.clone()]);
    writer.check(&word, &[&path]);
    check_old(writer, &old, &[]);
    Ok(1)
}

/// Deletes a file.
pub(super) fn delete(writer: &mut Writer<'_>) -> Result<usize> {
    let at = writer.pick_with_word()?;
    let file = writer.take(at);
    fs::remove_file(writer.on_disk(&file.path))?;
    check_old(writer, &file.words, &[]);
    Ok(1)
}

/// Renames a file, within its folder or into another one.
pub(super) fn rename(writer: &mut Writer<'_>) -> Result<usize> {
    let at = writer.pick_with_word()?;
    let mut file = writer.take(at);
    let (_, extension) = file.path.rsplit_once('.').unwrap_or(("", "md"));
    let mut path = writer.new_path();
    if let Some((stem, _)) = path.rsplit_once('.') {
        // With another extension it could be no text.
        path = format!("{stem}.{extension}");
    }
    let on_disk = writer.on_disk(&path);
    fs::create_dir_all(on_disk.parent().context("a file has a folder")?)?;
    fs::rename(writer.on_disk(&file.path), on_disk)?;
    file.path.clone_from(&path);
    check_old(writer, &file.words, &[&path]);
    writer.own.push(file);
    Ok(1)
}

/// Makes folders in folders, and files in them at once.
pub(super) fn create_folders(writer: &mut Writer<'_>) -> Result<usize> {
    let top = writer.new_folder();
    let inner = format!("{top}/inner/innermost");
    fs::create_dir_all(writer.on_disk(&inner))?;
    let mut words = Vec::new();
    for (number, folder) in [&top, &inner, &inner].into_iter().enumerate() {
        let path = format!("{folder}/part{number}.md");
        words.push((writer.write_new(&path)?, path));
    }
    for (word, path) in words.iter().rev() {
        writer.check(word, &[path]);
    }
    writer.folders.push(top);
    Ok(3)
}

/// Moves a folder, sometimes with a new one in its place.
pub(super) fn move_folder(writer: &mut Writer<'_>) -> Result<usize> {
    if writer.folders.is_empty() {
        return create_folders(writer);
    }
    let from = writer.random.pick(&writer.folders).clone();
    let inside = format!("{from}/");
    let has_word = |file: &&OwnFile| file.path.starts_with(&inside) && !file.words.is_empty();
    let word = match writer.own.iter().find(has_word) {
        Some(file) => file.words[0].clone(),
        None => writer.write_new(&format!("{from}/moved.md"))?,
    };
    let to = writer.new_folder();
    let on_disk = writer.on_disk(&to);
    fs::create_dir_all(on_disk.parent().context("a folder has a parent")?)?;
    fs::rename(writer.on_disk(&from), on_disk)?;
    writer.follow(&from, &to);
    let holder = writer.own.iter().find(|file| file.words.contains(&word));
    let path = holder.context("the file moved with its folder")?.path.clone();
    writer.check(&word, &[&path]);
    if !writer.random.one_in(3) {
        return Ok(1);
    }
    let again = writer.write_new(&format!("{from}/again.md"))?;
    writer.check(&again, &[&format!("{from}/again.md")]);
    writer.check(&word, &[&path]);
    writer.folders.push(from);
    Ok(2)
}

/// Puts a symbolic link in the place of a file, and links a file that is not in the tree.
pub(super) fn symbolic_link(writer: &mut Writer<'_>) -> Result<usize> {
    let at = writer.pick_with_word()?;
    let file = writer.take(at);
    let at = writer.pick_with_word()?;
    let (target, word) = (writer.own[at].path.clone(), writer.own[at].words[0].clone());
    let link = writer.on_disk(&file.path);
    fs::remove_file(&link)?;
    symlink(writer.on_disk(&target), &link)?;
    check_old(writer, &file.words, &[]);
    writer.check(&word, &[&target, &file.path]);
    let outside = writer.shared.aside.join(format!("outside{}.md", writer.number));
    let hidden = writer.word();
    fs::write(&outside, texts::text("outside.md", &hidden))?;
    fs::remove_file(&link)?;
    symlink(&outside, &link)?;
    writer.check(&hidden, &[]);
    writer.check(&word, &[&target]);
    fs::remove_file(&link)?;
    Ok(4)
}

/// Gives a file a second name, in the tree or outside of it, and writes through that name.
pub(super) fn hard_link(writer: &mut Writer<'_>) -> Result<usize> {
    let (word, other) = (writer.word(), writer.word());
    let path = writer.new_path();
    let on_disk = writer.on_disk(&path);
    fs::create_dir_all(on_disk.parent().context("a file has a folder")?)?;
    if writer.random.one_in(2) {
        let outside = writer.shared.aside.join(format!("linked{}.md", writer.number));
        let _ = fs::remove_file(&outside);
        fs::write(&outside, texts::text(&path, &word))?;
        fs::hard_link(&outside, &on_disk)?;
        writer.check(&word, &[&path]);
        // The folder of this name gets no event.
        fs::write(&outside, texts::text(&path, &other))?;
        writer.check(&other, &[&path]);
        writer.check(&word, &[]);
        fs::remove_file(&on_disk)?;
        writer.check(&other, &[]);
        return Ok(3);
    }
    writer.write_new(&path)?;
    let at = writer.own.len() - 1;
    let first = writer.own[at].words[0].clone();
    let second_path = format!("{}/linked{}", writer.home(), path.replace('/', "_"));
    let second = writer.on_disk(&second_path);
    fs::create_dir_all(second.parent().context("a file has a folder")?)?;
    fs::hard_link(&on_disk, &second)?;
    writer.check(&first, &[&path, &second_path]);
    File::options().append(true).open(&second)?.write_all(texts::lines(&path, &word).as_bytes())?;
    writer.check(&word, &[&path, &second_path]);
    File::options()
        .append(true)
        .open(&on_disk)?
        .write_all(texts::lines(&path, &other).as_bytes())?;
    writer.check(&other, &[&path, &second_path]);
    fs::remove_file(&second)?;
    writer.check(&word, &[&path]);
    writer.own[at].words.extend([word, other]);
    Ok(5)
}

/// Adds a file to an ignore file, and removes it again.
pub(super) fn ignore(writer: &mut Writer<'_>) -> Result<usize> {
    let path = format!("{}/ignored/part{}.md", writer.home(), writer.random.below(40));
    let word = if let Some(at) = writer.own.iter().position(|file| file.path == path) {
        writer.own[at].words[0].clone()
    } else {
        writer.write_new(&path)?
    };
    let (folder, name) = path.rsplit_once('/').context("a file has a folder")?;
    let (rules, rule) = match writer.random.below(4) {
        0 => (format!("{folder}/.gitignore"), format!("{name}\n")),
        1 => (format!("{folder}/.loreignore"), format!("/{name}\n")),
        2 => (format!("{}/.gitignore", writer.home()), format!("ignored/{name}\n")),
        _ => (".git/info/exclude".to_owned(), format!("/{path}\n")),
    };
    let shared = writer.shared;
    // The last of them is one file for all writers.
    let guard = shared.git.lock().expect("no thread panics while it has the lock");
    let on_disk = writer.on_disk(&rules);
    let before = fs::read_to_string(&on_disk).ok();
    fs::create_dir_all(on_disk.parent().context("a file has a folder")?)?;
    fs::write(&on_disk, format!("{}{rule}", before.as_deref().unwrap_or_default()))?;
    writer.check(&word, &[]);
    match before {
        Some(before) => fs::write(&on_disk, before)?,
        None if writer.random.one_in(2) => fs::write(&on_disk, "")?,
        None => fs::remove_file(&on_disk)?,
    }
    drop(guard);
    writer.check(&word, &[&path]);
    Ok(2)
}

/// Checks the words that a file had before a change.
fn check_old(writer: &Writer<'_>, words: &[String], holders: &[&str]) {
    for word in words.iter().rev().take(MAX_OLD_WORDS) {
        writer.check(word, holders);
    }
}
