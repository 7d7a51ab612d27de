//! CBOR maps: settings, catalogue, start of a job, findings, events.
//!
//! Keys are small integers; addresses and words are byte strings ([`crate::primitive`]). Fields added after the first
//! version are `Option`s or have a default. Unknown keys are skipped, so either side may be the older one.

mod catalogue;
mod claim;
mod event;
mod finding;
mod job;
mod position;
mod settings;

pub use self::catalogue::{
    Catalogue, ClaimTemplate, Company, Deployment, Lineage, Protocol, Role, caller, lineage, role,
};
pub use self::claim::{Claim, Claimable, MergeableCall, PaidTo, Payment};
pub use self::event::{Amount, Asset, Event, Member, Value};
pub use self::finding::{Composition, Finding};
pub use self::job::{Block, FactList, Pin, ReadExtension, Selftest, Start, StartError, Transaction};
pub use self::position::{
    Health, Leg, LegRole, Lock, Nft, Part, Position, PositionKind, Price, PriceRange, Reward, Vesting,
};
pub use self::settings::{Settings, SettingsError, SettingsKey, SettingsRow, SettingsValue};
