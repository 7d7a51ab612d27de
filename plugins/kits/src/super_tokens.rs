//! Super tokens of Superfluid: tokens whose balances change every second by the streams of their holders.
//!
//! A deployment is a list of tokens, with the contracts that know the streams; settings keys `super_tokens`,
//! `flow_forwarder` and `pool_forwarder`. Answers a farming position of what the account can move now, with what
//! streams bring it a second; locked positions of what it has deposited for the streams that it pays, and claimables
//! of pools that the row lists. Invariant: amounts are those of the answer's block, and a wrapped token counts as what
//! it unwraps to. A token that cannot be read loses only its own rows, and the answer reports it. What an account pays
//! a second is not answered: no kind of position says it.
//!
//! Source: <https://github.com/superfluid-finance/protocol-monorepo/tree/dev/packages/ethereum-contracts/contracts>

use std::sync::Arc;

use portolan_plugin_api::{
    Address, ClaimTemplate, Claimable, Composition, Error, I256, JobContext, Keys, Leg, LegRole, Lock, NATIVE, Part,
    Position, PositionKind, Question, Reward, Role, SettingsError, U256, symbol,
};

use crate::boxed::Boxed;
use crate::fixed_point::{WAD, mul_div, whole};
use crate::kit::{DeploymentReader, Kit, Labels, Shared};
use crate::partial::join_partial;
use crate::read_nonzero::read_nonzero;

portolan_plugin_api::sol! {
    // SuperToken.sol. The balance is what can be moved, zero where streams have used up more than there was.
    function balanceOf(address account) external view returns (uint256);
    // The available amount is signed; of the deposit, the owed part is not withheld.
    function realtimeBalanceOfNow(address account) external view
        returns (int256 availableBalance, uint256 deposit, uint256 owedDeposit, uint256 timestamp);
    // Zero where nothing is wrapped, or the native token is.
    function getUnderlyingToken() external view returns (address);
    function decimals() external view returns (uint256);

    // CFAv1Forwarder.sol: streams from account to account. The time of the last change is zero where none ever was;
    // more words follow.
    function getAccountFlowInfo(address token, address account) external view returns (uint256 lastUpdated);
    // What comes less what goes, a second.
    function getAccountFlowrate(address token, address account) external view returns (int256);
    // GDAv1Forwarder.sol: the same of streams through pools.
    function getNetFlow(address token, address account) external view returns (int256);

    // SuperfluidPool.sol. Zero for members whose shares go into their balance by themselves; the time follows.
    function getClaimableNow(address member) external view returns (uint256 claimable);
    function superToken() external view returns (address);
    // Anyone may call it; it pays the member.
    function claimAll(address member) external returns (bool);
}

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SuperTokensKit {
    /// Mechanism of balances.
    pub balance: &'static str,
    /// Mechanism of deposits.
    pub deposit: &'static str,
    /// `type` of what pools pay.
    pub distribution: &'static str,
    /// Token `type` of wrapped tokens.
    pub share: &'static str,
}

/// One deployment.
#[derive(Clone, Debug, PartialEq, Eq)]
struct SuperTokens {
    tokens: Vec<Address>,
    flow_forwarder: Address,
    pool_forwarder: Address,
    native_super_token: Option<Address>,
    pools: Vec<Address>,
    types: SuperTokensKit,
}

/// What a super token unwraps to.
#[derive(Clone, Copy, Debug)]
struct Underlying {
    token: Address,
    /// Smallest units of it for a whole super token.
    one: U256,
}

/// The account's balance of a super token.
#[derive(Clone, Copy, Debug)]
struct SuperBalance {
    token: Address,
    available: I256,
    /// What is withheld for streams that the account pays.
    deposit: U256,
    /// What comes less what goes, a second.
    net_flow: I256,
    underlying: Option<Underlying>,
}

impl SuperTokensKit {
    /// Keys of a row for super tokens:
    /// - `super_tokens` (array of addresses): the tokens
    /// - `flow_forwarder` (address): the `CFAv1Forwarder`, which knows streams between accounts
    /// - `pool_forwarder` (address): the `GDAv1Forwarder`, which knows streams through pools
    /// - `native_super_token` (address, optional): the one of the tokens that wraps the network's native token
    /// - `distribution_pools` (array of addresses, optional): pools whose members may have something to claim; no view
    ///   lists them
    pub const KEYS: &'static [&'static str] =
        &["super_tokens", "flow_forwarder", "pool_forwarder", "native_super_token", "distribution_pools"];
}

