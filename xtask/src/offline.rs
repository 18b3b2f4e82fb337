//! Runs a command in a network namespace with this machine only, and counts attempts to send
//! elsewhere: an independent check that nothing leaves the machine.
//!
//! Linux only. Needs `unshare` of util-linux, `ip` or `ifconfig`, and a kernel that lets users
//! create namespaces. The namespace has a loopback device and no route, so a packet to another
//! machine fails at once, and the kernel counts it even if the program ignores the error.

use std::{
    fs,
    io::ErrorKind,
    net::{TcpListener, TcpStream, UdpSocket},
    process::Command,
    time::Duration,
};

use anyhow::{Context as _, Result, bail};

/// The command that runs inside the namespace.
pub(crate) const INSIDE: &str = "offline-inside";

/// Addresses for documentation (RFC 5737, RFC 3849), which no machine has.
const ELSEWHERE: [&str; 2] = ["192.0.2.1:443", "[2001:db8::1]:443"];

/// Creates the namespace, and continues inside it.
pub(crate) fn run(command: &[String]) -> Result<()> {
    if !cfg!(target_os = "linux") {
        bail!("a network without a route is available on Linux only");
    }
    let this = std::env::current_exe()?;
    let status = Command::new("unshare")
        .args(["--user", "--map-root-user", "--net", "--"])
        .arg(this)
        .args([INSIDE, &id("-u")?, &id("-g")?])
        .args(command)
        .status()
        .context("could not start `unshare` of util-linux")?;
    if !status.success() {
        bail!("failed without a network: `{}`", command.join(" "));
    }
    Ok(())
}

/// Verifies that the namespace contains this machine only, and runs the user's command.
pub(crate) fn inside(arguments: &[String]) -> Result<()> {
    let [user, group, command @ ..] = arguments else { bail!("started by `cargo xtask offline`") };
    let [program, words @ ..] = command else { bail!("there is no command to run") };
    let up: [&[&str]; 2] = [&["ip", "link", "set", "lo", "up"], &["ifconfig", "lo", "up"]];
    let is_up = up.iter().any(|words| {
        Command::new(words[0]).args(&words[1..]).status().is_ok_and(|status| status.success())
    });
    if !is_up {
        bail!("could not start the loopback device: `ip` and `ifconfig` are missing or refused");
    }
    probe()?;
    println!("only this machine is reachable; running `{}`", command.join(" "));
    let before = packets_sent_elsewhere()?;
    // An ordinary user must stay one inside the namespace, or tests of permissions would fail.
    let mut call = if user == "0" {
        let mut call = Command::new(program);
        call.args(words);
        call
    } else {
        let mut call = Command::new("unshare");
        call.args(["--user", &format!("--map-user={user}"), &format!("--map-group={group}")]);
        call.args(["--", program]).args(words);
        call
    };
    let status = call.status().with_context(|| format!("could not start `{program}`"))?;
    let tried = packets_sent_elsewhere()? - before;
    if tried > 0 {
        bail!("{tried} packets were sent to other machines");
    }
    if !status.success() {
        bail!("failed: {status}");
    }
    println!("no packet was sent to another machine");
    Ok(())
}

/// Checks that other machines are unreachable, that each attempt is counted, and that this machine
/// is reachable.
fn probe() -> Result<()> {
    for address in ELSEWHERE {
        let address = address.parse()?;
        let before = packets_sent_elsewhere()?;
        let wait = Duration::from_secs(2);
        match TcpStream::connect_timeout(&address, wait) {
            Err(error) if error.kind() == ErrorKind::NetworkUnreachable => {}
            other => bail!("the network is not isolated: {address} returned {other:?}"),
        }
        if packets_sent_elsewhere()? == before {
            bail!(
                "the network is isolated, but attempts such as the one at {address} are not counted"
            );
        }
    }
    let socket = UdpSocket::bind("0.0.0.0:0")?;
    let before = packets_sent_elsewhere()?;
    if socket.send_to(b"probe", ELSEWHERE[0]).is_ok() {
        bail!("the network is not isolated: a datagram left");
    }
    if packets_sent_elsewhere()? == before {
        bail!("the network is isolated, but datagrams are not counted");
    }
    let listener = TcpListener::bind("127.0.0.1:0").context("this machine is not reachable")?;
    TcpStream::connect(listener.local_addr()?).context("this machine is not reachable")?;
    Ok(())
}

/// Number of packets without a route, from the kernel.
fn packets_sent_elsewhere() -> Result<u64> {
    let old = fs::read_to_string("/proc/self/net/snmp")?;
    let new = fs::read_to_string("/proc/self/net/snmp6").unwrap_or_default();
    let old = without_route(&old).context("the kernel does not count packets without a route")?;
    Ok(old + without_way_of_v6(&new).unwrap_or_default())
}

/// The column `OutNoRoutes` of the rows `Ip:`.
fn without_route(table: &str) -> Option<u64> {
    let mut rows = table.lines().filter_map(|line| line.strip_prefix("Ip: "));
    let (names, values) = (rows.next()?, rows.next()?);
    let place = names.split(' ').position(|name| name == "OutNoRoutes")?;
    values.split(' ').nth(place)?.parse().ok()
}

fn without_way_of_v6(table: &str) -> Option<u64> {
    let row = table.lines().find_map(|line| line.strip_prefix("Ip6OutNoRoutes"))?;
    row.trim().parse().ok()
}

/// The number of the user or of its group.
fn id(which: &str) -> Result<String> {
    let output = Command::new("id").arg(which).output().context("could not start `id`")?;
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_without_a_route_are_read_by_column_name() {
        let table =
            "Ip: Forwarding OutDiscards OutNoRoutes ReasmOKs\nIp: 1 7 3 9\nTcp: A\nTcp: 5\n";
        assert_eq!(without_route(table), Some(3));
        assert_eq!(without_route("Tcp: A\nTcp: 5\n"), None);
        assert_eq!(without_way_of_v6("Ip6InReceives  4\nIp6OutNoRoutes    2\n"), Some(2));
        assert_eq!(without_way_of_v6(""), None);
    }
}
