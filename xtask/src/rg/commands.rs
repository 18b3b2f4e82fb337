//! The command lines: a fixed list, and as many generated ones as are needed.

use std::{ffi::OsString, path::PathBuf};

use super::trees::Tree;
use crate::random::Random;

/// A command line without the name of the program.
pub(super) struct CommandLine {
    /// The directory it runs in.
    pub(super) tree: PathBuf,
    pub(super) words: Vec<OsString>,
    /// Standard input; `None` if it is not piped.
    pub(super) input: Option<Vec<u8>>,
    /// A configuration file in the tree.
    pub(super) config: Option<&'static str>,
}

impl CommandLine {
    fn has(&self, start: &str) -> bool {
        self.words.iter().any(|word| word.to_string_lossy().starts_with(start))
    }

    /// Returns true if the search ends at the first match.
    pub(super) fn is_quiet(&self) -> bool {
        self.words.iter().any(|word| word == "-q")
    }

    /// Returns true if its output has a fixed order.
    pub(super) fn is_sorted(&self) -> bool {
        self.has("--sort") && !self.is_never_sorted()
            || self.config.is_some_and(|name| self.tree.join(name).is_file())
    }

    /// Returns true if a flag removes the order, whatever precedes it.
    pub(super) fn is_never_sorted(&self) -> bool {
        self.words.windows(2).any(|pair| pair[0] == "--sort" && pair[1] == "none")
    }
}

/// Text of standard input, for command lines that read it.
const INPUT: &str = "alpha needle\nfn main\r\nNEEDLE\n\nlast line without end needle";

/// Command lines for every tree; `PATTERN` is one of its patterns, `PATH` and `GLOB` likewise.
const EVERYWHERE: &[&str] = &[
    "PATTERN",
    "-n PATTERN",
    "-in PATTERN",
    "-c PATTERN",
    "-l PATTERN",
    "--files",
    "--files --hidden",
    "--files -uu PATH",
    "--files -0",
    "--files -g GLOB",
    "--files -q",
    "-q PATTERN",
    "-nH PATTERN PATH",
    "-n PATTERN PATH PATH",
    "PATTERN PATH missing-path",
    "-n -A1 -B2 PATTERN",
    "-C2 -n --heading PATTERN",
    "-e PATTERN -e PATTERN -o",
    "-U -n PATTERN",
    "-v -c PATTERN",
    "--json PATTERN PATH",
    "--json -A1 PATTERN",
    "--color always -n PATTERN",
    "-p PATTERN",
    "--vimgrep PATTERN",
    "--stats PATTERN",
    "-r '<$0>' PATTERN",
    "-or '$0$0' PATTERN",
    "-uuu -n PATTERN",
    "--sortr path -n PATTERN",
    "-w PATTERN -- PATH",
    "-L -n PATTERN",
    "--files -L",
    "--files --no-ignore --hidden --sort path",
    "--type-list",
    "-I -N PATTERN",
    "-m1 -n PATTERN",
    "-M20 -n PATTERN",
    "-M20 --max-columns-preview -n PATTERN",
    "--files-without-match PATTERN",
    "--count-matches PATTERN",
    "-c --include-zero PATTERN",
    "--no-such-flag PATTERN",
    "-A",
    "",
    "'(' PATH",
];

