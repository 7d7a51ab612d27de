//! ERC-4337 user operations of an account, and what it paid for them. The account acts, though a bundler sends.
//!
//! Invariant: only logs of known entry points count as evidence of what an account paid.

use alloy::primitives::{Address, U256, address};
use portolan_events::{Transaction, Value};
use portolan_reader::GasPaid;

use super::merge::MergedEvent;

/// Entry points of versions 0.6 to 0.9, at the same address on all networks:
/// <https://github.com/eth-infinitism/account-abstraction/releases>.
const ENTRY_POINTS: [Address; 4] = [
    address!("5ff137d4b0fdcd49dca30c7cf57e578a026d2789"),
    address!("0000000071727de22e5e9d8baf0edac6f37da032"),
    address!("4337084d9e255ff0702461cf8895ce9e3b5ff108"),
    address!("433709009b8330fda32311df1c2afa402ed8d009"),
];

/// User operations of one account.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct UserOperations {
    pub(crate) count: usize,
    pub(crate) failed: usize,
    /// Gas that the account paid itself; `None` if paymasters paid.
    pub(crate) gas: Option<GasPaid>,
}

impl UserOperations {
    pub(crate) fn of(events: &[MergedEvent], transaction: &Transaction, account: Address) -> Self {
        let is_believed = |merged: &&MergedEvent| {
            let is_operation = merged.event.kind.name() == "USER_OPERATION";
            is_operation && merged.emitter(transaction).is_some_and(|emitter| ENTRY_POINTS.contains(&emitter))
        };
        let own = events.iter().filter(is_believed).filter(|merged| merged.event.address("account") == Some(account));
        let mut found = Self::default();
        let (mut cost, mut used) = (U256::ZERO, U256::ZERO);
        for event in own.map(|merged| &merged.event) {
            found.count += 1;
            found.failed += usize::from(event.member("success") == Some(&Value::Flag(false)));
            let pays_itself = event.address("paymaster") == Some(Address::ZERO);
            if let (true, Some(paid), Some(Value::Number(gas))) =
                (pays_itself, event.asset("cost"), event.member("number"))
            {
                (cost, used) = (cost.saturating_add(paid.raw), used.saturating_add(*gas));
            }
        }
        // The entry point multiplies the gas by a price that it does not log.
        let price = cost.checked_div(used).unwrap_or_default();
        let operator_fee = cost.saturating_sub(price.saturating_mul(used));
        let gas = u64::try_from(used).ok().filter(|used| *used > 0);
        found.gas = gas.map(|used| GasPaid { used, price, data_fee: U256::ZERO, operator_fee });
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::script::*;

    /// An operation of an account that used 200 gas at a price of 3.
    fn operation(script: EventScript, at: Address, account: Address, paymaster: Address, success: bool) -> EventScript {
        let cost = Value::Amount { raw: U256::from(600), of: Some(portolan_assets::token::NATIVE) };
        let members = vec![
            ("account", Value::Address(account)),
            ("paymaster", Value::Address(paymaster)),
            ("success", Value::Flag(success)),
            ("cost", cost),
            ("number", Value::Number(U256::from(200))),
        ];
        script.event(at, "USER_OPERATION", members)
    }

    #[test]
    fn each_account_of_a_bundle_pays_for_its_own_operations() {
        let [entry_point, ..] = ENTRY_POINTS;
        let script = operation(EventScript::new(), entry_point, ALICE, Address::ZERO, true);
        let script = operation(script, entry_point, BOB, Address::ZERO, false);
        let script = operation(script, entry_point, BOB, Address::ZERO, true);
        let of = |account| UserOperations::of(&script.events, &script.transaction, account);
        let gas = |used, price: u64| {
            Some(GasPaid { used, price: U256::from(price), data_fee: U256::ZERO, operator_fee: U256::ZERO })
        };
        assert_eq!(of(ALICE), UserOperations { count: 1, failed: 0, gas: gas(200, 3) });
        assert_eq!(of(BOB), UserOperations { count: 2, failed: 1, gas: gas(400, 3) });
        assert_eq!(of(ROUTER), UserOperations::default());
    }

    #[test]
    fn what_a_paymaster_pays_and_what_another_contract_logs_is_no_gas_of_the_account() {
        let [entry_point, ..] = ENTRY_POINTS;
        let paid = operation(EventScript::new(), entry_point, ALICE, POOL, true);
        let of_alice = UserOperations::of(&paid.events, &paid.transaction, ALICE);
        assert_eq!((of_alice.count, of_alice.gas), (1, None));
        let forged = operation(EventScript::new(), ROUTER, ALICE, Address::ZERO, true);
        assert_eq!(UserOperations::of(&forged.events, &forged.transaction, ALICE), UserOperations::default());
    }
}
