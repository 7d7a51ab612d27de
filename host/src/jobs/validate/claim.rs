//! A claim's rules, and its encoding: the host builds every transaction itself from a declared template.
//!
//! Invariant: what is shown as `function` is the payload that is signed.

use std::collections::BTreeSet;

use alloy::dyn_abi::DynSolValue;
use alloy::primitives::{Address, Bytes};
use portolan_abi::map::{self, Role, caller, role};
use portolan_claims::ARGUMENTS_BYTES_MAX;

use super::FindingError;
use crate::jobs::plan::JobPlan;
use crate::registry::Instance;

/// Encoded by the host from a declared template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ClaimTransaction {
    pub(crate) to: Address,
    /// `None` where anyone may send it.
    pub(crate) from: Option<Address>,
    pub(crate) data: Bytes,
    /// Function name.
    pub(crate) function: String,
    /// Solidity type and value as text, in order.
    pub(crate) inputs: Vec<(String, String)>,
}

/// A job's claims: the templates of its instance, and the addresses that it may name.
pub(super) struct Claims<'a> {
    instance: &'a Instance,
    rules: Rules<'a>,
}

impl<'a> Claims<'a> {
    pub(super) fn new(plan: &'a JobPlan, trusted_addresses: &'a BTreeSet<Address>) -> Self {
        Self { instance: &plan.instance, rules: Rules { account: plan.account, trusted_addresses } }
    }

    /// Checks a claim against its template and the addresses that this job may name, and encodes it.
    ///
    /// # Errors
    /// The rule that it breaks.
    pub(super) fn encode(&self, claim: &map::Claim) -> Result<ClaimTransaction, FindingError> {
        let (declared, template, allowed) =
            self.instance.claim_template(claim.template).ok_or("its claim is no declared template".to_owned())?;
        allowed.map_err(|reason| FindingError::LeftOut(reason.to_owned()))?;
        let signature = template.signature();
        if claim.value.is_some_and(|value| !value.is_zero()) {
            return Err(format!("{signature} sends native value").into());
        }
        let to = claim.to;
        if !self.rules.trusted_addresses.contains(&to) {
            return Err(format!("{signature} goes to {to:#x}, which is no contract of this deployment").into());
        }
        if claim.arguments.len() > ARGUMENTS_BYTES_MAX {
            return Err(format!("{signature} has {} bytes of arguments", claim.arguments.len()).into());
        }
        let (values, data) = template.decode(&claim.arguments).map_err(|error| error.to_string())?;
        for (value, role) in values.iter().zip(&declared.roles) {
            self.rules.check(value, role).map_err(|reason| format!("{signature}: {reason}"))?;
        }
        Ok(ClaimTransaction {
            to,
            from: (declared.caller != caller::ANYONE).then_some(self.rules.account),
            data: data.into(),
            function: template.name().to_owned(),
            inputs: values.iter().zip(template.types()).map(|(value, kind)| (kind, text(value))).collect(),
        })
    }
}

struct Rules<'a> {
    account: Address,
    trusted_addresses: &'a BTreeSet<Address>,
}

impl Rules<'_> {
    /// Whether a value may stand where the template has this role.
    fn check(&self, value: &DynSolValue, declared: &Role) -> Result<(), String> {
        let members = declared.members.as_deref().unwrap_or_default();
        match (declared.kind, value) {
            (role::ACCOUNT, DynSolValue::Address(named)) if *named == self.account => Ok(()),
            (role::ACCOUNT, DynSolValue::Address(named)) => Err(format!("{named:#x} is in the place of the account")),
            (role::TOKEN | role::MARKET, DynSolValue::Address(named)) if self.trusted_addresses.contains(named) => {
                Ok(())
            }
            (role::TOKEN | role::MARKET, DynSolValue::Address(named)) => {
                Err(format!("{named:#x} is no contract of this deployment"))
            }
            (role::NUMBER, DynSolValue::Uint(..) | DynSolValue::Int(..)) => Ok(()),
            (role::NUMBER, DynSolValue::Bool(_) | DynSolValue::FixedBytes(..)) => Ok(()),
            (role::BYTES, DynSolValue::Bytes(_) | DynSolValue::String(_)) => Ok(()),
            (role::CONSTANT, value) if declared.constant.as_ref() == Some(&value.abi_encode()) => Ok(()),
            (role::CONSTANT, _) => Err("an argument is not its declared constant".into()),
            (role::TUPLE, DynSolValue::Tuple(values)) if values.len() == members.len() => {
                values.iter().zip(members).try_for_each(|(value, member)| self.check(value, member))
            }
            (role::ARRAY, DynSolValue::Array(values) | DynSolValue::FixedArray(values)) => match members {
                [member] => values.iter().try_for_each(|value| self.check(value, member)),
                _ => Err("an array's role has not one member".into()),
            },
            (kind, _) => Err(format!("role {kind} does not fit its argument")),
        }
    }
}

