//! One side of the benchmark as its driver sees it: a process that gets what to read, line by line.
//!
//! Invariant: an answer that the side could not verify is an error, never a figure.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use serde::Deserialize;

use super::meter::{Threads, median};
use super::node::Node;
use super::world::Prepared;
use portolan_tests::{build, chain, wait};

/// Longer than any answer takes.
const ANSWER_WITHIN: Duration = Duration::from_secs(120);
/// For the node to be idle after an answer.
const IDLE_WITHIN: Duration = Duration::from_secs(10);

/// The library that reads, and its way to do so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// `Session::read_set`: one read of many targets.
    Set,
    /// `Session::read`: reads one by one.
    General,
    ViemMulticall,
    ViemSingle,
    /// Balances on several networks, and what the tokens found are called.
    ViemAccount,
    /// `Session::simulate`, by `eth_simulateV1`.
    Simulation,
    /// The same where the endpoint has no such method: by a program at the account's own address.
    SimulationByOverride,
    /// `simulateContract`, claim by claim.
    ViemContract,
    /// `simulateBlocks`: one `eth_simulateV1`.
    ViemBlocks,
    Alloy,
}

impl Way {
    /// Returns its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Set => "set",
            Self::General => "general",
            Self::ViemMulticall => "multicall",
            Self::ViemSingle => "single",
            Self::ViemAccount => "account",
            Self::Simulation => "simulation",
            Self::SimulationByOverride => "override",
            Self::ViemContract => "contract",
            Self::ViemBlocks => "blocks",
            Self::Alloy => "alloy",
        }
    }
}

/// The reads that a side has to make.
#[derive(Clone, Copy, Debug)]
pub(super) struct Task<'a> {
    pub(super) url: &'a str,
    /// The account's place; each is read once in each way, so that nothing is kept from before.
    pub(super) account: usize,
    pub(super) count: usize,
    /// Calls in a request; what is alloy's user's to choose.
    pub(super) chunk: usize,
}

/// The cost of a side's answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cost {
    pub(super) wall_ms: f64,
    pub(super) cpu_ms: f64,
    pub(super) node_ms: f64,
}

impl Cost {
    /// The medians of each.
    pub(super) fn median(costs: &[Self]) -> Self {
        let of = |part: fn(&Self) -> f64| median(costs.iter().map(part));
        Self { wall_ms: of(|cost| cost.wall_ms), cpu_ms: of(|cost| cost.cpu_ms), node_ms: of(|cost| cost.node_ms) }
    }
}

/// A line that a side writes.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum SideReply {
    Cost { wall_ms: f64, cpu_ms: f64 },
    Error { error: String },
}

/// The process; ends with the value.
#[derive(Debug)]
pub(super) struct Peer {
    pub(super) way: Way,
    child: Child,
    commands: ChildStdin,
    lines: Receiver<String>,
}

impl Peer {
    pub(super) fn start(way: Way, prepared: &Prepared) -> Result<Self> {
        let mut command = match way {
            Way::Set | Way::General | Way::Simulation | Way::SimulationByOverride | Way::Alloy => {
                let mut command = Command::new(build::release_bin("portolan-bench", "side", "side")?);
                command.arg(way.name());
                command
            }
            Way::ViemMulticall | Way::ViemSingle | Way::ViemAccount | Way::ViemContract | Way::ViemBlocks => {
                let mut command = Command::new("node");
                command.arg(prepared.packages.join("viem.mjs")).arg(way.name());
                command
            }
        };
        let command = command.arg(&prepared.world).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().with_context(|| format!("cannot run {command:?}"))?;
        let (commands, stdout) = (child.stdin.take(), child.stdout.take());
        let (sender, lines) = channel();
        let stdout = BufReader::new(stdout.context("no stdout")?);
        thread::spawn(move || stdout.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Ok(Self { way, child, commands: commands.context("no stdin")?, lines })
    }

    /// Lets it read, and says what that cost it and the node.
    pub(super) fn read(&mut self, node: &Node, task: Task<'_>) -> Result<Cost> {
        let before = node.threads()?;
        self.send(&format!("run {} {} {} {}", task.url, task.account, task.count, task.chunk))?;
        let (wall_ms, cpu_ms) = self.cost()?;
        Ok(Cost { wall_ms, cpu_ms, node_ms: idle(node)?.ms_since(&before) })
    }

    pub(super) fn send(&mut self, command: &str) -> Result<()> {
        writeln!(self.commands, "{command}").and_then(|()| self.commands.flush()).context(self.way.name())
    }

    /// Waits for a word of it.
    pub(super) fn expect(&self, word: &str) -> Result<()> {
        let line = self.line()?;
        if line != word {
            bail!("{} said {line} instead of {word}", self.way.name());
        }
        Ok(())
    }

    /// Wall and CPU milliseconds of the answer that it gives next.
    pub(super) fn cost(&self) -> Result<(f64, f64)> {
        let line = self.line()?;
        match serde_json::from_str(&line).with_context(|| format!("{} said {line}", self.way.name()))? {
            SideReply::Cost { wall_ms, cpu_ms } => Ok((wall_ms, cpu_ms)),
            SideReply::Error { error } => bail!("{}: {error}", self.way.name()),
        }
    }

    fn line(&self) -> Result<String> {
        self.lines.recv_timeout(ANSWER_WITHIN).with_context(|| format!("{} says nothing", self.way.name()))
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        chain::end(&mut self.child);
    }
}

/// The node's CPU once it uses no more.
pub(super) fn idle(node: &Node) -> Result<Threads> {
    let mut last = node.threads()?;
    let look = || {
        let now = node.threads()?;
        if now == last {
            return Ok(now);
        }
        last = now;
        bail!("the node is busy")
    };
    Ok(wait::until("an idle node", IDLE_WITHIN, look)?.0)
}
