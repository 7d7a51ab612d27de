//! Reads an account's balances on one network, at the session's block.

use std::sync::Arc;

use alloy::primitives::{Address, Bytes, U256};
use alloy::sol_types::SolCall;
use portolan_assets::metadata::Erc20;
use portolan_assets::token::NATIVE;
use portolan_reader::{Kind, Outcome, Read, ReadSet, Session};

use super::BalanceWork;
use crate::gateway::context::Context;
use crate::gateway::query::Assets;
use crate::gateway::work::missing_tokens::BalanceFailure;

/// Balances that were read, and those that could not be.
#[derive(Default)]
pub(super) struct Holdings {
    /// Number of balances requested.
    pub(super) reads: usize,
    pub(super) held: Vec<(Address, U256)>,
    pub(super) failed: Vec<(Address, BalanceFailure)>,
    /// Listed addresses without code, which nobody can hold.
    pub(super) codeless: Vec<Address>,
}

pub(super) async fn read(work: &BalanceWork, context: &Context, session: Arc<Session>) -> Holdings {
    match work.assets {
        Assets::Native => native(work.account, &session).await,
        Assets::Tokens => listed(work.account, context.token_index.tokens(session.chain_id()), &session).await,
    }
}

/// Reads the balance of the network's native token.
async fn native(account: Address, session: &Session) -> Holdings {
    let read = Read { kind: Kind::NativeBalance, ..Read::call(account, Bytes::new()) };
    let replies = session.read(vec![read]).await;
    let balance =
        replies.first().map_or(Err(BalanceFailure::Refused), |reply| BalanceFailure::or_balance(&reply.outcome));
    match balance {
        Ok(held) => Holdings { reads: 1, held: vec![(NATIVE, held)], ..Holdings::default() },
        Err(failure) => Holdings { reads: 1, failed: vec![(NATIVE, failure)], ..Holdings::default() },
    }
}

/// Reads the balances of listed tokens.
async fn listed(account: Address, listed: &[Address], session: &Session) -> Holdings {
    let balance_of = Read::call(Address::ZERO, Erc20::balanceOfCall { account }.abi_encode());
    let replies = session.read_set(ReadSet::of_each(listed.to_vec(), balance_of)).await;
    let mut holdings = Holdings { reads: listed.len(), ..Holdings::default() };
    // Balances that are not returned are zero.
    for (place, outcome) in replies.besides_zeros() {
        let Some(token) = listed.get(place).copied() else { continue };
        match BalanceFailure::or_balance(outcome) {
            _ if *outcome == Outcome::NoCode => holdings.codeless.push(token),
            Ok(U256::ZERO) => {}
            Ok(held) => holdings.held.push((token, held)),
            Err(failure) => holdings.failed.push((token, failure)),
        }
    }
    holdings
}
