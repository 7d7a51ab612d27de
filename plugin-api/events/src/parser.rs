//! How expressions are written.
//!
//! They are read once, with the parameters at hand: what cannot hold is refused with its table, not with a log.

use alloy::dyn_abi::DynSolType;
use alloy::primitives::{Address, B256, U256, keccak256};

use crate::abi_type::{AbiKind, AbiType, WordType};
use crate::bridge_chain_ids::BridgeIds;
use crate::expr_value::{ExprType, ExprValue, integer};
use crate::expression::{DataPath, Expression, Half, Operation, PathStep, TransferExpr, TransferField, ViewExpr};
use crate::signature::{Parameter, Signature};

/// Depth of nesting; a table's deepest expression needs five.
const DEPTH_MAX: usize = 16;

/// Reads expressions off the front of a text.
#[derive(Debug)]
pub(crate) struct Parser<'a> {
    rest: &'a str,
    signature: &'a Signature,
    depth: usize,
    /// The arrays that were gone through place by place, so far.
    arrays: Vec<DataPath>,
    /// Whether `#` was read.
    placed: bool,
}

type Typed = (Expression, ExprType);

impl<'a> Parser<'a> {
    pub(crate) fn new(text: &'a str, signature: &'a Signature) -> Self {
        Self { rest: text, signature, depth: 0, arrays: Vec::new(), placed: false }
    }

    /// The arrays of what was read since the last time, and an error where a `#` has none.
    pub(crate) fn take_arrays(&mut self) -> Result<Vec<DataPath>, String> {
        if std::mem::take(&mut self.placed) && self.arrays.is_empty() {
            return Err("# stands where there is no array".to_owned());
        }
        Ok(std::mem::take(&mut self.arrays))
    }

    /// Takes a sign where it stands next.
    pub(crate) fn takes(&mut self, sign: &str) -> bool {
        self.rest.strip_prefix(sign).map(|rest| self.rest = rest).is_some()
    }

    pub(crate) fn needs(&mut self, sign: &str) -> Result<(), String> {
        if self.takes(sign) { Ok(()) } else { Err(format!("{sign} is missing before {:?}", self.rest)) }
    }

    /// Nothing may be left.
    pub(crate) fn ends(&self) -> Result<(), String> {
        if self.rest.is_empty() { Ok(()) } else { Err(format!("{:?} is not understood", self.rest)) }
    }

    /// An expression: alternatives, of sums, of products.
    pub(crate) fn expression(&mut self) -> Result<Typed, String> {
        if self.depth == DEPTH_MAX {
            return Err(format!("nested deeper than {DEPTH_MAX}"));
        }
        self.depth += 1;
        let (first, mut ty) = self.sum()?;
        let mut alternatives = vec![first];
        while self.takes("|") {
            let (next, other) = self.sum()?;
            ty = match (ty, other) {
                _ if ty == other => ty,
                (ExprType::Any, _) | (_, ExprType::Any) => ExprType::Any,
                _ => return Err(format!("alternatives are {ty:?} and {other:?}")),
            };
            alternatives.push(next);
        }
        self.depth -= 1;
        let only = if alternatives.len() == 1 { alternatives.pop() } else { None };
        Ok((only.unwrap_or(Expression::FirstOf(alternatives)), ty))
    }

    pub(crate) fn address(&mut self) -> Result<Expression, String> {
        let typed = self.expression()?;
        as_address(typed)
    }

    pub(crate) fn integer(&mut self) -> Result<Expression, String> {
        let typed = self.expression()?;
        as_integer(typed)
    }

    /// Anything that takes no more than a word.
    pub(crate) fn comparable(&mut self) -> Result<Expression, String> {
        match self.expression()? {
            (_, ExprType::Text | ExprType::Bytes) => Err("a text is compared".to_owned()),
            (expression, _) => Ok(expression),
        }
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
        let mut sum = operand(self)?;
        while let Some((sign, operation)) = signs.iter().find(|(sign, _)| self.rest.starts_with(sign)) {
            self.needs(sign)?;
            let next = operand(self)?;
            let both = Box::new((as_integer(sum)?, as_integer(next)?));
            sum = (Expression::Arithmetic(*operation, both), ExprType::Integer);
        }
        Ok(sum)
    }

    fn signed(&mut self) -> Result<Typed, String> {
        if !self.takes("-") {
            return self.viewed();
        }
        let operand = self.viewed()?;
        Ok((Expression::Negated(Box::new(as_integer(operand)?)), ExprType::Integer))
    }

