//! Text of man pages: escapes and the few macros that they need.

use std::fmt::Write as _;

/// Maximum number of columns of a line of prose in the source.
const MAX_COLUMNS: usize = 78;

/// A man page that is being written.
pub(crate) struct Roff {
    text: String,
}

impl Roff {
    /// A page of section 1 with its title.
    pub(crate) fn new(name: &str, date: &str, source: &str, manual: &str) -> Roff {
        let title = escaped_code(&name.to_uppercase());
        let text = format!(".TH \"{title}\" \"1\" \"{date}\" \"{source}\" \"{manual}\"\n");
        Roff { text }
    }

    /// Starts a section.
    pub(crate) fn section(&mut self, title: &str) {
        let _ = writeln!(self.text, ".SH \"{}\"", escaped(title));
    }

    /// Starts a part of a section.
    pub(crate) fn part(&mut self, title: &str) {
        let _ = writeln!(self.text, ".SS \"{}\"", escaped(title));
    }

    /// Starts a paragraph.
    pub(crate) fn paragraph(&mut self) {
        self.text.push_str(".PP\n");
    }

    /// Starts an item of a list with its name, which is escaped already.
    pub(crate) fn item(&mut self, name: &str) {
        let _ = writeln!(self.text, ".TP\n{name}");
    }

    /// Starts a further paragraph of an item.
    pub(crate) fn item_paragraph(&mut self) {
        // `.IP` without arguments keeps the indentation of the item.
        self.text.push_str(".IP\n");
    }

    /// Ends the current line of the output.
    pub(crate) fn line_break(&mut self) {
        self.text.push_str(".br\n");
    }

    /// Writes prose, with code between backticks in bold.
    pub(crate) fn prose(&mut self, text: &str) {
        let mut line = String::new();
        // The odd pieces between backticks are code.
        for (index, piece) in text.split('`').enumerate() {
            if index % 2 == 1 {
                let _ = write!(line, "\\fB{}\\fR", escaped_code(piece));
            } else {
                line.push_str(&escaped(piece));
            }
        }
        // Lines of the source are short, as tools for man pages recommend. Lines of the output are filled.
        let mut start = 0;
        let mut last_space = None;
        for (at, character) in line.char_indices() {
            if character == ' ' {
                last_space = Some(at);
            }
            if let Some(space) =
                last_space.filter(|space| start < *space && MAX_COLUMNS < at - start)
            {
                self.raw(&line[start..space]);
                start = space + 1;
                last_space = None;
            }
        }
        self.raw(&line[start..]);
    }

    /// Writes a line that is escaped already.
    pub(crate) fn raw(&mut self, line: &str) {
        // A control character at the start of a line would begin a macro.
        if line.starts_with(['.', '\'']) {
            self.text.push_str("\\&");
        }
        let _ = writeln!(self.text, "{line}");
    }

    /// Writes lines as they are, indented.
    pub(crate) fn literal(&mut self, lines: &str) {
        self.text.push_str(".RS 4\n.nf\n");
        for line in lines.lines() {
            self.raw(&escaped_code(line));
        }
        self.text.push_str(".fi\n.RE\n");
    }

    /// The whole page.
    pub(crate) fn into_text(self) -> String {
        self.text
    }
}

/// Bold text.
pub(crate) fn bold(text: &str) -> String {
    format!("\\fB{}\\fR", escaped_code(text))
}

/// Italic text.
pub(crate) fn italic(text: &str) -> String {
    format!("\\fI{}\\fR", escaped_code(text))
}

/// Code in the font of its surroundings.
pub(crate) fn plain(text: &str) -> String {
    escaped_code(text)
}

/// Prose with the characters escaped that roff interprets.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\\' => escaped.push_str("\\e"),
            // A double quote would end an argument of a macro.
            '"' => escaped.push_str("\\(dq"),
            character if character.is_ascii() => escaped.push(character),
            character => {
                let _ = write!(escaped, "\\[u{:04X}]", u32::from(character));
            }
        }
    }
    escaped
}

/// Code with all characters escaped that roff interprets or replaces by typographic ones.
fn escaped_code(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '-' => escaped.push_str("\\-"),
            '\'' => escaped.push_str("\\(aq"),
            '`' => escaped.push_str("\\(ga"),
            '^' => escaped.push_str("\\(ha"),
            '~' => escaped.push_str("\\(ti"),
            character => escaped.push_str(&self::escaped(character.encode_utf8(&mut [0; 4]))),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_becomes_a_macro_or_an_escape() {
        let mut page = Roff::new("lore-a", "2026-11", "lore 1", "Manual");
        page.prose(".TH \\n \"a\" `--b 'c' ^~` …");
        page.literal("'.x\n.y \\d");
        assert_eq!(
            page.into_text(),
            ".TH \"LORE\\-A\" \"1\" \"2026-11\" \"lore 1\" \"Manual\"\n\
             \\&.TH \\en \\(dqa\\(dq \\fB\\-\\-b \\(aqc\\(aq \\(ha\\(ti\\fR \\[u2026]\n\
             .RS 4\n.nf\n\\(aq.x\n\\&.y \\ed\n.fi\n.RE\n"
        );
    }
}
