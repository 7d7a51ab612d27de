//! The CBOR maps: settings, catalogue, a job's start, findings, events.
//!
//! Keys are small integers; addresses and words are byte strings ([`crate::primitive`]). A field added after the first
//! version is an `Option` or has a default, and unknown keys are skipped, so that either side may be the older one.

mod catalogue;
mod event;
mod finding;
mod job;
mod settings;

pub use self::catalogue::{Catalogue, ClaimTemplate, Company, Deployment, Protocol, Role, caller, role};
pub use self::event::{Amount, Asset, Event, Member, Value};
pub use self::finding::{Claim, Claimable, Composition, FarmingPosition, Finding, LendingPosition, Part, Reward, Side};
pub use self::job::{Block, Pin, ReadExtension, Selftest, Start, StartError, Transaction};
pub use self::settings::{Settings, SettingsError, SettingsKey, SettingsRow, SettingsValue};
