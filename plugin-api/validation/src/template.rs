//! A plugin's claim template: parsed, checked, and used to decode and encode arguments.

use alloy::dyn_abi::{DynSolType, DynSolValue, JsonAbiExt, Specifier};
use alloy::primitives::{Address, Selector};
use alloy_json_abi::Function;
use portolan_abi::map::{ClaimTemplate, Role, caller, role};

use crate::word;

/// Bytes of a claim's arguments; a Merkle proof of 64 levels has 2 KiB.
pub const ARGUMENTS_BYTES_MAX: usize = 16 << 10;
/// Size of an ABI word in bytes.
const WORD: usize = 32;
/// Members of a list, or words of a text: as many as the arguments have words.
const LIST_MAX: usize = ARGUMENTS_BYTES_MAX / WORD;
/// Values beside lists in a member of a list, such as an account and numbers.
const BESIDE_MAX: usize = 16;
/// Values that a decoder may create from a claim's arguments, if all their lists share bytes: a list whose members have two
/// lists, and a few values beside them.
const VALUES_MAX: usize = LIST_MAX * (2 * LIST_MAX + BESIDE_MAX);

/// A valid claim template. The [table of functions](crate::ClaimFunctions) decides if claims may use it.
#[derive(Debug)]
pub struct Template {
    function: Function,
    types: Vec<DynSolType>,
    roles: Vec<Role>,
    fee: Option<Fee>,
    is_by_anyone: bool,
    is_of_token: bool,
    /// Indices of the list arguments that grow if one call claims for several.
    merges: Vec<usize>,
}

/// The view of a claim's target that returns the fee due.
#[derive(Debug)]
struct Fee {
    view: Selector,
    /// Indices of the claim's arguments that it takes.
    arguments: Vec<usize>,
}

/// An error in a claim template.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct TemplateError(String);

impl Template {
    /// Parses a template of a catalogue with these contracts.
    ///
    /// # Errors
    /// If the signature is malformed, a role does not fit its argument, or a constant has an address that is neither
    /// zero nor one of the contracts.
    pub fn parse(declared: &ClaimTemplate, is_contract: impl Fn(Address) -> bool) -> Result<Self, TemplateError> {
        let signature = &declared.signature;
        let refused = |reason: String| TemplateError(format!("claim template {signature:?} {reason}"));
        let function = Function::parse(signature).map_err(|_| refused("is not a function signature".into()))?;
        let types = function.inputs.iter().map(Specifier::resolve).collect::<Result<Vec<_>, _>>();
        let types = types.map_err(|_| refused("has an unknown type".into()))?;
        if function.signature() != *signature {
            return Err(refused(format!("is not in canonical form, {:?} is", function.signature())));
        }
        if values(&types).is_none_or(|values| values > VALUES_MAX) {
            return Err(refused("has an argument of no size, or lists that nest too deep".into()));
        }
        if types.len() != declared.roles.len() {
            return Err(refused(format!("has {} arguments and {} roles", types.len(), declared.roles.len())));
        }
        let roles = declared.roles.clone();
        for (kind, role) in types.iter().zip(&roles) {
            check(kind, role, &is_contract).map_err(refused)?;
        }
        let merges = merges(declared, &types).map_err(refused)?;
        let fee = fee(declared, &types).map_err(refused)?;
        Ok(Self {
            function,
            types,
            roles,
            merges,
            fee,
            is_by_anyone: declared.caller == caller::ANYONE,
            is_of_token: declared.is_token.unwrap_or_default(),
        })
    }

    /// Returns the function as a row of the table has it, with a word per argument: `getReward(address account)`.
    pub fn call(&self) -> String {
        let payable = if self.has_fee() { " payable" } else { "" };
        format!("{}({}){payable}", self.function.name, word::arguments(&self.types, &self.roles))
    }

    /// Returns the function for people: `getReward(address account = you)`.
    pub fn shown(&self) -> String {
        self.call().replace(" account", " account = you").replace(" zero", " = 0")
    }

    /// Returns true if a fee is due with its claims.
    pub(crate) fn has_fee(&self) -> bool {
        self.fee.is_some()
    }

    /// Returns the calldata of the target's view that returns the fee due with these arguments.
    pub(crate) fn fee_call(&self, values: &[DynSolValue]) -> Option<Vec<u8>> {
        let fee = self.fee.as_ref()?;
        let arguments = fee.arguments.iter().filter_map(|place| values.get(*place)).cloned();
        Some(encode(fee.view, &arguments.collect::<Vec<_>>()))
    }

