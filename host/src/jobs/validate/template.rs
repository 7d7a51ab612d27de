//! A declared claim function: parsed, looked at for what no claim may be, and used to decode and encode arguments.

use std::sync::LazyLock;

use alloy::dyn_abi::{DynSolType, DynSolValue, JsonAbiExt, Specifier};
use alloy::primitives::{Selector, keccak256};
use alloy_json_abi::Function;
use portolan_abi::map::ClaimTemplate;

/// Beginnings of names that no claim has: they move or free tokens, or carry other calls. In lower case.
const FORBIDDEN_NAMES: [&str; 16] = [
    "approve",
    "transfer",
    "safetransfer",
    "permit",
    "setapproval",
    "increaseallowance",
    "increaseapproval",
    "decreaseallowance",
    "authorizeoperator",
    "multicall",
    "aggregate",
    "tryaggregate",
    "tryblockandaggregate",
    "blockandaggregate",
    "execute",
    "delegatecall",
];

/// The same by selector, as another name may be made to have the selector of one of these.
const FORBIDDEN_SIGNATURES: [&str; 20] = [
    "approve(address,uint256)",
    "transfer(address,uint256)",
    "transferFrom(address,address,uint256)",
    "safeTransferFrom(address,address,uint256)",
    "safeTransferFrom(address,address,uint256,bytes)",
    "safeTransferFrom(address,address,uint256,uint256,bytes)",
    "safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)",
    "transferAndCall(address,uint256,bytes)",
    "send(address,uint256,bytes)",
    "permit(address,address,uint256,uint256,uint8,bytes32,bytes32)",
    "permit(address,address,uint256,uint256,bool,uint8,bytes32,bytes32)",
    "setApprovalForAll(address,bool)",
    "increaseAllowance(address,uint256)",
    "authorizeOperator(address)",
    "multicall(bytes[])",
    "multicall(uint256,bytes[])",
    "aggregate3((address,bool,bytes)[])",
    "execute(address,uint256,bytes)",
    "execute(bytes,bytes[],uint256)",
    "transferOwnership(address)",
];

/// Bytes of a claim's arguments; a Merkle proof of 64 levels has 2 KiB.
pub(super) const ARGUMENTS_BYTES_MAX: usize = 16 << 10;
/// Bytes of a word of the contract ABI.
const WORD: usize = 32;
/// Members of a list, or words of a text: as many as there are words.
const LIST_MAX: usize = ARGUMENTS_BYTES_MAX / WORD;
/// Values that a decoder may have to make of a claim's arguments, where all of their lists lead to the same bytes: two
/// lists of lists.
const VALUES_MAX: usize = 2 * LIST_MAX * LIST_MAX;

/// A claim function that may be used.
#[derive(Debug)]
pub(super) struct Template {
    function: Function,
    types: Vec<DynSolType>,
}

impl Template {
    /// # Errors
    /// What is wrong with the declaration.
    pub(super) fn parse(declared: &ClaimTemplate) -> Result<Self, String> {
        let signature = &declared.signature;
        let function = Function::parse(signature).map_err(|_| format!("{signature:?} is no function signature"))?;
        let types = function.inputs.iter().map(Specifier::resolve).collect::<Result<Vec<_>, _>>();
        let types = types.map_err(|_| format!("{signature:?} has an unknown type"))?;
        if function.signature() != *signature {
            return Err(format!("{signature:?} is not in canonical form, {:?} is", function.signature()));
        }
        if values(&types).is_none_or(|values| values > VALUES_MAX) {
            return Err(format!("{signature} has an argument of no size, or lists that nest too deep"));
        }
        if types.len() != declared.roles.len() {
            return Err(format!("{signature} has {} arguments and {} roles", types.len(), declared.roles.len()));
        }
        let name = function.name.to_lowercase();
        let forbidden = FORBIDDEN_NAMES.iter().any(|beginning| name.starts_with(beginning));
        if forbidden || FORBIDDEN_SELECTORS.contains(&function.selector()) {
            return Err(format!("{signature} is a function that no claim may call"));
        }
        Ok(Self { function, types })
    }

    pub(super) fn signature(&self) -> String {
        self.function.signature()
    }

    pub(super) fn name(&self) -> &str {
        &self.function.name
    }

    /// The arguments' types in Solidity's words.
    pub(super) fn types(&self) -> impl Iterator<Item = String> {
        self.types.iter().map(|kind| kind.sol_type_name().into_owned())
    }

    /// The arguments in these bytes, and the calldata that has them in canonical encoding.
    ///
    /// # Errors
    /// Where the bytes are not these arguments, or stand for more than they are: an offset may lead to bytes that others
    /// lead to.
    pub(super) fn decode(&self, arguments: &[u8]) -> Result<(Vec<DynSolValue>, Vec<u8>), String> {
        let undecodable = |_| format!("{}: its arguments do not decode", self.signature());
        let values = self.function.abi_decode_input(arguments).map_err(undecodable)?;
        let selector = self.function.selector();
        let mut data = selector.to_vec();
        data.extend(DynSolValue::Tuple(values.clone()).abi_encode_params());
        // The last padding may be missing.
        if data.len() > selector.len() + arguments.len().next_multiple_of(WORD) {
            return Err(format!("{}: its arguments share bytes", self.signature()));
        }
        Ok((values, data))
    }
}

