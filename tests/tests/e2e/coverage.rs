//! The tables of `plugins/COVERAGE.md`: the protocols that the shipped plugins answer about, by their own catalogues,
//! with which kits, and the contracts that those were tried on. The trials are from the table of `tried.rs`, the
//! replaced contracts from that of `replaced.rs`.
//!
//! `PORTOLAN_WRITE_COVERAGE=1 cargo test -p portolan-tests --test e2e coverage` writes it anew.

mod replaced;
pub(crate) mod tried;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use abi_stable::library::lib_header_from_path;
use abi_stable::std_types::RSlice;
use anyhow::{Context as _, Result, anyhow, ensure};
use portolan_abi::map::{Catalogue, Settings};
use portolan_abi::root::PluginRef;
use portolan_abi::{Question, codec};
use portolan_networks::network;
use portolan_tests::build;

/// The questions about an account, with the head of their column.
const QUESTIONS: [(Question, &str); 5] = [
    (Question::CLAIMABLES, "claimables"),
    (Question::FARMING, "farming"),
    (Question::LENDING, "lending and borrowing"),
    (Question::POOLING, "pooling"),
    (Question::LOCKED, "locked"),
];

/// The number of answered protocols that the issue of breadth requires at least.
const ANSWERED_MIN: usize = 35;

/// A plugin's name and its catalogue.
type Named = (String, Catalogue);

/// The networks of each question of a protocol.
type Answers = BTreeMap<&'static str, BTreeSet<String>>;

/// The catalogue of a plugin with the deployments that it ships.
fn catalogue(dylib: &Path) -> Result<Catalogue> {
    let header = lib_header_from_path(dylib).map_err(|error| anyhow!("{}: {error}", dylib.display()))?;
    let module: PluginRef = header.init_root_module().map_err(|error| anyhow!("{}: {error}", dylib.display()))?;
    let settings = codec::encode(&Settings { shipped: true, ..Settings::default() });
    let instance = (module.configure())(RSlice::from_slice(&settings)).into_result();
    let instance = instance.map_err(|_| anyhow!("{}: refuses empty settings", dylib.display()))?;
    let bytes = (module.catalogue())(&instance);
    let catalogue = codec::decode(&bytes).with_context(|| dylib.display().to_string());
    (module.drop_instance())(instance);
    catalogue
}

fn catalogues() -> Result<Vec<Named>> {
    let built = build::built()?;
    let plugins = build::plugins()?.into_iter();
    plugins.map(|(plugin, file)| Ok((plugin, catalogue(&built.plugin(&file))?))).collect()
}

/// The protocols and markets that have a deployment.
fn markets(catalogues: &[Named]) -> BTreeSet<(String, String)> {
    let rows = catalogues.iter().flat_map(|(_, catalogue)| &catalogue.deployments);
    rows.map(|row| (row.protocol.clone(), row.market.clone())).collect()
}

/// By slug, the plugin and what it answers of the protocol.
fn answers(catalogues: &[Named]) -> Result<BTreeMap<String, (String, Answers)>> {
    let mut found: BTreeMap<String, (String, Answers)> = BTreeMap::new();
    for (plugin, catalogue) in catalogues {
        for row in &catalogue.deployments {
            let name = network(row.chain_id).map(|network| network.listing.slug);
            let network = name.map_or_else(|| row.chain_id.to_string(), str::to_owned);
            for (_, question) in QUESTIONS.iter().filter(|(question, _)| row.questions.contains(question)) {
                let (owner, answers) = found.entry(row.protocol.clone()).or_insert((plugin.clone(), Answers::new()));
                ensure!(owner == plugin, "{} is answered by {owner} and {plugin}", row.protocol);
                answers.entry(question).or_default().insert(network.clone());
            }
        }
    }
    Ok(found)
}

fn table() -> Result<String> {
    let catalogues = catalogues()?;
    let answers = answers(&catalogues)?;
    replaced::check(&markets(&catalogues))?;
    ensure!(answers.len() >= ANSWERED_MIN, "only {} protocols are answered", answers.len());
    tried::check(&answers.iter().map(|(slug, (plugin, _))| (slug.clone(), plugin.clone())).collect())?;
    let heads: Vec<&str> = QUESTIONS.iter().map(|(_, head)| *head).collect();
    let mut text = format!(
        "# What is answered about accounts\n\nThe networks on which the shipped plugins answer each question, by their \
         own catalogues; {} protocols. What the kits that answer a protocol were tried on stands beside them: on the \
         contracts' real bytecode or on doubles, on the test chains that are named \
         ([`tests/chain`](../tests/chain/README.md)), or with canned replies alone; the second table has each form of \
         a kit by itself. A test writes this file (`tests/tests/e2e/coverage.rs`), and fails where it is not true any \
         more.\n\n| protocol | plugin | kits | tried on | {} |\n|---|---|---|---|{}\n",
        answers.len(),
        heads.join(" | "),
        "---|".repeat(heads.len())
    );
    for (slug, (plugin, answers)) in answers {
        let networks = |head: &&str| {
            let networks: Vec<String> = answers.get(head).into_iter().flatten().cloned().collect();
            networks.join(", ")
        };
        let cells: Vec<String> = heads.iter().map(networks).collect();
        let kits: BTreeSet<String> = tried::of(&slug).map(|form| format!("`{}`", form.kit)).collect();
        let kits = kits.into_iter().collect::<Vec<_>>().join(", ");
        let (on, cells) = (tried::kinds(&slug).join(", "), cells.join(" | "));
        text.push_str(&format!("| `{slug}` | [`{plugin}`]({plugin}/README.md) | {kits} | {on} | {cells} |\n"));
    }
    text.push_str("\n## By kit\n\nA form without a protocol is there for settings files.\n\n");
    text.push_str("| kit | form | tried on | protocols |\n|---|---|---|---|\n");
    for form in &tried::FORMS {
        let slugs: Vec<String> = form.slugs.iter().map(|slug| format!("`{slug}`")).collect();
        text.push_str(&format!("| `{}` | {} | {} | {} |\n", form.kit, form.name, form.tried, slugs.join(", ")));
    }
    text.push_str(
        "\n## What was replaced\n\nContracts of these protocols that others have replaced, and that may hold ",
    );
    text.push_str("stakes still: the market in which they are read, or what else an answer says of them.\n\n");
    text.push_str("| protocol | what | answers |\n|---|---|---|\n");
    for row in &replaced::REPLACED {
        text.push_str(&format!("| `{}` | {} | {} |\n", row.slug, row.what, row.fate));
    }
    Ok(text)
}

#[test]
fn the_table_of_what_is_answered_is_that_of_the_catalogues() {
    let (file, table) = (build::workspace().join("plugins/COVERAGE.md"), table().unwrap());
    if std::env::var_os("PORTOLAN_WRITE_COVERAGE").is_some() {
        fs::write(&file, &table).unwrap();
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), table, "write it anew with PORTOLAN_WRITE_COVERAGE=1");
}
