//! Lido's queue of withdrawals: what waits in the requests of the account, and the ether that it can claim.
//!
//! Each request is a claim of its own, and any of them may be merged into one transaction.

use portolan_plugin_api::*;

sol! {
    // Source: https://docs.lido.fi/contracts/withdrawal-queue-erc721
    struct WithdrawalRequestStatus {
        uint256 amountOfStETH; uint256 amountOfShares; address owner; uint256 timestamp; bool isFinalized;
        bool isClaimed;
    }
    function getWithdrawalRequests(address owner) external view returns (uint256[] ids);
    function getWithdrawalStatus(uint256[] ids) external view returns (WithdrawalRequestStatus[] statuses);
    function getLastCheckpointIndex() external view returns (uint256);
    function findCheckpointHints(uint256[] ids, uint256 first, uint256 last) external view returns (uint256[] hints);
    function getClaimableEther(uint256[] ids, uint256[] hints) external view returns (uint256[] amounts);
    function claimWithdrawals(uint256[] ids, uint256[] hints) external;
}

/// The answer's `type`.
const MECHANISM: &str = "withdrawal-queue";
/// Requests of an account that are read, the oldest ones.
const REQUESTS_MAX: usize = 500;

/// The rows that the plugin ships with: `protocols/lido.toml`.
const ROWS: Rows = rows!("protocols", &[Queue::KEYS]);

/// The plugin: its deployments.
#[derive(Debug)]
pub struct WithdrawalQueue(Deployments<Queue>);

/// The keys of a row in a settings file.
#[derive(Clone, Debug, FromKeys)]
struct Queue {
    /// The contract that holds the requests.
    queue: Address,
    /// The token that waits there.
    staked_token: Address,
}

/// A request of the account, with what helps the queue to find the rate at which it is paid.
struct Request {
    id: U256,
    status: WithdrawalRequestStatus,
    hint: U256,
}

impl Plugin for WithdrawalQueue {
    fn configure(settings: &Settings) -> Result<Self, SettingsError> {
        settings.serve_rows(ROWS).map(Self)
    }

    fn catalogue(&self) -> Catalogue {
        let served = self.0.catalogue(&[Question::CLAIMABLES, Question::LOCKED], |contracts| [contracts.queue]);
        // Both lists grow where several requests are claimed at once.
        let numbers = || Role::array(Role::NUMBER);
        let claim = ClaimTemplate::new::<claimWithdrawalsCall>([numbers(), numbers()]).merging([0, 1]);
        Catalogue { claims: vec![claim], ..served }
    }

    async fn claimables(&self, cx: &JobContext, account: Address) -> Result<Vec<Claimable>, Error> {
        cx.gather(cx.rows(&self.0).map(|row| withdrawals(cx, row, account))).await
    }

    async fn locked(&self, cx: &JobContext, account: Address) -> Result<Vec<Position>, Error> {
        cx.gather(cx.rows(&self.0).map(async |row| {
            let requests = requests(cx, row, account).await?;
            Ok(requests.iter().filter(|one| !one.status.isFinalized).map(|one| waiting(row, one)).collect::<Vec<_>>())
        }))
        .await
    }
}

/// Returns the claim of each request whose time has come.
async fn withdrawals(cx: &JobContext, row: &Deployment<Queue>, account: Address) -> Result<Vec<Claimable>, Error> {
    let queue = row.mechanism.queue;
    let mut requests = requests(cx, row, account).await?;
    requests.retain(|request| request.status.isFinalized && !request.status.isClaimed);
    if requests.is_empty() {
        return Ok(Vec::new());
    }
    let (ids, hints) = requests.iter().map(|request| (request.id, request.hint)).unzip();
    let amounts = cx.call(queue, getClaimableEtherCall { ids, hints }).await?;
    let claimables = requests.iter().zip(amounts).map(|(Request { id, hint, .. }, amount)| {
        let claim = || cx.claim(queue, &claimWithdrawalsCall { ids: vec![*id], hints: vec![*hint] });
        let claimable = Claimable::new(&row.market, queue, claim().mergeable_as(claim())).mechanism(MECHANISM);
        claimable.named("Lido withdrawal").numbered(*id).pays(NATIVE, amount)
    });
    Ok(claimables.collect())
}

/// Returns what waits in a request. Nobody knows when its time will come.
fn waiting(row: &Deployment<Queue>, request: &Request) -> Position {
    let Queue { queue, staked_token } = row.mechanism;
    let leg = Leg::new(LegRole::LOCKED, staked_token, request.status.amountOfStETH);
    let position = Position::new(PositionKind::LOCKED, &row.market, queue).mechanism(MECHANISM).numbered(request.id);
    let nft = Some(Nft { collection: queue, token_id: request.id });
    Position { nft, ..position.named(format!("{} withdrawal", symbol(staked_token))).leg(leg) }
}

