//! Solv's open funds: shares and redemptions of a fund are NFTs with a value (ERC-3525), of which a market knows the pool
//! and an oracle what a whole share is worth.
//!
//! Settings keys `fund_market`, `fund_shares` and `fund_redemptions`. Answers farming positions of shares, redemptions
//! that wait as locked positions, and claims of what was repaid of them. Invariant: what waits is a position and what was
//! repaid is a claim, so no sum counts it twice. A redemption is worth the value that it was closed at, and until then
//! that of the pool; a claim pays without the fee. An NFT that cannot be read loses only its own rows, and the answer
//! reports it.
//!
//! Sources: <https://github.com/solv-finance/solv-contracts-v3/tree/main/sft/payable/open-fund/contracts>,
//! <https://github.com/solv-finance/solv-contracts-v3/tree/main/markets/open-fund-market/contracts>.

use std::sync::Arc;

use portolan_plugin_api::alloy::primitives::keccak256;
use portolan_plugin_api::{
    Address, B256, ClaimTemplate, Claimable, Error, JobContext, Keys, Leg, LegRole, Lineage, Lock, Nft, Position,
    PositionKind, Question, Reward, Role, SettingsError, SolCall as _, SolValue, U256, symbol,
};

use crate::boxed::Boxed;
use crate::fixed_point::{WAD, mul_div, whole};
use crate::kit::{DeploymentReader, Kit, Labels, Shared};
use crate::owned_nfts;
use crate::partial::join_partial;

portolan_plugin_api::sol! {
    // ERC-3525, https://eips.ethereum.org/EIPS/eip-3525: the value of an NFT, and whose kind it is.
    function balanceOf(uint256 tokenId) external view returns (uint256);
    function slotOf(uint256 tokenId) external view returns (uint256);
    function valueDecimals() external view returns (uint8);
    // BaseSFTDelegateUpgradeable.sol: the contract that keeps what the kinds are.
    function concrete() external view returns (address);

    // OpenFundMarketStorage.sol, word by word.
    function poolInfos(bytes32 poolId) external view returns (
        address openFundShare, address openFundRedemption, uint256 openFundShareSlot, uint256 latestRedeemSlot,
        uint256 carryRate, address carryCollector, uint256 latestProtocolFeeSettleTime,
        address poolManager, address subscribeNavManager, address redeemNavManager,
        uint256 hardCap, uint256 subscribeMin, uint256 subscribeMax, uint256 fundraisingStartTime,
        uint256 fundraisingEndTime, address vault, address currency, address navOracle
    );
    // INavOracle.sol: by pool and by days; on a day without, what it was told last.
    function getSubscribeNav(bytes32 poolId, uint256 time) external view returns (uint256 nav, uint256 navTime);

    // OpenFundRedemptionConcrete.sol; no `nav` until the redemption is closed.
    function getRedeemInfo(uint256 slot) external view
        returns (bytes32 poolId, address currency, uint256 createTime, uint256 nav);
    // Of 10^18 of what is paid; contracts without a fee lack it.
    function getRedemptionFeeRate(uint256 slot) external view returns (uint256);
    // FCFSMultiRepayableConcrete.sol: the part of an NFT's value that was repaid.
    function claimableValue(uint256 tokenId) external view returns (uint256);
    // FCFSMultiRepayableDelegate.sol
    function claimTo(address to, uint256 tokenId, address currency, uint256 claimValue) external;
}

/// No pool has a value on the first day, so that an oracle returns the last one.
const LAST_DAY: U256 = U256::ZERO;
/// The word of a redemption's currency.
const CURRENCY_WORD: u32 = 1;
/// Cache time of contracts that the fund's owner may replace, and of the fee, in seconds.
const CONTRACT_STANDS_S: u32 = 300;

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FundSharesKit {
    /// Mechanism of shares.
    pub share: &'static str,
    /// Mechanism of redemptions, and `type` of claims.
    pub redemption: &'static str,
}

/// The funds of one market.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FundShares {
    market: Address,
    shares: Address,
    redemptions: Address,
    types: FundSharesKit,
}

