//! Named constants of a table; values may differ between networks.

use std::collections::HashMap;

use alloy::primitives::{Address, B256, U256};

use crate::expr_value::{ExprType, ExprValue, integer};
use crate::scanner::Scanner;

/// A constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Constant {
    Everywhere(ExprValue<'static>),
    /// By EIP-155 chain id; undefined on other networks.
    PerNetwork(Vec<(u64, ExprValue<'static>)>),
}

impl Constant {
    /// Returns the value on a network.
    pub(crate) fn value(&self, chain_id: u64) -> Option<ExprValue<'static>> {
        match self {
            Self::Everywhere(value) => Some(*value),
            Self::PerNetwork(values) => values.iter().find(|(id, _)| *id == chain_id).map(|(_, value)| *value),
        }
    }
}

/// Constants of a table, with their types.
#[derive(Clone, Debug, Default)]
pub(crate) struct Constants {
    by_name: HashMap<String, (Constant, ExprType)>,
}

impl Constants {
    pub(crate) fn get(&self, name: &str) -> Option<&(Constant, ExprType)> {
        self.by_name.get(name)
    }

    /// Parses and adds `NAME = value` or `NAME network=value network=value …`.
    pub(crate) fn add(&mut self, text: &str) -> Result<(), String> {
        let mut scanner = Scanner::new(text);
        let name = scanner.name()?;
        let is_upper = |letter: char| letter.is_ascii_uppercase() || letter.is_ascii_digit() || letter == '_';
        if !name.starts_with(|first: char| first.is_ascii_uppercase()) || !name.chars().all(is_upper) {
            return Err(format!("the constant {name} is not in capitals"));
        }
        let constant = parse_value(&mut scanner).map_err(|what| format!("{name}: {what}"))?;
        match self.by_name.insert(name.to_owned(), constant) {
            Some(_) => Err(format!("the constant {name} is defined twice")),
            None => Ok(()),
        }
    }
}

fn parse_value(scanner: &mut Scanner<'_>) -> Result<(Constant, ExprType), String> {
    if scanner.takes("=") {
        let (value, ty) = literal(scanner.name()?)?;
        scanner.ends()?;
        return Ok((Constant::Everywhere(value), ty));
    }
    let (mut values, mut types) = (Vec::<(u64, ExprValue<'static>)>::new(), Vec::new());
    while values.is_empty() || !scanner.is_empty() {
        let network = scanner.name()?;
        let chain_id = portolan_networks::chain_id(network).ok_or_else(|| format!("unknown network {network}"))?;
        scanner.needs("=")?;
        let (value, ty) = literal(scanner.name()?)?;
        if values.iter().any(|(known, _)| *known == chain_id) {
            return Err(format!("{network} is defined twice"));
        }
        values.push((chain_id, value));
        types.push(ty);
    }
    match types.as_slice() {
        [first, others @ ..] if others.iter().all(|other| other == first) => Ok((Constant::PerNetwork(values), *first)),
        _ => Err("the values are of several types".to_owned()),
    }
}

/// Parses a decimal number, or 20 or 32 bytes in hexadecimal.
pub(crate) fn literal(text: &str) -> Result<(ExprValue<'static>, ExprType), String> {
    let of_hex = |digits: &str| match digits.len() {
        40 => digits.parse().ok().map(|address: Address| (ExprValue::Address(address), ExprType::Address)),
        64 => digits.parse().ok().map(|word: B256| (ExprValue::Word(word), ExprType::Word)),
        _ => None,
    };
    let value = match text.strip_prefix("0x") {
        Some(digits) => of_hex(digits),
        None => {
            U256::from_str_radix(text, 10).ok().map(|number| (ExprValue::Integer(integer(number)), ExprType::Integer))
        }
    };
    value.ok_or_else(|| format!("{text} is neither a number, an address nor a word of 32 bytes"))
}
