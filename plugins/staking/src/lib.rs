//! Liquid staking tokens and withdrawals from them, restaked tokens, delegations to Polygon's validators, locks of FXS and
//! stakes in Frax' farms; and events of staked ether and of what is built on it: Lido, Rocket Pool, EigenLayer, ether.fi and
//! others, deposits on the beacon chain, and those delegations.
//!
//! Invariant: a protocol is named only for contracts that are listed; the same events of other contracts are reported
//! without one.

#[cfg(test)]
mod tests;

use portolan_kits::accounts::{AccountProtocols, Accounts, EventSourcesKit};
use portolan_kits::events::Source;
use portolan_kits::exit_nfts::ExitNftsKit;
use portolan_kits::fee_pools::FeePoolsKit;
use portolan_kits::kit::Kit;
use portolan_kits::known_gaps::KnownGapsKit;
use portolan_kits::liquid_staking::LiquidStakingKit;
use portolan_kits::node_staking::NodeStakingKit;
use portolan_kits::restaking::RestakingKit;
use portolan_kits::restaking_vaults::RestakingVaultsKit;
use portolan_kits::unified_farms::UnifiedFarmsKit;
use portolan_kits::validator_shares::ValidatorSharesKit;
use portolan_kits::vault_supervisor::VaultSupervisorKit;
use portolan_kits::vote_escrow::VoteEscrowKit;
use portolan_kits::withdraw_requests::WithdrawRequestsKit;
use portolan_kits::withdrawal_queue::WithdrawalQueueKit;
use portolan_plugin_api::{Rows, rows};

/// Events, and what their members are made of.
const TABLE: &str = include_str!("table.events");

/// Delegations to validators.
const VALIDATOR_SHARES: ValidatorSharesKit = ValidatorSharesKit { delegation: "validator-shares" };

/// Locks of FXS.
const LOCKS: VoteEscrowKit = VoteEscrowKit { lock: "vote-escrow", fee: "vote-escrow-fees" };

/// Frax' farms.
const FRAX_FARMS: UnifiedFarmsKit = UnifiedFarmsKit { farm: "frax-unified-farm" };

/// Liquid staking tokens.
const LIQUID: LiquidStakingKit = LiquidStakingKit { stake: "liquid-staking" };

/// Lido's queue.
const QUEUE: WithdrawalQueueKit = WithdrawalQueueKit { queue: "withdrawal-queue" };

/// Swell's exits.
const EXITS: ExitNftsKit = ExitNftsKit { exit: "exit-nft" };

/// The queues of Renzo, Stader and Kelp.
const REQUESTS: WithdrawRequestsKit = WithdrawRequestsKit { request: "withdraw-request" };

/// EigenLayer.
const RESTAKING: RestakingKit = RestakingKit { restake: "restaking" };

/// Symbiotic's vaults.
const RESTAKING_VAULTS: RestakingVaultsKit =
    RestakingVaultsKit { vault: "restaking-vault", collateral: "DEFAULT-COLLATERAL" };

/// Karak's vaults.
const SUPERVISED_VAULTS: VaultSupervisorKit = VaultSupervisorKit { restake: "supervised-vault" };

/// ARPA's staking.
const NODE_STAKING: NodeStakingKit = NodeStakingKit { stake: "node-staking" };

/// Pools of validators' tips.
const FEE_POOLS: FeePoolsKit = FeePoolsKit { fees: "validator-tips" };

/// Keys of the rows.
const KEYS: &[&[&str]] = &[
    LiquidStakingKit::KEYS,
    WithdrawalQueueKit::KEYS,
    ExitNftsKit::KEYS,
    WithdrawRequestsKit::KEYS,
    RestakingKit::KEYS,
    RestakingVaultsKit::KEYS,
    VaultSupervisorKit::KEYS,
    ValidatorSharesKit::KEYS,
    VoteEscrowKit::KEYS,
    UnifiedFarmsKit::KEYS,
    NodeStakingKit::KEYS,
    FeePoolsKit::KEYS,
    KnownGapsKit::KEYS,
    Source::KEYS,
];

/// The rows and tables of the plugin.
#[derive(Debug)]
pub struct Staking;

impl AccountProtocols for Staking {
    const ROWS: Rows = rows!("protocols", KEYS);
    const KITS: &'static [&'static dyn Kit] = &[
        &LIQUID,
        &QUEUE,
        &EXITS,
        &REQUESTS,
        &RESTAKING,
        &RESTAKING_VAULTS,
        &SUPERVISED_VAULTS,
        &NODE_STAKING,
        &FEE_POOLS,
        &VALIDATOR_SHARES,
        &LOCKS,
        &FRAX_FARMS,
        &KnownGapsKit,
        &EventSourcesKit,
    ];
    const TABLES: &'static [&'static str] = &[TABLE];
}

portolan_plugin_api::export!(Accounts<Staking>);
