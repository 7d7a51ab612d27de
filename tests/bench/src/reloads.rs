//! How soon what an operator does to the folder of plugins is in force, of a gateway that runs all shipped plugins.
//!
//! The plugin that comes, changes and goes is the tests' own. A change is in force once the gateway answers by it.

use anyhow::{Result, ensure};
use portolan_tests::build;
use portolan_tests::chain::Chain;
use portolan_tests::dylib::Dylib;
use portolan_tests::gateway::{Gateway, IN_FORCE_WITHIN, Setup};
use portolan_tests::json::Json;
use portolan_tests::wait;

use super::Say;
use super::meter::{median, ms};
use super::table::{Kind, Verdict, begin, number, row};

const FILE: &str = "libportolan_hostile.so";
const SETTINGS: &str = "portolan-hostile.toml";
const ACCOUNT: &str = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
const ROUNDS: u32 = 15;
/// The specification's bound.
const IN_FORCE_MS_MAX: f64 = 2_000.0;

pub(super) fn run(say: Say<'_>, verdict: &mut Verdict) -> Result<()> {
    let built = build::built_alike()?;
    let (plugins, chain) = (build::plugins()?, Chain::start("polygon")?);
    let setup = Setup::default().host(&built.host()).rpc("polygon", &chain.url);
    let gateway = plugins.iter().fold(setup, |setup, (_, file)| setup.plugin(&built.plugin(file), &[])).start()?;
    let plugin = Dylib::read(&built.plugin(FILE))?;
    let mut took: [(&str, Vec<f64>); 4] =
        ["a plugin comes", "another build of it", "its settings", "it goes"].map(|change| (change, Vec::new()));
    for round in 0..ROUNDS {
        let (first, second) = (200 + 2 * round, 201 + 2 * round);
        let greeting = format!("round {round}");
        let settings =
            format!("[[deployment]]\nprotocol = \"steady\"\nnetwork = \"polygon\"\ngreeting = \"{greeting}\"\n");
        gateway.drop_in(FILE, &plugin.as_build(first)?)?;
        took[0].1.push(in_force(|| names(&gateway, &format!("hello from build 1.0.{first}")))?);
        gateway.drop_in(FILE, &plugin.as_build(second)?)?;
        took[1].1.push(in_force(|| names(&gateway, &format!("hello from build 1.0.{second}")))?);
        gateway.drop_in(SETTINGS, settings.as_bytes())?;
        took[2].1.push(in_force(|| names(&gateway, &format!("{greeting} from build 1.0.{second}")))?);
        gateway.take_out(SETTINGS)?;
        in_force(|| names(&gateway, &format!("hello from build 1.0.{second}")))?;
        gateway.take_out(FILE)?;
        took[3].1.push(in_force(|| {
            let status = gateway.get(&path())?.status;
            ensure!(status == 404, "{status}");
            Ok(())
        })?);
    }
    let heading = format!("A change in the folder of a gateway with {} plugins", plugins.len());
    begin(say, &heading, &["change", "in force after, median, ms", "the slowest, ms"]);
    for (change, took) in took {
        let slowest = took.iter().copied().fold(0.0, f64::max);
        let slowest = verdict.at_most(Kind::Time, &format!("{change}: in force after, ms"), slowest, IN_FORCE_MS_MAX);
        row(say, &[change, &number(median(took)), &slowest]);
    }
    Ok(())
}

fn path() -> String {
    format!("/steady/{ACCOUNT}/claimables?detail=full")
}

/// Waits for a change, and returns the milliseconds that it took.
fn in_force(look: impl FnMut() -> Result<()>) -> Result<f64> {
    Ok(ms(wait::until("the change", IN_FORCE_WITHIN, look)?.1))
}

/// Checks that each row of the plugin's answer has this name.
fn names(gateway: &Gateway, name: &str) -> Result<()> {
    let answer = gateway.get(&path())?.json()?;
    let rows: Vec<&Json> = answer.at("items")?.items()?.iter().collect();
    ensure!(!rows.is_empty(), "no rows: {answer}");
    rows.into_iter().try_for_each(|row| {
        let found = row.text_at("name")?;
        ensure!(found == name, "{found}");
        Ok(())
    })
}
