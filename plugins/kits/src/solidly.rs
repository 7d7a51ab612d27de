//! Solidly in Velodrome's form: gauges listed by a voter, veNFTs of an escrow, rebases of these locks, and rewards of
//! their votes.
//!
//! Settings keys are `generation`, which names the copied contracts, and the fields of [`SolidlyContracts`]. Answers
//! claimables, staked positions, liquidity that is not staked, and locked positions. Invariant: a failing gauge or lock
//! loses only its own rows, and the answer reports it. A claim calls a gauge only if the voter names it for its pool at
//! the answer's block.

mod concentrated;
mod contracts;
mod gauges;
mod generation;
mod lock_claims;
mod locks;
mod past_votes;
mod rebases;
mod reward_lists;
mod single_rewards;
mod stakes;
mod votes;

use std::sync::Arc;

use portolan_plugin_api::{
    Address, ClaimTemplate, Claimable, Error, FromKeys, JobContext, Keys, Lineage, Position, Question, Role,
    SettingsError,
};

use crate::boxed::Boxed;
use crate::kit::{DeploymentReader, Kit, Labels, Shared, ZERO_STANDS_S};
use crate::partial::join_partial;
use contracts::{claimCall, claimManyCall, claimRewardsCall, first, gaugesCall, getRewardCall, listed, thena, veCall};

pub use generation::Generation;

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SolidlyKit {
    /// `type` of rewards and `vaultType` of stakes in the answer.
    pub gauge: &'static str,
    /// Mechanism of liquidity that is held without a stake.
    pub pool: &'static str,
    /// Mechanism of locks.
    pub lock: &'static str,
    /// `type` of rebases in the answer.
    pub rebase: &'static str,
    /// `type` of fees earned by votes in the answer.
    pub fees: &'static str,
    /// `type` of bribes earned by votes in the answer.
    pub bribe: &'static str,
}

/// Contracts of a deployment: the keys of its settings row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromKeys)]
pub struct SolidlyContracts {
    /// The voter, which lists the pools and their gauges.
    pub voter: Address,
    /// Voting escrow, whose NFTs are the locks. If missing beside a distributor, it is read from the voter.
    pub escrow: Option<Address>,
    /// Distributor of rebases to these locks.
    pub distributor: Option<Address>,
}

/// One deployment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Solidly {
    contracts: SolidlyContracts,
    types: SolidlyKit,
    generation: Generation,
}

impl SolidlyKit {
    /// Keys of a row for gauges, locks and rebases of Velodrome or of a fork:
    /// - `voter` (address): the voter, which lists pools and gauges
    /// - `escrow` (address, optional): the veNFTs; if it is missing beside `distributor`, the voter names it (`ve` or
    ///   `_ve`), and without both there are no locks
    /// - `distributor` (address, optional): the distributor of rebases; without it there are none
    /// - `generation` (`velodrome-v2`, `velodrome-v1`, `equalizer`, `thena` or `thena-v1`, optional): the protocol
    ///   whose contracts these are copies of; `velodrome-v2` if missing
    pub const KEYS: &'static [&'static str] = &["voter", "escrow", "distributor", "generation"];

    /// Creates a deployment of another generation's contracts.
    fn of_generation(self, generation: Generation, contracts: SolidlyContracts) -> Solidly {
        Solidly { contracts, types: self, generation }
    }
}

