//! Parser of expressions; the README lists the syntax.
//!
//! Expressions are parsed once per signature. Invariant: types are checked here, so a wrong expression is an error of
//! its table, not of a log.

use alloy::dyn_abi::DynSolType;
use alloy::primitives::{Address, keccak256};

use crate::abi_type::{AbiKind, AbiType, WordType};
use crate::bridge_chain_ids::BridgeIds;
use crate::constants::{Constant, Constants, literal};
use crate::expr_value::{ExprType, ExprValue};
use crate::expression::{DataPath, Expression, Half, Operation, PathStep, TransferExpr, TransferField, ViewExpr};
use crate::scanner::Scanner;
use crate::signature::{Parameter, Signature};

/// Maximum nesting; the deepest expression of a table needs five.
const DEPTH_MAX: usize = 16;

/// Parses the members and conditions of a row.
#[derive(Debug)]
pub(crate) struct Parser<'a> {
    pub(crate) scanner: Scanner<'a>,
    signature: &'a Signature,
    constants: &'a Constants,
    depth: usize,
    /// Arrays whose elements were taken so far.
    arrays: Vec<DataPath>,
    /// True if the index of an element was taken.
    takes_index: bool,
}

type Typed = (Expression, ExprType);

impl<'a> Parser<'a> {
    pub(crate) fn new(text: &'a str, signature: &'a Signature, constants: &'a Constants) -> Self {
        let scanner = Scanner::new(text);
        Self { scanner, signature, constants, depth: 0, arrays: Vec::new(), takes_index: false }
    }

    /// Takes the arrays whose elements were taken since the last call.
    pub(crate) fn take_arrays(&mut self) -> Result<Vec<DataPath>, String> {
        if std::mem::take(&mut self.takes_index) && self.arrays.is_empty() {
            return Err("index is used without an array".to_owned());
        }
        Ok(std::mem::take(&mut self.arrays))
    }

    /// Parses an expression that may end in `or none`; returns true if it does.
    pub(crate) fn optional(&mut self) -> Result<(Typed, bool), String> {
        let typed = self.alternatives()?;
        Ok((typed, self.scanner.takes_word("none")))
    }

    pub(crate) fn expression(&mut self) -> Result<Typed, String> {
        let typed = self.alternatives()?;
        if self.scanner.takes_word("none") {
            return Err("none may only end a member, or the token of an amount".to_owned());
        }
        Ok(typed)
    }

    pub(crate) fn optional_address(&mut self) -> Result<(Expression, bool), String> {
        let (typed, optional) = self.optional()?;
        Ok((as_address(typed)?, optional))
    }

    pub(crate) fn integer(&mut self) -> Result<Expression, String> {
        let typed = self.expression()?;
        as_integer(typed)
    }

    /// Parses a value of at most one word.
    pub(crate) fn comparable(&mut self) -> Result<Expression, String> {
        match self.expression()? {
            (_, ty @ (ExprType::Text | ExprType::Bytes)) => Err(format!("{ty} cannot be compared")),
            (expression, _) => Ok(expression),
        }
    }

    /// Parses alternatives, up to a `none`.
    fn alternatives(&mut self) -> Result<Typed, String> {
        if self.depth == DEPTH_MAX {
            return Err(format!("the expression is nested deeper than {DEPTH_MAX}"));
        }
        self.depth += 1;
        let (first, mut ty) = self.sum()?;
        let mut alternatives = vec![first];
        while self.scanner.takes_word("or") {
            if self.scanner.word() == "none" {
                break;
            }
            let (next, other) = self.sum()?;
            ty = match (ty, other) {
                _ if ty == other => ty,
                (ExprType::Any, _) | (_, ExprType::Any) => ExprType::Any,
                _ => return Err(format!("the alternatives are {ty} and {other}")),
            };
            alternatives.push(next);
        }
        self.depth -= 1;
        let only = if alternatives.len() == 1 { alternatives.pop() } else { None };
        Ok((only.unwrap_or(Expression::FirstOf(alternatives)), ty))
    }

    fn sum(&mut self) -> Result<Typed, String> {
        self.operations(&[("+", Operation::Add), ("-", Operation::Subtract)], Self::product)
    }

    fn product(&mut self) -> Result<Typed, String> {
        self.operations(&[("*", Operation::Multiply), ("/", Operation::Divide)], Self::signed)
    }

    fn operations(
        &mut self,
        signs: &[(&str, Operation)],
        operand: fn(&mut Self) -> Result<Typed, String>,
    ) -> Result<Typed, String> {
        let mut result = operand(self)?;
        while let Some((_, operation)) = signs.iter().find(|(sign, _)| self.scanner.takes(sign)) {
            let next = operand(self)?;
            let operands = Box::new((as_integer(result)?, as_integer(next)?));
            result = (Expression::Arithmetic(*operation, operands), ExprType::Integer);
        }
        Ok(result)
    }

