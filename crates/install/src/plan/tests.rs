//! Plans for temporary homes and trees.

use std::{collections::BTreeMap, ffi::OsString, fs};

use tempfile::TempDir;

use super::*;
use crate::apply;

/// A home with a tree in it.
struct World {
    folder: TempDir,
}

impl World {
    fn new(files: &[(&str, &str)]) -> World {
        let world = World { folder: tempfile::tempdir().expect("a temporary folder") };
        fs::create_dir_all(world.path("tree")).expect("a tree");
        for (path, text) in files {
            world.write(path, text);
        }
        world
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().canonicalize().expect("it is there").join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    fn folders(&self) -> Folders {
        let home = OsString::from(self.path(""));
        let lookup = |name: &str| (name == "HOME").then(|| home.clone());
        Folders::new(&self.path("tree"), &lookup)
    }

    fn plan(&self, direction: Direction, request: &InstallRequest) -> Plan {
        let folders = self.folders();
        let state = folders.state.clone().expect("there is a home");
        let record = Record::load(&state).expect("a record");
        match direction {
            Direction::In => install(&folders, record, request),
            Direction::Out => uninstall(&folders, record, request),
        }
    }

    fn run(&self, direction: Direction, request: &InstallRequest) -> Plan {
        let plan = self.plan(direction, request);
        assert_eq!(plan.refusals, []);
        apply(&plan).expect("it is written");
        plan
    }

    /// Every file and folder outside the state of `lore`.
    fn all(&self) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
        fn collect(folder: &Path, all: &mut BTreeMap<PathBuf, Option<Vec<u8>>>) {
            for entry in fs::read_dir(folder).expect("a folder") {
                let path = entry.expect("an entry").path();
                if path.ends_with(".local") {
                    continue;
                }
                let is_folder = path.is_dir() && !path.is_symlink();
                all.insert(path.clone(), (!is_folder).then(|| fs::read(&path).expect("a file")));
                if is_folder {
                    collect(&path, all);
                }
            }
        }
        let mut all = BTreeMap::new();
        collect(&self.path(""), &mut all);
        all
    }
}

#[derive(Clone, Copy)]
enum Direction {
    In,
    Out,
}

fn request(names: &[&str]) -> InstallRequest {
    InstallRequest {
        agents: names.iter().map(|name| Agent::find(name).expect("an agent")).collect(),
        is_named: true,
        scope: None,
        hook: false,
        instructions: true,
        force: false,
    }
}

/// Typical configurations.
const FILES: &[(&str, &str)] = &[
    (
        "tree/.mcp.json",
        "{\n  \"mcpServers\": {\n    \"tickets\": {\n      \"type\": \"http\",\n      \"url\": \"https://tickets.example/mcp\"\n    }\n  }\n}\n",
    ),
    ("tree/CLAUDE.md", "# House rules\r\n\r\nNo force pushes."),
    (
        "tree/.claude/settings.json",
        "{\"permissions\": {\"allow\": [\"Bash(ls:*)\"]}, \"hooks\": {\"SessionStart\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"date\"}]}]}}",
    ),
    (
        ".codex/config.toml",
        "# mine\nmodel = \"o9\" # fast\n\n[projects.\"/w\"]\ntrust_level = 'trusted'",
    ),
    ("tree/.codex/config.toml", ""),
    ("tree/AGENTS.md", "\u{feff}# Agents\n\n"),
    ("tree/.cursor/mcp.json", "{}"),
    ("tree/.gemini/settings.json", "{\n\t// colours\n\t\"ui\": { \"theme\": \"Dracula\", },\n}\n"),
    (
        "tree/opencode.jsonc",
        "// our models\r\n{\r\n    \"$schema\": \"https://opencode.ai/config.json\",\r\n    \"mcp\": {\r\n        // \"old\": {},\r\n    },\r\n}\r\n",
    ),
    ("tree/.vscode/mcp.json", "{\n  \"inputs\": [],\n  \"servers\": {}\n}"),
    (
        "tree/.zed/settings.json",
        "// Project settings\n{\n  \"tab_size\": 2, // two\n  \"context_servers\": {\n    \"db\": { \"command\": \"db\", \"args\": [], }, /* local */\n  },\n  \"languages\": { \"Rust\": { \"formatter\": { \"a\": [ { \"b\": null } ] } } },\n}\n",
    ),
    (".codeium/windsurf/mcp_config.json", "{\"mcpServers\":{}}\n"),
    (
        ".claude.json",
        "{\"numStartups\": 12, \"name\": \"Z\\u00e9\", \"mcpServers\": {\"a\": {\"command\": \"a\"}, \"a\": {\"command\": \"b\"}}, \"projects\": {}}",
    ),
    (".config/zed/settings.json", "{\n}\n"),
    (".config/opencode/opencode.json", ""),
    (".config/Code/User/mcp.json", "\n"),
    (".gemini/GEMINI.md", "Be brief.\n"),
];

