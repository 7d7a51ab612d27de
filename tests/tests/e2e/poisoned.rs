//! A farm's address that an endpoint once lied about, with a contract of the liar's own behind it that every chain has:
//! once an honest endpoint is read, no claim goes there, however the lie came in, and what is stored has its origin.

use std::process::Command;
use std::time::Duration;

use alloy::primitives::{Address, B256, U256, keccak256};
use anyhow::{Context as _, Result, ensure};
use portolan_tests::build;
use portolan_tests::chain::Chain;
use portolan_tests::gateway::Gateway;
use portolan_tests::json::Json;
use portolan_tests::protocol::{PLUGINS, Plugin, Question};
use portolan_tests::rpc_fault::{Fault, RpcFault};
use portolan_tests::truth::{self, Detail};
use portolan_tests::wait;
use portolan_tests::world::World;
use serde_json::json;

use crate::early::runtime;

const NETWORK: &str = "polygon";
const PLUGIN: &str = "quickswap";
/// QuickSwap's factories on Polygon.
const FACTORIES: [&str; 2] =
    ["0x8aaa5e259f74c8114e0a471d9f2adfc66bfe09ed", "0x5eec262b05a57da9beb5fe96a34aa4ed0c5e029f"];
const THIEF: Address = Address::repeat_byte(0x66);
/// Blocks above one that is final; anvil has it 64 below the newest.
const FINAL_AFTER: &str = "0x46";
/// Several rounds of the task that writes.
const STORED_WITHIN: Duration = Duration::from_secs(60);
const MOVED_WITHIN: Duration = Duration::from_secs(30);

struct Rig {
    world: World,
    /// The farm that the lie is about, and its factory and staked token.
    factory: &'static str,
    slot: B256,
}

fn plugin() -> Plugin {
    *PLUGINS.iter().find(|plugin| plugin.name == PLUGIN).unwrap()
}

/// The slot of a mapping's entry, with the farm in it.
fn slot_of(chain: &Chain, factory: &str, staked: Address, farm: Address) -> Option<B256> {
    (0..16_u64).map(U256::from).find_map(|base| {
        let slot = keccak256([staked.into_word().as_slice(), &base.to_be_bytes::<32>()].concat());
        let stored = chain.rpc("eth_getStorageAt", json!([factory, slot, "latest"])).unwrap();
        (stored.as_str().unwrap().parse::<B256>().unwrap() == farm.into_word()).then_some(slot)
    })
}

impl Rig {
    fn start() -> Self {
        let world = World::of(&[NETWORK]).unwrap();
        let (chain, truth) = world.chain(NETWORK).unwrap();
        let rows = truth.rows("farmer", Question::Farming, Some(PLUGIN)).unwrap();
        let farms = rows.iter().filter(|row| row.text_at("vaultType").unwrap() == "quickswap-reward-rewardPool");
        let found = farms.into_iter().find_map(|row| {
            let address = |path: &str| row.text_at(path).unwrap().parse::<Address>().unwrap();
            let (farm, staked, reward) = (address("contract"), address("stakedToken"), address("rewardTokens/0"));
            let slot = |factory| Some((factory, slot_of(chain, factory, staked, farm)?));
            let (factory, slot) = FACTORIES.into_iter().find_map(slot)?;
            Some((factory, slot, staked, reward))
        });
        let Some((factory, slot, staked, reward)) = found else { panic!("no factory has a farm in a mapping") };
        // On every chain the thief's contract owes everybody 1,234 of the farm's reward.
        let owed = U256::from(1234) * U256::from(10).pow(U256::from(18));
        let word = |address: Address| U256::from_be_bytes(address.into_word().0);
        let code = runtime(&[
            ("earned(address)", owed),
            ("balanceOf(address)", owed),
            ("rewardsToken()", word(reward)),
            ("stakingToken()", word(staked)),
            ("totalSupply()", owed),
            ("rewardRate()", U256::ZERO),
            ("periodFinish()", U256::ZERO),
        ]);
        chain.rpc("anvil_setCode", json!([THIEF, alloy::primitives::hex::encode_prefixed(code)])).unwrap();
        // Later blocks have the time of the last, so that nothing is earned meanwhile.
        chain.rpc("anvil_setBlockTimestampInterval", json!([0])).unwrap();
        mine(chain, "0x1");
        Self { world, factory, slot }
    }

