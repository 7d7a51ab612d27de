//! Goes on with the search for an account's approvals in the logs of one network, and says how far it got.

use alloy::primitives::Address;
use portolan_reader::{ApprovalQuery, SearchEnd, Session};
use tokio::time::Instant;

use crate::gateway::approval_lists::ApprovalList;
use crate::gateway::context::Context;
use crate::jobs::failure::{Failure, Reason};

/// Maximum requests for logs on a network that the client names, and on each if it names none.
const REQUESTS_MAX: u32 = 40;
const REQUESTS_MAX_EACH: u32 = 8;

/// What is known of the history.
pub(super) struct SearchedLogs {
    pub(super) list: ApprovalList,
    /// Why older approvals may be missing.
    pub(super) missing: Option<Failure>,
    /// True if no block was searched, now or before.
    pub(super) is_blank: bool,
}

/// Searches what was not searched before, newest blocks first, and keeps what was found.
pub(super) async fn read(context: &Context, session: &Session, account: Address, is_named: bool) -> SearchedLogs {
    let (chain_id, head) = (session.chain_id(), session.block().number);
    let lists = &context.sources.approval_lists;
    let listed = context.token_index.tokens(chain_id);
    let is_listed = |token: Address| listed.binary_search(&token).is_ok();
    let mut list = lists.get(chain_id, account);
    let mut left = if is_named { REQUESTS_MAX } else { REQUESTS_MAX_EACH };
    let now = Instant::now();
    // The rest is for reads.
    let deadline = now + session.deadline().saturating_duration_since(now) / 2;
    let mut end = SearchEnd::Whole;
    for (from, to) in list.gaps(head) {
        let query = ApprovalQuery { account, from, to, requests_max: left };
        let found = session.approvals(query, deadline).await;
        left = left.saturating_sub(found.requests);
        list.add(found.pairs, is_listed);
        if let Some(lowest) = found.from {
            list.note(lowest, to);
        }
        end = found.end;
        if end != SearchEnd::Whole {
            break;
        }
    }
    lists.keep(chain_id, account, list.clone(), head);
    let gaps = list.gaps(head);
    SearchedLogs { missing: missing(end, &gaps), is_blank: gaps == [(0, head)], list }
}

fn missing(end: SearchEnd, gaps: &[(u64, u64)]) -> Option<Failure> {
    let blocks: Vec<String> = gaps.iter().map(|(from, to)| format!("{from} to {to}")).collect();
    let blocks = format!("the logs of the blocks {} were not searched", blocks.join(", "));
    match end {
        SearchEnd::Whole => None,
        SearchEnd::Bound => Some(Failure::new(Reason::History, format!("{blocks} yet: the next answer goes on there"))),
        SearchEnd::NoLogs => Some(Failure::new(Reason::History, format!("{blocks}: no node has them"))),
        SearchEnd::Failed(failure) => Some(Failure::new(failure.into(), format!("{blocks}: {failure}"))),
    }
}