#[test]
fn every_file_is_as_it_was_after_install_and_uninstall() {
    let names: Vec<&str> = AGENTS.iter().map(|agent| agent.name).collect();
    for scope in [None, Some(Scope::User)] {
        for files in [FILES, &[]] {
            let world = World::new(files);
            let before = world.all();
            let request = InstallRequest { scope, hook: true, ..request(&names) };
            let done = world.run(Direction::In, &request);
            assert!(8 < done.changes.len(), "{done:?}");
            assert_ne!(world.all(), before);
            let again = world.plan(Direction::In, &request);
            assert_eq!(again.changes, [], "the second time, there is nothing to do");
            assert_eq!(again.refusals, []);
            world.run(Direction::Out, &request);
            assert_eq!(world.all(), before);
            assert_eq!(world.plan(Direction::Out, &request).changes, []);
        }
    }
}

#[test]
fn a_shared_file_is_changed_once_and_restored_with_the_last_agent() {
    let world = World::new(&[("tree/AGENTS.md", "# Agents\n")]);
    world.run(Direction::In, &request(&["codex", "opencode"]));
    assert_eq!(world.read("tree/AGENTS.md").matches("lore:start").count(), 1);
    let plan = world.run(Direction::Out, &request(&["codex"]));
    assert!(world.read("tree/AGENTS.md").contains("lore:start"));
    assert!(
        plan.notes.iter().any(|note| note.contains("because it is also used by opencode")),
        "{plan:?}"
    );
    world.run(Direction::Out, &request(&["opencode"]));
    assert_eq!(world.read("tree/AGENTS.md"), "# Agents\n");
    // If all agents are removed at once, nothing stays and there are no notes.
    world.run(Direction::In, &request(&["codex", "opencode", "zed"]));
    let plan = world.run(Direction::Out, &request(&["codex", "opencode", "zed"]));
    assert_eq!(plan.notes, [""; 0]);
    assert_eq!(world.read("tree/AGENTS.md"), "# Agents\n");
}

#[test]
fn unreadable_files_are_reported_and_kept() {
    let world = World::new(&[("tree/.mcp.json", "{ \"mcpServers\": {,} }\n")]);
    world.write("tree/CLAUDE.md", "<!-- lore:start -->\n");
    let plan = world.run(Direction::Out, &request(&["claude"]));
    assert!(plan.kept[0].contains("kept `.mcp.json:1:18` unchanged"), "{:?}", plan.kept);
    assert!(plan.kept[1].contains("kept `CLAUDE.md:1:1` unchanged"), "{:?}", plan.kept);
    let unnamed = InstallRequest { is_named: false, ..request(&["claude"]) };
    assert_eq!(world.plan(Direction::Out, &unnamed).kept, [""; 0]);
}

#[cfg(unix)]
#[test]
fn links_stay_and_their_targets_are_written() {
    use std::os::unix::fs::symlink;

    let world = World::new(&[("tree/AGENTS.md", "# Agents\n"), ("dotfiles/claude.json", "{}")]);
    symlink("AGENTS.md", world.path("tree/CLAUDE.md")).expect("a link");
    symlink(world.path("dotfiles/claude.json"), world.path(".claude.json")).expect("a link");
    let before = world.all();
    world.run(Direction::In, &request(&["claude", "codex"]));
    assert!(world.path("tree/CLAUDE.md").is_symlink());
    assert_eq!(world.read("tree/AGENTS.md").matches("lore:start").count(), 1);
    let user =
        InstallRequest { scope: Some(Scope::User), instructions: false, ..request(&["claude"]) };
    let plan = world.run(Direction::In, &user);
    assert!(plan.changes.iter().all(|change| change.is_linked), "{plan:?}");
    assert!(world.path(".claude.json").is_symlink());
    assert!(world.read("dotfiles/claude.json").contains("lore"));
    world.run(Direction::Out, &user);
    world.run(Direction::Out, &request(&["claude"]));
    world.run(Direction::Out, &request(&["codex"]));
    assert_eq!(world.all(), before);

    symlink("nowhere", world.path("tree/GEMINI.md")).expect("a link");
    let plan = world.plan(Direction::In, &request(&["gemini"]));
    assert_eq!(plan.refusals[0].problem.reason, "it is a link to a file that does not exist");
}

