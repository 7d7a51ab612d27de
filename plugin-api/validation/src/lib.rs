//! Rules for catalogues, claims, positions, compositions and events, shared by the gateway and the tests of plugins.
//!
//! People sign claims and trust that these only pay them, so a plugin may not call arbitrary functions.
//! [`ClaimFunctions`] lists the allowed ones, with the allowed arguments and a link to the code. Functions that end
//! something where another contract has them too are bound to contracts. Targets, tokens and contracts come from the
//! catalogue, or from declared views ([`Lineages`]) at the answer's block. Numbers must have been read together with the
//! account. The gateway and the tests give the same error messages.

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
pub use self::catalogue::{CatalogueError, RESERVED_WORDS, is_primitive, is_slug, is_web_url, validate_catalogue};
pub use self::claim::decode_arguments;
pub use self::composition::validate_compositions;
pub use self::event::validate_events;
pub use self::findings::{STEPS_MAX, ValidFinding, Validated, price_tokens, validate};
pub use self::functions::{ClaimFunctions, ClaimFunctionsError, ClaimTargets, FILE_NAME};
pub use self::lineage::{Given, LineageError, Lineages, Use};
pub use self::position::question;
pub use self::reads::{ClaimReads, has_argument};
pub use self::rejections::Rejections;
pub use self::rules::{JobRules, MECHANISM_BYTES_MAX};
pub use self::template::{ARGUMENTS_BYTES_MAX, Template, TemplateError};
pub use self::templates::{ClaimStatus, ClaimTemplates, ClaimTemplatesError};
pub use self::transaction::{ClaimTransaction, MergedCall};
