//! `cargo run -p portolan-tests --features record --bin record [PLUGIN]...`: records jobs of the plugins against the
//! test chains anew, all or those of the named plugins: the reply to each read, by one `eth_call` for each, and beside
//! it what the job must find, by the arithmetic of the chains' build.
//!
//! Invariant: nothing of an expectation comes from the plugin; a job that does not find it is an error here already.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command line tool prints what it does")]

mod cases;
mod examples;
mod forks;
mod node;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use abi_stable::library::lib_header_from_path;
use anyhow::{Context as _, Result, anyhow, ensure};
use portolan_abi::root::PluginRef;
use portolan_plugin_api::testing::{Expected, Fixture, JobTest};
use portolan_plugin_api::{Address, Block, Question as PluginQuestion};

use cases::{CASES, Recorded};
use examples::EXAMPLES;
use forks::{FORKS, RecordedFork};
use portolan_tests::build;
use portolan_tests::chain::Chain;
use portolan_tests::protocol::Question;
use portolan_tests::world::World;

fn main() -> ExitCode {
    let plugins: Vec<String> = std::env::args().skip(1).collect();
    match record_all(&plugins, |line| println!("{line}")) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Records the cases of these plugins, of all where none is named; `say` gets a line for each.
///
/// # Errors
/// A job that does not find what it should.
fn record_all(plugins: &[String], mut say: impl FnMut(String)) -> Result<()> {
    let named = CASES.iter().map(|row| row.plugin).chain(forks().map(|row| row.plugin));
    let known: Vec<&str> = named.collect();
    if let Some(unknown) = plugins.iter().find(|plugin| !known.contains(&plugin.as_str())) {
        return Err(anyhow!("no cases of {unknown}"));
    }
    let is_wanted = |of: &str| plugins.is_empty() || plugins.iter().any(|plugin| plugin == of);
    let mut tell = |recorded: Result<(PathBuf, usize)>, plugin: &str, name: &str| {
        let (path, reads) = recorded.with_context(|| format!("{plugin} {name}"))?;
        say(format!("{}: {reads} reads", path.strip_prefix(build::workspace()).unwrap_or(&path).display()));
        Ok::<_, anyhow::Error>(())
    };
    let cases: Vec<&Recorded> = CASES.iter().filter(|row| is_wanted(row.plugin)).collect();
    if !cases.is_empty() {
        let world = World::start()?;
        for row in cases {
            tell(record(&world, row), row.plugin, row.name)?;
        }
    }
    for row in forks().filter(|row| is_wanted(row.plugin)) {
        tell(record_fork(row), row.plugin, row.name)?;
    }
    Ok(())
}

fn forks() -> impl Iterator<Item = &'static RecordedFork> {
    FORKS.iter().chain(&EXAMPLES)
}

fn record(world: &World, row: &Recorded) -> Result<(PathBuf, usize)> {
    let (chain, truth) = world.chain(row.network)?;
    let test = JobTest::new(row.protocol, chain_id(chain)?, question(row.question), truth.address(row.who)?.parse()?)
        .settings(cases::settings(world, row)?);
    keep(chain, &Recording::of_plugin(row.plugin)?, row.name, test, &cases::expected(truth, row)?)
}

fn record_fork(row: &RecordedFork) -> Result<(PathBuf, usize)> {
    let chain = Chain::start(row.profile)?;
    let account = chain.expected["accounts"][row.who]["address"].as_str().context("no such account")?;
    let test = JobTest::new(row.protocol, chain_id(&chain)?, row.question, account.parse()?)
        .settings(forks::settings(&chain, row)?);
    let plugin = if row.is_example() { Recording::of_example(row)? } else { Recording::of_plugin(row.plugin)? };
    keep(&chain, &plugin, row.name, test, &forks::expected(&chain, row)?)
}

/// What is recorded, and where.
struct Recording {
    dylib: PathBuf,
    folder: PathBuf,
    /// The slug of a template, in the place of its own.
    named: Option<String>,
}

impl Recording {
    fn of_plugin(plugin: &str) -> Result<Self> {
        let dylib = build::built()?.plugin(&format!("lib{}.so", plugin.replace('-', "_")));
        Ok(Self { dylib, folder: build::workspace().join("plugins").join(plugin), named: None })
    }

    fn of_example(row: &RecordedFork) -> Result<Self> {
        let folder = build::workspace().join("examples").join(row.plugin);
        let named = row.plugin.strip_prefix("plugins/").map(str::to_owned);
        Ok(Self { dylib: build::example(row.plugin)?, folder, named })
    }
}

/// Runs the job and writes what it read, if it found what it should, and that.
fn keep(chain: &Chain, plugin: &Recording, name: &str, test: JobTest, expected: &Expected) -> Result<(PathBuf, usize)> {
    let dylib = load(&plugin.dylib)?;
    let mut reads = 0;
    let (outcome, fixture) = Fixture::record_in(dylib, &test.block(block(chain)?), |read: &_| {
        reads += 1;
        node::answer(chain, read)
    });
    let wrong = outcome.differences(expected);
    ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
    let folder = plugin.folder.join("fixtures");
    std::fs::create_dir_all(&folder)?;
    let path = folder.join(format!("{name}.json"));
    fixture.save(&path)?;
    expected.save(&path)?;
    if let Some(named) = &plugin.named {
        let text = std::fs::read_to_string(&path)?;
        let template = format!("{:?}", build::TEMPLATE_NAME);
        std::fs::write(&path, text.replacen(&format!("{named:?}"), &template, 1))?;
    }
    Ok((path, reads))
}

/// A plugin's functions, out of its dylib; it stays loaded.
fn load(dylib: &Path) -> Result<PluginRef> {
    let header = lib_header_from_path(dylib).map_err(|error| anyhow!("{}: {error}", dylib.display()))?;
    header.init_root_module::<PluginRef>().map_err(|error| anyhow!("{}: {error}", dylib.display()))
}

fn question(question: Question) -> PluginQuestion {
    match question {
        Question::Claimables => PluginQuestion::CLAIMABLES,
        Question::Farming => PluginQuestion::FARMING,
        Question::Lending => PluginQuestion::LENDING,
    }
}

fn chain_id(chain: &Chain) -> Result<u64> {
    chain.expected["chainId"].as_u64().context("a chain without id")
}

fn block(chain: &Chain) -> Result<Block> {
    let hash = chain.expected["block"]["hash"].as_str().context("a block without hash")?.parse()?;
    let number = chain.block_number;
    Ok(Block { number, hash, timestamp: chain.block_timestamp, evm_number: number })
}

/// An address as findings are written.
fn shown(address: &str) -> Result<String> {
    Ok(format!("{:#x}", address.parse::<Address>()?))
}