/// Command lines for one tree, by its position.
const SPECIAL: &[(usize, &str)] = &[
    (0, "-t rust -n 'fn main'"),
    (0, "-trust -Tmd -l use"),
    (0, "-T rust --files docs"),
    (0, "-g '*.rs' -g '!**/tests/**' -c unwrap"),
    (0, "--iglob '*.MD' -l lore"),
    (0, "-F -n 'fn main() -> ExitCode {' crates"),
    (0, "-t nosuchtype x"),
    (0, "--type-add 'page:*.{md,txt}' -tpage -c the"),
    (0, "--max-depth 1 -l lore"),
    (0, "-d2 --files"),
    (0, "--max-filesize 2K --files crates"),
    (0, "-nU 'fn \\w+\\(\\)[^{]*\\{\\n    vec' crates"),
    (0, "-e -foo -e --bar -c"),
    (1, "--no-ignore-vcs --files"),
    (1, "--no-ignore-dot --files"),
    (1, "--no-ignore-exclude --files"),
    (1, "--no-ignore-parent alpha src"),
    (1, "--ignore-file rules.txt --files"),
    (1, "--ignore-file rules.txt --no-ignore-files --files"),
    (1, "--no-ignore --ignore --files"),
    (1, "--sort modified -c alpha"),
    (1, "--sortr modified -l alpha"),
    (1, "--files --sort modified"),
    (1, "--files --sortr path src docs"),
    (1, "-c alpha src src src/deep"),
    (1, "-S Beta"),
    (1, "-S beta"),
    (1, "-n alpha ./src"),
    (1, "-n alpha src/../src"),
    (1, "--files ./"),
    (1, "alpha vendor build"),
    (2, "--no-require-git --files"),
    (2, "-a needle"),
    (2, "--binary needle"),
    (2, "needle binary-start.bin"),
    (2, "needle binary-late.bin"),
    (2, "-c needle binary-late.bin binary-after.bin"),
    (2, "-l needle binary-late.bin"),
    (2, "--mmap needle"),
    (2, "--no-mmap needle binary-late.bin"),
    (2, "-v needle binary-after.bin"),
    (2, "--null-data -n needle nul-lines.txt"),
    (2, "-E utf-16le one utf16le.txt"),
    (2, "-E none -c . bom.txt"),
    (2, "-E latin1 -o ü latin1.txt"),
    (2, "-E nosuch x"),
    (2, "--crlf -n 'needle$' crlf.txt"),
    (2, "-n 'needle$' crlf.txt"),
    (2, "-f patterns -n"),
    (2, "-f missing-patterns"),
    (2, "-f empty.txt"),
    (2, "-v -f empty.txt mixed.txt"),
    (2, "-n needle -- -dash.txt"),
    (2, "-n needle links/file links/broken"),
    (2, "-n needle links"),
    (2, "-L -c needle links"),
    (2, "-x needle"),
    (2, "-w needle -o"),
    (2, "--passthru -n needle mixed.txt"),
    (2, "-n -C1 needle context.txt crlf.txt"),
    (2, "-C1 --context-separator '====' needle context.txt"),
    (2, "-C1 --no-context-separator needle context.txt"),
    (2, "-n -C1 --field-match-separator ' | ' --field-context-separator ' . ' needle context.txt"),
    (2, "-m2 -A3 -n needle context.txt"),
    (2, "--stop-on-nonmatch -n needle"),
    (2, "--trim -n needle crlf.txt"),
    (2, "-b -o needle"),
    (2, "--column needle"),
    (2, "-0 -l needle"),
    (2, "-0 -c needle"),
    (2, "--path-separator '\\\\' -n needle"),
    (2, "--path-separator xyz needle"),
    (2, "--colors match:fg:blue --color always needle mixed.txt"),
    (2, "--colors nonsense needle"),
    (2, "'needle\\n'"),
    (2, "-U 'needle\\n.*line' mixed.txt"),
    (2, "--multiline-dotall -U 'first.*needle' no-newline.txt"),
    (2, "-m0 needle"),
    (2, "-q needle missing.txt mixed.txt"),
    (2, "needle mixed.txt missing.txt"),
    (2, "--no-messages needle mixed.txt missing.txt"),
    (2, "-g nothing needle"),
    (2, "--hidden -g '!.config' -l needle"),
    (2, "-. -l needle"),
    (2, "--json needle binary-late.bin latin1.txt"),
    (2, "--json -r X needle mixed.txt"),
    (2, "-o '' mixed.txt"),
    (2, "--no-unicode -o '\\w+' latin1.txt"),
    (2, "-n needle . name"),
    (2, "-uuuu needle"),
];

/// Command lines with piped standard input, for one tree.
const PIPED: &[(usize, &str)] = &[
    (2, "needle"),
    (2, "-n needle"),
    (2, "-c needle -"),
    (2, "-nH needle - mixed.txt"),
    (2, "-i needle --json"),
    (2, "-l needle"),
    (2, "-q nothing"),
    (2, "-f - mixed.txt"),
    (2, "-f - -"),
    (2, "--files"),
    (1, "-v alpha"),
    (1, "alpha src"),
];

