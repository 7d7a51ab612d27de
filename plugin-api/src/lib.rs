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
//!         let served = |row: &Deployment<Contract>| row.served(&[Question::CLAIMABLES], [row.mechanism.0]);
//!         Catalogue {
//!             protocols: vec![protocol],
//!             deployments: self.0.iter().map(served).collect(),
//!             claims: vec![ClaimTemplate::new::<getRewardCall>([])],
//!             event_topics: None,
//!         }
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
//!                 claim: cx.claim(farm, &getRewardCall {}),
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
//! use portolan_plugin_api::testing::{CannedReplies, JobTest};
//! let account = address!("0x2222222222222222222222222222222222222222");
//! let farm = address!("0x1111111111111111111111111111111111111111");
//! let replies = CannedReplies::default().reply(137, farm, &earnedCall { account }, &U256::from(5));
//! let outcome = JobTest::new("farm", 137, Question::CLAIMABLES, account).run::<Farm>(&replies);
//! assert_eq!(outcome.claimables()[0].amount, U256::from(5));
//! ```
//!
//! A plugin has no clock, no files, no network, no threads and no state that outlives a job; it needs no other crate
//! than this one, and no `unsafe`.

mod chain;
mod decode;
mod error;
#[doc(hidden)]
pub mod export;
mod job;
mod job_state;
mod panic;
mod plugin;
mod read;
mod read_request;
mod read_result;
mod selftest;
mod settings;
mod symbol;
#[cfg(feature = "testing")]
pub mod testing;
mod wire;

pub use alloy::primitives::{Address, B256, Bytes, U256, address, b256};
pub use alloy::sol_types::{SolCall, SolValue};
pub use chain::Chain;
pub use error::{Error, Revert};
pub use job_state::Budget;
pub use plugin::Plugin;
pub use portolan_abi::Question;
pub use portolan_abi::map::{
    Block, Catalogue, Claim, ClaimTemplate, Claimable, Company, Composition, FarmingPosition, Finding, LendingPosition,
    Part, Protocol, Reward, Role, SettingsError, Side,
};
pub use read::Read;
pub use read_request::ReadRequest;
pub use read_result::ReadResult;
pub use settings::{Deployment, Keys, Mechanism, Settings};
pub use symbol::symbol;

/// Events: tables of them, and what the logs of a transaction are decoded to.
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
