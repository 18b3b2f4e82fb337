//! Tests of the command line.

use super::*;
use crate::flags::{
    Boundary, CaseMode, ColorMode, Context, Mode, PatternSource, SearchMode, Sort, SortKey,
    TypeChange,
};

fn parsed(line: &str) -> Flags {
    parse(line.split_whitespace().map(OsString::from)).expect(line)
}

fn error(line: &str) -> UsageError {
    parse(line.split_whitespace().map(OsString::from)).expect_err(line)
}

#[test]
fn short_flags_combine_and_take_values_in_every_form() {
    let flags = parsed("-inA1 -tpy -B 2 -C=3 -m7 foo");
    assert_eq!(flags.case, CaseMode::Insensitive);
    assert_eq!(flags.line_number, Some(true));
    let context = Context::Lines { before: Some(2), after: Some(1), both: Some(3) };
    assert_eq!(flags.context, context);
    assert_eq!(flags.context.lines(), Some((2, 1)));
    assert_eq!(flags.type_changes, [TypeChange::Select("py".to_owned())]);
    assert_eq!(flags.max_count, Some(7));
    assert_eq!(flags.positional, ["foo"]);
}

#[test]
fn the_last_flag_counts() {
    assert_eq!(parsed("-i -s -S").case, CaseMode::Smart);
    assert!(!parsed("--hidden --no-hidden").hidden);
    assert_eq!(parsed("-n -N").line_number, Some(false));
    assert_eq!(parsed("-w -x").boundary, Some(Boundary::Line));
    assert_eq!(parsed("--color=always --color never").color, ColorMode::Never);
    assert_eq!(parsed("-l -c").mode, Mode::Search(SearchMode::Count));
    assert_eq!(parsed("--json --no-json").mode, Mode::Search(SearchMode::Standard));
    assert_eq!(parsed("--passthru -A1").context.lines(), Some((0, 1)));
    assert!(!parsed("-U --stop-on-nonmatch").multiline);
    let sort = |line| parsed(line).sort;
    assert_eq!(sort("--sort path --sort none"), None);
    let modified = Some(Sort { key: SortKey::Modified, reverse: true });
    assert_eq!(sort("--sort-files --sortr modified"), modified);
}

#[test]
fn the_last_mode_counts() {
    assert_eq!(parsed("--files -l").mode, Mode::Search(SearchMode::FilesWithMatches));
    assert_eq!(parsed("-l --files").mode, Mode::Files);
    assert_eq!(parsed("--files --no-json").mode, Mode::Files);
}

#[test]
fn patterns_and_paths_may_start_with_a_dash() {
    let flags = parsed("-e -foo -e-bar --regexp=--baz -f patterns -- -path");
    let text = |text: &str| PatternSource::Text(text.to_owned());
    assert_eq!(
        flags.patterns,
        [text("-foo"), text("-bar"), text("--baz"), PatternSource::File("patterns".into())]
    );
    assert_eq!(flags.positional, ["-path"]);
    assert_eq!(parsed("foo -").positional, ["foo", "-"]);
}

#[test]
fn unrestricted_switches_off_filters_step_by_step() {
    let flags = parsed("-u");
    assert!(flags.no_ignore_vcs && !flags.hidden);
    assert!(parsed("-uu").hidden);
    assert!(error("-uuuu").message.contains("at most three times"));
}

#[test]
fn unsupported_flags_are_named_with_a_way_out() {
    let error = error("-P foo");
    assert!(error.message.starts_with("`lore rg` does not support `-P`: "), "{error}");
    assert!(error.hint.is_some_and(|hint| hint.contains("`rg`")));
    assert!(super::parse(["--pre", "cat", "foo"].map(OsString::from)).is_err());
    assert!(super::parse(["-z", "foo"].map(OsString::from)).is_err());
    // Undone by a later flag.
    assert_eq!(parsed("-P --no-pcre2 foo").positional, ["foo"]);
    assert_eq!(parsed("--pre cat --no-pre foo").positional, ["foo"]);
}

#[test]
fn unknown_flags_and_invalid_values_are_errors() {
    assert_eq!(error("--hiden").message, "unrecognized flag `--hiden`");
    assert!(error("--hiden").hint.is_some_and(|hint| hint.contains("`--hidden`")));
    assert_eq!(error("-é").message, "unrecognized flag `-é`");
    assert_eq!(error("-A").message, "`-A` requires a value");
    assert_eq!(error("-Ax").message, "invalid `-A`: `x` is not a valid number");
    assert_eq!(
        error("--color maybe").message,
        "invalid `--color`: `maybe` is not one of never, auto, always, ansi"
    );
    assert!(error("--hidden=yes").message.contains("--hidden"));
    assert!(error("--max-filesize 3X").message.starts_with("invalid `--max-filesize`"));
}

#[test]
fn names_are_unique_and_sorted() {
    assert!(TABLE.is_sorted_by(|left, right| left.long < right.long));
    let mut names: Vec<&str> = TABLE
        .iter()
        .flat_map(|flag| [Some(flag.long), flag.alias, flag.negated])
        .flatten()
        .collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
    let mut letters: Vec<char> = TABLE.iter().filter_map(|flag| flag.short).collect();
    let count = letters.len();
    letters.sort_unstable();
    letters.dedup();
    assert_eq!(letters.len(), count);
}
