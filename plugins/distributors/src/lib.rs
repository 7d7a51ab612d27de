//! Streams, vesting plans, escrows, lockers and lists of rewards: what is released or was earned, what still vests or is
//! locked, and events of what was locked and claimed.
//!
//! Invariant: an amount is in units of its token, or is left out. A protocol's events are also reported of contracts
//! that are not listed, without a protocol.

#[cfg(test)]
mod tests;

use portolan_kits::accounts::{AccountProtocols, Accounts, EventSourcesKit};
use portolan_kits::events::Source;
use portolan_kits::kit::Kit;
use portolan_kits::lockup_streams::LockupStreamsKit;
use portolan_kits::merkl::MerklKit;
use portolan_kits::merkle_distributor::MerkleDistributorKit;
use portolan_kits::merkle_stash::MerkleStashKit;
use portolan_kits::reward_escrow::RewardEscrowKit;
use portolan_kits::super_tokens::SuperTokensKit;
use portolan_kits::token_lockers::TokenLockersKit;
use portolan_kits::token_plans::TokenPlansKit;
use portolan_kits::vesting_escrows::VestingEscrowsKit;
use portolan_plugin_api::{Rows, rows};

/// Events, and what their members are made of.
const TABLE: &str = include_str!("table.events");

/// Rewards of Merkl.
const MERKL: MerklKit = MerklKit { reward_type: "merkl-rewards" };

/// Rewards of Votium.
const STASH: MerkleStashKit = MerkleStashKit { reward_type: "votium-rewards" };

/// Streams of Sablier.
const STREAMS: LockupStreamsKit = LockupStreamsKit { stream: "lockup-stream" };

/// Plans of Hedgey.
const PLANS: TokenPlansKit = TokenPlansKit { plan: "token-plan" };

/// Vesting escrows of LlamaPay.
const ESCROWS: VestingEscrowsKit = VestingEscrowsKit { escrow: "vesting-escrow" };

/// Escrowed rewards of Synthetix.
const REWARD_ESCROW: RewardEscrowKit = RewardEscrowKit { escrow: "reward-escrow" };

/// Super tokens of Superfluid.
const SUPER_TOKENS: SuperTokensKit = SuperTokensKit {
    balance: "super-token",
    deposit: "stream-deposit",
    distribution: "distribution-pool",
    share: "SUPER-TOKEN",
};

/// Lockers of UNCX and Team Finance.
const LOCKERS: TokenLockersKit = TokenLockersKit { lock: "token-lock" };

/// Airdrops, of an operator's settings alone.
const AIRDROPS: MerkleDistributorKit = MerkleDistributorKit { reward_type: "merkle-airdrop" };

/// Keys of the rows.
const KEYS: &[&[&str]] = &[
    MerklKit::KEYS,
    MerkleStashKit::KEYS,
    LockupStreamsKit::KEYS,
    TokenPlansKit::KEYS,
    VestingEscrowsKit::KEYS,
    RewardEscrowKit::KEYS,
    SuperTokensKit::KEYS,
    TokenLockersKit::KEYS,
    MerkleDistributorKit::KEYS,
    Source::KEYS,
];

/// The rows and tables of the plugin.
#[derive(Debug)]
pub struct Distributors;

impl AccountProtocols for Distributors {
    const ROWS: Rows = rows!("protocols", KEYS);
    const KITS: &'static [&'static dyn Kit] = &[
        &MERKL,
        &STASH,
        &STREAMS,
        &PLANS,
        &ESCROWS,
        &REWARD_ESCROW,
        &SUPER_TOKENS,
        &LOCKERS,
        &AIRDROPS,
        &EventSourcesKit,
    ];
    const TABLES: &'static [&'static str] = &[TABLE];
}

portolan_plugin_api::export!(Accounts<Distributors>);
