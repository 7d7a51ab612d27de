//! Event signatures: the encoding of logs, and the names of parameters.
//!
//! Parsed here because the parsers of the ABI crates reject names within tuples.

use alloy::dyn_abi::DynSolType;
use alloy::primitives::{B256, hex, keccak256};

use crate::abi_type::{AbiKind, AbiType, WordType};
use crate::scanner::Scanner;
use crate::transaction::Log;

/// Nesting of tuples and arrays; the deepest event has two levels.
const DEPTH_MAX: usize = 8;
/// The EVM allows four topics; the first is the event's hash.
const INDEXED_MAX: usize = 3;

/// Signature of an event that is not anonymous.
#[derive(Clone, Debug)]
pub(crate) struct Signature {
    /// The table's text, in one line.
    text: String,
    topic: B256,
    indexed: Vec<(String, WordType)>,
    /// Tuple of the parameters that are not indexed.
    body: AbiType,
}

/// Position of a parameter in a log.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Parameter<'a> {
    /// Topic number.
    Topic(usize, WordType),
    /// Index in the body.
    Data(usize, &'a AbiType),
}

impl Signature {
    /// Parses a signature.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut parser = SignatureParser { scanner: Scanner::new(text), depth: 0 };
        let name = parser.scanner.name()?;
        let (types, inputs) = parser.inputs()?;
        let (mut indexed, mut body) = (Vec::new(), Vec::new());
        for input in inputs {
            match input.ty.kind {
                _ if !input.indexed => body.push((input.name, input.ty)),
                AbiKind::Word(ty) => indexed.push((input.name, ty)),
                // The topic of a value longer than one word is its hash.
                _ => indexed.push((input.name, WordType::Fixed(32))),
            }
        }
        if indexed.len() > INDEXED_MAX {
            return Err(format!("{name} has more than {INDEXED_MAX} indexed parameters"));
        }
        parser.scanner.ends()?;
        let topic = note(name).unwrap_or_else(|| keccak256(format!("{name}{types}")));
        Ok(Self { text: text.to_owned(), topic, indexed, body: AbiType::tuple(body) })
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn topic(&self) -> B256 {
        self.topic
    }

    pub(crate) fn body(&self) -> &AbiType {
        &self.body
    }

    pub(crate) fn parameter(&self, name: &str) -> Option<Parameter<'_>> {
        if let Some(index) = self.indexed.iter().position(|(known, _)| known == name) {
            return self.indexed.get(index).map(|(_, ty)| Parameter::Topic(index + 1, *ty));
        }
        let AbiKind::Tuple(members) = &self.body.kind else { return None };
        let index = members.iter().position(|(known, _)| known == name)?;
        members.get(index).map(|(_, ty)| Parameter::Data(index, ty))
    }

    /// Returns true if a log is encoded as this event. The first topic has been compared before.
    pub(crate) fn matches(&self, log: &Log) -> bool {
        let topics = log.topics.get(1..).unwrap_or_default();
        topics.len() == self.indexed.len()
            && topics.iter().zip(&self.indexed).all(|(topic, (_, ty))| ty.holds(topic))
            && self.body.matches(&log.data)
    }
}

/// Returns the first topic of a note, which has the selector of the called function instead of a name.
fn note(name: &str) -> Option<B256> {
    let selector: [u8; 4] = hex::decode_to_array(name.strip_prefix("0x")?).ok()?;
    Some(B256::right_padding_from(&selector))
}

/// A parameter, or a member of a tuple.
struct Input {
    name: String,
    ty: AbiType,
    indexed: bool,
}

struct SignatureParser<'a> {
    scanner: Scanner<'a>,
    depth: usize,
}

impl<'a> SignatureParser<'a> {
    /// Parses a list in parentheses. Also returns its types as they are hashed.
    fn inputs(&mut self) -> Result<(String, Vec<Input>), String> {
        if self.depth == DEPTH_MAX {
            return Err(format!("tuples are nested deeper than {DEPTH_MAX}"));
        }
        self.scanner.needs("(")?;
        self.depth += 1;
        let (mut types, mut inputs) = (Vec::new(), Vec::<Input>::new());
        while !self.scanner.takes(")") {
            if !inputs.is_empty() {
                self.scanner.needs(",")?;
            }
            let (text, input) = self.input()?;
            if !input.name.is_empty() && inputs.iter().any(|before| before.name == input.name) {
                return Err(format!("two parameters are called {}", input.name));
            }
            types.push(text);
            inputs.push(input);
        }
        self.depth -= 1;
        Ok((format!("({})", types.join(",")), inputs))
    }

    fn input(&mut self) -> Result<(String, Input), String> {
        let (mut text, mut ty) = self.single()?;
        for depth in 0.. {
            if !self.scanner.takes("[") {
                break;
            }
            if depth == DEPTH_MAX {
                return Err(format!("arrays are nested deeper than {DEPTH_MAX}"));
            }
            let length = self.scanner.until("]")?;
            ty = ty.array(length).map_err(|what| format!("{text}[{length}] {what}"))?;
            text = format!("{text}[{length}]");
        }
        let indexed = self.depth == 1 && self.scanner.takes_word("indexed");
        let name = self.scanner.word();
        self.scanner.takes(name);
        Ok((text, Input { name: name.to_owned(), ty, indexed }))
    }

    /// Parses a type other than an array.
    fn single(&mut self) -> Result<(String, AbiType), String> {
        let name = self.scanner.word();
        self.scanner.takes(name);
        if name.is_empty() || name == "tuple" {
            let (types, members) = self.inputs()?;
            return Ok((types, AbiType::tuple(members.into_iter().map(|member| (member.name, member.ty)).collect())));
        }
        let parsed = DynSolType::parse(name).map_err(|_| format!("unknown type {name}"))?;
        let ty = AbiType::elementary(&parsed).ok_or_else(|| format!("{name} is not a type of a parameter"))?;
        Ok((parsed.sol_type_name().into_owned(), ty))
    }
}
