//! `lore model`: lists, chooses and verifies embedding models.

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use anyhow::anyhow;
use lore_console::{
    report::{self, Status, UsageError},
    text,
};
use lore_engine::{CheckReport, ChunkText, EmbedError, Embedder, StaticEmbedder};
use lore_render::{
    output::{
        self,
        table::{self, Align},
    },
    wire::{self, ListedModel, VerifiedModel},
};
use lore_session::{
    Context,
    embedding::{self, Choice},
    write_output,
};
use lore_settings::{EMBEDDED, OFF, Origin, Settings, env_vars, user_file};
use serde::Deserialize;
use sha2::Digest;

use crate::args::{
    ModelAction, ModelArguments, ModelUseArguments, ModelVerifyArguments, ReportArguments,
};

/// Duration of the speed measurement.
const MEASURING_TIME: Duration = Duration::from_millis(200);

/// Tolerance for the exporter's numbers, which are rounded and summed in another order.
const TOLERANCE: f64 = 1e-4;

/// A text and the first numbers of its vector.
#[derive(Deserialize)]
struct Golden {
    kind: String,
    text: String,
    path: String,
    v: Vec<f64>,
}

/// Runs the requested action.
pub(super) fn run(arguments: &ModelArguments) -> anyhow::Result<Status> {
    match &arguments.action {
        ModelAction::List(report) => list(report),
        ModelAction::Use(arguments) => choose(arguments),
        ModelAction::Verify(arguments) => verify(arguments),
    }
}

fn context(report: &ReportArguments) -> anyhow::Result<Context> {
    Context::new(&report.tree, &report.common, Vec::new())
}

fn list(report: &ReportArguments) -> anyhow::Result<Status> {
    let context = context(report)?;
    let chosen = Choice::of(&context.settings, &env_vars::from_process)?;
    let models = listed(&chosen, &context.settings);
    let folder = embedding::models_folder(&env_vars::from_process);
    write_output(|out| {
        if report.json {
            wire::write(&wire::models(&models, folder.as_deref()), out)
        } else {
            write_list(&models, &chosen, &context.settings, folder.as_deref(), out)
        }
    })?;
    Ok(Status::Success)
}

/// The built-in model, those of the user, and the chosen one if it is another.
fn listed(chosen: &Choice, settings: &Settings) -> Vec<ListedModel> {
    let mut choices = vec![Choice::Embedded];
    choices.extend(embedding::models(&env_vars::from_process));
    if !choices.contains(chosen) && *chosen != Choice::Off {
        choices.push(chosen.clone());
    }
    let listed = |choice: Choice| {
        let in_use = choice == *chosen;
        match choice {
            Choice::Folder { name, path } => {
                ListedModel { name, bytes: bytes(&path), path: Some(path), dimension: None, in_use }
            }
            Choice::Server => ListedModel {
                name: settings.embedding_model().to_owned(),
                path: None,
                dimension: None,
                bytes: None,
                in_use,
            },
            Choice::Off | Choice::Embedded => {
                let builtin = StaticEmbedder::builtin();
                ListedModel {
                    name: EMBEDDED.to_owned(),
                    path: None,
                    dimension: Some(builtin.dimension()),
                    bytes: Some(builtin.bytes().len() as u64),
                    in_use,
                }
            }
        }
    };
    choices.into_iter().map(listed).collect()
}

/// Total size of the files in a directory; `None` if it cannot be read.
fn bytes(folder: &Path) -> Option<u64> {
    let files = std::fs::read_dir(folder).ok()?.filter_map(Result::ok);
    Some(files.filter_map(|file| file.metadata().ok()).map(|metadata| metadata.len()).sum())
}

fn write_list(
    models: &[ListedModel],
    chosen: &Choice,
    settings: &Settings,
    folder: Option<&Path>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let rows: Vec<[String; 4]> = models
        .iter()
        .map(|model| {
            let place = match (&model.path, model.dimension) {
                (Some(path), _) => path.display().to_string(),
                (None, Some(_)) => "built in".to_owned(),
                (None, None) => settings.embedding_endpoint().unwrap_or_default().to_owned(),
            };
            let size = model.bytes.map(|bytes| format!("{:.1} MB", bytes as f64 / 1e6));
            [
                if model.in_use { "*" } else { "" }.to_owned(),
                text::clean(&model.name),
                size.unwrap_or_default(),
                text::clean(&place),
            ]
        })
        .collect();
    table::write([Align::Left, Align::Left, Align::Right, Align::Left], &rows, out)?;
    if *chosen == Choice::Off {
        writeln!(out, "\nno model is in use: `embedding.model` is {OFF}")?;
    }
    let folder = folder.map_or_else(|| "none".to_owned(), |path| path.display().to_string());
    writeln!(out, "\ndirectory of your models: {}", text::clean(&folder))
}