#[test]
fn refusals_name_the_position() {
    let check = |files: &[(&str, &str)], name: &str, shown: &str, reason: &str| {
        let world = World::new(files);
        let before = world.all();
        let plan = world.plan(Direction::In, &request(&[name]));
        let refusal = plan.refusals.first().unwrap_or_else(|| panic!("{files:?} {plan:?}"));
        assert_eq!(refusal.problem.located(&refusal.shown), shown);
        assert!(refusal.problem.reason.contains(reason), "{refusal:?}");
        assert_eq!(world.all(), before);
    };
    check(&[("tree/.mcp.json", "{\n  \"a\": [}\n")], "claude", ".mcp.json:2:9", "expected a value");
    check(&[("tree/.mcp.json", "{\"mcpServers\": []}")], "claude", ".mcp.json:1:16", "is a list");
    check(&[("tree/.codex/config.toml", "a = \n")], "codex", ".codex/config.toml:1:5", "");
    check(&[("tree/CLAUDE.md", "\n<!-- lore:end -->\n")], "claude", "CLAUDE.md:2:1", "without");
    check(&[("tree/.cursor", "a file")], "cursor", ".cursor/mcp.json", "");
    check(&[("tree/.mcp.json/a", "")], "claude", ".mcp.json", "it is not a file");
    let foreign = "{\"mcpServers\": {\"lore\": {\"command\": \"other\"}}}";
    check(&[("tree/.mcp.json", foreign)], "claude", ".mcp.json:1:17", "`mcpServers.lore` exists");

    let world = World::new(&[("tree/.mcp.json", foreign)]);
    let forced = InstallRequest { force: true, instructions: false, ..request(&["claude"]) };
    world.run(Direction::In, &forced);
    assert!(world.read("tree/.mcp.json").contains("\"command\": \"lore\""));
    assert!(!world.read("tree/.mcp.json").contains("other"));

    let project = InstallRequest { scope: Some(Scope::Project), ..request(&["windsurf"]) };
    let plan = world.plan(Direction::In, &project);
    assert!(plan.refusals[0].problem.reason.contains("`--user`"), "{plan:?}");
}

#[test]
fn files_that_cannot_be_replaced_safely_are_refused() {
    let world = World::new(&[("tree/.mcp.json", "{}"), ("tree/CLAUDE.md", "a"), ("tree/c", "b")]);
    let path = world.path("tree/.mcp.json");
    let mut permissions = fs::metadata(&path).expect("it is there").permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&path, permissions).expect("permissions");
    fs::write(world.path("tree/GEMINI.md"), b"caf\xe9\n").expect("a file");
    let reasons = |names: &[&str]| -> Vec<String> {
        let plan = world.plan(Direction::In, &request(names));
        plan.refusals.into_iter().map(|refusal| refusal.problem.reason).collect()
    };
    assert_eq!(reasons(&["claude"]), ["it is read-only"]);
    assert_eq!(reasons(&["gemini"]), ["line 1 is not UTF-8"]);
    #[cfg(unix)]
    {
        fs::hard_link(world.path("tree/c"), world.path("tree/AGENTS.md")).expect("a second name");
        assert!(reasons(&["codex"])[0].contains("hard link"));
    }
}

