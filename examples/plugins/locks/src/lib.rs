//! ACME: what still vests in the streams of the account, and what it can withdraw from them now.
//!
//! A stream is an NFT of Sablier's Lockup, version 1.2, whose owner is paid. No view lists the streams of an account, so
//! that the owners of all streams are read, once for all accounts, and those that match are read again. A settings file may
//! name another contract, on any network.

use portolan_plugin_api::*;

sol! {
    // Source: https://github.com/sablier-labs/lockup/blob/v1.2.0/src/types/DataTypes.sol
    struct Amounts { uint128 deposited; uint128 withdrawn; uint128 refunded; }
    struct Stream {
        address sender; address recipient; uint40 startTime; bool isCancelable; bool wasCanceled; address asset;
        uint40 endTime; bool isDepleted; bool isStream; bool isTransferable; Amounts amounts; uint40 cliffTime;
    }
    // Source: https://etherscan.io/address/0x3962f6585946823440d274ad7c719b02b49de51e#code
    function nextStreamId() external view returns (uint256);
    function balanceOf(address owner) external view returns (uint256);
    function ownerOf(uint256 streamId) external view returns (address);
    function getStream(uint256 streamId) external view returns (Stream);
    function withdrawableAmountOf(uint256 streamId) external view returns (uint128);
    function withdrawMax(uint256 streamId, address to) external returns (uint128);
}

/// The answer's `type`.
const MECHANISM: &str = "linear-stream";
/// Streams whose owners are read: the newest ones, a sixth of the reads that a job has.
const STREAMS_MAX: u64 = 20_000;
/// Seconds for which a list of owners stands, and a count of none.
const STANDS_S: u32 = 300;

/// The rows that the plugin ships with: `protocols/acme.toml`.
const ROWS: Rows = rows!("protocols", &[Lockup::KEYS]);

/// The plugin: its deployments.
#[derive(Debug)]
pub struct Acme(Deployments<Lockup>);

/// The keys of a row in a settings file.
#[derive(Clone, Debug, FromKeys)]
struct Lockup {
    /// The contract that holds the streams.
    lockup: Address,
}

/// A stream of the account.
struct Vested {
    id: U256,
    stream: Stream,
    /// What it has released, and nobody has withdrawn.
    withdrawable: U256,
    /// What it has not released.
    vesting: U256,
}

impl Plugin for Acme {
    fn configure(settings: &Settings) -> Result<Self, SettingsError> {
        settings.serve_rows(ROWS).map(Self)
    }

    fn catalogue(&self) -> Catalogue {
        let served = self.0.catalogue(&[Question::CLAIMABLES, Question::LOCKED], |contracts| [contracts.lockup]);
        // A number that the account may claim: `ownerOf` names the account, or a read beside the account returned it.
        let withdraw = ClaimTemplate::new::<withdrawMaxCall>([Role::NUMBER, Role::ACCOUNT]);
        Catalogue { claims: vec![withdraw], ..served }
    }

    async fn claimables(&self, cx: &JobContext, account: Address) -> Result<Vec<Claimable>, Error> {
        cx.gather(cx.rows(&self.0).map(async |row| {
            let streams = streams(cx, row, account).await?.into_iter();
            Ok(streams.filter_map(|vested| claimable(cx, row, &vested, account)).collect::<Vec<_>>())
        }))
        .await
    }

    async fn locked(&self, cx: &JobContext, account: Address) -> Result<Vec<Position>, Error> {
        cx.gather(cx.rows(&self.0).map(async |row| {
            let streams = streams(cx, row, account).await?.into_iter();
            Ok(streams.filter_map(|vested| position(row, &vested)).collect::<Vec<_>>())
        }))
        .await
    }
}

/// Returns the claim of what a stream has released.
fn claimable(cx: &JobContext, row: &Deployment<Lockup>, vested: &Vested, account: Address) -> Option<Claimable> {
    let (lockup, asset) = (row.mechanism.lockup, vested.stream.asset);
    let claim = cx.claim(lockup, &withdrawMaxCall { streamId: vested.id, to: account });
    let claimable = Claimable::new(&row.market, lockup, claim).mechanism(MECHANISM).numbered(vested.id);
    let claimable = claimable.named(format!("{} stream", symbol(asset))).pays(asset, vested.withdrawable);
    Some(claimable).filter(|_| !vested.withdrawable.is_zero())
}

