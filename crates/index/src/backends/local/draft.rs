//! The draft of the next state: the state of the base with the changes of a commit.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    ops::Range,
};

use lore_schema::{Category, Field, SkipCounts, SkipReason, Stamp};

use super::{
    record::{
        DocumentRecord, EmbeddingRecord, Record, RecordBuffer, RowRange, Skip, Text, UnitRecord,
    },
    shelf::{self, ShelvedUnit},
    state::{Header, Model, State, Totals, VectorFile},
    vocabulary::position,
};

/// A unit that a writer adds.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct NewUnit {
    pub(super) stamp: Stamp,
    pub(super) skipped: SkipCounts,
    pub(super) chunks: u32,
    pub(super) tokens: [u32; Field::ALL.len()],
    pub(super) documents: Vec<NewDocument>,
}

/// A document that a writer adds.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct NewDocument {
    pub(super) number: u64,
    pub(super) locator: String,
    pub(super) path: String,
    pub(super) format: String,
    pub(super) kind: String,
    pub(super) language: Option<String>,
    pub(super) category: Category,
    pub(super) updated: Option<i64>,
    pub(super) bytes: u64,
    pub(super) fell_back: bool,
    /// By position of the model.
    pub(super) embeddings: Vec<(u32, NewEmbedding)>,
}

/// The vectors of a document by one model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct NewEmbedding {
    pub(super) rows: Option<RowRange>,
    /// Number of rows that are vectors.
    pub(super) vectors: u32,
}

/// Changes of vectors of documents that remain.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct VectorChanges {
    /// All models, those of the base first.
    pub(super) models: Vec<String>,
    /// All files, those of the base first.
    pub(super) files: Vec<VectorFile>,
    /// New vectors, by position of the document in the base and position of the model.
    pub(super) embedded: BTreeMap<(u32, u32), NewEmbedding>,
    /// Models whose vectors are kept; `None` for all.
    pub(super) kept: Option<BTreeSet<String>>,
    /// Units that can be restored after the commit.
    pub(super) shelf: Vec<ShelvedUnit>,
    /// True if the state must not contain names of units that are not in it.
    pub(super) purges: bool,
}

/// The change of a unit in a commit.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum UnitChange {
    Replace(Box<NewUnit>),
    Restamp(Stamp),
    Delete,
}

/// Bytes of unused text that are always tolerated.
const MAX_UNUSED_TEXT: usize = 4 << 10;

/// Drafts the state after a commit: `base` with changes, which are sorted by name. `None` if the
/// names exceed 4 GiB.
pub(super) fn next_state<'a>(
    base: &State,
    changes: impl Iterator<Item = (&'a str, &'a UnitChange)>,
    vectors: VectorChanges,
) -> Option<Draft> {
    // The texts of the base are usually copied as they are, so that ranges in them remain valid.
    let rewrites_texts = vectors.purges || has_much_unused_text(base);
    let mut draft = Draft {
        text: if rewrites_texts { Vec::new() } else { base.texts().to_vec() },
        rewrites_texts,
        labels: base.labels().to_vec(),
        units: RecordBuffer::with_capacity(base.units().len()),
        totals: base.totals().clone(),
        ..Draft::default()
    };
    // New position of each unit of the base.
    let mut moved: Vec<Option<u32>> = vec![None; base.units().len()];
    let mut next = 0;
    for (name, change) in changes {
        let (index, known) = match base.find_unit(name) {
            Ok(index) => (index, base.units().get(index)),
            Err(index) => (index, None),
        };
        draft.keep(base, next..index, &mut moved)?;
        next = index + usize::from(known.is_some());
        match (change, known) {
            (UnitChange::Replace(unit), known) => {
                if let Some(known) = &known {
                    draft.totals.subtract(known);
                }
                draft.add(name, known.map(|known| known.name), unit)?;
            }
            (UnitChange::Restamp(stamp), Some(known)) => {
                let stamped = UnitRecord { stamp: *stamp, ..known };
                moved[index] = Some(draft.keep_one(base, index, stamped)?);
            }
            (UnitChange::Delete, Some(known)) => draft.totals.subtract(&known),
            (UnitChange::Restamp(_) | UnitChange::Delete, None) => {}
        }
    }
    draft.keep(base, next..base.units().len(), &mut moved)?;
    let stayed = draft.place_documents(base, &moved)?;
    draft.embed(base, &stayed, vectors)?;
    Some(draft)
}

