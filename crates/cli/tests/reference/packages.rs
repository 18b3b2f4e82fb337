//! Man pages and completions, as packages install them.

use std::{collections::BTreeSet, fs, path::Path, process::Command};

use clap::Command as Definition;
use tempfile::TempDir;

use crate::workspace::{PROGRAM, Ran};

/// Writes files with `lore generate` into a new directory.
pub(crate) fn generated(files: &str) -> TempDir {
    let folder = TempDir::new().expect("a temporary folder");
    let out = folder.path().join("new/folder");
    let mut command = Command::new(PROGRAM);
    let ran = Ran::new(
        &command.args(["generate", files, "--out"]).arg(&out).output().expect("the program starts"),
    );
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let names: BTreeSet<String> = names(&out);
    let printed: BTreeSet<String> = ran
        .stdout
        .lines()
        .filter_map(|line| Some(Path::new(line).file_name()?.to_string_lossy().into_owned()))
        .collect();
    assert_eq!(names, printed);
    folder
}

pub(crate) fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    entries
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect()
}

/// The names of the visible commands, each with those of its parents.
fn commands(definition: &Definition, parents: &[String], all: &mut Vec<Vec<String>>) {
    for command in definition.get_subcommands().filter(|command| !command.is_hide_set()) {
        let names = [parents, &[command.get_name().to_owned()]].concat();
        commands(command, &names, all);
        all.push(names);
    }
}

fn all_commands() -> Vec<Vec<String>> {
    let mut all = Vec::new();
    commands(&lorehound::command(), &[], &mut all);
    assert!(30 < all.len());
    all
}

#[test]
fn every_command_has_a_man_page() {
    let folder = generated("man");
    let names = names(&folder.path().join("new/folder"));
    let mut expected: BTreeSet<String> =
        all_commands().iter().map(|names| format!("lore-{}.1", names.join("-"))).collect();
    expected.insert("lore.1".to_owned());
    assert_eq!(names, expected);
}

#[test]
fn man_pages_refer_to_pages_that_exist_and_have_no_faults() {
    let folder = generated("man");
    let folder = folder.path().join("new/folder");
    let pages = names(&folder);
    for name in &pages {
        let text = fs::read_to_string(folder.join(name)).expect("a page");
        let (_, see) = text.split_once(".SH \"SEE ALSO\"\n").expect("the last section");
        for line in see.lines() {
            let page = line.replace("\\fB", "").replace("\\fR", "").replace("\\-", "-");
            let page = page.split('(').next().unwrap_or_default().to_owned();
            let is_other = page == "rg" || page == "git";
            assert!(is_other || pages.contains(&format!("{page}.1")), "{name}: {page}");
        }
        // An escape that roff does not define would lose a character.
        for (at, _) in text.match_indices('\\') {
            let next = text[at + 1..].chars().next().unwrap_or(' ');
            assert!("-efhg([&".contains(next), "{name}: \\{next}");
        }
        for line in text.lines().filter(|line| line.starts_with(['.', '\''])) {
            let known =
                [".TH ", ".SH ", ".SS ", ".TP", ".IP", ".PP", ".RS 4", ".RE", ".nf", ".fi", ".br"];
            assert!(known.iter().any(|start| line.starts_with(start)), "{name}: {line}");
        }
    }
}

#[test]
fn completions_of_every_shell_contain_every_command() {
    let folder = generated("completions");
    let folder = folder.path().join("new/folder");
    let expected = ["_lore", "_lore.ps1", "lore.bash", "lore.elv", "lore.fish", "lore.nu"];
    assert_eq!(names(&folder), expected.map(str::to_owned).into());
    for (name, shell) in [
        ("_lore", "zsh"),
        ("_lore.ps1", "powershell"),
        ("lore.bash", "bash"),
        ("lore.elv", "elvish"),
        ("lore.fish", "fish"),
        ("lore.nu", "nushell"),
    ] {
        let script = fs::read_to_string(folder.join(name)).expect("a script");
        for names in all_commands() {
            // The form in which each script names a command with its parents.
            let forms = [
                format!("lore__subcmd__{}", names.join("__subcmd__")),
                format!("lore__{}", names.join("__")),
                format!("lore;{}", names.join(";")),
                format!("lore {}", names.join(" ")),
                format!("-a \"{}\"", names.last().expect("a name")),
                format!("({})", names.last().expect("a name")),
            ];
            assert!(forms.iter().any(|form| script.contains(form)), "{name}: {names:?}");
        }
        assert!(script.contains("rerank-cmd"), "{name}");
        let ran = Command::new(PROGRAM).args(["completions", shell]).output().expect("starts");
        assert_eq!(String::from_utf8_lossy(&ran.stdout), script, "{shell}");
    }
}

#[cfg(unix)]
#[test]
fn shells_that_are_installed_load_their_completions() {
    let folder = generated("completions");
    let folder = folder.path().join("new/folder");
    for (shell, arguments, expected) in [
        (
            "bash",
            [
                "--norc",
                "-c",
                "source ./lore.bash; COMP_WORDS=(lore mod); COMP_CWORD=1; _lore lore mod lore; echo ${COMPREPLY[@]}",
            ],
            "model\n",
        ),
        (
            "fish",
            ["--no-config", "-c", "source lore.fish; complete -C 'lore mod' | cut -f1"],
            "model\n",
        ),
        (
            "zsh",
            [
                "-f",
                "-c",
                "fpath=($PWD $fpath); autoload -Uz compinit; compinit -u -D; print $_comps[lore]; autoload +X _lore",
            ],
            "_lore\n",
        ),
    ] {
        let Ok(output) = Command::new(shell).args(arguments).current_dir(&folder).output() else {
            eprintln!("NOT CHECKED: there is no {shell}");
            continue;
        };
        let ran = Ran::new(&output);
        assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), (expected, ""), "{shell}");
    }
}
