//! What a file is to its repository, told from its path and its content.

use lore_schema::Category;

/// Category of a file. `path` is root-relative with `/`.
pub fn categorize(path: &str, text: &str) -> Category {
    let _ = (path, text);
    Category::Own
}
