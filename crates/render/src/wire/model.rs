//! The wire form of the models that make vectors.

use std::path::{Path, PathBuf};

use lore_engine::CheckReport;
use serde::Serialize;

use super::{SCHEMA, display};

/// A model of the list.
pub struct ListedModel {
    /// What it is called.
    pub name: String,
    /// The folder; `None` for those that have none here.
    pub path: Option<PathBuf>,
    /// Numbers of a vector, where they are known without opening it.
    pub dimension: Option<usize>,
    /// Bytes of its files.
    pub bytes: Option<u64>,
    /// Whether the settings choose it.
    pub in_use: bool,
}

/// What was found out about a model.
pub struct VerifiedModel {
    /// What it is called.
    pub name: String,
    /// What names its vectors.
    pub fingerprint: String,
    /// Numbers of a vector.
    pub dimension: usize,
    /// Passages of about 750 characters that it embeds a second; `None` where it is not asked more
    /// than needed.
    pub per_second: Option<f64>,
    /// What is right and what is wrong.
    pub report: CheckReport,
}

/// The models that are there.
#[derive(Serialize)]
pub struct ModelsWire<'a> {
    schema: u32,
    folder: Option<String>,
    models: Vec<ModelWire<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ModelWire<'a> {
    name: &'a str,
    path: Option<String>,
    dimension: Option<usize>,
    bytes: Option<u64>,
    in_use: bool,
}

/// The wire form of `lore model list`.
pub fn models<'a>(models: &'a [ListedModel], folder: Option<&Path>) -> ModelsWire<'a> {
    let model = |model: &'a ListedModel| ModelWire {
        name: &model.name,
        path: model.path.as_deref().map(display),
        dimension: model.dimension,
        bytes: model.bytes,
        in_use: model.in_use,
    };
    ModelsWire {
        schema: SCHEMA,
        folder: folder.map(display),
        models: models.iter().map(model).collect(),
    }
}

/// A model that was chosen.
#[derive(Serialize)]
pub struct ChosenWire<'a> {
    schema: u32,
    model: &'a str,
    dimension: Option<usize>,
    file: String,
}

/// The wire form of `lore model use`.
pub fn model_chosen<'a>(model: &'a str, dimension: Option<usize>, file: &Path) -> ChosenWire<'a> {
    ChosenWire { schema: SCHEMA, model, dimension, file: display(file) }
}

/// What was found out about a model.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VerifiedWire<'a> {
    schema: u32,
    model: &'a str,
    fingerprint: &'a str,
    dimension: usize,
    passages_per_second: Option<f64>,
    passed: &'a [String],
    problems: &'a [String],
}

/// The wire form of `lore model verify`.
pub fn model_verified(verified: &VerifiedModel) -> VerifiedWire<'_> {
    VerifiedWire {
        schema: SCHEMA,
        model: &verified.name,
        fingerprint: &verified.fingerprint,
        dimension: verified.dimension,
        passages_per_second: verified.per_second.map(f64::round),
        passed: &verified.report.passed,
        problems: &verified.report.problems,
    }
}