/// Returns true if a third of the text buffer is unused, so that it is rewritten.
fn has_much_unused_text(base: &State) -> bool {
    let mut used = MAX_UNUSED_TEXT;
    let mut names = Vec::with_capacity(base.units().len());
    for unit in base.units().iter() {
        used += unit.name.length as usize / 2 * 3;
        names.push(unit.name);
    }
    for document in base.documents().iter() {
        let is_own = names.get(document.unit as usize) != Some(&document.locator);
        for (text, is_own) in
            [(document.locator, is_own), (document.path, document.path != document.locator)]
        {
            used += usize::from(is_own) * (text.length as usize / 2 * 3);
        }
    }
    used < base.texts().len()
}

/// A state in progress.
#[derive(Debug, Default)]
pub(super) struct Draft {
    text: Vec<u8>,
    /// True if the texts of the base are written to `text` again.
    rewrites_texts: bool,
    labels: Vec<String>,
    skips: Vec<Skip>,
    units: RecordBuffer<UnitRecord>,
    totals: Totals,
    /// Sorted by number.
    documents: RecordBuffer<DocumentRecord>,
    /// Added documents, unsorted.
    new: Vec<DocumentRecord>,
    /// Positions of the added documents, by number.
    placed: HashMap<u64, u32>,
    /// Vectors of the added documents: number, model, vectors.
    added: Vec<(u64, u32, NewEmbedding)>,
    pub(super) vectors: DraftVectors,
}

/// The vectors of a state in progress.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct DraftVectors {
    models: Vec<String>,
    pub(super) files: Vec<VectorFile>,
    /// Records by model, unsorted.
    pub(super) records: Vec<Vec<EmbeddingRecord>>,
    /// Units that can be restored.
    pub(super) shelf: Vec<ShelvedUnit>,
}

impl Draft {
    pub(super) fn encode(mut self, cursor: &str) -> Option<Vec<u8>> {
        let totals = Totals { documents: self.documents.len() as u64, ..self.totals };
        let (models, records, order) = self.vectors.finish()?;
        let shelf = shelf::encode(&self.vectors.shelf)?;
        let header = Header {
            cursor: cursor.to_owned(),
            labels: self.labels,
            skips: self.skips,
            totals,
            text_bytes: self.text.len() as u64,
            unit_bytes: self.units.as_bytes().len() as u64,
            document_bytes: self.documents.as_bytes().len() as u64,
            models,
            vector_files: self.vectors.files,
            embedding_bytes: (records.len() * EmbeddingRecord::LENGTH) as u64,
            embedding_order_bytes: (order.len() * u32::LENGTH) as u64,
            shelf_bytes: shelf.len() as u64,
        };
        let mut file = postcard::to_stdvec(&header).ok()?;
        let rest = [
            header.text_bytes,
            header.unit_bytes,
            header.document_bytes,
            header.embedding_bytes,
            header.embedding_order_bytes,
            header.shelf_bytes,
        ];
        file.reserve(usize::try_from(rest.iter().sum::<u64>()).ok()?);
        file.extend_from_slice(&self.text);
        file.extend_from_slice(self.units.as_bytes());
        file.extend_from_slice(self.documents.as_bytes());
        for record in &records {
            record.write(&mut file);
        }
        for position in &order {
            position.write(&mut file);
        }
        file.extend_from_slice(&shelf);
        Some(file)
    }

    /// Merges the remaining documents and the added ones. Returns the new positions of those of the
    /// base.
    fn place_documents(&mut self, base: &State, moved: &[Option<u32>]) -> Option<Vec<Option<u32>>> {
        let mut new = std::mem::take(&mut self.new);
        new.sort_by_key(|document| document.number);
        self.documents = RecordBuffer::with_capacity(base.documents().len() + new.len());
        let mut new = new.into_iter().peekable();
        let mut stayed = vec![None; base.documents().len()];
        for (mut document, stayed) in base.documents().iter().zip(&mut stayed) {
            let Some(unit) = moved.get(document.unit as usize).copied().flatten() else { continue };
            while let Some(new) = new.next_if(|new| new.number < document.number) {
                self.place(&new)?;
            }
            if self.rewrites_texts {
                let name = self.units.get(unit as usize)?.name;
                document.locator = self.push_text(base.text(document.locator), Some(name))?;
                let path = base.text(document.path);
                document.path = self.push_text(path, Some(document.locator))?;
            }
            *stayed = Some(u32::try_from(self.documents.len()).ok()?);
            self.documents.push(&DocumentRecord { unit, ..document });
        }
        for new in new {
            self.place(&new)?;
        }
        Some(stayed)
    }

