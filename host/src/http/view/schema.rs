//! Schemas of what is written as a text or as a number of any length: addresses, hashes, amounts and words.
//!
//! Invariant: the words of a fixed set are those of the table or the type that the views write them from.

use std::borrow::Cow;
use std::marker::PhantomData;

use portolan_abi::Question;
use portolan_abi::map::{LegRole, PaidTo, PositionKind};
use portolan_assets::names::ResolvedBy;
use portolan_reader::SimulationMethod;
use portolan_validation::TargetSource;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};

use super::parts::Number;
use super::{names, positions, problem, rows, simulation};
use crate::gateway::claims::verdict::Verdict;
use crate::gateway::query::POSITION_KINDS;
use crate::http::problem::types::ProblemType;
use crate::jobs::failure::{Reason, ReasonText};
use crate::markdown::plain;

/// Declares a marker for texts of one form: its name in the description, a sentence and the pattern.
macro_rules! text_form {
    ($(#[doc = $doc:literal] $type:ident as $name:literal: $pattern:literal;)*) => {$(
        #[doc = $doc]
        pub(super) struct $type;

        impl JsonSchema for $type {
            fn schema_name() -> Cow<'static, str> {
                $name.into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({"type": "string", "description": $doc.trim(), "pattern": $pattern})
            }
        }
    )*};
}

text_form! {
    /// An address in lower-case hex.
    AddressText as "Address": "^0x[0-9a-f]{40}$";
    /// The address of a token in lower-case hex, or `0x0` for the native token.
    TokenAddress as "TokenAddress": "^0x(0|[0-9a-f]{40})$";
    /// A word of 32 bytes in lower-case hex.
    Hash32 as "Hash": "^0x[0-9a-f]{64}$";
    /// Bytes in lower-case hex.
    HexData as "Data": "^0x([0-9a-f]{2})*$";
    /// A number in hex without leading zeros, as JSON-RPC has it.
    Quantity as "Quantity": "^0x(0|[1-9a-f][0-9a-f]*)$";
    /// A whole number of any length as a string of decimal digits.
    Digits as "Digits": "^(0|[1-9][0-9]*)$";
    /// A CAIP-2 id of a network.
    Caip2 as "Caip2": "^eip155:[0-9]+$";
    /// A CAIP-10 id of an account.
    Caip10 as "Caip10": "^eip155:[0-9]+:0x[0-9a-fA-F]{40}$";
    /// A CAIP-19 id of a token.
    Caip19 as "Caip19": "^eip155:[0-9]+/(erc20:0x[0-9a-fA-F]{40}|slip44:[0-9]+)$";
}

impl JsonSchema for Number {
    fn schema_name() -> Cow<'static, str> {
        "Amount".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": ["number", "string"],
            "description": "An exact number of any length. With `amounts=string`, a string of the same digits.",
            "pattern": "^-?(0|[1-9][0-9]*)(\\.[0-9]+)?(E[+-][0-9]+)?$",
        })
    }
}

/// A word of the set of `S`.
pub(super) struct Word<S>(PhantomData<S>);

/// A fixed set of words.
pub(super) trait WordSet {
    /// Name in the description.
    const NAME: &str;
    const ABOUT: &str;

    /// Returns [`Self::ABOUT`], and what each word means where a table says it.
    fn about() -> Cow<'static, str> {
        Self::ABOUT.into()
    }

    fn words() -> Vec<Cow<'static, str>>;
}

impl<S: WordSet> JsonSchema for Word<S> {
    fn schema_name() -> Cow<'static, str> {
        S::NAME.into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let words: Vec<Value> = S::words().into_iter().map(|word| json!(word)).collect();
        json_schema!({"type": "string", "description": S::about(), "enum": words})
    }
}

