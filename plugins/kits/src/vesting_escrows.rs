//! Vesting escrows of Yearn's factory and its copies (LlamaPay's): a contract for each grant, which vests by a line to one
//! recipient.
//!
//! A deployment is a list of factories; settings key `escrow_factories`. Answers claimables of what has vested, and locked
//! positions of the rest, with the schedule. The recipients of all escrows are a fact list, since they never change.
//! Invariant: amounts are the escrow's own, which end where it was revoked. An escrow that cannot be read loses only its
//! own rows, and the answer reports it.
//!
//! Source: <https://github.com/LlamaPay/yearn-vesting-escrow/tree/master/contracts>

use std::ops::Range;
use std::sync::Arc;

use portolan_plugin_api::{
    Address, ClaimTemplate, Claimable, Error, JobContext, Keys, Leg, LegRole, Lineage, Position, PositionKind,
    Question, SettingsError, U256, Vesting, symbol,
};

use crate::bounds;
use crate::boxed::Boxed;
use crate::kit::{COUNT_STANDS_S, DeploymentReader, Kit, Labels, Shared};
use crate::partial::join_partial;

portolan_plugin_api::sol! {
    function escrows_length() external view returns (uint256);
    function escrows(uint256 index) external view returns (address);
    function recipient() external view returns (address);
    function token() external view returns (address);
    // What has vested and was not claimed, and what will vest yet; both count a revocation.
    function unclaimed() external view returns (uint256);
    function locked() external view returns (uint256);
    function start_time() external view returns (uint256);
    function end_time() external view returns (uint256);
    function cliff_length() external view returns (uint256);
    // Pays the sender, who has to be the recipient.
    function claim() external returns (uint256);
}

/// Escrows of an account and a factory that are answered; anyone can make one for it.
const ESCROWS_MAX: usize = 64;

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VestingEscrowsKit {
    /// Mechanism of escrows, and `type` of what they pay.
    pub escrow: &'static str,
}

/// Factories of one deployment.
#[derive(Clone, Debug, PartialEq, Eq)]
struct VestingEscrows {
    factories: Vec<Address>,
    types: VestingEscrowsKit,
}

/// An escrow for the account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Escrow {
    address: Address,
    token: Address,
    unclaimed: U256,
    locked: U256,
}

impl VestingEscrowsKit {
    /// Keys of a row for vesting escrows:
    /// - `escrow_factories` (array of addresses): the factories that list them
    pub const KEYS: &'static [&'static str] = &["escrow_factories"];
}

impl Kit for VestingEscrowsKit {
    fn keys(&self) -> &'static [&'static str] {
        Self::KEYS
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        let factories = keys.addresses("escrow_factories")?;
        Ok((!factories.is_empty()).then(|| VestingEscrows { factories, types: *self }.shared()))
    }

    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        vec![ClaimTemplate::new::<claimCall>([])]
    }

    /// Returns the view that gives the escrows of a factory.
    fn lineages(&self) -> Vec<Lineage> {
        vec![Lineage::targets::<escrowsCall>()]
    }
}

impl DeploymentReader for VestingEscrows {
    fn contracts(&self) -> Vec<Address> {
        self.factories.to_vec()
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::CLAIMABLES, Question::LOCKED]
    }

    /// Returns a claim per escrow of which something has vested.
    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(async move {
            let escrows = self.escrows(cx, labels, account).await?.into_iter();
            let row = |escrow: Escrow| {
                let claim = cx.claim(escrow.address, &claimCall {});
                let row = Claimable::new(labels.market, escrow.address, claim).mechanism(self.types.escrow);
                row.named(name(escrow)).pays(escrow.token, escrow.unclaimed)
            };
            Ok(escrows.filter(|escrow| !escrow.unclaimed.is_zero()).map(row).collect())
        })
    }

    /// Returns a position per escrow of which something is still locked.
    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        _: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        Box::pin(async move {
            let escrows = self.escrows(cx, labels, account).await?.into_iter();
            let rows = escrows.filter(|escrow| !escrow.locked.is_zero());
            let rows = rows.map(|escrow| self.position(cx, labels, escrow));
            Ok(join_partial(cx, rows).await.or_report(cx, labels.market))
        })
    }
}

