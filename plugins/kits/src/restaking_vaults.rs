//! Symbiotic: vaults whose stakes leave over epochs, vaults of its second generation, whose shares are tokens, and the
//! tokens that stand one for one for what is restaked (default collaterals).
//!
//! A deployment is a list of vaults and of such tokens; settings keys `restaking_vaults` and `default_collaterals`.
//! Answers farming positions, withdrawals that wait as locked positions, and claims of those whose epoch is over.
//! Invariant: what waits is a position and what is over is a claim, so no sum counts it twice; both are what is left
//! after slashing. Only the last epochs are looked at. A vault that cannot be read loses only its own rows, and the
//! answer reports it.
//!
//! Sources: <https://github.com/symbioticfi/core/tree/main/src/contracts/vault>,
//! <https://github.com/symbioticfi/collateral/tree/main/src/contracts/defaultCollateral>.

mod withdrawals;

use std::sync::Arc;

use futures_util::future::join3;
use portolan_plugin_api::{
    Address, ClaimTemplate, Claimable, Composition, Error, JobContext, Keys, Leg, LegRole, Part, Position,
    PositionKind, Question, Reward, Role, SettingsError, U256, symbol,
};

use crate::boxed::Boxed;
use crate::fixed_point::WAD;
use crate::kit::{DeploymentReader, Kit, Labels, Shared};
use crate::partial::join_partial;
use crate::read_nonzero::read_nonzero;
use withdrawals::{VaultEpochs, claimCall};

portolan_plugin_api::sol! {
    // MigratableEntity.sol
    function version() external view returns (uint64);
    // Vault.sol of the first generation: what an account has, after slashing and without what leaves.
    function activeBalanceOf(address account) external view returns (uint256);
    function collateral() external view returns (address);
    function epochDurationInit() external view returns (uint48);
    function epochDuration() external view returns (uint48);
    // VaultV2.sol, an ERC-4626 vault; a default collateral has the first two.
    function balanceOf(address account) external view returns (uint256);
    function asset() external view returns (address);
    function convertToAssets(uint256 shares) external view returns (uint256);
}

/// The first version of a vault whose shares are those of ERC-4626.
const SECOND_GENERATION: u64 = 3;
/// Cache time of a vault's version, in seconds; its owner may change its code.
const VERSION_STANDS_S: u32 = 3_600;

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RestakingVaultsKit {
    /// Mechanism of positions, and `type` of claims.
    pub vault: &'static str,
    /// Token `type` of default collaterals.
    pub collateral: &'static str,
}

/// Vaults of one deployment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RestakingVaults {
    vaults: Vec<Address>,
    collaterals: Vec<Address>,
    types: RestakingVaultsKit,
}

/// Vaults by generation.
#[derive(Clone, Debug, Default)]
struct Generations {
    first: Vec<(Address, VaultEpochs)>,
    second: Vec<Address>,
}

/// What an account has in a contract.
#[derive(Clone, Copy, Debug)]
enum RestakedHolding {
    /// A stake in a vault of the first generation, in smallest units of its collateral.
    Stake(U256),
    /// Shares of a vault of the second one.
    Shares(U256),
    /// A default collateral.
    Collateral(U256),
}

impl RestakingVaultsKit {
    /// Keys of a row for vaults of Symbiotic or of a fork; it has at least one of these:
    /// - `restaking_vaults` (array of addresses, optional): the vaults, of any version
    /// - `default_collaterals` (array of addresses, optional): the tokens that stand for what is restaked
    pub const KEYS: &'static [&'static str] = &["restaking_vaults", "default_collaterals"];
}

impl Kit for RestakingVaultsKit {
    fn keys(&self) -> &'static [&'static str] {
        Self::KEYS
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        let (vaults, collaterals) = (keys.addresses("restaking_vaults")?, keys.addresses("default_collaterals")?);
        let has_any = !vaults.is_empty() || !collaterals.is_empty();
        Ok(has_any.then(|| RestakingVaults { vaults, collaterals, types: *self }.shared()))
    }

    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        vec![ClaimTemplate::new::<claimCall>([Role::ACCOUNT, Role::NUMBER])]
    }
}

impl DeploymentReader for RestakingVaults {
    fn contracts(&self) -> Vec<Address> {
        [self.vaults.as_slice(), &self.collaterals].concat()
    }

    fn questions(&self) -> Vec<Question> {
        let of_vaults: &[Question] =
            if self.vaults.is_empty() { &[] } else { &[Question::CLAIMABLES, Question::LOCKED] };
        let of_collaterals = (!self.collaterals.is_empty()).then_some(Question::COMPOSITION);
        of_vaults.iter().copied().chain([Question::FARMING]).chain(of_collaterals).collect()
    }

