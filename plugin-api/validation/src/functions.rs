//! The table of functions that claims may call: Portolan's own, extended by the operator's file.
//!
//! Invariant: each function has a word per argument and a link to its source code. A function that ends something where
//! another contract has it too is bound to contracts.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use alloy::primitives::{Address, Selector, keccak256};
use alloy_json_abi::Function;
use toml::{Table, Value};

use crate::template::Template;
use crate::word::Words;

/// Name of the operator's file of functions in the plugins folder.
pub const FILE_NAME: &str = "claim-functions.toml";

/// Maximum number of rows; far more than all known protocols need.
const ROWS_MAX: usize = 4_096;
/// Maximum length of a row, which also bounds the nesting of brackets. The longest known one has 200 letters.
const CALL_BYTES_MAX: usize = 1_024;
/// Maximum number of contracts of a row; the longest shipped one has 17.
const CONTRACTS_MAX: usize = 256;

/// Functions that claims may call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClaimFunctions(BTreeMap<Selector, Vec<Listed>>);

/// The table's entry for a function.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Listed {
    /// Words of its arguments.
    words: Vec<Words>,
    /// True if a fee may be due with it.
    is_payable: bool,
    targets: ClaimTargets,
}

/// Contracts that claims by a function may go to, of those that the plugin declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClaimTargets {
    /// All of them.
    Any,
    /// These alone.
    Only(BTreeSet<Address>),
}

impl ClaimTargets {
    /// Returns true if a claim may go to the contract.
    pub fn allow(&self, contract: Address) -> bool {
        match self {
            Self::Any => true,
            Self::Only(contracts) => contracts.contains(&contract),
        }
    }

    /// Adds the contracts of another row.
    fn or(self, other: &Self) -> Self {
        match (self, other) {
            (Self::Only(own), Self::Only(others)) => Self::Only(&own | others),
            _ => Self::Any,
        }
    }
}

/// Suffix of a function that may need a fee.
const PAYABLE: &str = " payable";

/// An error in a table of functions; the message names the row.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ClaimFunctionsError(String);

/// Functions that transfer an account's assets or the rights to them. No file may allow them. Names are compared
/// without case, and the selectors of these signatures are refused under any name.
const HANDS_OVER: [&str; 34] = [
    "approve(address,uint256)",
    "approve(address,address,uint160,uint48)",
    "increaseAllowance(address,uint256)",
    "increaseApproval(address,uint256)",
    "permit(address,address,uint256,uint256,uint8,bytes32,bytes32)",
    "permit(address,address,uint256,uint256,bool,uint8,bytes32,bytes32)",
    "permit(address,uint256,uint256,uint8,bytes32,bytes32)",
    "permitAll(address,address,uint256,uint8,bytes32,bytes32)",
    "transfer(address,uint256)",
    "transferFrom(address,address,uint256)",
    "transferAndCall(address,uint256,bytes)",
    "transferOwnership(address)",
    "safeTransferFrom(address,address,uint256)",
    "safeTransferFrom(address,address,uint256,bytes)",
    "safeTransferFrom(address,address,uint256,uint256,bytes)",
    "safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)",
    "push(address,uint256)",
    "move(address,address,uint256)",
    "setApprovalForAll(address,bool)",
    "setOperator(address,bool)",
    "authorizeOperator(address)",
    "allow(address,bool)",
    "setAuthorization(address,bool)",
    "setRelayerApproval(address,address,bool)",
    "approveDelegation(address,uint256)",
    "delegateBySig(address,uint256,uint256,uint8,bytes32,bytes32)",
    "multicall(bytes[])",
    "multicall(uint256,bytes[])",
    "execute(address,uint256,bytes)",
    "delegatecall(address,bytes)",
    "acceptOwnership()",
    "grantRole(bytes32,address)",
    "enableModule(address)",
    "upgradeToAndCall(address,bytes)",
];

/// Returns true if a function transfers an account's assets or rights, by its name or selector.
fn hands_over(name: &str, selector: Selector) -> bool {
    HANDS_OVER.iter().any(|signature| {
        let own = signature.split('(').next().unwrap_or_default();
        own.eq_ignore_ascii_case(name) || keccak256(signature)[..4] == selector[..]
    })
}

static SHIPPED: LazyLock<ClaimFunctions> = LazyLock::new(|| {
    // A test parses it, so it is never empty.
    ClaimFunctions::parse(include_str!("../claim-functions.toml")).unwrap_or_default()
});

