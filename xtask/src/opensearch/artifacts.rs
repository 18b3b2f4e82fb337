//! The files of OpenSearch that are downloaded from Maven Central, and their download.

use std::{
    io::ErrorKind,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, Result, bail};

use super::report;

/// Version of OpenSearch.
pub(crate) const VERSION: &str = "3.4.0";

/// The repository that has all artifacts.
const REPOSITORY: &str = "https://repo1.maven.org/maven2";

/// The goal of Maven that copies the dependencies of a project.
const MAVEN_GOAL: &str = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies";

/// A file of the repository.
#[derive(Debug)]
pub(super) struct Artifact {
    /// Part of the server that contains the file: `server` itself, a module or a plugin.
    pub(super) part: &'static str,
    group: &'static str,
    name: &'static str,
    version: &'static str,
    /// Extension of the file.
    pub(super) kind: &'static str,
    /// SHA-256 of the content.
    sha256: &'static str,
}

/// All artifacts. The repository has a SHA-1 beside each of them, but none beside k-NN, so the table
/// contains the SHA-256 of each content. All others had the published SHA-1 when they were added.
#[rustfmt::skip]
pub(super) const ARTIFACTS: &[Artifact] = &[
    row("server", "org.opensearch.distribution.integ-test-zip", "opensearch", VERSION, "zip", "6540e95fe8bfaedc3eb1c58e829912ea2203af2ac1f88f76411c20a2fc5254a6"),
    row("lang-painless", "org.opensearch.plugin", "lang-painless", VERSION, "jar", "2c6d2f22ef905744ce4681d8c06127f7b5f78da69da7a5d6dfa6cb16304e4813"),
    row("lang-painless", "org.opensearch.plugin", "opensearch-scripting-painless-spi", VERSION, "jar", "f35b1a391cdaee81bf419fa844fa5c52d71ba04b37952e15c5403d1b81c1a080"),
    row("lang-painless", "org.antlr", "antlr4-runtime", "4.13.1", "jar", "54665d2838cc66458343468efc539e454fc95b46a8a04b13c6ac43fc9be63505"),
    row("lang-painless", "org.ow2.asm", "asm", "9.7", "jar", "adf46d5e34940bdf148ecdd26a9ee8eea94496a72034ff7141066b3eea5c4e9d"),
    row("lang-painless", "org.ow2.asm", "asm-analysis", "9.7", "jar", "7bc6bcbc21379948a0c8c467fb0f864206e5b818f6bc0b546872f5c9f941556f"),
    row("lang-painless", "org.ow2.asm", "asm-commons", "9.7", "jar", "389bc247958e049fc9a0408d398c92c6d370c18035120395d4cba1d9d9304b7a"),
    row("lang-painless", "org.ow2.asm", "asm-tree", "9.7", "jar", "62f4b3bc436045c1acb5c3ba2d8ec556ec3369093d7f5d06c747eb04b56d52b1"),
    row("lang-painless", "org.ow2.asm", "asm-util", "9.7", "jar", "37a6414d36641973f1af104937c95d6d921b2ddb4d612c66c5a9f2b13fc14211"),
    row("analysis-common", "org.opensearch.plugin", "analysis-common", VERSION, "jar", "4c2207ac94d242f35a0d83576c79744b8bbbc6142ef253f9ca81163e1605a944"),
    row("reindex", "org.opensearch.plugin", "reindex-client", VERSION, "jar", "0e4566331c88272a8e86912c32675e0c2df0f5a0d4effb31ec5b2b426caa9056"),
    row("reindex", "org.opensearch.client", "opensearch-rest-client", VERSION, "jar", "53430109a9405d4aef0c563a1fbcf5b4877ce3e7c20466a6dbf63b0b6cfcbe8d"),
    row("reindex", "org.opensearch", "opensearch-ssl-config", VERSION, "jar", "368fb2111047c491ad253c8456106cf05bdf758bd455e7e4e295a944ce054d4a"),
    row("reindex", "org.apache.httpcomponents.client5", "httpclient5", "5.4.4", "jar", "3f8657eab91b7533e5cf232d4e268253c4ff9f99f1e4bcd67841618bed67f2de"),
    row("reindex", "org.apache.httpcomponents.core5", "httpcore5", "5.3.4", "jar", "f2b2fd7a0164e8c3120cd8437bc9fea439239e165c17262b3e907daa7e979f80"),
    row("opensearch-knn", "org.opensearch.plugin", "opensearch-knn", "3.4.0.0", "zip", "f6cc96677277521e0dacc82aa078f87df70032026c8c7059623467a4141cfd2f"),
    row("opensearch-security", "org.opensearch.plugin", "opensearch-security", "3.4.0.0", "zip", "fc164c084979f7f793d295b6bca56bf8bee76dafb762adef9f14fa872e0a7596"),
    // The archive of the plugin lacks it: every request to an index would fail.
    row("opensearch-security", "org.apache.commons", "commons-collections4", "4.5.0", "jar", "00f93263c267be201b8ae521b44a7137271b16688435340bf629db1bac0a5845"),
];

const fn row(
    part: &'static str,
    group: &'static str,
    name: &'static str,
    version: &'static str,
    kind: &'static str,
    sha256: &'static str,
) -> Artifact {
    Artifact { part, group, name, version, kind, sha256 }
}

impl Artifact {
    /// Name of the file, here and in the repository.
    pub(super) fn file_name(&self) -> String {
        format!("{}-{}.{}", self.name, self.version, self.kind)
    }

    fn url(&self) -> String {
        let Artifact { group, name, version, .. } = self;
        format!("{REPOSITORY}/{}/{name}/{version}/{}", group.replace('.', "/"), self.file_name())
    }

