//! Members of a row, and the values that they add to an event.

use alloy::primitives::Address;
use alloy::primitives::aliases::I512;

use crate::eval::Eval;
use crate::eval_context::{ELEMENTS_MAX, EvalContext};
use crate::event::{Asset, Value};
use crate::expr_value::{ExprType, ExprValue, magnitude};
use crate::expression::{DataPath, Expression};
use crate::kind::{self, Class};
use crate::parser::Parser;
use crate::view::ViewCall;

/// A member of a row, or the four of `swap_deltas`.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    name: &'static str,
    optional: bool,
    value: MemberExpr,
}

#[derive(Clone, Debug)]
enum MemberExpr {
    Single(Class, Expression),
    Assets(Vec<TokenAmount>),
    SwapDeltas(Vec<TokenAmount>),
}

/// An amount of a token, per element of its arrays.
#[derive(Clone, Debug)]
struct TokenAmount {
    token: Expression,
    /// True if the token may be unknown.
    token_optional: bool,
    amount: Expression,
    arrays: Vec<DataPath>,
}

/// Members that `swap_deltas` sets.
const SWAP_MEMBERS: [&str; 4] = ["fromToken", "fromAmount", "toToken", "toAmount"];

/// Members of an event under construction.
#[derive(Debug)]
pub(crate) struct EventBuilder {
    pub(crate) members: Vec<(&'static str, Value)>,
    /// True if a member is missing because the chain could not be read.
    pub(crate) read_failed: bool,
}

impl EventBuilder {
    pub(crate) fn with_capacity(members: usize) -> Self {
        Self { members: Vec::with_capacity(members + SWAP_MEMBERS.len()), read_failed: false }
    }

    /// Replaces an undefined or unreadable value by `None`.
    fn optional<T>(&mut self, value: Eval<T>) -> Eval<Option<T>> {
        self.read_failed |= matches!(value, Eval::ReadFailed);
        match value {
            Eval::Known(value) => Eval::Known(Some(value)),
            Eval::Undefined | Eval::ReadFailed => Eval::Known(None),
            Eval::NeedsCall => Eval::NeedsCall,
        }
    }
}

impl Member {
    /// Parses a member. Also returns the arrays whose elements it takes.
    pub(crate) fn parse(parser: &mut Parser<'_>) -> Result<(Self, Vec<DataPath>), String> {
        let name = parser.scanner.name()?;
        if !parser.scanner.takes("=") {
            return Err(format!("= is missing behind {name}"));
        }
        Self::parse_value(name, parser).map_err(|what| format!("{name}: {what}"))
    }

    fn parse_value(name: &str, parser: &mut Parser<'_>) -> Result<(Self, Vec<DataPath>), String> {
        let (name, value, optional) = match name {
            "swap_deltas" => ("swap_deltas", MemberExpr::SwapDeltas(TokenAmount::parse_all(parser)?), false),
            "assets" => ("assets", MemberExpr::Assets(TokenAmount::parse_all(parser)?), false),
            _ => {
                let (name, class) = kind::find_member(name).ok_or("unknown member")?;
                let ((expression, ty), optional) = parser.optional()?;
                if !ty.fits(class) {
                    return Err(format!("{} is needed, not {ty}", ExprType::list(class)));
                }
                (name, MemberExpr::Single(class, expression), optional)
            }
        };
        Ok((Self { name, optional, value }, parser.take_arrays()?))
    }

    /// Returns the members that it adds to the event.
    pub(crate) fn names(&self) -> &[&'static str] {
        match self.value {
            MemberExpr::SwapDeltas(_) => &SWAP_MEMBERS,
            _ => std::slice::from_ref(&self.name),
        }
    }

