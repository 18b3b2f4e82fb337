//! The tantivy schema and the version of the stored format. History:
//!
//! - 1: rows of chunks and of documents, state beside the index.
//! - 2: symbols carry their repetition.
//! - 3: symbols carry extent, declaration, comment and conformances; document rows an outline.
//! - 4: facets.
//! - 5: vector files, and records of them in the state.
//! - 6: stored rows are compressed; outlines store each name once.
//! - 7: no positions; outlines refer to the definitions of their chunks.
//! - 8: lines of records; the category of translations.
//! - 11: content without names, comments of chunks.
//! - 12: units that can be restored.

use lore_schema::Field;
use tantivy::{
    IndexSettings,
    schema::{
        BytesOptions, Field as Column, IndexRecordOption, NumericOptions, Schema,
        TextFieldIndexing, TextOptions,
    },
    store::Compressor,
};
use xxhash_rust::xxh3::xxh3_64;

/// Version of the format. Every change of the written bytes raises it.
pub(super) const FORMAT: u32 = 12;

/// Name under which the tokenizer is registered.
pub(super) const TOKENIZER: &str = "encoded";

/// Name of the column with the number of a document, on document rows only.
pub(super) const DOCUMENT: &str = "document";

/// Name of the column with the kind of a chunk's symbol as a bit, on chunk rows only.
pub(super) const SYMBOL_KIND: &str = "symbol_kind";

/// Bytes of stored rows per compressed block. The candidates of a query are scattered, so that
/// nearly each needs another block. Four times the size would save a seventh of the space and take
/// four times as long.
const STORE_BLOCK: usize = 4 << 10;

/// Maximum length in bytes of a unit name that is used as a term; tantivy drops terms above 65,530.
const MAX_UNIT_BYTES: usize = 4096;

/// The columns of a row.
#[derive(Debug, Clone)]
pub(super) struct Columns {
    schema: Schema,
    fields: [Column; Field::ALL.len()],
    pub(super) unit: Column,
    pub(super) document: Column,
    pub(super) symbol_kind: Column,
    pub(super) stored: Column,
    pub(super) outline: Column,
}

impl Columns {
    /// Returns the columns of this format.
    pub(super) fn new() -> Columns {
        let mut builder = Schema::builder();
        let text = |record: IndexRecordOption, norms: bool, tokenizer: &str| {
            let indexing = TextFieldIndexing::default()
                .set_tokenizer(tokenizer)
                .set_index_option(record)
                .set_fieldnorms(norms);
            TextOptions::default().set_indexing_options(indexing)
        };
        let fields = std::array::from_fn(|index| {
            // Phrases are verified in the texts; positions would be a fifth of the index.
            let record = IndexRecordOption::WithFreqs;
            builder.add_text_field(Field::ALL[index].as_str(), text(record, true, TOKENIZER))
        });
        let unit = builder.add_text_field("unit", text(IndexRecordOption::Basic, false, "raw"));
        let fast = NumericOptions::default().set_fast();
        let document = builder.add_u64_field(DOCUMENT, fast.clone());
        let symbol_kind = builder.add_u64_field(SYMBOL_KIND, fast);
        let stored = builder.add_bytes_field("stored", BytesOptions::default().set_stored());
        let outline = builder.add_bytes_field("outline", BytesOptions::default().set_stored());
        Columns { schema: builder.build(), fields, unit, document, symbol_kind, stored, outline }
    }

    /// The tantivy schema.
    pub(super) fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The column of a field.
    pub(super) fn of(&self, field: Field) -> Column {
        self.fields[field.index()]
    }
}

/// The settings of the tantivy index.
pub(super) fn settings() -> IndexSettings {
    IndexSettings {
        // Adjacent rows are similar: compression saves more than half.
        docstore_compression: Compressor::Lz4,
        docstore_blocksize: STORE_BLOCK,
        // Compressing is faster than passing blocks to another thread.
        docstore_compress_dedicated_thread: false,
        ..IndexSettings::default()
    }
}

/// Returns the term by which the rows of a unit are deleted.
pub(super) fn unit_term(unit: &str) -> String {
    if unit.len() <= MAX_UNIT_BYTES {
        return unit.to_owned();
    }
    format!("\u{0}{:032x}", xxhash_rust::xxh3::xxh3_128(unit.as_bytes()))
}

/// Returns the preferred number of a document. The writer picks another one if it is taken.
pub(super) fn document_number(locator: &str) -> u64 {
    xxh3_64(locator.as_bytes())
}