/// An argument as people read it: addresses in lower case, numbers in decimal, bytes in hex.
fn text(value: &DynSolValue) -> String {
    let list = |values: &[DynSolValue]| values.iter().map(text).collect::<Vec<_>>().join(",");
    match value {
        DynSolValue::Address(address) => format!("{address:#x}"),
        DynSolValue::Bool(flag) => flag.to_string(),
        DynSolValue::Int(number, _) => number.to_string(),
        DynSolValue::Uint(number, _) => number.to_string(),
        DynSolValue::FixedBytes(word, size) => alloy::primitives::hex::encode_prefixed(&word[..*size]),
        DynSolValue::Bytes(bytes) => alloy::primitives::hex::encode_prefixed(bytes),
        DynSolValue::String(text) => text.clone(),
        DynSolValue::Array(values) | DynSolValue::FixedArray(values) => format!("[{}]", list(values)),
        DynSolValue::Tuple(values) => format!("({})", list(values)),
        DynSolValue::Function(function) => alloy::primitives::hex::encode_prefixed(function),
    }
}

#[cfg(test)]
mod tests {
    use alloy::primitives::{B256, U256};

    use super::*;

    const ACCOUNT: Address = Address::repeat_byte(0xaa);
    const FARM: Address = Address::repeat_byte(0xfa);
    const OTHER: Address = Address::repeat_byte(0x66);

    fn check(value: &DynSolValue, declared: &Role) -> Result<(), String> {
        let trusted = BTreeSet::from([FARM]);
        Rules { account: ACCOUNT, trusted_addresses: &trusted }.check(value, declared)
    }

    fn role(kind: u8) -> Role {
        Role { kind, ..Role::default() }
    }

    fn of(kind: u8, members: Vec<Role>) -> Role {
        Role { members: Some(members), ..role(kind) }
    }

    #[test]
    fn an_argument_is_what_its_role_says_or_it_is_refused() {
        let (account, farm, other) = [ACCOUNT, FARM, OTHER].map(DynSolValue::Address).into();
        let number = DynSolValue::Uint(U256::from(7), 256);
        let seven = Role { constant: Some(number.abi_encode()), ..role(role::CONSTANT) };
        let eight = Role { constant: Some(DynSolValue::Uint(U256::from(8), 256).abi_encode()), ..role(role::CONSTANT) };
        let list = DynSolValue::Array(vec![farm.clone(), other.clone()]);
        let pair = DynSolValue::Tuple(vec![account.clone(), number.clone()]);
        let cases = [
            (&account, role(role::ACCOUNT), true),
            (&farm, role(role::ACCOUNT), false),
            (&farm, role(role::TOKEN), true),
            (&farm, role(role::MARKET), true),
            (&other, role(role::TOKEN), false),
            (&other, role(role::MARKET), false),
            // An address that no role of an address covers cannot stand anywhere.
            (&other, role(role::NUMBER), false),
            (&other, role(role::BYTES), false),
            (&other, role(0), false),
            (&number, role(role::NUMBER), true),
            (&number, role(role::BYTES), false),
            (&number, seven, true),
            (&number, eight, false),
            (&number, role(role::CONSTANT), false),
            (&list, of(role::ARRAY, vec![role(role::MARKET)]), false),
            (&list, of(role::ARRAY, vec![]), false),
            (&pair, of(role::TUPLE, vec![role(role::ACCOUNT), role(role::NUMBER)]), true),
            (&pair, of(role::TUPLE, vec![role(role::ACCOUNT)]), false),
            (&pair, of(role::TUPLE, vec![role(role::MARKET), role(role::NUMBER)]), false),
        ];
        for (value, declared, fits) in cases {
            assert_eq!(check(value, &declared).is_ok(), fits, "{value:?} as {declared:?}");
        }
    }

    #[test]
    fn arguments_are_shown_as_people_read_them() {
        let half = DynSolValue::FixedBytes(B256::repeat_byte(0xab), 2);
        let cases = [
            (DynSolValue::Address(FARM), "0xfafafafafafafafafafafafafafafafafafafafa"),
            (DynSolValue::Uint(U256::from(5), 256), "5"),
            (half, "0xabab"),
            (DynSolValue::Bytes(vec![1, 2]), "0x0102"),
            (DynSolValue::Array(vec![DynSolValue::Bool(true), DynSolValue::Bool(false)]), "[true,false]"),
            (DynSolValue::Tuple(vec![DynSolValue::Bool(true)]), "(true)"),
        ];
        for (value, expected) in cases {
            assert_eq!(text(&value), expected);
        }
    }
}
