//! Fixture strings: a small repository in one literal.

/// Splits a fixture into files. A line `//- /path/to/file` starts a file; the lines up to the next
/// such line are its content. Text before the first header is ignored.
///
/// ```
/// let files = lore_schema::testing::files("//- /a.rs\nfn a() {}\n//- /b/c.md\n# C\n");
/// assert_eq!(files[0], ("a.rs", "fn a() {}\n"));
/// assert_eq!(files[1], ("b/c.md", "# C\n"));
/// ```
pub fn files(fixture: &str) -> Vec<(&str, &str)> {
    const HEADER: &str = "//- /";
    let mut headers = Vec::new();
    let mut offset = 0;
    for line in fixture.split_inclusive('\n') {
        if let Some(path) = line.strip_prefix(HEADER) {
            headers.push((path.trim_end(), offset, offset + line.len()));
        }
        offset += line.len();
    }
    let ends = headers.iter().skip(1).map(|header| header.1).chain([fixture.len()]);
    headers.iter().zip(ends).map(|(header, end)| (header.0, &fixture[header.2..end])).collect()
}
