//! One full value of every map: each optional key is there, and no two fields of a map hold the same.

use portolan_abi::codec;
use portolan_abi::log::{self, Log};
use portolan_abi::map::{
    Address, Amount, Asset, Block, Catalogue, Claim, ClaimTemplate, Claimable, Company, Composition, Deployment, Event,
    FarmingPosition, Finding, LendingPosition, Member, Part, Pin, Protocol, ReadExtension, Reward, Role, Selftest,
    Settings, SettingsError, SettingsKey, SettingsRow, SettingsValue, Start, StartError, Transaction, Value, Word,
    caller, role, side,
};

/// Calls `$on!(Type, value)` for every type that passes as a map of its own.
macro_rules! each_map {
    ($on:ident) => {
        $on!(Settings, crate::samples::settings());
        $on!(SettingsError, crate::samples::settings_error());
        $on!(Catalogue, crate::samples::catalogue());
        $on!(Start, crate::samples::start());
        $on!(StartError, crate::samples::start_error());
        $on!(Finding, crate::samples::finding());
        $on!(ReadExtension, crate::samples::read_extension());
        $on!(Selftest, crate::samples::selftest());
    };
}
pub(crate) use each_map;

/// The name and the bytes of every sample.
pub(crate) fn encoded() -> Vec<(&'static str, Vec<u8>)> {
    let mut all = Vec::new();
    macro_rules! push {
        ($name:ident, $sample:expr) => {
            all.push((stringify!($name), codec::encode(&$sample)));
        };
    }
    each_map!(push);
    all.push(("findings", codec::encode(&vec![finding(), finding()])));
    all
}

pub(crate) fn settings() -> Settings {
    let list = vec![SettingsValue::Integer(-7), SettingsValue::Bool(true), SettingsValue::List(Vec::new())];
    let key = |key: &str, value| SettingsKey { key: key.to_owned(), value };
    Settings {
        shipped: true,
        protocols: vec![protocol()],
        deployments: vec![SettingsRow {
            protocol: "acme".to_owned(),
            chain_id: 137,
            market: "main".to_owned(),
            keys: vec![key("pool", SettingsValue::Text("0x00".to_owned())), key("list", SettingsValue::List(list))],
        }],
    }
}

pub(crate) fn settings_error() -> SettingsError {
    SettingsError { message: "missing".to_owned(), row: Some(3), key: Some("pool".to_owned()) }
}

fn protocol() -> Protocol {
    Protocol {
        slug: "acme".to_owned(),
        name: "ACME".to_owned(),
        website: "https://acme.example".to_owned(),
        logo: Some("https://acme.example/logo.png".to_owned()),
        primitives: vec!["FARMING".to_owned()],
        company: Company { name: "Acme".to_owned(), slug: "acme-company".to_owned() },
    }
}

pub(crate) fn catalogue() -> Catalogue {
    let constant = Role { kind: role::CONSTANT, constant: Some(vec![1, 2, 3]), members: None };
    Catalogue {
        protocols: vec![protocol()],
        deployments: vec![Deployment {
            protocol: "acme".to_owned(),
            chain_id: 10,
            market: "side".to_owned(),
            questions: vec![portolan_abi::question::FARMING],
            contracts: vec![Address([0x21; 20])],
        }],
        claims: vec![ClaimTemplate {
            signature: "claim((bytes))".to_owned(),
            roles: vec![Role { kind: role::TUPLE, constant: None, members: Some(vec![constant]) }],
            caller: caller::ANYONE,
        }],
        event_topics: Some(vec![Word([0x22; 32])]),
    }
}

pub(crate) fn start() -> Start {
    let block =
        |number: u64, byte: u8| Block { number, hash: Word([byte; 32]), timestamp: number + 1, evm_number: number + 2 };
    Start {
        question: portolan_abi::question::LENDING,
        protocol: "acme".to_owned(),
        chain_id: 42161,
        account: Address([0x31; 20]),
        block: block(1000, 0x32),
        pins: vec![Pin { chain_id: 1, block: block(2000, 0x33) }],
        capabilities: portolan_abi::capability::ALL,
        tokens: Some(vec![Address([0x34; 20]), Address([0x35; 20])]),
        transaction: Some(transaction()),
    }
}