    fn chain(&self) -> &Chain {
        &self.world.chain(NETWORK).unwrap().0
    }

    /// Another node of the chain, which lies about the farm.
    fn liar(&self) -> Chain {
        let liar = Chain::start(NETWORK).unwrap();
        let code = self.chain().rpc("eth_getCode", json!([THIEF, "latest"])).unwrap();
        liar.rpc("anvil_setCode", json!([THIEF, code])).unwrap();
        liar.rpc("anvil_setBlockTimestampInterval", json!([0])).unwrap();
        self.lie(&liar);
        mine(&liar, "0x1");
        liar
    }

    fn lie(&self, chain: &Chain) {
        chain.rpc("anvil_setStorageAt", json!([self.factory, self.slot, THIEF.into_word()])).unwrap();
    }

    fn gateway(&self, endpoints: &[&RpcFault]) -> Gateway {
        let setup = self.world.with(&[plugin()]).unwrap().config("[facts]\nagain_after_s = 1\n");
        endpoints.iter().fold(setup, |setup, rpc| setup.rpc(NETWORK, &rpc.url())).start().unwrap()
    }

    fn claimables(&self, gateway: &Gateway, who: &str) -> String {
        let path = Question::Claimables.path(PLUGIN, self.world.address(who).unwrap());
        let response = gateway.get(&path).unwrap();
        assert_eq!(response.status, 200, "{}\n{}", response.body, gateway.log());
        response.body
    }

    /// That the lie is believed, as long as nobody else is read.
    fn assert_believed(&self, gateway: &Gateway) {
        let body = self.claimables(gateway, "farmer");
        assert!(body.contains(&format!("{THIEF:#x}")), "the lie did not come in: {body}");
    }

    /// That all accounts are answered as the chain's arithmetic says.
    fn assert_honest(&self, what: &str, gateway: &Gateway) {
        for who in ["whale", "farmer", "dust", "exited"] {
            let body = self.claimables(gateway, who);
            assert!(!body.contains(&format!("{THIEF:#x}")), "{what}, {who}: {body}");
            let expected = self.world.answer(who, Question::Claimables, PLUGIN, Detail::Plain).unwrap();
            let faults = truth::faults(&Json::parse(&body).unwrap(), &expected).unwrap();
            assert!(faults.is_empty(), "{what}, {who}: {}", faults.join("\n"));
        }
    }
}

fn mine(chain: &Chain, blocks: &str) {
    chain.rpc("anvil_mine", json!([blocks])).unwrap();
}

/// Runs `portolan state` on the gateway's folder; its stdout.
fn state(gateway: &Gateway, arguments: &[&str]) -> Result<String> {
    let folder = gateway.plugins_dir().with_file_name("state");
    let mut command = Command::new(build::built()?.host());
    command.arg("state").args(arguments).arg("--state").arg(folder);
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("PORTOLAN_")) {
        command.env_remove(name);
    }
    let output = command.output()?;
    ensure!(output.status.success(), "{}: {}", output.status, String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8(output.stdout)?)
}

/// The stored facts of an endpoint, once there are any.
fn stored(gateway: &Gateway, endpoint: &str) -> usize {
    let look = || {
        let shown = Json::parse(&state(gateway, &["show", "--network", NETWORK, "--endpoint", endpoint, "--json"])?)?;
        let facts = shown.at("facts")?.items()?;
        ensure!(!facts.is_empty(), "nothing is stored yet");
        for fact in facts {
            ensure!(fact.text_at("endpoint")? == endpoint && fact.text_at("network")? == NETWORK, "{fact}");
            fact.at("block").context("no block").and(fact.at("blockTime")).and(fact.at("storedAt"))?;
        }
        Ok::<_, anyhow::Error>(facts.len())
    };
    wait::until("stored facts", STORED_WITHIN, look).with_context(|| gateway.log()).unwrap().0
}

