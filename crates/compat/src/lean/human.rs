//! The output for people, in the layout that lean-spec publishes. Its icons are text and are written
//! to pipes, too; colours are only for terminals.

use std::io::{self, Write};

use lore_console::text;
use lore_render::output::{
    plural,
    style::{Role, Style},
};

use super::search::{LeanAnswer, LeanField, LeanHit, LeanMatch};
use super::{mentions, milliseconds};

/// The text between two tags.
const SEPARATOR: &str = ", ";

/// Writes the whole answer.
pub(super) fn write(answer: &LeanAnswer, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "🔍 Found {} (searched {} in {} ms)",
        specs(answer.total),
        specs(answer.searched),
        milliseconds(answer.elapsed_ms)
    )?;
    for (position, hit) in answer.hits.iter().enumerate() {
        writeln!(out)?;
        block(position + 1, hit, style, out)?;
    }
    let Some(first) = answer.hits.first() else { return Ok(()) };
    let view = view(first);
    writeln!(out, "\nView full spec: {view}")?;
    if let Some(word) = answer.words.first() {
        let word = text::clean(word).replace(['"', '\\', '$', '`'], ".");
        writeln!(out, "Search in spec: {view} | grep -i \"{word}\"")?;
    }
    Ok(())
}

fn specs(count: usize) -> String {
    plural(count as u64, "spec", "specs")
}

fn matches(count: usize) -> String {
    plural(count as u64, "match", "matches")
}

/// The command that shows a spec.
fn view(hit: &LeanHit) -> String {
    let name = &hit.spec.name;
    if hit.spec.format != "lean-spec" {
        return format!("cat {}", text::quoted(&hit.spec.path));
    }
    let digits = name.bytes().take_while(u8::is_ascii_digit).count();
    let number = if digits == 0 { name } else { &name[..digits] };
    format!("lean-spec view {}", text::clean(number))
}

/// The sign of a priority; nothing for words that are none of the known ones.
fn sign(priority: &str) -> &'static str {
    match priority.to_lowercase().as_str() {
        "critical" => "🔴 ",
        "high" => "🟡 ",
        "medium" => "🟠 ",
        "low" => "🟢 ",
        _ => "",
    }
}

fn block(rank: usize, hit: &LeanHit, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let spec = &hit.spec;
    let name = style.paint(Role::Title, text::clean(&spec.name)).to_string();
    write!(out, "{rank}. {name} ({}% match)", hit.score)?;
    if let Some(status) = &spec.status {
        write!(out, " [{}]", text::clean(status))?;
    }
    writeln!(out)?;
    let priority = spec
        .priority
        .as_ref()
        .map(|priority| format!("{}{}", sign(priority), text::clean(priority)));
    let tags = (!spec.tags.is_empty()).then(|| format!("[{}]", text::clean(&spec.tags.join(", "))));
    let about: Vec<String> = priority.into_iter().chain(tags).collect();
    if !about.is_empty() {
        writeln!(out, "   {}", about.join(" · "))?;
    }
    let of = |field: LeanField| hit.matches.iter().filter(move |found| found.field == field);
    let title: Vec<_> = of(LeanField::Title).collect();
    let tags: Vec<_> = of(LeanField::Tags).collect();
    if !(title.is_empty() && tags.is_empty()) {
        writeln!(out)?;
    }
    for found in title {
        writeln!(out, "   Title: \"{}\"", highlighted(found, style))?;
    }
    for found in tags {
        writeln!(out, "   Tags: {}", highlighted(&matched_tags(found), style))?;
    }
    let excerpts: Vec<_> = of(LeanField::Content).collect();
    if !excerpts.is_empty() {
        writeln!(out, "\n   Content ({}):", matches(mentions(hit, LeanField::Content)))?;
    }
    for found in &excerpts {
        let page = found.page.as_deref().map_or_else(String::new, |page| {
            let name = page.rsplit('/').next().unwrap_or(page);
            format!("{}: ", style.paint(Role::Path, text::clean(name)))
        });
        writeln!(out, "   {page}\"{}\"", highlighted(found, style))?;
    }
    // What matched and is not shown above.
    let unseen: Vec<String> = [LeanField::Name, LeanField::Description, LeanField::Content]
        .into_iter()
        .map(|field| (field, mentions(hit, field)))
        .filter(|(field, count)| {
            0 < *count && (*field != LeanField::Content || excerpts.is_empty())
        })
        .map(|(field, count)| format!("+{} in {}", matches(count), field.as_str()))
        .collect();
    if !unseen.is_empty() {
        writeln!(out, "\n   More: {}", unseen.join(", "))?;
    }
    Ok(())
}

/// The match in the tags, without the tags that do not match.
fn matched_tags(found: &LeanMatch) -> LeanMatch {
    let mut kept = LeanMatch { text: String::new(), highlights: Vec::new(), ..found.clone() };
    let mut start = 0;
    for tag in found.text.split(SEPARATOR) {
        let end = start + tag.chars().count();
        let of_tag = found.highlights.iter().filter(|(from, to)| start <= *from && *to <= end);
        let of_tag: Vec<_> = of_tag.map(|(from, to)| (from - start, to - start)).collect();
        if !of_tag.is_empty() {
            if !kept.text.is_empty() {
                kept.text.push_str(SEPARATOR);
            }
            let offset = kept.text.chars().count();
            kept.text.push_str(tag);
            kept.highlights.extend(of_tag.iter().map(|(from, to)| (offset + from, offset + to)));
        }
        start = end + SEPARATOR.chars().count();
    }
    // A phrase of several tags.
    if kept.text.is_empty() { found.clone() } else { kept }
}

/// The text of a match, its words in their colour.
fn highlighted(found: &LeanMatch, style: &Style) -> String {
    let characters: Vec<char> = found.text.chars().collect();
    let slice = |from: usize, to: usize| {
        let part: String = characters[from..to].iter().collect();
        text::clean(&part)
    };
    let mut line = String::new();
    let mut at = 0;
    for &(start, end) in &found.highlights {
        line.push_str(&slice(at, start));
        line.push_str(&style.paint(Role::Match, slice(start, end)).to_string());
        at = end;
    }
    line.push_str(&slice(at, characters.len()));
    line
}
