//! The expressions of a table, as they are told. [`crate::parser`] reads them, [`crate::scene`] tells them.

use alloy::primitives::aliases::I512;

use crate::remote::Numbering;
use crate::shape::Leaf;
use crate::told::Val;

#[derive(Clone, Debug)]
pub(crate) enum Expression {
    /// A parameter that is indexed: topic and type.
    Topic(usize, Leaf),
    /// A parameter that is not.
    Data(Path),
    Constant(Val<'static>),
    Emitter,
    Sender,
    Called,
    Wrapped,
    /// The place in the array.
    Place,
    View(Box<ViewOf>),
    Negated(Box<Self>),
    Arithmetic(Operation, Box<(Self, Self)>),
    FirstOf(Vec<Self>),
    Neighbour(Box<Neighbour>),
    LastAddress(Box<Self>),
    Half(Half, Box<Self>),
    /// Of all places of these arrays.
    Sum(Box<Self>, Vec<Path>),
    Remote(Numbering, Box<Self>),
}

/// Of a word that packs two numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Half {
    High,
    Low,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Operation {
    Add,
    Subtract,
    Multiply,
    Divide,
}

/// A view of a contract.
#[derive(Clone, Debug)]
pub(crate) struct ViewOf {
    pub(crate) contract: Expression,
    pub(crate) selector: [u8; 4],
    pub(crate) arguments: Vec<(Leaf, Expression)>,
    /// The word of the reply.
    pub(crate) word: usize,
}

/// What a neighbouring transfer tells.
#[derive(Clone, Debug)]
pub(crate) struct Neighbour {
    pub(crate) told: Part,
    /// What is asked of it; any where `None`.
    pub(crate) from: Option<Expression>,
    pub(crate) to: Option<Expression>,
    pub(crate) token: Option<Expression>,
    pub(crate) amount: Option<Expression>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Part {
    Token,
    Amount,
}

/// The way to a value within the data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Path(pub(crate) Vec<Step>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Member(usize),
    Element(isize),
    /// The array's place that is being told.
    Each,
}

/// Reckons; `None` beyond 511 bits and for a division by zero.
pub(crate) fn reckon(operation: Operation, one: I512, other: I512) -> Option<I512> {
    match operation {
        Operation::Add => one.checked_add(other),
        Operation::Subtract => one.checked_sub(other),
        Operation::Multiply => one.checked_mul(other),
        Operation::Divide => one.checked_div(other),
    }
}