    /// A value, and the views of it: `pool.token0()`.
    fn viewed(&mut self) -> Result<Typed, String> {
        let mut value = self.value()?;
        while let Some(name) = self.view_name(true) {
            let contract = as_address(value)?;
            value = self.view(contract, name)?;
        }
        Ok(value)
    }

    fn value(&mut self) -> Result<Typed, String> {
        if self.takes("(") {
            let inner = self.expression()?;
            self.needs(")")?;
            return Ok(inner);
        }
        if self.takes("@") {
            return Ok((Expression::Emitter, ExprType::Address));
        }
        if self.takes("#") {
            self.placed = true;
            return Ok((Expression::Index, ExprType::Integer));
        }
        if self.takes("$") {
            return self.function();
        }
        if self.rest.starts_with(|first: char| first.is_ascii_digit()) {
            return self.constant();
        }
        if let Some(name) = self.view_name(false) {
            return self.view(Expression::Emitter, name);
        }
        let name = self.name()?;
        if let Some(parameter) = self.signature.parameter(name) {
            return self.parameter(name, parameter);
        }
        match name {
            "native" => Ok((Expression::Constant(ExprValue::Address(Address::ZERO)), ExprType::Address)),
            "wrapped" => Ok((Expression::WrappedNative, ExprType::Address)),
            "tx" if self.takes(".from") => Ok((Expression::Sender, ExprType::Address)),
            "tx" if self.takes(".to") => Ok((Expression::Called, ExprType::Address)),
            _ => Err(format!("the event has no parameter {name}")),
        }
    }

