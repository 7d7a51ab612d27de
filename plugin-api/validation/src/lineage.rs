//! The views that name what claims may go to and name, and what their replies give.

use std::collections::BTreeMap;
use std::sync::Arc;

use alloy::primitives::{Address, Selector};
use alloy_json_abi::Function;
use portolan_abi::map::{self, lineage};

/// Bytes of a word of the contract ABI.
const WORD: usize = 32;
/// The word of a view that answers true.
const TRUE: [u8; WORD] = {
    let mut word = [0; WORD];
    word[WORD - 1] = 1;
    word
};
/// Bytes of a function's selector.
const SELECTOR: usize = 4;
/// Words of a member of a list; the widest struct of a view has some twenty.
const STRIDE_MAX: u32 = 64;
/// Words of a reply before the one that counts.
const PLACE_MAX: u32 = 256;

/// Permitted use of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Use {
    /// A claim may go there.
    Target,
    /// A claim may name it as a token.
    Token,
    /// A claim may name it as a contract.
    Market,
}

/// The lineages of a catalogue, by selector.
#[derive(Debug, Default)]
pub struct Lineages(BTreeMap<Selector, Vec<Lineage>>);

#[derive(Debug)]
struct Lineage {
    view: Arc<str>,
    gives: Use,
    word: usize,
    list: Option<List>,
    of_given: bool,
    argument: Option<usize>,
}

#[derive(Debug)]
struct List {
    stride: usize,
    member_word: usize,
}

/// An address that a view gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    /// Permitted use of the address.
    pub usable_as: Use,
    /// The address.
    pub address: Address,
    /// The signature of the view.
    pub view: Arc<str>,
}

/// Error in a declared lineage, in a sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct LineageError(String);

impl Lineages {
    /// Reads those of a catalogue.
    ///
    /// # Errors
    /// A view is no function signature, or a place is beyond any reply.
    pub fn parse(declared: &[map::Lineage]) -> Result<Self, LineageError> {
        let mut lineages: BTreeMap<Selector, Vec<Lineage>> = BTreeMap::new();
        for one in declared {
            let (selector, lineage) =
                parse(one).map_err(|reason| LineageError(format!("lineage {:?} {reason}", shortened(&one.view))))?;
            lineages.entry(selector).or_default().push(lineage);
        }
        Ok(Self(lineages))
    }

    /// Returns true if a call with this calldata may give an address.
    pub fn are_of(&self, data: &[u8]) -> bool {
        self.of(data).next().is_some()
    }

    fn of(&self, data: &[u8]) -> impl Iterator<Item = &Lineage> {
        let selector = data.first_chunk::<4>().map(|bytes| Selector::from(*bytes));
        selector.and_then(|selector| self.0.get(&selector)).into_iter().flatten()
    }

    /// Returns the addresses that the reply to a call gives; `is_listed` if the called contract is one of the catalogue.
    pub fn given<'a>(&'a self, is_listed: bool, data: &'a [u8], reply: &'a [u8]) -> impl Iterator<Item = Given> + 'a {
        let usable = self.of(data).filter(move |lineage| is_listed || lineage.of_given);
        usable.flat_map(move |lineage| {
            let given = |address| Given { usable_as: lineage.gives, address, view: Arc::clone(&lineage.view) };
            lineage.addresses(data, reply).into_iter().map(given)
        })
    }

    /// The views, each with what it gives, as operators read them.
    pub fn shown(&self) -> Vec<String> {
        let shown = |lineage: &Lineage| {
            let what = match lineage.gives {
                Use::Target => "targets",
                Use::Token => "tokens",
                Use::Market => "markets",
            };
            format!("{} gives {what}", lineage.view)
        };
        self.0.values().flatten().map(shown).collect()
    }
}

impl Lineage {
    fn addresses(&self, data: &[u8], reply: &[u8]) -> Vec<Address> {
        if let Some(place) = self.argument {
            let is_known = word(reply, self.word) == Some(&TRUE);
            let arguments = data.get(SELECTOR..).unwrap_or_default();
            return is_known.then(|| word(arguments, place).and_then(address)).flatten().into_iter().collect();
        }
        let Some(list) = &self.list else {
            return word(reply, self.word).and_then(address).into_iter().collect();
        };
        let start = word(reply, self.word).and_then(offset);
        let body = start.and_then(|start| reply.get(start..)).unwrap_or_default();
        let Some(count) = word(body, 0).and_then(offset) else { return Vec::new() };
        let members = body.get(WORD..).unwrap_or_default().chunks_exact(list.stride * WORD).take(count);
        members.filter_map(|member| word(member, list.member_word).and_then(address)).collect()
    }
}

