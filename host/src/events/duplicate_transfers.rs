//! Links transfers that a contract logs a second time, so that each movement counts once.
//!
//! Invariant: only contracts whose code is known are assumed to log one movement twice.

use alloy::primitives::{Address, U256, address};
use portolan_base::network::Network;
use portolan_events::{Transaction, Value};

use super::merge::MergedEvent;

/// <https://github.com/larvalabs/cryptopunks/blob/master/contracts/CryptoPunksMarket.sol>
const CRYPTO_PUNKS: Address = address!("b47e3cd837ddf8e4c57f05d70ab865de6e193bbb");
/// Further logs of a forwarded transfer by the native token's contract: a token transfer, and one of its own.
const DUPLICATES: usize = 2;

/// A transfer as one log reports it.
#[derive(Clone, Copy, Debug)]
struct LoggedTransfer {
    /// Indexes of the event and of its log.
    event: usize,
    log: usize,
    emitter: Address,
    from: Address,
    to: Address,
    /// `None` for a token id of a collection.
    raw: Option<U256>,
}

/// A transfer that the native token's contract forwarded, and for whom.
#[derive(Clone, Copy, Debug)]
struct SentOn {
    by: Address,
    transfer: LoggedTransfer,
    duplicates: usize,
}

/// Sets `part_of` of each duplicate. Events are in log order.
pub(crate) fn link(network: &Network, events: &mut [MergedEvent], transaction: &Transaction) {
    let of_kind = |events: &[MergedEvent], kind: &str| -> Vec<LoggedTransfer> {
        let found = events.iter().enumerate().filter(|(_, merged)| merged.event.kind.name() == kind);
        found.filter_map(|(place, merged)| LoggedTransfer::of(place, merged, transaction)).collect()
    };
    let (transfers, pieces) = (of_kind(events, "TRANSFER"), of_kind(events, "NFT_TRANSFER"));
    let native = transfers.iter().filter(|transfer| network.is_native(transfer.emitter));
    for (duplicate, original) in sent_on(native).into_iter().chain(units(&transfers, &pieces)) {
        if let Some(merged) = events.get_mut(duplicate.event) {
            merged.part_of = Some(original.log);
        }
        if let Some(merged) = events.get_mut(original.event).filter(|_| original.to.is_zero()) {
            // A CryptoPunks bid that is accepted is deleted before the contract logs the bidder.
            let members = merged.event.members.iter_mut().filter(|(name, _)| *name == "to");
            members.for_each(|(_, value)| *value = Value::Address(duplicate.to));
        }
    }
}

/// Returns the duplicates of transfers that Polygon's native token contract forwards, each with the transfer. The
/// network logs the transfer, and the contract logs it twice more.
fn sent_on<'a>(transfers: impl Iterator<Item = &'a LoggedTransfer>) -> Vec<(LoggedTransfer, LoggedTransfer)> {
    let (mut came, mut sent, mut found): (Option<&LoggedTransfer>, Option<SentOn>, Vec<_>) = (None, None, Vec::new());
    for own in transfers {
        if own.to == own.emitter {
            came = Some(own);
        } else if own.from == own.emitter {
            let by = came.take().filter(|came| came.raw == own.raw).map(|came| came.from);
            sent = by.map(|by| SentOn { by, transfer: *own, duplicates: 0 });
        } else if let Some(sent) = &mut sent {
            let of_it = (sent.by, sent.transfer.to, sent.transfer.raw);
            if sent.duplicates < DUPLICATES && (own.from, own.to, own.raw) == of_it {
                sent.duplicates += 1;
                found.push((*own, sent.transfer));
            }
        }
    }
    found
}

/// Returns the unit transfers of CryptoPunks. The contract logs each punk as one unit of a token before it logs which
/// it is.
fn units(transfers: &[LoggedTransfer], pieces: &[LoggedTransfer]) -> Vec<(LoggedTransfer, LoggedTransfer)> {
    let is_punk = |transfer: &&LoggedTransfer| transfer.emitter == CRYPTO_PUNKS;
    let (units, mut pieces) = (transfers.iter().filter(is_punk), pieces.iter().filter(is_punk));
    let piece = |unit: &LoggedTransfer| {
        let is_of = |piece: &&LoggedTransfer| {
            piece.log > unit.log && piece.from == unit.from && (piece.to == unit.to || piece.to.is_zero())
        };
        Some((*unit, *pieces.find(is_of)?))
    };
    units.filter(|unit| unit.raw == Some(U256::ONE)).filter_map(piece).collect()
}

impl LoggedTransfer {
    fn of(place: usize, merged: &MergedEvent, transaction: &Transaction) -> Option<Self> {
        let (event, log) = (&merged.event, merged.log?);
        Some(Self {
            event: place,
            log,
            emitter: transaction.logs.get(log)?.address,
            from: event.address("from")?,
            to: event.address("to")?,
            raw: event.asset("amount").map(|amount| amount.raw),
        })
    }
}

#[cfg(test)]
mod tests {
    use portolan_base::network::Networks;

    use super::*;
    use crate::events::native;
    use crate::events::script::*;

    const POL: Address = address!("0000000000000000000000000000000000001010");

    /// Returns the log that each event is part of.
    fn parts(slug: &str, script: EventScript) -> (EventScript, Vec<Option<usize>>) {
        let (networks, mut script) = (Networks::new([]), script);
        let network = networks.named(slug).unwrap();
        native::name_once(network, &mut script.events);
        link(network, &mut script.events, &script.transaction);
        let parts = script.events.iter().map(|merged| merged.part_of).collect();
        (script, parts)
    }

    #[test]
    fn what_polygons_contract_sends_on_counts_as_the_network_logs_it() {
        let script = || EventScript::new().transfer(POL, ALICE, POL, 5).transfer(POL, POL, BOB, 5);
        let twice = script().transfer(POL, ALICE, BOB, 5).transfer(POL, ALICE, BOB, 5);
        assert_eq!(parts("polygon", twice).1, [None, None, Some(1), Some(1)]);
        // A third one is a movement, and so is one of another amount or from another account.
        let more = script().transfer(POL, ALICE, BOB, 5).transfer(POL, ALICE, BOB, 5).transfer(POL, ALICE, BOB, 5);
        assert_eq!(parts("polygon", more).1, [None, None, Some(1), Some(1), None]);
        let others = script().transfer(POL, ROUTER, BOB, 5).transfer(POL, ALICE, BOB, 6);
        assert_eq!(parts("polygon", others).1, [None; 4]);
        let elsewhere = EventScript::new().transfer(USDC, ALICE, USDC, 5).transfer(USDC, USDC, BOB, 5);
        assert_eq!(parts("polygon", elsewhere.transfer(USDC, ALICE, BOB, 5)).1, [None; 3]);
    }

    #[test]
    fn a_punk_is_one_piece_and_goes_to_who_bought_it() {
        let punk = |to: Address| {
            let script = EventScript::new().transfer(CRYPTO_PUNKS, ALICE, BOB, 1);
            script.nft_of(CRYPTO_PUNKS, ALICE, to, 3100)
        };
        for to in [BOB, Address::ZERO] {
            let (script, parts) = parts("ethereum", punk(to));
            assert_eq!(parts, [Some(1), None]);
            assert_eq!(script.events[1].event.address("to"), Some(BOB));
        }
        assert_eq!(parts("ethereum", punk(ROUTER)).1, [None; 2], "another one");
        let of_another = EventScript::new().transfer(NFT, ALICE, BOB, 1).nft(ALICE, BOB, 3100, None);
        assert_eq!(parts("ethereum", of_another).1, [None; 2]);
    }
}
