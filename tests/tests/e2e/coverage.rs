//! The tables of `plugins/README.md`: the plugins, and the protocols that they serve by their own catalogues; with which
//! kits accounts are answered, and the contracts that those were tried on. The trials are from the table of `tried.rs`,
//! the replaced contracts from that of `replaced.rs`.

mod replaced;
pub(crate) mod tried;
mod unserved;
mod value_held;

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
use portolan_tests::chain::Chain;
use portolan_tests::gateway::Setup;
use portolan_tests::{build, tables};

/// The questions about an account, with the head of their column.
const QUESTIONS: [(Question, &str); 5] = [
    (Question::CLAIMABLES, "claimables"),
    (Question::FARMING, "farming"),
    (Question::LENDING, "lending and borrowing"),
    (Question::POOLING, "pooling"),
    (Question::LOCKED, "locked"),
];

/// The other questions, by the names that the table of protocols has.
const WITHOUT_ACCOUNT: [(Question, &str); 2] =
    [(Question::COMPOSITION, "what its shares redeem to"), (Question::EVENTS, EVENTS)];

const EVENTS: &str = "events";

/// The number of answered protocols that the issue of breadth requires at least.
const ANSWERED_MIN: usize = 35;

/// A plugin's name and its catalogue.
type Named = (String, Catalogue);

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

/// A protocol, as its plugin's catalogue has it.
#[derive(Debug, Default)]
struct Served {
    plugin: String,
    name: String,
    primitives: Vec<String>,
    /// The networks of each question.
    questions: BTreeMap<&'static str, BTreeSet<String>>,
}

impl Served {
    fn networks(&self, question: &str) -> String {
        let networks: Vec<&str> = self.questions.get(question).into_iter().flatten().map(String::as_str).collect();
        networks.join(", ")
    }

    fn all_networks(&self) -> String {
        let networks: BTreeSet<&str> = self.questions.values().flatten().map(String::as_str).collect();
        networks.into_iter().collect::<Vec<_>>().join(", ")
    }

    fn answers_about_accounts(&self) -> bool {
        QUESTIONS.iter().any(|(_, head)| self.questions.contains_key(head))
    }
}

/// The protocols, by slug.
fn served(catalogues: &[Named]) -> Result<BTreeMap<String, Served>> {
    let mut found = BTreeMap::new();
    for (plugin, catalogue) in catalogues {
        for protocol in &catalogue.protocols {
            let (name, primitives) = (protocol.name.clone(), protocol.primitives.clone());
            let served = Served { plugin: plugin.clone(), name, primitives, questions: BTreeMap::new() };
            let other = found.insert(protocol.slug.clone(), served);
            ensure!(other.is_none(), "{} is served by {plugin} and by {other:?}", protocol.slug);
        }
        let lists_events = catalogue.deployments.iter().any(|row| row.questions.contains(&Question::EVENTS));
        let decodes = catalogue.event_topics.as_ref().is_some_and(|topics| !topics.is_empty());
        for row in &catalogue.deployments {
            let name = network(row.chain_id).map(|network| network.listing.slug);
            let network = name.map_or_else(|| row.chain_id.to_string(), str::to_owned);
            let served = found.get_mut(&row.protocol).with_context(|| row.protocol.clone())?;
            let questions = QUESTIONS.iter().chain(&WITHOUT_ACCOUNT);
            let answered = questions.filter(|(question, _)| row.questions.contains(question)).map(|(_, head)| *head);
            // A plugin that reports the events of its deployments alone has no rows of them.
            for head in answered.chain((decodes && !lists_events).then_some(EVENTS)) {
                served.questions.entry(head).or_default().insert(network.clone());
            }
        }
    }
    Ok(found)
}

/// Returns the plugins with the first paragraphs of their READMEs.
fn plugins_table(catalogues: &[Named]) -> Result<String> {
    let mut text = "| plugin | what it is about |\n|---|---|\n".to_owned();
    for (plugin, _) in catalogues {
        let readme = fs::read_to_string(build::workspace().join("plugins").join(plugin).join("README.md"))?;
        let about = readme.split("\n\n").nth(1).with_context(|| format!("{plugin}: the README has no paragraph"))?;
        text += &format!("| [`{plugin}`]({plugin}/README.md) | {} |\n", about.replace('\n', " "));
    }
    Ok(text)
}

fn protocols_table(served: &BTreeMap<String, Served>) -> String {
    let mut text = "| protocol | name | plugin | kind | networks | answers |\n|---|---|---|---|---|---|\n".to_owned();
    for (slug, protocol) in served {
        let Served { plugin, name, primitives, questions } = protocol;
        let heads = QUESTIONS.iter().chain(&WITHOUT_ACCOUNT).map(|(_, head)| *head);
        let answers = heads.filter(|head| questions.contains_key(head)).collect::<Vec<_>>().join(", ");
        let (kind, networks) = (primitives.join(", ").to_lowercase(), protocol.all_networks());
        text +=
            &format!("| `{slug}` | {name} | [`{plugin}`]({plugin}/README.md) | {kind} | {networks} | {answers} |\n");
    }
    text
}

fn accounts_table(served: &BTreeMap<String, Served>) -> String {
    let heads: Vec<&str> = QUESTIONS.iter().map(|(_, head)| *head).collect();
    let (titles, lines) = (heads.join(" | "), "---|".repeat(heads.len()));
    let mut text = format!("| protocol | kits | tried on | {titles} |\n|---|---|---|{lines}\n");
    for (slug, protocol) in served.iter().filter(|(_, protocol)| protocol.answers_about_accounts()) {
        let cells: Vec<String> = heads.iter().map(|head| protocol.networks(head)).collect();
        let kits: BTreeSet<String> = tried::of(slug).map(|form| format!("`{}`", form.kit)).collect();
        let kits = kits.into_iter().collect::<Vec<_>>().join(", ");
        text += &format!("| `{slug}` | {kits} | {} | {} |\n", tried::kinds(slug).join(", "), cells.join(" | "));
    }
    text
}