fn choose(arguments: &ModelUseArguments) -> anyhow::Result<Status> {
    let context = context(&arguments.report)?;
    let lookup = &env_vars::from_process;
    let file = user_file(lookup).map(lore_settings::absolute).ok_or_else(|| {
        UsageError::new("could not write `embedding.model`: you have no settings file")
            .hint("set `HOME`, or name a file with `LOREHOUND_CONFIG`")
    })?;
    let model = arguments.name.as_str();
    let server = context.settings.embedding_endpoint().is_some();
    let named = named(model, server)?;
    // A plain name would be one of the server's.
    let value = match &named {
        Choice::Folder { path, .. } if server || !embedding::is_name(model) => {
            path.display().to_string()
        }
        _ => model.to_owned(),
    };
    let embedder = match named {
        // A request may cost time and money; `lore model verify` makes one.
        Choice::Server => None,
        named => named.open(&context.settings, lookup)?,
    };
    let dimension = embedder.as_ref().map(|embedder| dimension(embedder.as_ref())).transpose()?;
    lore_settings::set(&file, "embedding.model", &value)?;
    if let Some(origin @ (Origin::Environment(_) | Origin::Flag(_))) =
        context.settings.get("embedding.model").map(|decided| &decided.origin)
    {
        report::warning(&format!(
            "{origin} sets `{}`, which overrides your settings file",
            context.settings.embedding_model()
        ));
    }
    write_output(|out| {
        if arguments.report.json {
            return wire::write(&wire::model_chosen(&value, dimension, &file), out);
        }
        let dimension = dimension.map(|numbers| format!(", {numbers} dimensions"));
        let dimension = dimension.unwrap_or_default();
        writeln!(out, "embedding.model is `{}`{dimension}", text::clean(&value))?;
        writeln!(out, "written to {}", text::clean(&file.display().to_string()))
    })?;
    Ok(Status::Success)
}

/// The model that an argument names.
fn named(model: &str, server: bool) -> anyhow::Result<Choice> {
    match model {
        EMBEDDED => return Ok(Choice::Embedded),
        OFF => return Ok(Choice::Off),
        _ => {}
    }
    if embedding::is_name(model)
        && let Some(choice) = embedding::models(&env_vars::from_process)
            .into_iter()
            .find(|choice| matches!(choice, Choice::Folder { name, .. } if name == model))
    {
        return Ok(choice);
    }
    let path = lore_settings::absolute(PathBuf::from(model));
    if embedding::is_model(&path) || path.is_dir() {
        return Ok(Choice::folder(path));
    }
    if server && !Path::new(model).is_absolute() {
        return Ok(Choice::Server);
    }
    let folder = embedding::models_folder(&env_vars::from_process);
    let folder = folder.map_or_else(String::new, |path| format!(" in `{}`", path.display()));
    Err(UsageError::new(format!("there is no model `{model}`"))
        .hint(format!(
            "`lore model list` shows your models{folder}; name any other model by its directory"
        ))
        .into())
}

fn verify(arguments: &ModelVerifyArguments) -> anyhow::Result<Status> {
    let context = context(&arguments.report)?;
    let lookup = &env_vars::from_process;
    let chosen = match &arguments.name {
        // A server's models are chosen by the settings.
        Some(model) => named(model, false)?,
        None => Choice::of(&context.settings, lookup)?,
    };
    let Some(embedder) = chosen.open(&context.settings, lookup)? else {
        return Err(anyhow!(
            UsageError::new("there is no model to verify: `embedding.model` is off")
                .hint("name one: `lore model verify embedded`")
        ));
    };
    let mut verified = verified(embedder.as_ref())?;
    if chosen == Choice::Embedded {
        builtin(&mut verified.report);
    }
    write_output(|out| {
        if arguments.report.json {
            wire::write(&wire::model_verified(&verified), out)
        } else {
            write_verified(&verified, out)
        }
    })?;
    Ok(if verified.report.problems.is_empty() { Status::Success } else { Status::NoResult })
}

/// Number of dimensions of a model's vectors.
fn dimension(embedder: &dyn Embedder) -> Result<usize, EmbedError> {
    Ok(embedder.embed_query("where is it decided")?.len())
}

