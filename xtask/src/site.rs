//! Builds the documentation site with mdBook, and checks its links.
//!
//! The book has the pages of `docs` and the pages of the root that `docs/guide/index.md` lists. That
//! page is also the source of the table of contents, so a new page is one line there. The sources
//! of the book are copies below `target/site`, in the folders of the repository: a link that works on
//! a code host works on the site.

mod links;
mod summary;
mod tools;

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, Result, bail};

use crate::{clients::call, pages};
use tools::Tool;

/// Settings of the book, its style and the versions of the tools.
const SETTINGS: &str = "docs/site";

/// First page of the site.
const START: &str = "README.md";

/// Builds the site in `target/site/book`, and copies it to the folder of the argument.
pub(crate) fn run(root: &Path, arguments: &[String]) -> Result<()> {
    let out = match arguments {
        [] => None,
        [out] if !out.starts_with('-') => Some(std::path::absolute(out)?),
        _ => bail!("usage: cargo xtask site [OUT]"),
    };
    if let Some(out) = &out
        && out.exists()
        && std::fs::read_dir(out)?.next().is_some()
    {
        bail!("`{}` is not empty", out.display());
    }
    let folder = std::env::var_os("CARGO_TARGET_DIR").map_or_else(
        || root.join("target/site"),
        |target| root.join(PathBuf::from(target)).join("site"),
    );
    std::fs::create_dir_all(&folder)?;
    let count = write_sources(root, &folder)?;
    let Some(mdbook) = tools::find(Tool::MdBook, root, &folder)? else {
        println!("NOT CHECKED: the site. mdBook could not be installed on this machine.");
        return Ok(());
    };
    let mut build = Command::new(mdbook);
    if let Some(repository) = repository(root)? {
        build.env("MDBOOK_OUTPUT__HTML__GIT_REPOSITORY_URL", repository);
    }
    call(build.arg("build").arg(&folder).env("MDBOOK_LOG", "warn"))?;
    match tools::find(Tool::Lychee, root, &folder)? {
        Some(lychee) => {
            check(&lychee, &folder, "book/**/*.html")?;
            // A code host makes the anchors of the same pages by another rule.
            check(&lychee, &folder, "src/**/*.md")?;
        }
        None => println!("NOT CHECKED: links of the site. lychee could not be installed."),
    }
    let book = folder.join("book");
    if let Some(out) = &out {
        copy(&book, out)?;
    }
    let start = out.unwrap_or(book).join("index.html");
    println!("{count} pages at {}", start.display());
    Ok(())
}

/// Writes the folder of the book: its settings and copies of its pages. Returns the number of pages.
fn write_sources(root: &Path, folder: &Path) -> Result<usize> {
    for name in ["src", "book", "theme"] {
        let old = folder.join(name);
        if old.exists() {
            std::fs::remove_dir_all(old)?;
        }
    }
    let settings = root.join(SETTINGS);
    std::fs::copy(settings.join("book.toml"), folder.join("book.toml"))?;
    std::fs::copy(settings.join("site.css"), folder.join("site.css"))?;

    let index = std::fs::read_to_string(root.join(pages::INDEX))?;
    let parts = summary::parts(&index);
    let mut files: BTreeSet<String> = [START, pages::INDEX].map(str::to_owned).into();
    files.extend(parts.iter().flat_map(|part| &part.pages).map(|page| page.path.clone()));
    let count = files.len();
    collect_attachments(root, &root.join("docs"), &mut files)?;

    let repository = repository(root)?;
    let mut dead = Vec::new();
    for file in &files {
        let target = folder.join("src").join(file);
        std::fs::create_dir_all(target.parent().unwrap_or(folder))?;
        if !pages::has_markdown_extension(Path::new(file)) {
            std::fs::copy(root.join(file), target)?;
            continue;
        }
        let text = std::fs::read_to_string(root.join(file))
            .with_context(|| format!("could not read `{file}`"))?;
        let text = links::rewrite(file, &text, &mut |path| {
            if files.contains(path) {
                links::Target::Site
            } else if !root.join(path).exists() {
                dead.push(format!("{file}: the link to `{path}` is dead"));
                links::Target::Site
            } else {
                // A source file is not part of the site.
                match &repository {
                    Some(repository) => {
                        links::Target::Elsewhere(format!("{repository}/blob/main/{path}"))
                    }
                    None => links::Target::Text,
                }
            }
        });
        std::fs::write(target, text)?;
    }
    std::fs::write(folder.join("src/SUMMARY.md"), summary::render(&parts))?;
    if !dead.is_empty() {
        bail!("{}", dead.join("\n"));
    }
    Ok(count)
}

/// Fails for a dead link or anchor in the files. Addresses on other machines are not contacted.
fn check(lychee: &Path, folder: &Path, files: &str) -> Result<()> {
    let mut command = Command::new(lychee);
    command.args(["--offline", "--include-fragments", "--no-progress", "--format", "detailed"]);
    // The page for unknown addresses has the site's own address as base.
    command.args(["--exclude-path", "404.html", "--exclude-path", "SUMMARY.md"]);
    let output = command.arg(files).current_dir(folder).output()?;
    if !output.status.success() {
        println!("{}", String::from_utf8_lossy(&output.stdout));
        bail!("dead links in {files}\n{}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(())
}

/// Address of the repository in `Cargo.toml`, if it has one.
fn repository(root: &Path) -> Result<Option<String>> {
    let manifest: toml::Table = std::fs::read_to_string(root.join("Cargo.toml"))?.parse()?;
    let address = (|| manifest.get("workspace")?.get("package")?.get("repository")?.as_str())();
    Ok(address.map(|address| address.trim_end_matches('/').to_owned()))
}

/// Adds the files below `docs` that are no pages, such as pictures, relative to the root.
fn collect_attachments(root: &Path, folder: &Path, files: &mut BTreeSet<String>) -> Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            if path != root.join(SETTINGS) {
                collect_attachments(root, &path, files)?;
            }
        } else if !pages::has_markdown_extension(&path) {
            files
                .insert(pages::resolve(Path::new(""), &path.strip_prefix(root)?.to_string_lossy()));
        }
    }
    Ok(())
}

/// Copies a folder into an empty one.
fn copy(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            std::fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
