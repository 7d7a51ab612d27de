//! Function signatures as ERC-7730 has them: types with the names of parameters, also within tuples.

use alloy::dyn_abi::DynSolType;
use alloy::primitives::{Selector, keccak256};

/// Longest signature that is read.
const BYTES_MAX: usize = 4_096;
/// Tuples within tuples, and dimensions of a list; deeper ones are refused.
const DEPTH_MAX: usize = 8;
/// Words between a type and a name.
const LOCATIONS: [&str; 4] = ["memory", "calldata", "storage", "payable"];

/// A function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CallSignature {
    pub(crate) name: String,
    pub(crate) parameters: Vec<CallParameter>,
}

/// A parameter of a function, or a member of a tuple.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CallParameter {
    /// Empty if it has none.
    pub(crate) name: String,
    pub(crate) kind: DynSolType,
    /// Members of the tuple that it is or lists.
    pub(crate) members: Vec<CallParameter>,
}

impl CallSignature {
    /// Parses a signature such as `claim(uint256 id,(address token,uint256 amount)[] rewards)`; names may be absent.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = Some(text.trim()).filter(|text| text.len() <= BYTES_MAX)?;
        let text = text.strip_prefix("function ").unwrap_or(text);
        let (name, rest) = text.split_once('(')?;
        let parameters = CallParameter::parse_all(rest.strip_suffix(')')?, 0)?;
        let name = name.trim();
        is_identifier(name).then(|| Self { name: name.to_owned(), parameters })
    }

    /// Returns the signature in canonical form, without names.
    pub(crate) fn plain(&self) -> String {
        let kinds: Vec<String> = self.parameters.iter().map(CallParameter::plain).collect();
        format!("{}({})", self.name, kinds.join(","))
    }

    /// Returns the signature as a descriptor's key: with names, a space before each and none elsewhere.
    pub(crate) fn key(&self) -> String {
        format!("{}({})", self.name, keys(&self.parameters))
    }

    pub(crate) fn selector(&self) -> Selector {
        selector(&self.plain())
    }
}

/// Returns the selector of a signature in canonical form.
fn selector(signature: &str) -> Selector {
    Selector::from_slice(&keccak256(signature)[..4])
}

impl CallParameter {
    fn parse_all(text: &str, depth: usize) -> Option<Vec<Self>> {
        split(text)?.into_iter().map(|part| Self::parse(part, depth)).collect()
    }