impl Kit for SuperTokensKit {
    fn keys(&self) -> &'static [&'static str] {
        &["super_tokens"]
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        let tokens = keys.addresses("super_tokens")?;
        if tokens.is_empty() {
            return Ok(None);
        }
        let native_super_token = keys.address_opt("native_super_token")?;
        if native_super_token.is_some_and(|token| !tokens.contains(&token)) {
            return Err(SettingsError::new("is none of `super_tokens`").at("native_super_token"));
        }
        let tokens = SuperTokens {
            tokens,
            flow_forwarder: keys.address("flow_forwarder")?,
            pool_forwarder: keys.address("pool_forwarder")?,
            native_super_token,
            pools: keys.addresses("distribution_pools")?,
            types: *self,
        };
        Ok(Some(tokens.shared()))
    }

    /// Returns the claim of a pool.
    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        vec![ClaimTemplate::new::<claimAllCall>([Role::ACCOUNT]).by_anyone()]
    }
}

impl DeploymentReader for SuperTokens {
    fn contracts(&self) -> Vec<Address> {
        self.tokens.iter().chain(&self.pools).copied().collect()
    }

    fn questions(&self) -> Vec<Question> {
        let claimables = (!self.pools.is_empty()).then_some(Question::CLAIMABLES);
        [Question::FARMING, Question::LOCKED, Question::COMPOSITION].into_iter().chain(claimables).collect()
    }

    /// Returns a claim per pool that owes the account something.
    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(async move {
            let call = |pool: &Address| (*pool, getClaimableNowCall { member: account });
            let owed = read_nonzero(cx, labels.market, self.pools.clone(), call).await?;
            // The amount is signed, and may be below zero by roundings.
            let owed = owed.into_iter().filter(|(_, amount)| I256::try_from(*amount).is_ok());
            let rows = owed.map(async |(pool, amount)| {
                let token = cx.call(pool, superTokenCall {}).immutable().await?;
                let claim = cx.claim(pool, &claimAllCall { member: account });
                let row = Claimable::new(labels.market, pool, claim).mechanism(self.types.distribution);
                Ok(row.named(format!("{} pool", symbol(token))).pays(token, amount))
            });
            Ok(join_partial(cx, rows).await.or_report(cx, labels.market))
        })
    }

    /// Returns a position per token that the account can move, or has deposited.
    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        question: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        Box::pin(async move {
            let balances = self.balances(cx, labels.market, account).await?.into_iter();
            let row = |balance| match question {
                Question::LOCKED => self.deposited(labels, balance),
                _ => self.held(labels, balance),
            };
            let mut rows = Vec::new();
            for balance in balances {
                rows.extend(row(balance)?);
            }
            Ok(rows)
        })
    }

    /// Returns what a whole token unwraps to; nothing for a token that wraps none.
    fn compositions<'a>(&'a self, cx: &'a JobContext, tokens: &'a [Address]) -> Boxed<'a, Vec<Composition>> {
        Box::pin(async move {
            let own = tokens.iter().filter(|token| self.tokens.contains(token));
            let found = own.map(async |token| {
                let underlying = self.underlying(cx, *token).await?;
                Ok(underlying.filter(|underlying| !underlying.one.is_zero()).map(|underlying| {
                    let parts = vec![Part { token: underlying.token, amount: underlying.one }];
                    Composition { token: *token, kind: self.types.share.to_owned(), supply: WAD, parts }
                }))
            });
            let found = join_partial(cx, found).await.or_report(cx, "super tokens");
            Ok(found.into_iter().flatten().collect())
        })
    }
}

