//! One full value of every map: every optional key is set, and no two fields of a map have equal values.

use alloy::primitives::{Address, B256, Bytes, U256};
use portolan_abi::codec;
use portolan_abi::log::{self, Log};
use portolan_abi::map::{
    Amount, Asset, Block, Catalogue, Claim, ClaimTemplate, Claimable, Company, Composition, Deployment, Event,
    FactList, Finding, Health, Leg, LegRole, Lineage, Lock, Member, MergeableCall, Nft, PaidTo, Part, Payment, Pin,
    Position, PositionKind, Price, PriceRange, Protocol, ReadExtension, Reward, Role, Selftest, Settings,
    SettingsError, SettingsKey, SettingsRow, SettingsValue, Start, StartError, Transaction, Value, Vesting, caller,
    lineage, role,
};

/// Calls `$on!(Type, value)` for every type that is encoded as a map of its own.
macro_rules! each_map {
    ($on:ident) => {
        $on!(Settings, crate::samples::settings());
        $on!(SettingsError, crate::samples::settings_error());
        $on!(Catalogue, crate::samples::catalogue());
        $on!(Start, crate::samples::start());
        $on!(FactList, crate::samples::fact_list());
        $on!(StartError, crate::samples::start_error());
        $on!(Finding, crate::samples::finding());
        $on!(ReadExtension, crate::samples::read_extension());
        $on!(Selftest, crate::samples::selftest());
    };
}
pub(crate) use each_map;

/// Returns the name and the bytes of every sample.
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

/// A word of equal bytes.
pub(crate) fn word(byte: u8) -> U256 {
    U256::from_be_bytes([byte; 32])
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
            questions: vec![portolan_abi::Question::FARMING],
            contracts: vec![Address::repeat_byte(0x21)],
            tokens: Some(vec![Address::repeat_byte(0x23)]),
        }],
        claims: vec![ClaimTemplate {
            signature: "claim((bytes))".to_owned(),
            roles: vec![Role { kind: role::TUPLE, constant: None, members: Some(vec![constant]) }],
            caller: caller::ANYONE,
            fee: Some("fee()".to_owned()),
            is_token: Some(true),
            merges: Some(vec![27, 28]),
            fee_arguments: Some(vec![29]),
        }],
        event_topics: Some(vec![B256::repeat_byte(0x22)]),
        hosts: Some(vec!["merkle.example.org".to_owned()]),
        lineages: Some(vec![Lineage {
            view: "gauges()".to_owned(),
            gives: lineage::TOKEN,
            word: 24,
            stride: Some(25),
            member_word: Some(26),
            of_given: Some(true),
            argument: Some(29),
        }]),
    }
}

pub(crate) fn start() -> Start {
    let block = |number: u64, byte: u8| Block {
        number,
        hash: B256::repeat_byte(byte),
        timestamp: number + 1,
        evm_number: number + 2,
    };
    Start {
        question: portolan_abi::Question::LENDING,
        protocol: "acme".to_owned(),
        chain_id: 42161,
        account: Address::repeat_byte(0x31),
        block: block(1000, 0x32),
        pins: vec![Pin { chain_id: 1, block: block(2000, 0x33) }],
        capabilities: portolan_abi::capability::ALL,
        tokens: Some(vec![Address::repeat_byte(0x34), Address::repeat_byte(0x35)]),
        transaction: Some(transaction()),
    }
}

fn transaction() -> Transaction {
    let log = Log {
        index: 58,
        address: Address::repeat_byte(0x36),
        topics: vec![B256::repeat_byte(0x37), B256::repeat_byte(0x38)],
        data: Bytes::from_static(&[0x39; 3]),
    };
    Transaction {
        hash: B256::repeat_byte(0x3a),
        from: Address::repeat_byte(0x3b),
        to: Some(Address::repeat_byte(0x3c)),
        value: word(0x3d),
        logs: log::encode([&log]).expect("a small log"),
        wrapped_native: Some(Address::repeat_byte(0x3e)),
    }
}

pub(crate) fn fact_list() -> FactList {
    let entries = Bytes::from_static(b"\x01\0\0\0a");
    FactList { entries, block: 1001, may_walk: true, reads: 1002, again_from: Some(1003), again_count: Some(1004) }
}

