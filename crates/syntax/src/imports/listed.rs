//! Imports of languages that name a module and then list names from it, each with its own keywords.

use lore_schema::Import;

use super::{
    alias, group, named, split_last,
    tokens::{Token, Tokens},
};

/// An import of the whole module.
fn whole(module: &str) -> Import {
    Import { module: module.to_owned(), ..Import::default() }
}

/// Adds imports of the listed names of a module; of the whole module if the list is empty.
fn add(module: &str, names: &[&str], imports: &mut Vec<Import>) {
    if names.is_empty() {
        imports.push(named(module, "*"));
    }
    imports.extend(names.iter().map(|name| named(module, name)));
}

/// `alias A.{B, C}`, `alias A.B, as: C`, `import A.B, only: [c: 2]`, `use A`, `require A`.
pub(super) fn elixir(tokens: Tokens<'_>, imports: &mut Vec<Import>) {
    let tokens: Vec<Token<'_>> = tokens.collect();
    let [Token::Path(word), Token::Path(path), rest @ ..] = tokens.as_slice() else { return };
    let path = path.trim_end_matches('.');
    if let [Token::Sign('{'), inside @ ..] = rest {
        let end = inside.iter().position(|token| *token == Token::Sign('}'));
        group(path, &inside[..end.unwrap_or(inside.len())], imports);
        return;
    }
    let renamed = alias(rest).map(|(alias, _)| alias);
    match *word {
        "alias" => {
            let import = split_last(path).map_or_else(|| whole(path), |cut| named(cut.0, cut.1));
            imports.push(Import { alias: renamed, ..import });
        }
        "import" => {
            let only = rest
                .windows(2)
                .position(|pair| matches!(pair, [Token::Path("only"), Token::Sign(':')]));
            let names: Vec<&str> = rest[only.map_or(rest.len(), |at| at + 2)..]
                .windows(2)
                .filter_map(|pair| match pair {
                    [Token::Path(name), Token::Sign(':')] => Some(*name),
                    _ => None,
                })
                .collect();
            add(path, &names, imports);
        }
        _ => imports.push(Import { alias: renamed, ..whole(path) }),
    }
}

/// `-import(lists, [map/2])`, `-include("store.hrl")`.
pub(super) fn erlang(tokens: Tokens<'_>, imports: &mut Vec<Import>) {
    let mut names = Vec::new();
    for token in tokens {
        match token {
            Token::Quoted(file) => names.push(file),
            Token::Path(name) if name.starts_with(char::is_alphabetic) => {
                names.push(name.split('/').next().unwrap_or(name));
            }
            Token::Path(_) | Token::Sign(_) => {}
        }
    }
    if let Some((module, names)) = names.split_first() {
        add(module, names, imports);
    }
}

/// `import qualified A.B as C`, `import A (b, C (..))`, `import A hiding (b)`.
pub(super) fn haskell(tokens: Tokens<'_>, imports: &mut Vec<Import>) {
    let mut module = None;
    let mut names = Vec::new();
    let mut alias = None;
    let mut depth = 0_usize;
    let mut previous = "";
    for token in tokens {
        match token {
            Token::Path("hiding") => break,
            Token::Path("import" | "qualified" | "safe" | "type" | "pattern") => {}
            Token::Path(word) => {
                match (module, depth) {
                    (None, _) => module = Some(word),
                    (_, 0) if previous == "as" => alias = Some(word.to_owned()),
                    (_, 1) => names.push(word),
                    _ => {}
                }
                previous = word;
            }
            Token::Sign('(') => depth += 1,
            Token::Sign(')') => depth = depth.saturating_sub(1),
            Token::Quoted(_) | Token::Sign(_) => {}
        }
    }
    let Some(module) = module else { return };
    match alias {
        Some(_) if names.is_empty() => imports.push(Import { alias, ..whole(module) }),
        _ => add(module, &names, imports),
    }
}

/// `use A::B qw(c d)`, `use A::B ()`, `require A::B`, `use parent 'A::B'`.
pub(super) fn perl(tokens: Tokens<'_>, imports: &mut Vec<Import>) {
    let mut module = None;
    let mut names = Vec::new();
    let mut is_list = false;
    for token in tokens {
        match token {
            Token::Path("use" | "require" | "no" | "qw") => {}
            Token::Path(word) | Token::Quoted(word) => match module {
                None => module = Some(word),
                Some(_)
                    if word.starts_with(|first: char| first.is_alphabetic() || first == '_') =>
                {
                    names.push(word);
                }
                Some(_) => {}
            },
            Token::Sign('(') => is_list = true,
            Token::Sign(_) => {}
        }
    }
    match module {
        Some("parent" | "base") => imports.extend(names.into_iter().map(whole)),
        Some(module) if names.is_empty() && is_list => imports.push(whole(module)),
        Some(module) => add(module, &names, imports),
        None => {}
    }
}

/// `[a.b :as c :refer [d]]`, `(java.util List Map)`, `a.b`: one entry of `:require` or `:import`.
pub(super) fn clojure(tokens: Tokens<'_>, imports: &mut Vec<Import>) {
    let mut module = None;
    let mut names = Vec::new();
    let mut renamed = None;
    let mut is_keyword = false;
    let mut keyword = "";
    for token in tokens {
        match token {
            Token::Path(word) if is_keyword => {
                is_keyword = false;
                if (keyword, word) == ("refer", "all") {
                    names.push("*");
                }
                keyword = word;
            }
            Token::Path(word) => match (module, keyword) {
                (None, _) => module = Some(word),
                (_, "as" | "as-alias") => renamed = Some(word.to_owned()),
                _ => names.push(word),
            },
            Token::Sign(sign) => is_keyword = sign == ':',
            Token::Quoted(_) => {}
        }
    }
    let Some(module) = module else { return };
    if renamed.is_some() || names.is_empty() {
        imports.push(Import { alias: renamed, ..whole(module) });
    }
    imports.extend(names.iter().map(|name| named(module, name)));
}
