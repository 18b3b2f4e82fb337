//! Markdown as HTML: headings with anchors, links into the tree, code with colours. HTML in a page is shown as
//! text, and nothing is loaded from elsewhere.

use std::{collections::HashMap, fmt::Write as _};

use maud::{Markup, PreEscaped};
use pulldown_cmark::{
    CodeBlockKind, CowStr, Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd, html,
};

use crate::{
    code::{self, escape},
    links, raw, text,
};

/// Renders a page. `path` is that of its file, which relative links start from.
pub(crate) fn render(text: &str, path: &str, revision: Option<&str>) -> Markup {
    let (meta, body) = front_matter(text);
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS;
    let base = text.len() - body.len();
    let mut events = Events {
        out: Vec::new(),
        path,
        revision,
        anchors: HashMap::new(),
        lines: line_starts(text),
        anchored: 0,
        code: None,
        heading: None,
        in_comment: false,
        image: None,
    };
    for (event, range) in Parser::new_ext(body, options).into_offset_iter() {
        events.add(event, base + range.start);
    }
    let mut rendered = String::with_capacity(text.len() * 2);
    if !meta.is_empty() {
        rendered.push_str("<pre class=meta tabindex=0>");
        escape(meta.trim_end(), &mut rendered);
        rendered.push_str("</pre>");
    }
    html::push_html(&mut rendered, events.out.into_iter());
    PreEscaped(rendered)
}

/// Splits front matter between lines of three hyphens off a page.
fn front_matter(text: &str) -> (&str, &str) {
    let Some(rest) = text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n")) else {
        return ("", text);
    };
    let Some(end) = rest.find("\n---") else { return ("", text) };
    let after = &rest[end + 4..];
    let Some(line) = after.find('\n') else { return ("", text) };
    if after[..line].trim().is_empty() { (&rest[..end], &after[line + 1..]) } else { ("", text) }
}

fn line_starts(text: &str) -> Vec<usize> {
    std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect()
}

/// The events of a page, changed for the web.
struct Events<'t> {
    out: Vec<Event<'t>>,
    path: &'t str,
    revision: Option<&'t str>,
    /// Number of headings with each anchor.
    anchors: HashMap<String, usize>,
    /// Byte offset of each line.
    lines: Vec<usize>,
    /// Number of lines that have an anchor.
    anchored: usize,
    /// Language and text of the open block of code.
    code: Option<(String, String)>,
    /// Position of the start of the open heading, with its text.
    heading: Option<(usize, HeadingLevel, String)>,
    /// True within a comment of HTML.
    in_comment: bool,
    /// Address and text of the open picture.
    image: Option<(String, String)>,
}

