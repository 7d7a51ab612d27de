//! Rules and encoding of claims: a transaction is built from a declared template, never taken from the plugin.
//!
//! Invariant: the `function` that is shown is the payload that is signed.

use std::sync::Arc;

use alloy::dyn_abi::{DynSolType, DynSolValue, JsonAbiExt, Specifier};
use alloy::primitives::{Address, U256};
use alloy_json_abi::Function;
use portolan_abi::map::{self, Role, role};

use crate::functions::refusal_of_target;
use crate::rejections::FindingError;
use crate::rules::JobRules;
use crate::template::{ARGUMENTS_BYTES_MAX, Template, are_few};
use crate::transaction::{ClaimTransaction, MergedCall, filled, text};

/// Checks the calls of a claim in order, and encodes them. The last call makes the payments.
///
/// # Errors
/// First violated rule.
pub(crate) fn encode(
    rules: &JobRules<'_>,
    steps: &[map::Claim],
    payments: &[map::Payment],
) -> Result<Vec<ClaimTransaction>, FindingError> {
    let Some((last, before)) = steps.split_last() else { return Err("it has no claim".to_owned().into()) };
    let before = before.iter().map(|step| Ok(encode_step(rules, step, &[])?.transaction));
    let mut transactions = before.collect::<Result<Vec<_>, FindingError>>()?;
    let mut paying = encode_step(rules, last, payments)?.transaction;
    if transactions.is_empty() && paying.value.is_zero() {
        paying.mergeable = mergeable(rules, last, payments)?.map(Arc::new);
    }
    transactions.push(paying);
    Ok(transactions)
}

/// Returns the call by which the claim may be merged. If claims may not call its function
/// there, the claim is not mergeable.
fn mergeable(
    rules: &JobRules<'_>,
    claim: &map::Claim,
    payments: &[map::Payment],
) -> Result<Option<MergedCall>, FindingError> {
    let Some(map::MergeableCall { template, to, arguments }) = claim.mergeable.clone() else { return Ok(None) };
    let call = map::Claim { template, to, arguments, ..map::Claim::default() };
    match encode_step(rules, &call, payments) {
        Ok(Encoded { template, .. }) if template.merges().is_empty() => {
            Err(format!("{} does not merge claims by its template", template.signature()).into())
        }
        Ok(Encoded { template, transaction, values }) => Ok(Some(MergedCall::new(template, transaction, values))),
        Err(FindingError::LeftOut(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// A call that passed the checks.
struct Encoded<'a> {
    template: &'a Template,
    transaction: ClaimTransaction,
    values: Vec<DynSolValue>,
}

/// Checks a call against its template and the allowed addresses. `payments` are those it makes.
fn encode_step<'a>(
    rules: &JobRules<'a>,
    claim: &map::Claim,
    payments: &[map::Payment],
) -> Result<Encoded<'a>, FindingError> {
    let declared = usize::try_from(claim.template).ok().and_then(|place| rules.catalogue.claims.get(place));
    let (declared, (template, allowed)) =
        declared.zip(rules.templates.get(claim.template)).ok_or("its claim's template is not declared".to_owned())?;
    let targets = allowed.map_err(|reason| FindingError::LeftOut(reason.to_owned()))?;
    let signature = template.signature();
    let broken = |reason: String| FindingError::Broken(format!("{signature} {reason}"));
    let of_reply = |reason: String| FindingError::OfReply(format!("{signature} {reason}"));
    let to = claim.to;
    let source = rules.addresses.target_source(to);
    let target_source = source.ok_or_else(|| {
        broken(format!(
            "goes to {to:#x}, which neither the deployment lists nor a declared lineage gave to this job: list it as a \
             contract of the deployment, or declare the view that returns it as a lineage"
        ))
    })?;
    if to == rules.account {
        return Err(of_reply("goes to the account".into()));
    }
    if !targets.allow(to) {
        return Err(FindingError::LeftOut(refusal_of_target(template, to)));
    }
    let is_token = rules.addresses.is_token_alone(to) || payments.iter().any(|payment| payment.token == to);
    if is_token && !template.is_of_token() {
        return Err(of_reply(format!("goes to the token {to:#x}, which its template does not say")));
    }
    if claim.arguments.len() > ARGUMENTS_BYTES_MAX {
        return Err(broken(format!("has {} bytes of arguments", claim.arguments.len())));
    }
    let (values, data) = template.decode(&claim.arguments).map_err(|error| error.to_string())?;
    let value = fee(rules, template, claim, &values).map_err(broken)?;
    let arguments = Arguments { rules, has_proof: template.has_proof() };
    for (value, role) in values.iter().zip(&declared.roles) {
        arguments.check(value, role).map_err(|reason| format!("{signature}: {reason}"))?;
    }
    if arguments.has_proof {
        check_proven(rules, to, &values, payments).map_err(of_reply)?;
    }
    let transaction = ClaimTransaction {
        to,
        target_source,
        from: rules.account,
        is_by_anyone: template.is_by_anyone(),
        value,
        data: data.into(),
        function: template.name().to_owned(),
        inputs: values.iter().zip(template.types()).map(|(value, kind)| (kind, text(value))).collect(),
        mergeable: None,
    };
    Ok(Encoded { template, transaction, values })
}

/// Returns the fee due: the reply of the template's fee view, or zero without one.
fn fee(rules: &JobRules<'_>, template: &Template, claim: &map::Claim, values: &[DynSolValue]) -> Result<U256, String> {
    let value = claim.value.unwrap_or_default();
    let Some(call) = template.fee_call(values) else {
        return if value.is_zero() { Ok(value) } else { Err("sends native value, though no fee is declared".into()) };
    };
    match rules.reads.first_word(claim.to, &call) {
        Some(due) if due == value => Ok(value),
        Some(due) => Err(format!("sends {value} wei, though its target says that {due} are due")),
        None => Err("has a fee that this job did not read from its target at the answer's block".into()),
    }
}

/// Checks that a payment is the number in the proof, less what the contract says was already claimed.
fn check_proven(
    rules: &JobRules<'_>,
    target: Address,
    values: &[DynSolValue],
    payments: &[map::Payment],
) -> Result<(), String> {
    let mut numbers = Vec::new();
    values.iter().for_each(|value| numbers_of(value, &mut numbers));
    let is_left = |payment: &map::Payment| {
        let claimed = numbers.iter().filter_map(|number| number.checked_sub(payment.amount));
        claimed.into_iter().any(|claimed| rules.reads.returned(target, claimed, &numbers))
    };
    match payments.iter().find(|payment| !payment.amount.is_zero() && !is_left(payment)) {
        Some(payment) => Err(format!(
            "pays {} of {:#x}, which is not what its proof says less what its target returned as claimed",
            payment.amount, payment.token
        )),
        None => Ok(()),
    }
}

fn numbers_of(value: &DynSolValue, numbers: &mut Vec<U256>) {
    match value {
        DynSolValue::Uint(number, _) => numbers.push(*number),
        DynSolValue::Array(values) | DynSolValue::FixedArray(values) | DynSolValue::Tuple(values) => {
            values.iter().for_each(|value| numbers_of(value, numbers));
        }
        _ => {}
    }
}

struct Arguments<'a> {
    rules: &'a JobRules<'a>,
    has_proof: bool,
}

