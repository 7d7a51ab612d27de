//! SpookySwap on Fantom: claimable rewards and stakes of its three generations of farms, and events of these and
//! of its pairs.
//!
//! Invariant: each deployment is a part of its own, whose failure leaves the others' rows in the answer and is reported
//! there. It does not answer xBOO, positions in pools, or other networks than the rows name.

#[cfg(test)]
mod tests;

use portolan_kits::accounts::{AccountProtocols, Accounts};
use portolan_kits::events::{Source, tables};
use portolan_kits::kit::Kit;
use portolan_kits::master_chef::MasterChefKit;
use portolan_plugin_api::{Rows, rows};

/// The farms.
const CHEFS: MasterChefKit = MasterChefKit { v1: "master-chef-v1", v2: "master-chef-v2", mini: "mini-chef" };

/// Keys of the rows.
const KEYS: &[&[&str]] = &[MasterChefKit::KEYS, Source::KEYS];

/// The rows and tables of the plugin.
#[derive(Debug)]
pub struct Spookyswap;

impl AccountProtocols for Spookyswap {
    const ROWS: Rows = rows!("protocols", KEYS);
    const KITS: &'static [&'static dyn Kit] = &[&CHEFS];
    const SHARED_TABLES: &'static [&'static str] = &[tables::UNISWAP_V2, tables::MASTER_CHEF];
}

portolan_plugin_api::export!(Accounts<Spookyswap>);