impl ClaimFunctions {
    /// Returns the functions that ship with Portolan.
    pub fn shipped() -> &'static Self {
        &SHIPPED
    }

    /// Returns the functions that ship with Portolan, and those of an operator's file.
    ///
    /// # Errors
    /// As [`ClaimFunctions::parse`].
    pub fn with(text: &str) -> Result<Self, ClaimFunctionsError> {
        let mut all = Self::shipped().clone();
        for (selector, more) in Self::parse(text)?.0 {
            all.0.entry(selector).or_default().extend(more);
        }
        Ok(all)
    }

    /// Parses a table in TOML. Each row maps a function, with a word per argument, to a link to its code, for example
    /// `"getReward(address account)" = "https://…"`. ` payable` after the function allows a fee. A bound row,
    /// `"unlock()" = { source = "https://…", contracts = ["0x…"] }`, allows the function on these contracts alone. Rows
    /// for the same function add up.
    ///
    /// # Errors
    /// If it is not TOML, or a row has a malformed function, a missing or unsuitable word, no link, a malformed or
    /// repeated contract or none of them, or a function that transfers an account's assets.
    pub fn parse(text: &str) -> Result<Self, ClaimFunctionsError> {
        let table: Table =
            text.parse().map_err(|error| ClaimFunctionsError(format!("it is not valid TOML: {error}")))?;
        if table.len() > ROWS_MAX {
            return Err(ClaimFunctionsError(format!("{} functions are more than {ROWS_MAX}", table.len())));
        }
        let mut functions = Self::default();
        for (call, source) in &table {
            let (selector, listed) =
                read(call, source).map_err(|reason| ClaimFunctionsError(format!("the row of {call:?}: {reason}")))?;
            functions.0.entry(selector).or_default().push(listed);
        }
        Ok(functions)
    }

    /// Checks that claims may use a template, and returns the contracts that these may go to.
    ///
    /// # Errors
    /// If the table lacks the function, or allows other arguments. The message says how an operator can allow it.
    pub fn check(&self, template: &Template) -> Result<ClaimTargets, String> {
        let allows = |Listed { words, is_payable, .. }: &&Listed| {
            (*is_payable || !template.has_fee())
                && words.len() == template.arguments().count()
                && words.iter().zip(template.arguments()).all(|(words, (kind, role))| words.allow(role, kind))
        };
        let rows = self.0.get(&template.selector()).into_iter().flatten().filter(allows);
        let targets = rows.map(|row| row.targets.clone()).reduce(|all, more| all.or(&more));
        targets.ok_or_else(|| {
            let call = template.call();
            format!(
                "claims by {call} are left out, as it is not among the functions that claims may call; an operator who \
                 has read its code, and finds that it only pays the account, allows it with this row of {FILE_NAME}: \
                 \"{call}\" = \"https://…\""
            )
        })
    }

    /// Returns the number of functions.
    pub fn count(&self) -> usize {
        self.0.values().map(Vec::len).sum()
    }
}

/// Returns why claims by a template may not go to a contract that its rows lack.
pub(crate) fn refusal_of_target(template: &Template, contract: Address) -> String {
    let call = template.call();
    format!(
        "claims by {call} that go to {contract:#x} are left out, as claims may call it on other contracts alone; an \
         operator who has read this contract's code, and finds that it only pays the account what it asked for, allows \
         it with this row of {FILE_NAME}: \"{call}\" = {{ source = \"https://…\", contracts = [\"{contract:#x}\"] }}"
    )
}

fn read(call: &str, value: &Value) -> Result<(Selector, Listed), String> {
    let targets = read_targets(value)?;
    if call.len() > CALL_BYTES_MAX {
        return Err(format!("it is longer than {CALL_BYTES_MAX} bytes"));
    }
    let no_function = || "it is not a function with a word for each argument".to_owned();
    let (call, is_payable) = call.strip_suffix(PAYABLE).map_or((call, false), |call| (call, true));
    let (name, arguments) = call.strip_suffix(')').and_then(|call| call.split_once('(')).ok_or_else(no_function)?;
    let (words, kinds) = Words::parse_all(arguments)?;
    let kinds: Vec<String> = kinds.iter().map(ToString::to_string).collect();
    let function = Function::parse(&format!("{name}({})", kinds.join(","))).map_err(|_| no_function())?;
    if hands_over(name, function.selector()) {
        return Err("it hands over what an account has, or the right to it, which no claim may".into());
    }
    Ok((function.selector(), Listed { words, is_payable, targets }))
}

