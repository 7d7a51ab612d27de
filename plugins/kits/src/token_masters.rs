//! Masters whose pools are named by the token that is staked: Magpie's and those of its copies (Penpie).
//!
//! Settings keys `token_master`, `master_kind`, `master_reward` and `master_locks`. Answers claimables and farming
//! positions. Invariant: a claim says only what reaches the account. What Magpie locks for the account when it is
//! claimed is a locked leg of its stake, and a lock that has cooled down earns a part alone, by the lock's own view. A
//! failing pool loses only its own row, and the answer reports it.
//!
//! Sources: `rewards/MasterPenpie.sol`, `rewards/vlPenpieBaseRewarder.sol` and `VLPenpie.sol` of
//! <https://github.com/magpiexyz/penpie_contracts>; `MasterMagpie.sol` as
//! <https://github.com/cassc/etherscan-contract-crawler/tree/main/bsc_contracts> has it.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use portolan_plugin_api::{
    Address, ClaimTemplate, Claimable, Error, JobContext, Keys, Leg, LegRole, Lineage, Position, PositionKind,
    Question, Reward, Role, SettingsError, U256, symbol,
};

use crate::bounds::truncate;
use crate::boxed::Boxed;
use crate::fixed_point::{WAD, mul_div};
use crate::kit::{COUNT_STANDS_S, DeploymentReader, Kit, Labels, Shared, ZERO_STANDS_S};
use crate::partial::{join_partial, with_both, with_each};
use crate::token_sums;

portolan_plugin_api::sol! {
    function poolLength() external view returns (uint256);
    // A token stays at its place.
    function registeredToken(uint256 index) external view returns (address token);
    function stakingInfo(address stakingToken, address user) external view returns (uint256 staked, uint256 available);
    // The amount of all stakes, and what is paid for them a second.
    function getPoolInfo(address stakingToken) external view
        returns (uint256 emission, uint256 points, uint256 size, uint256 allPoints);
    function allPendingTokens(address stakingToken, address user) external view
        returns (uint256 main, address[] tokens, string[] symbols, uint256[] amounts);
    // Pays the sender all rewards of these pools.
    function multiclaim(address[] stakingTokens) external;

    // A lock of the master's own token: the part of its rewards that a claim pays, with 18 decimals.
    function getRewardablePercentWAD(address user) external view returns (uint256 percent);
}

/// Magpie's own.
mod magpie {
    portolan_plugin_api::sol! {
        // Earned up to the last change of the stake, and not paid.
        function unClaimedMgp(address stakingToken, address user) external view returns (uint256);
        // True for pools whose main reward is paid and not locked.
        function MPGRewardPool(address stakingToken) external view returns (bool);
    }
}

/// Penpie's own.
mod penpie {
    portolan_plugin_api::sol! {
        function userInfo(address stakingToken, address user) external view
            returns (uint256 staked, uint256 debt, uint256 available, uint256 unclaimed);
    }
}

/// Key of the list of pools among a deployment's fact lists.
const LIST: &str = "token-pools";
/// Rewards of a pool that are answered; no known one has more than ten.
const REWARDS_MAX: usize = 24;
/// A lock pays its rewards whole where it would keep less than this part of them.
const LEAST_KEPT: u64 = 1_000;

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenMastersKit {
    /// Mechanism of stakes, and `type` of their rewards.
    pub stake: &'static str,
}

/// One master.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenMaster {
    master: Address,
    kind: MasterKind,
    main: Option<Address>,
    locks: Vec<Address>,
    types: TokenMastersKit,
}

/// The master that a contract is a copy of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MasterKind {
    Magpie,
    Penpie,
}

/// The kinds by their names in settings.
const KINDS: [(&str, MasterKind); 2] = [("magpie", MasterKind::Magpie), ("penpie", MasterKind::Penpie)];

/// A pool in which the account has a stake or an unpaid main reward.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct HeldPool {
    /// Place among the master's pools.
    place: U256,
    pool: Address,
    staked: U256,
}

/// What a pool owes an account.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct PoolOwes {
    /// Amounts that a claim pays, by token.
    paid: BTreeMap<Address, U256>,
    /// Amount of the main reward that a claim locks for the account.
    locked: U256,
    /// All reward tokens but the main one.
    tokens: Vec<Address>,
}

impl TokenMastersKit {
    /// Keys of a row for a master whose pools are named by tokens, as Magpie's and Penpie's:
    /// - `token_master` (address): the master
    /// - `master_kind` (text): the contract that it is a copy of: `magpie` or `penpie`
    /// - `master_reward` (address, optional): the token that the master itself pays; without it, it pays none
    /// - `master_locks` (array of addresses, optional): locks that the master lists as pools; what they hold is
    ///   answered by rows of their own
    pub const KEYS: &'static [&'static str] = &["token_master", "master_kind", "master_reward", "master_locks"];
}

