//! The wire form of embedding models.

use std::path::{Path, PathBuf};

use lore_engine::CheckReport;
use serde::Serialize;

use super::{SCHEMA, display};

/// A model of the list.
pub struct ListedModel {
    /// Name.
    pub name: String,
    /// The folder; `None` for models without one on this machine.
    pub path: Option<PathBuf>,
    /// Dimension of its vectors, if known without opening the model.
    pub dimension: Option<usize>,
    /// Size of its files in bytes.
    pub bytes: Option<u64>,
    /// True if the settings select it.
    pub in_use: bool,
}

/// The result of verifying a model.
pub struct VerifiedModel {
    /// Name.
    pub name: String,
    /// Identifier of its vectors.
    pub fingerprint: String,
    /// Dimension of its vectors.
    pub dimension: usize,
    /// Number of passages of about 750 characters that it embeds per second; `None` for servers, which
    /// get no unnecessary requests.
    pub per_second: Option<f64>,
    /// Passed and failed checks.
    pub report: CheckReport,
}

/// The available models.
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

/// A selected model.
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

/// The result of verifying a model.
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
