//! The signature of an event: the encoding of its logs, and the names of its parameters.
//!
//! It is parsed here because the parsers of the ABI crates do not accept names within tuples.

use alloy::dyn_abi::DynSolType;
use alloy::primitives::{B256, keccak256};

use crate::abi_type::{AbiKind, AbiType, WordType};
use crate::transaction::Log;

/// Nesting of tuples, and of arrays. The deepest event has two levels.
const DEPTH_MAX: usize = 8;
/// The EVM allows four topics, of which the first is the event's hash.
const INDEXED_MAX: usize = 3;

/// The signature of an event that is not anonymous.
#[derive(Clone, Debug)]
pub(crate) struct Signature {
    /// As the table has it.
    text: String,
    topic: B256,
    indexed: Vec<(String, WordType)>,
    /// The parameters that are not indexed, as a tuple.
    body: AbiType,
}

/// The position of a parameter in a log.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Parameter<'a> {
    /// The number of its topic.
    Topic(usize, WordType),
    /// The index in the body.
    Data(usize, &'a AbiType),
}

impl Signature {
    /// Parses a signature at the beginning of a text, and returns the rest of the text.
    pub(crate) fn parse(text: &str) -> Result<(Self, &str), String> {
        let mut parser = SignatureParser { rest: text.trim_start(), depth: 0 };
        let begin = parser.rest;
        let name = parser.name()?;
        let (types, inputs) = parser.inputs()?;
        let (mut indexed, mut body) = (Vec::new(), Vec::new());
        for input in inputs {
            match input.ty.kind {
                _ if !input.indexed => body.push((input.name, input.ty)),
                AbiKind::Word(ty) => indexed.push((input.name, ty)),
                // The topic of a value that takes more than one word is its hash.
                _ => indexed.push((input.name, WordType::Fixed(32))),
            }
        }
        if indexed.len() > INDEXED_MAX {
            return Err(format!("{name} has more than {INDEXED_MAX} indexed parameters"));
        }
        let text = begin.strip_suffix(parser.rest).unwrap_or(begin).to_owned();
        let topic = keccak256(format!("{name}{types}"));
        Ok((Self { text, topic, indexed, body: AbiType::tuple(body) }, parser.rest))
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

    /// Whether a log is encoded as this event. The first topic has been compared before.
    pub(crate) fn matches(&self, log: &Log) -> bool {
        let topics = log.topics.get(1..).unwrap_or_default();
        topics.len() == self.indexed.len()
            && topics.iter().zip(&self.indexed).all(|(topic, (_, ty))| ty.holds(topic))
            && self.body.matches(&log.data)
    }
}

/// A parameter, or a member of a tuple.
struct Input {
    name: String,
    ty: AbiType,
    indexed: bool,
}

struct SignatureParser<'a> {
    rest: &'a str,
    depth: usize,
}

impl<'a> SignatureParser<'a> {
    fn takes(&mut self, sign: &str) -> bool {
        let rest = self.rest.trim_start().strip_prefix(sign);
        rest.map(|rest| self.rest = rest).is_some()
    }

    /// The next word, which may be empty.
    fn word(&mut self) -> &'a str {
        let rest = self.rest.trim_start();
        let is_of_word = |next: char| next.is_ascii_alphanumeric() || next == '_' || next == '$';
        let (word, rest) = rest.split_at(rest.find(|next| !is_of_word(next)).unwrap_or(rest.len()));
        self.rest = rest;
        word
    }

    fn name(&mut self) -> Result<&'a str, String> {
        match self.word() {
            "" => Err(format!("a name is missing before {:?}", self.rest)),
            name => Ok(name),
        }
    }

    /// Parses a list in parentheses, and returns its types as they are hashed.
    fn inputs(&mut self) -> Result<(String, Vec<Input>), String> {
        if self.depth == DEPTH_MAX {
            return Err(format!("tuples are nested deeper than {DEPTH_MAX}"));
        }
        if !self.takes("(") {
            return Err(format!("( is missing before {:?}", self.rest));
        }
        self.depth += 1;
        let (mut types, mut inputs) = (Vec::new(), Vec::<Input>::new());
        while !self.takes(")") {
            if !inputs.is_empty() && !self.takes(",") {
                return Err(format!(", or ) is missing before {:?}", self.rest));
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
            if !self.takes("[") {
                break;
            }
            if depth == DEPTH_MAX {
                return Err(format!("arrays are nested deeper than {DEPTH_MAX}"));
            }
            let (length, rest) = self.rest.split_once(']').ok_or("a bracket is not closed")?;
            self.rest = rest;
            ty = ty.array(length).map_err(|what| format!("{text}[{length}] {what}"))?;
            text = format!("{text}[{length}]");
        }
        let (indexed, name) = match self.word() {
            "indexed" if self.depth == 1 => (true, self.word()),
            name => (false, name),
        };
        Ok((text, Input { name: name.to_owned(), ty, indexed }))
    }

    /// Parses a type that is not an array.
    fn single(&mut self) -> Result<(String, AbiType), String> {
        let before = self.rest;
        let name = self.word();
        if self.rest.starts_with('(') && (name.is_empty() || name == "tuple") {
            let (types, members) = self.inputs()?;
            return Ok((types, AbiType::tuple(members.into_iter().map(|member| (member.name, member.ty)).collect())));
        }
        let parsed = DynSolType::parse(name);
        let parsed = parsed.map_err(|_| format!("there is no type at the beginning of {:?}", before.trim_start()))?;
        let ty = AbiType::elementary(&parsed).ok_or_else(|| format!("{name} is not a type of a parameter"))?;
        Ok((parsed.sol_type_name().into_owned(), ty))
    }
}