fn parse(declared: &map::Lineage) -> Result<(Selector, Lineage), String> {
    let function = Function::parse(&declared.view).map_err(|_| "is not a function signature")?;
    if function.signature() != declared.view {
        return Err(format!("is not in canonical form, {:?} is", function.signature()));
    }
    let gives = match declared.gives {
        lineage::TARGET => Use::Target,
        lineage::TOKEN => Use::Token,
        lineage::MARKET => Use::Market,
        other => return Err(format!("gives {other}, which is neither targets, tokens nor markets")),
    };
    if declared.word > PLACE_MAX {
        return Err(format!("names word {} of its reply, beyond {PLACE_MAX}", declared.word));
    }
    let (stride, member_word) = (declared.stride, declared.member_word.unwrap_or_default());
    if stride.is_some_and(|stride| stride == 0 || stride > STRIDE_MAX) || stride.unwrap_or(1) <= member_word {
        return Err(format!("has members of no size, of more than {STRIDE_MAX} words, or no such word in them"));
    }
    if declared.argument.is_some_and(|place| place > PLACE_MAX || declared.stride.is_some()) {
        return Err(format!("asks about a list, or about an argument beyond {PLACE_MAX}"));
    }
    if declared.argument.is_some() && gives == Use::Target {
        return Err(
            "gives its argument as a target, though whoever answers true for any argument would choose it".into()
        );
    }
    let place = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
    let lineage = Lineage {
        view: declared.view.as_str().into(),
        gives,
        word: place(declared.word),
        list: stride.map(|stride| List { stride: place(stride), member_word: place(member_word) }),
        of_given: declared.of_given.unwrap_or_default(),
        argument: declared.argument.map(place),
    };
    Ok((function.selector(), lineage))
}

fn shortened(text: &str) -> String {
    text.chars().take(128).collect()
}

fn word(bytes: &[u8], place: usize) -> Option<&[u8; WORD]> {
    bytes.get(place.checked_mul(WORD)?..)?.first_chunk()
}

/// An address that is not zero. What stands before it in the word is passed over, as plugins do: else a contract that
/// writes something there would have a plugin name an address that nothing gave.
fn address(word: &[u8; WORD]) -> Option<Address> {
    let address = Address::from_word(word.into());
    (!address.is_zero()).then_some(address)
}

