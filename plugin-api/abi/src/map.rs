//! The CBOR maps: settings, catalogue, start, findings, claims, events.
//!
//! Keys are small integers. A field added after the first version is an `Option` or has a default, and unknown
//! keys are skipped, so that either side may be the older one.

use minicbor::data::Type;
use minicbor::decode::Error;
use minicbor::{Decode, Decoder, Encode, Encoder};

/// A 20-byte address.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Encode, Decode)]
#[cbor(transparent)]
pub struct Address(#[cbor(with = "minicbor::bytes")] pub [u8; 20]);

/// A 32-byte word: a hash, a topic, or a raw amount as a big-endian integer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Encode, Decode)]
#[cbor(transparent)]
pub struct Word(#[cbor(with = "minicbor::bytes")] pub [u8; 32]);

/// What `configure` gets: the operator's settings file, already parsed.
#[derive(Clone, Debug, Default, PartialEq, Encode, Decode)]
#[cbor(map)]
pub struct Settings {
    /// Serve the deployments that the plugin ships with.
    #[n(0)]
    pub shipped: bool,
    /// Protocols that the plugin did not know.
    #[n(1)]
    pub protocols: Vec<Protocol>,
    /// Deployments that replace or join the shipped ones.
    #[n(2)]
    pub deployments: Vec<SettingsRow>,
}

/// One `[[deployment]]` of a settings file.
#[derive(Clone, Debug, Default, PartialEq, Encode, Decode)]
#[cbor(map)]
pub struct SettingsRow {
    /// Protocol slug.
    #[n(0)]
    pub protocol: String,
    /// EIP-155 chain id.
    #[n(1)]
    pub chain_id: u64,
    /// `main` unless the file says otherwise.
    #[n(2)]
    pub market: String,
    /// The mechanism's own keys, in the order of the file.
    #[n(3)]
    pub keys: Vec<SettingsKey>,
}

/// One key of a settings row.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
#[cbor(map)]
pub struct SettingsKey {
    /// Name.
    #[n(0)]
    pub key: String,
    /// Value.
    #[n(1)]
    pub value: SettingsValue,
}

/// A value of a settings file.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum SettingsValue {
    /// Text; addresses stand here as `0x…`.
    Text(String),
    /// A whole number.
    Integer(i64),
    /// True or false.
    Bool(bool),
    /// An array.
    List(Vec<SettingsValue>),
}

impl<C> Encode<C> for SettingsValue {
    fn encode<W: minicbor::encode::Write>(
        &self,
        encoder: &mut Encoder<W>,
        ctx: &mut C,
    ) -> Result<(), minicbor::encode::Error<W::Error>> {
        match self {
            Self::Text(text) => text.encode(encoder, ctx),
            Self::Integer(number) => number.encode(encoder, ctx),
            Self::Bool(flag) => flag.encode(encoder, ctx),
            Self::List(list) => list.encode(encoder, ctx),
        }
    }
}

impl<'b, C> Decode<'b, C> for SettingsValue {
    fn decode(decoder: &mut Decoder<'b>, ctx: &mut C) -> Result<Self, Error> {
        let at = decoder.position();
        match decoder.datatype()? {
            Type::String => Ok(Self::Text(decoder.str()?.to_owned())),
            Type::Bool => Ok(Self::Bool(decoder.bool()?)),
            Type::Array => Ok(Self::List(Vec::decode(decoder, ctx)?)),
            Type::U8 | Type::U16 | Type::U32 | Type::U64 | Type::I8 | Type::I16 | Type::I32 | Type::I64 => {
                Ok(Self::Integer(decoder.i64()?))
            }
            other => Err(Error::type_mismatch(other).at(at).with_message("not a settings value")),
        }
    }
}

/// Why settings were refused.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct SettingsError {
    /// What is wrong.
    #[n(0)]
    pub message: String,
    /// Place in [`Settings::deployments`], from 0.
    #[n(1)]
    pub row: Option<u32>,
    /// Key in that row.
    #[n(2)]
    pub key: Option<String>,
}

/// What a slug names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Protocol {
    /// Lower-case identifier, the `{protocol}` of the HTTP paths.
    #[n(0)]
    pub slug: String,
    /// Upper-case name.
    #[n(1)]
    pub name: String,
    /// URL.
    #[n(2)]
    pub website: String,
    /// URL; the host derives one from the slug where none is given.
    #[n(3)]
    pub logo: Option<String>,
    /// Of `LENDING`, `BORROWING`, `POOLING`, `FARMING`.
    #[n(4)]
    pub primitives: Vec<String>,
    /// Who runs it.
    #[n(5)]
    pub company: Company,
}

