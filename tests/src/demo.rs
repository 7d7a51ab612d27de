//! The demo: local chains with real contracts, the gateway with its plugins, and what to request from it.
//!
//! It prints, so everything that it says goes through the writer that it is given.

mod acts;
mod check;
mod claims;
mod examples;
mod pages;
mod tour;

use std::fmt;
use std::io::Write;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Command, ExitStatus};
use std::time::Instant;

use anyhow::{Context as _, Result};
use tokio::runtime::Builder;
use tokio::signal::unix::{SignalKind, signal};

use crate::build;
use crate::chain;
use crate::description::Description;
use crate::explorer;
use crate::gateway::{Gateway, Setup};
use crate::http::Response;
use crate::world::World;

/// The service's own defaults; the demo takes free ports where one of them is taken.
const PORTS: [(&str, &str); 3] = [
    ("--listen", "127.0.0.1:8080"),
    ("--claimables-listen", "127.0.0.1:8081"),
    ("--operators-listen", "127.0.0.1:9090"),
];

/// A running demo.
#[derive(Debug)]
struct Stage {
    world: World,
    gateway: Gateway,
    /// The folder of the explorer that the gateway serves.
    explorer: PathBuf,
}

/// Brings everything up, says what there is to request, and waits for Ctrl-C.
///
/// # Errors
/// Whatever does not come up.
pub fn run(out: &mut impl Write) -> Result<()> {
    let stage = Stage::up(out)?;
    stage.mine_automatically()?;
    tour::introduce(&stage, out)?;
    writeln!(out, "\nCtrl-C ends everything.")?;
    out.flush()?;
    interrupted().context("no signals")?;
    stage.down(out)
}

/// Brings everything up, runs a command against it, and returns how the command ended. The command has the addresses of
/// the gateway and of the chains in its environment, and an account with its key.
///
/// # Errors
/// Whatever does not come up, and a command that does not start.
pub fn run_command(command: &[&str], out: &mut impl Write) -> Result<ExitStatus> {
    let (program, args) = command.split_first().context("no command")?;
    let stage = Stage::up(out)?;
    stage.mine_automatically()?;
    let ended = Command::new(program).args(args).envs(tour::variables(&stage)?).status();
    stage.down(out)?;
    ended.with_context(|| format!("cannot run {program}"))
}

/// Returns when the process is to end.
fn interrupted() -> Result<()> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut ended = signal(SignalKind::terminate())?;
        tokio::select! {
            requested = tokio::signal::ctrl_c() => requested?,
            _ = ended.recv() => {}
        }
        Ok(())
    })
}

/// Brings everything up, requests every endpoint for every account and compares the answers with the arithmetic of the
/// chains' build. Prints a page, and each answer if `is_verbose`.
///
/// # Errors
/// Whatever does not come up, and a list of what was answered wrongly.
pub fn run_once(page: &mut impl Write, is_verbose: bool) -> Result<()> {
    let stage = Stage::up(page)?;
    tour::introduce(&stage, page)?;
    let description = Description::of(&stage.gateway)?;
    let mut out = Output { page, is_verbose, answers: 0, description, described: 0 };
    out.line(format_args!("\nrequesting every endpoint for every account ..."))?;
    let checked = pages::check(&stage, &mut out)
        .and_then(|()| check::everything(&stage, &mut out))
        .and_then(|()| examples::check(&stage, &mut out))
        .and_then(|()| claims::sent(&stage, &mut out));
    stage.down(out.page)?;
    checked?;
    acts::balances(&mut out)?;
    acts::names(&mut out)?;
    let (all, described) = (out.answers, out.described);
    out.line(format_args!("all {all} answers are right, and {described} of them are as /openapi.json describes them"))
}

/// The output of `--once`.
struct Output<'a> {
    page: &'a mut dyn Write,
    /// Prints each answer.
    is_verbose: bool,
    /// Number of answers so far.
    answers: usize,
    description: Description,
    /// Number of answers that were checked against the description.
    described: usize,
}

impl Output<'_> {
    /// Prints a line of the page.
    fn line(&mut self, line: fmt::Arguments<'_>) -> Result<()> {
        Ok(writeln!(self.page, "{line}")?)
    }

    /// Checks an answer against the description.
    fn described(&mut self, path: &str, response: &Response) -> Result<()> {
        self.description.check(path, response)?;
        self.described += 1;
        Ok(())
    }

    /// Counts an answer.
    fn answer(&mut self, path: &str, response: &Response) -> Result<()> {
        self.answers += 1;
        if self.is_verbose {
            writeln!(self.page, "\nGET {path}\n{} {}", response.status.as_u16(), response.body.trim())?;
        }
        Ok(())
    }
}

impl Stage {
    fn up(out: &mut impl Write) -> Result<Self> {
        let start = Instant::now();
        writeln!(out, "building the gateway, its plugins and the explorer ...")?;
        build::built()?;
        let explorer = explorer::built()?;
        writeln!(out, "preparing the chains ...")?;
        chain::prepared()?;
        let world = World::start()?;
        let setup = world.on_chains(world.with_all_plugins()?).config("[mcp]\nenabled = true");
        let book = build::built_book()?.map(|book| ["--docs".to_owned(), book.to_string_lossy().into_owned()]);
        let explorer_flag = ["--explorer".to_owned(), explorer.to_string_lossy().into_owned()];
        let flags = ports().into_iter().chain(book.into_iter().flatten()).chain(explorer_flag);
        let gateway = flags.fold(setup, Setup::arg).start()?;
        writeln!(out, "ready after {:.1} s\n", start.elapsed().as_secs_f64())?;
        Ok(Self { world, gateway, explorer })
    }

    /// Lets the chains mine what is sent to them.
    fn mine_automatically(&self) -> Result<()> {
        self.world.chains.iter().try_for_each(|(chain, _)| chain.mine_automatically())
    }

    /// Ends the gateway as an operator would; the chains end with their values.
    fn down(mut self, out: &mut (impl Write + ?Sized)) -> Result<()> {
        // It got the same Ctrl-C where there was one, and may be gone.
        if self.gateway.sigterm().is_ok() {
            let status = self.gateway.exited()?;
            writeln!(out, "the gateway ended: {status}")?;
        }
        Ok(())
    }
}

/// The default ports if all of them are free, else any.
fn ports() -> Vec<String> {
    let free = PORTS.iter().all(|(_, address)| TcpListener::bind(address).is_ok());
    let address = |default: &str| if free { default.to_owned() } else { "127.0.0.1:0".to_owned() };
    PORTS.iter().flat_map(|(flag, default)| [(*flag).to_owned(), address(default)]).collect()
}
