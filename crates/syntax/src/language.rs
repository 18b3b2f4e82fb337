//! Languages as rows of data.

/// A language: a row, not an enum.
#[derive(Debug)]
pub struct Language {
    /// Lower-case name that users type: `rust`, `c++`, `markdown`.
    pub name: &'static str,
}

/// Every language, in the order of their names.
pub static LANGUAGES: &[Language] = &[];

/// The language of a file, from its path and, where that leaves doubt, its first line.
pub fn detect(path: &str, text: &str) -> Option<&'static Language> {
    let _ = (path, text);
    None
}