    fn parse(text: &str, depth: usize) -> Option<Self> {
        let of_tuple = text.strip_prefix("tuple").unwrap_or(text).trim_start();
        let (kind, members, rest) = match of_tuple.strip_prefix('(') {
            Some(inner) => {
                let (members, rest) = inner.rsplit_once(')').filter(|_| depth < DEPTH_MAX)?;
                let members = Self::parse_all(members, depth + 1)?;
                let kind = DynSolType::Tuple(members.iter().map(|member| member.kind.clone()).collect());
                let (dimensions, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
                (in_lists(kind, dimensions)?, members, rest)
            }
            None => {
                let (kind, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
                let (kind, dimensions) = kind.split_at(kind.find('[').unwrap_or(kind.len()));
                (in_lists(DynSolType::parse(kind).ok()?, dimensions)?, Vec::new(), rest)
            }
        };
        let mut names = rest.split_whitespace().filter(|word| !LOCATIONS.contains(word));
        let name = names.next().unwrap_or_default();
        let is_sound = names.next().is_none() && (name.is_empty() || is_identifier(name));
        is_sound.then(|| Self { name: name.to_owned(), kind, members })
    }

    fn plain(&self) -> String {
        let member = |members: &[Self]| members.iter().map(Self::plain).collect::<Vec<_>>().join(",");
        written(&self.kind, &self.members, &member)
    }

    fn key(&self) -> String {
        let kind = written(&self.kind, &self.members, &|members| keys(members));
        if self.name.is_empty() { kind } else { format!("{kind} {}", self.name) }
    }
}

fn keys(parameters: &[CallParameter]) -> String {
    parameters.iter().map(CallParameter::key).collect::<Vec<_>>().join(",")
}

/// Writes a type, with the members of its tuple as `inner` writes them. The type's own text has a comma in tuples of
/// one member.
fn written(kind: &DynSolType, members: &[CallParameter], inner: &impl Fn(&[CallParameter]) -> String) -> String {
    match kind {
        DynSolType::Array(member) => written(member, members, inner) + "[]",
        DynSolType::FixedArray(member, length) => format!("{}[{length}]", written(member, members, inner)),
        DynSolType::Tuple(_) => format!("({})", inner(members)),
        kind => kind.sol_type_name().into_owned(),
    }
}

/// Wraps a type in lists by their dimensions, such as `[3][]`.
fn in_lists(kind: DynSolType, dimensions: &str) -> Option<DynSolType> {
    let (mut kind, mut rest) = (kind, dimensions);
    for _ in 0..=DEPTH_MAX {
        if rest.is_empty() {
            return Some(kind);
        }
        let (length, further) = rest.strip_prefix('[')?.split_once(']')?;
        kind = match length {
            "" => DynSolType::Array(Box::new(kind)),
            length => DynSolType::FixedArray(Box::new(kind), length.parse().ok().filter(|length| *length > 0)?),
        };
        rest = further;
    }
    None
}

/// Splits at commas outside of brackets, and trims the parts; `None` if brackets do not match.
fn split(text: &str) -> Option<Vec<&str>> {
    let (mut parts, mut depth, mut from) = (Vec::new(), 0_usize, 0);
    for (at, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.checked_sub(1)?,
            ',' if depth == 0 => {
                parts.push(text[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    // Nothing between the brackets is no part, and nothing after a comma is an empty one.
    if from > 0 || !text.trim().is_empty() {
        parts.push(text[from..].trim());
    }
    (depth == 0).then_some(parts)
}

fn is_identifier(text: &str) -> bool {
    let is_letter = |letter: char| letter.is_ascii_alphabetic() || letter == '_' || letter == '$';
    text.starts_with(is_letter) && text.chars().all(|letter| is_letter(letter) || letter.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_signature_is_read_with_names_locations_and_tuples() {
        let text = "claim( uint256 _id, (address token, uint256[2] amount)[] memory rewards,tuple(bytes32) proof )";
        let read = CallSignature::parse(text).unwrap();
        assert_eq!(read.plain(), "claim(uint256,(address,uint256[2])[],(bytes32))");
        assert_eq!(read.key(), "claim(uint256 _id,(address token,uint256[2] amount)[] rewards,(bytes32) proof)");
        let [id, rewards, proof] = &read.parameters[..] else { panic!("{read:?}") };
        assert_eq!((id.name.as_str(), &id.kind), ("_id", &DynSolType::Uint(256)));
        assert_eq!((rewards.members[1].name.as_str(), proof.members[0].name.as_str()), ("amount", ""));
        assert_eq!(CallSignature::parse(&read.key()), Some(read));
    }

    #[test]
    fn selectors_are_those_of_the_field() {
        // As Etherscan and 4byte.directory have them.
        for (text, selector) in [
            ("getReward()", [0x3d, 0x18, 0xb9, 0x12]),
            ("getReward(address account)", [0xc0, 0x00, 0x07, 0xb0]),
            ("deposit(uint256 pid, uint amount)", [0xe2, 0xbb, 0xb1, 0x58]),
            ("function transfer(address payable to,uint256 value)", [0xa9, 0x05, 0x9c, 0xbb]),
            (
                "exactInputSingle((address tokenIn,address tokenOut,uint24 fee,address recipient,uint256 deadline,\
                 uint256 amountIn,uint256 amountOutMinimum,uint160 sqrtPriceLimitX96) params)",
                [0x41, 0x4b, 0xf3, 0x89],
            ),
        ] {
            let read = CallSignature::parse(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(read.selector(), Selector::from(selector), "{text}");
        }
    }

    proptest! {
        #[test]
        fn whatever_a_key_is_it_is_read_as_it_is_written(text in "[a-z]{1,3}\\([a-z0-9,()\\[\\] ]{0,40}\\)|.{0,40}") {
            if let Some(read) = CallSignature::parse(&text) {
                assert_eq!(CallSignature::parse(&read.key()).as_ref(), Some(&read));
                assert_eq!(CallSignature::parse(&read.plain()).map(|plain| plain.selector()), Some(read.selector()));
            }
        }
    }

    #[test]
    fn what_is_no_signature_is_refused() {
        let deep = format!("f({}uint256{})", "(".repeat(9), ")".repeat(9));
        let dimensions = format!("f(uint256{})", "[]".repeat(10));
        let long = format!("f(uint256 {})", "a".repeat(BYTES_MAX));
        for text in [
            "",
            "f",
            "(uint256)",
            "f(",
            "f)",
            "f(uint256",
            "f(uint256))",
            "f((uint256)",
            "1f()",
            "f g()",
            "f(,)",
            "f(uint256,)",
            "f(uint257)",
            "f(thing a)",
            "f(uint256 a b)",
            "f(uint256[ a)",
            "f(uint256[0] a)",
            "f(uint256[x])",
            "f(uint256 a-b)",
            "f() returns (uint256)",
            &deep,
            &dimensions,
            &long,
        ] {
            assert_eq!(CallSignature::parse(text), None, "{text}");
        }
    }
}
