//! `lore install` and `lore uninstall`: agents are connected, and their files stay intact.

use std::{
    fs,
    io::Write as _,
    path::PathBuf,
    process::{Command, Stdio},
    time::SystemTime,
};

use crate::workspace::{PROGRAM, Ran, Workspace};

/// A tree beside a home directory.
struct Home {
    workspace: Workspace,
}

impl Home {
    fn new(files: &[(&str, &str)]) -> Home {
        let home = Home { workspace: Workspace::empty() };
        fs::create_dir_all(home.path()).expect("a home");
        for (path, text) in files {
            home.workspace.write(path, text);
        }
        home
    }

    fn path(&self) -> PathBuf {
        self.workspace.tree().with_file_name("home")
    }

    fn read(&self, path: &str) -> String {
        let path = self.workspace.tree().join(path);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    fn changed_at(&self, path: &str) -> SystemTime {
        let metadata = fs::metadata(self.workspace.tree().join(path)).expect("it is there");
        metadata.modified().expect("a time")
    }

    fn command(&self, line: &str) -> Command {
        let words: Vec<&str> = line.split_whitespace().collect();
        let mut command = self.workspace.command(&words);
        for name in ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME"] {
            command.env_remove(name);
        }
        command.env("HOME", self.path());
        command
    }

    fn run(&self, line: &str) -> Ran {
        Ran::new(&self.command(line).output().expect("the program starts"))
    }

    #[cfg(unix)]
    fn run_with(mut command: Command, input: &[u8]) -> Ran {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        // A program that is missing reads nothing.
        let _ = child.stdin.take().expect("a pipe").write_all(input);
        Ran::new(&child.wait_with_output().expect("it ends"))
    }
}

const SERVERS: &str =
    "{\n  // mine\n  \"mcpServers\": {\n    \"a\": { \"command\": \"a\", },\n  },\n}\n";

#[test]
fn without_a_terminal_nothing_is_changed() {
    let home = Home::new(&[(".mcp.json", SERVERS)]);
    let time = home.changed_at(".mcp.json");
    let ran = home.run("install claude-code");
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stdout.contains("--- .mcp.json\n+++ .mcp.json\n@@ -4,2 +4,6 @@\n"), "{ran:?}");
    assert!(ran.stdout.contains("--- /dev/null\n+++ CLAUDE.md\n"), "{ran:?}");
    assert!(ran.stderr.contains("hint: to apply the patch above, add `--yes`"), "{ran:?}");
    assert_eq!(home.read(".mcp.json"), SERVERS);
    assert_eq!(home.changed_at(".mcp.json"), time);
    let dry = home.run("install claude-code --dry-run --yes");
    assert_eq!((dry.code, dry.stdout), (Some(0), ran.stdout));
    assert_eq!(home.read(".mcp.json"), SERVERS);
    assert!(!home.workspace.tree().join("CLAUDE.md").exists());
    assert_eq!(fs::read_dir(home.path()).expect("a home").count(), 0, "not even a record");
}

#[test]
fn uninstall_restores_every_byte() {
    let home = Home::new(&[(".mcp.json", SERVERS), ("CLAUDE.md", "No final line end")]);
    let ran = home.run("install Claude --yes --hook");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let entry =
        "    \"lore\": {\n      \"command\": \"lore\",\n      \"args\": [\"mcp\"]\n    },\n";
    let expected = SERVERS.replace("\"a\", },\n", &format!("\"a\", }},\n{entry}"));
    assert_eq!(home.read(".mcp.json"), expected);
    assert!(home.read("CLAUDE.md").starts_with("No final line end\n\n<!-- lore:start -->\n"));
    let time = home.changed_at(".mcp.json");
    let again = home.run("install claude-code --hook");
    assert_eq!((again.code, again.stdout.as_str()), (Some(0), ""), "{again:?}");
    assert!(again.stderr.ends_with("nothing to do\n"), "{again:?}");
    assert_eq!(home.changed_at(".mcp.json"), time);
    let ran = home.run("uninstall --yes");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(home.read(".mcp.json"), SERVERS);
    assert_eq!(home.read("CLAUDE.md"), "No final line end");
    assert!(!home.workspace.tree().join(".claude").exists());
    let again = home.run("uninstall");
    assert_eq!((again.code, again.stdout.as_str()), (Some(0), ""), "{again:?}");
}

#[test]
fn a_broken_file_prevents_every_change() {
    let broken = "{\n  \"mcpServers\": {\n    \"a\": {}\n    \"b\": {}\n  }\n}\n";
    let home = Home::new(&[(".mcp.json", SERVERS), (".cursor/mcp.json", broken)]);
    let times = (home.changed_at(".mcp.json"), home.changed_at(".cursor/mcp.json"));
    let ran = home.run("install claude-code cursor --yes");
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{ran:?}");
    let expected = "could not change `.cursor/mcp.json:4:5`: expected a comma";
    assert!(ran.stderr.contains(expected), "{ran:?}");
    assert!(ran.stderr.contains("no file was changed"), "{ran:?}");
    assert_eq!(home.read(".mcp.json"), SERVERS);
    assert_eq!(home.read(".cursor/mcp.json"), broken);
    assert_eq!((home.changed_at(".mcp.json"), home.changed_at(".cursor/mcp.json")), times);
}