    /// Text that changes with the content.
    pub(super) fn stamp(&self) -> String {
        format!("{}/{} {}\n", self.part, self.file_name(), self.sha256)
    }
}

/// Downloads the artifacts that the folder does not have, with Maven or else with `curl`.
pub(super) fn fetch(artifacts: &[&Artifact], folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder)?;
    let mut missing = Vec::new();
    for artifact in artifacts {
        let path = folder.join(artifact.file_name());
        if !path.exists() {
            missing.push(*artifact);
        } else if sha256(&path)? != artifact.sha256 {
            std::fs::remove_file(&path)?;
            missing.push(*artifact);
        }
    }
    if missing.is_empty() {
        return Ok(());
    }
    report(&format!("downloading OpenSearch {VERSION} (files: {})", missing.len()));
    let part = folder.join("part");
    if part.exists() {
        std::fs::remove_dir_all(&part)?;
    }
    std::fs::create_dir_all(&part)?;
    // Maven uses the mirrors and the proxy of the user's settings.
    if let Err(error) = fetch_with_maven(&missing, &part) {
        report(&format!("Maven is not used: {error:#}"));
    }
    for artifact in missing {
        let file = part.join(artifact.file_name());
        if !file.exists() {
            fetch_with_curl(artifact, &file)?;
        }
        let sum = sha256(&file)?;
        if sum != artifact.sha256 {
            bail!(
                "`{}` has the SHA-256 {sum} instead of {}: it was changed or is incomplete",
                artifact.url(),
                artifact.sha256
            );
        }
        std::fs::rename(&file, folder.join(artifact.file_name()))?;
    }
    std::fs::remove_dir_all(&part)?;
    Ok(())
}

/// Lets Maven copy the artifacts into a folder; does nothing if it is not installed.
fn fetch_with_maven(artifacts: &[&Artifact], folder: &Path) -> Result<()> {
    let project = folder.join("pom.xml");
    std::fs::write(&project, maven_project(artifacts))?;
    let output = Command::new("mvn")
        .args(["--batch-mode", "--quiet", "--file"])
        .arg(&project)
        .arg(MAVEN_GOAL)
        .arg(format!("-DoutputDirectory={}", folder.display()))
        .output();
    let output = match output {
        Ok(output) => output,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error).context("could not start `mvn`"),
    };
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stdout);
        bail!("`mvn` failed: {}", text.lines().find(|line| line.contains("ERROR")).unwrap_or(""));
    }
    Ok(())
}

/// A project of Maven with the artifacts as dependencies, and without their own dependencies.
fn maven_project(artifacts: &[&Artifact]) -> String {
    let start = "<project xmlns=\"http://maven.apache.org/POM/4.0.0\">\n\
                    <modelVersion>4.0.0</modelVersion>\n\
                    <groupId>lorehound</groupId><artifactId>opensearch</artifactId>\
                    <version>1</version><packaging>pom</packaging>\n<dependencies>\n";
    let dependency = |Artifact { group, name, version, kind, .. }: &&Artifact| {
        format!(
            "<dependency><groupId>{group}</groupId><artifactId>{name}</artifactId>\
             <version>{version}</version><type>{kind}</type><exclusions><exclusion>\
             <groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions></dependency>\n"
        )
    };
    let dependencies: Vec<_> = artifacts.iter().map(dependency).collect();
    format!("{start}{}</dependencies>\n</project>\n", dependencies.concat())
}

fn fetch_with_curl(artifact: &Artifact, file: &Path) -> Result<()> {
    let part: PathBuf = file.with_extension("part");
    let mut curl = Command::new("curl");
    curl.args(["--fail", "--silent", "--show-error", "--location", "--retry", "3", "--output"]);
    crate::clients::call(curl.arg(&part).arg(artifact.url()))?;
    std::fs::rename(part, file)?;
    Ok(())
}

/// SHA-256 of a file.
fn sha256(file: &Path) -> Result<String> {
    let output =
        Command::new("sha256sum").arg(file).output().context("could not start `sha256sum`")?;
    let text = String::from_utf8_lossy(&output.stdout);
    // A name with special characters has a backslash in front of the sum.
    let sum = text.split_whitespace().next().map(|sum| sum.trim_start_matches('\\').to_owned());
    sum.with_context(|| format!("`sha256sum` could not read `{}`", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_an_address_a_sum_and_a_name_of_their_own() {
        let mut names: Vec<_> = ARTIFACTS.iter().map(Artifact::file_name).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), ARTIFACTS.len());
        for artifact in ARTIFACTS {
            assert_eq!(artifact.sha256.len(), 64, "{}", artifact.name);
        }
        assert_eq!(
            ARTIFACTS[0].url(),
            format!(
                "{REPOSITORY}/org/opensearch/distribution/integ-test-zip/opensearch/{VERSION}/\
                 opensearch-{VERSION}.zip"
            )
        );
    }

    #[test]
    fn projects_of_maven_have_one_dependency_for_each_artifact() {
        let project = maven_project(&ARTIFACTS.iter().collect::<Vec<_>>());
        assert_eq!(project.matches("<dependency>").count(), ARTIFACTS.len());
        assert!(project.contains(
            "<groupId>org.antlr</groupId><artifactId>antlr4-runtime</artifactId>\
             <version>4.13.1</version><type>jar</type>"
        ));
    }

    #[test]
    fn sums_are_those_of_the_content() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("empty");
        std::fs::write(&file, "").unwrap();
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(sha256(&file).unwrap(), empty);
        assert!(sha256(&folder.path().join("missing")).is_err());
    }
}