#[test]
fn entries_changed_by_the_user_are_kept_and_reported() {
    let world = World::new(&[]);
    world.run(Direction::In, &request(&["claude"]));
    let edited = world.read("tree/.mcp.json").replace("\"mcp\"", "\"mcp\", \"-v\"");
    world.write("tree/.mcp.json", &edited);
    let note = format!("# Mine\n\n{}", world.read("tree/CLAUDE.md"));
    world.write("tree/CLAUDE.md", &note);
    let plan = world.run(Direction::Out, &request(&["claude"]));
    assert_eq!(world.read("tree/.mcp.json"), edited);
    assert_eq!(world.read("tree/CLAUDE.md"), "# Mine\n\n");
    assert!(plan.kept[0].contains(".mcp.json:3:5"), "{:?}", plan.kept);
    let foreign = world.plan(Direction::In, &request(&["claude"]));
    assert!(foreign.refusals[0].is_forceable);
    world.run(Direction::Out, &InstallRequest { force: true, ..request(&["claude"]) });
    assert!(!world.path("tree/.mcp.json").exists(), "install created it");
}

#[test]
fn instructions_of_an_earlier_version_are_replaced() {
    let world = World::new(&[("tree/CLAUDE.md", "# Mine\n")]);
    world.run(Direction::In, &request(&["claude"]));
    let state = world.path(".local/state/lorehound/install");
    let mut record = Record::load(&state).expect("a record");
    for entry in &mut record.entries {
        if let Edit::Block { body, .. } = &mut entry.edit {
            *body = "Ask lore.".to_owned();
        }
    }
    record.save().expect("it is written");
    world.write("tree/CLAUDE.md", "# Mine\n\n<!-- lore:start -->\nAsk lore.\n<!-- lore:end -->\n");
    world.run(Direction::In, &request(&["claude"]));
    assert!(world.read("tree/CLAUDE.md").contains(agents::INSTRUCTIONS));
    world.run(Direction::Out, &request(&["claude"]));
    assert_eq!(world.read("tree/CLAUDE.md"), "# Mine\n");
}

#[test]
fn installed_entries_are_recognised_without_a_record() {
    let world = World::new(&[
        ("tree/AGENTS.md", "# Agents\n"),
        ("tree/.mcp.json", "{\n  \"mcpServers\": {\n    \"a\": 1\n  }\n}\n"),
    ]);
    let before = world.all();
    world.run(Direction::In, &request(&["claude", "codex"]));
    fs::remove_dir_all(world.path(".local")).expect("the record is lost");
    world.run(Direction::Out, &request(&["claude", "codex"]));
    assert_eq!(
        world.read("tree/.mcp.json").into_bytes(),
        before[&world.path("tree/.mcp.json")].clone().expect("a file")
    );
    assert!(!world.read("tree/AGENTS.md").contains("lore"));
}

#[test]
fn another_tree_is_not_touched() {
    let world = World::new(&[]);
    world.run(Direction::In, &request(&["claude"]));
    let kept = world.read("tree/.mcp.json");
    let home = OsString::from(world.path(""));
    let lookup = |name: &str| (name == "HOME").then(|| home.clone());
    fs::create_dir(world.path("other")).expect("a folder");
    let folders = Folders::new(&world.path("other"), &lookup);
    let record = Record::load(folders.state.as_deref().expect("a home")).expect("a record");
    let plan = uninstall(&folders, record, &request(&["claude"]));
    assert_eq!(plan.changes, []);
    assert_eq!(plan.record.entries.len(), 2);
    assert_eq!(world.read("tree/.mcp.json"), kept);
}

#[test]
fn instructions_of_an_earlier_version_are_replaced_and_removed_without_a_record() {
    let earlier = agents::earlier(&Edit::Block {
        header: String::new(),
        body: agents::INSTRUCTIONS.to_owned(),
    });
    let Some(Edit::Block { body, .. }) = earlier.first() else { panic!("there is one") };
    let text = format!("# Rules\n\n<!-- lore:start -->\n{body}\n<!-- lore:end -->\n");
    let world = World::new(&[("tree/CLAUDE.md", &text)]);
    world.run(Direction::Out, &request(&["claude-code"]));
    assert_eq!(world.read("tree/CLAUDE.md"), "# Rules\n\n");
    let world = World::new(&[("tree/CLAUDE.md", &text)]);
    world.run(Direction::In, &request(&["claude-code"]));
    assert!(world.read("tree/CLAUDE.md").contains(agents::INSTRUCTIONS));
    world.run(Direction::Out, &request(&["claude-code"]));
    assert_eq!(world.read("tree/CLAUDE.md"), "# Rules\n\n");
}
