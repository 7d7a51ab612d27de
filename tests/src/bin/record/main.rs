//! `cargo run -p portolan-tests --features record --bin record [PLUGIN]...`: records jobs of the plugins against the
//! test chains anew, all or those of the named plugins: the reply to each read, by one `eth_call` for each, and beside
//! it what the job must find, by the arithmetic of the chains' build.
//!
//! Invariant: nothing of an expectation comes from the plugin; a job that does not find it is an error here already.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command line tool prints what it does")]

mod cases;
mod node;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use abi_stable::library::lib_header_from_path;
use anyhow::{Context as _, Result, anyhow, ensure};
use portolan_abi::root::PluginRef;
use portolan_plugin_api::testing::{Fixture, JobTest};
use portolan_plugin_api::{Address, B256, Block, Question as PluginQuestion};

use cases::{CASES, Recorded};
use portolan_tests::build;
use portolan_tests::chain::Chain;
use portolan_tests::protocol::Question;
use portolan_tests::truth::Truth;
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
    let known = |plugin: &String| CASES.iter().any(|row| row.plugin == *plugin);
    if let Some(unknown) = plugins.iter().find(|plugin| !known(plugin)) {
        return Err(anyhow!("no cases of {unknown}"));
    }
    let world = World::start()?;
    let wanted = |row: &&Recorded| plugins.is_empty() || plugins.iter().any(|plugin| *plugin == row.plugin);
    for row in CASES.iter().filter(wanted) {
        let (path, reads) = record(&world, row).with_context(|| format!("{} {}", row.plugin, row.name))?;
        say(format!("{}: {reads} reads", path.strip_prefix(build::workspace()).unwrap_or(&path).display()));
    }
    Ok(())
}

fn record(world: &World, row: &Recorded) -> Result<(PathBuf, usize)> {
    let (chain, truth) = world.chain(row.network)?;
    let plugin = load(&build::built()?.plugin(&format!("lib{}.so", row.plugin.replace('-', "_"))))?;
    let test = JobTest::new(row.protocol, chain_id(chain)?, question(row.question), truth.address(row.who)?.parse()?)
        .block(block(chain, truth)?)
        .settings(cases::settings(world, row)?);
    let mut reads = 0;
    let (outcome, fixture) = Fixture::record_in(plugin, &test, |read: &_| {
        reads += 1;
        node::answer(chain, read)
    });
    let expected = cases::expected(truth, row)?;
    let wrong = expected.differences(&outcome);
    ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
    let folder = build::workspace().join("plugins").join(row.plugin).join("fixtures");
    std::fs::create_dir_all(&folder)?;
    let path = folder.join(format!("{}.json", row.name));
    fixture.save(&path)?;
    expected.save(&path)?;
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

fn block(chain: &Chain, truth: &Truth) -> Result<Block> {
    let hash: B256 = match truth.block("hash")? {
        portolan_tests::json::Json::Text(hash) => hash.parse()?,
        other => return Err(anyhow!("{other} is no hash")),
    };
    let number = chain.block_number;
    Ok(Block { number, hash, timestamp: chain.block_timestamp, evm_number: number })
}

/// An address as findings are written.
fn shown(address: &str) -> Result<String> {
    Ok(format!("{:#x}", address.parse::<Address>()?))
}
