//! The wire form of embedding models.

use std::path::{Path, PathBuf};

use lore_engine::CheckReport;
use schemars::JsonSchema;
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
#[derive(Serialize, JsonSchema)]
pub struct ModelsWire<'a> {
    /// Version of the form of this object: 1. It increases when a key changes its meaning or is
    /// removed.
    schema: u32,
    /// Directory of your models; null if there is none.
    folder: Option<String>,
    /// The models.
    models: Vec<ModelWire<'a>>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ModelWire<'a> {
    /// Name.
    name: &'a str,
    /// Directory; null for models without one on this machine.
    path: Option<String>,
    /// Number of dimensions of its vectors; null if unknown.
    dimension: Option<usize>,
    /// Size of its files in bytes; null if unknown.
    bytes: Option<u64>,
    /// True if the settings select it.
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
#[derive(Serialize, JsonSchema)]
pub struct ChosenWire<'a> {
    /// Version of the form of this object: 1. It increases when a key changes its meaning or is
    /// removed.
    schema: u32,
    /// Name of the model.
    model: &'a str,
    /// Number of dimensions of its vectors; null if unknown.
    dimension: Option<usize>,
    /// Settings file that was written.
    file: String,
}

/// The wire form of `lore model use`.
pub fn model_chosen<'a>(model: &'a str, dimension: Option<usize>, file: &Path) -> ChosenWire<'a> {
    ChosenWire { schema: SCHEMA, model, dimension, file: display(file) }
}

/// The result of verifying a model.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct VerifiedWire<'a> {
    /// Version of the form of this object: 1. It increases when a key changes its meaning or is
    /// removed.
    schema: u32,
    /// Name of the model.
    model: &'a str,
    /// Identifier of its vectors.
    fingerprint: &'a str,
    /// Number of dimensions of its vectors.
    dimension: usize,
    /// Number of passages that it embeds per second; null for servers.
    passages_per_second: Option<f64>,
    /// Passed checks, one line each.
    passed: &'a [String],
    /// Problems, one line each.
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
