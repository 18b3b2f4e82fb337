//! Definitions for people, by name or by file.

use std::{
    collections::BTreeMap,
    io::{self, Write},
};

use lore_console::text;
use lore_engine::{SymbolHit, SymbolMatch, SymbolResponse};

use super::{
    human::{columns, plural, trust},
    style::{Role, Style},
};

/// Indentation of the lines below a definition's name.
const INDENT: usize = 2;

/// Writes definitions found by name: one block per definition, with the members of a type below it.
/// Near names have a separate heading.
///
/// If there are only near names, nothing was found; the absence reports them.
pub fn by_name(response: &SymbolResponse, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let (near, found): (Vec<&SymbolHit>, Vec<&SymbolHit>) =
        response.hits.iter().partition(|hit| hit.matched == Some(SymbolMatch::Near));
    let mut members = members(&found);
    for (position, hit) in found.iter().enumerate() {
        let Some(own) = members.remove(&position) else { continue };
        block(hit, style, out)?;
        rows(&own, Some(hit), style, out)?;
        writeln!(out)?;
    }
    let near = if found.is_empty() { Vec::new() } else { near };
    if !near.is_empty() {
        writeln!(out, "{}\n", style.paint(Role::Heading, "Near names"))?;
        for hit in &near {
            block(hit, style, out)?;
            writeln!(out)?;
        }
    }
    let shown = match (found.len(), near.len()) {
        (0, _) => String::new(),
        (shown, 0) => plural(shown as u64, "definition", "definitions"),
        (shown, near) => {
            let shown = plural(shown as u64, "definition", "definitions");
            format!("{shown}, {}", plural(near as u64, "near name", "near names"))
        }
    };
    summary(response, shown, style, out)
}

/// Writes the definitions of files: a path, then one line per definition, members below their type.
pub fn of_files(response: &SymbolResponse, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let hits: Vec<&SymbolHit> = response.hits.iter().collect();
    let mut files = 0;
    for of_file in hits.chunk_by(|left, right| left.path == right.path) {
        files += 1;
        writeln!(out, "{}", style.paint(Role::Path, text::quoted(&of_file[0].path)))?;
        rows(of_file, None, style, out)?;
        writeln!(out)?;
    }
    let shown = if files == 0 {
        String::new()
    } else {
        let files = plural(files, "file", "files");
        format!("{} in {files}", plural(hits.len() as u64, "definition", "definitions"))
    };
    summary(response, shown, style, out)
}

/// The members of each definition with a block of its own, by its position. A member has its own block
/// if its type is not in the answer.
fn members<'a>(found: &[&'a SymbolHit]) -> BTreeMap<usize, Vec<&'a SymbolHit>> {
    let mut members: BTreeMap<usize, Vec<&SymbolHit>> = BTreeMap::new();
    for (position, hit) in found.iter().enumerate() {
        let owner = found
            .iter()
            .enumerate()
            .filter(|(_, owner)| {
                hit.matched == Some(SymbolMatch::Member)
                    && owner.matched == Some(SymbolMatch::Exact)
                    && hit.container.as_deref() == Some(&owner.name)
            })
            // Among types of the same name, the nearest one by path; among equals, the first.
            .min_by_key(|(_, owner)| usize::MAX - shared_folders(&owner.path, &hit.path));
        match owner {
            Some((owner, _)) => members.entry(owner).or_default().push(hit),
            None => drop(members.entry(position).or_default()),
        }
    }
    members
}

/// Number of leading path components that two files share, plus one if they are the same file.
fn shared_folders(left: &str, right: &str) -> usize {
    let shared = left.split('/').zip(right.split('/')).take_while(|(left, right)| left == right);
    shared.count() + usize::from(left == right)
}

