//! The state that a commit leads to.

use std::collections::{BTreeMap, BTreeSet};

use lore_schema::{Category, Field, SkipCounts, SkipReason, Stamp};

use super::{
    codec::position,
    record::{DocumentRecord, EmbeddingRecord, Record, RowRange, Skip, Text, UnitRecord},
    state::{Header, Model, State, Totals, VectorFile},
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
    /// By the position of the model.
    pub(super) embeddings: Vec<(u32, NewEmbedding)>,
}

/// What a model made of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct NewEmbedding {
    pub(super) rows: Option<RowRange>,
    /// How many of the rows are vectors.
    pub(super) vectors: u32,
}

/// What a writer does to the vectors of the documents that stay.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct VectorChanges {
    /// All models that are known, those of the base first.
    pub(super) models: Vec<String>,
    /// All files, those of the base first.
    pub(super) files: Vec<VectorFile>,
    /// By the position of the document in the base, and of the model.
    pub(super) embedded: BTreeMap<(u32, u32), NewEmbedding>,
    /// Models whose vectors are kept; `None` for all.
    pub(super) kept: Option<BTreeSet<String>>,
}

/// What happens to a unit in a commit.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum UnitChange {
    Replace(Box<NewUnit>),
    Restamp(Stamp),
    Delete,
}

/// Drafts the state after a commit: `base` with changes, which are ordered by name. Fails when
/// the names do not fit into 4 GiB.
pub(super) fn advance<'a>(
    base: &State,
    changes: impl Iterator<Item = (&'a str, &'a UnitChange)>,
    vectors: VectorChanges,
) -> Option<Draft> {
    let mut draft = Draft { labels: base.labels().to_vec(), ..Draft::default() };
    // Where each unit of the base went.
    let mut moved: Vec<Option<u32>> = vec![None; base.units().len()];
    let mut next = 0;
    for (name, change) in changes {
        let (index, exists) = match base.find_unit(name) {
            Ok(index) => (index, true),
            Err(index) => (index, false),
        };
        for (kept, moved) in (next..index).zip(&mut moved[next..index]) {
            *moved = Some(draft.keep(base, kept, None)?);
        }
        next = index + usize::from(exists);
        match change {
            UnitChange::Replace(unit) => draft.add(name, unit)?,
            UnitChange::Restamp(stamp) if exists => {
                moved[index] = Some(draft.keep(base, index, Some(*stamp))?);
            }
            UnitChange::Restamp(_) | UnitChange::Delete => {}
        }
    }
    for (kept, moved) in (next..).zip(&mut moved[next..]) {
        *moved = Some(draft.keep(base, kept, None)?);
    }
    // The number of each document of the base that stays.
    let mut stayed = vec![None; base.documents().len()];
    for (document, stayed) in base.documents().iter().zip(&mut stayed) {
        if let Some(unit) = moved.get(document.unit as usize).copied().flatten() {
            let name = draft.units[unit as usize].name;
            let locator = draft.push_text(base.text(document.locator), Some(name))?;
            let path = draft.push_text(base.text(document.path), Some(locator))?;
            *stayed = Some(document.number);
            draft.documents.push(DocumentRecord { unit, locator, path, ..document });
        }
    }
    // Those of the base are in order already, which this sort makes use of.
    draft.documents.sort_by_key(|document| document.number);
    draft.embed(base, &stayed, vectors)?;
    Some(draft)
}

/// A state that is being written.
#[derive(Debug, Default)]
pub(super) struct Draft {
    text: String,
    labels: Vec<String>,
    skips: Vec<Skip>,
    units: Vec<UnitRecord>,
    documents: Vec<DocumentRecord>,
    /// What models made of the added documents, by number.
    added: Vec<(u64, u32, NewEmbedding)>,
    pub(super) vectors: DraftVectors,
}

/// The vectors of a state that is being written.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct DraftVectors {
    models: Vec<String>,
    pub(super) files: Vec<VectorFile>,
    /// By model; in no order.
    pub(super) records: Vec<Vec<EmbeddingRecord>>,
}

impl Draft {
    pub(super) fn encode(mut self, cursor: &str) -> Option<Vec<u8>> {
        let mut totals = Totals { documents: self.documents.len() as u64, ..Totals::default() };
        for unit in &self.units {
            totals.chunks += u64::from(unit.chunks);
            for (total, tokens) in totals.tokens.iter_mut().zip(&unit.tokens) {
                *total += u64::from(*tokens);
            }
        }
        let (models, records, order) = self.vectors.settle()?;
        let header = Header {
            cursor: cursor.to_owned(),
            labels: self.labels,
            skips: self.skips,
            totals,
            text_bytes: self.text.len() as u64,
            unit_bytes: (self.units.len() * UnitRecord::LENGTH) as u64,
            document_bytes: (self.documents.len() * DocumentRecord::LENGTH) as u64,
            models,
            vector_files: self.vectors.files,
            embedding_bytes: (records.len() * EmbeddingRecord::LENGTH) as u64,
            embedding_order_bytes: (order.len() * u32::LENGTH) as u64,
        };
        let mut file = postcard::to_stdvec(&header).ok()?;
        let rest = [
            header.text_bytes,
            header.unit_bytes,
            header.document_bytes,
            header.embedding_bytes,
            header.embedding_order_bytes,
        ];
        file.reserve(usize::try_from(rest.iter().sum::<u64>()).ok()?);
        file.extend_from_slice(self.text.as_bytes());
        for unit in &self.units {
            unit.write(&mut file);
        }
        for document in &self.documents {
            document.write(&mut file);
        }
        for record in &records {
            record.write(&mut file);
        }
        for position in &order {
            position.write(&mut file);
        }
        Some(file)
    }