/// Who runs a protocol.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Company {
    /// Ordinary spelling.
    #[n(0)]
    pub name: String,
    /// Lower case.
    #[n(1)]
    pub slug: String,
}

/// What an instance serves from now on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Catalogue {
    /// Every protocol that a deployment names.
    #[n(0)]
    pub protocols: Vec<Protocol>,
    /// Where they are deployed.
    #[n(1)]
    pub deployments: Vec<Deployment>,
    /// Claims name these by index.
    #[n(2)]
    pub claims: Vec<ClaimTemplate>,
    /// The first topics of the events that the plugin tells: it is asked only about transactions that have one of them.
    #[n(3)]
    pub event_topics: Option<Vec<Word>>,
}

/// A protocol's contracts on one network.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Deployment {
    /// Protocol slug.
    #[n(0)]
    pub protocol: String,
    /// EIP-155 chain id.
    #[n(1)]
    pub chain_id: u64,
    /// Tells apart several of one protocol on one network; `main` where there is one.
    #[n(2)]
    pub market: String,
    /// Of [`crate::question`].
    #[n(3)]
    pub questions: Vec<u8>,
    /// Contracts that claims may go to, and whose replies may name further ones.
    #[n(4)]
    pub contracts: Vec<Address>,
}

/// A claim function and what may stand in its arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct ClaimTemplate {
    /// Solidity signature, for example `getReward()` or `deposit(uint256,uint256)`.
    #[n(0)]
    pub signature: String,
    /// One role for each argument.
    #[n(1)]
    pub roles: Vec<Role>,
    /// One of [`caller`].
    #[n(2)]
    pub caller: u8,
}

/// Who may send a claim.
pub mod caller {
    /// Only the account itself.
    pub const ACCOUNT: u8 = 0;
    /// Anyone: what is claimed goes to the account all the same.
    pub const ANYONE: u8 = 1;
}

/// What may stand in an argument of a claim.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Role {
    /// One of [`role`].
    #[n(0)]
    pub kind: u8,
    /// For [`role::CONSTANT`]: the argument's ABI encoding.
    #[cbor(n(1), with = "minicbor::bytes")]
    pub constant: Option<Vec<u8>>,
    /// For [`role::TUPLE`] one for each member, for [`role::ARRAY`] exactly one.
    #[n(2)]
    pub members: Option<Vec<Role>>,
}

/// The kinds of [`Role`].
pub mod role {
    /// `address`: the account of the question.
    pub const ACCOUNT: u8 = 1;
    /// `address`: a token that this job read from one of its contracts, or of the catalogue.
    pub const TOKEN: u8 = 2;
    /// `address`: a contract of the catalogue, or one that this job read from such a contract.
    pub const MARKET: u8 = 3;
    /// An integer, `bool` or `bytesN`.
    pub const NUMBER: u8 = 4;
    /// `bytes` or `string`.
    pub const BYTES: u8 = 5;
    /// Always the same value.
    pub const CONSTANT: u8 = 6;
    /// A tuple.
    pub const TUPLE: u8 = 7;
    /// An array.
    pub const ARRAY: u8 = 8;
}

/// What a job is asked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Start {
    /// One of [`crate::question`].
    #[n(0)]
    pub question: u8,
    /// Protocol slug; empty for [`crate::question::EVENTS`], which is about all protocols of the plugin.
    #[n(1)]
    pub protocol: String,
    /// EIP-155 chain id.
    #[n(2)]
    pub chain_id: u64,
    /// Whom it is about; zero, and without meaning, where the question is about tokens or a transaction.
    #[n(3)]
    pub account: Address,
    /// The block that pinned reads of the job's network are at.
    #[n(4)]
    pub block: Block,
    /// The blocks of the other networks that this job may read.
    #[n(5)]
    pub pins: Vec<Pin>,
    /// Of [`crate::capability`]: what the host knows.
    #[n(6)]
    pub capabilities: u64,
    /// For [`crate::question::COMPOSITION`]: the tokens that it is about.
    #[n(7)]
    pub tokens: Option<Vec<Address>>,
    /// For [`crate::question::EVENTS`]: the transaction that it is about.
    #[n(8)]
    pub transaction: Option<Transaction>,
}