/// Embeds a few texts and checks the vectors.
fn verified(embedder: &dyn Embedder) -> Result<VerifiedModel, EmbedError> {
    let texts: Vec<Golden> = golden();
    let chunks: Vec<ChunkText<'_>> = texts
        .iter()
        .filter(|golden| golden.kind == "chunk")
        .map(|golden| ChunkText { path: &golden.path, text: &golden.text })
        .collect();
    let dimension = dimension(embedder)?;
    let vectors = embedder.embed_chunks(&chunks)?;
    let mut report = CheckReport::default();
    let mut check = |right: bool, passed: String, problem: &str| {
        if right { report.passed.push(passed) } else { report.problems.push(problem.to_owned()) }
    };
    check(
        vectors.len() == chunks.len() && vectors.iter().all(|vector| vector.len() == dimension),
        format!("{} passages have vectors of {dimension} dimensions", chunks.len()),
        "passages and questions have vectors of different dimensions",
    );
    // A text without a known token has a zero vector.
    let known: Vec<_> =
        vectors.iter().filter(|vector| vector.iter().any(|value| *value != 0.0)).collect();
    let square = |vector: &[f32]| vector.iter().map(|value| value * value).sum::<f32>();
    check(
        known.iter().all(|vector| (square(vector) - 1.0).abs() < 1e-3),
        "all vectors have length 1".to_owned(),
        "some vectors do not have length 1",
    );
    check(
        vectors.len() / 2 < known.len() && known.windows(2).any(|pair| pair[0] != pair[1]),
        "different passages have different vectors".to_owned(),
        "different passages have the same vector, or none",
    );
    let per_second = embedder.is_fast().then(|| speed(embedder, &chunks)).transpose()?;
    Ok(VerifiedModel {
        name: embedder.name().to_owned(),
        fingerprint: embedder.fingerprint().to_owned(),
        dimension,
        per_second,
        report,
    })
}

/// Number of passages per second.
fn speed(embedder: &dyn Embedder, chunks: &[ChunkText<'_>]) -> Result<f64, EmbedError> {
    let started = Instant::now();
    let mut passages = 0;
    while started.elapsed() < MEASURING_TIME {
        passages += embedder.embed_chunks(chunks)?.len();
    }
    Ok(passages as f64 / started.elapsed().as_secs_f64())
}

/// Checks the built-in model: its checksum, and its vectors against those of its exporter.
fn builtin(report: &mut CheckReport) {
    let embedder = StaticEmbedder::builtin();
    let sum = sha2::Sha256::digest(embedder.bytes());
    let sum: String = sum.iter().flat_map(|byte| [byte >> 4, byte & 15]).map(hex).collect();
    if sum == StaticEmbedder::builtin_sha256() {
        report.passed.push(format!("sha256 {sum}"));
    } else {
        let expected = StaticEmbedder::builtin_sha256();
        report.problems.push(format!("sha256 is {sum}, not {expected}: install `lore` again"));
    }
    let texts = golden();
    let is_right = |golden: &&Golden| {
        let vector = if golden.kind == "query" {
            embedder.embed_query(&golden.text)
        } else {
            let chunk = ChunkText { path: &golden.path, text: &golden.text };
            embedder.embed_chunks(&[chunk]).map(|mut vectors| vectors.remove(0))
        };
        vector.is_ok_and(|vector| {
            golden.v.len() <= vector.len()
                && vector
                    .iter()
                    .zip(&golden.v)
                    .all(|(value, expected)| (f64::from(*value) - expected).abs() < TOLERANCE)
        })
    };
    let right = texts.iter().filter(is_right).count();
    let line = format!("{right} of {} texts have the same vectors as in training", texts.len());
    let problem = texts.is_empty() || right < texts.len();
    if problem { report.problems.push(line) } else { report.passed.push(line) }
}

fn hex(digit: u8) -> char {
    char::from_digit(digit.into(), 16).unwrap_or('?')
}

/// The texts of the exporter, with their vectors.
fn golden() -> Vec<Golden> {
    let lines = StaticEmbedder::builtin_golden().lines();
    lines.filter_map(|line| serde_json::from_str(line).ok()).collect()
}

fn write_verified(verified: &VerifiedModel, out: &mut dyn Write) -> io::Result<()> {
    let VerifiedModel { name, fingerprint, dimension, per_second, report } = verified;
    writeln!(out, "{}: {dimension} dimensions, fingerprint {fingerprint}", text::clean(name))?;
    for line in &report.passed {
        writeln!(out, "ok       {}", text::clean(line))?;
    }
    for line in &report.problems {
        writeln!(out, "problem  {}", text::clean(line))?;
    }
    if let Some(per_second) = per_second {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a count per second, from 0 on"
        )]
        let passages = output::count(per_second.round() as u64);
        writeln!(out, "{passages} passages per second")?;
    }
    Ok(())
}