/// Flags that generated command lines combine.
const FLAGS: &[&str] = &[
    "-n",
    "-N",
    "-i",
    "-s",
    "-S",
    "-w",
    "-x",
    "-F",
    "-v",
    "-c",
    "--count-matches",
    "-l",
    "--files-without-match",
    "-o",
    "-q",
    "-H",
    "-I",
    "-0",
    "--column",
    "-b",
    "--trim",
    "-a",
    "--binary",
    "-u",
    "-uu",
    "-uuu",
    "--hidden",
    "--no-ignore",
    "--no-ignore-vcs",
    "--no-ignore-dot",
    "--no-ignore-parent",
    "-L",
    "--heading",
    "--no-heading",
    "-p",
    "--vimgrep",
    "--json",
    "--stats",
    "-A1",
    "-B2",
    "-C3",
    "-C 1",
    "--after-context=2",
    "--passthru",
    "-m1",
    "-m 3",
    "-M 40",
    "-M40 --max-columns-preview",
    "-U",
    "-U --multiline-dotall",
    "--crlf",
    "--null-data",
    "-r X",
    "-r '[$0]'",
    "--replace=",
    "--color=always",
    "--color ansi",
    "--no-unicode",
    "-g GLOB",
    "-g GLOB -g GLOB",
    "--iglob GLOB",
    "-t rust",
    "-tpy",
    "-T md",
    "--type-not rust",
    "-d 2",
    "--max-depth 1",
    "--max-filesize 1K",
    "--include-zero",
    "--sort path",
    "--sortr path",
    "--sort none",
    "--no-messages",
    "-j1",
    "-j3",
    "--context-separator xx",
    "--no-context-separator",
    "--field-match-separator ' | '",
    "--field-context-separator '~'",
    "-E latin1",
    "-E utf-16le",
    "-E none",
    "-E utf8",
    "--no-require-git",
    "--stop-on-nonmatch",
    "--line-buffered",
    "--block-buffered",
    "--no-mmap",
    "--mmap",
    "--one-file-system",
    "--follow --no-follow",
    "--colors match:fg:blue",
    "--colors path:none --color always",
    "--type-add 'x:*.txt' -tx",
    "--no-config",
    "--glob-case-insensitive",
    "--files",
    "-e PATTERN",
    "--regexp=PATTERN",
    "-inw",
    "-nC1",
    "--no-line-number",
    "--line-number",
    "--ignore-case",
    "--fixed-strings",
    "--word-regexp",
    "--with-filename",
    "--no-filename",
    "--invert-match",
    "--only-matching",
    "--smart-case",
    "--hidden --no-hidden",
    "--null",
    "--max-count=2",
    "--text",
    "--no-column --column",
];

/// The command lines: all fixed ones as far as they fit, then generated ones.
pub(super) fn all(count: usize, seed: u64, trees: &[Tree]) -> Vec<CommandLine> {
    let mut random = Random::new(seed);
    let mut lines = Vec::new();
    for (number, tree) in trees.iter().enumerate() {
        let special = SPECIAL.iter().filter(|(at, _)| *at == number).map(|(_, line)| *line);
        for line in EVERYWHERE.iter().copied().chain(special) {
            lines.push(command_line(tree, line, None, &mut random));
        }
        for (_, line) in PIPED.iter().filter(|(at, _)| *at == number) {
            lines.push(command_line(tree, line, Some(INPUT), &mut random));
        }
    }
    lines.extend(configured(&trees[2]));
    while lines.len() < count {
        let tree = &trees[lines.len() % trees.len()];
        lines.push(generated(tree, &mut random));
    }
    lines.truncate(count);
    lines
}

/// Command lines with a configuration file.
fn configured(tree: &Tree) -> Vec<CommandLine> {
    let config = "ripgreprc";
    let text = "# comments are skipped\n--line-number\n  --sort=path\n--glob=!*.bin\n\n-i\n";
    std::fs::write(tree.path.join(config), text).expect("the tree was created before");
    let with = |line: &str, config: &'static str| CommandLine {
        tree: tree.path.clone(),
        words: words(line),
        input: None,
        config: Some(config),
    };
    vec![
        with("NEEDLE", config),
        with("-N -s needle", config),
        with("--no-config --sort path needle", config),
        with("--sort path needle", "missing-config"),
        with("--files", config),
    ]
}

/// A random command line.
fn generated(tree: &Tree, random: &mut Random) -> CommandLine {
    let mut line: Vec<&str> = (0..random.below(6)).map(|_| *random.pick(FLAGS)).collect();
    line.push("PATTERN");
    line.extend(std::iter::repeat_n("PATH", random.below(4).saturating_sub(1)));
    if random.one_in(8) {
        // Flags may follow paths.
        line.push(random.pick::<&str>(FLAGS));
    }
    let input = random.one_in(15).then_some(INPUT);
    command_line(tree, &line.join(" "), input, random)
}

/// A command line with a pattern, path or glob of the tree for each placeholder.
fn command_line(tree: &Tree, line: &str, input: Option<&str>, random: &mut Random) -> CommandLine {
    let filled = words(line).into_iter().map(|word| {
        let text = word.to_string_lossy().into_owned();
        let text = text.replace("PATTERN", random.pick::<&str>(tree.patterns));
        let text = if text == "PATH" { (*random.pick(tree.paths)).to_owned() } else { text };
        OsString::from(text.replace("GLOB", random.pick::<&str>(tree.globs)))
    });
    CommandLine {
        tree: tree.path.clone(),
        words: filled.collect(),
        input: input.map(|text| text.as_bytes().to_vec()),
        config: None,
    }
}

/// The words of a line, with single quotes as in a shell.
fn words(line: &str) -> Vec<OsString> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '\'' => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            ' ' if !quoted => words.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words.into_iter().map(OsString::from).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn quotes_keep_spaces_together() {
        assert_eq!(super::words("-r '<$0>' '' a'b c'd"), ["-r", "<$0>", "", "ab cd"]);
        assert!(super::words("").is_empty());
    }
}