    /// Evaluates the member for an array index, and adds it to the event.
    pub(crate) fn eval(
        &self,
        context: &EvalContext<'_>,
        index: usize,
        calls: &mut Vec<ViewCall>,
        builder: &mut EventBuilder,
    ) -> Eval<()> {
        let members = match &self.value {
            MemberExpr::Single(class, expression) => context.eval(expression, index, calls).filter_map(|value| {
                let value = value.into_member(*class)?;
                Some(vec![(self.name, value)])
            }),
            MemberExpr::Assets(pairs) => TokenAmount::eval_all(pairs, context, calls, builder).filter_map(|pairs| {
                let assets = pairs.into_iter().map(|(token, amount)| Some(Asset { token, raw: magnitude(amount)? }));
                Some(vec![(self.name, Value::Assets(assets.collect::<Option<_>>()?))])
            }),
            MemberExpr::SwapDeltas(pairs) => {
                TokenAmount::eval_all(pairs, context, calls, builder).filter_map(|pairs| swap_members(&pairs))
            }
        };
        let members = if self.optional { builder.optional(members) } else { members.map(Some) };
        members.map(|members| builder.members.extend(members.into_iter().flatten()))
    }

    /// Sets the token of an amount: the value of the member that its class names.
    pub(crate) fn set_token(&self, builder: &mut EventBuilder) {
        let MemberExpr::Single(Class::Amount(Some(token)), _) = self.value else { return };
        let known = match token {
            "native" => Some(Address::ZERO),
            _ => builder.members.iter().find(|(name, _)| *name == token).and_then(|(_, value)| match value {
                Value::Token(token) | Value::Address(token) => Some(*token),
                _ => None,
            }),
        };
        if let Some((_, Value::Amount { of, .. })) = builder.members.iter_mut().find(|(name, _)| *name == self.name) {
            *of = known;
        }
    }
}

impl TokenAmount {
    /// Parses `amount of token, amount of token`.
    fn parse_all(parser: &mut Parser<'_>) -> Result<Vec<Self>, String> {
        let mut pairs = vec![Self::parse(parser)?];
        while parser.scanner.takes(",") {
            pairs.push(Self::parse(parser)?);
        }
        Ok(pairs)
    }

    fn parse(parser: &mut Parser<'_>) -> Result<Self, String> {
        let amount = parser.integer()?;
        parser.scanner.needs_word("of")?;
        let (token, token_optional) = parser.optional_address()?;
        Ok(Self { token, token_optional, amount, arrays: parser.take_arrays()? })
    }

    /// Returns the nonzero amounts with their tokens. Tokens of zero amounts are not evaluated.
    fn eval_all(
        pairs: &[Self],
        context: &EvalContext<'_>,
        calls: &mut Vec<ViewCall>,
        builder: &mut EventBuilder,
    ) -> Eval<Vec<(Option<Address>, I512)>> {
        let mut all = Eval::Known(Vec::new());
        for pair in pairs {
            let Some(length) = context.length(&pair.arrays).filter(|length| *length <= ELEMENTS_MAX) else {
                return Eval::Undefined;
            };
            for index in 0..length {
                let amount = context.eval(&pair.amount, index, calls).filter_map(ExprValue::integer);
                if matches!(amount, Eval::Known(I512::ZERO)) {
                    continue;
                }
                let token = context.eval(&pair.token, index, calls).filter_map(ExprValue::token);
                let token = if pair.token_optional { builder.optional(token) } else { token.map(Some) };
                all = all.zip(token.zip(amount)).map(|(mut all, pair)| {
                    all.push(pair);
                    all
                });
                if matches!(all, Eval::Undefined) {
                    return Eval::Undefined;
                }
            }
        }
        all
    }
}

/// Returns the members of a swap, with one amount into the pool and one out of it; `None` otherwise.
fn swap_members(deltas: &[(Option<Address>, I512)]) -> Option<Vec<(&'static str, Value)>> {
    let ((from, into), (to, out)) = match deltas {
        [one, other] if one.1.is_positive() && other.1.is_negative() => (one, other),
        [one, other] if one.1.is_negative() && other.1.is_positive() => (other, one),
        _ => return None,
    };
    let amount = |of: &Option<Address>, raw: &I512| Some(Value::Amount { raw: magnitude(*raw)?, of: *of });
    let amounts = [("fromAmount", amount(from, into)?), ("toAmount", amount(to, out)?)];
    let tokens = [("fromToken", *from), ("toToken", *to)];
    let tokens = tokens.into_iter().filter_map(|(name, token)| Some((name, Value::Token(token?))));
    Some(tokens.chain(amounts).collect())
}