/// A transaction that succeeded, on the job's network.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Transaction {
    /// Hash.
    #[n(0)]
    pub hash: Word,
    /// Who sent it.
    #[n(1)]
    pub from: Address,
    /// Whom it called; absent where it created a contract.
    #[n(2)]
    pub to: Option<Address>,
    /// Native value in wei.
    #[n(3)]
    pub value: Word,
    /// All its logs, in the order of the receipt, as [`crate::log`] writes them.
    #[cbor(n(4), with = "minicbor::bytes")]
    pub logs: Vec<u8>,
    /// The ERC-20 that wraps the network's native token, where the host knows it.
    #[n(5)]
    pub wrapped_native: Option<Address>,
}

/// A block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Block {
    /// Height, as JSON-RPC counts it.
    #[n(0)]
    pub number: u64,
    /// Hash.
    #[n(1)]
    pub hash: Word,
    /// Unix seconds.
    #[n(2)]
    pub timestamp: u64,
    /// What contracts see as `block.number`; another one than `number` on Arbitrum.
    #[n(3)]
    pub evm_number: u64,
}

/// A network's pinned block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Pin {
    /// EIP-155 chain id.
    #[n(0)]
    pub chain_id: u64,
    /// Block.
    #[n(1)]
    pub block: Block,
}

/// Why a job could not be started.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct StartError {
    /// What is wrong.
    #[n(0)]
    pub message: String,
}

/// What a plugin says of itself when the host asks it to try its own machinery.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Selftest {
    /// All is well.
    #[n(0)]
    pub ok: bool,
    /// What is not.
    #[n(1)]
    pub message: String,
}

/// What is rarely said of a read; the host answers `unsupported` to what it does not know.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct ReadExtension {
    /// `msg.sender` of the call.
    #[n(0)]
    pub from: Option<Address>,
    /// Reserved: another block, by number.
    #[n(1)]
    pub block: Option<u64>,
    /// Reserved: state overrides, as a CBOR map of its own.
    #[cbor(n(2), with = "minicbor::bytes")]
    pub overrides: Option<Vec<u8>>,
}

/// One thing found; exactly one field is there. A host skips what it does not know, and says so.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Finding {
    /// Answers [`crate::question::CLAIMABLES`].
    #[n(1)]
    pub claimable: Option<Claimable>,
    /// Answers [`crate::question::FARMING`].
    #[n(2)]
    pub farming: Option<FarmingPosition>,
    /// Answers [`crate::question::LENDING`].
    #[n(3)]
    pub lending: Option<LendingPosition>,
    /// Answers [`crate::question::COMPOSITION`].
    #[n(4)]
    pub composition: Option<Composition>,
    /// Answers [`crate::question::EVENTS`].
    #[n(5)]
    pub event: Option<Event>,
}

/// Something that the account can claim.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Claimable {
    /// The deployment's market.
    #[n(0)]
    pub market: String,
    /// The contract that owes it.
    #[n(1)]
    pub contract: Address,
    /// A text in which `{0x…}` stands for that token's symbol.
    #[n(2)]
    pub name: String,
    /// The mechanism, for example `staking-rewards`.
    #[n(3)]
    pub mechanism: String,
    /// The token that is claimed.
    #[n(4)]
    pub token: Address,
    /// Smallest units.
    #[n(5)]
    pub amount: Word,
    /// How it is claimed.
    #[n(6)]
    pub claim: Claim,
    /// Which of the contract's pools or positions owes it, where it has several.
    #[n(7)]
    pub number: Option<Word>,
}

/// A claim, before the host has checked and encoded it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Claim {
    /// Index into [`Catalogue::claims`].
    #[n(0)]
    pub template: u32,
    /// Target.
    #[n(1)]
    pub to: Address,
    /// The arguments' ABI encoding, without the selector.
    #[cbor(n(2), with = "minicbor::bytes")]
    pub arguments: Vec<u8>,
    /// Native value in wei; the host refuses anything but zero.
    #[n(3)]
    pub value: Option<Word>,
}

/// Something that the account has staked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct FarmingPosition {
    /// The deployment's market.
    #[n(0)]
    pub market: String,
    /// The contract that holds it.
    #[n(1)]
    pub contract: Address,
    /// A text in which `{0x…}` stands for that token's symbol.
    #[n(2)]
    pub name: String,
    /// The mechanism, for example `staking-rewards`.
    #[n(3)]
    pub mechanism: String,
    /// The token that is staked.
    #[n(4)]
    pub staked_token: Address,
    /// Smallest units: what is staked, or the shares of it.
    #[n(5)]
    pub amount: Word,
    /// Smallest units of the staked token: what that redeems to.
    #[n(6)]
    pub underlying_amount: Word,
    /// What it earns.
    #[n(7)]
    pub rewards: Vec<Reward>,
    /// Smallest units of the staked token that share the rewards; absent where it cannot be told.
    #[n(8)]
    pub total_stake: Option<Word>,
    /// Which of the contract's pools or positions it is in, where it has several.
    #[n(9)]
    pub number: Option<Word>,
}

