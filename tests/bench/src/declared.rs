//! A contract that has every function which plugins and host declare, and nothing of any account.
//!
//! The functions are those in the `sol!` blocks of the sources, so that a new kit reads in full without a row here.
//! Invariant: the same call of the same contract has the same reply. A number is zero, an address is one of a further
//! such contract, and only what counts or lists has a length.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::iter::repeat;
use std::path::Path;

use alloy::primitives::{Address, U256, keccak256};
use anyhow::{Context as _, Result};

/// Pools of a chef, gauges of a voter, vaults of a factory, markets: what has a number and is read one by one.
const LONG: u64 = 300;
/// Reserves of a lending pool that are read one by one.
const RESERVES: u64 = 20;
/// Rewards of a gauge, collaterals, assets.
const FEW: u64 = 2;
/// Lists that are returned at once: reserves of a lending pool, markets of a comptroller; and rewards.
const MANY_AT_ONCE: usize = 20;
const FEW_AT_ONCE: usize = 2;
/// The decimals of every token.
const DECIMALS: u64 = 18;
/// Seconds of every vault's epoch, a week, and the second in which the first one began.
const EPOCH_S: u64 = 604_800;
const TEXT: &[u8] = b"TKN";
/// Names of parameters that lead to what an account has.
const OF_ACCOUNT: [&str; 9] =
    ["account", "user", "owner", "holder", "controller", "depositor", "staker", "borrower", "tokenId"];
/// In the names of functions that count.
const COUNTS: [&str; 7] = ["length", "count", "n_", "num", "size", "nftcounter", "totalcollaterals"];
/// In the names of functions that count or list few.
const OF_FEW: [&str; 10] = [
    "reward",
    "registry",
    "queue",
    "assets",
    "collaterals",
    "coins",
    "adapters",
    "marketparams",
    "marketids",
    "trovemanager",
];

/// The functions by their selectors.
#[derive(Debug)]
pub(super) struct Declared(HashMap<[u8; 4], Function>);

#[derive(Debug)]
struct Function {
    returned: Vec<Part>,
    /// How long the lists are that it returns; `None` where its two arguments say it.
    length: Option<usize>,
    /// The first place without an entry, where it returns one entry of a list.
    end: Option<u64>,
}

/// A word of a reply's head.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Number(u64),
    Address,
    Hash,
    List(Vec<Part>),
    /// The one name and symbol that all have.
    Text,
}

impl Part {
    /// Returns true if it stands in the head.
    fn is_word(&self) -> bool {
        !matches!(self, Self::List(_) | Self::Text)
    }
}

/// Members of the structs of a file, by name.
type Structs<'a> = BTreeMap<&'a str, Vec<&'a str>>;

impl Declared {
    /// Reads the sources below these folders.
    pub(super) fn read(folders: &[&Path]) -> Result<Self> {
        let mut functions: HashMap<[u8; 4], Function> = HashMap::new();
        let mut folders: Vec<_> = folders.iter().map(|folder| folder.to_path_buf()).collect();
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
                let path = entry?.path();
                let is_of_tests = path.file_stem().is_some_and(|stem| stem == "tests");
                if path.is_dir() && !is_of_tests {
                    folders.push(path);
                } else if path.extension().is_some_and(|extension| extension == "rs") && !is_of_tests {
                    for (selector, function) in declared_in(&fs::read_to_string(&path)?) {
                        // Two kits may know a function by more or fewer of its values.
                        let known = functions.get(&selector).map_or(0, |known| known.returned.len());
                        if function.returned.len() > known {
                            functions.insert(selector, function);
                        }
                    }
                }
            }
        }
        Ok(Self(functions))
    }

    /// Returns a contract's reply; `None` if it has no such function.
    pub(super) fn reply(&self, to: Address, data: &[u8]) -> Option<Vec<u8>> {
        let (selector, arguments) = data.split_first_chunk::<4>()?;
        let argument = |place: usize| arguments.get(place * 32 + 24..place * 32 + 32)?.try_into().ok();
        let named_by_rows = Function::named_by_rows(arguments);
        let Function { returned, length, end } = self.0.get(selector).unwrap_or(&named_by_rows);
        if end.is_some_and(|end| argument(0).is_none_or(|index| u64::from_be_bytes(index) >= end)) {
            return None;
        }
        let of_range = || {
            let [from, to] = [argument(0)?, argument(1)?].map(u64::from_be_bytes);
            usize::try_from(to.checked_sub(from)?).ok()
        };
        let length = length.or_else(of_range)?;
        let mut salt = [to.as_slice(), data].concat();
        let mut made = 0_u32;
        let mut word = |part: &Part| {
            salt.truncate(20 + data.len());
            salt.extend(made.to_be_bytes());
            made += 1;
            let hash = || keccak256(&salt);
            match part {
                Part::Number(number) => U256::from(*number).to_be_bytes(),
                Part::Address => Address::from_word(hash()).into_word().0,
                Part::Hash => hash().0,
                Part::List(_) | Part::Text => [0; 32],
            }
        };
        let (mut head, mut tail) = (Vec::new(), Vec::new());
        for part in returned {
            if part.is_word() {
                head.extend(word(part));
                continue;
            }
            head.extend(U256::from(returned.len() * 32 + tail.len()).to_be_bytes::<32>());
            if let Part::List(inner) = part {
                let is_plain = !inner.is_empty() && inner.iter().all(Part::is_word);
                let length = if is_plain { length } else { 0 };
                tail.extend(U256::from(length).to_be_bytes::<32>());
                tail.extend((0..length).flat_map(|_| inner).flat_map(&mut word));
            } else {
                tail.extend(U256::from(TEXT.len()).to_be_bytes::<32>());
                tail.extend(TEXT.iter().copied().chain(repeat(0)).take(32));
            }
        }
        Some([head, tail].concat())
    }
}

