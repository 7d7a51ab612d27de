//! `side WAY WORLD`: one side of the benchmark of reads. It reads what lines on stdin name, verifies it, and says what
//! it cost. `reads` builds it and starts it; it is a process of its own so that its CPU time is its own alone.
//!
//! Invariant: nothing but the reading, from a list of tokens to numbers, is inside of what is measured.
#![expect(clippy::print_stderr, reason = "a command line tool prints what is wrong")]

mod alloy;
mod portolan;

use std::io::{BufRead as _, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use ::alloy::primitives::{Address, U256};
use anyhow::{Context as _, Result, bail, ensure};
use rustix::time::{ClockId, clock_gettime};
use serde_json::json;
use tokio::runtime::Runtime;

use self::alloy::Alloy;
use self::portolan::Portolan;
use portolan_bench::meter::ms;
use portolan_bench::peer::Way;
use portolan_bench::world::World;

/// The time after an answer in which the process's work still counts.
const SETTLE: Duration = Duration::from_millis(20);

enum Client {
    Portolan(Portolan),
    Alloy(Alloy),
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [way, world] = args.as_slice() else {
        eprintln!("usage: side WAY WORLD");
        return ExitCode::from(2);
    };
    match serve(way, world.as_ref()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Answers until stdin ends.
///
/// # Errors
/// A way that is none, a world that cannot be read, a broken pipe.
fn serve(way: &str, world: &Path) -> Result<()> {
    // As long as the process lives.
    let world: &'static World = Box::leak(Box::new(World::read(world)?));
    let way = parse_way(way).with_context(|| format!("no way to read: {way}"))?;
    let runtime = Runtime::new()?;
    let mut client = match way {
        Way::Alloy => Client::Alloy(Alloy::default()),
        _ => Client::Portolan(Portolan::new(world.chain_id)),
    };
    let mut lines = std::io::stdin().lock().lines();
    while let Some(line) = lines.next().transpose()? {
        let answer = match line.split(' ').collect::<Vec<_>>().as_slice() {
            ["run", url, account, count, chunk] => {
                let (query, chunk) = (BalanceQuery::of(world, url, account, count)?, chunk.parse()?);
                // In a task, as in a server: the thread that waits here is none of the runtime's.
                let running = runtime.spawn(async move { (client.run(way, query, chunk).await, client) });
                let (answer, back) = runtime.block_on(running)?;
                client = back;
                answer
            }
            ["join", url, account, count, joiners] => {
                let query = BalanceQuery::of(world, url, account, count);
                let mut go = || say("joined");
                query.and_then(|query| runtime.block_on(client.join(query, joiners.parse()?, &mut lines, &mut go)))
            }
            _ => bail!("unknown command {line}"),
        };
        match answer {
            Ok((wall, cpu)) => say(&json!({"wall_ms": ms(wall), "cpu_ms": ms(cpu)}).to_string())?,
            Err(error) => say(&json!({"error": format!("{error:#}")}).to_string())?,
        }
    }
    Ok(())
}

fn parse_way(name: &str) -> Option<Way> {
    let ways = [Way::Set, Way::General, Way::Simulation, Way::SimulationByOverride, Way::Alloy];
    ways.into_iter().find(|way| way.name() == name)
}

/// The CPU time that this process has used so far, with all threads that it ever had.
fn own_cpu() -> Result<Duration> {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Ok(Duration::new(time.tv_sec.try_into()?, time.tv_nsec.try_into()?))
}

fn say(line: &str) -> Result<()> {
    let mut stdout = std::io::stdout().lock();
    writeln!(stdout, "{line}")?;
    Ok(stdout.flush()?)
}

/// Balances of one account in the first tokens.
struct BalanceQuery<'a> {
    world: &'a World,
    url: String,
    who: usize,
    account: Address,
    tokens: &'a [Address],
}

impl<'a> BalanceQuery<'a> {
    fn of(world: &'a World, url: &str, who: &str, count: &str) -> Result<Self> {
        let who = who.parse()?;
        let account = *world.accounts.get(who).with_context(|| format!("no account {who}"))?;
        let tokens = world.tokens.get(..count.parse()?).with_context(|| format!("not {count} tokens"))?;
        Ok(Self { world, url: url.to_owned(), who, account, tokens })
    }

    fn verify(&self, found: &Found) -> Result<()> {
        let held = match found {
            Found::Received(amounts) => {
                let expected: Vec<U256> = (1..=amounts.len()).map(U256::from).collect();
                ensure!(*amounts == expected, "claims pay {amounts:?}");
                return Ok(());
            }
            Found::Held(held) => held.clone(),
            Found::All(all) if all.len() == self.tokens.len() => {
                all.iter().copied().enumerate().filter(|(_, amount)| !amount.is_zero()).collect()
            }
            Found::All(all) => bail!("{} answers to {} questions", all.len(), self.tokens.len()),
        };
        let (world, who, count) = (self.world, self.who, self.tokens.len());
        let expected = world.held.get(who).with_context(|| format!("no account {who}"))?;
        let expected: Vec<(usize, U256)> = expected.range(..count).map(|(place, amount)| (*place, *amount)).collect();
        ensure!(held == expected, "account {who} holds {expected:?} of {count} tokens, and got {held:?}");
        Ok(())
    }
}

/// The values that a way of reading finds.
enum Found {
    /// Every balance.
    All(Vec<U256>),
    /// The balances that are not zero.
    Held(Vec<(usize, U256)>),
    /// The amounts that the claims of the farms pay.
    Received(Vec<U256>),
}

impl Client {
    async fn run(&mut self, way: Way, query: BalanceQuery<'_>, chunk: usize) -> Result<(Duration, Duration)> {
        let (cpu, began) = (own_cpu()?, Instant::now());
        let found = match (&mut *self, way) {
            (Self::Portolan(reader), Way::Set) => Found::Held(reader.held(&query).await?),
            (Self::Portolan(reader), Way::Simulation | Way::SimulationByOverride) => {
                Found::Received(reader.claims(&query, way).await?)
            }
            (Self::Portolan(reader), _) => Found::All(reader.balances(&query).await?),
            (Self::Alloy(provider), _) => Found::All(provider.balances(&query, chunk).await?),
        };
        let wall = began.elapsed();
        tokio::time::sleep(SETTLE).await;
        let cpu = own_cpu()? - cpu;
        query.verify(&found)?;
        if let Self::Portolan(reader) = self {
            reader.verify_batch_method(&query)?;
        }
        Ok((wall, cpu))
    }

    /// Equal batches at once; `joined` is called when all of them wait for the node.
    async fn join(
        &mut self,
        query: BalanceQuery<'_>,
        joiners: usize,
        lines: &mut impl Iterator<Item = std::io::Result<String>>,
        joined: &mut impl FnMut() -> Result<()>,
    ) -> Result<(Duration, Duration)> {
        let Self::Portolan(reader) = self else { bail!("only Portolan's reads join") };
        let batches = reader.batches(&query, joiners + 1).await?;
        say("ready")?;
        lines.next().context("nobody says go")??;
        let (cpu, began) = (own_cpu()?, Instant::now());
        let answers = batches.read(joined).await?;
        let (wall, cpu) = (began.elapsed(), own_cpu()? - cpu);
        for answer in &answers {
            query.verify(&Found::All(portolan::amounts(answer)?))?;
        }
        Ok((wall, cpu))
    }
}