#[test]
fn agents_are_detected() {
    let home = Home::new(&[]);
    let none = home.run("install --dry-run");
    assert_eq!(none.code, Some(2), "{none:?}");
    assert!(
        none.stderr.contains("no supported agent has files here or in your home directory"),
        "{none:?}"
    );
    home.workspace.write(".zed/settings.json", "{}\n");
    fs::create_dir_all(home.path().join(".codeium/windsurf")).expect("a folder");
    let ran = home.run("install --dry-run");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(
        ran.stderr.contains("Windsurf: your own files, as it does not support project settings"),
        "{ran:?}"
    );
    for path in [".zed/settings.json", "AGENTS.md", "~/.codeium/windsurf/mcp_config.json"] {
        assert!(ran.stdout.contains(&format!("+++ {path}\n")), "{path} {ran:?}");
    }
    let all = home.run("install all --project --dry-run");
    assert_eq!(all.code, Some(0), "{all:?}");
    assert!(all.stdout.contains("+++ .gemini/settings.json\n"), "{all:?}");
    assert!(!all.stdout.contains("codeium"), "Windsurf reads no servers from a project: {all:?}");
    let unknown = home.run("install emacs");
    assert_eq!(unknown.code, Some(2), "{unknown:?}");
    assert!(unknown.stderr.contains("name one of claude-code, codex"), "{unknown:?}");
}

#[test]
fn directories_in_environment_variables_are_used() {
    let home = Home::new(&[]);
    let other = home.path().join("elsewhere");
    fs::create_dir(&other).expect("a folder");
    let mut command = home.command("install claude-code codex --user --yes");
    command.env("CLAUDE_CONFIG_DIR", &other).env("CODEX_HOME", &other);
    let ran = Ran::new(&command.output().expect("the program starts"));
    assert_eq!(ran.code, Some(0), "{ran:?}");
    for name in [".claude.json", "CLAUDE.md", "config.toml", "AGENTS.md"] {
        assert!(other.join(name).is_file(), "{name}");
    }
    assert!(!home.path().join(".claude.json").exists());
    assert!(!home.path().join(".codex").exists());
}

#[cfg(unix)]
#[test]
fn a_link_out_of_the_project_needs_confirmation_on_a_terminal() {
    let home = Home::new(&[]);
    let profile = home.path().join(".profile");
    fs::write(&profile, "umask 022\n").expect("a file");
    let link = home.workspace.tree().join("CLAUDE.md");
    std::os::unix::fs::symlink(&profile, &link).expect("a link");
    let ran = home.run("install claude-code --yes");
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("`CLAUDE.md` is a link to `/"), "{ran:?}");
    assert_eq!(fs::read_to_string(&profile).expect("it is there"), "umask 022\n");
    assert!(!home.workspace.tree().join(".mcp.json").exists());
}

#[cfg(unix)]
#[test]
fn the_hook_never_fails() {
    let home = Home::new(&[]);
    let ran = home.run("install claude --hook --no-instructions --yes");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let settings: serde_json::Value =
        serde_json::from_str(&home.read(".claude/settings.json")).expect("JSON");
    let hook = settings["hooks"]["SessionStart"][0]["hooks"][0]["command"].as_str();
    let hook = hook.expect("a command");
    let program = PathBuf::from(PROGRAM);
    let with_lore = format!("{}:/usr/bin:/bin", program.parent().expect("a folder").display());
    for (path, is_there) in [(with_lore.as_str(), true), ("/usr/bin:/bin", false)] {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", hook]).env("PATH", path).current_dir(home.workspace.tree());
        command.env("LOREHOUND_CACHE_DIR", home.workspace.cache()).env("LOREHOUND_CONFIG", "");
        let ran = Ran::new(&command.output().expect("a shell"));
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{ran:?}");
        assert_eq!(ran.stdout.lines().count(), usize::from(is_there), "{ran:?}");
    }
}

#[cfg(unix)]
#[test]
fn the_search_hook_suggests_lore_once_per_session() {
    let home = Home::new(&[]);
    let ran = home.run("install claude --hook --no-instructions --yes");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let settings: serde_json::Value =
        serde_json::from_str(&home.read(".claude/settings.json")).expect("JSON");
    let hook = &settings["hooks"]["PreToolUse"][0];
    assert_eq!(hook["matcher"], "Bash");
    let hook = hook["hooks"][0]["command"].as_str().expect("a command").to_owned();
    let program = PathBuf::from(PROGRAM);
    let with_lore = format!("{}:/usr/bin:/bin", program.parent().expect("a folder").display());
    let event = |session: &str, command: &str| {
        format!(
            r#"{{"session_id": "{session}", "tool_name": "Bash", "tool_input": {{"command": "{command}"}}}}"#
        )
    };
    let rg = event("1", "rg foo src");
    for (path, input, is_suggested) in [
        (with_lore.as_str(), event("1", "ls"), false),
        (&with_lore, rg.clone(), true),
        (&with_lore, rg.clone(), false),
        (&with_lore, event("2", "grep -rn foo ."), true),
        (&with_lore, "no JSON".to_owned(), false),
        ("/usr/bin:/bin", event("3", "rg foo"), false),
    ] {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", &hook]).env("PATH", path).env("HOME", home.path());
        command.env_remove("XDG_STATE_HOME").current_dir(home.workspace.tree());
        let ran = Home::run_with(command, input.as_bytes());
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{input} {ran:?}");
        assert_eq!(ran.stdout.contains("lore rg"), is_suggested, "{input} {ran:?}");
        if is_suggested {
            // The hook adds a text for the agent, and decides nothing about the command.
            let output = &ran.json()["hookSpecificOutput"];
            assert_eq!(output.as_object().map(serde_json::Map::len), Some(2), "{ran:?}");
            assert!(output["additionalContext"].is_string(), "{ran:?}");
        }
    }
}
