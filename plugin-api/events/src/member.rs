//! The members of a row, and how they are made.

use alloy::primitives::Address;
use alloy::primitives::aliases::I512;

use crate::decoding::View;
use crate::event::{Asset, Value};
use crate::expression::{Expression, Path};
use crate::kind::{self, Class};
use crate::parser::Parser;
use crate::row::PLACES_MAX;
use crate::scene::Scene;
use crate::signature::Signature;
use crate::told::{Told, Val, magnitude};

/// A member of a row, or the several that `legs` are.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    name: &'static str,
    optional: bool,
    made: Made,
}

#[derive(Clone, Debug)]
enum Made {
    Of(Class, Expression),
    Assets(Vec<Pair>),
    Legs(Vec<Pair>),
}

/// Tokens and amounts, for each place of their arrays.
#[derive(Clone, Debug)]
struct Pair {
    token: Expression,
    /// Whether the token may stay unknown.
    open: bool,
    amount: Expression,
    arrays: Vec<Path>,
}

/// What `legs` tell.
const LEGS: [&str; 4] = ["fromToken", "fromAmount", "toToken", "toAmount"];

/// The members of an event that is being told.
#[derive(Debug)]
pub(crate) struct Draft {
    pub(crate) members: Vec<(&'static str, Value)>,
    /// Whether one is absent because the chain could not be read.
    pub(crate) unread: bool,
}

impl Draft {
    pub(crate) fn with_capacity(rows_members: usize) -> Self {
        Self { members: Vec::with_capacity(rows_members + LEGS.len()), unread: false }
    }

    /// What may be missing: nothing, then, instead of the row.
    fn optional<T>(&mut self, told: Told<T>) -> Told<Option<T>> {
        self.unread |= matches!(told, Told::Unread);
        match told {
            Told::Known(value) => Told::Known(Some(value)),
            Told::Missing | Told::Unread => Told::Known(None),
            Told::Wanted => Told::Wanted,
        }
    }
}

impl Member {
    /// Reads a member, with the arrays that it goes through.
    pub(crate) fn parse(word: &str, signature: &Signature) -> Result<(Self, Vec<Path>), String> {
        let (name, expression) = word.split_once('=').ok_or_else(|| format!("{word:?} is no member"))?;
        let (name, optional) = name.strip_suffix('?').map_or((name, false), |name| (name, true));
        Self::read(name, optional, &mut Parser::new(expression, signature)).map_err(|what| format!("{name}: {what}"))
    }

    fn read(name: &str, optional: bool, parser: &mut Parser<'_>) -> Result<(Self, Vec<Path>), String> {
        let (name, made) = match name {
            "legs" => ("legs", Made::Legs(Pair::parse_all(parser)?)),
            "assets" => ("assets", Made::Assets(Pair::parse_all(parser)?)),
            _ => {
                let (name, class) = kind::named(name).ok_or("there is no such member")?;
                let (expression, ty) = parser.expression()?;
                if !ty.fits(class) {
                    return Err(format!("{class:?} is made of {ty:?}"));
                }
                (name, Made::Of(class, expression))
            }
        };
        parser.ends()?;
        Ok((Self { name, optional, made }, parser.take_arrays()?))
    }

    /// The members of the event that it tells.
    pub(crate) fn names(&self) -> &[&'static str] {
        match self.made {
            Made::Legs(_) => &LEGS,
            _ => std::slice::from_ref(&self.name),
        }
    }

    /// Adds what it tells.
    pub(crate) fn tell(&self, scene: &Scene<'_>, place: usize, wanted: &mut Vec<View>, draft: &mut Draft) -> Told<()> {
        let made = match &self.made {
            Made::Of(class, expression) => scene.tell(expression, place, wanted).pick(|value| {
                let value = value.value(*class)?;
                Some(vec![(self.name, value)])
            }),
            Made::Assets(pairs) => Pair::tell_all(pairs, scene, wanted, draft).pick(|pairs| {
                let assets = pairs.into_iter().map(|(token, amount)| Some(Asset { token, raw: magnitude(amount)? }));
                Some(vec![(self.name, Value::Assets(assets.collect::<Option<_>>()?))])
            }),
            Made::Legs(pairs) => Pair::tell_all(pairs, scene, wanted, draft).pick(|pairs| legs(&pairs)),
        };
        let made = if self.optional { draft.optional(made) } else { made.map(Some) };
        made.map(|made| draft.members.extend(made.into_iter().flatten()))
    }

    /// Says of which token its amount is.
    pub(crate) fn name_token(&self, draft: &mut Draft) {
        let Made::Of(Class::Amount(Some(token)), _) = self.made else { return };
        let known = match token {
            "native" => Some(Address::ZERO),
            _ => draft.members.iter().find(|(name, _)| *name == token).and_then(|(_, value)| match value {
                Value::Token(token) | Value::Address(token) => Some(*token),
                _ => None,
            }),
        };
        if let Some((_, Value::Amount { of, .. })) = draft.members.iter_mut().find(|(name, _)| *name == self.name) {
            *of = known;
        }
    }
}

impl Pair {
    /// Reads `token:amount,token:amount`.
    fn parse_all(parser: &mut Parser<'_>) -> Result<Vec<Self>, String> {
        let mut pairs = vec![Self::parse(parser)?];
        while parser.takes(",") {
            pairs.push(Self::parse(parser)?);
        }
        Ok(pairs)
    }

    fn parse(parser: &mut Parser<'_>) -> Result<Self, String> {
        let token = parser.address()?;
        let open = parser.takes("?");
        parser.needs(":")?;
        let amount = parser.integer()?;
        Ok(Self { token, open, amount, arrays: parser.take_arrays()? })
    }

    /// Tokens and amounts that are not zero.
    fn tell_all(
        pairs: &[Self],
        scene: &Scene<'_>,
        wanted: &mut Vec<View>,
        draft: &mut Draft,
    ) -> Told<Vec<(Option<Address>, I512)>> {
        let mut all = Told::Known(Vec::new());
        for pair in pairs {
            let Some(places) = scene.places(&pair.arrays).filter(|places| *places <= PLACES_MAX) else {
                return Told::Missing;
            };
            for place in 0..places {
                let amount = scene.tell(&pair.amount, place, wanted).pick(Val::integer);
                if matches!(amount, Told::Known(I512::ZERO)) {
                    continue;
                }
                let token = scene.tell(&pair.token, place, wanted).pick(Val::token);
                let token = if pair.open { draft.optional(token) } else { token.map(Some) };
                all = all.and(token.and(amount)).map(|(mut all, pair)| {
                    all.push(pair);
                    all
                });
                if matches!(all, Told::Missing) {
                    return Told::Missing;
                }
            }
        }
        all
    }
}

/// What went in and what came out of a swap: there has to be one of each.
fn legs(pairs: &[(Option<Address>, I512)]) -> Option<Vec<(&'static str, Value)>> {
    let ((from, into), (to, out)) = match pairs {
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