fn kits_table() -> String {
    let mut text = "| kit | form | tried on | protocols |\n|---|---|---|---|\n".to_owned();
    for form in tried::FORMS {
        let slugs: Vec<String> = form.slugs.iter().map(|slug| format!("`{slug}`")).collect();
        text += &format!("| `{}` | {} | {} | {} |\n", form.kit, form.name, form.tried, slugs.join(", "));
    }
    text
}

fn replaced_table() -> String {
    let mut text = "| protocol | what | answers |\n|---|---|---|\n".to_owned();
    for row in replaced::REPLACED {
        text += &format!("| `{}` | {} | {} |\n", row.slug, row.what, row.fate);
    }
    text
}

#[test]
fn the_tables_of_protocols_are_those_of_the_catalogues() {
    let catalogues = catalogues().unwrap();
    let served = served(&catalogues).unwrap();
    replaced::check(&markets(&catalogues)).unwrap();
    let answered = served.iter().filter(|(_, protocol)| protocol.answers_about_accounts());
    let answered: BTreeMap<_, _> = answered.map(|(slug, protocol)| (slug.clone(), protocol.plugin.clone())).collect();
    assert!(answered.len() >= ANSWERED_MIN, "only {} protocols are answered", answered.len());
    tried::check(&answered).unwrap();
    let readme = build::workspace().join("plugins/README.md");
    let tables = [
        ("plugins", plugins_table(&catalogues).unwrap()),
        ("protocols", protocols_table(&served)),
        ("accounts", accounts_table(&served)),
        ("kits", kits_table()),
        ("replaced", replaced_table()),
    ];
    for (name, table) in tables {
        tables::check(&readme, name, &table).unwrap();
    }
}

#[test]
fn the_page_of_value_held_follows_from_the_catalogues() {
    let page = value_held::page(&catalogues().unwrap()).unwrap();
    tables::check_file(&build::workspace().join("plugins/COVERAGE.md"), &page).unwrap();
}

/// The networks that a gateway lists without an endpoint of theirs.
fn listed(chain_id: u64) -> Option<&'static str> {
    network(chain_id).filter(|network| !network.needs_endpoint).map(|network| network.listing.slug)
}

/// The questions that catalogues declare on listed networks, by protocol, network, question and plugin, each with the
/// number of markets.
fn declared(catalogues: &[Named]) -> BTreeMap<[String; 4], usize> {
    let mut rows = BTreeMap::new();
    for (plugin, catalogue) in catalogues {
        let lists_events = catalogue.deployments.iter().any(|row| row.questions.contains(&Question::EVENTS));
        let decodes = catalogue.event_topics.as_ref().is_some_and(|topics| !topics.is_empty());
        let unlisted = (decodes && !lists_events).then_some(Question::EVENTS);
        for row in &catalogue.deployments {
            let Some(network) = listed(row.chain_id) else { continue };
            for question in row.questions.iter().copied().chain(unlisted) {
                let key = [&row.protocol, network, question.name(), plugin].map(ToString::to_string);
                *rows.entry(key).or_default() += 1;
            }
        }
    }
    rows
}

#[test]
fn the_gateway_covers_what_the_catalogues_declare() {
    let (chain, built) = (Chain::start("polygon").unwrap(), build::built().unwrap());
    let catalogues = catalogues().unwrap();
    let mut setup = Setup::default().rpc("137", &chain.url);
    for (plugin, file) in build::plugins().unwrap() {
        let (_, catalogue) = catalogues.iter().find(|(name, _)| *name == plugin).unwrap();
        let slugs: Vec<&str> = catalogue.protocols.iter().map(|protocol| protocol.slug.as_str()).collect();
        setup = setup.plugin(&built.plugin(&file), &slugs);
    }
    let gateway = setup.start().unwrap();
    let response = gateway.get("/protocols/coverage").unwrap();
    assert_eq!(response.status, 200, "{}", response.body);
    let answer = response.json().unwrap();
    let mut rows = BTreeMap::new();
    for row in answer.items().unwrap() {
        let key = ["protocol", "network", "question", "plugin/name"].map(|name| row.text_at(name).unwrap().to_owned());
        assert_eq!(listed(row.at("chainId").unwrap().to_string().parse().unwrap()), Some(key[1].as_str()), "{row}");
        assert!(!row.text_at("plugin/version").unwrap().is_empty(), "{row}");
        let markets: usize = row.at("markets").unwrap().to_string().parse().unwrap();
        assert!(rows.insert(key, markets).is_none(), "twice: {row}");
    }
    assert!(rows.len() > ANSWERED_MIN, "{rows:?}");
    assert_eq!(rows, declared(&catalogues));
    let full = gateway.get("/protocols/coverage?detail=full").unwrap().json().unwrap();
    assert_eq!(full.at("items").unwrap(), &answer);
    let figures = value_held::figures(&catalogues).unwrap();
    for value in full.at("report/valueHeld/networks").unwrap().items().unwrap() {
        let number = |name: &str| value.at(name).unwrap().to_string().parse::<u64>().unwrap();
        assert_eq!(figures[&number("chainId")], ["dollars", "inReach", "inPart"].map(number), "{value}");
    }
    let of_protocols = gateway.get("/protocols").unwrap();
    for header in ["portolan-blocks", "portolan-partial", "cache-control", "vary"] {
        assert_eq!(response.header(header), of_protocols.header(header), "{header}");
    }
    assert!(response.header("etag").is_some_and(|tag| of_protocols.header("etag") != Some(tag)));
}