fn transaction() -> Transaction {
    let log = Log { index: 58, contract: [0x36; 20], topics: vec![[0x37; 32], [0x38; 32]].into(), data: &[0x39; 3] };
    Transaction {
        hash: Word([0x3a; 32]),
        from: Address([0x3b; 20]),
        to: Some(Address([0x3c; 20])),
        value: Word([0x3d; 32]),
        logs: log::encode([log]).expect("a small log"),
        wrapped_native: Some(Address([0x3e; 20])),
    }
}

pub(crate) fn start_error() -> StartError {
    StartError { message: "question 9 is not supported".to_owned() }
}

pub(crate) fn finding() -> Finding {
    Finding {
        claimable: Some(claimable()),
        farming: Some(farming()),
        lending: Some(lending()),
        composition: Some(composition()),
        event: Some(event()),
    }
}

pub(crate) fn claimable() -> Claimable {
    Claimable {
        market: "main".to_owned(),
        contract: Address([0x41; 20]),
        name: "reward".to_owned(),
        mechanism: "staking-rewards".to_owned(),
        token: Address([0x42; 20]),
        amount: Word([0x43; 32]),
        claim: Claim { template: 2, to: Address([0x44; 20]), arguments: vec![9, 8], value: Some(Word([0x45; 32])) },
        number: Some(Word([0x46; 32])),
    }
}

pub(crate) fn farming() -> FarmingPosition {
    FarmingPosition {
        market: "side".to_owned(),
        contract: Address([0x51; 20]),
        name: "stake".to_owned(),
        mechanism: "master-chef".to_owned(),
        staked_token: Address([0x52; 20]),
        amount: Word([0x53; 32]),
        underlying_amount: Word([0x54; 32]),
        rewards: vec![Reward { token: Address([0x55; 20]), per_second: Some(Word([0x56; 32])) }],
        total_stake: Some(Word([0x57; 32])),
        number: Some(Word([0x58; 32])),
    }
}

fn lending() -> LendingPosition {
    LendingPosition {
        market: "third".to_owned(),
        contract: Address([0x61; 20]),
        name: "loan".to_owned(),
        token: Address([0x62; 20]),
        amount: Word([0x63; 32]),
        rate_ray: Word([0x64; 32]),
        side: side::BORROW,
        health_factor_wad: Some(Word([0x65; 32])),
    }
}

fn composition() -> Composition {
    Composition {
        token: Address([0x66; 20]),
        kind: "SHARE".to_owned(),
        supply: Word([0x67; 32]),
        parts: vec![Part { token: Address([0x68; 20]), amount: Word([0x69; 32]) }],
    }
}

/// With one member, whose value has all that others have one of each.
pub(crate) fn event() -> Event {
    let value = Value {
        address: Some(Address([0x81; 20])),
        token: Some(Address([0x82; 20])),
        amount: Some(Amount { raw: Word([0x83; 32]), of: Some(Address([0x84; 20])) }),
        assets: Some(vec![Asset { token: Some(Address([0x85; 20])), raw: Word([0x86; 32]) }]),
        number: Some(Word([0x87; 32])),
        word: Some(Word([0x88; 32])),
        flag: Some(true),
        text: Some("words".to_owned()),
        seconds: Some(Word([0x89; 32])),
        network: Some(138),
    };
    Event {
        log: 139,
        kind: "SWAP".to_owned(),
        protocol: Some("acme".to_owned()),
        members: vec![Member { name: "user".to_owned(), value }],
    }
}

pub(crate) fn read_extension() -> ReadExtension {
    ReadExtension { from: Some(Address([0x71; 20])), block: Some(72), overrides: Some(vec![0xa0]) }
}

pub(crate) fn selftest() -> Selftest {
    Selftest { ok: true, message: "well".to_owned() }
}