fn borrowed(words: impl IntoIterator<Item = &'static str>) -> Vec<Cow<'static, str>> {
    words.into_iter().map(Cow::Borrowed).collect()
}

impl WordSet for Verdict {
    const NAME: &str = "Verdict";
    const ABOUT: &str = "Whether a claim pays what it says when it is tried.";

    fn words() -> Vec<Cow<'static, str>> {
        borrowed([Self::Paid, Self::Differs, Self::Reverted, Self::Refused].map(Self::as_str))
    }
}

impl WordSet for Reason {
    const NAME: &str = "Reason";
    const ABOUT: &str = "Why something is missing: a word of `portolan-partial`. More may follow.";

    fn about() -> Cow<'static, str> {
        let line = |reason: Self| {
            let ReasonText { word, happened, client, .. } = reason.text();
            format!("\n- `{word}`: {}. What a client can do: {}.", plain(happened), plain(client))
        };
        format!("{}\n{}", Self::ABOUT, Self::ALL.map(line).concat()).into()
    }

    fn words() -> Vec<Cow<'static, str>> {
        borrowed(Self::ALL.map(Self::as_str))
    }
}

impl WordSet for ProblemType {
    const NAME: &str = "ProblemType";
    const ABOUT: &str = "Type of a problem. More may follow.";

    fn words() -> Vec<Cow<'static, str>> {
        problem::types().map(Cow::Owned).collect()
    }
}

impl WordSet for PositionKind {
    const NAME: &str = "PositionKind";
    const ABOUT: &str = "Kind of a position.";

    fn words() -> Vec<Cow<'static, str>> {
        borrowed(POSITION_KINDS.map(|(name, _)| name))
    }
}

impl WordSet for LegRole {
    const NAME: &str = "LegRole";
    const ABOUT: &str = "What an amount is to its position.";

    fn words() -> Vec<Cow<'static, str>> {
        borrowed(positions::ROLES.map(|(_, name)| name))
    }
}

impl WordSet for PaidTo {
    const NAME: &str = "PaidTo";
    const ABOUT: &str = "Who receives a payment.";

    fn words() -> Vec<Cow<'static, str>> {
        borrowed([Self::ACCOUNT, Self::LOCK, Self::VAULT].map(rows::paid_to))
    }
}

impl WordSet for TargetSource {
    const NAME: &str = "TargetSource";
    const ABOUT: &str = "Where a contract's address comes from: `listed` by the plugin, the operator's `settings`, or a \
                         `factory`.";

    fn words() -> Vec<Cow<'static, str>> {
        borrowed([&Self::Listed, &Self::Settings, &Self::View("".into())].map(|source| rows::target(source).0))
    }
}

/// The side of a loan.
pub(super) struct LoanSide;

impl WordSet for LoanSide {
    const NAME: &str = "LoanSide";
    const ABOUT: &str = "What a row is to a loan.";

    fn words() -> Vec<Cow<'static, str>> {
        borrowed([LegRole::SUPPLIED, LegRole::BORROWED].map(rows::side))
    }
}

impl WordSet for SimulationMethod {
    const NAME: &str = "SimulationMethod";
    const ABOUT: &str = "How a claim was run.";

    fn words() -> Vec<Cow<'static, str>> {
        borrowed([Self::Override, Self::SimulateV1, Self::Call].map(simulation::method))
    }
}

impl WordSet for ResolvedBy {
    const NAME: &str = "ResolvedBy";
    const ABOUT: &str = "How the resolver of a name was found.";

    fn words() -> Vec<Cow<'static, str>> {
        borrowed([Self::UniversalResolver, Self::Registry].map(names::resolved_by))
    }
}

impl WordSet for Question {
    const NAME: &str = "Question";
    const ABOUT: &str = "What a protocol answers.";

    fn words() -> Vec<Cow<'static, str>> {
        let is_known = |question: &Self| Self::by_name(question.name()) == Some(*question);
        borrowed((0..=u8::MAX).map(Self).filter(is_known).map(Self::name))
    }
}
