//! The figures that capacity is computed from, and the simulation of a fleet beside the fleet itself.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::Write as _;
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use futures_util::future::try_join_all;
use portolan_tests::gateway::Gateway;
use portolan_tests::redis::Redis;
use tempfile::NamedTempFile;
use tokio::runtime::Builder;

use super::replica::SECRET;
use super::traffic::{self, Mix};
use super::{BLOCK_S, Fleet, FleetStage, LoadCost, RATE, REPLICAS, Replica, WARM_UP};
use crate::Say;
use crate::capacity::simulation::Arrival;
use crate::capacity::{self, AnswerCosts, FleetModel, OWN_POLLS_S, Sharing};
use crate::delay::{HANDSHAKES, ROUND_TRIP};
use crate::load::PersistentConnection;
use crate::meter::{Threads, median, ms};
use crate::shipped::{ShippedAnswer, TenNetworks, declared};
use crate::table::{Kind, Verdict, begin, float, number, row};

const PATH: &str = "/claimables";
/// Accounts whose answers are measured.
const ROUNDS: u64 = 15;
/// Equal queries at once, and how many follow each other.
const EQUAL: usize = 64;
const EQUAL_EACH: usize = 20;
/// Requests of the mix that are measured one by one: each of its kinds several times.
const MIXED: usize = 120;
/// Polls of one gateway for one network in a second: two for each block, which comes every two seconds.
const POLLS_A_SECOND: f64 = 1.0;
const NETWORKS: usize = 4;
/// How far the simulation may be from what is measured.
const OFF_PERCENT_MAX: f64 = 15.0;

/// What the store has done so far.
struct StoreUse {
    received_kb: f64,
    sent_kb: f64,
    threads: Threads,
}

impl StoreUse {
    fn of(store: &Redis) -> Result<Self> {
        let info = store.command(&["INFO", "stats"])?;
        let kb = |name: &str| -> Result<f64> {
            let line = info.lines().find_map(|line| line.strip_prefix(name)).with_context(|| format!("no {name}"))?;
            Ok(line.trim().parse::<f64>()? / 1e3)
        };
        let threads = Threads::of_all(&[store.process()])?;
        Ok(Self { received_kb: kb("total_net_input_bytes:")?, sent_kb: kb("total_net_output_bytes:")?, threads })
    }
}

/// Measures the figures of [`capacity`]: an answer whose reads come from nodes, the same one by another gateway and once
/// more by the first, and many that are equal.
pub(crate) fn inputs(say: Say<'_>, _: &mut Verdict) -> Result<()> {
    let (store, mut secret) = (super::store()?, NamedTempFile::new()?);
    secret.write_all(SECRET.as_bytes())?;
    // What comes from the store counts, however busy the machine is.
    let config = format!("[store]\nurl = '{}'\nsecret_file = {:?}\nwait_ms = 1000\n", store.url(), secret.path());
    let declared = declared()?;
    let start = || TenNetworks::start(&declared, [ROUND_TRIP, ROUND_TRIP * HANDSHAKES], &config);
    let (mut first, mut second) = (start()?, start()?);
    first.walk(PATH)?;
    second.walk(PATH)?;
    let (mut read, mut stored, mut again) = (Vec::new(), Vec::new(), Vec::new());
    let (mut written, mut found) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        let account = 1_000_000 + round;
        TenNetworks::next_block()?;
        let before = StoreUse::of(&store)?;
        read.push(first.fetch_account(account, PATH, "")?);
        first.gateway.wait_until_shared()?;
        let between = StoreUse::of(&store)?;
        stored.push(second.fetch_account(account, PATH, "")?);
        let after = StoreUse::of(&store)?;
        again.push(first.fetch_account(account, PATH, "")?);
        written.push((between.received_kb - before.received_kb, between.threads.ms_since(&before.threads)));
        found.push((after.sent_kb - between.sent_kb, after.threads.ms_since(&between.threads)));
    }
    let of = |answers: &[ShippedAnswer], figure: fn(&ShippedAnswer) -> f64| median(answers.iter().map(figure));
    let requests = |answers: &[ShippedAnswer]| of(answers, |answer| float(answer.requests()));
    let again_ms = of(&again, |answer| answer.cpu_ms);
    // One of those that are requested at once is made, and the others join it.
    let joined_ms = (float(EQUAL) * equal(&first.gateway)? - again_ms) / float(EQUAL - 1);
    begin(say, "What capacity is computed from", &["figure", "value"]);
    for (what, value) in [
        ("processor time of an answer, ms: its reads come from nodes", of(&read, |answer| answer.cpu_ms)),
        ("from the store", of(&stored, |answer| answer.cpu_ms)),
        ("from memory", again_ms),
        ("it joins an equal one in flight", joined_ms),
        ("time until it is there, ms, from nodes at 50 ms", of(&read, |answer| answer.wall_ms)),
        ("reads", of(&read, |answer| float(answer.reads()))),
        ("reads where the store has all that is shared", of(&stored, |answer| float(answer.reads()))),
        ("requests to nodes", requests(&read)),
        ("requests to nodes where the store has all that is shared", requests(&stored)),
        ("requests to nodes where memory has all", requests(&again)),
        ("written to the store for it, kB", median(written.iter().map(|(kb, _)| *kb))),
        ("found in the store for it, kB", median(found.iter().map(|(kb, _)| *kb))),
        ("processor time of the store, ms: written", median(written.iter().map(|(_, ms)| *ms))),
        ("found", median(found.iter().map(|(_, ms)| *ms))),
        ("memory of a gateway, MiB", first.gateway.memory_peak_mib()?),
    ] {
        row(say, &[what.to_owned(), number(value)]);
    }
    Ok(())
}