/// A redemption of the account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FundRedemption {
    id: U256,
    currency: Address,
    /// Value that was repaid.
    claimable: U256,
    /// What that pays without the fee, in smallest units of the currency.
    paid: U256,
    /// What the rest is worth, in smallest units of the currency.
    waits: U256,
}

impl FundSharesKit {
    /// Keys of a row for funds whose shares are NFTs with a value, as Solv's:
    /// - `fund_market` (address): the market, which knows the pools
    /// - `fund_shares` (address): the NFTs of shares
    /// - `fund_redemptions` (address): the NFTs of redemptions
    pub const KEYS: &'static [&'static str] = &["fund_market", "fund_shares", "fund_redemptions"];
}

impl Kit for FundSharesKit {
    fn keys(&self) -> &'static [&'static str] {
        &["fund_market"]
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        let Some(market) = keys.address_opt("fund_market")? else { return Ok(None) };
        let (shares, redemptions) = (keys.address("fund_shares")?, keys.address("fund_redemptions")?);
        Ok(Some(FundShares { market, shares, redemptions, types: *self }.shared()))
    }

    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        vec![ClaimTemplate::new::<claimToCall>([Role::ACCOUNT, Role::NUMBER, Role::TOKEN, Role::NUMBER])]
    }

    /// Claims name the currency of a redemption.
    fn lineages(&self) -> Vec<Lineage> {
        vec![Lineage::markets::<concreteCall>(), Lineage::tokens::<getRedeemInfoCall>().at(CURRENCY_WORD).of_given()]
    }
}

impl DeploymentReader for FundShares {
    fn contracts(&self) -> Vec<Address> {
        vec![self.market, self.shares, self.redemptions]
    }

    fn bound_claims(&self) -> Vec<(&'static str, Vec<Address>)> {
        vec![(claimToCall::SIGNATURE, vec![self.redemptions])]
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::CLAIMABLES, Question::FARMING, Question::LOCKED]
    }

    /// Returns a claim per redemption of which something was repaid.
    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(async move {
            let redemptions = self.redemptions(cx, labels, account).await?.into_iter();
            let row = |redemption: FundRedemption| {
                let FundRedemption { id, currency, claimable, paid, .. } = redemption;
                let call = claimToCall { to: account, tokenId: id, currency, claimValue: claimable };
                let claim = cx.claim(self.redemptions, &call);
                let row = Claimable::new(labels.market, self.redemptions, claim).mechanism(self.types.redemption);
                row.named(format!("{} redemption", symbol(currency))).numbered(id).pays(currency, paid)
            };
            Ok(redemptions.filter(|redemption| !redemption.paid.is_zero()).map(row).collect())
        })
    }

    /// Returns a position per share, or per redemption of which something waits.
    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        question: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        Box::pin(async move {
            if question != Question::LOCKED {
                let ids = owned_nfts::owned(cx, labels.market, self.shares, account).await?;
                let rows = ids.into_iter().map(|id| self.share(cx, labels, id));
                let rows = join_partial(cx, rows).await.fail_if_none(cx, labels.market)?;
                return Ok(rows.into_iter().flatten().collect());
            }
            let redemptions = self.redemptions(cx, labels, account).await?.into_iter();
            let row = |FundRedemption { id, currency, waits, .. }: FundRedemption| {
                let row = Position::new(PositionKind::LOCKED, labels.market, self.redemptions);
                let row = row.mechanism(self.types.redemption).numbered(id);
                let row = row.named(format!("{} redemption", symbol(currency)));
                let nft = Some(Nft { collection: self.redemptions, token_id: id });
                // No view returns when it will be repaid.
                let lock = Some(Lock { unlocks_at: None, is_permanent: Some(false) });
                Position { nft, lock, ..row.leg(Leg::new(LegRole::LOCKED, currency, waits)) }
            };
            Ok(redemptions.filter(|redemption| !redemption.waits.is_zero()).map(row).collect())
        })
    }
}

