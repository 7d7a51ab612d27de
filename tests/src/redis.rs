//! A Redis of a test: the real `redis-server` at a socket of its own, without a port unless it needs one; also as a
//! sentinel.

use std::fs;
use std::io::ErrorKind;
use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::{chain, wait};

const START_WITHIN: Duration = Duration::from_secs(20);
const PORTS_TRIED: u32 = 5;
const FILE: &str = "redis.conf";

/// The server; ends with the value.
#[derive(Debug)]
pub struct Redis {
    process: Child,
    settings: Vec<String>,
    folder: TempDir,
    port: u16,
}

impl Redis {
    /// Starts a server with further arguments, and waits until it answers; `None` if it is not installed.
    ///
    /// # Errors
    /// Where it is installed and does not answer.
    pub fn start(settings: &[&str]) -> Result<Option<Self>> {
        Self::start_at(0, settings)
    }

    /// Starts one that can also be reached at a port of loopback.
    ///
    /// # Errors
    /// Where it is installed and does not answer.
    pub fn start_with_port(settings: &[&str]) -> Result<Option<Self>> {
        let mut tried = 0;
        loop {
            // Another process may take the port meanwhile.
            tried += 1;
            match Self::start_at(free_port()?, settings) {
                Err(_) if tried < PORTS_TRIED => {}
                started => return started,
            }
        }
    }

    /// Starts a sentinel.
    ///
    /// # Errors
    /// Where it is installed and does not answer.
    pub fn start_sentinel(settings: &[&str]) -> Result<Option<Self>> {
        Self::start_with_port(&[&["--sentinel"], settings].concat())
    }

    fn start_at(port: u16, settings: &[&str]) -> Result<Option<Self>> {
        let folder = tempfile::tempdir()?;
        // A sentinel writes what it knows.
        fs::write(folder.path().join(FILE), "")?;
        let settings: Vec<String> = settings.iter().map(|own| (*own).to_owned()).collect();
        let process = match server(&folder, port, &settings).spawn() {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            started => started.context("redis-server")?,
        };
        let mut redis = Self { process, settings, folder, port };
        redis.is_up()?;
        Ok(Some(redis))
    }

    /// Its port; 0 if it has none.
    pub fn port(&self) -> u16 {
        self.port
    }

    pub fn url(&self) -> String {
        format!("redis+unix://{}", socket(&self.folder).display())
    }

    /// Its process, by its id.
    pub fn process(&self) -> u32 {
        self.process.id()
    }

    /// Sends it a signal.
    ///
    /// # Errors
    /// Where it has ended.
    pub fn signal(&self, signal: Signal) -> Result<()> {
        let id = Pid::from_raw(i32::try_from(self.process.id())?).context("process id 0")?;
        Ok(kill_process(id, signal)?)
    }

    pub fn kill(&mut self) {
        chain::end(&mut self.process);
    }

    /// Starts it again, empty, after it was killed.
    ///
    /// # Errors
    /// Where it does not answer.
    pub fn restart(&mut self) -> Result<()> {
        self.process = server(&self.folder, self.port, &self.settings).spawn().context("redis-server")?;
        self.is_up()
    }

    /// Runs a command on it, and returns what it answers.
    ///
    /// # Errors
    /// Where it refuses the command.
    pub fn command(&self, args: &[&str]) -> Result<String> {
        let mut command = Command::new("redis-cli");
        let done = command.arg("-e").arg("-s").arg(socket(&self.folder)).args(args).output().context("redis-cli")?;
        let said = String::from_utf8_lossy(&done.stdout).into_owned();
        ensure!(done.status.success(), "{args:?}: {said}{}", String::from_utf8_lossy(&done.stderr));
        Ok(said)
    }

    fn is_linked(&self) -> Result<()> {
        let info = self.command(&["INFO", "replication"])?;
        ensure!(info.contains("master_link_status:up"), "{info}");
        Ok(())
    }

    fn is_up(&mut self) -> Result<()> {
        let answers = || {
            if let Some(status) = self.process.try_wait()? {
                return Ok(Err(format!("redis-server has ended: {status}")));
            }
            // One with a password answers that it needs it.
            match self.command(&["PING"]) {
                Err(error) if !format!("{error:#}").contains("NOAUTH") => bail!(error),
                _ => Ok(Ok(())),
            }
        };
        let (up, _) = wait::until("redis-server", START_WITHIN, answers)?;
        up.map_err(anyhow::Error::msg)
    }
}

/// A primary, its replica, and a sentinel that makes the replica the primary once the primary does not answer.
#[derive(Debug)]
pub struct RedisGroup {
    pub primary: Redis,
    pub replica: Redis,
    pub sentinel: Redis,
}

impl RedisGroup {
    /// The name of the primary.
    pub const NAME: &str = "main";

