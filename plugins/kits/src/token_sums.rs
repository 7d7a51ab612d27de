//! Sums of amounts by token.

use std::collections::BTreeMap;

use portolan_plugin_api::{Address, Error, U256};

use crate::fixed_point::too_large;

/// Adds an amount to the sum of its token.
///
/// # Errors
/// If the sum overflows.
pub(crate) fn add(sums: &mut BTreeMap<Address, U256>, token: Address, amount: U256) -> Result<(), Error> {
    increase(sums.entry(token).or_default(), amount)
}

/// Adds an amount to the sum of its token, in a list in the order in which tokens were first added.
///
/// # Errors
/// If the sum overflows.
pub(crate) fn add_in_order(sums: &mut Vec<(Address, U256)>, token: Address, amount: U256) -> Result<(), Error> {
    match sums.iter_mut().find(|(known, _)| *known == token) {
        Some((_, sum)) => increase(sum, amount),
        None => {
            sums.push((token, amount));
            Ok(())
        }
    }
}

fn increase(sum: &mut U256, amount: U256) -> Result<(), Error> {
    *sum = sum.checked_add(amount).ok_or_else(too_large)?;
    Ok(())
}
