//! Aave v3 and its forks Spark and Seamless: what an account has lent and borrowed, the rewards that it can claim, Spark's
//! savings vaults, and events of pools and controllers. The plugin `lending` reports those of other forks and versions.
//!
//! Invariant: each deployment is a part of its own, whose failure leaves the others' rows in the answer and is reported
//! there. It answers nothing about accounts in Aave's safety module, older versions, or other networks than the rows
//! name.

#[cfg(test)]
mod tests;

use portolan_kits::aave_v3::{AaveV3Kit, AaveVersion};
use portolan_kits::accounts::{AccountProtocols, Accounts};
use portolan_kits::events::{Source, tables};
use portolan_kits::kit::Kit;
use portolan_kits::known_gaps::KnownGapsKit;
use portolan_kits::tokenized_vaults::TokenizedVaultsKit;
use portolan_plugin_api::{Rows, rows};

/// The mechanism.
const POOLS: AaveV3Kit = AaveV3Kit { version: AaveVersion::V3, reward_type: "aave-v3-rewards" };

/// Spark's savings vaults.
const SAVINGS: TokenizedVaultsKit = TokenizedVaultsKit { vault: "erc4626-vault", share: "ERC4626" };

/// Keys of the rows.
const KEYS: &[&[&str]] = &[AaveV3Kit::KEYS, TokenizedVaultsKit::KEYS, KnownGapsKit::KEYS, Source::KEYS];

/// The rows and tables of the plugin.
#[derive(Debug)]
pub struct AaveV3;

impl AccountProtocols for AaveV3 {
    const ROWS: Rows = rows!("protocols", KEYS);
    const KITS: &'static [&'static dyn Kit] = &[&POOLS, &SAVINGS, &KnownGapsKit];
    /// Names of Aave's rows begin with its version too.
    const TITLES: &'static [(&'static str, &'static str)] = &[("aave_v3", "Aave v3")];
    const SHARED_TABLES: &'static [&'static str] = &[tables::AAVE];
}

portolan_plugin_api::export!(Accounts<AaveV3>);