/// One definition: kind and name, place, declaration, the first line of its comment.
fn block(hit: &SymbolHit, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut about: Vec<String> = Vec::new();
    if !hit.breadcrumb.is_empty() {
        about.push(hit.breadcrumb.join(" > "));
    }
    about.extend(hit.matched.filter(|matched| *matched != SymbolMatch::Exact).map(label));
    if hit.category != "own" {
        about.push(hit.category.to_owned());
    }
    let name = text::cut(&text::clean(&hit.name), style.width.max(10));
    write!(out, "{} {}", hit.kind, style.paint(Role::Title, &name))?;
    let room = style.width.saturating_sub(columns(hit.kind) + columns(&name) + 3);
    let about = text::cut(&text::clean(&about.join(" · ")), room);
    if !about.is_empty() {
        write!(out, "  {}", style.paint(Role::Dim, about))?;
    }
    writeln!(out)?;
    let indent = " ".repeat(INDENT);
    let place = format!("{}:{}", text::quoted(&hit.path), hit.line);
    writeln!(out, "{indent}{}", style.paint(Role::Path, place))?;
    let width = style.width.saturating_sub(INDENT);
    let signature = text::cut(&text::clean(&hit.signature), width);
    if !signature.is_empty() {
        writeln!(out, "{indent}{signature}")?;
    }
    let comment = hit.doc_comment.as_deref().unwrap_or_default();
    let comment = comment.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let comment = text::cut(text::clean(comment).trim(), width);
    if !comment.is_empty() {
        writeln!(out, "{indent}{}", style.paint(Role::Dim, comment))?;
    }
    let conformances: Vec<String> =
        hit.conformances.iter().map(|(relation, name)| format!("{relation} {name}")).collect();
    let conformances = text::cut(&text::clean(&conformances.join(", ")), width);
    if !conformances.is_empty() {
        writeln!(out, "{indent}{conformances}")?;
    }
    Ok(())
}

/// Definitions of one file, or members of a type, one per line: line number, kind, declaration. Members
/// in another file than their type are shown with its path.
fn rows(
    hits: &[&SymbolHit],
    owner: Option<&SymbolHit>,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let place = |hit: &SymbolHit| match owner {
        Some(owner) if owner.path != hit.path => {
            format!("{}:{}", text::quoted(&hit.path), hit.line)
        }
        _ => hit.line.to_string(),
    };
    let indent = |hit: &SymbolHit| match owner {
        Some(_) => INDENT,
        None => hit.breadcrumb.len().min(style.width / 4) * INDENT,
    };
    let widest = hits.iter().map(|hit| columns(&place(hit))).max().unwrap_or(0);
    let kinds = hits.iter().map(|hit| columns(hit.kind)).max().unwrap_or(0);
    for hit in hits {
        let place = place(hit);
        let padding = " ".repeat(INDENT + widest - columns(&place));
        let nested = " ".repeat(indent(hit));
        let declaration =
            if hit.signature.trim().is_empty() { hit.name.as_str() } else { hit.signature.trim() };
        let used = INDENT + widest + 2 + nested.len() + kinds + 2;
        let declaration =
            text::cut(&text::clean(declaration), style.width.saturating_sub(used).max(20));
        writeln!(
            out,
            "{padding}{}  {nested}{:<kinds$}  {declaration}",
            style.paint(Role::Dim, place),
            hit.kind
        )?;
    }
    Ok(())
}

/// The kind of a match, in words.
pub(super) fn label(matched: SymbolMatch) -> String {
    match matched {
        SymbolMatch::Case => "in another case".to_owned(),
        SymbolMatch::Parts => "by parts".to_owned(),
        matched @ (SymbolMatch::Exact
        | SymbolMatch::Prefix
        | SymbolMatch::Member
        | SymbolMatch::Near) => matched.as_str().to_owned(),
    }
}

fn summary(
    response: &SymbolResponse,
    shown: String,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let receipt = &response.receipt;
    let mut parts = vec![if shown.is_empty() { "no definition".to_owned() } else { shown }];
    if !receipt.exhaustive {
        parts.push("there are more than `--limit` allows".to_owned());
    }
    parts.extend(trust(receipt));
    writeln!(out, "{}", style.paint(Role::Dim, text::clean(&parts.join(" · "))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::graph_fixture;

    fn written(
        write: fn(&SymbolResponse, &Style, &mut dyn Write) -> io::Result<()>,
        response: &SymbolResponse,
        style: &Style,
    ) -> String {
        let mut out = Vec::new();
        write(response, style, &mut out).expect("writing to a vector cannot fail");
        String::from_utf8(out).expect("output is Unicode").replace('\x1b', "␛")
    }

    #[test]
    fn members_are_below_their_type_and_near_names_are_separate() {
        let response = graph_fixture::symbols();
        insta::assert_snapshot!(written(by_name, &response, &Style::plain()));
    }

    #[test]
    fn files_are_listed_by_line() {
        let response = graph_fixture::files();
        insta::assert_snapshot!(written(of_files, &response, &Style::plain()));
        let narrow = Style { width: 40, color: true, ..Style::plain() };
        insta::assert_snapshot!(written(of_files, &response, &narrow));
    }
}