    fn name(&mut self) -> Result<&'a str, String> {
        let rest = self.rest;
        let (name, rest) = rest.split_at(rest.find(|next| !is_of_name(next)).unwrap_or(rest.len()));
        if name.is_empty() {
            return Err(format!("a name is missing before {rest:?}"));
        }
        self.rest = rest;
        Ok(name)
    }

    /// The name of a view where one stands next, with its opening parenthesis.
    fn view_name(&mut self, of_a_contract: bool) -> Option<&'a str> {
        let rest = if of_a_contract { self.rest.strip_prefix('.')? } else { self.rest };
        let (name, rest) = rest.split_at(rest.find(|next| !is_of_name(next))?);
        let rest = rest.strip_prefix('(').filter(|_| !name.is_empty())?;
        self.rest = rest;
        Some(name)
    }

    fn view(&mut self, contract: Expression, name: &str) -> Result<Typed, String> {
        let (mut arguments, mut types) = (Vec::new(), Vec::new());
        while !self.takes(")") {
            if !arguments.is_empty() {
                self.needs(",")?;
            }
            let ty = self.name()?;
            self.needs(":")?;
            let parsed = DynSolType::parse(ty).ok();
            let word = parsed.as_ref().and_then(WordType::of).ok_or_else(|| format!("{ty} is no type of one word"))?;
            let (argument, of) = self.expression()?;
            if !of.fits_word(word) {
                return Err(format!("{ty} of {name} is made of {of:?}"));
            }
            arguments.push((word, argument));
            types.push(parsed.map(|ty| ty.sol_type_name().into_owned()).unwrap_or_default());
        }
        let selector = keccak256(format!("{name}({})", types.join(",")));
        let selector = [selector[0], selector[1], selector[2], selector[3]];
        let word = if self.takes("[") { usize::try_from(self.index()?).map_err(|_| "a word below zero")? } else { 0 };
        Ok((Expression::View(Box::new(ViewExpr { contract, selector, arguments, word })), ExprType::Any))
    }

    /// What stands in brackets, behind the opening one.
    fn index(&mut self) -> Result<isize, String> {
        let (index, rest) = self.rest.split_once(']').ok_or("a bracket is not closed")?;
        self.rest = rest;
        index.parse().map_err(|_| format!("{index:?} is no place"))
    }

    fn constant(&mut self) -> Result<Typed, String> {
        let digits = self.name()?;
        let of_hex = |digits: &str| match digits.len() {
            40 => digits.parse().ok().map(|address: Address| (ExprValue::Address(address), ExprType::Address)),
            64 => digits.parse().ok().map(|word: B256| (ExprValue::Word(word), ExprType::Word)),
            _ => None,
        };
        let constant = match digits.strip_prefix("0x") {
            Some(digits) => of_hex(digits),
            None => U256::from_str_radix(digits, 10)
                .ok()
                .map(|number| (ExprValue::Integer(integer(number)), ExprType::Integer)),
        };
        let (value, ty) = constant.ok_or_else(|| format!("{digits} is neither an address nor a number"))?;
        Ok((Expression::Constant(value), ty))
    }

    fn parameter(&mut self, name: &str, parameter: Parameter<'a>) -> Result<Typed, String> {
        let (index, mut ty) = match parameter {
            Parameter::Topic(topic, ty) => return Ok((Expression::Topic(topic, ty), ExprType::of(ty))),
            Parameter::Data(index, ty) => (index, ty),
        };
        let mut path = DataPath(vec![PathStep::Member(index)]);
        loop {
            let bracket = matches!(ty.kind, AbiKind::Array(..)) && self.takes("[");
            match &ty.kind {
                AbiKind::Array(of, _) if bracket => {
                    path.0.push(PathStep::Element(self.index()?));
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
                    self.needs(".").map_err(|_| format!("{name} is a tuple"))?;
                    let member = self.name()?;
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

    /// What begins with a dollar.
    fn function(&mut self) -> Result<Typed, String> {
        let name = self.name()?;
        self.needs("(")?;
        let made = match name {
            "moved" => {
                let (from, to) = (self.any(as_address)?, self.next_any(as_address)?);
                let amount = self.next_any(as_integer)?;
                let transfer = TransferExpr { field: TransferField::Token, from, to, token: None, amount };
                (Expression::Transfer(Box::new(transfer)), ExprType::Address)
            }
            "paid" => {
                let (from, to) = (self.any(as_address)?, self.next_any(as_address)?);
                let token = if self.rest.starts_with(',') { self.next_any(as_address)? } else { None };
                let transfer = TransferExpr { field: TransferField::Amount, from, to, token, amount: None };
                (Expression::Transfer(Box::new(transfer)), ExprType::Integer)
            }
            "address" => {
                let (word, ty) = self.expression()?;
                if matches!(ty, ExprType::Text | ExprType::Flag) {
                    return Err(format!("$address of {ty:?}"));
                }
                (Expression::LastAddress(Box::new(word)), ExprType::Address)
            }
            "high" | "low" => {
                let half = if name == "high" { Half::High } else { Half::Low };
                match self.expression()? {
                    (word, ExprType::Word | ExprType::Any) => {
                        (Expression::Half(half, Box::new(word)), ExprType::Integer)
                    }
                    (_, ty) => return Err(format!("${name} of {ty:?}")),
                }
            }
            "sum" => (self.sum_of_array()?, ExprType::Integer),
            "domain" | "eid" => {
                let ids = if name == "eid" { BridgeIds::LayerZero } else { BridgeIds::Cctp };
                let number = self.expression()?;
                (Expression::BridgeChainId(ids, Box::new(as_integer(number)?)), ExprType::Integer)
            }
            _ => return Err(format!("there is no ${name}")),
        };
        self.needs(")")?;
        Ok(made)
    }

    /// The arrays within are the sum's own: what it is part of does not go through them.
    fn sum_of_array(&mut self) -> Result<Expression, String> {
        let outer = (std::mem::take(&mut self.arrays), std::mem::take(&mut self.placed));
        let summed = self.expression().and_then(as_integer)?;
        let arrays = self.take_arrays()?;
        if arrays.is_empty() {
            return Err("$sum of no array".to_owned());
        }
        (self.arrays, self.placed) = outer;
        Ok(Expression::Sum(Box::new(summed), arrays))
    }

    fn next_any(&mut self, cast: fn(Typed) -> Result<Expression, String>) -> Result<Option<Expression>, String> {
        self.needs(",")?;
        self.any(cast)
    }

    /// An expression, or `*` for any.
    fn any(&mut self, cast: fn(Typed) -> Result<Expression, String>) -> Result<Option<Expression>, String> {
        if self.takes("*") {
            return Ok(None);
        }
        let typed = self.expression()?;
        cast(typed).map(Some)
    }
}

fn is_of_name(next: char) -> bool {
    next.is_ascii_alphanumeric() || next == '_'
}

fn member_of(members: &[(String, AbiType)], index: usize) -> Result<&AbiType, String> {
    members.get(index).map(|(_, ty)| ty).ok_or_else(|| "no such member".to_owned())
}

fn as_integer((expression, ty): Typed) -> Result<Expression, String> {
    match ty {
        ExprType::Integer | ExprType::Any => Ok(expression),
        _ => Err(format!("{ty:?} is reckoned with")),
    }
}

fn as_address((expression, ty): Typed) -> Result<Expression, String> {
    match ty {
        ExprType::Address | ExprType::Any => Ok(expression),
        _ => Err(format!("{ty:?} stands for an address")),
    }
}