    /// Returns a claim per epoch that is over and was not claimed.
    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(async move {
            let vaults = self.generations(cx, labels.market).await?.first;
            withdrawals::claimables(cx, self.types, labels, vaults, account).await
        })
    }

    /// Returns what is staked, or what waits for the end of an epoch.
    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        question: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        Box::pin(async move {
            let vaults = self.generations(cx, labels.market).await?;
            if question == Question::LOCKED {
                return withdrawals::waiting(cx, self.types, labels, vaults.first, account).await;
            }
            let held = self.held(cx, labels, vaults, account).await?;
            let rows = held.into_iter().map(|(contract, holding)| self.position(cx, labels, contract, holding));
            Ok(join_partial(cx, rows).await.or_report(cx, labels.market))
        })
    }

    /// Returns what a default collateral stands for.
    fn compositions<'a>(&'a self, cx: &'a JobContext, tokens: &'a [Address]) -> Boxed<'a, Vec<Composition>> {
        Box::pin(async move {
            let own = tokens.iter().filter(|token| self.collaterals.contains(token));
            let rows = own.map(async |token| {
                let asset = cx.call(*token, assetCall {}).immutable().await?;
                let parts = vec![Part { token: asset, amount: WAD }];
                Ok(Composition { token: *token, kind: self.types.collateral.to_owned(), supply: WAD, parts })
            });
            Ok(join_partial(cx, rows).await.or_report(cx, "default collaterals"))
        })
    }
}

impl RestakingVaults {
    /// Returns the vaults by generation. Those that do not stand yet are left out.
    async fn generations(&self, cx: &JobContext, market: &str) -> Result<Generations, Error> {
        let each = self.vaults.iter().map(async |vault| {
            if cx.call(*vault, versionCall {}).within(VERSION_STANDS_S).await? >= SECOND_GENERATION {
                return Ok((*vault, None));
            }
            let start = cx.call(*vault, epochDurationInitCall {}).immutable();
            let duration = cx.call(*vault, epochDurationCall {}).immutable();
            let (start, duration) = cx.join((start, duration)).await?;
            let epochs = VaultEpochs::at(cx.block().timestamp, u64::try_from(start).ok(), u64::try_from(duration).ok());
            let why = || Error::new(format!("{vault}: epochs of {duration} s since {start}"));
            Ok((*vault, Some(epochs.ok_or_else(why)?)))
        });
        let mut found = Generations::default();
        if self.vaults.is_empty() {
            return Ok(found);
        }
        for (vault, epochs) in join_partial(cx, each).await.or_none_where_gone(cx, market)? {
            match epochs {
                Some(epochs) => found.first.push((vault, epochs)),
                None => found.second.push(vault),
            }
        }
        Ok(found)
    }

    /// Returns what the account has in each contract in which it has something.
    async fn held(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        vaults: Generations,
        account: Address,
    ) -> Result<Vec<(Address, RestakedHolding)>, Error> {
        let first = vaults.first.into_iter().map(|(vault, _)| vault).collect();
        let stakes = read_nonzero(cx, labels.market, first, |vault| (*vault, activeBalanceOfCall { account }));
        let balance = |token: &Address| (*token, balanceOfCall { account });
        let shares = read_nonzero(cx, labels.market, vaults.second, balance);
        let collaterals = read_nonzero(cx, labels.market, self.collaterals.clone(), balance);
        let (stakes, shares, collaterals) = join3(stakes, shares, collaterals).await;
        let stakes = stakes?.into_iter().map(|(at, amount)| (at, RestakedHolding::Stake(amount)));
        let shares = shares?.into_iter().map(|(at, amount)| (at, RestakedHolding::Shares(amount)));
        let collaterals = collaterals?.into_iter().map(|(at, amount)| (at, RestakedHolding::Collateral(amount)));
        Ok(stakes.chain(shares).chain(collaterals).collect())
    }

    async fn position(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        contract: Address,
        holding: RestakedHolding,
    ) -> Result<Position, Error> {
        let (token, leg) = match holding {
            RestakedHolding::Stake(amount) => {
                let token = cx.call(contract, collateralCall {}).immutable().await?;
                (token, Leg::new(LegRole::STAKED, token, amount))
            }
            RestakedHolding::Shares(shares) => {
                let token = cx.call(contract, assetCall {}).immutable();
                let (token, worth) = cx.join((token, cx.call(contract, convertToAssetsCall { shares }))).await?;
                (token, Leg::new(LegRole::STAKED, token, worth).receipt(contract))
            }
            RestakedHolding::Collateral(amount) => {
                let token = cx.call(contract, assetCall {}).immutable().await?;
                (token, Leg::new(LegRole::STAKED, token, amount).receipt(contract))
            }
        };
        let row = Position::new(PositionKind::STAKED, labels.market, contract).mechanism(self.types.vault);
        let row = row.named(format!("{} {} restaked", labels.title, symbol(token)));
        Ok(row.leg(leg).reward(Reward::new(token, None)))
    }
}