/// Returns the account's requests that have not been claimed, in order.
async fn requests(cx: &JobContext, row: &Deployment<Queue>, account: Address) -> Result<Vec<Request>, Error> {
    let queue = row.mechanism.queue;
    let ids = cx.call(queue, getWithdrawalRequestsCall { owner: account });
    let (mut ids, last) = cx.join((ids, cx.call(queue, getLastCheckpointIndexCall {}))).await?;
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    // The queue finds hints for sorted ids alone.
    ids.sort_unstable();
    if ids.len() > REQUESTS_MAX {
        cx.report_not_covered(format!("{}: {REQUESTS_MAX} of {} requests are read", row.market, ids.len()));
        ids.truncate(REQUESTS_MAX);
    }
    let (statuses, hints) = cx
        .join((
            cx.call(queue, getWithdrawalStatusCall { ids: ids.clone() }),
            cx.call(queue, findCheckpointHintsCall { ids: ids.clone(), first: U256::ONE, last }),
        ))
        .await?;
    if statuses.len() != ids.len() || hints.len() != ids.len() {
        return Err(Error::new(format!("{queue}: not a status and a hint for each request")));
    }
    let requests = ids.into_iter().zip(statuses).zip(hints);
    Ok(requests.map(|((id, status), hint)| Request { id, status, hint }).collect())
}

portolan_plugin_api::export!(WithdrawalQueue);

#[cfg(test)]
mod tests {
    use portolan_plugin_api::networks::ETHEREUM;
    use portolan_plugin_api::testing::{self, CannedReplies, End, JobTest, Outcome};

    use super::*;

    const QUEUE: Address = address!("0x889edc2edab5f40e902b864ad4d7ade8e412f9b1");
    const STETH: Address = address!("0xae7ab96520de3a18e5e111b5eaab095312d7fe84");
    const ACCOUNT: Address = address!("0x2222222222222222222222222222222222222222");

    fn words(numbers: &[u64]) -> Vec<U256> {
        numbers.iter().copied().map(U256::from).collect()
    }

    /// Requests 4,002 and 4,001 of 30 and 20, of which the latter is paid 19; the ids are as the queue lists them.
    fn chain() -> CannedReplies {
        let ids = words(&[4_001, 4_002]);
        let status = |amount: u64, is_final: bool| WithdrawalRequestStatus {
            amountOfStETH: U256::from(amount),
            amountOfShares: U256::from(amount),
            owner: ACCOUNT,
            timestamp: U256::from(1_600_000_000),
            isFinalized: is_final,
            isClaimed: false,
        };
        let hints = findCheckpointHintsCall { ids: ids.clone(), first: U256::ONE, last: U256::from(900) };
        let ether = getClaimableEtherCall { ids: words(&[4_001]), hints: words(&[555]) };
        empty()
            .reply(ETHEREUM, QUEUE, &getWithdrawalRequestsCall { owner: ACCOUNT }, &words(&[4_002, 4_001]))
            .reply(ETHEREUM, QUEUE, &getWithdrawalStatusCall { ids }, &vec![status(20, true), status(30, false)])
            .reply(ETHEREUM, QUEUE, &hints, &words(&[555, 0]))
            .reply(ETHEREUM, QUEUE, &ether, &words(&[19]))
    }

    /// A queue without requests of the account.
    fn empty() -> CannedReplies {
        CannedReplies::default()
            .reply(ETHEREUM, QUEUE, &getWithdrawalRequestsCall { owner: ACCOUNT }, &words(&[]))
            .reply(ETHEREUM, QUEUE, &getLastCheckpointIndexCall {}, &U256::from(900))
    }

    fn run(question: Question, chain: &CannedReplies) -> Outcome {
        JobTest::new("lido", ETHEREUM, question, ACCOUNT).run::<WithdrawalQueue>(chain)
    }

    #[test]
    fn every_row_that_ships_is_read() {
        testing::check_rows::<WithdrawalQueue>(ROWS, concat!(env!("CARGO_MANIFEST_DIR"), "/protocols"));
    }

    #[test]
    fn what_was_recorded_on_a_chain_is_found_again() {
        let recorded = testing::replay_all::<WithdrawalQueue>(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures"));
        assert!(recorded > 0, "no fixture");
    }

    #[test]
    fn a_request_whose_time_has_come_is_claimed_with_its_hint() {
        let outcome = run(Question::CLAIMABLES, &chain());
        assert_eq!((outcome.end, outcome.claimables().len()), (End::Complete, 1), "{}", outcome.message);
        let found = outcome.claimables()[0];
        assert_eq!(found.payments, [Payment { token: NATIVE, amount: U256::from(19), ..Payment::default() }]);
        let claim = claimWithdrawalsCall { ids: words(&[4_001]), hints: words(&[555]) };
        assert_eq!((found.steps[0].to, &found.steps[0].arguments[..]), (QUEUE, &claim.abi_encode()[4..]));
        assert!(found.steps[0].mergeable.is_some());
    }

    #[test]
    fn a_request_that_waits_is_locked() {
        let outcome = run(Question::LOCKED, &chain());
        let [leg] = outcome.legs()[..] else { panic!("{:?}", outcome.findings) };
        assert_eq!((leg.token, leg.amount, leg.number), (STETH, U256::from(30), Some(U256::from(4_002))));
        outcome.check_totals(&run(Question::CLAIMABLES, &chain()));
    }

    #[test]
    fn an_account_with_nothing_costs_two_reads() {
        for question in [Question::CLAIMABLES, Question::LOCKED] {
            let outcome = run(question, &empty());
            assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
            assert_eq!(outcome.batches, [2]);
        }
    }

    #[test]
    fn a_contract_that_does_not_answer_is_a_failure_and_not_an_empty_answer() {
        assert_eq!(run(Question::CLAIMABLES, &CannedReplies::default()).end, End::Failed);
    }
}
