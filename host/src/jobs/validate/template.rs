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

    /// # Errors
    /// Where the bytes are not these arguments.
    pub(super) fn decode(&self, arguments: &[u8]) -> Result<Vec<DynSolValue>, String> {
        let undecodable = |_| format!("{}: its arguments do not decode", self.signature());
        self.function.abi_decode_input(arguments).map_err(undecodable)
    }

    /// Selector and arguments, in canonical encoding.
    pub(super) fn encode(&self, values: &[DynSolValue]) -> Vec<u8> {
        let mut data = self.function.selector().to_vec();
        data.extend(DynSolValue::Tuple(values.to_vec()).abi_encode_params());
        data
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
    fn a_signature_that_is_not_canonical_is_refused() {
        for signature in ["getReward( )", "deposit(uint,uint256)", "getReward", "getReward()returns(uint256)", ""] {
            assert!(Template::parse(&declared(signature, 2)).is_err(), "{signature}");
        }
    }
}