    /// Appends an added document and records its position.
    fn place(&mut self, document: &DocumentRecord) -> Option<()> {
        let position = u32::try_from(self.documents.len()).ok()?;
        self.documents.push(document);
        self.placed.insert(document.number, position);
        Some(())
    }

    /// Collects the vectors of the documents, which have their final order. `stayed` has the new
    /// positions of those of the base.
    fn embed(
        &mut self,
        base: &State,
        stayed: &[Option<u32>],
        changes: VectorChanges,
    ) -> Option<()> {
        let VectorChanges { models, files, embedded, kept, shelf, .. } = changes;
        let keeps = |model: u32| {
            let name = models.get(model as usize);
            name.is_some_and(|name| kept.as_ref().is_none_or(|kept| kept.contains(name)))
        };
        let mut records: Vec<Vec<EmbeddingRecord>> = vec![Vec::new(); models.len()];
        let now = |document: u32| stayed.get(document as usize).copied().flatten();
        for (model, records) in (0_u32..).zip(&mut records).take(base.models().len()) {
            if !keeps(model) {
                continue;
            }
            for record in base.embeddings(model as usize).records.iter() {
                if let Some(document) = now(record.document)
                    && !embedded.contains_key(&(record.document, model))
                {
                    records.push(EmbeddingRecord { document, ..record });
                }
            }
        }
        let embedded = embedded.iter().filter_map(|((document, model), embedding)| {
            Some((now(*document)?, *model, *embedding))
        });
        let added = self.added.iter().filter_map(|(number, model, embedding)| {
            Some((*self.placed.get(number)?, *model, *embedding))
        });
        for (document, model, NewEmbedding { rows, vectors }) in embedded.chain(added) {
            if keeps(model) {
                let record = EmbeddingRecord { document, rows, vectors };
                records.get_mut(model as usize)?.push(record);
            }
        }
        self.vectors = DraftVectors { models, files, records, shelf };
        Some(())
    }

    /// Copies units of the base and records their new positions. Their documents follow at the end.
    fn keep(&mut self, base: &State, range: Range<usize>, moved: &mut [Option<u32>]) -> Option<()> {
        if self.rewrites_texts {
            for index in range {
                moved[index] = Some(self.keep_one(base, index, base.units().get(index)?)?);
            }
            return Some(());
        }
        for (kept, moved) in (self.units.len()..).zip(&mut moved[range.clone()]) {
            *moved = Some(u32::try_from(kept).ok()?);
        }
        self.keep_skips(base, range.clone())?;
        self.units.extend(&base.units().range(range));
        Some(())
    }

    /// Copies a unit of the base, which may have a new stamp.
    fn keep_one(&mut self, base: &State, index: usize, mut unit: UnitRecord) -> Option<u32> {
        if self.rewrites_texts {
            unit.name = self.push_text(base.text(unit.name), None)?;
        }
        let kept = u32::try_from(self.units.len()).ok()?;
        self.keep_skips(base, index..index + 1)?;
        self.units.push(&unit);
        Some(kept)
    }

    /// Copies the counts of skipped items of units of the base. Called before the units are copied.
    fn keep_skips(&mut self, base: &State, range: Range<usize>) -> Option<()> {
        let skips = base.skips();
        let first = skips.partition_point(|skip| (skip.unit as usize) < range.start);
        let here = skips.get(first..).unwrap_or_default();
        let here = here.iter().take_while(|skip| (skip.unit as usize) < range.end);
        // In a damaged file they may be unsorted.
        for skip in here.filter(|skip| range.start <= skip.unit as usize) {
            let unit = self.units.len() + skip.unit as usize - range.start;
            self.skips.push(Skip { unit: u32::try_from(unit).ok()?, ..*skip });
        }
        Some(())
    }

    /// Adds a unit. `known` is its name in the text buffer of the base, if it has one.
    fn add(&mut self, name: &str, known: Option<Text>, unit: &NewUnit) -> Option<()> {
        let name = self.push_text(name, known)?;
        let index = u32::try_from(self.units.len()).ok()?;
        self.skips.extend(unit.skipped.iter().map(|(reason, count)| Skip {
            unit: index,
            reason: position(SkipReason::ALL, *reason),
            count: *count,
        }));
        let record =
            UnitRecord { name, stamp: unit.stamp, chunks: unit.chunks, tokens: unit.tokens };
        self.units.push(&record);
        self.totals.add(&record);
        for document in &unit.documents {
            let locator = self.push_text(&document.locator, Some(name))?;
            let path = self.push_text(&document.path, Some(locator))?;
            let record = DocumentRecord {
                number: document.number,
                unit: index,
                locator,
                path,
                format: self.push_label(&document.format)?,
                kind: self.push_label(&document.kind)?,
                language: match &document.language {
                    Some(language) => Some(self.push_label(language)?),
                    None => None,
                },
                category: position(Category::ALL, document.category),
                updated: document.updated,
                bytes: document.bytes,
                fell_back: document.fell_back,
            };
            let embeddings = document.embeddings.iter();
            self.added.extend(embeddings.map(|(model, made)| (document.number, *model, *made)));
            self.new.push(record);
        }
        Some(())
    }

