//! What the author of a Portolan protocol plugin uses.
//!
//! A plugin is a dylib that a host loads from a folder. It never does IO: it says which contracts it wants to read,
//! and the host reads them, for all plugins together, at one pinned block. The author does not see that: an
//! `async fn` awaits [`Chain::call`]s, and many of them at once through [`Chain::join`].
//!
//! ```
//! use portolan_plugin_api::*;
//!
//! sol! {
//!     function earned(address account) external view returns (uint256);
//!     function getReward() external;
//! }
//!
//! /// One farm on Polygon, as an example.
//! struct Farm(Vec<Deployment<Contract>>);
//!
//! #[derive(Clone)]
//! struct Contract(Address);
//!
//! impl Mechanism for Contract {
//!     fn from_keys(keys: &Keys<'_>) -> Result<Self, SettingsError> {
//!         keys.address("farm").map(Self)
//!     }
//! }
//!
//! const QUICK: Address = address!("0xb5c064f955d8e7f38fe0460c556a72987494ee17");
//!
//! impl Plugin for Farm {
//!     fn configure(settings: &Settings) -> Result<Self, SettingsError> {
//!         let farm = Contract(address!("0x1111111111111111111111111111111111111111"));
//!         let shipped = Deployment { protocol: "farm".into(), network: 137, market: "main".into(), mechanism: farm };
//!         settings.deployments([shipped]).map(Self)
//!     }
//!
//!     fn catalogue(&self) -> Catalogue {
//!         let company = Company { name: "Farm".into(), slug: "farm".into() };
//!         let protocol = Protocol {
//!             slug: "farm".into(),
//!             name: "FARM".into(),
//!             website: "https://farm.example".into(),
//!             logo: None,
//!             primitives: vec!["FARMING".into()],
//!             company,
//!         };
//!         let catalogue = Catalogue::new().protocols([protocol]).claims([ClaimTemplate::new::<getRewardCall>([])]);
//!         self.0.iter().fold(catalogue, |catalogue, row| {
//!             catalogue.deployment(row, &[Question::Claimables], [row.mechanism.0])
//!         })
//!     }
//!
//!     async fn claimables(&self, cx: &Chain, account: Address) -> Result<Vec<Claimable>, Error> {
//!         let rows = self.0.iter().filter(|row| row.network == cx.network());
//!         cx.join(rows.map(async |row| {
//!             let farm = row.mechanism.0;
//!             let amount = cx.call(farm, earnedCall { account }).await?;
//!             Ok(Claimable {
//!                 market: row.market.clone(),
//!                 contract: farm,
//!                 name: format!("{} reward", symbol(QUICK)),
//!                 mechanism: "staking-rewards".into(),
//!                 token: QUICK,
//!                 amount,
//!                 claim: Claim::new(farm, &getRewardCall {}),
//!                 number: None,
//!             })
//!         }))
//!         .await
//!     }
//! }
//!
//! portolan_plugin_api::export!(Farm);
//!
//! // What a host would do with it, with canned replies instead of a chain:
//! use portolan_plugin_api::testing::{Canned, Case};
//! let account = address!("0x2222222222222222222222222222222222222222");
//! let farm = address!("0x1111111111111111111111111111111111111111");
//! let canned = Canned::default().reply(137, farm, &earnedCall { account }, &U256::from(5));
//! let outcome = Case::new("farm", 137, Question::Claimables, account).run::<Farm>(&canned);
//! assert_eq!(outcome.claimables()[0].amount.0, U256::from(5).to_be_bytes::<32>());
//! ```
//!
//! A plugin has no clock, no files, no network, no threads and no state that outlives a job; it needs no other crate
//! than this one, and no `unsafe`.

mod catalogue;
mod chain;
mod decode;
mod error;
mod event;
#[doc(hidden)]
pub mod export;
mod finding;
mod job;
mod join;
mod panic;
mod plugin;
mod read;
mod selftest;
mod settings;
#[cfg(feature = "testing")]
pub mod testing;
mod wire;

pub use alloy::primitives::{Address, B256, Bytes, U256, address, b256};
pub use alloy::sol_types::{SolCall, SolValue};
pub use catalogue::{Catalogue, ClaimTemplate, Company, Protocol, Question, Role};
pub use chain::{Block, Chain, Left};
pub use error::{Error, Revert};
pub use finding::{
    Claim, Claimable, Composition, FarmingPosition, Finding, LendingPosition, Part, Reward, Side, symbol,
};
pub use plugin::Plugin;
pub use read::Read;
pub use settings::{Deployment, Keys, Mechanism, Settings, SettingsError};

/// Events: tables of them, and what the logs of a transaction are told as.
pub use portolan_events as events;
/// Networks: their chain ids by name, for example [`networks::ETHEREUM`].
pub use portolan_networks as networks;

#[doc(hidden)]
pub use alloy;

/// Declares Solidity interfaces as types: alloy's `sol!`, with the paths set so that a plugin needs no other crate.
#[macro_export]
macro_rules! sol {
    ($($interface:tt)*) => {
        $crate::alloy::sol_types::sol! {
            #![sol(alloy_sol_types = $crate::alloy::sol_types)]
            $($interface)*
        }
    };
}