    /// Returns true if anyone may send it.
    pub(crate) fn is_by_anyone(&self) -> bool {
        self.is_by_anyone
    }

    /// Returns true if its target is itself a token that the claim pays or names.
    pub(crate) fn is_of_token(&self) -> bool {
        self.is_of_token
    }

    /// Returns the indices of the list arguments that grow if one call claims for several; empty if a call claims for
    /// one.
    pub(crate) fn merges(&self) -> &[usize] {
        &self.merges
    }

    /// Returns true if a contract checks its numbers against a Merkle proof.
    pub(crate) fn has_proof(&self) -> bool {
        has_role(&self.roles, role::PROOF)
    }

    /// Returns true if its claims rely on reads of the job beside addresses.
    pub(crate) fn rests_on_reads(&self) -> bool {
        let of_account = [role::NUMBER, role::DELEGATE].iter().any(|kind| has_role(&self.roles, *kind));
        self.has_fee() || self.has_proof() || of_account
    }

    pub(crate) fn selector(&self) -> Selector {
        self.function.selector()
    }

    /// Iterates over the arguments' types and roles.
    pub(crate) fn arguments(&self) -> impl Iterator<Item = (&DynSolType, &Role)> {
        self.types.iter().zip(&self.roles)
    }

    /// Returns the signature in canonical form.
    pub fn signature(&self) -> String {
        self.function.signature()
    }

    /// Returns the name of the function.
    pub fn name(&self) -> &str {
        &self.function.name
    }

    /// Returns the arguments' Solidity types.
    pub fn types(&self) -> impl Iterator<Item = String> {
        self.types.iter().map(|kind| kind.sol_type_name().into_owned())
    }

    /// Decodes arguments; also returns the calldata with their canonical encoding.
    ///
    /// # Errors
    /// If the bytes do not decode, or the values take more bytes than they: offsets may lead to shared bytes.
    pub fn decode(&self, arguments: &[u8]) -> Result<(Vec<DynSolValue>, Vec<u8>), TemplateError> {
        let undecodable = |_| TemplateError(format!("{}: its arguments do not decode", self.signature()));
        let values = self.function.abi_decode_input(arguments).map_err(undecodable)?;
        let data = encode(self.selector(), &values);
        // The last padding may be missing.
        if data.len() > self.selector().len() + arguments.len().next_multiple_of(WORD) {
            return Err(TemplateError(format!("{}: its arguments share bytes", self.signature())));
        }
        Ok((values, data))
    }
}

/// Encodes the calldata of a function with these arguments.
pub(crate) fn encode(selector: Selector, values: &[DynSolValue]) -> Vec<u8> {
    let mut data = selector.to_vec();
    data.extend(DynSolValue::Tuple(values.to_vec()).abi_encode_params());
    data
}

/// Returns the fee view. Each of its arguments must be one of the claim's, of the same type.
fn fee(declared: &ClaimTemplate, types: &[DynSolType]) -> Result<Option<Fee>, String> {
    let Some(view) = &declared.fee else {
        return match &declared.fee_arguments {
            Some(_) => Err("has arguments of a fee, and no fee".into()),
            None => Ok(None),
        };
    };
    let function = Function::parse(view).map_err(|_| format!("has the fee {view:?}, which is not a signature"))?;
    let places = declared.fee_arguments.iter().flatten();
    let arguments: Vec<usize> = places.map(|place| usize::try_from(*place).unwrap_or(usize::MAX)).collect();
    let takes = function.inputs.iter().map(|input| input.resolve().ok());
    if !takes.eq(arguments.iter().map(|place| types.get(*place).cloned())) {
        return Err(format!("has the fee {view:?}, which does not take the claim's arguments {arguments:?}"));
    }
    Ok(Some(Fee { view: function.selector(), arguments }))
}

/// Returns the indices of the arguments that grow. Each must be a list, and named once.
fn merges(declared: &ClaimTemplate, types: &[DynSolType]) -> Result<Vec<usize>, String> {
    let mut places = Vec::new();
    for place in declared.merges.iter().flatten() {
        let index = usize::try_from(*place).unwrap_or(usize::MAX);
        let kind = types.get(index).zip(declared.roles.get(index));
        let is_list = kind.is_some_and(|(kind, role)| {
            matches!(kind, DynSolType::Array(_) | DynSolType::FixedArray(..)) && role.kind == role::ARRAY
        });
        if !is_list || places.contains(&index) {
            return Err(format!("merges in argument {place}, which is not a list of its own"));
        }
        places.push(index);
    }
    Ok(places)
}