impl SuperTokens {
    /// Returns the account's balances of the tokens that it holds or has ever had a stream of.
    async fn balances(&self, cx: &JobContext, market: &str, account: Address) -> Result<Vec<SuperBalance>, Error> {
        let held = read_nonzero(cx, market, self.tokens.clone(), |token| (*token, balanceOfCall { account }));
        let streamed = read_nonzero(cx, market, self.tokens.clone(), |token| {
            (self.flow_forwarder, getAccountFlowInfoCall { token: *token, account })
        });
        let (held, streamed) = cx.join((held, streamed)).await?;
        let found: Vec<Address> = held.into_iter().chain(streamed).map(|(token, _)| token).collect();
        let found = self.tokens.iter().filter(|token| found.contains(token));
        let balances = found.map(|token| self.balance(cx, *token, account));
        Ok(join_partial(cx, balances).await.or_report(cx, market))
    }

    async fn balance(&self, cx: &JobContext, token: Address, account: Address) -> Result<SuperBalance, Error> {
        let now = cx.call(token, realtimeBalanceOfNowCall { account });
        let flow = cx.call(self.flow_forwarder, getAccountFlowrateCall { token, account });
        let pooled = cx.call(self.pool_forwarder, getNetFlowCall { token, account });
        let (now, flow, pooled, underlying) = cx.join((now, flow, pooled, self.underlying(cx, token))).await?;
        let net_flow = flow.checked_add(pooled).ok_or_else(|| Error::new(format!("{token}: {flow} and {pooled}")))?;
        let deposit = now.deposit.saturating_sub(now.owedDeposit);
        Ok(SuperBalance { token, available: now.availableBalance, deposit, net_flow, underlying })
    }

    /// Returns what a token unwraps to; `None` for one that wraps none.
    async fn underlying(&self, cx: &JobContext, token: Address) -> Result<Option<Underlying>, Error> {
        if self.native_super_token == Some(token) {
            return Ok(Some(Underlying { token: NATIVE, one: WAD }));
        }
        let underlying = cx.call(token, getUnderlyingTokenCall {}).immutable().await?;
        if underlying.is_zero() {
            return Ok(None);
        }
        let decimals = cx.call(underlying, decimalsCall {}).await?;
        Ok(Some(Underlying { token: underlying, one: whole(underlying, decimals)? }))
    }

    /// Returns what the account can move. A token that wraps none and does not flow in is one as any other.
    fn held(&self, labels: Labels<'_>, balance: SuperBalance) -> Result<Option<Position>, Error> {
        let comes = positive(balance.net_flow);
        let amount = positive(balance.available);
        if amount.is_zero() || (comes.is_zero() && balance.underlying.is_none()) {
            return Ok(None);
        }
        let row = Position::new(PositionKind::STAKED, labels.market, balance.token).mechanism(self.types.balance);
        let row = row.named(format!("{} balance", symbol(balance.token)));
        let row = row.leg(balance.leg(LegRole::STAKED, amount)?);
        // What others pay is no yield of the balance, so that the leg has no total that a rate could be relative to.
        let reward = Reward::new(balance.token, Some(comes));
        Ok(Some(if comes.is_zero() { row } else { row.reward(reward) }))
    }

    /// Returns what is withheld until the account ends its streams, less what they have used up already.
    fn deposited(&self, labels: Labels<'_>, balance: SuperBalance) -> Result<Option<Position>, Error> {
        let overdrawn = positive(balance.available.checked_neg().unwrap_or(I256::MAX));
        let amount = balance.deposit.saturating_sub(overdrawn);
        if amount.is_zero() {
            return Ok(None);
        }
        let row = Position::new(PositionKind::LOCKED, labels.market, balance.token).mechanism(self.types.deposit);
        let row = row.named(format!("{} deposit of streams", symbol(balance.token)));
        let row = row.leg(balance.leg(LegRole::LOCKED, amount)?);
        Ok(Some(Position { lock: Some(Lock { unlocks_at: None, is_permanent: Some(true) }), ..row }))
    }
}

impl SuperBalance {
    /// Returns an amount of the super token as what it unwraps to, if it does.
    fn leg(&self, role: LegRole, amount: U256) -> Result<Leg, Error> {
        let Some(Underlying { token, one }) = self.underlying else { return Ok(Leg::new(role, self.token, amount)) };
        Ok(Leg::new(role, token, mul_div(amount, one, WAD)?).receipt(self.token))
    }
}

/// Returns a signed number; zero if it is negative.
fn positive(number: I256) -> U256 {
    U256::try_from(number).unwrap_or_default()
}
