//! Words of the table of functions: one per argument, in the place of its name.

use alloy::dyn_abi::{DynSolType, DynSolValue};
use portolan_abi::map::{Role, role};

/// Allowed values of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    /// The account of the question.
    Account,
    /// A token.
    Token,
    /// A contract of the protocol.
    Market,
    /// An address that a contract of the protocol holds for the account.
    Delegate,
    /// An integer or `bytesN` that the job read together with the account.
    Number,
    /// Any `bool`.
    Flag,
    /// Always zero.
    Zero,
    /// Members of a Merkle proof.
    Proof,
    /// Any `bytes` or `string`.
    Data,
}

const WORDS: [(&str, Word); 9] = [
    ("account", Word::Account),
    ("token", Word::Token),
    ("market", Word::Market),
    ("delegate", Word::Delegate),
    ("number", Word::Number),
    ("flag", Word::Flag),
    ("zero", Word::Zero),
    ("proof", Word::Proof),
    ("data", Word::Data),
];

impl Word {
    fn parse(text: &str) -> Option<Self> {
        WORDS.iter().find(|(name, _)| *name == text).map(|(_, word)| *word)
    }

    fn as_str(self) -> &'static str {
        WORDS.iter().find(|(_, word)| *word == self).map_or("", |(name, _)| name)
    }

    /// Returns true if an argument of this type may have this word.
    fn suits(self, kind: &DynSolType) -> bool {
        match self {
            Self::Account | Self::Token | Self::Market | Self::Delegate => *kind == DynSolType::Address,
            Self::Number => matches!(kind, DynSolType::Uint(_) | DynSolType::Int(_) | DynSolType::FixedBytes(_)),
            Self::Flag => *kind == DynSolType::Bool,
            Self::Zero => matches!(kind, DynSolType::Uint(_) | DynSolType::Int(_) | DynSolType::Address),
            Self::Proof => *kind == DynSolType::FixedBytes(32),
            Self::Data => matches!(kind, DynSolType::Bytes | DynSolType::String),
        }
    }

    /// Returns true if the word allows this role.
    fn allows(self, declared: &Role) -> bool {
        match self {
            Self::Account => declared.kind == role::ACCOUNT,
            Self::Token => declared.kind == role::TOKEN,
            Self::Market => declared.kind == role::MARKET,
            Self::Delegate => declared.kind == role::DELEGATE,
            Self::Number | Self::Flag => declared.kind == role::NUMBER,
            Self::Proof => declared.kind == role::PROOF,
            Self::Zero => false,
            Self::Data => declared.kind == role::BYTES,
        }
    }

    /// Returns true if the word allows this constant.
    fn allows_constant(self, value: &DynSolValue) -> bool {
        match self {
            Self::Account | Self::Delegate => false,
            Self::Zero => is_zero(value),
            // Templates only name the zero address and addresses of their catalogue.
            Self::Token | Self::Market | Self::Number | Self::Flag | Self::Proof | Self::Data => true,
        }
    }
}

/// Words of an argument, nested like its type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Words {
    One(Word),
    /// The words of each member.
    Array(Box<Words>),
    Tuple(Vec<Words>),
}

impl Words {
    /// Parses the arguments of a listed function, without the outer brackets, into words and types.
    ///
    /// # Errors
    /// The first malformed argument.
    pub(crate) fn parse_all(text: &str) -> Result<(Vec<Self>, Vec<DynSolType>), String> {
        split(text)?.into_iter().map(Self::parse).collect()
    }

    fn parse(text: &str) -> Result<(Self, DynSolType), String> {
        let unreadable = || format!("{text:?} is not a type and a word");
        let (kind, word) = text.rsplit_once(' ').ok_or_else(unreadable)?;
        if let Some((members, dimensions)) = kind.strip_prefix('(').and_then(|rest| rest.rsplit_once(')')) {
            let (words, kinds) = Self::parse_all(members)?;
            let kind = parse_type(&format!("{}{dimensions}", DynSolType::Tuple(kinds)))?;
            return Ok((Self::Tuple(words).in_arrays(&kind), kind));
        }
        let kind = parse_type(kind)?;
        let words = WORDS.map(|(name, _)| name).join(", ");
        let word = Word::parse(word).ok_or_else(|| format!("{word:?} is not one of {words}"))?;
        let member = innermost(&kind);
        if !word.suits(member) {
            return Err(format!("{} cannot be said of {member}", word.as_str()));
        }
        Ok((Self::One(word).in_arrays(&kind), kind))
    }

    fn in_arrays(self, kind: &DynSolType) -> Self {
        match kind {
            DynSolType::Array(member) | DynSolType::FixedArray(member, _) => {
                Self::Array(Box::new(self.in_arrays(member)))
            }
            _ => self,
        }
    }

    /// Returns true if the words allow this role for an argument of this type.
    pub(crate) fn allow(&self, declared: &Role, kind: &DynSolType) -> bool {
        if declared.kind == role::CONSTANT {
            let value = declared.constant.as_deref().and_then(|bytes| kind.abi_decode(bytes).ok());
            return value.is_some_and(|value| self.allow_constant(&value));
        }
        let members = declared.members.as_deref().unwrap_or_default();
        match (self, kind) {
            (Self::One(word), _) => word.allows(declared),
            (Self::Array(member), DynSolType::Array(kind) | DynSolType::FixedArray(kind, _)) => {
                matches!(members, [declared] if member.allow(declared, kind))
            }
            (Self::Tuple(words), DynSolType::Tuple(kinds)) => {
                words.len() == members.len()
                    && words.iter().zip(members).zip(kinds).all(|((words, role), kind)| words.allow(role, kind))
            }
            _ => false,
        }
    }

