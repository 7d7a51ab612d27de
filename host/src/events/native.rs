//! The native token in events under its one address. Its second addresses and placeholders are replaced.
//!
//! Invariant: a native transfer that a log shows and the transaction's own value are counted once.

use alloy::primitives::Address;
use portolan_assets::token::NATIVE;
use portolan_base::network::Network;
use portolan_events::{Asset, Transaction, Value};

use portolan_networks::{SYSTEM_ADDRESS, fee_collector, logs_native};

use super::merge::MergedEvent;

/// Information about the native token in a transaction's logs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NativeLogs {
    /// True if each native transfer left a log.
    pub(crate) is_whole: bool,
    /// Address that receives gas fees, if logs show those as transfers.
    pub(crate) fee_collector: Option<Address>,
}

impl NativeLogs {
    /// Derives this from the logs. They are complete if the system address (EIP-7708) logged anything, because it logs
    /// all or nothing. They are also complete on a network whose rules say so, if the native token's contract logged
    /// anything, because it logs the gas cost in each transaction.
    pub(crate) fn of(network: &Network, transaction: &Transaction) -> Self {
        let tells_all =
            |emitter| emitter == SYSTEM_ADDRESS || logs_native(network.chain_id) && network.is_native(emitter);
        let is_whole = transaction.logs.iter().any(|log| tells_all(log.address));
        Self { is_whole, fee_collector: fee_collector(network.chain_id) }
    }
}

/// Replaces each address of the native token by its one address in these events.
pub(crate) fn name_once(network: &Network, events: &mut [MergedEvent]) {
    let members = events.iter_mut().flat_map(|merged| &mut merged.event.members);
    for (_, value) in members {
        match value {
            Value::Token(token) | Value::Amount { of: Some(token), .. } => *token = network.named_token(*token),
            Value::Assets(assets) => {
                let tokens = assets.iter_mut().filter_map(|Asset { token, .. }| token.as_mut());
                tokens.for_each(|token| *token = network.named_token(*token));
            }
            _ => {}
        }
    }
}

/// Returns true if a log shows the transaction's own value: contracts at second addresses forward what they receive,
/// or log each native transfer.
pub(crate) fn logs_value(network: &Network, events: &[MergedEvent], transaction: &Transaction) -> bool {
    let is_of_second_address =
        |merged: &MergedEvent| merged.emitter(transaction).is_some_and(|emitter| network.is_native(emitter));
    let is_value = |merged: &&MergedEvent| {
        let moved = merged.event.asset("amount");
        merged.event.address("from") == Some(transaction.from)
            && moved.is_some_and(|moved| moved.token == Some(NATIVE) && moved.raw == transaction.value)
    };
    events.iter().filter(is_value).any(is_of_second_address)
}

#[cfg(test)]
mod tests {
    use alloy::primitives::{Address, address};
    use portolan_base::network::Networks;

    use super::*;
    use crate::events::action::Flow;
    use crate::events::movements::{Movement, Movements};
    use crate::events::script::*;

    const POL: Address = address!("0000000000000000000000000000000000001010");
    const PLACEHOLDER: Address = address!("eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee");

    /// Returns the account's native movements: direction, amount and counterparty.
    fn native(mut script: EventScript, account: Address) -> Vec<(Flow, u64, Option<Address>)> {
        let networks = Networks::new([]);
        let polygon = networks.named("polygon").unwrap();
        name_once(polygon, &mut script.events);
        if logs_value(polygon, &script.events, &script.transaction) {
            script.events.retain(|merged| merged.log.is_some());
        }
        let movements = Movements::of(&script.events, &script.transaction, account, NativeLogs::default());
        let moved = |flow, movements: Vec<Movement>| {
            let of_native = movements.into_iter().filter(|movement| movement.asset.token == NATIVE);
            of_native.map(move |movement| (flow, movement.raw.to(), movement.other)).collect::<Vec<_>>()
        };
        [moved(Flow::In, movements.incoming), moved(Flow::Out, movements.outgoing)].concat()
    }

    #[test]
    fn what_is_sent_through_a_second_address_is_sent_once_to_who_gets_it() {
        let script = || {
            let mut script = EventScript::new();
            script.transaction.to = Some(POL);
            script.value(5).transfer(POL, ALICE, BOB, 5)
        };
        assert_eq!(native(script(), ALICE), [(Flow::Out, 5, Some(BOB))]);
        assert_eq!(native(script(), BOB), [(Flow::In, 5, Some(ALICE))]);
    }

    #[test]
    fn a_value_that_no_log_shows_counts_beside_what_logs_show() {
        let script = EventScript::new().value(5).transfer(POL, ALICE, BOB, 7);
        assert_eq!(native(script, ALICE), [(Flow::Out, 12, None)]);
        // The same amount of another token is separate.
        let script = EventScript::new().value(5).transfer(USDC, ALICE, BOB, 5);
        assert_eq!(native(script, ALICE), [(Flow::Out, 5, Some(ROUTER))]);
    }

    #[test]
    fn what_a_protocol_pays_is_counted_once_where_the_second_address_logs_it_too() {
        let paid = EventScript::new().action("WITHDRAW", ALICE, PLACEHOLDER, 9);
        assert_eq!(native(paid, ALICE), [(Flow::In, 9, Some(POOL))]);
        let logged = EventScript::new().transfer(POL, POOL, ALICE, 9).action("WITHDRAW", ALICE, PLACEHOLDER, 9);
        assert_eq!(native(logged, ALICE), [(Flow::In, 9, Some(POOL))]);
        let twice = EventScript::new().transfer(POL, POOL, ALICE, 9).action("WITHDRAW", ALICE, NATIVE, 4);
        assert_eq!(native(twice, ALICE), [(Flow::In, 13, Some(POOL))]);
    }
}