/// Returns the processor time of each of many equal answers, of which several are requested at once.
fn equal(gateway: &Gateway) -> Result<f64> {
    let request = format!("GET {PATH}/0x{:040x} HTTP/1.1\r\nhost: {}\r\n\r\n", 0xe9_0a11, gateway.base);
    let before = Threads::of(gateway.process())?;
    let client = Builder::new_current_thread().enable_all().build()?;
    client.block_on(try_join_all((0..EQUAL).map(async |_| {
        let mut connection = PersistentConnection::open(gateway.base).await?;
        for _ in 0..EQUAL_EACH {
            connection.exchange(request.as_bytes(), None).await?;
        }
        anyhow::Ok(())
    })))?;
    Ok(Threads::of(gateway.process())?.ms_since(&before) / float(EQUAL * EQUAL_EACH))
}

/// Prints the tables of the book's page, and compares the simulation with a fleet: what each kind of request of its mix
/// takes is measured on gateways that answer them one by one.
pub(crate) fn run(say: Say<'_>, verdict: &mut Verdict) -> Result<()> {
    for (name, table) in capacity::tables() {
        say(&format!("\n### {name}\n\n{table}"));
    }
    let stage = FleetStage::start()?;
    let store = super::store()?;
    let kinds = kinds(&stage, &store)?;
    begin(
        say,
        &format!("The simulation beside a fleet, {} requests a second", RATE.per_second),
        &[
            "gateways",
            "requests to nodes",
            "simulated",
            "off, %",
            "processor time of an answer, ms",
            "simulated",
            "off, %",
        ],
    );
    for (name, replicas, sharing) in [
        ("one", 1, Sharing::None),
        ("three", REPLICAS, Sharing::None),
        ("three with a store", REPLICAS, Sharing::Store),
    ] {
        let url = store.url();
        let fleet = Fleet::start(&stage, replicas, (sharing == Sharing::Store).then_some(url.as_str()))?;
        let LoadCost { load, requests, cpu_ms } = fleet.load(&stage)?;
        let model = FleetModel { replicas: float(replicas), sharing, pins_s: &[float(BLOCK_S); NETWORKS] };
        let simulated = model.simulate(0.0, arrivals(&stage.mix, replicas, &kinds)?);
        let polls = match sharing {
            Sharing::None => float(replicas) * POLLS_A_SECOND,
            Sharing::Store => POLLS_A_SECOND + float(replicas) / OWN_POLLS_S,
        };
        let polls = polls * float(NETWORKS) * RATE.time.as_secs_f64();
        let (requests, each_ms) = (float(requests), cpu_ms / float(load.answered()));
        let (computed, computed_ms) = (simulated.requests + polls, simulated.processor_ms / simulated.answers);
        let off = |computed: f64, measured: f64| (computed / measured - 1.0).abs() * 100.0;
        let cells = [
            name.to_owned(),
            number(requests),
            number(computed),
            verdict.at_most(
                Kind::Aim,
                &format!("simulated requests, {name}, off %"),
                off(computed, requests),
                OFF_PERCENT_MAX,
            ),
            number(each_ms),
            number(computed_ms),
            verdict.at_most(
                Kind::Time,
                &format!("simulated processor time, {name}, off %"),
                off(computed_ms, each_ms),
                OFF_PERCENT_MAX,
            ),
        ];
        row(say, &cells);
    }
    Ok(())
}

