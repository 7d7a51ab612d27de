//! Expressions of a table. [`crate::parser`] creates them, and [`crate::eval_context`] evaluates them.

use alloy::primitives::aliases::I512;

use crate::abi_type::WordType;
use crate::bridge_chain_ids::BridgeIds;
use crate::constants::Constant;

#[derive(Clone, Debug)]
pub(crate) enum Expression {
    /// An indexed parameter: topic number and type.
    Topic(usize, WordType),
    /// A parameter that is not indexed.
    Data(DataPath),
    Constant(Constant),
    /// The contract that emitted the log.
    Emitter,
    /// True if the emitter has no other log in the transaction.
    Alone,
    /// The account that sent the transaction.
    Sender,
    /// The account that the transaction called.
    Called,
    /// The native value of the transaction.
    Paid,
    WrappedNative,
    /// Index of the array element.
    Index,
    View(Box<ViewExpr>),
    Negated(Box<Self>),
    Arithmetic(Operation, Box<(Self, Self)>),
    FirstOf(Vec<Self>),
    Transfer(Box<TransferExpr>),
    /// Address in the last 20 bytes.
    LastAddress(Box<Self>),
    Half(Half, Box<Self>),
    /// Bytes as a little-endian integer.
    LittleEndian(Box<Self>),
    /// Sum over all elements of these arrays.
    Sum(Box<Self>, Vec<DataPath>),
    /// Chain id of a bridge's network number.
    BridgeChainId(BridgeIds, Box<Self>),
}

/// Half of a word that packs two numbers.
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

/// A call of a contract's view function.
#[derive(Clone, Debug)]
pub(crate) struct ViewExpr {
    pub(crate) contract: Expression,
    pub(crate) selector: [u8; 4],
    pub(crate) arguments: Vec<(WordType, Expression)>,
    /// Index of the word in the returned data.
    pub(crate) word: usize,
}

/// A field of the nearest ERC-20 transfer that passes the filter.
#[derive(Clone, Debug)]
pub(crate) struct TransferExpr {
    pub(crate) field: TransferField,
    /// Filter fields; `None` accepts anything.
    pub(crate) from: Option<Expression>,
    pub(crate) to: Option<Expression>,
    pub(crate) token: Option<Expression>,
    pub(crate) amount: Option<Expression>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum TransferField {
    Token,
    Amount,
}

/// Path to a value in the data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct DataPath(pub(crate) Vec<PathStep>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PathStep {
    Member(usize),
    Element(isize),
    /// The array element being evaluated.
    Each,
}

/// Evaluates an operation; `None` above 511 bits and for a division by zero.
pub(crate) fn eval_arithmetic(operation: Operation, one: I512, other: I512) -> Option<I512> {
    match operation {
        Operation::Add => one.checked_add(other),
        Operation::Subtract => one.checked_sub(other),
        Operation::Multiply => one.checked_mul(other),
        Operation::Divide => one.checked_div(other),
    }
}