/// The most values that arguments of these types come to; `None` where one of them takes no room, so that there may be any
/// number of it.
fn values(kinds: &[DynSolType]) -> Option<usize> {
    kinds.iter().try_fold(0_usize, |sum, kind| Some(sum.saturating_add(values_of(kind)?)))
}

fn values_of(kind: &DynSolType) -> Option<usize> {
    match kind {
        DynSolType::Bytes | DynSolType::String => Some(LIST_MAX),
        DynSolType::Array(member) => Some(LIST_MAX.saturating_mul(values_of(member)?)),
        DynSolType::FixedArray(member, length) => {
            Some(length.saturating_mul(values_of(member)?)).filter(|all| *all > 0)
        }
        DynSolType::Tuple(members) => values(members).filter(|all| *all > 0),
        _ => Some(1),
    }
}

static FORBIDDEN_SELECTORS: LazyLock<[Selector; 20]> = LazyLock::new(|| FORBIDDEN_SIGNATURES.map(selector));

fn selector(signature: &str) -> Selector {
    Selector::from_slice(&keccak256(signature)[..4])
}

#[cfg(test)]
mod tests {
    use portolan_abi::map::{Role, role};

    use super::*;

    fn declared(signature: &str, roles: usize) -> ClaimTemplate {
        let roles = vec![Role { kind: role::NUMBER, ..Role::default() }; roles];
        ClaimTemplate { signature: signature.to_owned(), roles, caller: 0 }
    }

    #[test]
    fn functions_that_move_or_free_tokens_are_no_claims() {
        for signature in FORBIDDEN_SIGNATURES {
            let arguments = Function::parse(signature).unwrap().inputs.len();
            let error = Template::parse(&declared(signature, arguments)).unwrap_err();
            assert!(error.contains("no claim may call"), "{signature}: {error}");
        }
        // Found by search: has approve's selector 0x095ea7b3 under another name.
        assert_eq!(selector("approve(address,uint256)"), Selector::from([0x09, 0x5e, 0xa7, 0xb3]));
    }

    #[test]
    fn claims_of_the_field_parse_and_encode_as_their_selectors_say() {
        let cases = [
            ("getReward()", [0x3d, 0x18, 0xb9, 0x12]),
            ("getReward(address)", [0xc0, 0x00, 0x07, 0xb0]),
            ("deposit(uint256,uint256)", [0xe2, 0xbb, 0xb1, 0x58]),
            ("harvest(uint256,address)", [0x18, 0xfc, 0xcc, 0x76]),
            ("claimAllRewards(address[],address)", [0xbb, 0x49, 0x2b, 0xf5]),
        ];
        for (signature, selector) in cases {
            let arguments = Function::parse(signature).unwrap().inputs.len();
            let template = Template::parse(&declared(signature, arguments)).unwrap();
            assert_eq!(template.function.selector(), Selector::from(selector), "{signature}");
        }
    }

    #[test]
    fn a_type_of_which_few_bytes_say_much_is_refused() {
        let parsed = |signature: &str| Template::parse(&declared(signature, 1)).map(drop);
        for kind in ["uint256[512]", "bytes32[][]", "string[]", "(address,bytes[3])[2]", "(bytes32[],uint256)[]"] {
            assert_eq!(parsed(&format!("claim({kind})")), Ok(()), "{kind}");
        }
        let many = ["uint256[4000000000][]", "uint256[4000000000]", "(uint256[][],uint256)[3]", "bytes[9][300]"];
        let deep = ["uint256[][][]", "bytes[][]", "(string,uint256)[][]", "(uint256[][][3])"];
        for kind in many.into_iter().chain(deep).chain(["()", "()[]", "uint256[0][]"]) {
            assert!(parsed(&format!("claim({kind})")).is_err(), "{kind}");
        }
    }

    #[test]
    fn arguments_that_share_bytes_are_refused() {
        let word = |number: u8| [&[0; 31][..], &[number]].concat();
        let template = Template::parse(&declared("claim(uint256[][])", 1)).unwrap();
        // Two lists of one number, each on its own; then both at the same place.
        let apart = [32, 2, 64, 128, 1, 7, 1, 7].map(word).concat();
        let (values, data) = template.decode(&apart).unwrap();
        assert_eq!((values.len(), &data[4..]), (1, &apart[..]));
        let shared = [32, 2, 64, 64, 1, 7].map(word).concat();
        assert!(template.decode(&shared).unwrap_err().contains("share bytes"));
    }

    #[test]
    fn the_last_padding_may_be_missing() {
        let word = |number: u8| [&[0; 31][..], &[number]].concat();
        let template = Template::parse(&declared("claim(bytes)", 1)).unwrap();
        let cut = [word(32), word(2), vec![1, 2]].concat();
        assert_eq!(template.decode(&cut).map(|(_, data)| data.len()), Ok(4 + 96));
    }

    #[test]
    fn a_signature_of_brackets_alone_is_refused() {
        let signature = format!("f{}{}", "(".repeat(500), ")".repeat(500));
        assert!(Template::parse(&declared(&signature, 1)).is_err());
        assert!(Template::parse(&declared(&format!("f(uint8{})", "[]".repeat(500)), 1)).is_err());
    }

    #[test]
    fn a_signature_that_is_not_canonical_is_refused() {
        for signature in ["getReward( )", "deposit(uint,uint256)", "getReward", "getReward()returns(uint256)", ""] {
            assert!(Template::parse(&declared(signature, 2)).is_err(), "{signature}");
        }
    }
}
