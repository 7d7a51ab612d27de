//! The SDK for authors of Portolan protocol plugins.
//!
//! A plugin is a dylib that a host loads from a folder. It never does IO: it says which contracts to read, and the host
//! reads them for all plugins together, at one pinned block. Authors do not see that: their `async fn`s await
//! [`JobContext::call`]s, many at once through [`JobContext::join`].
//!
//! ```
//! use portolan_plugin_api::*;
//!
//! sol! {
//!     function earned(address account) external view returns (uint256);
//!     function getReward() external;
//! }
//!
//! /// Farms, one of them on Polygon.
//! struct Farm(Deployments<Contract>);
//!
//! #[derive(Clone, FromKeys)]
//! struct Contract {
//!     /// The contract that pays the rewards.
//!     farm: Address,
//! }
//!
//! // Mostly `rows!("protocols")`, a folder with a file for each protocol.
//! const ROWS: Rows = rows!(
//!     r#"
//!     [[protocol]]
//!     slug = "farm"
//!     name = "FARM"
//!     website = "https://farm.example"
//!     primitives = ["FARMING"]
//!     company = { name = "Farm", slug = "farm" }
//!
//!     [[deployment]]
//!     protocol = "farm"
//!     network = "polygon"
//!     farm = "0x1111111111111111111111111111111111111111"
//!     "#
//! );
//! const QUICK: Address = address!("0xb5c064f955d8e7f38fe0460c556a72987494ee17");
//!
//! impl Plugin for Farm {
//!     fn configure(settings: &Settings) -> Result<Self, SettingsError> {
//!         settings.serve_rows(ROWS).map(Self)
//!     }
//!
//!     fn catalogue(&self) -> Catalogue {
//!         let served = self.0.catalogue(&[Question::CLAIMABLES], |contract| [contract.farm]);
//!         Catalogue { claims: vec![ClaimTemplate::new::<getRewardCall>([])], ..served }
//!     }
//!
//!     async fn claimables(&self, cx: &JobContext, account: Address) -> Result<Vec<Claimable>, Error> {
//!         cx.gather(cx.rows(&self.0).map(async |row| {
//!             let farm = row.mechanism.farm;
//!             let amount = cx.call(farm, earnedCall { account }).await?;
//!             let claim = cx.claim(farm, &getRewardCall {});
//!             let reward = Claimable::new(&row.market, farm, claim).mechanism("staking-rewards").pays(QUICK, amount);
//!             Ok(Some(reward.named(format!("{} reward", symbol(QUICK)))))
//!         }))
//!         .await
//!     }
//! }
//!
//! portolan_plugin_api::export!(Farm);
//!
//! // What a host would do, with canned replies instead of a chain:
//! use portolan_plugin_api::testing::{CannedReplies, JobTest};
//! let account = address!("0x2222222222222222222222222222222222222222");
//! let farm = address!("0x1111111111111111111111111111111111111111");
//! let replies = CannedReplies::default().reply(networks::POLYGON, farm, &earnedCall { account }, &U256::from(5));
//! let outcome = JobTest::new("farm", networks::POLYGON, Question::CLAIMABLES, account).run::<Farm>(&replies);
//! assert_eq!(outcome.claimables()[0].payments[0].amount, U256::from(5));
//! ```
//!
//! A plugin has no clock, files, network, threads, or state that outlives a job. It needs no other crate than this one,
//! and no `unsafe`. The rest of this page is the guide.
//!
//! [`docs/faults.md`]: https://docs.rs/crate/portolan-plugin-api/latest/source/docs/faults.md
//! [`events.mjs`]: https://docs.rs/crate/portolan-plugin-api/latest/source/events.mjs
//! [`portolan-abi`]: portolan_abi
//! [`portolan-kits`]: https://docs.rs/portolan-kits
//! [`validation/claim-functions.toml`]: https://docs.rs/crate/portolan-validation/latest/source/claim-functions.toml
//! [in the language of tables]: crate::events
//! [The table of revisions]: portolan_abi#revisions
#![doc = include_str!("../README.md")]

mod decode;
mod deployment;
mod error;
#[doc(hidden)]
pub mod export;
mod fact_list;
mod finding_filter;
mod gather;
mod http_get;
mod implemented;
mod job;
mod job_context;
mod job_state;
mod join;
mod keys;
pub mod merkle;
mod panic;
mod plugin;
mod read;
mod read_request;
mod read_result;
mod request_rows;
mod selftest;
mod settings;
mod shipped_rows;
mod symbol;
#[cfg(feature = "testing")]
pub mod testing;
pub mod ticks;
mod wire;

pub use alloy::primitives::{Address, B256, Bytes, I256, U256, address, b256};
pub use alloy::sol_types::{SolCall, SolValue};
pub use deployment::{Deployment, Deployments};
pub use error::{Error, NoDocument, Revert};
pub use gather::{Emitter, Emitting, Gather, Gathered};
pub use http_get::HttpGet;
pub use job_context::JobContext;
pub use job_state::Budget;
pub use join::{Join, shape};
pub use keys::{FromKeys, KeyField, KeyValue, Keys};
pub use plugin::Plugin;
#[doc(inline)]
pub use portolan_abi::map::{
    Block, Catalogue, Claim, ClaimTemplate, Claimable, Company, Composition, Finding, Health, Leg, LegRole, Lineage,
    Lock, Nft, PaidTo, Part, Payment, Position, PositionKind, Price, PriceRange, Protocol, Reward, Role, SettingsError,
    SettingsValue, Vesting,
};
#[doc(inline)]
pub use portolan_abi::{NATIVE, Question, limits};
pub use read::{Each, Read, Single};
pub use read_request::ReadRequest;
pub use read_result::ReadResult;
pub use settings::Settings;
pub use shipped_rows::Rows;
pub use symbol::symbol;

/// Derives [`FromKeys`](trait@FromKeys) for a struct whose fields are the keys of a settings row.
pub use portolan_derive::FromKeys;

pub use portolan_derive::rows;
#[doc(hidden)]
pub use shipped_rows::embedded;

/// Limits of off-chain reads: hosts, URLs, counts and sizes.
pub use portolan_abi::off_chain;
/// Event tables, and the decoded logs of transactions.
pub use portolan_events as events;
/// Chain ids of networks by name, for example [`networks::ETHEREUM`].
pub use portolan_networks as networks;

#[doc(hidden)]
pub use alloy;

/// Declares Solidity interfaces as types: alloy's `sol!`, usable without a dependency on alloy.
#[macro_export]
macro_rules! sol {
    ($($interface:tt)*) => {
        $crate::alloy::sol_types::sol! {
            #![sol(alloy_sol_types = $crate::alloy::sol_types)]
            $($interface)*
        }
    };
}
