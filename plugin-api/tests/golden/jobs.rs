//! Jobs that the golden dylibs run.

use alloy::primitives::{Address, B256, U256, address, b256};
use alloy::sol_types::SolValue;
use portolan_abi::log::Log;
use portolan_abi::map::{Block, Pin, Settings, SettingsKey, SettingsRow, SettingsValue, Start};
use portolan_abi::{Question, capability};
use portolan_plugin_api::events::Transaction;

use crate::contracts;
use crate::host::Contract;

const ACCOUNT: Address = Address::repeat_byte(0xac);

/// A question to an instance, with its contracts.
pub(crate) struct Job {
    pub(crate) name: &'static str,
    pub(crate) settings: Settings,
    pub(crate) start: Start,
    pub(crate) contract: Contract,
}

fn job(name: &'static str, protocol: &str, chain_id: u64, question: Question, contract: Contract) -> Job {
    let block = |number, byte| Block { number, hash: B256::repeat_byte(byte), timestamp: 1_700_000_000, evm_number: 7 };
    let start = Start {
        question,
        protocol: protocol.to_owned(),
        chain_id,
        account: ACCOUNT,
        block: block(1, 1),
        pins: vec![Pin { chain_id: 1, block: block(2, 2) }],
        // What hosts announced when the interface was made.
        capabilities: capability::ALL
            & !(capability::PENDING_REPLIES | capability::NOT_COVERED | capability::INVALID_REPLIES),
        ..Start::default()
    };
    Job { name, settings: Settings { shipped: true, ..Settings::default() }, start, contract }
}

fn about(job: Job, sent: &Transaction) -> Job {
    let transaction = sent.to_map().expect("the logs fit a frame");
    let start = Start { transaction: Some(transaction), account: Address::ZERO, ..job.start };
    Job { start, ..job }
}

/// Sets what today's host announces.
fn with_all_capabilities(job: Job) -> Job {
    Job { start: Start { capabilities: capability::ALL, ..job.start }, ..job }
}

pub(crate) fn aelin() -> Vec<Job> {
    let question = |name, question| job(name, "aelin", 10, question, contracts::staking);
    let elsewhere = SettingsKey {
        key: "staking".to_owned(),
        value: SettingsValue::Text("0x1111111111111111111111111111111111111111".to_owned()),
    };
    let row =
        SettingsRow { protocol: "aelin".to_owned(), chain_id: 10, market: "main".to_owned(), keys: vec![elsewhere] };
    let settings = Settings { shipped: false, protocols: Vec::new(), deployments: vec![row] };
    vec![
        question("claimables", Question::CLAIMABLES),
        question("farming", Question::FARMING),
        Job { settings, ..question("farming by settings", Question::FARMING) },
        Job { contract: contracts::nothing, ..question("no contract", Question::FARMING) },
    ]
}

pub(crate) fn staked() -> Vec<Job> {
    let question = |name, question| job(name, "staked", 10, question, contracts::staking);
    vec![
        question("claimables", Question::CLAIMABLES),
        question("farming", Question::FARMING),
        with_all_capabilities(question("replies one by one", Question::CLAIMABLES)),
        Job { contract: contracts::nothing, ..question("no contract", Question::FARMING) },
    ]
}

pub(crate) fn gmx() -> Vec<Job> {
    const VAULT: Address = address!("0x489ee077994b6658eafa855c308275ead8097c4a");
    const SWAP: B256 = b256!("0x0874b2d545cb271cdbda4e093020c452328b24af12382ed62c4d00f5c26709db");
    let number = |number: u64| U256::from(number);
    let (bought, sold) = (Address::repeat_byte(0x71), Address::repeat_byte(0x72));
    let data = (ACCOUNT, sold, bought, number(500), number(300), number(299), number(25)).abi_encode();
    let log = Log { index: 0, address: VAULT, topics: vec![SWAP], data: data.into() };
    let sent = Transaction { hash: B256::repeat_byte(9), from: ACCOUNT, logs: vec![log], ..Transaction::default() };
    vec![about(job("a swap", "", 42_161, Question::EVENTS, contracts::nothing), &sent)]
}

pub(crate) fn every() -> Vec<Job> {
    let share = address!("0x831753dd7087cac61ab5644b308642cc1c33dc13");
    let empty = address!("0xe000000000000000000000000000000000000003");
    let question = |name, protocol, question| job(name, protocol, 137, question, contracts::every);
    let compositions = |name, tokens: &[Address]| {
        let job = question(name, "every", Question::COMPOSITION);
        let start = Start { tokens: Some(tokens.to_vec()), account: Address::ZERO, ..job.start };
        Job { start, ..job }
    };
    let log = Log { index: 3, address: share, topics: vec![B256::repeat_byte(0xe1)], data: Default::default() };
    let sent = Transaction {
        hash: B256::repeat_byte(9),
        from: ACCOUNT,
        to: Some(share),
        value: U256::from(8),
        logs: vec![Log { topics: Vec::new(), ..log.clone() }, log],
    };
    vec![
        question("claimables", "every", Question::CLAIMABLES),
        question("farming", "every", Question::FARMING),
        question("lending", "every", Question::LENDING),
        question("pooling", "every", Question::POOLING),
        question("locked", "every", Question::LOCKED),
        compositions("compositions", &[share]),
        about(question("events", "", Question::EVENTS), &sent),
        question("reads", "every_read", Question::CLAIMABLES),
        Job { contract: contracts::nothing, ..question("reads of nothing", "every_read", Question::CLAIMABLES) },
        question("a panic", "every_read", Question::FARMING),
        question("a failure", "every_read", Question::LENDING),
        question("something missing", "every_read", Question::POOLING),
        question("misuse", "every_read", Question::LOCKED),
        with_all_capabilities(question("replies one by one", "every_read", Question::CLAIMABLES)),
        with_all_capabilities(question("something not covered", "every_read", Question::POOLING)),
        with_all_capabilities(compositions("an invalid reply", &[share, empty])),
    ]
}