    fn signed(&mut self) -> Result<Typed, String> {
        if !self.scanner.takes("-") {
            return self.viewed();
        }
        let operand = self.viewed()?;
        Ok((Expression::Negated(Box::new(as_integer(operand)?)), ExprType::Integer))
    }

    /// Parses a value with views on it, such as `pool.token0()`.
    fn viewed(&mut self) -> Result<Typed, String> {
        let mut value = self.value()?;
        while self.scanner.takes(".") {
            let contract = as_address(value)?;
            value = self.view(contract)?;
        }
        Ok(value)
    }

    fn value(&mut self) -> Result<Typed, String> {
        if self.scanner.takes("(") {
            let inner = self.expression()?;
            self.scanner.needs(")")?;
            return Ok(inner);
        }
        let name = self.scanner.name()?;
        if name.starts_with(|first: char| first.is_ascii_digit()) {
            let (value, ty) = literal(name)?;
            return Ok((Expression::Constant(Constant::Everywhere(value)), ty));
        }
        if self.scanner.takes("(") {
            let made = self.function(name)?;
            self.scanner.needs(")")?;
            return Ok(made);
        }
        if let Some(parameter) = self.signature.parameter(name) {
            return self.parameter(name, parameter);
        }
        if let Some((constant, ty)) = self.constants.get(name) {
            return Ok((Expression::Constant(constant.clone()), *ty));
        }
        self.keyword(name)
    }

    fn keyword(&mut self, name: &str) -> Result<Typed, String> {
        match name {
            "contract" => Ok((Expression::Emitter, ExprType::Address)),
            "alone" => Ok((Expression::Alone, ExprType::Flag)),
            "index" => {
                self.takes_index = true;
                Ok((Expression::Index, ExprType::Integer))
            }
            "native" => {
                let native = ExprValue::Address(Address::ZERO);
                Ok((Expression::Constant(Constant::Everywhere(native)), ExprType::Address))
            }
            "wrapped" => Ok((Expression::WrappedNative, ExprType::Address)),
            "tx" => {
                self.scanner.needs(".")?;
                match self.scanner.name()? {
                    "from" => Ok((Expression::Sender, ExprType::Address)),
                    "to" => Ok((Expression::Called, ExprType::Address)),
                    "value" => Ok((Expression::Paid, ExprType::Integer)),
                    field => Err(format!("tx has no {field}")),
                }
            }
            _ => Err(format!("{name} is neither a parameter of the event nor a constant")),
        }
    }

    fn view(&mut self, contract: Expression) -> Result<Typed, String> {
        let name = self.scanner.name()?;
        self.scanner.needs("(")?;
        let (mut arguments, mut types) = (Vec::new(), Vec::new());
        while !self.scanner.takes(")") {
            if !arguments.is_empty() {
                self.scanner.needs(",")?;
            }
            let ty = self.scanner.name()?;
            let parsed = DynSolType::parse(ty).ok();
            let word = parsed.as_ref().and_then(WordType::of);
            let word = word.ok_or_else(|| format!("{ty} is not a type of one word"))?;
            let (argument, given) = self.expression()?;
            if !given.fits_word(word) {
                return Err(format!("{name} takes {ty}, not {given}"));
            }
            arguments.push((word, argument));
            types.push(parsed.map(|ty| ty.sol_type_name().into_owned()).unwrap_or_default());
        }
        let selector = keccak256(format!("{name}({})", types.join(",")));
        let selector = [selector[0], selector[1], selector[2], selector[3]];
        let word = if self.scanner.takes("[") { self.element()? } else { 0 };
        let word = usize::try_from(word).map_err(|_| format!("{name} returns no word before its first"))?;
        Ok((Expression::View(Box::new(ViewExpr { contract, selector, arguments, word })), ExprType::Any))
    }

    /// Parses an index after an opening bracket.
    fn element(&mut self) -> Result<isize, String> {
        let index = self.scanner.until("]")?;
        index.parse().map_err(|_| format!("{index:?} is not an index"))
    }

