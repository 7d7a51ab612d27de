//! Rebases: what locks get so that they are not diluted. A claim adds it to the lock, or pays the owner once that is over.

use portolan_plugin_api::{Address, Chain, Claimable, Error, PaidTo, Payment, U256, symbol};

use super::Solidly;
use super::contracts::{
    ESCROW_TYPE_DEPOSITED, activePeriodCall, claimCall, claimManyCall, claimableCall, escrowTypeCall, lockedCall,
    minterCall, tokenCall,
};
use super::locks::held;
use crate::kit::Labels;
use crate::try_each::try_each;

/// Seconds of a period; periods begin at multiples of it.
const WEEK_S: u64 = 7 * 86_400;

/// A rebase that can be claimed, and where it goes.
#[derive(Clone, Copy, Debug)]
struct Rebase {
    lock: U256,
    amount: U256,
    paid_to: PaidTo,
}

/// A claim for each lock that has a rebase.
pub(super) async fn claimables(
    cx: &Chain,
    of: &Solidly,
    labels: Labels<'_>,
    account: Address,
) -> Result<Vec<Claimable>, Error> {
    let (Some(escrow), Some(distributor)) = (of.contracts.escrow, of.contracts.distributor) else {
        return Ok(Vec::new());
    };
    let held = held(cx, labels, escrow, account).await?;
    let rebases = held.into_iter().map(|lock| rebase(cx, escrow, distributor, lock));
    let rebases = try_each(cx, rebases).await.or_err_if_all(cx, labels.market)?;
    let rebases: Vec<Rebase> = rebases.into_iter().flatten().collect();
    if rebases.is_empty() {
        return Ok(Vec::new());
    }
    let token = cx.call(escrow, tokenCall {}).immutable();
    let (token, is_open) = cx.join((token, is_open(cx, distributor))).await?;
    if !is_open {
        return Err(Error::new("rebases cannot be claimed until the minter begins this week's period"));
    }
    let row = |Rebase { lock, amount, paid_to }| {
        let merged = cx.claim(distributor, &claimManyCall { tokenIds: vec![lock] });
        let claim = cx.claim(distributor, &claimCall { tokenId: lock }).mergeable_as(merged);
        let claimable = Claimable::new(labels.market, distributor, claim).of(of.types.rebase).numbered(lock);
        let payment = Payment { token, amount, paid_to, name: None };
        claimable.named(format!("{} rebase", symbol(token))).payment(payment)
    };
    Ok(rebases.into_iter().map(row).collect())
}

/// What a lock has coming. The distributor pays nothing to a lock that is deposited in a managed one.
async fn rebase(cx: &Chain, escrow: Address, distributor: Address, lock: U256) -> Result<Option<Rebase>, Error> {
    let reads = (
        cx.call(distributor, claimableCall { tokenId: lock }),
        cx.call(escrow, lockedCall { tokenId: lock }),
        cx.call(escrow, escrowTypeCall { tokenId: lock }),
    );
    let (amount, locked, escrow_type) = cx.join(reads).await?;
    if amount.is_zero() || escrow_type == ESCROW_TYPE_DEPOSITED {
        return Ok(None);
    }
    let is_over = U256::from(cx.block().timestamp) >= locked.end && !locked.isPermanent;
    Ok(Some(Rebase { lock, amount, paid_to: if is_over { PaidTo::ACCOUNT } else { PaidTo::LOCK } }))
}

/// Whether the minter has begun the week's period; before that, every claim reverts.
async fn is_open(cx: &Chain, distributor: Address) -> Result<bool, Error> {
    let minter = cx.call(distributor, minterCall {}).immutable().await?;
    let begun = cx.call(minter, activePeriodCall {}).await?;
    let now = cx.block().timestamp;
    Ok(begun >= U256::from(now - now % WEEK_S))
}