/// Reads the value of a row: its source, or a table of its source and its contracts.
fn read_targets(value: &Value) -> Result<ClaimTargets, String> {
    let is_source = |text: &str| text.starts_with("https://") && text.len() > "https://".len();
    let row = value.as_table();
    let source = row.map_or(Some(value), |row| row.get("source"));
    if !source.and_then(Value::as_str).is_some_and(is_source) {
        return Err("its source is not the https URL where its code can be read".into());
    }
    let Some(row) = row else { return Ok(ClaimTargets::Any) };
    if let Some(other) = row.keys().find(|key| !["source", "contracts"].contains(&key.as_str())) {
        return Err(format!("{other:?} is neither `source` nor `contracts`"));
    }
    let Some(Value::Array(contracts)) = row.get("contracts") else { return Err("`contracts` is not a list".into()) };
    if contracts.is_empty() || contracts.len() > CONTRACTS_MAX {
        return Err(format!("it has {} contracts, not 1 to {CONTRACTS_MAX}", contracts.len()));
    }
    let mut known = BTreeSet::new();
    for contract in contracts {
        let text = contract.as_str().filter(|text| text.starts_with("0x"));
        let address = text.and_then(|text| text.parse().ok());
        let address: Address = address.ok_or_else(|| format!("the contract {contract} is not an address"))?;
        if !known.insert(address) {
            return Err(format!("the contract {address:#x} is repeated"));
        }
    }
    Ok(ClaimTargets::Only(known))
}

#[cfg(test)]
mod tests {
    use alloy::primitives::{Address, U256};
    use alloy::sol_types::SolValue;
    use portolan_abi::map::{ClaimTemplate, Role};

    use super::*;

    fn template(signature: &str, roles: impl IntoIterator<Item = Role>) -> Template {
        let declared = ClaimTemplate {
            signature: signature.into(),
            roles: roles.into_iter().collect(),
            ..ClaimTemplate::default()
        };
        Template::parse(&declared, |_| true).unwrap()
    }

    #[test]
    fn the_shipped_table_is_read_whole() {
        let text = include_str!("../claim-functions.toml");
        let rows = text.lines().filter(|line| line.starts_with('"')).count();
        assert_eq!(ClaimFunctions::parse(text).unwrap().count(), rows);
        assert_eq!(ClaimFunctions::shipped().count(), rows);
    }

    #[test]
    fn what_stands_in_an_argument_is_what_the_table_says() {
        let shipped = |signature, roles: Vec<Role>| ClaimFunctions::shipped().check(&template(signature, roles));
        let nothing = || Role::constant(&U256::ZERO);
        let sound = [
            shipped("getReward()", vec![]),
            shipped("getReward(address)", vec![Role::ACCOUNT]),
            shipped("deposit(uint256,uint256)", vec![Role::NUMBER, nothing()]),
            shipped("withdraw(uint256,uint256)", vec![Role::constant(&U256::from(7)), nothing()]),
        ];
        assert_eq!(sound, [const { Ok(ClaimTargets::Any) }; 4]);
        let unsound = [
            shipped("deposit(uint256,uint256)", vec![Role::NUMBER, Role::NUMBER]),
            shipped("deposit(uint256,uint256)", vec![Role::NUMBER, Role::constant(&U256::from(1))]),
            shipped("harvest(uint256,address)", vec![Role::NUMBER, Role::MARKET]),
            shipped("harvest(uint256,address)", vec![Role::NUMBER, Role::constant(&Address::ZERO)]),
        ];
        assert!(unsound.iter().all(Result::is_err), "{unsound:?}");
        // A locker pays an amount that is named; a farm would end a stake.
        let named = shipped("withdraw(uint256,uint256)", vec![Role::NUMBER, Role::NUMBER]);
        assert!(matches!(named, Ok(ClaimTargets::Only(_))), "{named:?}");
    }

