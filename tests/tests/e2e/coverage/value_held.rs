//! `plugins/COVERAGE.md`: what the largest protocols hold on each network, and which of it the plugins answer about.
//!
//! Invariant: this is computed from the two tables of the host and the plugins' own catalogues, never by hand.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use anyhow::{Context as _, Result, ensure};
use portolan_abi::Question;
use portolan_abi::map::Deployment;
use portolan_networks::network;

use super::{Named, QUESTIONS, unserved};

const HELD: &str = include_str!("../../../../host/src/gateway/coverage/value_held.csv");
const LISTED: &str = include_str!("../../../../host/src/gateway/coverage/listed_protocols.csv");

/// The date and the place of the list are those that the host tells.
const INTRO: &str = "\
# Value held, and what is answered about it

A test writes this page from the plugins' own catalogues and a list of what protocols hold. It fails where the page is not true any more; [CONTRIBUTING](../CONTRIBUTING.md) has the command.

The list is [DefiLlama's list of protocols](https://api.llama.fi/protocols) of 4 October 2026, as [a public repository](https://github.com/crypto-data-cc/data/blob/054a109c5358790a67c02fed0ffac40c313c3afd/data/raw/defillama_protocols.json) stores it. Newer dollars are not known here.
It has the values of each protocol by network (`chainTvls`), without what is borrowed, what is staked in the protocol's own token, and pools of that token.
It was taken down to protocols that hold 38.5 million dollars on all networks together. So a table with fewer than fifty rows lacks smaller protocols.

A protocol is *in reach* on a network if a deployment there holds its value, and answers the question that is about all of this value: loans for a lending market, shares of pools for an exchange. It is *in part* if deployments answer about a part, such as stakes of shares, and the list does not tell the parts apart. Only the former counts in the share.
[`/protocols/coverage?detail=full`](../host/docs/use/protocols.md#what-is-answered) tells the same about the plugins in service.

";

/// Categories of DefiLlama whose value is no position of an account, or stands in the list twice.
const LEFT_OUT: [(&str, &str); 9] = [
    ("CEX", "the exchange holds it"),
    ("Chain", "it secures a network"),
    ("Bridge", "a bridge holds it while its token circulates elsewhere"),
    ("Canonical Bridge", "the same"),
    ("Staking Pool", "ether of validators, which the protocols that stake it hold"),
    ("Risk Curators", "deposits in vaults of lending protocols, which stand there"),
    ("CDP Manager", "positions in lending protocols, which stand there"),
    ("`spark-liquidity-layer`, `grove-finance`", "funds of the protocol itself"),
    ("`fluid-dex`, `vfat.io`", "positions in other protocols of the list, which stand there"),
];

/// Words for the reasons of the table of protocols.
const REASONS: [(&str, &str); 8] = [
    ("not built", "no kit or row reads it yet"),
    ("plain token", "it is a token alone, which `/balance` shows"),
    ("off chain", "accounts stand in the protocol's own books"),
    ("no list on chain", "no contract lists what an account has"),
    ("private", "the contracts hide whose it is"),
    ("custody", "a bridge holds it"),
    ("counted twice", "it stands in another row"),
    ("dead", "the protocol has ended"),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reach {
    Whole,
    Part,
    Nothing,
}

/// A row of `listed_protocols.csv`.
#[derive(Debug)]
struct Listed<'a> {
    name: &'a str,
    slug: &'a str,
    markets: Vec<&'a str>,
    questions: Vec<Question>,
    is_whole: bool,
    reason: &'a str,
}

impl<'a> Listed<'a> {
    fn of(line: &'a str) -> Result<(&'a str, Self)> {
        let cells: Vec<&str> = line.split(',').collect();
        let [listed, name, _category, slug, markets, questions, extent, reason] = cells[..] else {
            anyhow::bail!("not eight cells: {line}");
        };
        let known = |word: &str| Question::by_name(word).with_context(|| format!("{listed}: no question {word}"));
        let questions = questions.split_whitespace().map(known).collect::<Result<_>>()?;
        ensure!(
            reason.is_empty() || REASONS.iter().any(|(word, _)| *word == reason),
            "{listed}: no words for {reason}"
        );
        let markets = markets.split_whitespace().collect();
        Ok((listed, Self { name, slug, markets, questions, is_whole: extent == "whole", reason }))
    }

    fn reach(&self, rows: &[&Deployment]) -> (Reach, Vec<&'static str>) {
        let holds = |market: &str| {
            self.markets
                .iter()
                .any(|name| name.strip_suffix('*').map_or(market == *name, |start| market.starts_with(start)))
        };
        let rows = rows.iter().filter(|row| row.protocol == self.slug && holds(&row.market));
        let answered: BTreeSet<Question> = rows.flat_map(|row| row.questions.iter().copied()).collect();
        let heads: Vec<_> =
            QUESTIONS.iter().filter(|(question, _)| answered.contains(question)).map(|(_, head)| *head).collect();
        let is_whole = self.is_whole && self.questions.iter().any(|question| answered.contains(question));
        match (heads.is_empty(), is_whole) {
            (true, _) => (Reach::Nothing, heads),
            (false, true) => (Reach::Whole, heads),
            (false, false) => (Reach::Part, heads),
        }
    }
}

/// What a protocol holds on a network.
#[derive(Debug)]
struct Row<'a> {
    listed: &'a Listed<'a>,
    dollars: u64,
    reach: Reach,
    heads: Vec<&'static str>,
}

/// What the largest protocols hold on a network.
#[derive(Debug)]
struct NetworkValue<'a> {
    chain_id: u64,
    rows: Vec<Row<'a>>,
}

