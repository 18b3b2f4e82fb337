//! Puts a server together from the artifacts: the distribution without modules, three modules, and
//! the plugins.

use std::{
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, Result, bail};

use super::{
    artifacts::{ARTIFACTS, Artifact, VERSION, fetch},
    report,
    state::Folder,
};
use crate::clients::call;

/// File of a server that lists what it was made from.
const STAMP: &str = "made-from";

/// A module: jars with a description.
struct Module {
    name: &'static str,
    class: &'static str,
    /// Module whose classes this one uses.
    extends: &'static str,
}

const MODULES: &[Module] = &[
    Module {
        name: "lang-painless",
        class: "org.opensearch.painless.PainlessModulePlugin",
        extends: "",
    },
    Module {
        name: "analysis-common",
        class: "org.opensearch.analysis.common.CommonAnalysisModulePlugin",
        extends: "lang-painless",
    },
    Module {
        name: "reindex",
        class: "org.opensearch.index.reindex.ReindexModulePlugin",
        extends: "",
    },
];

/// TLS and users, in servers with `--security`.
pub(super) const SECURITY: &str = "opensearch-security";

/// A required part of the security plugin that the repository does not have. Only the management of
/// workloads uses it.
const UNAVAILABLE: &str = "rule-framework";

/// The folder of a server with or without the security plugin; made first if it does not exist or
/// was made from other artifacts.
pub(super) fn assemble(
    folder: &Folder,
    java: &Path,
    security: bool,
    is_in_use: bool,
) -> Result<PathBuf> {
    let home = folder.servers().join(if security { "secure" } else { "plain" });
    let artifacts: Vec<&Artifact> =
        ARTIFACTS.iter().filter(|artifact| security || artifact.part != SECURITY).collect();
    let stamp: String = artifacts.iter().map(|artifact| artifact.stamp()).collect();
    if std::fs::read_to_string(home.join(STAMP)).is_ok_and(|text| text == stamp) {
        return Ok(home);
    }
    if is_in_use {
        bail!(
            "the running nodes use other files of OpenSearch\n\
             hint: cargo xtask opensearch stop{}",
            folder.argument()
        );
    }
    fetch(&artifacts, &folder.artifacts())?;
    report(&format!("unpacking OpenSearch {VERSION}"));
    let part = folder.servers().join("part");
    for old in [&part, &home] {
        if old.exists() {
            std::fs::remove_dir_all(old)?;
        }
    }
    let made = part.join(format!("opensearch-{VERSION}"));
    for artifact in artifacts {
        let file = folder.artifacts().join(artifact.file_name());
        if artifact.part == "server" {
            unpack(&file, &part, java)?;
            continue;
        }
        let is_module = MODULES.iter().any(|module| module.name == artifact.part);
        let target = made.join(if is_module { "modules" } else { "plugins" }).join(artifact.part);
        std::fs::create_dir_all(&target)?;
        if artifact.kind == "zip" {
            unpack(&file, &target, java)?;
        } else {
            std::fs::copy(&file, target.join(artifact.file_name()))?;
        }
    }
    for module in MODULES {
        let file = made.join("modules").join(module.name).join("plugin-descriptor.properties");
        std::fs::write(file, description(module))?;
    }
    if security {
        let file = made.join("plugins").join(SECURITY).join("plugin-descriptor.properties");
        let text = std::fs::read_to_string(&file)?;
        std::fs::write(&file, with_optional(&text, UNAVAILABLE))?;
    }
    // The user of the nodes reads the files and changes none.
    call(Command::new("chmod").args(["-R", "u=rwX,go=rX"]).arg(&made))?;
    for entry in std::fs::read_dir(made.join("bin"))? {
        std::fs::set_permissions(entry?.path(), std::fs::Permissions::from_mode(0o755))?;
    }
    std::fs::write(made.join(STAMP), stamp)?;
    std::fs::rename(made, &home)?;
    std::fs::remove_dir_all(part)?;
    Ok(home)
}

/// Folder of the configuration that the security plugin brings along.
pub(super) fn security_plugin(home: &Path) -> PathBuf {
    home.join("plugins").join(SECURITY)
}

/// Unpacks a ZIP archive with `unzip`, or with `jar` of a development kit.
fn unpack(archive: &Path, folder: &Path, java: &Path) -> Result<()> {
    std::fs::create_dir_all(folder)?;
    let mut unzip = Command::new("unzip");
    unzip.args(["-q", "-o"]).arg(archive).arg("-d").arg(folder);
    let jar = java.join("bin/jar");
    let status = match unzip.status() {
        Err(_) if jar.exists() => {
            Command::new(jar).arg("xf").arg(archive).current_dir(folder).status()
        }
        other => other,
    };
    let status = status.context(
        "could not start `unzip`, and this Java has no `jar`\nhint: apt-get install --yes unzip",
    )?;
    if !status.success() {
        bail!("could not unpack `{}`: {status}", archive.display());
    }
    Ok(())
}

/// The description of a module in the form of OpenSearch.
fn description(module: &Module) -> String {
    let Module { name, class, extends } = module;
    format!(
        "name={name}\ndescription={name}\nversion={VERSION}\nopensearch.version={VERSION}\n\
         java.version=21\nclassname={class}\nextended.plugins={extends}\n\
         custom.foldername=\nhas.native.controller=false\n"
    )
}

/// A description in which a required plugin is optional.
fn with_optional(description: &str, plugin: &str) -> String {
    let line = |line: &str| match line.strip_prefix("extended.plugins=") {
        Some(names) => {
            let names = names.split(',').map(|name| {
                if name == plugin { format!("{name};optional=true") } else { name.to_owned() }
            });
            format!("extended.plugins={}\n", names.collect::<Vec<_>>().join(","))
        }
        None => format!("{line}\n"),
    };
    description.lines().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_artifact_has_a_place() {
        let parts = ["server", "opensearch-knn", SECURITY];
        for artifact in ARTIFACTS {
            let is_module = MODULES.iter().any(|module| module.name == artifact.part);
            assert!(is_module || parts.contains(&artifact.part), "{}", artifact.file_name());
        }
        for module in MODULES {
            let has_jar = |artifact: &Artifact| artifact.part == module.name;
            assert!(ARTIFACTS.iter().any(has_jar), "{}", module.name);
        }
    }

    #[test]
    fn modules_have_a_description() {
        let text = description(&MODULES[1]);
        assert!(text.contains("\nclassname=org.opensearch.analysis.common."), "{text}");
        assert!(text.contains("\nextended.plugins=lang-painless\n"), "{text}");
    }

    #[test]
    fn required_plugins_become_optional() {
        let text = "name=x\nextended.plugins=a;optional=true,rule-framework\nversion=1\n";
        let expected =
            "name=x\nextended.plugins=a;optional=true,rule-framework;optional=true\nversion=1\n";
        assert_eq!(with_optional(text, UNAVAILABLE), expected);
        assert_eq!(with_optional(expected, UNAVAILABLE), expected);
    }
}
