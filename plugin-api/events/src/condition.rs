//! Conditions of a row.

use crate::eval::Eval;
use crate::eval_context::EvalContext;
use crate::expression::Expression;
use crate::parser::Parser;
use crate::view::ViewCall;

/// A condition that must hold for a log.
#[derive(Clone, Debug)]
pub(crate) struct Condition {
    one: Expression,
    /// Without a relation, `one` only has to have a value.
    other: Option<(Relation, Expression)>,
}

#[derive(Clone, Copy, Debug)]
enum Relation {
    Equal,
    Unequal,
    Above,
    Below,
}

const RELATIONS: [(&str, Relation); 4] =
    [("!=", Relation::Unequal), ("=", Relation::Equal), (">", Relation::Above), ("<", Relation::Below)];

impl Condition {
    /// Parses conditions joined by `and`.
    pub(crate) fn parse_all(parser: &mut Parser<'_>) -> Result<Vec<Self>, String> {
        let mut conditions = vec![Self::parse(parser)?];
        while parser.scanner.takes_word("and") {
            conditions.push(Self::parse(parser)?);
        }
        if parser.take_arrays()?.is_empty() {
            Ok(conditions)
        } else {
            Err("a condition cannot take an array".to_owned())
        }
    }

    fn parse(parser: &mut Parser<'_>) -> Result<Self, String> {
        let one = parser.comparable()?;
        if parser.scanner.takes_word("exists") {
            return Ok(Self { one, other: None });
        }
        let relation = RELATIONS.iter().find(|(sign, _)| parser.scanner.takes(sign));
        let (_, relation) = relation.ok_or("a condition compares two values, or ends in exists")?;
        Ok(Self { one, other: Some((*relation, parser.comparable()?)) })
    }

    /// Evaluates to known if it holds, to undefined if not.
    pub(crate) fn eval(&self, context: &EvalContext<'_>, calls: &mut Vec<ViewCall>) -> Eval<()> {
        let one = context.eval(&self.one, 0, calls);
        let Some((relation, other)) = &self.other else { return one.map(|_| ()) };
        one.zip(context.eval(other, 0, calls)).filter_map(|(one, other)| {
            let (one, other) = (one.integer()?, other.integer()?);
            let holds = match relation {
                Relation::Equal => one == other,
                Relation::Unequal => one != other,
                Relation::Above => one > other,
                Relation::Below => one < other,
            };
            holds.then_some(())
        })
    }
}
