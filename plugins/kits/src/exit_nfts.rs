//! Exits from a liquid staking token as NFTs that an account's list has, like Swell's `swEXIT`.
//!
//! Settings keys `exit_nft` and `exited_token`. Answers a claim per exit that was processed, and the others as locked
//! positions. Invariant: an exit pays by the lower one of two rates, that of its request and that of its processing.
//!
//! Source: <https://github.com/SwellNetwork/v3-core-public>

use std::sync::Arc;

use portolan_plugin_api::{
    Address, ClaimTemplate, Claimable, Error, JobContext, Keys, Leg, LegRole, Lock, NATIVE, Nft, Position,
    PositionKind, Question, Role, SettingsError, U256, symbol,
};

use crate::boxed::Boxed;
use crate::fixed_point::{WAD, mul_div};
use crate::kit::{DeploymentReader, Kit, Labels, Shared};
use crate::owned_nfts;
use crate::partial::join_partial;

portolan_plugin_api::sol! {
    function withdrawalRequests(uint256 tokenId) external view
        returns (uint256 amount, uint256 lastTokenIdProcessed, uint256 rateWhenCreated);
    function getProcessedRateForTokenId(uint256 tokenId) external view returns (bool isProcessed, uint256 processedRate);
    function finalizeWithdrawal(uint256 tokenId) external;
}

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExitNftsKit {
    /// Mechanism of positions, and `type` of claims.
    pub exit: &'static str,
}

/// Exits from one token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExitNfts {
    nft: Address,
    exited_token: Address,
    types: ExitNftsKit,
}

/// An exit of the account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TokenExit {
    id: U256,
    amount: U256,
    /// Ether that it pays; `None` until it is processed.
    paid: Option<U256>,
}

impl ExitNftsKit {
    /// Keys of a row for exits as NFTs, as Swell's:
    /// - `exit_nft` (address): the contract of the NFTs
    /// - `exited_token` (address): the liquid staking token that leaves
    pub const KEYS: &'static [&'static str] = &["exit_nft", "exited_token"];
}

impl Kit for ExitNftsKit {
    fn keys(&self) -> &'static [&'static str] {
        &["exit_nft"]
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        let Some(nft) = keys.address_opt("exit_nft")? else { return Ok(None) };
        Ok(Some(ExitNfts { nft, exited_token: keys.address("exited_token")?, types: *self }.shared()))
    }

    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        vec![ClaimTemplate::new::<finalizeWithdrawalCall>([Role::NUMBER])]
    }
}

impl DeploymentReader for ExitNfts {
    fn contracts(&self) -> Vec<Address> {
        vec![self.nft]
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::CLAIMABLES, Question::LOCKED]
    }

    /// Returns a claim per exit that was processed.
    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(async move {
            let exits = self.exits(cx, labels, account).await?.into_iter();
            let paid = exits.filter_map(|exit| exit.paid.map(|amount| (exit, amount)));
            let row = |(exit, amount): (TokenExit, U256)| {
                let claim = cx.claim(self.nft, &finalizeWithdrawalCall { tokenId: exit.id });
                let row = Claimable::new(labels.market, self.nft, claim).mechanism(self.types.exit);
                row.named(self.name()).numbered(exit.id).pays(NATIVE, amount)
            };
            Ok(paid.filter(|(_, amount)| !amount.is_zero()).map(row).collect())
        })
    }

    /// Returns a position per exit that waits. No view returns when it will be processed.
    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        _: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        Box::pin(async move {
            let waiting = self.exits(cx, labels, account).await?.into_iter().filter(|exit| exit.paid.is_none());
            let row = |exit: TokenExit| {
                let row = Position::new(PositionKind::LOCKED, labels.market, self.nft).mechanism(self.types.exit);
                let row = row.named(self.name()).numbered(exit.id);
                let row = row.leg(Leg::new(LegRole::LOCKED, self.exited_token, exit.amount));
                let nft = Some(Nft { collection: self.nft, token_id: exit.id });
                Position { nft, lock: Some(Lock { unlocks_at: None, is_permanent: Some(false) }), ..row }
            };
            Ok(waiting.map(row).collect())
        })
    }
}

impl ExitNfts {
    /// Returns the account's exits.
    async fn exits(&self, cx: &JobContext, labels: Labels<'_>, account: Address) -> Result<Vec<TokenExit>, Error> {
        let ids = owned_nfts::owned(cx, labels.market, self.nft, account).await?;
        let exits = ids.into_iter().map(|id| self.exit(cx, id));
        join_partial(cx, exits).await.fail_if_none(cx, labels.market)
    }

    async fn exit(&self, cx: &JobContext, id: U256) -> Result<TokenExit, Error> {
        let request = cx.call(self.nft, withdrawalRequestsCall { tokenId: id });
        let rate = cx.call(self.nft, getProcessedRateForTokenIdCall { tokenId: id });
        let (request, rate) = cx.join((request, rate)).await?;
        let lower = rate.processedRate.min(request.rateWhenCreated);
        let paid = if rate.isProcessed { Some(mul_div(request.amount, lower, WAD)?) } else { None };
        Ok(TokenExit { id, amount: request.amount, paid })
    }

    fn name(&self) -> String {
        format!("{} withdrawal", symbol(self.exited_token))
    }
}
