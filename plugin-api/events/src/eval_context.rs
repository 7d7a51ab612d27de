//! Evaluates expressions for one log, with its transaction and the views read so far.

use std::sync::OnceLock;

use alloy::primitives::aliases::I512;
use alloy::primitives::{B256, U256};

use crate::abi_type::{AbiKind, AbiRef, AbiType};
use crate::bridge_chain_ids::BridgeIds;
use crate::eval::Eval;
use crate::expr_value::{ExprValue, integer, natural};
use crate::expression::{DataPath, Expression, Half, PathStep, TransferExpr, TransferField, ViewExpr, eval_arithmetic};
use crate::transaction::{Log, Network, Transaction};
use crate::transfers::{TransferFilter, Transfers};
use crate::view::{ViewCall, ViewResult};
use crate::view_cache::ViewCache;

/// Array elements per log. A log with more is not decoded at all, rather than in part.
pub(crate) const ELEMENTS_MAX: usize = 256;

/// A log, and the context of its expressions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EvalContext<'a> {
    pub(crate) network: Network,
    pub(crate) transaction: &'a Transaction,
    pub(crate) transfers: &'a OnceLock<Transfers>,
    pub(crate) views: &'a ViewCache,
    /// Position of the log in the transaction.
    pub(crate) position: usize,
    pub(crate) log: &'a Log,
    /// Type of its data, which has been checked.
    pub(crate) body: &'a AbiType,
}