/// Returns what still vests in a stream; `None` once all is released.
fn position(row: &Deployment<Lockup>, Vested { id, stream, withdrawable, vesting }: &Vested) -> Option<Position> {
    if vesting.is_zero() {
        return None;
    }
    let schedule = Vesting {
        start: Some(stream.startTime.to()),
        cliff: Some(stream.cliffTime.to()).filter(|cliff| *cliff > 0),
        end: Some(stream.endTime.to()),
        releasable: Some(*withdrawable),
    };
    let lockup = row.mechanism.lockup;
    let position = Position::new(PositionKind::VESTING, &row.market, lockup).mechanism(MECHANISM).numbered(*id);
    let position = position.named(format!("{} stream", symbol(stream.asset)));
    Some(Position {
        vesting: Some(schedule),
        nft: Some(Nft { collection: lockup, token_id: *id }),
        ..position.leg(Leg::new(LegRole::VESTING, stream.asset, *vesting))
    })
}

/// Returns the account's streams.
async fn streams(cx: &JobContext, row: &Deployment<Lockup>, account: Address) -> Result<Vec<Vested>, Error> {
    let lockup = row.mechanism.lockup;
    let ids = owned(cx, row, account).await?;
    cx.join(ids.into_iter().map(async |id| {
        let stream = cx.call(lockup, getStreamCall { streamId: id });
        let withdrawable = cx.call(lockup, withdrawableAmountOfCall { streamId: id });
        let (stream, withdrawable) = cx.join((stream, withdrawable)).await?;
        let withdrawable = U256::from(withdrawable);
        let Amounts { deposited, withdrawn, refunded } = stream.amounts;
        let gone = U256::from(withdrawn) + U256::from(refunded) + withdrawable;
        // What contracts reply may be anything: a panic would be the plugin's fault.
        let vesting = U256::from(deposited).checked_sub(gone);
        let vesting = vesting.ok_or_else(|| Error::new(format!("{lockup}: stream {id} pays more than it holds")))?;
        Ok(Vested { id, stream, withdrawable, vesting })
    }))
    .await
}

/// Returns the ids of the account's streams, by their owners in the answer's block.
async fn owned(cx: &JobContext, row: &Deployment<Lockup>, account: Address) -> Result<Vec<U256>, Error> {
    let lockup = row.mechanism.lockup;
    // Most accounts have none, and cost this read alone.
    let count = cx.call(lockup, balanceOfCall { owner: account }).zero_within(STANDS_S).await?;
    if count.is_zero() {
        return Ok(Vec::new());
    }
    let next: u64 = cx.call(lockup, nextStreamIdCall {}).await?.saturating_to();
    let owner_of = |id: &U256| (lockup, ownerOfCall { streamId: *id });
    let mut ids: Vec<U256> = (next.saturating_sub(STREAMS_MAX).max(1)..next).map(U256::from).collect();
    // The same reads for every account; a stream that was burnt reverts.
    let owners = cx.try_call_each(ids.iter().map(owner_of)).within(STANDS_S).await;
    ids = of_account(ids, owners, account)?;
    // One may have been transferred since.
    let owners = cx.try_call_each(ids.iter().map(owner_of)).await;
    ids = of_account(ids, owners, account)?;
    if count != U256::from(ids.len()) {
        let (market, found) = (&row.market, ids.len());
        cx.report_not_covered(format!(
            "{market}: {found} of {count} streams were found; others are not among the newest {STREAMS_MAX}, or were \
             received in the last {STANDS_S} s"
        ));
    }
    Ok(ids)
}

fn of_account(
    ids: Vec<U256>,
    owners: Vec<Result<Result<Address, Revert>, Error>>,
    account: Address,
) -> Result<Vec<U256>, Error> {
    let owned = ids.into_iter().zip(owners).map(|(id, owner)| Ok((owner? == Ok(account)).then_some(id)));
    owned.filter_map(Result::transpose).collect()
}

portolan_plugin_api::export!(Acme);

#[cfg(test)]
mod tests {
    use portolan_plugin_api::networks::ETHEREUM;
    use portolan_plugin_api::testing::{self, CannedReplies, End, JobTest, Outcome};

    use super::*;

    const LOCKUP: Address = address!("0x3962f6585946823440d274ad7c719b02b49de51e");
    const TOKEN: Address = Address::repeat_byte(0xa1);
    const ACCOUNT: Address = address!("0x2222222222222222222222222222222222222222");
    const OTHER: Address = address!("0x3333333333333333333333333333333333333333");

