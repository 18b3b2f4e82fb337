//! Prints the chunks and symbols of files: `outline FILE…`.
#![expect(clippy::print_stdout, reason = "an example reports on stdout")]
#![expect(clippy::disallowed_methods, reason = "an example reads files by itself")]

use std::{env, fs};

use lore_schema::{Attributes, DocKey, Document, SourceName, TextOrigin, Trust};

fn main() {
    for path in env::args().skip(1) {
        let Ok(text) = fs::read_to_string(&path) else {
            println!("{path}: not readable as text");
            continue;
        };
        let category = lore_syntax::categorize(&path, &text);
        let document = Document {
            key: DocKey { source: SourceName::Code, locator: path.clone() },
            path: path.clone(),
            format: "files",
            kind: "file",
            title: String::new(),
            text,
            origin: TextOrigin::File,
            metadata: Vec::new(),
            attributes: Attributes::default(),
            trust: Trust::Own,
        };
        let chunked = lore_syntax::chunk(&document);
        println!("{path}: {:?}, {category:?}, fell back: {}", chunked.language, chunked.fell_back);
        for chunk in chunked.chunks {
            println!(
                "{}-{} ({} bytes) {} [{}] {}",
                chunk.span.start_line,
                chunk.span.end_line,
                chunk.span.len(),
                chunk.kind.as_str(),
                chunk.breadcrumb.join(" > "),
                chunk.symbol.map(|symbol| symbol.signature).unwrap_or_default(),
            );
            for symbol in chunk.symbols {
                println!(
                    "    {} {} {:?} in {} line {}",
                    symbol.kind.as_str(),
                    symbol.name,
                    symbol.visibility,
                    symbol.container.unwrap_or_default(),
                    symbol.line
                );
            }
        }
        for import in chunked.outline.imports {
            println!("import {} {:?} as {:?}", import.module, import.name, import.alias);
        }
        for reference in chunked.outline.references {
            println!(
                "{} {} {:?} {}",
                reference.line,
                reference.kind.as_str(),
                reference.qualifier,
                reference.name
            );
        }
    }
}