impl Kit for TokenMastersKit {
    fn keys(&self) -> &'static [&'static str] {
        &["token_master"]
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        let Some(master) = keys.address_opt("token_master")? else { return Ok(None) };
        let name = keys.text("master_kind")?.unwrap_or_default();
        let Some((_, kind)) = KINDS.into_iter().find(|(known, _)| *known == name) else {
            return Err(SettingsError::new("is one of `magpie` and `penpie`").at("master_kind"));
        };
        let (main, locks) = (keys.address_opt("master_reward")?, keys.addresses("master_locks")?);
        Ok(Some(TokenMaster { master, kind, main, locks, types: *self }.shared()))
    }

    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        vec![ClaimTemplate::new::<multiclaimCall>([Role::array(Role::MARKET)])]
    }

    /// Returns the view that knows the pools that claims name.
    fn lineages(&self) -> Vec<Lineage> {
        vec![Lineage::markets::<registeredTokenCall>()]
    }
}

impl DeploymentReader for TokenMaster {
    fn contracts(&self) -> Vec<Address> {
        vec![self.master]
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::CLAIMABLES, Question::FARMING]
    }

    /// Returns a claim per pool with rewards, so that one that cannot pay does not block others.
    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(async move {
            let held = self.held(cx, labels, account).await?;
            let rows = held.into_iter().map(|held| self.claimable(cx, labels, held, account));
            Ok(join_partial(cx, rows).await.or_report(cx, labels.market).into_iter().flatten().collect())
        })
    }

    /// Returns a position per pool with a stake, without the locks.
    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        _: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        Box::pin(async move {
            let mut held = self.held(cx, labels, account).await?;
            held.retain(|held| !held.staked.is_zero() && !self.locks.contains(&held.pool));
            let rows = held.into_iter().map(|held| self.position(cx, labels, held, account));
            Ok(join_partial(cx, rows).await.or_report(cx, labels.market))
        })
    }
}

impl TokenMaster {
    /// Returns the pools in which the account has a stake or an unpaid main reward, with the stake.
    async fn held(&self, cx: &JobContext, labels: Labels<'_>, user: Address) -> Result<Vec<HeldPool>, Error> {
        let pools: Vec<(U256, Address)> = (0_u64..).map(U256::from).zip(self.pools(cx, labels).await?).collect();
        let call = |(_, pool): &(U256, Address)| (self.master, penpie::userInfoCall { stakingToken: *pool, user });
        if self.kind == MasterKind::Penpie {
            let infos = cx.call_each(pools.iter().map(call)).zero_within(ZERO_STANDS_S);
            let held = with_each(pools, infos).await.fail_if_none(cx, labels.market)?.into_iter();
            let held = held.filter(|(_, info)| !info.staked.is_zero() || !info.unclaimed.is_zero());
            return Ok(held.map(|((place, pool), info)| HeldPool { place, pool, staked: info.staked }).collect());
        }
        let stakes = pools.iter().map(|(_, pool)| (self.master, stakingInfoCall { stakingToken: *pool, user }));
        let stakes = cx.call_each(stakes).zero_within(ZERO_STANDS_S);
        let left = pools.iter().map(|(_, pool)| (self.master, magpie::unClaimedMgpCall { stakingToken: *pool, user }));
        let left = cx.call_each(left).zero_within(ZERO_STANDS_S);
        let held = with_both(pools, stakes, left).await.fail_if_none(cx, labels.market)?.into_iter();
        let held = held.filter(|(_, info, left)| !info.staked.is_zero() || !left.is_zero());
        Ok(held.map(|((place, pool), info, _)| HeldPool { place, pool, staked: info.staked }).collect())
    }

    async fn pools(&self, cx: &JobContext, labels: Labels<'_>) -> Result<Vec<Address>, Error> {
        let walk = |places: Range<u64>| {
            let token = |place| cx.call(self.master, registeredTokenCall { index: U256::from(place) });
            cx.join(places.map(token))
        };
        let count = cx.call(self.master, poolLengthCall {}).within(COUNT_STANDS_S);
        cx.facts(labels.market, LIST, count, walk).await
    }