/// What a market pays to all its stakers together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Reward {
    /// Token.
    #[n(0)]
    pub token: Address,
    /// Smallest units a second, at this block; absent where it cannot be told.
    #[n(1)]
    pub per_second: Option<Word>,
}

/// Something that the account has lent or borrowed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct LendingPosition {
    /// The deployment's market.
    #[n(0)]
    pub market: String,
    /// The contract that holds it.
    #[n(1)]
    pub contract: Address,
    /// A text in which `{0x…}` stands for that token's symbol.
    #[n(2)]
    pub name: String,
    /// The token that is lent or borrowed.
    #[n(3)]
    pub token: Address,
    /// Smallest units of the token.
    #[n(4)]
    pub amount: Word,
    /// A fraction a year, not compounded, times 10^27.
    #[n(5)]
    pub rate_ray: Word,
    /// One of [`side`].
    #[n(6)]
    pub side: u8,
    /// Times 10^18; below 10^18 the account can be liquidated. Absent without debt.
    #[n(7)]
    pub health_factor_wad: Option<Word>,
}

/// The sides of a [`LendingPosition`].
pub mod side {
    /// Lent.
    pub const SUPPLY: u8 = 0;
    /// Borrowed.
    pub const BORROW: u8 = 1;
}

/// What shares of a protocol redeem to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Composition {
    /// The token of the shares: one of [`Start::tokens`].
    #[n(0)]
    pub token: Address,
    /// Its family in upper case, for example `SHARE` or `BALANCER`.
    #[n(1)]
    pub kind: String,
    /// Smallest units of the token that the parts stand for; more than zero.
    #[n(2)]
    pub supply: Word,
    /// What so many shares redeem to, all together.
    #[n(3)]
    pub parts: Vec<Part>,
}

/// One token that shares redeem to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Part {
    /// Token.
    #[n(0)]
    pub token: Address,
    /// Smallest units of it.
    #[n(1)]
    pub amount: Word,
}

/// What a log of a transaction means.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Event {
    /// Place in [`Transaction::logs`], from 0.
    #[n(0)]
    pub log: u32,
    /// The type of the event, for example `SWAP`.
    #[n(1)]
    pub kind: String,
    /// Slug of the plugin's protocol that the emitting contract is known to belong to; absent where it is not known.
    #[n(2)]
    pub protocol: Option<String>,
    /// The metadata; what cannot be told is absent.
    #[n(3)]
    pub members: Vec<Member>,
}

/// A member of an event's metadata.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Member {
    /// Name, for example `fromToken`.
    #[n(0)]
    pub name: String,
    /// Value.
    #[n(1)]
    pub value: Value,
}

/// A value of an event's metadata; exactly one field is there. A host leaves out what it does not know.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Value {
    /// An account or a contract.
    #[n(1)]
    pub address: Option<Address>,
    /// A token; zero is the native token.
    #[n(2)]
    pub token: Option<Address>,
    /// An amount of a token.
    #[n(3)]
    pub amount: Option<Amount>,
    /// Several tokens and amounts.
    #[n(4)]
    pub assets: Option<Vec<Asset>>,
    /// An integer that is no amount.
    #[n(5)]
    pub number: Option<Word>,
    /// 32 bytes: a hash.
    #[n(6)]
    pub word: Option<Word>,
    /// Yes or no.
    #[n(7)]
    pub flag: Option<bool>,
    /// Words of a contract or of its users.
    #[n(8)]
    pub text: Option<String>,
    /// Unix seconds.
    #[n(9)]
    pub seconds: Option<Word>,
    /// EIP-155 chain id of another network.
    #[n(10)]
    pub network: Option<u64>,
}

/// An amount in an event's metadata.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Amount {
    /// Smallest units.
    #[n(0)]
    pub raw: Word,
    /// The token, zero is the native token; absent where it is not known which, or where units have no decimals.
    #[n(1)]
    pub of: Option<Address>,
}

/// A token and an amount of it in an event's metadata.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Asset {
    /// Token, zero is the native token; absent where it is not known.
    #[n(0)]
    pub token: Option<Address>,
    /// Smallest units.
    #[n(1)]
    pub raw: Word,
}