    /// Appends a string, unless it equals the one at `same`. Name, locator and path of a file are
    /// equal.
    fn push_text(&mut self, text: &str, same: Option<Text>) -> Option<Text> {
        if let Some(Text { start, length }) = same
            && self.text.get(start as usize..start as usize + length as usize)
                == Some(text.as_bytes())
        {
            return same;
        }
        let pushed = Text {
            start: u32::try_from(self.text.len()).ok()?,
            length: u32::try_from(text.len()).ok()?,
        };
        self.text.extend_from_slice(text.as_bytes());
        Some(pushed)
    }

    fn push_label(&mut self, label: &str) -> Option<u32> {
        let index = self.labels.iter().position(|other| other == label).unwrap_or_else(|| {
            self.labels.push(label.to_owned());
            self.labels.len() - 1
        });
        u32::try_from(index).ok()
    }
}

impl DraftVectors {
    /// Drops models and files without references and sorts the rest: models by name, records by
    /// file and row. Returns models, records, and the positions of each model's records sorted by
    /// document.
    fn finish(&mut self) -> Option<(Vec<Model>, Vec<EmbeddingRecord>, Vec<u32>)> {
        let mut by_name: Vec<usize> = (0..self.models.len()).collect();
        by_name.retain(|model| !self.records[*model].is_empty());
        by_name.sort_unstable_by_key(|model| &self.models[*model]);
        let mut renamed = vec![None; self.models.len()];
        for (now, before) in (0_u32..).zip(&by_name) {
            renamed[*before] = Some(now);
        }
        let mut is_used = vec![false; self.files.len()];
        for rows in self.records.iter().flatten().filter_map(|record| record.rows) {
            *is_used.get_mut(rows.file as usize)? = true;
        }
        // Without live vectors a model is dropped. A unit with its vectors cannot be restored then.
        self.shelf.retain(|unit| {
            let embeddings = unit.documents.iter().flat_map(|document| &document.embeddings);
            let has_model = |model: u32| renamed.get(model as usize).is_some_and(Option::is_some);
            embeddings.map(|embedding| embedding.model).all(has_model)
        });
        for rows in shelf::embeddings(&mut self.shelf).filter_map(|embedding| embedding.rows) {
            *is_used.get_mut(rows.file as usize)? = true;
        }
        let mut moved = vec![0; self.files.len()];
        let mut files = Vec::new();
        for ((file, is_used), moved) in self.files.drain(..).zip(is_used).zip(&mut moved) {
            if is_used {
                *moved = u32::try_from(files.len()).ok()?;
                let model = renamed.get(file.model as usize).copied().flatten()?;
                files.push(VectorFile { model, ..file });
            }
        }
        self.files = files;
        for embedding in shelf::embeddings(&mut self.shelf) {
            embedding.model = renamed.get(embedding.model as usize).copied().flatten()?;
            if let Some(rows) = &mut embedding.rows {
                rows.file = *moved.get(rows.file as usize)?;
            }
        }
        let (mut models, mut all, mut order) = (Vec::new(), Vec::new(), Vec::new());
        for model in by_name {
            let mut records = std::mem::take(&mut self.records[model]);
            for rows in records.iter_mut().filter_map(|record| record.rows.as_mut()) {
                rows.file = moved[rows.file as usize];
            }
            // Records without rows come last.
            let key =
                |record: &EmbeddingRecord| (record.rows.is_none(), record.rows, record.document);
            // Those of the base are sorted already, which makes this sort fast.
            records.sort_by_key(key);
            models.push(Model {
                name: self.models[model].clone(),
                documents: records.len() as u64,
                vectors: records.iter().map(|record| u64::from(record.vectors)).sum(),
            });
            let mut placed: Vec<(u32, u32)> =
                records.iter().map(|record| record.document).zip(0_u32..).collect();
            placed.sort_unstable();
            order.extend(placed.into_iter().map(|(_, position)| position));
            all.append(&mut records);
        }
        Some((models, all, order))
    }
}
