//! The conditions of a row.

use crate::decoding::View;
use crate::expression::Expression;
use crate::parser::Parser;
use crate::scene::Scene;
use crate::told::Told;

/// What has to hold of a log.
#[derive(Clone, Debug)]
pub(crate) struct Condition {
    one: Expression,
    /// Without it, `one` only has to be told.
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
    /// Reads all that is left.
    pub(crate) fn parse_all(parser: &mut Parser<'_>) -> Result<Vec<Self>, String> {
        let mut conditions = vec![Self::parse(parser)?];
        while parser.takes("&") {
            conditions.push(Self::parse(parser)?);
        }
        parser.ends()?;
        if parser.take_arrays()?.is_empty() { Ok(conditions) } else { Err("a condition is about an array".to_owned()) }
    }

    fn parse(parser: &mut Parser<'_>) -> Result<Self, String> {
        let one = parser.comparable()?;
        let relation = RELATIONS.iter().find(|(sign, _)| parser.takes(sign));
        let other = match relation {
            Some((_, relation)) => Some((*relation, parser.comparable()?)),
            None => None,
        };
        Ok(Self { one, other })
    }

    /// Known where it holds, missing where it does not.
    pub(crate) fn holds(&self, scene: &Scene<'_>, wanted: &mut Vec<View>) -> Told<()> {
        let one = scene.tell(&self.one, 0, wanted);
        let Some((relation, other)) = &self.other else { return one.map(|_| ()) };
        one.and(scene.tell(other, 0, wanted)).pick(|(one, other)| {
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
