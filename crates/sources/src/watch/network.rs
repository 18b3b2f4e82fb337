//! Detects folders on network file systems, where processes of other machines change files without
//! local events.

use std::path::Path;

/// Network file systems, by their Linux names.
const OVER_A_NETWORK: &[&str] = &[
    "9p",
    "afs",
    "ceph",
    "cifs",
    "fuse.glusterfs",
    "fuse.rclone",
    "fuse.s3fs",
    "fuse.sshfs",
    "glusterfs",
    "lustre",
    "ncpfs",
    "nfs",
    "nfs4",
    "smb3",
    "smbfs",
];

/// Returns the file system of a canonical path if it is a network one. `None` if that is unknown,
/// as on systems other than Linux.
pub(super) fn file_system_of(path: &Path) -> Option<&'static str> {
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").ok()?;
    kind_in(&mounts, path)
}

/// Like [`file_system_of`], given the kernel's list of mounts.
fn kind_in(mounts: &str, path: &Path) -> Option<&'static str> {
    let mut longest = None;
    for line in mounts.lines() {
        // 36 35 98:0 /subtree /mount/point options… - kind source options
        let (front, back) = line.split_once(" - ")?;
        let point = unescaped(front.split(' ').nth(4)?);
        let kind = back.split(' ').next()?;
        let length = point.len();
        // Of two mounts at one path, the later one is visible.
        if path.starts_with(&point) && longest.is_none_or(|(known, _)| known <= length) {
            longest = Some((length, kind));
        }
    }
    let (_, kind) = longest?;
    OVER_A_NETWORK.iter().find(|name| **name == kind).copied()
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
    fn the_innermost_mount_decides() {
        let mounts = "\
21 1 0:19 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
40 21 0:33 / /home rw,relatime - nfs4 server:/home rw
41 40 0:34 / /home/me/my\\040disk rw,relatime - ext4 /dev/sdb1 rw
";
        let check = |path: &str| kind_in(mounts, Path::new(path));
        assert_eq!(check("/src/tree"), None);
        assert_eq!(check("/home/me/tree"), Some("nfs4"));
        assert_eq!(check("/homely"), None);
        assert_eq!(check("/home/me/my disk/tree"), None);
    }
}
