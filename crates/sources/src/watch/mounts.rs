//! Detects file systems that do not report all changes: those that other machines, or another
//! system on this one, write to.

use std::path::{Path, PathBuf};

/// File systems by their Linux names: over a network, of a host system (shared folders of virtual
/// machines, the Windows drives of WSL), and implemented by a program.
const UNWATCHABLE: &[&str] = &[
    "9p",
    "afs",
    "ceph",
    "cifs",
    "drvfs",
    "fuse",
    "fuseblk",
    "glusterfs",
    "lustre",
    "ncpfs",
    "nfs",
    "nfs4",
    "prl_fs",
    "smb3",
    "smbfs",
    "vboxsf",
    "virtiofs",
    "vmhgfs",
];

/// Start of the names of file systems that a program implements.
const FUSE: &str = "fuse.";

/// Returns a file system with files of the tree at a canonical root that does not report all
/// changes: its folder and its kind. `None` if there is none, or if that is unknown, as on systems
/// other than Linux.
pub(super) fn unwatchable(root: &Path) -> Option<(PathBuf, String)> {
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").ok()?;
    unwatchable_in(&mounts, root)
}

/// Like [`unwatchable`], given the kernel's list of mounts.
fn unwatchable_in(mounts: &str, root: &Path) -> Option<(PathBuf, String)> {
    let is_unwatchable = |kind: &str| UNWATCHABLE.contains(&kind) || kind.starts_with(FUSE);
    let mut around: Option<(String, &str)> = None;
    for line in mounts.lines() {
        // 36 35 98:0 /subtree /mount/point options… - kind source options
        let Some((front, back)) = line.split_once(" - ") else { continue };
        let Some(point) = front.split(' ').nth(4).map(unescaped) else { continue };
        let Some(kind) = back.split(' ').next() else { continue };
        // Of two mounts at one path, the later one is visible.
        if root.starts_with(&point)
            && around.as_ref().is_none_or(|(known, _)| known.len() <= point.len())
        {
            around = Some((point, kind));
        } else if Path::new(&point).starts_with(root) && is_unwatchable(kind) {
            return Some((PathBuf::from(point), kind.to_owned()));
        }
    }
    let (_, kind) = around.filter(|(_, kind)| is_unwatchable(kind))?;
    Some((root.to_owned(), kind.to_owned()))
}

/// Decodes a mount point: the kernel writes spaces and similar characters as octal escapes.
fn unescaped(text: &str) -> String {
    let mut plain = text.to_owned();
    for (octal, character) in [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")] {
        plain = plain.replace(octal, character);
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_mount_and_those_inside_decide() {
        let mounts = "\
21 1 0:19 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
40 21 0:33 / /home rw,relatime - nfs4 server:/home rw
41 40 0:34 / /home/me/my\\040disk rw,relatime - ext4 /dev/sdb1 rw
42 21 0:35 / /srv/tree/data rw,relatime - fuse.sshfs other:/ rw
";
        let check = |path: &str| {
            let found = unwatchable_in(mounts, Path::new(path));
            found.map(|(path, kind)| format!("{} {kind}", path.display()))
        };
        assert_eq!(check("/src/tree"), None);
        assert_eq!(check("/home/me/tree").as_deref(), Some("/home/me/tree nfs4"));
        assert_eq!(check("/homely"), None);
        assert_eq!(check("/home/me/my disk/tree"), None);
        assert_eq!(check("/srv/tree").as_deref(), Some("/srv/tree/data fuse.sshfs"));
        assert_eq!(check("/srv/tree/data/x").as_deref(), Some("/srv/tree/data/x fuse.sshfs"));
        assert_eq!(check("/srv/other"), None);
    }
}