/// Returns true if arguments of these types are few values or one list.
pub(crate) fn are_few(kinds: &[DynSolType]) -> bool {
    values(kinds).is_some_and(|values| values <= 2 * LIST_MAX)
}

/// Returns the maximum number of values in arguments of these types. `None` if a type has no size, so that its count is
/// unbounded.
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

fn has_role(roles: &[Role], kind: u8) -> bool {
    roles.iter().any(|one| one.kind == kind || has_role(one.members.as_deref().unwrap_or_default(), kind))
}

/// Checks that a role fits its argument.
fn check(kind: &DynSolType, declared: &Role, is_contract: &impl Fn(Address) -> bool) -> Result<(), String> {
    let members = declared.members.as_deref().unwrap_or_default();
    let suits = match (declared.kind, kind) {
        (role::ACCOUNT | role::TOKEN | role::MARKET | role::DELEGATE, DynSolType::Address) => true,
        (role::NUMBER, DynSolType::Uint(_) | DynSolType::Int(_)) => true,
        (role::NUMBER, DynSolType::Bool | DynSolType::FixedBytes(_)) => true,
        (role::PROOF, DynSolType::FixedBytes(32)) => true,
        (role::BYTES, DynSolType::Bytes | DynSolType::String) => true,
        (role::TUPLE, DynSolType::Tuple(kinds)) if kinds.len() == members.len() => {
            return kinds.iter().zip(members).try_for_each(|(kind, member)| check(kind, member, is_contract));
        }
        (role::ARRAY, DynSolType::Array(kind) | DynSolType::FixedArray(kind, _)) => {
            let [member] = members else { return Err(format!("has a list of {} roles", members.len())) };
            return check(kind, member, is_contract);
        }
        (role::CONSTANT, kind) => {
            let bytes = declared.constant.as_deref().unwrap_or_default();
            let value = kind.abi_decode(bytes).ok().filter(|value| value.abi_encode() == bytes);
            let value = value.ok_or_else(|| format!("has a constant that is not a valid {kind}"))?;
            let is_known = |named: &Address| named.is_zero() || is_contract(*named);
            return match addresses(&value).into_iter().find(|named| !is_known(named)) {
                Some(foreign) => {
                    Err(format!("has the constant {foreign:#x}, which is not a contract of its catalogue"))
                }
                None => Ok(()),
            };
        }
        _ => false,
    };
    if suits { Ok(()) } else { Err(format!("has the role {} for {kind}", declared.kind)) }
}