impl<'t> Events<'t> {
    fn add(&mut self, event: Event<'t>, at: usize) {
        if self.add_to_code(&event) || self.add_to_image(&event) {
            return;
        }
        if let (Some((_, _, text)), Event::Text(part) | Event::Code(part)) =
            (&mut self.heading, &event)
        {
            text.push_str(part);
        }
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                self.anchor_lines(at);
                self.heading = Some((self.out.len(), level, String::new()));
                self.out.push(Event::Html(CowStr::Borrowed("")));
            }
            Event::End(TagEnd::Heading(level)) => self.end_heading(level),
            Event::Start(Tag::CodeBlock(kind)) => {
                self.anchor_lines(at);
                let language = match kind {
                    CodeBlockKind::Fenced(info) => {
                        info.split([' ', ',', '{']).next().unwrap_or_default().to_owned()
                    }
                    CodeBlockKind::Indented => String::new(),
                };
                self.code = Some((language, String::new()));
            }
            Event::Start(Tag::Image { dest_url, .. }) => {
                self.image = Some((dest_url.into_string(), String::new()));
            }
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                let dest_url = CowStr::from(self.address(link_type, &dest_url));
                self.out.push(Event::Start(Tag::Link { link_type, dest_url, title, id }));
            }
            // Alignments would be styles inside the page.
            Event::Start(Tag::Table(columns)) => {
                self.anchor_lines(at);
                let plain = vec![pulldown_cmark::Alignment::None; columns.len()];
                self.out.push(Event::Start(Tag::Table(plain)));
            }
            Event::Html(text) | Event::InlineHtml(text) => {
                // Comments are for authors. Each of their lines is an event.
                let is_comment = self.in_comment || text.trim_start().starts_with("<!--");
                self.in_comment = is_comment && !text.contains("-->");
                let rest = if is_comment {
                    text.split_once("-->").map_or("", |(_, rest)| rest).to_owned()
                } else {
                    text.into_string()
                };
                if !rest.trim().is_empty() {
                    self.out.push(Event::Text(text::visible(&rest).into()));
                }
            }
            Event::Start(tag @ (Tag::Paragraph | Tag::BlockQuote(_))) => {
                self.anchor_lines(at);
                self.out.push(Event::Start(tag));
            }
            Event::Start(Tag::Item) => {
                self.out.push(Event::Start(Tag::Item));
                self.anchor_lines(at);
            }
            Event::Text(part) => self.out.push(Event::Text(text::visible(&part).into())),
            event => self.out.push(event),
        }
    }

    /// Collects a block of code. Returns true if the event belongs to it.
    fn add_to_code(&mut self, event: &Event<'t>) -> bool {
        let Some((language, text)) = &mut self.code else { return false };
        match event {
            Event::Text(part) => text.push_str(part),
            Event::End(TagEnd::CodeBlock) => {
                let language = Some(language.as_str()).filter(|language| !language.is_empty());
                let spans = lore_highlight::highlight(text, language);
                let lines = lore_highlight::in_lines(text, &spans);
                let mut out = "<pre class=fence tabindex=0><code>".to_owned();
                for (index, line) in text.lines().enumerate() {
                    let spans = lines.get(index).map(Vec::as_slice).unwrap_or_default();
                    code::line(line, spans, &[], None, &mut out);
                    out.push('\n');
                }
                out.push_str("</code></pre>\n");
                self.out.push(Event::Html(out.into()));
                self.code = None;
            }
            _ => {}
        }
        true
    }

    /// Collects a picture. Returns true if the event belongs to it.
    fn add_to_image(&mut self, event: &Event<'t>) -> bool {
        let Some((address, text)) = &mut self.image else { return false };
        match event {
            Event::Text(part) | Event::Code(part) => text.push_str(part),
            Event::End(TagEnd::Image) => {
                let (address, text) = (address.clone(), text.clone());
                self.image = None;
                let inside = self.resolved(&address).filter(|path| raw::is_picture(path));
                let mut out = String::new();
                // A picture of an earlier tree, or of another server, is a link.
                if let (Some(path), None) = (&inside, self.revision) {
                    out.push_str("<img loading=lazy src=\"");
                    escape(&raw::address(path), &mut out);
                    out.push_str("\" alt=\"");
                    escape(&text, &mut out);
                    out.push_str("\">");
                } else {
                    out.push_str("<span class=picture>");
                    escape(if text.is_empty() { "picture" } else { &text }, &mut out);
                    out.push_str("</span>");
                }
                self.out.push(Event::InlineHtml(out.into()));
            }
            _ => {}
        }
        true
    }

    /// Adds the anchors of the lines up to an offset that have none yet.
    fn anchor_lines(&mut self, at: usize) {
        let end = self.lines.partition_point(|start| *start <= at);
        if end <= self.anchored {
            return;
        }
        let mut anchors = String::new();
        for line in self.anchored + 1..=end {
            let _ = write!(anchors, "<span id=L{line}></span>");
        }
        self.anchored = end;
        self.out.push(Event::InlineHtml(anchors.into()));
    }

    fn end_heading(&mut self, level: HeadingLevel) {
        if let Some((position, level, text)) = self.heading.take() {
            let anchor = self.anchor(&text);
            let mut start = format!("<{level} id=\"");
            escape(&anchor, &mut start);
            start.push_str("\"><a class=anchor aria-label=\"Link to this section\" href=\"#");
            escape(&links::encode(&anchor), &mut start);
            start.push_str("\">#</a>");
            self.out[position] = Event::Html(start.into());
        }
        self.out.push(Event::Html(format!("</{level}>\n").into()));
    }

    /// The anchor of a heading, as code hosts make it: lower case, hyphens for spaces, a number if it repeats.
    fn anchor(&mut self, text: &str) -> String {
        let mut anchor = String::new();
        for character in text.trim().to_lowercase().chars() {
            if character.is_alphanumeric() || matches!(character, '-' | '_') {
                anchor.push(character);
            } else if character == ' ' {
                anchor.push('-');
            }
        }
        let count = self.anchors.entry(anchor.clone()).or_default();
        *count += 1;
        if 1 < *count { format!("{anchor}-{}", *count - 1) } else { anchor }
    }

    /// The address of a link.
    fn address(&self, link_type: LinkType, target: &str) -> String {
        if link_type == LinkType::Email || target.starts_with('#') {
            return target.to_owned();
        }
        if let Some(scheme) = scheme(target) {
            // Other schemes could run code.
            let is_known = ["http", "https", "mailto"].contains(&scheme.to_lowercase().as_str());
            return if is_known { target.to_owned() } else { "#".to_owned() };
        }
        let (_, anchor) = target.split_once('#').unwrap_or((target, ""));
        match self.resolved(target) {
            Some(path) => {
                let page = if target.split('#').next().unwrap_or_default().ends_with('/') {
                    links::folder(&path, self.revision)
                } else {
                    links::file(&path, self.revision)
                };
                if anchor.is_empty() { page } else { format!("{page}#{}", links::encode(anchor)) }
            }
            None => "#".to_owned(),
        }
    }

    /// The root-relative path that a relative link leads to; `None` outside the tree and for other servers.
    fn resolved(&self, target: &str) -> Option<String> {
        let target = target.split(['#', '?']).next().unwrap_or_default();
        if target.is_empty() || scheme(target).is_some() || target.starts_with("//") {
            return None;
        }
        let target = percent_encoding::percent_decode_str(target).decode_utf8().ok()?;
        let mut parts: Vec<&str> = Vec::new();
        if !target.starts_with('/') {
            parts.extend(self.path.split('/'));
            parts.pop();
        }
        for part in target.split('/') {
            match part {
                "" | "." => {}
                ".." => {
                    parts.pop()?;
                }
                part => parts.push(part),
            }
        }
        Some(parts.join("/"))
    }
}

