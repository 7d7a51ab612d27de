//! The cost of figures and spans in an answer: the processor time of one gateway without either, of one that counts, as
//! it is shipped, and of one that exports spans too, each answering the same requests in turn.
//!
//! All are the same build, in which figures can be switched off, so that nothing differs but what is measured.

use anyhow::Result;
use portolan_tests::build;
use portolan_tests::chain::Chain;
use portolan_tests::collector::Collector;
use portolan_tests::gateway::{Gateway, Setup};

use std::time::Duration;

use super::Say;
use super::load::{Round, load};
use super::meter::median;
use super::table::{Kind, Verdict, begin, float, number, row};

/// It switches off figures in a build with that feature.
const WITHOUT_FIGURES: &str = "BENCH_WITHOUT_FIGURES";
const FEATURES: &str = "otlp,without-figures";
const PLUGIN: &str = "libquickswap.so";
const ACCOUNT: &str = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
const TRACED: &str = "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\r\n";
const WARM_ROUNDS: usize = 2;
const ROUNDS: usize = 61;
const ROUND: Duration = Duration::from_millis(250);
/// The greatest ratio by which figures and spans may slow answers down.
const RATIO_MAX: f64 = 1.05;

struct Side {
    name: &'static str,
    gateway: Gateway,
    rounds: Vec<Round>,
}

pub(super) fn run(say: Say<'_>, verdict: &mut Verdict) -> Result<()> {
    let chain = Chain::start("polygon")?;
    let plugin = build::release(&[("quickswap", PLUGIN)])?.plugin(PLUGIN);
    let host = build::release_bin("portolan", "portolan", FEATURES)?;
    let collector = Collector::start()?;
    let setup = || Setup::default().host(&host).rpc("polygon", &chain.url).plugin(&plugin, &["quickswap"]);
    let sides = [
        ("neither", setup().variable(WITHOUT_FIGURES, "1")),
        ("figures, as it is shipped", setup()),
        ("figures, and all spans exported", setup().config(&collector.config())),
    ];
    let start = |(name, setup): (_, Setup)| Ok(Side { name, gateway: setup.start()?, rounds: Vec::new() });
    let mut sides = sides.map(start).into_iter().collect::<Result<Vec<Side>>>()?;
    for (what, path, headers) in [
        ("claimables of one protocol, all reads cached", format!("/quickswap/{ACCOUNT}/claimables"), ""),
        ("`/networks`, a stored body", "/networks".to_owned(), ""),
        ("`/networks`, a stored body, of a trace that its client samples", "/networks".to_owned(), TRACED),
    ] {
        let (before, answers) = (collector.spans()?.len(), measure(&mut sides, &path, headers)?);
        let columns =
            ["gateway", "processor time of an answer, µs", "answers a second", "to neither, median of the rounds"];
        begin(say, &format!("Figures and spans: {what}"), &columns);
        let [neither, others @ ..] = &sides[..] else { continue };
        row(say, &[neither.name, &cpu_us(neither), &per_second(neither), ""]);
        for side in others {
            let ratios = side.rounds.iter().zip(&neither.rounds).map(|(one, other)| one.cpu_us / other.cpu_us);
            let name = format!("{what}, {}: processor time", side.name);
            let ratio = verdict.at_most(Kind::Time, &name, median(ratios), RATIO_MAX);
            row(say, &[side.name, &cpu_us(side), &per_second(side), &ratio]);
        }
        let spans = float(collector.spans()?.len() - before) / float(answers);
        say(&format!("\n{} spans of an answer reached the collector.", number(spans)));
    }
    Ok(())
}

/// Loads each in turn, each round in another order; how many the last one answered.
fn measure(sides: &mut [Side], path: &str, headers: &str) -> Result<usize> {
    let request = format!("GET {path} HTTP/1.1\r\nhost: 127.0.0.1\r\n{headers}\r\n");
    sides.iter_mut().for_each(|side| side.rounds.clear());
    let mut answers = 0;
    for number in 0..WARM_ROUNDS + ROUNDS {
        for turn in 0..sides.len() {
            let place = (number + turn) % sides.len();
            let side = &mut sides[place];
            // One connection: equal queries at the same time are one answer.
            let round = load(side.gateway.base, side.gateway.process(), request.as_bytes(), 1, ROUND)?;
            answers += if place + 1 == sides.len() { round.answers } else { 0 };
            if number >= WARM_ROUNDS {
                sides[place].rounds.push(round);
            }
        }
    }
    Ok(answers)
}

fn cpu_us(side: &Side) -> String {
    number(median(side.rounds.iter().map(|round| round.cpu_us)))
}

fn per_second(side: &Side) -> String {
    number(median(side.rounds.iter().map(|round| round.per_second)))
}