impl FundShares {
    /// Returns a share; `None` if it has no value.
    async fn share(&self, cx: &JobContext, labels: Labels<'_>, id: U256) -> Result<Option<Position>, Error> {
        let slot = cx.call(self.shares, slotOfCall { tokenId: id }).immutable();
        let value = cx.call(self.shares, balanceOfCall { tokenId: id });
        let (slot, value) = cx.join((slot, value)).await?;
        if value.is_zero() {
            return Ok(None);
        }
        let pool = keccak256((self.shares, slot).abi_encode());
        let (one, (currency, nav)) = cx.join((self.one(cx, self.shares), self.nav(cx, pool))).await?;
        let amount = mul_div(value, nav, one)?;
        let row = Position::new(PositionKind::STAKED, labels.market, self.shares).mechanism(self.types.share);
        let row = row.named(format!("{} fund", symbol(currency))).numbered(id);
        let nft = Some(Nft { collection: self.shares, token_id: id });
        Ok(Some(Position {
            nft,
            ..row.leg(Leg::new(LegRole::STAKED, currency, amount)).reward(Reward::new(currency, None))
        }))
    }

    /// Returns the currency of a pool, and how many smallest units of it a whole share is worth.
    async fn nav(&self, cx: &JobContext, pool: B256) -> Result<(Address, U256), Error> {
        let info = cx.call(self.market, poolInfosCall { poolId: pool }).within(CONTRACT_STANDS_S).await?;
        if info.navOracle.is_zero() || info.currency.is_zero() {
            return Err(Error::new(format!("{}: no pool {pool}", self.market)));
        }
        let told = cx.call(info.navOracle, getSubscribeNavCall { poolId: pool, time: LAST_DAY }).await?;
        if told.nav.is_zero() {
            return Err(Error::new(format!("{}: no value of pool {pool}", info.navOracle)));
        }
        Ok((info.currency, told.nav))
    }

    /// Returns the value of a whole share.
    async fn one(&self, cx: &JobContext, of: Address) -> Result<U256, Error> {
        let decimals = cx.call(of, valueDecimalsCall {}).immutable().await?;
        whole(of, U256::from(decimals))
    }

    /// Returns the account's redemptions.
    async fn redemptions(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        account: Address,
    ) -> Result<Vec<FundRedemption>, Error> {
        let ids = owned_nfts::owned(cx, labels.market, self.redemptions, account).await?;
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let concrete = cx.call(self.redemptions, concreteCall {}).within(CONTRACT_STANDS_S).await?;
        let rows = ids.into_iter().map(|id| self.redemption(cx, concrete, id));
        join_partial(cx, rows).await.fail_if_none(cx, labels.market)
    }

    async fn redemption(&self, cx: &JobContext, concrete: Address, id: U256) -> Result<FundRedemption, Error> {
        let slot = cx.call(self.redemptions, slotOfCall { tokenId: id }).immutable().await?;
        let value = cx.call(self.redemptions, balanceOfCall { tokenId: id });
        let info = cx.call(concrete, getRedeemInfoCall { slot });
        let claimable = cx.call(concrete, claimableValueCall { tokenId: id });
        let fee = cx.try_call(concrete, getRedemptionFeeRateCall { slot }).within(CONTRACT_STANDS_S);
        let one = self.one(cx, self.redemptions);
        let (value, info, claimable, fee, one) = cx.join((value, info, claimable, fee, one)).await?;
        if info.currency.is_zero() {
            return Err(Error::new(format!("{concrete}: no redemption of kind {slot}")));
        }
        let nav = if info.nav.is_zero() { self.nav(cx, info.poolId).await?.1 } else { info.nav };
        let waits = value.checked_sub(claimable);
        let waits = waits.ok_or_else(|| Error::new(format!("{id}: {claimable} of {value} are claimable")))?;
        let gross = mul_div(claimable, nav, one)?;
        let fee = mul_div(gross, fee.unwrap_or(U256::ZERO), WAD)?;
        let paid = gross.checked_sub(fee).ok_or_else(|| Error::new(format!("{id}: a fee of {fee} of {gross}")))?;
        let waits = mul_div(waits, nav, one)?;
        Ok(FundRedemption { id, currency: info.currency, claimable, paid, waits })
    }
}