pub(crate) fn start_error() -> StartError {
    StartError { message: "question 9 is not supported".to_owned() }
}

pub(crate) fn finding() -> Finding {
    Finding {
        claimable: Some(claimable()),
        position: Some(position()),
        composition: Some(composition()),
        event: Some(event()),
    }
}

pub(crate) fn claimable() -> Claimable {
    let payment = Payment {
        token: Address::repeat_byte(0x42),
        amount: word(0x43),
        paid_to: PaidTo::VAULT,
        name: Some("bonus".to_owned()),
    };
    Claimable {
        market: "main".to_owned(),
        contract: Address::repeat_byte(0x41),
        name: "reward".to_owned(),
        mechanism: "staking-rewards".to_owned(),
        payments: vec![payment],
        steps: vec![Claim {
            template: 2,
            to: Address::repeat_byte(0x44),
            arguments: vec![9, 8],
            value: Some(word(0x45)),
            mergeable: Some(MergeableCall { template: 3, to: Address::repeat_byte(0x47), arguments: vec![7, 6, 5] }),
        }],
        number: Some(word(0x46)),
    }
}

pub(crate) fn position() -> Position {
    let price = |base, quote, number| Price {
        base: Address::repeat_byte(base),
        quote: Some(Address::repeat_byte(quote)),
        x128: word(number),
        rest_x192: Some(u64::from(number)),
    };
    Position {
        kind: PositionKind::POOLED,
        market: "side".to_owned(),
        contract: Address::repeat_byte(0x51),
        name: "stake".to_owned(),
        mechanism: "master-chef".to_owned(),
        legs: vec![leg()],
        rewards: vec![Reward {
            token: Address::repeat_byte(0x55),
            per_second: Some(word(0x56)),
            own_per_second: Some(word(0x57)),
            divisor: Some(word(0x6d)),
        }],
        number: Some(word(0x58)),
        nft: Some(Nft { collection: Address::repeat_byte(0x59), token_id: word(0x5a) }),
        lock: Some(Lock { unlocks_at: Some(0x5b5b), is_permanent: Some(true) }),
        vesting: Some(Vesting { start: Some(92), cliff: Some(93), end: Some(94), releasable: Some(word(0x5f)) }),
        range: Some(PriceRange {
            lower: price(0x60, 0x61, 0x62),
            upper: price(0x63, 0x64, 0x65),
            is_in_range: Some(false),
        }),
        health: Some(Health { factor_wad: Some(word(0x6a)), liquidation_price: Some(price(0x6b, 0x6c, 0x6d)) }),
    }
}

fn leg() -> Leg {
    Leg {
        role: LegRole::LOCKED,
        token: Address::repeat_byte(0x52),
        amount: word(0x53),
        redeems_to: Some(vec![Part { token: Address::repeat_byte(0x54), amount: word(0x6e) }]),
        rate_ray: Some(word(0x6f)),
        is_collateral: Some(true),
        total: Some(word(0x70)),
        receipt: Some(Address::repeat_byte(0x72)),
        name: Some("leg".to_owned()),
    }
}

fn composition() -> Composition {
    Composition {
        token: Address::repeat_byte(0x66),
        kind: "SHARE".to_owned(),
        supply: word(0x67),
        parts: vec![Part { token: Address::repeat_byte(0x68), amount: word(0x69) }],
    }
}

/// An event with one member, whose value has every field set.
pub(crate) fn event() -> Event {
    let value = Value {
        address: Some(Address::repeat_byte(0x81)),
        token: Some(Address::repeat_byte(0x82)),
        amount: Some(Amount { raw: word(0x83), of: Some(Address::repeat_byte(0x84)) }),
        assets: Some(vec![Asset { token: Some(Address::repeat_byte(0x85)), raw: word(0x86) }]),
        number: Some(word(0x87)),
        word: Some(B256::repeat_byte(0x88)),
        flag: Some(true),
        text: Some("words".to_owned()),
        seconds: Some(word(0x89)),
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
    let (from, function) = (Some(Address::repeat_byte(0x71)), Some("earned(address)".to_owned()));
    ReadExtension { from, block: Some(72), overrides: Some(vec![0xa0]), function }
}

pub(crate) fn selftest() -> Selftest {
    Selftest { ok: true, message: "well".to_owned() }
}