    /// Starts them, and waits until the sentinel knows the replica; `None` if Redis is not installed.
    ///
    /// # Errors
    /// Where one of them does not answer.
    pub fn start() -> Result<Option<Self>> {
        let Some(primary) = Redis::start_with_port(&[])? else { return Ok(None) };
        let port = primary.port().to_string();
        let replica = Redis::start_with_port(&["--replicaof", "127.0.0.1", &port])?.context("no second server")?;
        let sentinel = Redis::start_sentinel(&[])?.context("no sentinel")?;
        // What the sentinel sees first holds for ten seconds.
        wait::until("the replica", START_WITHIN, || replica.is_linked())?;
        sentinel.command(&["SENTINEL", "MONITOR", Self::NAME, "127.0.0.1", &port, "1"])?;
        for (name, value) in [("down-after-milliseconds", "500"), ("failover-timeout", "5000")] {
            sentinel.command(&["SENTINEL", "SET", Self::NAME, name, value])?;
        }
        let knows = || {
            let replicas = sentinel.command(&["SENTINEL", "REPLICAS", Self::NAME])?;
            let is_linked = replicas.contains("master-link-status\nok");
            ensure!(is_linked, "the sentinel does not know the replica: {replicas}");
            Ok::<_, anyhow::Error>(())
        };
        wait::until("the replica", START_WITHIN, knows)?;
        Ok(Some(Self { primary, replica, sentinel }))
    }
}

/// A cluster of three primaries, the first of which has a replica.
#[derive(Debug)]
pub struct RedisCluster {
    pub primaries: Vec<Redis>,
    pub replica: Redis,
}

impl RedisCluster {
    /// Starts the nodes, and waits until the cluster is whole; `None` if Redis is not installed.
    ///
    /// # Errors
    /// Where it does not become whole.
    pub fn start() -> Result<Option<Self>> {
        const SLOTS: [[&str; 2]; 3] = [["0", "5460"], ["5461", "10922"], ["10923", "16383"]];
        let node = || {
            // The default, ten thousand above the port, may be too high.
            let bus = free_port()?.to_string();
            let settings = ["--cluster-enabled", "yes", "--cluster-node-timeout", "1000", "--cluster-port", &bus];
            Ok::<_, anyhow::Error>(Redis::start_with_port(&settings)?.map(|node| (node, bus)))
        };
        let Some((first, bus)) = node()? else { return Ok(None) };
        let port = first.port().to_string();
        let further = || -> Result<Redis> {
            let (other, _) = node()?.context("no further server")?;
            other.command(&["CLUSTER", "MEET", "127.0.0.1", &port, &bus])?;
            Ok(other)
        };
        let (second, third, replica) = (further()?, further()?, further()?);
        let cluster = Self { primaries: vec![first, second, third], replica };
        for (node, [first, last]) in cluster.primaries.iter().zip(SLOTS) {
            node.command(&["CLUSTER", "ADDSLOTSRANGE", first, last])?;
        }
        let first = cluster.primaries[0].command(&["CLUSTER", "MYID"])?;
        let joins = || cluster.replica.command(&["CLUSTER", "REPLICATE", first.trim()]);
        wait::until("the replica", START_WITHIN, joins)?;
        let is_whole = || {
            for node in cluster.primaries.iter().chain([&cluster.replica]) {
                let info = node.command(&["CLUSTER", "INFO"])?;
                let is_whole = ["cluster_state:ok", "cluster_known_nodes:4", "cluster_size:3"];
                ensure!(is_whole.iter().all(|line| info.contains(line)), "{info}");
                let nodes = node.command(&["CLUSTER", "NODES"])?;
                ensure!(nodes.contains("slave"), "{nodes}");
            }
            cluster.replica.is_linked()
        };
        wait::until("the cluster", START_WITHIN, is_whole)?;
        Ok(Some(cluster))
    }

    /// Waits until the replica has so many keys.
    ///
    /// # Errors
    /// Where it never has them.
    pub fn replica_has(&self, keys: u64) -> Result<()> {
        let has = || {
            let size = self.replica.command(&["DBSIZE"])?;
            ensure!(size.trim() == keys.to_string(), "{size} of {keys}");
            Ok::<_, anyhow::Error>(())
        };
        wait::until("the replica's keys", START_WITHIN, has).map(drop)
    }
}

fn free_port() -> Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}

impl Drop for Redis {
    fn drop(&mut self) {
        self.kill();
    }
}

fn socket(folder: &TempDir) -> PathBuf {
    folder.path().join("socket")
}

fn server(folder: &TempDir, port: u16, settings: &[String]) -> Command {
    let mut command = Command::new("redis-server");
    command.arg(folder.path().join(FILE)).args(["--bind", "127.0.0.1", "--port", &port.to_string()]);
    // A replica does not wait for others that may come.
    command.args(["--repl-diskless-sync-delay", "0"]);
    command.args(["--save", "", "--appendonly", "no", "--daemonize", "no", "--unixsocket"]);
    command.arg(socket(folder)).arg("--dir").arg(folder.path()).args(settings);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}