    async fn claimable(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        HeldPool { place, pool, .. }: HeldPool,
        account: Address,
    ) -> Result<Option<Claimable>, Error> {
        // A claim may only name a pool that the master lists at the answer's block.
        let named = cx.call(self.master, registeredTokenCall { index: place });
        let (named, owed) = cx.join((named, self.owed(cx, labels, pool, account))).await?;
        if named != pool {
            return Err(Error::new(format!("{}: lists {pool} no more", self.master)));
        }
        let claim = cx.claim(self.master, &multiclaimCall { stakingTokens: vec![pool] });
        let row = Claimable::new(labels.market, pool, claim).mechanism(self.types.stake);
        let row = row.named(format!("{} rewards", symbol(pool)));
        let row = owed.paid.into_iter().fold(row, |row, (token, amount)| row.pays(token, amount));
        Ok((!row.payments.is_empty()).then_some(row))
    }

    async fn position(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        HeldPool { place, pool, staked }: HeldPool,
        account: Address,
    ) -> Result<Position, Error> {
        let info = cx.call(self.master, getPoolInfoCall { stakingToken: pool });
        let (info, owed) = cx.join((info, self.owed(cx, labels, pool, account))).await?;
        let position = Position::new(PositionKind::STAKED, labels.market, self.master).mechanism(self.types.stake);
        let position = position.named(format!("{} farm", symbol(pool))).numbered(place);
        let position = position.leg(Leg::new(LegRole::STAKED, pool, staked).of_total(info.size));
        let main = self.main.map(|main| Reward::new(main, info.emission));
        let position = main.into_iter().fold(position, Position::reward);
        let position =
            owed.tokens.iter().filter(|token| Some(**token) != self.main).fold(position, |position, token| {
                // They arrive whenever the protocol harvests.
                position.reward(Reward::new(*token, None))
            });
        let locked = self.main.filter(|_| !owed.locked.is_zero());
        let locked = locked.map(|main| Leg::new(LegRole::LOCKED, main, owed.locked));
        let paid = owed.paid.into_iter().map(|(token, amount)| Leg::new(LegRole::REWARD_OWED, token, amount));
        Ok(position.legs(paid.chain(locked)))
    }

    /// Returns what the pool owes, less what a lock keeps.
    async fn owed(&self, cx: &JobContext, labels: Labels<'_>, pool: Address, user: Address) -> Result<PoolOwes, Error> {
        let owed = cx.call(self.master, allPendingTokensCall { stakingToken: pool, user });
        let (owed, part) = cx.join((owed, self.part(cx, pool, user))).await?;
        if owed.tokens.len() != owed.amounts.len() {
            return Err(Error::new(format!("{pool}: has another number of rewards than of amounts")));
        }
        let mut amounts: Vec<(Address, U256)> = owed.tokens.iter().copied().zip(owed.amounts).collect();
        truncate(cx, format!("{}: {pool}", labels.market), &mut amounts, "rewards", REWARDS_MAX);
        let mut found = PoolOwes { tokens: owed.tokens, ..PoolOwes::default() };
        if !owed.main.is_zero() {
            let main = self.main.ok_or_else(|| Error::new(format!("{}: pays a token of its own", self.master)))?;
            if self.locks_main(cx, pool).await? { found.locked = owed.main } else { amounts.push((main, owed.main)) }
        }
        for (token, amount) in amounts {
            let amount = after(amount, part)?;
            if !amount.is_zero() {
                token_sums::add(&mut found.paid, token, amount)?;
            }
        }
        Ok(found)
    }

    /// Returns the part of a lock's rewards that a claim pays, with 18 decimals; `None` for other pools, which pay all.
    async fn part(&self, cx: &JobContext, pool: Address, user: Address) -> Result<Option<U256>, Error> {
        if !self.locks.contains(&pool) {
            return Ok(None);
        }
        Ok(Some(cx.call(pool, getRewardablePercentWADCall { user }).await?))
    }

    /// Returns true if a claim locks the pool's main reward for the account.
    async fn locks_main(&self, cx: &JobContext, pool: Address) -> Result<bool, Error> {
        if self.kind == MasterKind::Penpie || self.locks.contains(&pool) {
            return Ok(false);
        }
        Ok(!cx.call(self.master, magpie::MPGRewardPoolCall { stakingToken: pool }).await?)
    }
}

/// Returns what a claim pays of an amount.
fn after(amount: U256, part: Option<U256>) -> Result<U256, Error> {
    let Some(part) = part else { return Ok(amount) };
    let paid = mul_div(amount, part, WAD)?;
    let kept = amount.checked_sub(paid).ok_or_else(|| Error::new("a lock pays more than it owes"))?;
    Ok(if kept < amount / U256::from(LEAST_KEPT) { amount } else { paid })
}