fn host(rpc: &RpcFault) -> String {
    rpc.url().trim_start_matches("http://").to_owned()
}

#[test]
fn a_lie_of_one_endpoint_of_two_is_no_target_once_the_other_is_read() {
    let rig = Rig::start();
    let liar = rig.liar();
    let (lying, honest) = (RpcFault::before(&liar.url).unwrap(), RpcFault::before(&rig.chain().url).unwrap());
    let gateway = rig.gateway(&[&lying, &honest]);
    rig.assert_believed(&gateway);
    lying.set(Fault::Status(500));
    // The liar's block is no block of the other, so the heads have to move on first.
    let path = Question::Claimables.path(PLUGIN, rig.world.address("nothing").unwrap());
    let answered = || {
        let response = gateway.get(&path)?;
        ensure!(response.status == 200 && response.body == "[]", "{}: {}", response.status, response.body);
        Ok::<_, anyhow::Error>(())
    };
    wait::until("the other's blocks", MOVED_WITHIN, answered).with_context(|| gateway.log()).unwrap();
    rig.assert_honest("after the liar is gone", &gateway);
}

#[test]
fn a_stored_lie_of_the_only_endpoint_is_no_target_once_its_address_leads_to_an_honest_node() {
    let rig = Rig::start();
    let liar = rig.liar();
    let rpc = RpcFault::before(&liar.url).unwrap();
    let mut gateway = rig.gateway(&[&rpc]);
    rig.assert_believed(&gateway);
    mine(&liar, FINAL_AFTER);
    let told = stored(&gateway, &host(&rpc));
    gateway.kill_and_restart(&[PLUGIN.to_owned()], |_| rpc.lead_to(&rig.chain().url)).unwrap();
    rig.assert_honest("after the restart", &gateway);
    let left = Json::parse(&state(&gateway, &["show", "--json"]).unwrap()).unwrap();
    let left = left.at("facts").unwrap().items().unwrap().len();
    assert!(left < told, "{left} of {told} facts of a liar are left");

    // The facts stored from now on are the honest node's; they can be purged while the gateway runs.
    mine(rig.chain(), FINAL_AFTER);
    stored(&gateway, &host(&rpc));
    let purged = state(&gateway, &["purge", "--endpoint", &host(&rpc)]).unwrap();
    assert!(purged.starts_with("purged ") && !purged.contains(" 0 from disk"), "{purged}");
    assert_eq!(
        state(&gateway, &["purge", "--network", "ethereum"]).unwrap().trim(),
        "purged 0 facts from memory and 0 from disk"
    );
    rig.assert_honest("after the purge", &gateway);
}

#[test]
fn a_lie_at_a_block_that_is_reorganised_away_does_not_stay() {
    let rig = Rig::start();
    let (chain, rpc) = (rig.chain(), RpcFault::before(&rig.chain().url).unwrap());
    let before = chain.snapshot().unwrap();
    rig.lie(chain);
    mine(chain, "0x2");
    let mut gateway = rig.gateway(&[&rpc]);
    rig.assert_believed(&gateway);
    chain.revert(&before).unwrap();
    mine(chain, FINAL_AFTER);
    // The heads have to move on to the chain that is left.
    let number = chain.newest().unwrap();
    let moved = || {
        let path = format!("/{}/native-balance?network={NETWORK}", rig.world.address("nothing")?);
        let at = gateway.get(&path)?.header("portolan-blocks").unwrap_or_default().to_owned();
        ensure!(at == format!("{NETWORK}={number}"), "answers are at {at}, the chain is at {number}");
        Ok::<_, anyhow::Error>(())
    };
    wait::until("the chain that is left", MOVED_WITHIN, moved).with_context(|| gateway.log()).unwrap();
    rig.assert_honest("after the reorganisation", &gateway);
    mine(chain, FINAL_AFTER);
    stored(&gateway, &host(&rpc));
    gateway.kill_and_restart(&[PLUGIN.to_owned()], |_| Ok(())).unwrap();
    rig.assert_honest("after a restart", &gateway);
}