    fn parameter(&mut self, name: &str, parameter: Parameter<'a>) -> Result<Typed, String> {
        let (index, mut ty) = match parameter {
            Parameter::Topic(topic, ty) => return Ok((Expression::Topic(topic, ty), ExprType::of(ty))),
            Parameter::Data(index, ty) => (index, ty),
        };
        let mut path = DataPath(vec![PathStep::Member(index)]);
        loop {
            let indexed = matches!(ty.kind, AbiKind::Array(..)) && self.scanner.takes("[");
            match &ty.kind {
                AbiKind::Array(of, _) if indexed => {
                    path.0.push(PathStep::Element(self.element()?));
                    ty = of;
                }
                AbiKind::Array(of, _) => {
                    if path.0.contains(&PathStep::Each) {
                        return Err(format!("{name} is an array of arrays"));
                    }
                    self.arrays.push(path.clone());
                    path.0.push(PathStep::Each);
                    ty = of;
                }
                AbiKind::Tuple(members) => {
                    self.scanner.needs(".").map_err(|_| format!("{name} is a tuple"))?;
                    let member = self.scanner.name()?;
                    let index = members.iter().position(|(known, _)| known == member);
                    let index = index.ok_or_else(|| format!("{name} has no member {member}"))?;
                    path.0.push(PathStep::Member(index));
                    ty = member_of(members, index)?;
                }
                AbiKind::Word(ty) => return Ok((Expression::Data(path), ExprType::of(*ty))),
                AbiKind::Bytes => return Ok((Expression::Data(path), ExprType::Bytes)),
                AbiKind::Text => return Ok((Expression::Data(path), ExprType::Text)),
            }
        }
    }

    /// Parses the arguments of a built-in function after the opening parenthesis.
    fn function(&mut self, name: &str) -> Result<Typed, String> {
        match name {
            "transfer_token" => {
                let (from, to) = self.parties()?;
                self.scanner.needs(",")?;
                let amount = self.filter(as_integer)?;
                let transfer = TransferExpr { field: TransferField::Token, from, to, token: None, amount };
                Ok((Expression::Transfer(Box::new(transfer)), ExprType::Address))
            }
            "transfer_amount" => {
                let (from, to) = self.parties()?;
                let token = if self.scanner.takes(",") { self.filter(as_address)? } else { None };
                let transfer = TransferExpr { field: TransferField::Amount, from, to, token, amount: None };
                Ok((Expression::Transfer(Box::new(transfer)), ExprType::Integer))
            }
            "address" => match self.expression()? {
                (_, ty @ (ExprType::Text | ExprType::Flag)) => Err(format!("address does not take {ty}")),
                (word, _) => Ok((Expression::LastAddress(Box::new(word)), ExprType::Address)),
            },
            "high" | "low" => {
                let half = if name == "high" { Half::High } else { Half::Low };
                match self.expression()? {
                    (word, ExprType::Word | ExprType::Any) => {
                        Ok((Expression::Half(half, Box::new(word)), ExprType::Integer))
                    }
                    (_, ty) => Err(format!("{name} does not take {ty}")),
                }
            }
            "little_endian" => match self.expression()? {
                (bytes, ExprType::Bytes) => Ok((Expression::LittleEndian(Box::new(bytes)), ExprType::Integer)),
                (_, ty) => Err(format!("{name} does not take {ty}")),
            },
            "sum" => Ok((self.sum_of_array()?, ExprType::Integer)),
            "cctp_chain_id" => self.bridge_chain_id(BridgeIds::Cctp),
            "layerzero_chain_id" => self.bridge_chain_id(BridgeIds::LayerZero),
            _ => Err(format!("unknown function {name}")),
        }
    }

    fn bridge_chain_id(&mut self, ids: BridgeIds) -> Result<Typed, String> {
        Ok((Expression::BridgeChainId(ids, Box::new(self.integer()?)), ExprType::Integer))
    }

    /// Arrays within belong to the sum: the outer expression does not take their elements.
    fn sum_of_array(&mut self) -> Result<Expression, String> {
        let outer = (std::mem::take(&mut self.arrays), std::mem::take(&mut self.takes_index));
        let summed = self.integer()?;
        let arrays = self.take_arrays()?;
        if arrays.is_empty() {
            return Err("sum needs an array".to_owned());
        }
        (self.arrays, self.takes_index) = outer;
        Ok(Expression::Sum(Box::new(summed), arrays))
    }

    fn parties(&mut self) -> Result<(Option<Expression>, Option<Expression>), String> {
        let from = self.filter(as_address)?;
        self.scanner.needs(",")?;
        Ok((from, self.filter(as_address)?))
    }

    /// Parses a required field of a transfer, or `any`.
    fn filter(&mut self, cast: fn(Typed) -> Result<Expression, String>) -> Result<Option<Expression>, String> {
        if self.scanner.takes_word("any") {
            return Ok(None);
        }
        let typed = self.expression()?;
        cast(typed).map(Some)
    }
}

fn member_of(members: &[(String, AbiType)], index: usize) -> Result<&AbiType, String> {
    members.get(index).map(|(_, ty)| ty).ok_or_else(|| "unknown member".to_owned())
}

fn as_integer((expression, ty): Typed) -> Result<Expression, String> {
    match ty {
        ExprType::Integer | ExprType::Any => Ok(expression),
        _ => Err(format!("an integer is needed, not {ty}")),
    }
}

fn as_address((expression, ty): Typed) -> Result<Expression, String> {
    match ty {
        ExprType::Address | ExprType::Any => Ok(expression),
        _ => Err(format!("an address is needed, not {ty}")),
    }
}
