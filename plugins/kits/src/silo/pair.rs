//! Holdings and debts of an account in the two silos of a pair.

use portolan_plugin_api::{Address, Error, JobContext, U256};

use super::ZERO_STANDS_S;
use super::contracts::{
    balanceOfCall, borrowerCollateralSiloCall, getConfigCall, getConfigReturn as SiloConfig, getSilosCall,
    maxRepayCall, previewRedeemCall,
};

use crate::fixed_point::too_large;

/// Collateral that is lent.
pub(super) const LENT: u8 = 1;
/// Collateral that is not lent.
pub(super) const PROTECTED: u8 = 0;

/// A silo, with the account's shares of each kind.
#[derive(Clone)]
pub(super) struct SiloHolding {
    pub(super) config: SiloConfig,
    lent: U256,
    protected: U256,
    debt: U256,
}

/// A pair, with the account's holdings.
#[derive(Clone)]
pub(super) struct Pair {
    pub(super) address: Address,
    pub(super) holdings: [SiloHolding; 2],
}

impl Pair {
    /// Reads both silos, even if the account has nothing in them.
    pub(super) async fn read(cx: &JobContext, address: Address, account: Address) -> Result<Self, Error> {
        let silos = cx.call(address, getSilosCall {}).immutable().await?;
        let holdings = [silos.one, silos.other].map(|silo| SiloHolding::read(cx, address, silo, account));
        Ok(Self { address, holdings: cx.join(holdings).await? })
    }

    pub(super) fn is_empty(&self) -> bool {
        let nothing = |holding: &SiloHolding| [holding.lent, holding.protected, holding.debt].iter().all(U256::is_zero);
        self.holdings.iter().all(nothing)
    }

    /// Returns the silo that the account owes to; there is at most one.
    pub(super) fn borrowed(&self) -> Option<&SiloHolding> {
        self.holdings.iter().find(|holding| holding.owes())
    }

    /// Returns the silo whose deposits secure the debt, if any. The contract names one without a debt too; it means
    /// nothing then.
    pub(super) async fn secured(&self, cx: &JobContext, account: Address) -> Result<Option<Address>, Error> {
        if self.borrowed().is_none() {
            return Ok(None);
        }
        let silo = cx.call(self.address, borrowerCollateralSiloCall { borrower: account }).await?;
        if self.holdings.iter().all(|holding| holding.config.silo != silo) {
            return Err(Error::new(format!("{}: {silo} secures a debt, and is not of the pair", self.address)));
        }
        Ok(Some(silo))
    }
}

impl SiloHolding {
    async fn read(cx: &JobContext, pair: Address, silo: Address, account: Address) -> Result<Self, Error> {
        let config = cx.call(pair, getConfigCall { silo }).immutable().await?;
        let shares = |token| cx.call(token, balanceOfCall { account }).zero_within(ZERO_STANDS_S);
        let kinds = [config.collateralShareToken, config.protectedShareToken, config.debtShareToken];
        let (lent, protected, debt) = cx.join((shares(kinds[0]), shares(kinds[1]), shares(kinds[2]))).await?;
        Ok(Self { config, lent, protected, debt })
    }

    pub(super) fn owes(&self) -> bool {
        !self.debt.is_zero()
    }

    /// Returns the account's shares of deposits of this kind.
    pub(super) fn shares(&self, kind: u8) -> U256 {
        if kind == PROTECTED { self.protected } else { self.lent }
    }

    /// Returns the assets that these shares redeem to.
    pub(super) async fn redeemed(&self, cx: &JobContext, kind: u8) -> Result<U256, Error> {
        let shares = self.shares(kind);
        if shares.is_zero() {
            return Ok(U256::ZERO);
        }
        cx.call(self.config.silo, previewRedeemCall { shares, kind }).await
    }

    /// Returns the assets that shares of both kinds redeem to.
    pub(super) async fn deposited(&self, cx: &JobContext) -> Result<U256, Error> {
        let (lent, protected) = cx.join((self.redeemed(cx, LENT), self.redeemed(cx, PROTECTED))).await?;
        lent.checked_add(protected).ok_or_else(too_large)
    }

    /// Returns the amount to repay.
    pub(super) async fn owed(&self, cx: &JobContext, borrower: Address) -> Result<U256, Error> {
        cx.call(self.config.silo, maxRepayCall { borrower }).await
    }
}