impl Arguments<'_> {
    /// Checks a value against the role that the template gives it.
    fn check(&self, value: &DynSolValue, declared: &Role) -> Result<(), String> {
        let addresses = self.rules.addresses;
        let members = declared.members.as_deref().unwrap_or_default();
        let unnamed = |what: &str, named: &Address| {
            Err(format!("{named:#x} is not a {what} that the deployment lists or a declared lineage gave to this job"))
        };
        match (declared.kind, value) {
            (role::ACCOUNT, DynSolValue::Address(named)) if *named == self.rules.account => Ok(()),
            (role::ACCOUNT, DynSolValue::Address(named)) => Err(format!("{named:#x} is in the place of the account")),
            (role::TOKEN, DynSolValue::Address(named)) if addresses.is_token(*named) => Ok(()),
            (role::TOKEN, DynSolValue::Address(named)) => unnamed("token", named),
            (role::MARKET, DynSolValue::Address(named)) if addresses.is_market(*named) => Ok(()),
            (role::MARKET, DynSolValue::Address(named)) => unnamed("contract", named),
            (role::DELEGATE, DynSolValue::Address(named)) => self.check_delegate(*named),
            (role::NUMBER, DynSolValue::Bool(_)) => Ok(()),
            (role::NUMBER, DynSolValue::Uint(..) | DynSolValue::Int(..) | DynSolValue::FixedBytes(..)) => {
                self.check_number(value)
            }
            (role::PROOF, DynSolValue::FixedBytes(_, 32)) => Ok(()),
            (role::BYTES, DynSolValue::Bytes(_) | DynSolValue::String(_)) => Ok(()),
            (role::CONSTANT, value) if declared.constant.as_ref() == Some(&value.abi_encode()) => Ok(()),
            (role::CONSTANT, _) => Err("an argument is not its declared constant".into()),
            (role::TUPLE, DynSolValue::Tuple(values)) if values.len() == members.len() => {
                values.iter().zip(members).try_for_each(|(value, member)| self.check(value, member))
            }
            (role::ARRAY, DynSolValue::Array(values) | DynSolValue::FixedArray(values)) => match members {
                [member] => filled(value, values).iter().try_for_each(|value| self.check(value, member)),
                _ => Err("an array's role has not one member".into()),
            },
            (kind, _) => Err(format!("role {kind} does not fit its argument")),
        }
    }

    /// With a proof, the contract checks the numbers itself.
    fn check_number(&self, value: &DynSolValue) -> Result<(), String> {
        let is_known = |contract| self.rules.addresses.is_known(contract);
        let is_read = || value.as_word().is_some_and(|word| self.rules.reads.have_number(&word.0, is_known));
        if self.has_proof || is_read() {
            return Ok(());
        }
        Err(format!(
            "{} is a number that this job did not read together with the account: read it by a call that has the account \
             as an argument, or read its owner, or by a call with such a number, of a contract that the deployment lists \
             or a declared lineage gave to this job",
            text(value)
        ))
    }

    fn check_delegate(&self, named: Address) -> Result<(), String> {
        if self.rules.reads.name_beside_account(named, |contract| self.rules.addresses.is_known(contract)) {
            return Ok(());
        }
        Err(format!(
            "{named:#x} is not an address that a contract holds for the account: read it at the answer's block by a call \
             that has the account as an argument, of a contract that the deployment lists or a declared lineage gave to \
             this job"
        ))
    }
}

/// Decodes the arguments of a call of a function with this signature, as type and value. `None` if they do not decode,
/// or may be larger than one list.
pub fn decode_arguments(signature: &str, arguments: &[u8]) -> Option<Vec<(String, String)>> {
    let function = Function::parse(signature).ok()?;
    let types: Vec<DynSolType> = function.inputs.iter().map(Specifier::resolve).collect::<Result<_, _>>().ok()?;
    if !are_few(&types) || arguments.len() > ARGUMENTS_BYTES_MAX {
        return None;
    }
    let values = function.abi_decode_input(arguments).ok()?;
    Some(function.inputs.iter().zip(&values).map(|(input, value)| (input.ty.clone(), text(value))).collect())
}
