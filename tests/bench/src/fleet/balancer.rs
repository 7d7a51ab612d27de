//! The balancer of a fleet: HAProxy, as its package installs it and with the configuration that operators are shipped.

use std::env;
use std::fs;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use portolan_tests::build::workspace;
use portolan_tests::chain;
use portolan_tests::gateway::Gateway;
use portolan_tests::wait;
use tempfile::TempDir;

const START_WITHIN: Duration = Duration::from_secs(10);
/// Where packages put programs of servers, which is on no user's path.
const SERVERS: &str = "/usr/sbin";
/// The balancer's configuration that operators are shipped.
const SHIPPED_BALANCER: &str = "examples/deploy/compose/haproxy.cfg";
/// The parts of it that only containers have.
const OF_CONTAINERS: [&str; 2] =
    [" resolvers docker init-addr none", "resolvers docker\n    nameserver dns 127.0.0.11:53\n    hold valid 5s\n"];

/// HAProxy with the configuration that operators are shipped, but for names and ports; ends with the value.
#[derive(Debug)]
pub(super) struct Balancer {
    pub(super) base: SocketAddr,
    process: Child,
    _folder: TempDir,
}

impl Balancer {
    /// Stands before these gateways, of which the shipped configuration has three.
    pub(super) fn before(gateways: &[&Gateway]) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let base = free_port()?;
        let file = folder.path().join("haproxy.cfg");
        fs::write(&file, configuration(gateways, [base, free_port()?, free_port()?])?)?;
        let mut command = Command::new("haproxy");
        let path = env::var("PATH").unwrap_or_default();
        command.env("PATH", format!("{path}:{SERVERS}")).arg("-db").arg("-f").arg(&file);
        let process = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let balancer =
            Self { base, process: process.context("haproxy, which a package of Debian installs")?, _folder: folder };
        wait::until("the balancer", START_WITHIN, || TcpStream::connect(base)).map(drop)?;
        Ok(balancer)
    }
}

impl Drop for Balancer {
    fn drop(&mut self) {
        chain::end(&mut self.process);
    }
}

/// The shipped configuration with the addresses of these gateways, and its own at these.
fn configuration(gateways: &[&Gateway], own: [SocketAddr; 3]) -> Result<String> {
    let mut text = fs::read_to_string(workspace().join(SHIPPED_BALANCER))?;
    let mut exchange = |from: &str, to: &str| {
        ensure!(text.contains(from), "{SHIPPED_BALANCER} has no {from:?}");
        text = text.replace(from, to);
        Ok(())
    };
    for part in OF_CONTAINERS {
        exchange(part, "")?;
    }
    for (port, address) in ["8080", "8081", "8404"].iter().zip(own) {
        exchange(&format!("bind :{port}\n"), &format!("bind {address}\n"))?;
    }
    exchange("http-check connect port 9090", "http-check connect")?;
    for number in 1..=3_usize {
        let [base, claimables] = ["8080", "8081"].map(|port| format!("portolan-{number}:{port}"));
        match gateways.get(number - 1) {
            Some(gateway) => {
                exchange(&base, &format!("{} check port {}", gateway.base, gateway.operators.port()))?;
                exchange(&claimables, &gateway.claimables.to_string())?;
            }
            None => {
                exchange(&format!("    server portolan-{number} {base}\n"), "")?;
                exchange(&format!("    server portolan-{number} {claimables} track base/portolan-{number}\n"), "")?;
            }
        }
    }
    Ok(text)
}

/// An address at which nothing listens at this moment.
pub(super) fn free_port() -> Result<SocketAddr> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?)
}
