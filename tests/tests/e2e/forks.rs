//! A fork by a settings file alone, with a real second deployment on the chain; and the plugins that are forks' own.

use anyhow::{Context as _, Result};
use portolan_tests::build;
use portolan_tests::gateway::{Gateway, IN_FORCE_WITHIN, Setup};
use portolan_tests::json::Json;
use portolan_tests::protocol::{self, PLUGINS, Question};
use portolan_tests::truth::{self, ACCOUNTS, Detail};
use portolan_tests::wait;
use portolan_tests::world::{self, World};

/// The forks that settings files make, and their plugins.
const FORKS: [(&str, &str); 4] = [
    ("sushiswap", "harbourswap"),
    ("sushiswap", "pangolin"),
    ("aave-v3", "harbour_lend"),
    ("quickswap", "harbour_farms"),
];

/// Everything that the gateway answers about a protocol, about every account, against the arithmetic.
fn assert_served(world: &World, gateway: &Gateway, slug: &str, questions: &[Question]) {
    let mut rows = 0;
    for who in ACCOUNTS {
        for question in questions {
            let path = question.path(slug, world.address(who).unwrap());
            let response = gateway.get(&path).unwrap();
            assert_eq!((response.status.as_u16(), response.header("portolan-partial")), (200, None), "{path}");
            let expected = world.answer(who, *question, slug, Detail::Plain).unwrap();
            rows += expected.len();
            let faults = truth::faults(&response.json().unwrap(), &expected).unwrap();
            assert!(faults.is_empty(), "{path}:\n{}", faults.join("\n"));
        }
    }
    assert!(rows > 0, "nobody has anything in {slug}");
}

fn in_force(what: &str, gateway: &Gateway, look: impl FnMut() -> Result<()>) {
    wait::until(what, IN_FORCE_WITHIN, look).with_context(|| gateway.log()).unwrap();
}

#[test]
fn a_settings_file_alone_adds_a_fork_and_takes_it_away() {
    let world = World::start().unwrap();
    let built = build::built().unwrap();
    let setup = Setup::default().config(&world.config().unwrap());
    let setup = PLUGINS.iter().fold(setup, |setup, plugin| setup.plugin(&built.plugin(plugin.file), &[]));
    let gateway = world.on_chains(setup).start().unwrap();
    gateway.serves(&["aave_v3", "quickswap", "sushiswap"].map(str::to_owned)).unwrap();
    let status = |slug: &str| {
        gateway.get(&Question::Claimables.path(slug, world.address("farmer").unwrap())).unwrap().status.as_u16()
    };
    for (_, slug) in FORKS {
        assert_eq!(status(slug), 404, "{slug} is known before its settings");
    }
    for plugin in &PLUGINS {
        gateway.drop_in(&format!("{}.toml", plugin.name), world.settings(plugin).unwrap().as_bytes()).unwrap();
    }
    for (plugin, slug) in FORKS {
        in_force(slug, &gateway, || gateway.serves(&[slug.to_owned()]));
        let questions = PLUGINS.iter().find(|row| row.name == plugin).unwrap().questions;
        assert_served(&world, &gateway, slug, questions);
    }
    gateway.take_out("sushiswap.toml").unwrap();
    in_force("the end of the forks", &gateway, || {
        for slug in ["harbourswap", "pangolin"] {
            anyhow::ensure!(gateway.serves(&[slug.to_owned()]).is_err(), "{slug} is still served");
        }
        Ok(())
    });
    assert_eq!(status("harbourswap"), 404);
    assert_served(&world, &gateway, "harbour_lend", &[Question::Lending]);
}

/// A stand-in for a protocol of another plugin's settings, written in the words of the plugin under test.
struct Other {
    plugin: &'static str,
    file: &'static str,
    slug: &'static str,
    stands_for: &'static str,
    /// `vaultType` of positions, `type` of claimables.
    words: (&'static str, &'static str),
}

const OTHERS: [Other; 2] = [
    Other {
        plugin: "spookyswap",
        file: "libspookyswap.so",
        slug: "spookyswap",
        stands_for: "harbourswap",
        words: ("master-chef-v1", "master-chef-v1"),
    },
    Other {
        plugin: "hop",
        file: "libhop.so",
        slug: "hop",
        stands_for: "harbour_farms",
        words: ("hop-staking-rewards", "hop-reward"),
    },
];

impl Other {
    /// A row of the other plugin as this one has to find it.
    fn reported(&self, row: &Json, question: Question) -> Json {
        let document = protocol::listed(self.slug).unwrap();
        let (vault_type, kind) = self.words;
        let Json::Object(members) = row else { panic!("{row} is not a row") };
        let reported = |name: &str, value: &Json| match (name, question) {
            ("protocol", Question::Claimables) => document.clone(),
            ("protocol", _) => document.without(&["company"]),
            ("vaultType", _) => Json::text(vault_type),
            ("type", _) => Json::text(kind),
            _ => value.clone(),
        };
        Json::Object(members.iter().map(|(name, value)| (name.clone(), reported(name, value))).collect())
    }

    /// The rows of the build's settings, under the plugin's own protocol.
    fn settings(&self, world: &World) -> String {
        let (protocols, rows) = world.settings_as(self.stands_for, self.slug).unwrap();
        world::file(false, protocols, rows).unwrap()
    }
}

#[test]
fn the_kits_serve_other_plugins_as_well() {
    const NETWORK: &str = "fantom";
    let world = World::start().unwrap();
    let (chain, _) = world.chain(NETWORK).unwrap();
    let mut setup = Setup::default().config(&world.config().unwrap()).rpc(NETWORK, &chain.url);
    for other in &OTHERS {
        let dylib = build::built().unwrap().plugin(other.file);
        setup = setup.plugin(&dylib, &[other.slug]).settings(other.plugin, &other.settings(&world));
    }
    let gateway = setup.start().unwrap();
    for other in &OTHERS {
        let mut rows = 0;
        for who in ACCOUNTS {
            for question in [Question::Claimables, Question::Farming] {
                let path = question.path(other.slug, world.address(who).unwrap());
                let response = gateway.get(&path).unwrap();
                assert_eq!((response.status.as_u16(), response.header("portolan-partial")), (200, None), "{path}");
                let expected = world.answer(who, question, other.stands_for, Detail::Plain).unwrap();
                let expected: Vec<Json> = expected.iter().map(|row| other.reported(row, question)).collect();
                rows += expected.len();
                let faults = truth::faults(&response.json().unwrap(), &expected).unwrap();
                assert!(faults.is_empty(), "{path}:\n{}", faults.join("\n"));
            }
        }
        assert!(rows > 0, "nobody has anything in {}", other.slug);
    }
}