    /// Notes the vectors of the documents, which are in their last order.
    fn embed(
        &mut self,
        base: &State,
        stayed: &[Option<u64>],
        changes: VectorChanges,
    ) -> Option<()> {
        let VectorChanges { models, files, embedded, kept } = changes;
        let keeps = |model: u32| {
            let name = models.get(model as usize);
            name.is_some_and(|name| kept.as_ref().is_none_or(|kept| kept.contains(name)))
        };
        let mut records: Vec<Vec<EmbeddingRecord>> = vec![Vec::new(); models.len()];
        let position = |number: u64| {
            let found = self.documents.binary_search_by_key(&number, |document| document.number);
            u32::try_from(found.ok()?).ok()
        };
        // Where the documents of the base are now: both are in the order of their numbers.
        let mut moved: Vec<Option<u32>> = Vec::with_capacity(stayed.len());
        let mut at = 0;
        for number in stayed {
            let Some(number) = number else {
                moved.push(None);
                continue;
            };
            at += self.documents[at..].iter().take_while(|other| other.number < *number).count();
            moved.push(u32::try_from(at).ok());
        }
        let now = |document: u32| moved.get(document as usize).copied().flatten();
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
            Some((position(*number)?, *model, *embedding))
        });
        for (document, model, NewEmbedding { rows, vectors }) in embedded.chain(added) {
            if keeps(model) {
                let record = EmbeddingRecord { document, rows, vectors };
                records.get_mut(model as usize)?.push(record);
            }
        }
        self.vectors = DraftVectors { models, files, records };
        Some(())
    }

    /// Copies a unit of the base. Its documents follow at the end.
    fn keep(&mut self, base: &State, index: usize, stamp: Option<Stamp>) -> Option<u32> {
        let unit = base.units().get(index)?;
        let name = self.push_text(base.text(unit.name), None)?;
        let kept = u32::try_from(self.units.len()).ok()?;
        let first = base.skips().partition_point(|skip| (skip.unit as usize) < index);
        let skips = base.skips()[first..].iter().take_while(|skip| skip.unit as usize == index);
        self.skips.extend(skips.map(|skip| Skip { unit: kept, ..*skip }));
        self.units.push(UnitRecord { name, stamp: stamp.unwrap_or(unit.stamp), ..unit });
        Some(kept)
    }

    fn add(&mut self, name: &str, unit: &NewUnit) -> Option<()> {
        let name = self.push_text(name, None)?;
        let index = u32::try_from(self.units.len()).ok()?;
        self.skips.extend(unit.skipped.iter().map(|(reason, count)| Skip {
            unit: index,
            reason: position(SkipReason::ALL, *reason),
            count: *count,
        }));
        self.units.push(UnitRecord {
            name,
            stamp: unit.stamp,
            chunks: unit.chunks,
            tokens: unit.tokens,
        });
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
            self.documents.push(record);
        }
        Some(())
    }

    /// Appends a string, unless it is the one at `same`: a file's name, locator and path are.
    fn push_text(&mut self, text: &str, same: Option<Text>) -> Option<Text> {
        if let Some(Text { start, length }) = same
            && self.text.get(start as usize..start as usize + length as usize) == Some(text)
        {
            return same;
        }
        let pushed = Text {
            start: u32::try_from(self.text.len()).ok()?,
            length: u32::try_from(text.len()).ok()?,
        };
        self.text.push_str(text);
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
    /// Drops models and files that nothing refers to, and orders the rest: the models by name, the
    /// records by file and row. Returns with them the positions of a model's records by document.
    fn settle(&mut self) -> Option<(Vec<Model>, Vec<EmbeddingRecord>, Vec<u32>)> {
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
        let (mut models, mut all, mut order) = (Vec::new(), Vec::new(), Vec::new());
        for model in by_name {
            let mut records = std::mem::take(&mut self.records[model]);
            for rows in records.iter_mut().filter_map(|record| record.rows.as_mut()) {
                rows.file = moved[rows.file as usize];
            }
            // What has no rows comes last.
            let key =
                |record: &EmbeddingRecord| (record.rows.is_none(), record.rows, record.document);
            // Those of the base are in order already, which this sort makes use of.
            records.sort_by_key(key);
            models.push(Model {
                name: self.models[model].clone(),
                documents: records.len() as u64,
                vectors: records.iter().map(|record| u64::from(record.vectors)).sum(),
            });
            let count = u32::try_from(records.len()).ok()?;
            let start = order.len();
            order.extend(0..count);
            order[start..].sort_unstable_by_key(|position| records[*position as usize].document);
            all.append(&mut records);
        }
        Some((models, all, order))
    }
}
