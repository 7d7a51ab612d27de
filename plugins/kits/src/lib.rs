//! Mechanisms that many protocols share, and plugin shells over them. Each mechanism is a module with its settings
//! keys, questions and claim templates. A plugin is a table of rows.
//!
//! Invariant: as in a plugin, nothing here does IO, reads a clock or keeps state between jobs. A kit knows no protocol:
//! the addresses and words in an answer come from the plugin.

pub mod accounts;
pub mod family;

pub mod kit;

pub mod aave_v3;
pub mod aave_v4;
pub mod alchemists;
pub mod balancer_pools;
pub mod beefy_vaults;
pub mod booster;
pub mod boring_vaults;
pub mod collateral_troves;
pub mod comet;
pub mod compound_v2;
pub mod concentrated_positions;
pub mod convex_stakes;
pub mod cooldown_locks;
pub mod credit_accounts;
pub mod curve_gauges;
pub mod curve_pools;
pub mod debt_manager;
pub mod dolomite;
pub mod earning_pools;
pub mod epoch_locks;
pub mod euler;
pub mod events;
pub mod exit_nfts;
pub mod fee_pools;
pub mod fee_staking;
pub mod fluid;
pub mod fund_shares;
pub mod gains_staking;
pub mod gmx_v2;
pub mod harvest_pools;
pub mod interaction_vaults;
pub mod known_gaps;
pub mod ledger_vaults;
pub mod liquid_staking;
pub mod liquidity_pairs;
pub mod liquity;
pub mod liquity_v2;
pub mod llamalend;
pub mod lockstake;
pub mod lockup_streams;
pub mod maker_vaults;
pub mod market_boosters;
pub mod master_chef;
pub mod merkl;
pub mod merkle_distributor;
pub mod merkle_stash;
pub mod meta_vaults;
pub mod mono_cooler;
pub mod morpho;
pub mod mux_staking;
pub mod node_staking;
pub mod pendle;
pub mod pendle_locks;
pub mod personal_vaults;
pub mod position_chef;
pub mod position_pools;
pub mod quoted_vaults;
pub mod redeem_requests;
pub mod restaking;
pub mod restaking_vaults;
pub mod reward_escrow;
pub mod reward_trackers;
pub mod reward_vaults;
pub mod safety_module;
pub mod share_vault;
pub mod side_booster;
pub mod silo;
pub mod solidly;
pub mod staking_rewards;
pub mod stargate_staking;
pub mod super_tokens;
pub mod token_lockers;
pub mod token_masters;
pub mod token_plans;
pub mod tokenized_vaults;
pub mod trove_managers;
pub mod umbrella;
pub mod unified_farms;
pub mod unstake_cooldowns;
pub mod validator_shares;
pub mod vault_supervisor;
pub mod vester;
pub mod vesting_escrows;
pub mod vote_escrow;
pub mod vote_locker;
pub mod weekly_locks;
pub mod withdraw_requests;
pub mod withdrawal_queue;
pub mod yearn_gauges;
pub mod yearn_vaults;

mod account_url;
mod bounds;
mod boxed;
mod concentrated_liquidity;
mod display_name;
mod erc4626;
mod fixed_point;
mod native_placeholder;
mod owned_nfts;
mod partial;
mod read_nonzero;
mod share_price;
mod token_sums;
mod trove_health;
mod vat;

pub use boxed::Boxed;

/// Runs the README's example as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
