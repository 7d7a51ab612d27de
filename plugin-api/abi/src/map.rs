//! The CBOR maps: settings, catalogue, a job's start, findings, events.
//!
//! Keys are small integers. A field added after the first version is an `Option` or has a default, and unknown
//! keys are skipped, so that either side may be the older one.

mod catalogue;
mod event;
mod finding;
mod job;
mod settings;

use minicbor::{Decode, Encode};

pub use self::catalogue::{Catalogue, ClaimTemplate, Company, Deployment, Protocol, Role, caller, role};
pub use self::event::{Amount, Asset, Event, Member, Value};
pub use self::finding::{Claim, Claimable, Composition, FarmingPosition, Finding, LendingPosition, Part, Reward, side};
pub use self::job::{Block, Pin, ReadExtension, Selftest, Start, StartError, Transaction};
pub use self::settings::{Settings, SettingsError, SettingsKey, SettingsRow, SettingsValue};

/// A 20-byte address.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Encode, Decode)]
#[cbor(transparent)]
pub struct Address(#[cbor(with = "minicbor::bytes")] pub [u8; 20]);

/// A 32-byte word: a hash, a topic, or a raw amount as a big-endian integer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Encode, Decode)]
#[cbor(transparent)]
pub struct Word(#[cbor(with = "minicbor::bytes")] pub [u8; 32]);