    /// Known functions that move, free or transfer an account's assets.
    #[test]
    fn dangerous_functions_are_not_in_the_shipped_table() {
        let one = [Role::ACCOUNT];
        let two = [Role::MARKET, Role::NUMBER];
        let three = [Role::ACCOUNT, Role::MARKET, Role::NUMBER];
        let cases: [(&str, &[Role]); 24] = [
            ("approve(address,uint256)", &two),
            ("transfer(address,uint256)", &two),
            ("transferFrom(address,address,uint256)", &three),
            ("push(address,uint256)", &two),           // DAI
            ("move(address,address,uint256)", &three), // DAI
            ("increaseAllowance(address,uint256)", &two),
            ("allow(address,bool)", &two),                        // Comet
            ("setAuthorization(address,bool)", &two),             // Morpho
            ("setRelayerApproval(address,address,bool)", &three), // Balancer
            ("setOperator(address,bool)", &two),                  // ERC-6909
            ("setApprovalForAll(address,bool)", &two),
            ("authorizeOperator(address)", &[Role::MARKET]), // ERC-777
            ("enableModule(address)", &[Role::MARKET]),      // Safe
            ("delegate(address)", &[Role::MARKET]),
            ("withdrawAndHarvest(uint256,uint256,address)", &[Role::NUMBER, Role::NUMBER, Role::ACCOUNT]), // MiniChef
            (
                "depositForBurn(uint256,uint32,bytes32,address)",
                &[Role::NUMBER, Role::NUMBER, Role::NUMBER, Role::TOKEN],
            ),
            ("transferOwnership(address)", &[Role::MARKET]),
            ("exit()", &[]),
            ("burn(uint256)", &[Role::NUMBER]),
            ("withdraw(uint256)", &[Role::NUMBER]),
            ("deposit(uint256)", &[Role::NUMBER]),
            ("stake(uint256)", &[Role::NUMBER]),
            ("emergencyWithdraw(uint256)", &[Role::NUMBER]),
            ("migrate(address)", &one),
        ];
        for (signature, roles) in cases {
            let refusal = ClaimFunctions::shipped().check(&template(signature, roles.to_vec()));
            assert!(refusal.is_err(), "{signature}");
        }
        let calls = template("multicall(bytes[])", [Role::array(Role::BYTES)]);
        assert!(ClaimFunctions::shipped().check(&calls).is_err());
    }

    #[test]
    fn the_row_in_a_refusal_allows_the_template() {
        let constant = |value: Vec<u8>| Role { constant: Some(value), ..Role::constant(&false) };
        let order = || Role::tuple([Role::NUMBER, Role::array(Role::TOKEN)]);
        let pair = (U256::from(3), Address::ZERO).abi_encode();
        let cases = [
            template("poke()", []),
            template(
                "poke(address,address,address,uint8,bool)",
                [Role::ACCOUNT, Role::TOKEN, Role::MARKET, Role::NUMBER, Role::NUMBER],
            ),
            template("poke((uint256,address[])[],bytes)", [Role::array(order()), Role::BYTES]),
            template("poke(uint256[3],bytes32[])", [Role::constant(&[U256::ZERO; 3]), Role::array(Role::NUMBER)]),
            template("poke((uint256,address))", [constant(pair)]),
            template(
                "poke(address[],address)",
                [constant(Vec::<Address>::new().abi_encode()), Role::constant(&Address::ZERO)],
            ),
        ];
        for template in cases {
            let refusal = ClaimFunctions::shipped().check(&template).unwrap_err();
            let row = refusal.split_once(": \"").map(|(_, row)| format!("\"{row}").replace('…', "code.example"));
            let with = ClaimFunctions::with(&row.unwrap()).unwrap();
            assert_eq!(with.check(&template), Ok(ClaimTargets::Any), "{refusal}");
        }
    }

    const LOCK: Address = Address::repeat_byte(0x1c);
    const OTHER: Address = Address::repeat_byte(0x2c);

    fn only(contracts: impl IntoIterator<Item = Address>) -> Result<ClaimTargets, String> {
        Ok(ClaimTargets::Only(contracts.into_iter().collect()))
    }

    #[test]
    fn rows_of_a_function_add_up() {
        let unstake = || template("unstake()", []);
        let Ok(ClaimTargets::Only(shipped)) = ClaimFunctions::shipped().check(&unstake()) else {
            panic!("it is bound");
        };
        assert!(!shipped.is_empty() && !shipped.contains(&LOCK));
        let with = |rows: &str| ClaimFunctions::with(rows).unwrap().check(&unstake());
        let bound = format!("\"unstake()\" = {{ source = \"https://code.example\", contracts = [\"{LOCK}\"] }}");
        assert_eq!(with(&bound), only(shipped.iter().copied().chain([LOCK])));
        assert_eq!(with("\"unstake()\" = \"https://code.example\""), Ok(ClaimTargets::Any));
        // A row of other words, or without the fee, adds nothing.
        let other = bound.replace("unstake()", "unstake(uint256 zero)");
        assert_eq!(with(&other), only(shipped));
        let rows = "\"poke(uint256 number)\" = \"https://code.example\"\n";
        let of_zero = bound.replace("unstake()", "poke(uint256 zero)");
        let poke =
            |role| ClaimFunctions::with(&format!("{rows}{of_zero}")).unwrap().check(&template("poke(uint256)", [role]));
        assert_eq!(poke(Role::NUMBER), Ok(ClaimTargets::Any));
        let zero = Role::constant(&U256::ZERO);
        let alone = ClaimFunctions::parse(&of_zero).unwrap();
        assert_eq!(alone.check(&template("poke(uint256)", [zero])), only([LOCK]));
        assert!(alone.check(&template("poke(uint256)", [Role::NUMBER])).is_err());
    }

