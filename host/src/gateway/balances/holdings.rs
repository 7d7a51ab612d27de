//! Reads what an account holds on one network, at the session's block.

use std::sync::Arc;

use alloy::primitives::{Address, Bytes, U256};
use portolan_reader::{Kind, Outcome, Read, ScanFault, Session};

use super::BalanceWork;
use crate::assets::token::NATIVE;
use crate::gateway::context::Context;
use crate::gateway::query::Assets;

/// The balances that were read, and those that could not be.
#[derive(Default)]
pub(super) struct Holdings {
    /// Balances that were to be read.
    pub(super) reads: usize,
    pub(super) held: Vec<(Address, U256)>,
    pub(super) failed: Vec<(Address, ScanFault)>,
}

pub(super) async fn read(work: &BalanceWork, context: &Context, session: Arc<Session>) -> Holdings {
    match work.assets {
        Assets::Native => native(work.account, &session).await,
        Assets::Tokens => listed(work.account, context.token_index.tokens(session.chain_id()), &session).await,
    }
}

/// The native token of a network: its balance is the account's own.
async fn native(account: Address, session: &Session) -> Holdings {
    let read = Read { kind: Kind::NativeBalance, ..Read::call(account, Bytes::new()) };
    let replies = session.read(vec![read]).await;
    let balance = match replies.first().map(|reply| &reply.outcome) {
        Some(Outcome::Ok(word)) => word.first_chunk::<32>().ok_or(ScanFault::Refused),
        Some(Outcome::Failed(failure)) => Err(ScanFault::Unread(*failure)),
        _ => Err(ScanFault::Refused),
    };
    match balance {
        Ok(word) => Holdings { reads: 1, held: vec![(NATIVE, U256::from_be_bytes(*word))], failed: Vec::new() },
        Err(fault) => Holdings { reads: 1, held: Vec::new(), failed: vec![(NATIVE, fault)] },
    }
}

/// The tokens that lists name; only those that the account holds are looked at closer.
async fn listed(account: Address, listed: &[Address], session: &Session) -> Holdings {
    if listed.is_empty() {
        return Holdings::default();
    }
    let scan = session.scan(account, listed.to_vec()).await;
    let token = |place: usize| listed.get(place).copied();
    Holdings {
        reads: listed.len(),
        held: scan.held.into_iter().filter_map(|(place, held)| Some((token(place)?, held))).collect(),
        failed: scan.failed.into_iter().filter_map(|(place, fault)| Some((token(place)?, fault))).collect(),
    }
}