impl Kit for SolidlyKit {
    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        if keys.address_opt("voter")?.is_none() {
            return Ok(None);
        }
        let contracts = SolidlyContracts::from_keys(keys)?;
        Ok(Some(self.of_generation(Generation::read(keys)?, contracts).shared()))
    }

    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        let tokens = || Role::array(Role::TOKEN);
        vec![
            ClaimTemplate::new::<getRewardCall>([Role::ACCOUNT]),
            ClaimTemplate::new::<thena::getRewardCall>([]),
            ClaimTemplate::new::<contracts::concentrated::getRewardCall>([Role::NUMBER]),
            ClaimTemplate::new::<claimRewardsCall>([Role::array(Role::MARKET)]).merging([0]),
            ClaimTemplate::new::<listed::getRewardCall>([Role::ACCOUNT, tokens()]),
            ClaimTemplate::new::<listed::claimRewardsCall>([Role::array(Role::MARKET), Role::array(tokens())])
                .merging([0, 1]),
            ClaimTemplate::new::<contracts::votes::claimFeesCall>([
                Role::array(Role::MARKET),
                Role::array(tokens()),
                Role::NUMBER,
            ])
            .merging([0, 1]),
            ClaimTemplate::new::<contracts::votes::claimBribesCall>([
                Role::array(Role::MARKET),
                Role::array(tokens()),
                Role::NUMBER,
            ])
            .merging([0, 1]),
            ClaimTemplate::new::<claimCall>([Role::NUMBER]).by_anyone(),
            ClaimTemplate::new::<claimManyCall>([Role::array(Role::NUMBER)]).by_anyone().merging([0]),
            ClaimTemplate::new::<first::claim_manyCall>([Role::array(Role::NUMBER)]).by_anyone().merging([0]),
        ]
    }

    /// Returns the views that give a pool's gauge, the contracts that pay its votes, the escrow whose locks are claimed
    /// for, and the tokens of all. The `rewards` view of concentrated gauges returns an amount instead; no claim names it.
    fn lineages(&self) -> Vec<Lineage> {
        vec![
            Lineage::targets::<gaugesCall>(),
            Lineage::markets::<veCall>(),
            Lineage::markets::<first::_veCall>(),
            Lineage::markets::<contracts::votes::gaugeToFeesCall>(),
            Lineage::markets::<contracts::votes::gaugeToBribeCall>(),
            Lineage::tokens::<listed::rewardsCall>().of_given(),
            Lineage::tokens::<listed::rewardTokensCall>().of_given(),
        ]
    }
}

impl DeploymentReader for Solidly {
    fn contracts(&self) -> Vec<Address> {
        let SolidlyContracts { voter, escrow, distributor } = self.contracts;
        [Some(voter), escrow, distributor].into_iter().flatten().collect()
    }

    fn questions(&self) -> Vec<Question> {
        let locked = self.contracts.escrow.or(self.contracts.distributor).map(|_| Question::LOCKED);
        [Question::CLAIMABLES, Question::FARMING, Question::POOLING].into_iter().chain(locked).collect()
    }

    /// Reads the escrow if the row has only a distributor.
    fn resolve<'a>(&'a self, cx: &'a JobContext, _: &'a str) -> Boxed<'a, Option<Arc<dyn DeploymentReader>>> {
        Box::pin(async move {
            let SolidlyContracts { voter, escrow: None, distributor: Some(_) } = self.contracts else {
                return Ok(None);
            };
            let first = cx.try_call(voter, first::_veCall {}).immutable();
            let (second, first) = cx.join((cx.try_call(voter, veCall {}).immutable(), first)).await?;
            let named = [second, first].into_iter().filter_map(Result::ok).find(|named| !named.is_zero());
            let missing = || Error::new(format!("{voter}: names no escrow as ve, _ve; the key `escrow` can name it"));
            let contracts = SolidlyContracts { escrow: Some(named.ok_or_else(missing)?), ..self.contracts };
            Ok(Some(Self { contracts, ..*self }.shared()))
        })
    }

    /// Returns a claim per gauge with rewards, and the claims of locks.
    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        let parts: [Boxed<'a, Vec<Claimable>>; 2] = [
            Box::pin(stakes::claimables(cx, self, labels, account)),
            Box::pin(lock_claims::claimables(cx, self, labels, account)),
        ];
        Box::pin(async move {
            let found = join_partial(cx, parts).await.fail_if_none(cx, labels.market)?;
            Ok(found.into_iter().flatten().collect())
        })
    }

    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        question: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        match question {
            Question::FARMING => Box::pin(stakes::positions(cx, self, labels, account)),
            Question::POOLING => Box::pin(stakes::unstaked(cx, self, labels, account)),
            Question::LOCKED => Box::pin(locks::positions(cx, self, labels, account)),
            _ => Box::pin(async { Err(Error::new("not one of its questions")) }),
        }
    }
}