/// The scheme of an address: what is before the first colon, if it has the form of one.
fn scheme(target: &str) -> Option<&str> {
    let (scheme, _) = target.split_once(':')?;
    let is_scheme = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    is_scheme.then_some(scheme)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered(text: &str) -> String {
        render(text, "docs/guide/a.md", None).into_string()
    }

    #[test]
    fn headings_have_anchors_and_lines_too() {
        let page = rendered("# The `first` one\n\ntext\n\n# The first one\n");
        assert!(page.contains("<h1 id=\"the-first-one\">"), "{page}");
        assert!(page.contains("<h1 id=\"the-first-one-1\">"), "{page}");
        for line in 1..=5 {
            assert_eq!(page.matches(&format!("<span id=L{line}>")).count(), 1, "{line}: {page}");
        }
    }

    #[test]
    fn links_stay_in_the_tree() {
        let page =
            rendered("[a](../b.md#part) [c](c/) [d](/e.rs) [f](https://example.org/) [g](#h)");
        for target in [
            "/file/docs/b.md#part",
            "/tree/docs/guide/c",
            "/file/e.rs",
            "https://example.org/",
            "#h",
        ] {
            assert!(page.contains(&format!("href=\"{target}\"")), "{target}: {page}");
        }
        let page =
            rendered("[a](../../../etc/passwd) [b](javascript:alert(1)) [c](data:text/html,x)");
        assert_eq!(page.matches("href=\"#\"").count(), 3, "{page}");
    }

    #[test]
    fn html_is_text_and_comments_are_hidden() {
        let page =
            rendered("<script>alert(1)</script>\n\n<!-- note\nnote -->\n\na <b onclick=x>b</b>\n");
        assert!(
            !page.contains("<script") && !page.contains("<b ") && !page.contains("note"),
            "{page}"
        );
        assert!(page.contains("&lt;script&gt;"), "{page}");
    }

    #[test]
    fn pictures_of_others_are_not_loaded() {
        let page = rendered("![one](x.png) ![two](https://example.org/y.png)");
        assert!(
            page.contains("<img loading=lazy src=\"/raw/docs/guide/x.png\" alt=\"one\">"),
            "{page}"
        );
        assert!(!page.contains("example.org"), "{page}");
    }

    #[test]
    fn nothing_has_a_style_of_its_own() {
        let page = rendered("| a | b |\n|:--|--:|\n| 1 | 2 |\n\n```rust\nlet x = 1;\n```\n");
        assert!(!page.contains("style="), "{page}");
        assert!(page.contains("<i class=w>let</i>"), "{page}");
    }

    #[test]
    fn front_matter_is_set_apart() {
        let page = rendered("---\ntitle: x\n---\n# A\n");
        assert!(page.starts_with("<pre class=meta tabindex=0>title: x</pre>"), "{page}");
        assert!(page.contains("<span id=L4>"), "{page}");
    }
}