fn offset(word: &[u8; WORD]) -> Option<usize> {
    let (zeros, number) = word.split_at(28);
    let number = u32::from_be_bytes(number.try_into().ok()?);
    zeros.iter().all(|byte| *byte == 0).then(|| usize::try_from(number).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use alloy::primitives::{U256, keccak256};
    use alloy::sol_types::SolValue;

    use super::*;

    const A: Address = Address::repeat_byte(0xaa);
    const B: Address = Address::repeat_byte(0xbb);

    fn declared(view: &str) -> map::Lineage {
        map::Lineage { view: view.to_owned(), gives: lineage::TARGET, ..Default::default() }
    }

    fn given(declared: map::Lineage, is_listed: bool, reply: &[u8]) -> Vec<Address> {
        let data = keccak256(&declared.view);
        let lineages = Lineages::parse(&[declared]).unwrap();
        lineages.given(is_listed, &data[..4], reply).map(|given| given.address).collect()
    }

    #[test]
    fn an_address_is_given_by_its_place_in_the_reply_and_no_other_word_is() {
        let reply = (A, U256::from(7), B).abi_encode();
        assert_eq!(given(declared("info(address)"), true, &reply), [A]);
        assert_eq!(given(declared("info(address)").at(2), true, &reply), [B]);
        for (word, what) in [(1, "a small number is an address"), (3, "the reply is shorter")] {
            let given = given(declared("info(address)").at(word), true, &reply);
            assert!(given.iter().all(|address| *address == Address::with_last_byte(7)), "{what}");
        }
    }

    #[test]
    fn lists_give_their_members() {
        let reply = (U256::from(1), vec![A, B]).abi_encode_params();
        assert_eq!(given(declared("all()").at(1).list(), true, &reply), [A, B]);
        let structs = vec![(U256::from(3), A), (U256::from(4), B)].abi_encode();
        assert_eq!(given(declared("all()").list_of(2, 1), true, &structs), [A, B]);
    }

    #[test]
    fn replies_that_plugins_read_give_what_plugins_read() {
        // Something before the address, and a list that begins within a word.
        let dirty = [&[0xff; 12][..], A.as_slice()].concat();
        assert_eq!(given(declared("info(address)"), true, &dirty), [A]);
        let list = [&U256::from(33).to_be_bytes::<WORD>()[..], &[0], &vec![A, B].abi_encode()[WORD..]].concat();
        assert_eq!(Vec::<Address>::abi_decode(&list), Ok(vec![A, B]));
        assert_eq!(given(declared("all()").list(), true, &list), [A, B]);
    }

    #[test]
    fn an_argument_is_given_where_the_contract_knows_it() {
        let given = |declared: map::Lineage, arguments: &[u8], reply: &[u8]| -> Vec<Address> {
            let data = [&keccak256(&declared.view)[..4], arguments].concat();
            let lineages = Lineages::parse(&[declared]).unwrap();
            lineages.given(true, &data, reply).map(|given| given.address).collect()
        };
        let knows = || map::Lineage { gives: lineage::MARKET, ..declared("knows(uint256,address)").argument(1) };
        let about = (U256::from(7), A).abi_encode();
        let (yes, no) = (true.abi_encode(), false.abi_encode());
        assert_eq!(given(knows(), &about, &yes), [A]);
        assert_eq!(given(knows(), &about, &no), [] as [Address; 0]);
        assert_eq!(given(knows(), &about, &[]), [] as [Address; 0], "it answers nothing");
        assert_eq!(given(knows(), &about[..32], &yes), [] as [Address; 0], "the view has no such argument");
        let second = (false, true).abi_encode();
        assert_eq!(given(knows().at(1), &about, &second), [A]);
        // Two units of a token are no yes, nor is an address.
        for other in [U256::from(2), U256::from(1) << 200] {
            assert_eq!(given(knows(), &about, &other.abi_encode()), [] as [Address; 0], "{other}");
        }
    }

    #[test]
    fn a_list_that_says_more_than_it_has_gives_what_is_there() {
        let mut reply = vec![A].abi_encode();
        reply[63] = 200;
        assert_eq!(given(declared("all()").list(), true, &reply), [A]);
        reply[31] = 0xff;
        assert_eq!(given(declared("all()").list(), true, &reply), [] as [Address; 0]);
        assert_eq!(given(declared("all()").list(), true, &[0xff; 64]), [] as [Address; 0]);
        assert_eq!(given(declared("all()").list(), true, &[]), [] as [Address; 0]);
    }

    #[test]
    fn a_contract_that_is_not_listed_gives_only_what_the_lineage_says_it_may() {
        let reply = A.abi_encode();
        assert_eq!(given(declared("gauge()"), false, &reply), [] as [Address; 0]);
        assert_eq!(given(declared("gauge()").of_given(), false, &reply), [A]);
        let lineages = Lineages::parse(&[declared("gauge()")]).unwrap();
        assert_eq!(lineages.given(true, &keccak256("other()")[..4], &reply).count(), 0);
        assert_eq!(lineages.given(true, &[], &reply).count(), 0);
    }

    #[test]
    fn a_lineage_that_is_wrong_in_itself_is_refused() {
        let cases = [
            (declared("gauges(address"), "is not a function signature"),
            (declared("gauges( address )"), "is not in canonical form"),
            (map::Lineage { gives: 9, ..declared("gauges(address)") }, "gives 9"),
            (declared("gauges(address)").at(257), "names word 257"),
            (declared("gauges(address)").list_of(0, 0), "has members of no size"),
            (declared("gauges(address)").list_of(2, 2), "has members of no size"),
            (declared("gauges(address)").list_of(65, 2), "has members of no size"),
            (declared("gauges(address)").list().argument(0), "asks about a list"),
            (declared("gauges(address)").argument(257), "asks about a list"),
            (declared("gauges(address)").argument(0), "gives its argument as a target"),
        ];
        for (declared, reason) in cases {
            let refusal = Lineages::parse(&[declared]).unwrap_err().to_string();
            assert!(refusal.contains(reason), "{refusal}");
        }
    }
}