    /// The second of three streams is the account's: of 100, 30 are withdrawn and `withdrawable` are released beside;
    /// `refunded` went back to the sender. The first one is burnt, the third one another account's.
    fn chain(refunded: u64, withdrawable: u64, count: u64) -> CannedReplies {
        let call = |id: u64| ownerOfCall { streamId: U256::from(id) };
        let stream_id = U256::from(2);
        // The members of a stream, a word each.
        let mut stream = [U256::ZERO; 14];
        (stream[2], stream[5], stream[6]) = (U256::from(1_000), TOKEN.into_word().into(), U256::from(2_000));
        (stream[10], stream[11], stream[12]) = (U256::from(100), U256::from(30), U256::from(refunded));
        CannedReplies::default()
            .reply(ETHEREUM, LOCKUP, &balanceOfCall { owner: ACCOUNT }, &U256::from(count))
            .reply(ETHEREUM, LOCKUP, &nextStreamIdCall {}, &U256::from(4))
            .revert(ETHEREUM, LOCKUP, &call(1))
            .reply(ETHEREUM, LOCKUP, &call(2), &ACCOUNT)
            .reply(ETHEREUM, LOCKUP, &call(3), &OTHER)
            .reply(ETHEREUM, LOCKUP, &getStreamCall { streamId: stream_id }, &stream)
            .reply(ETHEREUM, LOCKUP, &withdrawableAmountOfCall { streamId: stream_id }, &U256::from(withdrawable))
    }

    fn run(question: Question, chain: &CannedReplies) -> Outcome {
        JobTest::new("acme", ETHEREUM, question, ACCOUNT).run::<Acme>(chain)
    }

    #[test]
    fn every_row_that_ships_is_read() {
        testing::check_rows::<Acme>(ROWS, concat!(env!("CARGO_MANIFEST_DIR"), "/protocols"));
    }

    #[test]
    fn what_was_recorded_on_a_chain_is_found_again() {
        let recorded = testing::replay_all::<Acme>(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures"));
        assert!(recorded > 0, "no fixture");
    }

    #[test]
    fn what_is_released_can_be_withdrawn_and_the_rest_vests() {
        let chain = chain(0, 20, 1);
        let (locked, claimables) = (run(Question::LOCKED, &chain), run(Question::CLAIMABLES, &chain));
        assert_eq!((locked.end, claimables.end), (End::Complete, End::Complete), "{}", locked.message);
        let position = locked.positions()[0];
        assert_eq!((position.number, position.legs[0].amount), (Some(U256::from(2)), U256::from(50)));
        let schedule = position.vesting.expect("the schedule is known");
        assert_eq!((schedule.start, schedule.cliff, schedule.end), (Some(1_000), None, Some(2_000)));
        assert_eq!(schedule.releasable, Some(U256::from(20)));
        let found = claimables.claimables()[0];
        assert_eq!(found.payments, [Payment { token: TOKEN, amount: U256::from(20), ..Payment::default() }]);
        let withdraw = withdrawMaxCall { streamId: U256::from(2), to: ACCOUNT };
        assert_eq!((found.steps[0].to, &found.steps[0].arguments[..]), (LOCKUP, &withdraw.abi_encode()[4..]));
        locked.check_totals(&claimables);
    }

    #[test]
    fn a_stream_that_was_cancelled_no_longer_vests() {
        let chain = chain(50, 20, 1);
        assert_eq!(run(Question::LOCKED, &chain).findings, []);
        assert_eq!(run(Question::CLAIMABLES, &chain).payments()[0].amount, U256::from(20));
    }

    #[test]
    fn a_stream_that_is_not_found_is_reported() {
        let outcome = run(Question::CLAIMABLES, &chain(0, 20, 2));
        assert_eq!((outcome.end, outcome.claimables().len()), (End::Partial, 1), "{}", outcome.message);
        assert!(outcome.not_covered[0].starts_with("main: 1 of 2 streams were found"), "{:?}", outcome.not_covered);
    }

    #[test]
    fn an_account_with_nothing_costs_one_read() {
        for question in [Question::CLAIMABLES, Question::LOCKED] {
            let outcome = run(question, &chain(0, 20, 0));
            assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
            assert_eq!(outcome.batches, [1]);
        }
    }

    #[test]
    fn a_contract_that_does_not_answer_is_a_failure_and_not_an_empty_answer() {
        assert_eq!(run(Question::CLAIMABLES, &CannedReplies::default()).end, End::Failed);
    }
}