impl NetworkValue<'_> {
    fn name(&self) -> String {
        network(self.chain_id).map_or_else(|| self.chain_id.to_string(), |network| network.listing.slug.to_owned())
    }

    fn dollars(&self, counts: impl Fn(Reach) -> bool) -> u64 {
        self.rows.iter().filter(|row| counts(row.reach)).map(|row| row.dollars).sum()
    }

    fn share(&self, dollars: u64) -> String {
        format!("{:.1} %", 100.0 * dollars as f64 / self.dollars(|_| true) as f64)
    }
}

fn lines(table: &str) -> impl Iterator<Item = &str> {
    table.lines().filter(|line| !line.starts_with('#'))
}

fn listed() -> Result<BTreeMap<&'static str, Listed<'static>>> {
    lines(LISTED).map(Listed::of).collect()
}

/// The networks of the list, those of the table of networks first, in its order.
fn networks<'a>(listed: &'a BTreeMap<&str, Listed<'a>>, catalogues: &[Named]) -> Result<Vec<NetworkValue<'a>>> {
    let deployments = || catalogues.iter().flat_map(|(_, catalogue)| &catalogue.deployments);
    let mut found: Vec<NetworkValue<'_>> = Vec::new();
    for line in lines(HELD) {
        let cells: Vec<&str> = line.split(',').collect();
        let [chain_id, slug, thousands] = cells[..] else { anyhow::bail!("not three cells: {line}") };
        let (chain_id, dollars) = (chain_id.parse()?, thousands.parse::<u64>()? * 1_000);
        let listed = listed.get(slug).with_context(|| format!("{slug} is not a listed protocol"))?;
        let rows: Vec<&Deployment> = deployments().filter(|row| row.chain_id == chain_id).collect();
        let (reach, heads) = listed.reach(&rows);
        let row = Row { listed, dollars, reach, heads };
        match found.iter_mut().find(|value| value.chain_id == chain_id) {
            Some(value) => value.rows.push(row),
            None => found.push(NetworkValue { chain_id, rows: vec![row] }),
        }
    }
    let place = |chain_id: u64| portolan_networks::NETWORKS.iter().position(|network| network.chain_id == chain_id);
    found.sort_by_key(|value| (place(value.chain_id).unwrap_or(usize::MAX), value.chain_id));
    Ok(found)
}

fn millions(dollars: u64) -> String {
    format!("{:.1}", dollars as f64 / 1e6)
}

fn table_of(value: &NetworkValue<'_>) -> String {
    let mut text = format!("### {}\n\n", value.name());
    text += "| protocol | million dollars | share | here | questions answered, or why none |\n|---|---|---|---|---|\n";
    for Row { listed, dollars, reach, heads } in &value.rows {
        let slug = if *reach == Reach::Nothing { String::new() } else { format!("`{}`", listed.slug) };
        let answer = match reach {
            Reach::Whole => heads.join(", "),
            Reach::Part => format!("in part: {}", heads.join(", ")),
            Reach::Nothing if listed.reason.is_empty() => "*not built*".to_owned(),
            Reach::Nothing => format!("*{}*", listed.reason),
        };
        let (name, held, share) = (listed.name, millions(*dollars), value.share(*dollars));
        text += &format!("| {name} | {held} | {share} | {slug} | {answer} |\n");
    }
    text
}

fn rows_of<const ROWS: usize>(heads: [&str; 2], rows: [(&str, &str); ROWS]) -> String {
    let rows = rows.iter().map(|(one, other)| format!("| {one} | {other} |\n"));
    format!("| {} |\n|---|---|\n{}", heads.join(" | "), rows.collect::<String>())
}

/// Returns the page, and refuses mappings to markets that a served protocol does not have on any network.
pub(super) fn page(catalogues: &[Named]) -> Result<String> {
    let listed = listed()?;
    let values = networks(&listed, catalogues)?;
    let mut text = format!("{INTRO}## Figures\n\n");
    text += "| network | million dollars of the fifty largest | in reach | in part | share in reach |\n|---|---|---|---|---|\n";
    for value in &values {
        let (all, whole) = (value.dollars(|_| true), value.dollars(|reach| reach == Reach::Whole));
        let (part, share) = (value.dollars(|reach| reach == Reach::Part), value.share(whole));
        let name = value.name();
        let [all, whole, part] = [all, whole, part].map(millions);
        writeln!(text, "| [{name}](#{name}) | {all} | {whole} | {part} | {share} |")?;
    }
    write!(text, "\nLeft out of the fifty:\n\n{}", rows_of(["category or protocol", "why"], LEFT_OUT))?;
    write!(text, "\nReasons in the tables below:\n\n{}", rows_of(["reason", "what it says"], REASONS))?;
    text += "\n## Networks\n\n";
    text += &values.iter().map(table_of).collect::<Vec<_>>().join("\n");
    write!(text, "\n{}", unserved::section())?;
    Ok(text)
}

/// What the gateway's report says of a network: dollars of all, in reach and in part.
pub(super) fn figures(catalogues: &[Named]) -> Result<BTreeMap<u64, [u64; 3]>> {
    let listed = listed()?;
    let values = networks(&listed, catalogues)?.into_iter();
    Ok(values
        .map(|value| {
            let of = |wanted: Reach| value.dollars(|reach| reach == wanted);
            (value.chain_id, [value.dollars(|_| true), of(Reach::Whole), of(Reach::Part)])
        })
        .collect())
}