/// The kind of a request of the mix: what is requested, and if the account is known to the chains.
fn kind(number: usize) -> (usize, usize) {
    (number / 2 % 10, number % 2)
}

/// What each kind of request takes.
fn kinds(stage: &FleetStage, store: &Redis) -> Result<BTreeMap<(usize, usize), AnswerCosts>> {
    let url = store.url();
    let start = || Replica::start(&stage.world, Some(&url), "");
    let (first, second) = (start()?, start()?);
    for replica in [&first, &second] {
        traffic::send(replica.gateway.base, &stage.mix, WARM_UP, |_| Ok(()))?;
    }
    let mut samples: BTreeMap<(usize, usize), Vec<AnswerCosts>> = BTreeMap::new();
    for number in 0..MIXED {
        let path = stage.mix.path(number);
        let (read_ms, read_wall_ms, requests) = measure(&first, &path)?;
        first.gateway.wait_until_shared()?;
        let (stored_ms, _, stored_requests) = measure(&second, &path)?;
        let (again_ms, ..) = measure(&first, &path)?;
        let costs = AnswerCosts {
            read_ms,
            stored_ms,
            again_ms,
            joined_ms: again_ms,
            read_wall_ms,
            requests,
            stored_requests,
            ..AnswerCosts::default()
        };
        samples.entry(kind(number)).or_default().push(costs);
    }
    let of_kind = |(kind, samples): ((usize, usize), Vec<AnswerCosts>)| {
        let mean = |figure: fn(&AnswerCosts) -> f64| samples.iter().map(figure).sum::<f64>() / float(samples.len());
        let middle = |figure: fn(&AnswerCosts) -> f64| median(samples.iter().map(figure));
        let costs = AnswerCosts {
            read_ms: mean(|one| one.read_ms),
            // A new block may have come before these.
            stored_ms: middle(|one| one.stored_ms),
            again_ms: middle(|one| one.again_ms),
            joined_ms: middle(|one| one.joined_ms),
            read_wall_ms: mean(|one| one.read_wall_ms),
            requests: mean(|one| one.requests),
            stored_requests: middle(|one| one.stored_requests),
            ..AnswerCosts::default()
        };
        (kind, costs)
    };
    Ok(samples.into_iter().map(of_kind).collect())
}

/// Returns processor time and time of an answer, in milliseconds, and its requests to nodes but for polls.
fn measure(replica: &Replica, path: &str) -> Result<(f64, f64, f64)> {
    let (threads, requests, polls, began) = (replica.threads()?, replica.requests(), replica.polls(), Instant::now());
    let answer = replica.gateway.get(path)?;
    ensure!(answer.status == 200, "{path}: {}", answer.body);
    let wall_ms = ms(began.elapsed());
    let requests = (replica.requests() - requests).saturating_sub(replica.polls() - polls);
    Ok((replica.threads()?.ms_since(&threads), wall_ms, float(requests)))
}

/// The load as it arrives at the replicas, each of which gets the paths of its own.
fn arrivals(mix: &Mix, replicas: usize, kinds: &BTreeMap<(usize, usize), AnswerCosts>) -> Result<Vec<Arrival>> {
    let arrival = |number: usize| {
        let mut hasher = DefaultHasher::new();
        mix.path(number).hash(&mut hasher);
        let query = hasher.finish();
        let costs = *kinds.get(&kind(number)).context("a kind that was not measured")?;
        let at_s = float(number) / float(RATE.per_second);
        Ok(Arrival { at_s, query, replica: usize::try_from(query % u64::try_from(replicas)?)?, costs })
    };
    (0..RATE.requests()).map(arrival).collect()
}
