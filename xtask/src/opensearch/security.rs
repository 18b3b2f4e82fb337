//! Certificates and users of a cluster with the security plugin.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, Result, bail};

use super::{
    node::{create_private_folder, write_private},
    server::security_plugin,
    state::Folder,
};

/// Settings of every node. The first start copies the configuration files into the index of the
/// plugin. Paths are relative to the configuration.
pub(super) const SETTINGS: &str = "\
plugins.security.ssl.transport.pemcert_filepath: tls/node.pem
plugins.security.ssl.transport.pemkey_filepath: tls/node.key
plugins.security.ssl.transport.pemtrustedcas_filepath: tls/ca.pem
plugins.security.ssl.http.enabled: true
plugins.security.ssl.http.pemcert_filepath: tls/node.pem
plugins.security.ssl.http.pemkey_filepath: tls/node.key
plugins.security.ssl.http.pemtrustedcas_filepath: tls/ca.pem
plugins.security.nodes_dn: [\"CN=node,O=Lorehound tests\"]
plugins.security.authcz.admin_dn: [\"CN=admin,O=Lorehound tests\"]
plugins.security.allow_default_init_securityindex: true
plugins.security.restapi.roles_enabled: [\"all_access\"]
";

/// Users and their roles. `admin` may do everything, `reader` may read everything.
pub(super) const USERS: [(&str, &str); 2] =
    [("admin", "all_access"), ("reader", "readall_and_monitor")];

/// Kinds of certificates for `openssl`.
const KINDS: &str = "\
[req]
distinguished_name = subject
[subject]
[ca]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
[node]
basicConstraints = CA:FALSE
keyUsage = critical, digitalSignature, keyEncipherment
extendedKeyUsage = serverAuth, clientAuth
subjectAltName = IP:127.0.0.1, DNS:localhost
[admin]
basicConstraints = CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = clientAuth
";

/// Days for which certificates are valid.
const DAYS: &str = "365";

/// Basic authentication with the users of the plugin, and nothing else.
const AUTHENTICATION: &str = "\
_meta:
  type: config
  config_version: 2
config:
  dynamic:
    http:
      anonymous_auth_enabled: false
    authc:
      basic:
        http_enabled: true
        order: 0
        http_authenticator:
          type: basic
          challenge: true
        authentication_backend:
          type: intern
";

/// Files of the plugin that are used as they are.
const UNCHANGED: &[&str] = &[
    "action_groups.yml",
    "allowlist.yml",
    "audit.yml",
    "nodes_dn.yml",
    "roles.yml",
    "tenants.yml",
];

/// Certificate of the authority, for clients.
pub(super) fn authority(folder: &Folder) -> PathBuf {
    folder.security().join("ca.pem")
}

/// File with a line `USER:PASSWORD` for each user.
pub(super) fn credentials(folder: &Folder) -> PathBuf {
    folder.security().join("credentials")
}

/// Creates certificates and passwords, unless the cluster has them.
pub(super) fn prepare(folder: &Folder, home: &Path, java: &Path) -> Result<()> {
    let security = folder.security();
    if security.exists() {
        return Ok(());
    }
    // A folder with the right name is complete.
    let part = security.with_extension("part");
    if part.exists() {
        std::fs::remove_dir_all(&part)?;
    }
    create_private_folder(&part)?;
    create_certificates(&part)?;
    let hash = security_plugin(home).join("tools/hash.sh");
    let mut passwords = Vec::new();
    let mut users = vec![header("internalusers")];
    for (user, _) in USERS {
        let password = run(Command::new("openssl").args(["rand", "-hex", "16"]))?;
        let password = password.trim();
        // The environment, because other users can read the arguments of a process.
        let output = run(Command::new("bash")
            .arg(&hash)
            .args(["-env", "LORE_PASSWORD"])
            .env("LORE_PASSWORD", password)
            .env("OPENSEARCH_JAVA_HOME", java))?;
        let hash = output.lines().find(|line| line.starts_with("$2"));
        let hash = hash.context("`hash.sh` of the security plugin printed no hash")?;
        passwords.push(format!("{user}:{password}\n"));
        users.push(format!("{user}:\n  hash: \"{hash}\"\n"));
    }
    write_private(&part.join("internal_users.yml"), &users.concat())?;
    write_private(&part.join("roles_mapping.yml"), &roles_mapping())?;
    write_private(&part.join("config.yml"), AUTHENTICATION)?;
    write_private(&part.join("credentials"), &passwords.concat())?;
    Ok(std::fs::rename(part, security)?)
}

/// Copies the files that a node reads into its configuration.
pub(super) fn copy(folder: &Folder, home: &Path, config: &Path) -> Result<()> {
    let security = folder.security();
    let certificates = config.join("tls");
    create_private_folder(&certificates)?;
    for name in ["ca.pem", "node.pem", "node.key"] {
        copy_private(&security.join(name), &certificates.join(name))?;
    }
    let plugin = config.join("opensearch-security");
    create_private_folder(&plugin)?;
    for name in ["config.yml", "internal_users.yml", "roles_mapping.yml"] {
        copy_private(&security.join(name), &plugin.join(name))?;
    }
    for name in UNCHANGED {
        let shipped = security_plugin(home).join("config").join(name);
        copy_private(&shipped, &plugin.join(name))?;
    }
    Ok(())
}

/// A line `USER:PASSWORD` of the administrator.
pub(super) fn administrator(folder: &Folder) -> Result<String> {
    let path = credentials(folder);
    let text = std::fs::read_to_string(&path)
        .with_context(|| format!("could not read `{}`", path.display()))?;
    let line = text.lines().find(|line| line.starts_with("admin:"));
    Ok(line.with_context(|| format!("`{}` has no `admin`", path.display()))?.to_owned())
}

/// Creates an authority, and certificates of the nodes and of an administrator.
fn create_certificates(folder: &Path) -> Result<()> {
    write_private(&folder.join("kinds.cnf"), KINDS)?;
    let request = ["req", "-newkey", "rsa:2048", "-nodes", "-config", "kinds.cnf"];
    let subject = |name| format!("/O=Lorehound tests/CN={name}");
    let openssl = |words: &[&str]| run(Command::new("openssl").args(words).current_dir(folder));
    let authority = [
        &request[..],
        &["-x509", "-extensions", "ca", "-days", DAYS, "-subj", &subject("authority")],
        &["-keyout", "ca.key", "-out", "ca.pem"],
    ];
    openssl(&authority.concat())?;
    for name in ["node", "admin"] {
        let [key, signing, certificate] =
            ["key", "csr", "pem"].map(|extension| format!("{name}.{extension}"));
        let files = ["-subj", &subject(name), "-keyout", &key, "-out", &signing];
        openssl(&[&request[..], &files].concat())?;
        openssl(
            &[
                &["x509", "-req", "-days", DAYS, "-in", &signing, "-out", &certificate][..],
                &["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial"],
                &["-extfile", "kinds.cnf", "-extensions", name],
            ]
            .concat(),
        )?;
    }
    Ok(())
}

/// First lines of a file of the plugin.
fn header(kind: &str) -> String {
    format!("_meta:\n  type: {kind}\n  config_version: 2\n")
}

/// Roles of the users.
fn roles_mapping() -> String {
    let rows = USERS.iter().map(|(user, role)| format!("{role}:\n  users: [\"{user}\"]\n"));
    header("rolesmapping") + &rows.collect::<String>()
}

fn copy_private(from: &Path, to: &Path) -> Result<()> {
    let text = std::fs::read_to_string(from)
        .with_context(|| format!("could not read `{}`", from.display()))?;
    write_private(to, &text)
}

/// Standard output of a command that must succeed.
fn run(command: &mut Command) -> Result<String> {
    let program = command.get_program().display().to_string();
    let output = command.output().with_context(|| format!("could not start `{program}`"))?;
    if !output.status.success() {
        bail!("`{program}` failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8(output.stdout)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_have_roles() {
        let expected = "_meta:\n  type: rolesmapping\n  config_version: 2\n\
                        all_access:\n  users: [\"admin\"]\n\
                        readall_and_monitor:\n  users: [\"reader\"]\n";
        assert_eq!(roles_mapping(), expected);
    }

    #[test]
    fn certificates_of_nodes_are_for_this_machine() {
        let node = KINDS.split("[node]").nth(1).unwrap();
        assert!(node.contains("IP:127.0.0.1, DNS:localhost"), "{node}");
        assert!(SETTINGS.contains("CN=node,O=Lorehound tests"));
    }

    #[test]
    fn passwords_of_the_administrator_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let folder = Folder::new(None, folder.path()).unwrap();
        folder.create().unwrap();
        assert!(administrator(&folder).is_err());
        create_private_folder(&folder.security()).unwrap();
        write_private(&credentials(&folder), "reader:aa\nadmin:bb\n").unwrap();
        assert_eq!(administrator(&folder).unwrap(), "admin:bb");
    }
}
