//! The cost of one answer about many accounts against answers about one after the other, over all shipped plugins on ten
//! distant networks: those of the section `shipped`, whose accounts have nothing, once all lists are walked.

use std::time::Duration;

use anyhow::{Context as _, Result, ensure};

use super::Say;
use super::delay::{HANDSHAKES, ROUND_TRIP};
use super::shipped::{QUESTIONS, ShippedAnswer, TenNetworks, declared};
use super::stand_in::{BLOCK_S, newest};
use super::table::{Verdict, begin, float, number, row};
use portolan_tests::wait;

const COUNTS: [usize; 3] = [1, 10, 100];
/// For answers that take longer than the usual limits allow; so they show what the whole costs.
const LIMITS: &str = "[answers]\ndeadline_ms = 120000\n[plugins.limits]\njob_ms = 60000\n";

pub(super) fn run(say: Say<'_>, _: &mut Verdict) -> Result<()> {
    let declared = declared()?;
    begin(
        say,
        "All plugins on ten networks at 50 ms, several accounts without anything, warm",
        &[
            "answers",
            "wall, ms",
            "processor time, ms",
            "of the plugins, ms",
            "reads requested",
            "requests",
            "bytes up",
            "bytes down",
            "peak memory, MiB",
        ],
    );
    for (question, path, _) in QUESTIONS {
        let mut limited = TenNetworks::start(&declared, [ROUND_TRIP, ROUND_TRIP * HANDSHAKES], "")?;
        limited.walk(path)?;
        let most = limited.at_once(path, 100)?;
        let parts = most.document.as_array().context("no parts")?;
        let whole = parts.iter().filter(|part| part["partial"].is_null()).count();
        let limits = format!(
            "\n{question}, with the usual limits: {whole} of 100 accounts are whole after {} ms",
            number(most.wall_ms)
        );
        for count in COUNTS {
            let mut network = TenNetworks::start(&declared, [ROUND_TRIP, ROUND_TRIP * HANDSHAKES], LIMITS)?;
            network.walk(path)?;
            let at_once = network.at_once(path, count)?;
            ensure!(at_once.is_whole, "an answer about {count} accounts is partial");
            let peak = network.gateway.memory_peak_mib()?;
            report(say, &format!("{question}, {count} at once"), &[at_once], Some(peak));
            next_block()?;
            let mut each = Vec::new();
            for _ in 0..count {
                let account = network.account();
                each.push(network.request(&format!("{path}/{account}"))?);
            }
            report(say, &format!("{question}, {count} one by one"), &each, None);
        }
        say(&limits);
    }
    Ok(())
}

fn next_block() -> Result<()> {
    let before = newest();
    let is_later = || if newest() > before { Ok(()) } else { anyhow::bail!("still at block {before}") };
    wait::until("the next block", Duration::from_secs(BLOCK_S * 2), is_later).map(drop)
}

impl TenNetworks {
    /// One answer about so many accounts, at a block of which nothing was read.
    fn at_once(&mut self, path: &str, count: usize) -> Result<ShippedAnswer> {
        next_block()?;
        let accounts: Vec<String> = (0..count).map(|_| self.account()).collect();
        self.request(&format!("{path}?accounts={}", accounts.join(",")))
    }
}

fn report(say: Say<'_>, name: &str, answers: &[ShippedAnswer], peak_mib: Option<f64>) {
    let sum = |figure: fn(&ShippedAnswer) -> f64| number(answers.iter().map(figure).sum());
    let cells = [
        name.to_owned(),
        sum(|answer| answer.wall_ms),
        sum(|answer| answer.cpu_ms),
        sum(|answer| answer.plugins_cpu_ms),
        sum(|answer| float(answer.sum(|reading| reading.reads))),
        sum(|answer| float(answer.sum(|_| 1))),
        sum(|answer| float(answer.sum(|reading| reading.up_bytes))),
        sum(|answer| float(answer.sum(|reading| reading.down_bytes))),
        peak_mib.map_or_else(String::new, number),
    ];
    row(say, &cells);
}
