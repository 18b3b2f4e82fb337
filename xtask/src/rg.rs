//! Compares `lore rg` with ripgrep over many command lines and three trees: the same bytes in the
//! order of `rg --sort path`, the same lines as an unsorted `rg`, and the same exit codes.

mod commands;
mod run;
mod trees;

use std::{ffi::OsString, path::Path, process::Command};

use anyhow::{Context as _, Result, bail};

use self::{
    commands::CommandLine,
    run::{Program, compare},
};

/// Version of ripgrep that is the reference.
const VERSION: &str = "15.2.0";

/// Default number of command lines.
const COMMANDS: usize = 500;

/// Maximum number of differences that are printed.
const MAX_SHOWN: usize = 20;

/// Options of the comparison.
struct Arguments {
    commands: usize,
    seed: u64,
}

impl Arguments {
    fn parse(words: &[String]) -> Result<Arguments> {
        let mut arguments = Arguments { commands: COMMANDS, seed: 1 };
        let mut words = words.iter();
        while let Some(name) = words.next() {
            let value = words.next().with_context(|| format!("`{name}` requires a value"))?;
            match name.as_str() {
                "--commands" => arguments.commands = value.parse()?,
                "--seed" => arguments.seed = value.parse()?,
                _ => bail!("unknown argument `{name}`"),
            }
        }
        Ok(arguments)
    }
}

/// Runs the comparison; `RG` names the ripgrep to use, and `LORE` the `lore`.
pub(crate) fn run(root: &Path, words: &[String]) -> Result<()> {
    let arguments = Arguments::parse(words)?;
    let reference = reference()?;
    let found = version(&reference)?;
    if found != VERSION {
        println!("NOTE: ripgrep {found} is compared; the reference is ripgrep {VERSION}.");
    }
    let lore = super::program(root)?;
    let folder = std::env::temp_dir().join(format!("lore-rg-{}", std::process::id()));
    let trees = trees::make(root, &folder)?;
    let lines = commands::all(arguments.commands, arguments.seed, &trees);
    let programs = (Program::reference(&reference), Program::lore(&lore));
    let mut different = Vec::new();
    for line in &lines {
        if let Some(difference) = compare(&programs.0, &programs.1, line)? {
            different.push((line, difference));
        }
    }
    let count = |tree: &Path| lines.iter().filter(|line| line.tree == tree).count();
    for tree in &trees {
        println!("{}: {} command lines", tree.name, count(&tree.path));
    }
    for (line, difference) in different.iter().take(MAX_SHOWN) {
        println!("\n{}\n{difference}", shown(line));
    }
    std::fs::remove_dir_all(&folder).ok();
    let equal = lines.len() - different.len();
    println!("\n{equal} of {} command lines are equal (seed {})", lines.len(), arguments.seed);
    if !different.is_empty() {
        bail!("{} command lines differ from ripgrep", different.len());
    }
    Ok(())
}

/// The ripgrep to use: what `RG` names, else the one of the path.
///
/// It is started in the folders of the comparison, so a path becomes absolute.
fn reference() -> Result<OsString> {
    let program = std::env::var_os("RG").unwrap_or_else(|| OsString::from("rg"));
    let is_path = Path::new(&program).components().count() > 1;
    Ok(if is_path { std::path::absolute(program)?.into() } else { program })
}

/// The version of ripgrep.
fn version(program: &OsString) -> Result<String> {
    let output = Command::new(program).arg("--version").output().with_context(|| {
        format!(
            "could not run `{}`; install it with `cargo install ripgrep --locked`, or name it in `RG`",
            program.display()
        )
    })?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(text.split_whitespace().nth(1).unwrap_or_default().to_owned())
}

/// A command line as it can be pasted.
fn shown(line: &CommandLine) -> String {
    let words: Vec<String> = line
        .words
        .iter()
        .map(|word| format!("'{}'", word.to_string_lossy().replace('\'', r"'\''")))
        .collect();
    let input = if line.input.is_some() { "… | " } else { "" };
    format!("{}: {input}rg {}", line.tree.display(), words.join(" "))
}