impl VestingEscrows {
    /// Returns the escrows for the account.
    async fn escrows(&self, cx: &JobContext, labels: Labels<'_>, account: Address) -> Result<Vec<Escrow>, Error> {
        let factories = self.factories.iter().enumerate();
        let lists = factories.map(|(number, factory)| places(cx, labels, (number, *factory), account));
        let places = join_partial(cx, lists).await.fail_if_none(cx, labels.market)?.concat();
        let rows = places.into_iter().map(|(factory, place)| escrow(cx, factory, place, account));
        Ok(join_partial(cx, rows).await.or_report(cx, labels.market))
    }

    async fn position(&self, cx: &JobContext, labels: Labels<'_>, escrow: Escrow) -> Result<Position, Error> {
        let start = cx.call(escrow.address, start_timeCall {}).immutable();
        let end = cx.call(escrow.address, end_timeCall {}).immutable();
        let cliff = cx.call(escrow.address, cliff_lengthCall {}).immutable();
        let (start, end, cliff) = cx.join((start, end, cliff)).await?;
        let seconds = |time: U256| u64::try_from(time).ok();
        let cliff = Some(cliff).filter(|cliff| !cliff.is_zero());
        let schedule = Vesting {
            start: seconds(start),
            cliff: cliff.and_then(|cliff| start.checked_add(cliff)).and_then(seconds),
            end: seconds(end),
            releasable: Some(escrow.unclaimed),
        };
        let row = Position::new(PositionKind::VESTING, labels.market, escrow.address).mechanism(self.types.escrow);
        let row = row.named(name(escrow)).leg(Leg::new(LegRole::VESTING, escrow.token, escrow.locked));
        Ok(Position { vesting: Some(schedule), ..row })
    }
}

/// Returns the places in a factory's list of escrows for the account; reports those beyond the bound. The factory has
/// its number in the row.
async fn places(
    cx: &JobContext,
    labels: Labels<'_>,
    (number, factory): (usize, Address),
    account: Address,
) -> Result<Vec<(Address, U256)>, Error> {
    let walk = |places: Range<u64>| {
        cx.join(places.map(async |place| {
            let escrow = cx.call(factory, escrowsCall { index: U256::from(place) }).await?;
            cx.call(escrow, recipientCall {}).immutable().await
        }))
    };
    let count = cx.call(factory, escrows_lengthCall {}).within(COUNT_STANDS_S);
    let recipients: Vec<Address> = cx.facts(labels.market, &format!("escrows-{number}"), count, walk).await?;
    let own = (0_u64..).zip(recipients).filter(|(_, recipient)| *recipient == account);
    let mut own: Vec<_> = own.map(|(place, _)| (factory, U256::from(place))).collect();
    bounds::truncate(cx, format_args!("{}: {factory}", labels.market), &mut own, "escrows", ESCROWS_MAX);
    Ok(own)
}

/// Reads the escrow at a place, and checks that it is for the account.
async fn escrow(cx: &JobContext, factory: Address, place: U256, account: Address) -> Result<Escrow, Error> {
    let address = cx.call(factory, escrowsCall { index: place }).await?;
    let recipient = cx.call(address, recipientCall {}).immutable();
    let token = cx.call(address, tokenCall {}).immutable();
    let unclaimed = cx.call(address, unclaimedCall {});
    let locked = cx.call(address, lockedCall {});
    let (recipient, token, unclaimed, locked) = cx.join((recipient, token, unclaimed, locked)).await?;
    if recipient != account {
        return Err(Error::new(format!("{address}: has another recipient than it had")));
    }
    Ok(Escrow { address, token, unclaimed, locked })
}

fn name(escrow: Escrow) -> String {
    format!("{} escrow", symbol(escrow.token))
}