    #[test]
    fn the_row_in_a_refusal_allows_the_contract() {
        let unstake = template("unstake()", []);
        let refusal = refusal_of_target(&unstake, LOCK);
        let row = refusal.split_once(": \"").map(|(_, row)| format!("\"{row}").replace('…', "code.example")).unwrap();
        let targets = ClaimFunctions::with(&row).unwrap().check(&unstake).unwrap();
        assert!(targets.allow(LOCK) && !targets.allow(OTHER), "{refusal}");
    }

    #[test]
    fn a_bound_row_that_is_malformed_is_refused() {
        let source = "source = \"https://code.example\"";
        let many: Vec<String> = (0..=CONTRACTS_MAX).map(|place| format!("\"0x{place:040x}\"")).collect();
        let cases = [
            (format!("{source}, contracts = []"), "it has 0 contracts, not 1 to 256"),
            (format!("{source}, contracts = [{}]", many.join(",")), "it has 257 contracts"),
            (source.to_owned(), "`contracts` is not a list"),
            (format!("{source}, contracts = \"{LOCK}\""), "`contracts` is not a list"),
            (format!("{source}, contracts = [7]"), "the contract 7 is not an address"),
            (format!("{source}, contracts = [\"{}\"]", &LOCK.to_string()[2..]), "is not an address"),
            (format!("{source}, contracts = [\"{}\"]", &LOCK.to_string()[..41]), "is not an address"),
            (format!("{source}, contracts = [\"{LOCK}\", \"{LOCK:#x}\"]"), "is repeated"),
            (format!("{source}, contract = [\"{LOCK}\"]"), "\"contract\" is neither `source` nor `contracts`"),
            (format!("contracts = [\"{LOCK}\"]"), "is not the https URL"),
            (format!("source = \"http://code.example\", contracts = [\"{LOCK}\"]"), "is not the https URL"),
        ];
        for (row, reason) in cases {
            let error = ClaimFunctions::parse(&format!("\"unstake()\" = {{ {row} }}")).unwrap_err().to_string();
            assert!(error.contains("the row of \"unstake()\": ") && error.contains(reason), "{row}: {error}");
        }
        let handed = format!("\"approve(address market, uint256 number)\" = {{ {source}, contracts = [\"{LOCK}\"] }}");
        assert!(ClaimFunctions::parse(&handed).unwrap_err().to_string().contains("it hands over"));
    }

    #[test]
    fn a_row_that_says_too_little_is_refused() {
        let cases = [
            ("getReward(address)", "https://code.example", "\"address\" is not a type and a word"),
            ("getReward(address who)", "https://code.example", "\"who\" is not one of account, token"),
            ("getReward(address number)", "https://code.example", "number cannot be said of address"),
            ("getReward(uint256 account)", "https://code.example", "account cannot be said of uint256"),
            ("getReward(uint account)", "https://code.example", "not in canonical form, uint256 is"),
            ("getReward(thing account)", "https://code.example", "\"thing\" is an unknown type"),
            ("getReward((uint256 number)", "https://code.example", "a bracket is not closed"),
            ("getReward()", "", "is not the https URL"),
            ("getReward", "https://code.example", "it is not a function"),
            ("approve(address market, uint256 number)", "https://code.example", "it hands over"),
            ("Approve(address market, uint256 number, uint256 number)", "https://code.example", "it hands over"),
            ("transfer(address account, uint256 number)", "https://code.example", "it hands over"),
            ("multicall(bytes[] data)", "https://code.example", "it hands over"),
        ];
        for (call, source, reason) in cases {
            let error = ClaimFunctions::parse(&format!("{call:?} = {source:?}")).unwrap_err().to_string();
            assert!(error.contains(reason), "{call}: {error}");
        }
        assert!(ClaimFunctions::parse("getReward(").is_err());
    }
}
