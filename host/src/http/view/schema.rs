//! Schemas of what is written as a text or as a number of any length: addresses, hashes, amounts and words.
//!
//! Invariant: the words of a fixed set are those of the table or the type that the views write them from. Each set
//! stands beside what writes its words.

use std::borrow::Cow;
use std::marker::PhantomData;

use portolan_abi::Question;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};

use crate::gateway::claims::verdict::Verdict;
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
    /// An address in hex with the checksum of EIP-55.
    ChecksummedAddress as "ChecksummedAddress": "^0x[0-9a-fA-F]{40}$";
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

pub(super) fn borrowed(words: impl IntoIterator<Item = &'static str>) -> Vec<Cow<'static, str>> {
    words.into_iter().map(Cow::Borrowed).collect()
}

impl WordSet for Verdict {
    const NAME: &str = "Verdict";
    const ABOUT: &str =
        "What a claim did when it was tried; `revoked` is what a call does that takes an allowance back.";

    fn words() -> Vec<Cow<'static, str>> {
        borrowed([Self::Paid, Self::Revoked, Self::Differs, Self::Reverted, Self::Refused].map(Self::as_str))
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

impl WordSet for Question {
    const NAME: &str = "Question";
    const ABOUT: &str = "What a protocol answers.";

    fn words() -> Vec<Cow<'static, str>> {
        let is_known = |question: &Self| Self::by_name(question.name()) == Some(*question);
        borrowed((0..=u8::MAX).map(Self).filter(is_known).map(Self::name))
    }
}
