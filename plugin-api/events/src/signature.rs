//! An event's signature: what its logs look like, and the names of what is in them.
//!
//! Read here because the ABI crates' readers of signatures take no names within tuples.

use alloy::dyn_abi::DynSolType;
use alloy::primitives::{B256, keccak256};

use crate::log::Log;
use crate::shape::{Form, Leaf, Shape};

/// Tuples within tuples, arrays within arrays; the deepest event has two.
const DEPTH_MAX: usize = 8;
/// Indexed parameters of an event that is not anonymous.
const INDEXED_MAX: usize = 3;

/// A signature.
#[derive(Clone, Debug)]
pub(crate) struct Signature {
    /// As the table writes it.
    text: String,
    topic: B256,
    indexed: Vec<(String, Leaf)>,
    /// The others, as a tuple.
    body: Shape,
}

/// Where a parameter stands.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Parameter<'a> {
    /// In this topic.
    Topic(usize, Leaf),
    /// In this place of the body.
    Data(usize, &'a Shape),
}

impl Signature {
    /// Reads a signature off the front of a text.
    pub(crate) fn parse(text: &str) -> Result<(Self, &str), String> {
        let mut reader = Reader { rest: text.trim_start(), depth: 0 };
        let begin = reader.rest;
        let name = reader.name()?;
        let (types, inputs) = reader.inputs()?;
        let (mut indexed, mut body) = (Vec::new(), Vec::new());
        for input in inputs {
            match input.shape.form {
                _ if !input.indexed => body.push((input.name, input.shape)),
                Form::Word(leaf) => indexed.push((input.name, leaf)),
                // Of what takes more than a word, the topic is the hash.
                _ => indexed.push((input.name, Leaf::Fixed(32))),
            }
        }
        if indexed.len() > INDEXED_MAX {
            return Err(format!("{name} has more than {INDEXED_MAX} indexed parameters"));
        }
        let text = begin.strip_suffix(reader.rest).unwrap_or(begin).to_owned();
        let topic = keccak256(format!("{name}{types}"));
        Ok((Self { text, topic, indexed, body: Shape::tuple(body) }, reader.rest))
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn topic(&self) -> B256 {
        self.topic
    }

    pub(crate) fn body(&self) -> &Shape {
        &self.body
    }

    pub(crate) fn parameter(&self, name: &str) -> Option<Parameter<'_>> {
        if let Some(place) = self.indexed.iter().position(|(known, _)| known == name) {
            return self.indexed.get(place).map(|(_, leaf)| Parameter::Topic(place + 1, *leaf));
        }
        let Form::Tuple(members) = &self.body.form else { return None };
        let place = members.iter().position(|(known, _)| known == name)?;
        members.get(place).map(|(_, shape)| Parameter::Data(place, shape))
    }

    /// Whether a log is encoded as this says; that its first topic is this one's is known.
    pub(crate) fn holds(&self, log: &Log) -> bool {
        let topics = log.topics.get(1..).unwrap_or_default();
        topics.len() == self.indexed.len()
            && topics.iter().zip(&self.indexed).all(|(topic, (_, leaf))| leaf.holds(topic))
            && self.body.holds(&log.data)
    }
}

/// A parameter, or a member of a tuple.
struct Input {
    name: String,
    shape: Shape,
    indexed: bool,
}

struct Reader<'a> {
    rest: &'a str,
    depth: usize,
}

impl<'a> Reader<'a> {
    fn takes(&mut self, sign: &str) -> bool {
        let rest = self.rest.trim_start().strip_prefix(sign);
        rest.map(|rest| self.rest = rest).is_some()
    }

    /// A word, which may be none.
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

    /// What stands in parentheses: its types as they are hashed, and what they are.
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
            let (ty, input) = self.input()?;
            if !input.name.is_empty() && inputs.iter().any(|before| before.name == input.name) {
                return Err(format!("two parameters are called {}", input.name));
            }
            types.push(ty);
            inputs.push(input);
        }
        self.depth -= 1;
        Ok((format!("({})", types.join(",")), inputs))
    }

    fn input(&mut self) -> Result<(String, Input), String> {
        let (mut ty, mut shape) = self.single()?;
        for depth in 0.. {
            if !self.takes("[") {
                break;
            }
            if depth == DEPTH_MAX {
                return Err(format!("arrays are nested deeper than {DEPTH_MAX}"));
            }
            let (length, rest) = self.rest.split_once(']').ok_or("a bracket is not closed")?;
            self.rest = rest;
            shape = shape.array(length).map_err(|what| format!("{ty}[{length}] {what}"))?;
            ty = format!("{ty}[{length}]");
        }
        let (indexed, name) = match self.word() {
            "indexed" if self.depth == 1 => (true, self.word()),
            name => (false, name),
        };
        Ok((ty, Input { name: name.to_owned(), shape, indexed }))
    }

    /// A type that is no array.
    fn single(&mut self) -> Result<(String, Shape), String> {
        let before = self.rest;
        let name = self.word();
        if self.rest.starts_with('(') && (name.is_empty() || name == "tuple") {
            let (types, members) = self.inputs()?;
            return Ok((types, Shape::tuple(members.into_iter().map(|member| (member.name, member.shape)).collect())));
        }
        let ty = DynSolType::parse(name).map_err(|_| format!("no type begins {:?}", before.trim_start()))?;
        let shape = Shape::elementary(&ty).ok_or_else(|| format!("{name} is no type of a parameter"))?;
        Ok((ty.sol_type_name().into_owned(), shape))
    }
}