    fn allow_constant(&self, value: &DynSolValue) -> bool {
        match (self, value) {
            (Self::One(word), value) => word.allows_constant(value),
            (Self::Array(member), DynSolValue::Array(values) | DynSolValue::FixedArray(values)) => {
                values.iter().all(|value| member.allow_constant(value))
            }
            (Self::Tuple(words), DynSolValue::Tuple(values)) => {
                words.iter().zip(values).all(|(words, value)| words.allow_constant(value))
            }
            _ => false,
        }
    }
}

fn parse_type(text: &str) -> Result<DynSolType, String> {
    let kind = DynSolType::parse(text).map_err(|_| format!("{text:?} is an unknown type"))?;
    if kind.to_string() == text { Ok(kind) } else { Err(format!("{text:?} is not in canonical form, {kind} is")) }
}

/// Returns the innermost member type of nested arrays.
fn innermost(kind: &DynSolType) -> &DynSolType {
    match kind {
        DynSolType::Array(member) | DynSolType::FixedArray(member, _) => innermost(member),
        kind => kind,
    }
}

/// Splits at commas outside of brackets.
fn split(text: &str) -> Result<Vec<&str>, String> {
    let (mut parts, mut depth, mut from) = (Vec::new(), 0_usize, 0);
    for (at, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.checked_sub(1).ok_or("a bracket is closed that was not opened")?,
            ',' if depth == 0 => {
                parts.push(text[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    if depth > 0 {
        return Err("a bracket is not closed".into());
    }
    if !text.trim().is_empty() {
        parts.push(text[from..].trim());
    }
    Ok(parts)
}

/// Returns the table text that allows this argument: its type and its words.
fn argument(kind: &DynSolType, declared: &Role) -> String {
    let (of_type, word) = type_and_word(kind, &members(kind, declared), declared);
    format!("{of_type} {word}")
}

fn type_and_word(kind: &DynSolType, members: &[Role], declared: &Role) -> (String, &'static str) {
    match (kind, members) {
        (DynSolType::Tuple(kinds), members) => (format!("({})", arguments(kinds, members)), "all"),
        (DynSolType::Array(inner) | DynSolType::FixedArray(inner, _), [member]) => {
            let (of_member, word) = type_and_word(inner, &self::members(inner, member), member);
            let length = if let DynSolType::FixedArray(_, length) = kind { length.to_string() } else { String::new() };
            (format!("{of_member}[{length}]"), word)
        }
        _ => (kind.to_string(), word_of(kind, declared).as_str()),
    }
}

/// Returns the roles of an argument's members; for a constant, these are constants too.
fn members(kind: &DynSolType, declared: &Role) -> Vec<Role> {
    if let Some(members) = &declared.members {
        return members.clone();
    }
    let constant = |value: Option<&DynSolValue>| Role {
        kind: role::CONSTANT,
        constant: value.map(DynSolValue::abi_encode),
        members: None,
    };
    let value = declared.constant.as_deref().and_then(|bytes| kind.abi_decode(bytes).ok());
    let values = match &value {
        Some(DynSolValue::Tuple(values) | DynSolValue::Array(values) | DynSolValue::FixedArray(values)) => &values[..],
        _ => &[],
    };
    match kind {
        DynSolType::Tuple(kinds) => (0..kinds.len()).map(|at| constant(values.get(at))).collect(),
        // One word covers all members: that of a nonzero member, if there is one.
        DynSolType::Array(_) | DynSolType::FixedArray(..) => {
            vec![constant(values.iter().find(|value| !is_zero(value)).or(values.first()))]
        }
        _ => Vec::new(),
    }
}

/// Returns the table text of several arguments.
pub(crate) fn arguments(kinds: &[DynSolType], roles: &[Role]) -> String {
    let arguments: Vec<_> = kinds.iter().zip(roles).map(|(kind, role)| argument(kind, role)).collect();
    arguments.join(", ")
}

fn word_of(kind: &DynSolType, declared: &Role) -> Word {
    let is_nothing = || {
        let value = declared.constant.as_deref().and_then(|bytes| kind.abi_decode(bytes).ok());
        value.as_ref().is_some_and(is_zero)
    };
    match (declared.kind, kind) {
        (role::ACCOUNT, _) => Word::Account,
        (role::TOKEN, _) => Word::Token,
        (role::PROOF, _) => Word::Proof,
        (role::DELEGATE, _) => Word::Delegate,
        (role::CONSTANT, DynSolType::Uint(_) | DynSolType::Int(_) | DynSolType::Address) if is_nothing() => Word::Zero,
        (role::MARKET, _) | (role::CONSTANT, DynSolType::Address) => Word::Market,
        (_, DynSolType::Bool) => Word::Flag,
        (_, DynSolType::Bytes | DynSolType::String) => Word::Data,
        _ => Word::Number,
    }
}

fn is_zero(value: &DynSolValue) -> bool {
    value.as_word().is_some_and(|word| word.is_zero())
}