/// The functions that return something, by their selectors.
fn declared_in(text: &str) -> Vec<([u8; 4], Function)> {
    let mut structs = Structs::new();
    for piece in text.split("struct ").skip(1) {
        if let Some((name, rest)) = piece.split_once('{')
            && let Some((body, _)) = rest.split_once('}')
            && body.contains(';')
        {
            let members = body.split(';').filter_map(|member| member.split_whitespace().next());
            structs.insert(name.trim(), members.collect());
        }
    }
    let pieces = text.split("function ").skip(1).filter_map(|piece| piece.split_once(';'));
    pieces.filter_map(|(piece, _)| function(piece, &structs)).collect()
}

fn function(piece: &str, structs: &Structs<'_>) -> Option<([u8; 4], Function)> {
    let (name, rest) = piece.split_once('(')?;
    let (parameters, rest) = rest.split_once(')')?;
    let (_, returned) = rest.split_once("returns")?;
    let returned = returned.trim().strip_prefix('(')?.strip_suffix(')')?;
    let parameters = split(parameters);
    let types: Option<Vec<String>> = parameters.iter().map(|(kind, _)| canonical(kind, structs)).collect();
    let selector = keccak256(format!("{name}({})", types?.join(","))).0.first_chunk().copied()?;
    let mut parts = Vec::new();
    for (kind, _) in split(returned) {
        parts.extend(parts_of(kind, structs)?);
    }
    let lower = name.to_lowercase();
    let few = OF_FEW.iter().any(|word| lower.contains(word));
    let entries = if few {
        FEW
    } else if lower.contains("reserve") {
        RESERVES
    } else {
        LONG
    };
    let mut length = Some(if few { FEW_AT_ONCE } else { MANY_AT_ONCE });
    if parameters.iter().any(|(_, name)| OF_ACCOUNT.contains(name)) {
        // The account has nothing anywhere.
        length = Some(0);
        parts.iter_mut().filter(|part| part.is_word()).for_each(|part| *part = Part::Number(0));
    } else if parameters.iter().map(|(_, name)| *name).eq(["start", "end"]) {
        length = None;
    } else if lower == "decimals" {
        parts = vec![Part::Number(DECIMALS)];
    } else if lower.starts_with("epochduration") {
        parts = vec![Part::Number(EPOCH_S)];
    } else if parameters.is_empty() && parts == [Part::Number(0)] && COUNTS.iter().any(|word| lower.contains(word)) {
        parts = vec![Part::Number(entries)];
    }
    let end = parameters.iter().map(|(_, name)| *name).eq(["index"]).then_some(entries);
    Some((selector, Function { returned: parts, length, end }))
}

impl Function {
    /// Makes a function that a plugin's rows name: a chef's reward token, or what it owes to an account.
    fn named_by_rows(arguments: &[u8]) -> Self {
        let part = if arguments.is_empty() { Part::Address } else { Part::Number(0) };
        Self { returned: vec![part], length: Some(0), end: None }
    }
}

/// Types and names.
fn split(list: &str) -> Vec<(&str, &str)> {
    let items = list.split(',').map(str::trim).filter(|item| !item.is_empty());
    let both = items.map(|item| item.split_once(' ').unwrap_or((item, "")));
    both.map(|(kind, rest)| (kind, rest.rsplit(' ').next().unwrap_or_default())).collect()
}

/// As a selector has it.
fn canonical(kind: &str, structs: &Structs<'_>) -> Option<String> {
    let (inner, suffix) = kind.split_at(kind.find('[').unwrap_or(kind.len()));
    if let Some(members) = structs.get(inner) {
        let members: Option<Vec<String>> = members.iter().map(|member| canonical(member, structs)).collect();
        return Some(format!("({}){suffix}", members?.join(",")));
    }
    is_elementary(inner).then(|| kind.to_owned())
}

/// The words that a value of this type has; `None` where it is no type.
fn parts_of(kind: &str, structs: &Structs<'_>) -> Option<Vec<Part>> {
    if let Some(inner) = kind.strip_suffix("[]") {
        return Some(vec![Part::List(parts_of(inner, structs)?)]);
    }
    if let Some((inner, count)) = kind.strip_suffix(']').and_then(|kind| kind.rsplit_once('[')) {
        return Some(vec![parts_of(inner, structs)?; count.parse().ok()?].concat());
    }
    if let Some(members) = structs.get(kind) {
        let members: Option<Vec<_>> = members.iter().map(|member| parts_of(member, structs)).collect();
        return Some(members?.concat());
    }
    Some(vec![match kind {
        "address" => Part::Address,
        "bytes32" => Part::Hash,
        "string" => Part::Text,
        "bytes" => Part::List(Vec::new()),
        _ if is_elementary(kind) => Part::Number(0),
        _ => return None,
    }])
}

fn is_elementary(kind: &str) -> bool {
    ["address", "uint", "int", "bool", "bytes", "string"].iter().any(|prefix| kind.starts_with(prefix))
}