impl<'a> EvalContext<'a> {
    fn transfers(&self) -> &'a Transfers {
        self.transfers.get_or_init(|| Transfers::of(self.transaction))
    }

    /// Evaluates an expression for an array index. Evaluates every operand, even after an undefined one, so that all
    /// needed calls are made together.
    pub(crate) fn eval(&self, expression: &Expression, index: usize, calls: &mut Vec<ViewCall>) -> Eval<ExprValue<'a>> {
        match expression {
            Expression::Topic(topic, ty) => Eval::of(self.log.topics.get(*topic).map(|word| ExprValue::of(*ty, *word))),
            Expression::Data(path) => Eval::of(self.read(path, index)),
            Expression::Constant(constant) => Eval::of(constant.value(self.network.chain_id)),
            Expression::Emitter => Eval::Known(ExprValue::Address(self.log.address)),
            Expression::Alone => {
                let by_emitter = self.transaction.logs.iter().filter(|log| log.address == self.log.address);
                Eval::Known(ExprValue::Flag(by_emitter.take(2).count() == 1))
            }
            Expression::Sender => Eval::Known(ExprValue::Address(self.transaction.from)),
            Expression::Called => Eval::of(self.transaction.to.map(ExprValue::Address)),
            Expression::Paid => Eval::Known(ExprValue::Integer(integer(self.transaction.value))),
            Expression::WrappedNative => Eval::of(self.network.wrapped_native.map(ExprValue::Address)),
            Expression::Index => Eval::Known(ExprValue::Integer(integer(U256::from(index)))),
            Expression::View(view) => self.eval_view(view, index, calls),
            Expression::Negated(operand) => self
                .eval(operand, index, calls)
                .filter_map(|value| value.integer()?.checked_neg().map(ExprValue::Integer)),
            Expression::Arithmetic(operation, operands) => {
                let one = self.eval(&operands.0, index, calls);
                let other = self.eval(&operands.1, index, calls);
                one.zip(other).filter_map(|(one, other)| {
                    eval_arithmetic(*operation, one.integer()?, other.integer()?).map(ExprValue::Integer)
                })
            }
            Expression::FirstOf(alternatives) => self.eval_first(alternatives, index, calls),
            Expression::Transfer(transfer) => self.eval_transfer(transfer, index, calls),
            Expression::LastAddress(word) => {
                self.eval(word, index, calls).filter_map(|word| word.last_address().map(ExprValue::Address))
            }
            Expression::Half(half, word) => self.eval(word, index, calls).filter_map(|word| {
                let (high, low) = word.word()?.split_at_checked(16).map(|(high, low)| (half_of(high), half_of(low)))?;
                Some(ExprValue::Integer(match half {
                    Half::High => high,
                    Half::Low => low,
                }))
            }),
            Expression::LittleEndian(bytes) => self.eval(bytes, index, calls).filter_map(ExprValue::little_endian),
            Expression::Sum(summed, arrays) => self.eval_sum(summed, arrays, calls),
            Expression::BridgeChainId(ids, number) => {
                self.eval(number, index, calls).filter_map(|number| chain_id(*ids, number))
            }
        }
    }

    fn eval_sum(&self, summed: &Expression, arrays: &[DataPath], calls: &mut Vec<ViewCall>) -> Eval<ExprValue<'a>> {
        let Some(length) = self.length(arrays).filter(|length| *length <= ELEMENTS_MAX) else {
            return Eval::Undefined;
        };
        let sum = (0..length).fold(Eval::Known(I512::ZERO), |sum, index| {
            sum.zip(self.eval(summed, index, calls)).filter_map(|(sum, next)| sum.checked_add(next.integer()?))
        });
        sum.map(ExprValue::Integer)
    }

    /// Returns the first alternative that is not undefined. While it needs calls, later ones are evaluated only for
    /// their calls.
    fn eval_first(&self, alternatives: &[Expression], index: usize, calls: &mut Vec<ViewCall>) -> Eval<ExprValue<'a>> {
        let mut first = Eval::Undefined;
        for alternative in alternatives {
            let value = self.eval(alternative, index, calls);
            if first == Eval::Undefined {
                first = value;
            }
            if matches!(value, Eval::Known(_)) {
                break;
            }
        }
        first
    }

    fn eval_transfer(&self, transfer: &TransferExpr, index: usize, calls: &mut Vec<ViewCall>) -> Eval<ExprValue<'a>> {
        let from = self.eval_filter(&transfer.from, index, calls, ExprValue::address);
        let to = self.eval_filter(&transfer.to, index, calls, ExprValue::address);
        let token = self.eval_filter(&transfer.token, index, calls, ExprValue::address);
        let amount = self.eval_filter(&transfer.amount, index, calls, |amount| amount.integer().and_then(natural));
        from.zip(to).zip(token.zip(amount)).filter_map(|((from, to), (token, amount))| {
            let filter = TransferFilter { from, to, amount, token };
            match transfer.field {
                TransferField::Token => {
                    self.transfers().nearest(self.position, filter, |found| found.token).map(ExprValue::Address)
                }
                TransferField::Amount => self
                    .transfers()
                    .nearest(self.position, filter, |found| found.amount)
                    .map(|amount| ExprValue::Integer(integer(amount))),
            }
        })
    }

    /// Evaluates a field of a transfer filter; `Known(None)` accepts anything.
    fn eval_filter<T>(
        &self,
        field: &Option<Expression>,
        index: usize,
        calls: &mut Vec<ViewCall>,
        make: fn(ExprValue<'a>) -> Option<T>,
    ) -> Eval<Option<T>> {
        match field {
            Some(field) => self.eval(field, index, calls).filter_map(make).map(Some),
            None => Eval::Known(None),
        }
    }

    fn eval_view(&self, view: &ViewExpr, index: usize, calls: &mut Vec<ViewCall>) -> Eval<ExprValue<'a>> {
        let contract = self.eval(&view.contract, index, calls).filter_map(|contract| {
            // The native token is not a contract.
            contract.token().filter(|contract| !contract.is_zero())
        });
        let mut data = Eval::Known(view.selector.to_vec());
        for (ty, argument) in &view.arguments {
            let argument = self.eval(argument, index, calls).filter_map(|argument| argument.word());
            data = data.zip(argument.filter_map(|word| ty.argument(word))).map(|(mut data, word)| {
                data.extend_from_slice(word.as_slice());
                data
            });
        }
        contract.zip(data).and_then(|(to, data)| match self.views.result(to, &data) {
            Some(ViewResult::Returned(bytes)) => Eval::of(word_of(bytes, view.word).map(ExprValue::Any)),
            Some(ViewResult::Reverted) => Eval::Undefined,
            Some(ViewResult::ReadFailed) => Eval::ReadFailed,
            None => {
                calls.push(ViewCall { to, data: data.into() });
                Eval::NeedsCall
            }
        })
    }

    /// Reads the value at a path in the data.
    fn read(&self, path: &DataPath, index: usize) -> Option<ExprValue<'a>> {
        let (log, at) = (self.log, self.walk(path, index)?);
        match at.ty.kind {
            AbiKind::Word(ty) => at.word(&log.data).map(|word| ExprValue::of(ty, word)),
            AbiKind::Bytes => at.bytes(&log.data).map(ExprValue::Bytes),
            AbiKind::Text => at.bytes(&log.data).map(ExprValue::Text),
            AbiKind::Tuple(_) | AbiKind::Array(..) => None,
        }
    }

    fn walk(&self, path: &DataPath, index: usize) -> Option<AbiRef<'a>> {
        let data = &self.log.data;
        path.0.iter().try_fold(AbiRef::outermost(self.body), |at, step| match step {
            PathStep::Member(member) => at.member(data, *member),
            PathStep::Element(element) => at.element(data, *element),
            PathStep::Each => at.element(data, isize::try_from(index).ok()?),
        })
    }

    /// Returns the common length of these arrays; 1 if there are none.
    pub(crate) fn length(&self, arrays: &[DataPath]) -> Option<usize> {
        let mut lengths = arrays.iter().map(|array| self.walk(array, 0)?.length(&self.log.data));
        let first = lengths.next().unwrap_or(Some(1))?;
        lengths.all(|length| length == Some(first)).then_some(first)
    }
}

fn half_of(bytes: &[u8]) -> I512 {
    integer(U256::from_be_slice(bytes))
}

fn word_of(returned: &[u8], word: usize) -> Option<B256> {
    let begin = word.checked_mul(32)?;
    returned.get(begin..begin.checked_add(32)?).map(B256::from_slice)
}

fn chain_id<'a>(ids: BridgeIds, number: ExprValue<'a>) -> Option<ExprValue<'a>> {
    let number = u64::try_from(natural(number.integer()?)?).ok()?;
    ids.chain_id(number).map(|id| ExprValue::Integer(integer(U256::from(id))))
}
