//! What plugins may report: the rules of catalogues, claims, positions, compositions and events, for the gateway and for
//! the tests of plugins.
//!
//! A claim is signed by people who trust that it only pays them. So a plugin cannot name any function: it must be one of
//! [`ClaimFunctions`], a table that lists what each argument may be, with the code where that was read. Targets, tokens
//! and contracts are those of the catalogue, or what declared views ([`Lineages`]) gave at the answer's block; numbers
//! were read together with the account. The gateway and the tests of plugins refuse with the same sentences.

mod addresses;
mod catalogue;
mod claim;
mod composition;
mod event;
mod findings;
mod functions;
mod lineage;
mod position;
mod reads;
mod rejections;
mod rules;
mod template;
mod templates;
mod transaction;
mod word;

#[cfg(test)]
mod tests;

pub use self::addresses::{Addresses, TargetSource, ViewReply};
pub use self::catalogue::{CatalogueError, PRIMITIVES, RESERVED_WORDS, is_slug, is_web_url, validate_catalogue};
pub use self::claim::decode_arguments;
pub use self::composition::validate_compositions;
pub use self::event::validate_events;
pub use self::findings::{STEPS_MAX, ValidFinding, Validated, validate};
pub use self::functions::{ClaimFunctions, ClaimFunctionsError, FILE_NAME};
pub use self::lineage::{Given, LineageError, Lineages, Use};
pub use self::position::question;
pub use self::reads::{ClaimReads, has_argument};
pub use self::rejections::Rejections;
pub use self::rules::{JobRules, MECHANISM_BYTES_MAX};
pub use self::template::{ARGUMENTS_BYTES_MAX, Template, TemplateError};
pub use self::templates::{ClaimStatus, ClaimTemplates, ClaimTemplatesError};
pub use self::transaction::{ClaimTransaction, MergedCall};