fn addresses(value: &DynSolValue) -> Vec<Address> {
    match value {
        DynSolValue::Address(address) => vec![*address],
        DynSolValue::Array(values) | DynSolValue::FixedArray(values) | DynSolValue::Tuple(values) => {
            values.iter().flat_map(addresses).collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parses a template with roles that fit its arguments.
    fn parse(signature: &str) -> Result<Template, TemplateError> {
        let inputs = Function::parse(signature).map(|function| function.inputs).unwrap_or_default();
        let roles = inputs.iter().map(|input| input.resolve().map_or(Role::NUMBER, |kind| suiting(&kind)));
        parse_with(signature, roles.collect())
    }

    fn parse_with(signature: &str, roles: Vec<Role>) -> Result<Template, TemplateError> {
        let declared = ClaimTemplate { signature: signature.to_owned(), roles, ..ClaimTemplate::default() };
        Template::parse(&declared, |named| named == FARM)
    }

    const FARM: Address = Address::repeat_byte(0xfa);

    fn suiting(kind: &DynSolType) -> Role {
        match kind {
            DynSolType::Address => Role::ACCOUNT,
            DynSolType::Bytes | DynSolType::String => Role::BYTES,
            DynSolType::Array(kind) | DynSolType::FixedArray(kind, _) => Role::array(suiting(kind)),
            DynSolType::Tuple(kinds) => Role::tuple(kinds.iter().map(suiting)),
            _ => Role::NUMBER,
        }
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
            assert_eq!(parse(signature).unwrap().selector(), Selector::from(selector), "{signature}");
        }
    }

    #[test]
    fn a_type_of_which_few_bytes_say_much_is_refused() {
        let parsed = |signature: &str| parse(signature).map(drop);
        for kind in [
            "uint256[512]",
            "bytes32[][]",
            "string[]",
            "(address,bytes[3])[2]",
            "(bytes32[],uint256)[]",
            "(address[],uint256[],address)[]",
        ] {
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
        let template = parse("claim(uint256[][])").unwrap();
        // Two lists of one number each, apart; then both at the same place.
        let apart = [32, 2, 64, 128, 1, 7, 1, 7].map(word).concat();
        let (values, data) = template.decode(&apart).unwrap();
        assert_eq!((values.len(), &data[4..]), (1, &apart[..]));
        let shared = [32, 2, 64, 64, 1, 7].map(word).concat();
        assert!(template.decode(&shared).unwrap_err().to_string().contains("share bytes"));
    }

    #[test]
    fn the_last_padding_may_be_missing() {
        let word = |number: u8| [&[0; 31][..], &[number]].concat();
        let template = parse("claim(bytes)").unwrap();
        let cut = [word(32), word(2), vec![1, 2]].concat();
        assert_eq!(template.decode(&cut).map(|(_, data)| data.len()), Ok(4 + 96));
    }

    #[test]
    fn what_merges_is_a_list_and_stands_once() {
        let parse = |merges: &[u32], roles: [Role; 2]| {
            let template =
                ClaimTemplate { signature: "claim(uint256[],address[8])".into(), ..ClaimTemplate::default() };
            let template = ClaimTemplate { roles: roles.to_vec(), ..template }.merging(merges.iter().copied());
            Template::parse(&template, |_| true).map(|template| template.merges().to_vec())
        };
        let lists = || [Role::array(Role::NUMBER), Role::array(Role::MARKET)];
        assert_eq!(parse(&[1, 0], lists()), Ok(vec![1, 0]));
        let constant = [Role::array(Role::NUMBER), Role::constant(&[Address::ZERO; 8])];
        for (merges, roles) in [(vec![2], lists()), (vec![0, 0], lists()), (vec![1], constant)] {
            assert!(parse(&merges, roles).unwrap_err().to_string().contains("which is not a list of its own"));
        }
    }

    #[test]
    fn a_signature_of_brackets_alone_is_refused() {
        let signature = format!("f{}{}", "(".repeat(500), ")".repeat(500));
        assert!(parse(&signature).is_err());
        assert!(parse(&format!("f(uint8{})", "[]".repeat(500))).is_err());
    }

    #[test]
    fn a_signature_that_is_not_canonical_is_refused() {
        for signature in ["getReward( )", "deposit(uint,uint256)", "getReward", "getReward()returns(uint256)", ""] {
            assert!(parse(signature).is_err(), "{signature}");
        }
    }

    #[test]
    fn a_role_that_does_not_suit_its_argument_is_refused() {
        let constant = |value: &DynSolValue| Role { constant: Some(value.abi_encode()), ..Role::constant(&false) };
        let foreign = DynSolValue::Address(Address::repeat_byte(0xbb));
        let cases = [
            ("claim(uint256)", vec![Role::ACCOUNT], "has the role 1 for uint256"),
            ("claim(address)", vec![Role::NUMBER], "has the role 4 for address"),
            ("claim(bytes)", vec![Role::NUMBER], "has the role 4 for bytes"),
            ("claim(uint256)", vec![Role::BYTES], "has the role 5 for uint256"),
            ("claim(address)", vec![constant(&foreign)], "is not a contract of its catalogue"),
            (
                "claim(address[])",
                vec![constant(&DynSolValue::Array(vec![foreign]))],
                "is not a contract of its catalogue",
            ),
            ("claim(uint256[])", vec![Role::constant(&true)], "has a constant that is not a valid uint256[]"),
            ("claim(uint256[])", vec![Role::tuple([Role::NUMBER])], "has the role 7 for uint256[]"),
            ("claim(uint256)", vec![], "has 1 arguments and 0 roles"),
        ];
        for (signature, roles, reason) in cases {
            let refusal = parse_with(signature, roles).unwrap_err().to_string();
            assert!(refusal.contains(reason), "{signature}: {refusal}");
        }
        for named in [Address::ZERO, FARM] {
            assert!(parse_with("claim(address)", vec![constant(&DynSolValue::Address(named))]).is_ok());
        }
    }
}
