//! What an expression is told from: a log, its transaction, and the views that were answered.

use std::sync::OnceLock;

use alloy::primitives::aliases::I512;
use alloy::primitives::{B256, U256};

use crate::decoding::{Answer, Network, View};
use crate::expression::{Expression, Half, Neighbour, Part, Path, Step, ViewOf, reckon};
use crate::log::{Log, Transaction};
use crate::moves::{Moves, Sought};
use crate::remote::Numbering;
use crate::row::PLACES_MAX;
use crate::shape::{Form, Shape, Spot};
use crate::told::{Told, Val, integer, natural};
use crate::views::Views;

/// A log among what it is told from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scene<'a> {
    pub(crate) network: Network,
    pub(crate) transaction: &'a Transaction,
    pub(crate) moves: &'a OnceLock<Moves>,
    pub(crate) views: &'a Views,
    /// Place of the log.
    pub(crate) at: usize,
    pub(crate) log: &'a Log,
    /// What its data is, as was checked.
    pub(crate) body: &'a Shape,
}

impl<'a> Scene<'a> {
    fn moves(&self) -> &'a Moves {
        self.moves.get_or_init(|| Moves::of(self.transaction))
    }

    /// Tells an expression at a place of its arrays. Every operand is told even where one is missing, so that all
    /// views that are wanted are wanted at once.
    pub(crate) fn tell(&self, expression: &Expression, place: usize, wanted: &mut Vec<View>) -> Told<Val<'a>> {
        match expression {
            Expression::Topic(topic, leaf) => Told::of(self.log.topics.get(*topic).map(|word| Val::of(*leaf, *word))),
            Expression::Data(path) => Told::of(self.read(path, place)),
            Expression::Constant(value) => Told::Known(*value),
            Expression::Emitter => Told::Known(Val::Address(self.log.address)),
            Expression::Sender => Told::Known(Val::Address(self.transaction.from)),
            Expression::Called => Told::of(self.transaction.to.map(Val::Address)),
            Expression::Wrapped => Told::of(self.network.wrapped_native.map(Val::Address)),
            Expression::Place => Told::Known(Val::Integer(integer(U256::from(place)))),
            Expression::View(view) => self.view(view, place, wanted),
            Expression::Negated(operand) => {
                self.tell(operand, place, wanted).pick(|value| value.integer()?.checked_neg().map(Val::Integer))
            }
            Expression::Arithmetic(operation, operands) => {
                let one = self.tell(&operands.0, place, wanted);
                let other = self.tell(&operands.1, place, wanted);
                one.and(other)
                    .pick(|(one, other)| reckon(*operation, one.integer()?, other.integer()?).map(Val::Integer))
            }
            Expression::FirstOf(alternatives) => self.first_of(alternatives, place, wanted),
            Expression::Neighbour(neighbour) => self.neighbour(neighbour, place, wanted),
            Expression::LastAddress(word) => {
                self.tell(word, place, wanted).pick(|word| word.last_address().map(Val::Address))
            }
            Expression::Half(half, word) => self.tell(word, place, wanted).pick(|word| {
                let (high, low) = word.word()?.split_at_checked(16).map(|(high, low)| (half_of(high), half_of(low)))?;
                Some(Val::Integer(match half {
                    Half::High => high,
                    Half::Low => low,
                }))
            }),
            Expression::Sum(summed, arrays) => self.sum(summed, arrays, wanted),
            Expression::Remote(numbering, number) => {
                self.tell(number, place, wanted).pick(|number| chain_id(*numbering, number))
            }
        }
    }

    fn sum(&self, summed: &Expression, arrays: &[Path], wanted: &mut Vec<View>) -> Told<Val<'a>> {
        let Some(places) = self.places(arrays).filter(|places| *places <= PLACES_MAX) else { return Told::Missing };
        let sum = (0..places).fold(Told::Known(I512::ZERO), |sum, place| {
            sum.and(self.tell(summed, place, wanted)).pick(|(sum, next)| sum.checked_add(next.integer()?))
        });
        sum.map(Val::Integer)
    }

    /// The first that is not missing. What is behind one that is still open is told for its views alone.
    fn first_of(&self, alternatives: &[Expression], place: usize, wanted: &mut Vec<View>) -> Told<Val<'a>> {
        let mut first = Told::Missing;
        for alternative in alternatives {
            let told = self.tell(alternative, place, wanted);
            if first == Told::Missing {
                first = told;
            }
            if matches!(told, Told::Known(_)) {
                break;
            }
        }
        first
    }

    fn neighbour(&self, neighbour: &Neighbour, place: usize, wanted: &mut Vec<View>) -> Told<Val<'a>> {
        let from = self.asked(&neighbour.from, place, wanted, Val::address);
        let to = self.asked(&neighbour.to, place, wanted, Val::address);
        let token = self.asked(&neighbour.token, place, wanted, Val::address);
        let amount = self.asked(&neighbour.amount, place, wanted, |amount| amount.integer().and_then(natural));
        from.and(to).and(token.and(amount)).pick(|((from, to), (token, amount))| {
            let sought = Sought { from, to, amount, token };
            match neighbour.told {
                Part::Token => self.moves().nearest(self.at, sought, |found| found.token).map(Val::Address),
                Part::Amount => {
                    self.moves().nearest(self.at, sought, |found| found.amount).map(|paid| Val::Integer(integer(paid)))
                }
            }
        })
    }

    /// What is asked of a neighbour: nothing where it may be any.
    fn asked<T>(
        &self,
        part: &Option<Expression>,
        place: usize,
        wanted: &mut Vec<View>,
        make: fn(Val<'a>) -> Option<T>,
    ) -> Told<Option<T>> {
        match part {
            Some(part) => self.tell(part, place, wanted).pick(make).map(Some),
            None => Told::Known(None),
        }
    }

    fn view(&self, view: &ViewOf, place: usize, wanted: &mut Vec<View>) -> Told<Val<'a>> {
        let contract = self.tell(&view.contract, place, wanted).pick(|contract| {
            // The native token is no contract.
            contract.token().filter(|contract| !contract.is_zero())
        });
        let mut data = Told::Known(view.selector.to_vec());
        for (leaf, argument) in &view.arguments {
            let argument = self.tell(argument, place, wanted).pick(|argument| argument.word());
            data = data.and(argument.pick(|word| leaf.argument(word))).map(|(mut data, word)| {
                data.extend_from_slice(word.as_slice());
                data
            });
        }
        contract.and(data).then(|(to, data)| match self.views.answer(to, &data) {
            Some(Answer::Told(reply)) => Told::of(word_of(reply, view.word).map(Val::Any)),
            Some(Answer::Refused) => Told::Missing,
            Some(Answer::Unread) => Told::Unread,
            None => {
                wanted.push(View { to, data: data.into() });
                Told::Wanted
            }
        })
    }

    /// The value at the end of a path through the data.
    fn read(&self, path: &Path, place: usize) -> Option<Val<'a>> {
        let (log, at) = (self.log, self.walk(path, place)?);
        match at.shape.form {
            Form::Word(leaf) => at.word(&log.data).map(|word| Val::of(leaf, word)),
            Form::Bytes => at.bytes(&log.data).map(Val::Bytes),
            Form::Text => at.bytes(&log.data).map(Val::Text),
            Form::Tuple(_) | Form::Array(..) => None,
        }
    }

    fn walk(&self, path: &Path, place: usize) -> Option<Spot<'a>> {
        let data = &self.log.data;
        path.0.iter().try_fold(Spot::outermost(self.body), |at, step| match step {
            Step::Member(index) => at.member(data, *index),
            Step::Element(index) => at.element(data, *index),
            Step::Each => at.element(data, isize::try_from(place).ok()?),
        })
    }

    /// The number of places that these arrays all have; one where there are no arrays.
    pub(crate) fn places(&self, arrays: &[Path]) -> Option<usize> {
        let mut lengths = arrays.iter().map(|array| self.walk(array, 0)?.length(&self.log.data));
        let first = lengths.next().unwrap_or(Some(1))?;
        lengths.all(|length| length == Some(first)).then_some(first)
    }
}

fn half_of(bytes: &[u8]) -> I512 {
    integer(U256::from_be_slice(bytes))
}

fn word_of(reply: &[u8], word: usize) -> Option<B256> {
    let begin = word.checked_mul(32)?;
    reply.get(begin..begin.checked_add(32)?).map(B256::from_slice)
}

fn chain_id<'a>(numbering: Numbering, number: Val<'a>) -> Option<Val<'a>> {
    let number = u64::try_from(natural(number.integer()?)?).ok()?;
    numbering.chain_id(number).map(|id| Val::Integer(integer(U256::from(id))))
}
