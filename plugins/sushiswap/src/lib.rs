//! SushiSwap: claimable rewards and stakes of its MasterChefs (Ethereum) and MiniChefs (six networks), SUSHI in the
//! SushiBar, and what its share (xSUSHI) redeems to; events of its pools and chefs.
//!
//! Invariant: each deployment is a part of its own, whose failure leaves the others' rows in the answer and is reported
//! there. It does not answer positions in pools, or other networks than the rows name.

#[cfg(test)]
mod tests;

use portolan_kits::accounts::{AccountProtocols, Accounts};
use portolan_kits::events::{Source, tables};
use portolan_kits::kit::Kit;
use portolan_kits::master_chef::MasterChefKit;
use portolan_kits::share_vault::ShareVaultKit;
use portolan_plugin_api::{Rows, rows};

/// The farms.
const CHEFS: MasterChefKit = MasterChefKit { v1: "sushi-masterchef", v2: "sushi-masterchef", mini: "sushi-minichefV2" };

/// The SushiBar.
const BARS: ShareVaultKit = ShareVaultKit { key: "bar", vault_type: "xsushi" };

/// Keys of a row for a SushiBar, which is a vault of one token:
/// - `bar` (address): the bar
const BAR: &[&str] = &["bar"];

/// Keys of the rows.
const KEYS: &[&[&str]] = &[BAR, ShareVaultKit::KEYS, MasterChefKit::KEYS, Source::KEYS];

/// The rows and tables of the plugin.
#[derive(Debug)]
pub struct Sushiswap;

impl AccountProtocols for Sushiswap {
    const ROWS: Rows = rows!("protocols", KEYS);
    const KITS: &'static [&'static dyn Kit] = &[&BARS, &CHEFS];
    const SHARED_TABLES: &'static [&'static str] = &[tables::UNISWAP_V2, tables::UNISWAP_V3, tables::MASTER_CHEF];
}

portolan_plugin_api::export!(Accounts<Sushiswap>);
