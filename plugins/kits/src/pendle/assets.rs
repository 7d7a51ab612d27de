//! What wrapped assets (SY) and principal tokens (PT) pay.
//!
//! Invariant: amounts are rounded as the contracts round them. A wrapped asset is worth its asset at its own rate;
//! where the asset stands on another network, what it redeems to in its yield token.

use portolan_plugin_api::{Address, Error, JobContext, NATIVE, Part, U256};

use super::contracts::{
    assetInfoCall, assetInfoReturn, decimalsCall, exchangeRateCall, previewRedeemCall, pyIndexStoredCall,
    yieldTokenCall,
};
use crate::fixed_point::{WAD, mul_div, whole};
use crate::native_placeholder::named_token;

/// Asset type of a token that is bridged, and whose asset stands on another network.
const BRIDGED: u8 = 2;
/// Cache time of what a wrapped asset counts in, in seconds; its owner may change its code.
const ASSET_STANDS_S: u32 = 300;

/// A wrapped asset, and the token that it is counted in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wrapped {
    sy: Address,
    /// Assets per wrapped asset, with 18 decimals.
    rate: U256,
    paid: PaidIn,
}

/// The token that a wrapped asset pays.
#[derive(Clone, Copy, Debug)]
enum PaidIn {
    /// Its asset. The wrapped asset counts it with other decimals than the token if both differ.
    Asset { token: Address, counted_decimals: u8, decimals: u8 },
    /// The token that it holds, in which its asset stands on another network.
    YieldToken(Address),
}

impl Wrapped {
    /// Reads a wrapped asset.
    pub(super) async fn read(cx: &JobContext, sy: Address) -> Result<Self, Error> {
        let info = cx.call(sy, assetInfoCall {}).within(ASSET_STANDS_S);
        let (info, rate) = cx.join((info, cx.call(sy, exchangeRateCall {}))).await?;
        let paid = match own_asset(cx, info).await? {
            Some(asset) => asset,
            None => PaidIn::YieldToken(cx.call(sy, yieldTokenCall {}).within(ASSET_STANDS_S).await?),
        };
        Ok(Self { sy, rate, paid })
    }

    /// The token that it pays.
    pub(super) fn token(&self) -> Address {
        match self.paid {
            PaidIn::Asset { token, .. } | PaidIn::YieldToken(token) => named_token(token),
        }
    }

    /// Returns what an amount of the wrapped asset is worth.
    pub(super) async fn pays(&self, cx: &JobContext, amount: U256) -> Result<Part, Error> {
        let amount = match self.paid {
            PaidIn::Asset { counted_decimals, decimals, .. } => {
                scaled(mul_div(amount, self.rate, WAD)?, counted_decimals, decimals)?
            }
            PaidIn::YieldToken(token) => {
                cx.call(self.sy, previewRedeemCall { tokenOut: token, amountSharesToRedeem: amount }).await?
            }
        };
        Ok(Part { token: self.token(), amount })
    }

    /// Returns what an amount of a principal token pays at its expiry, at the present index of its yield token: the
    /// highest rate so far, so that it pays less if the rate fell.
    pub(super) async fn principal(&self, cx: &JobContext, yt: Address, amount: U256) -> Result<Part, Error> {
        let stored = cx.call(yt, pyIndexStoredCall {}).await?;
        self.pays(cx, mul_div(amount, WAD, stored.max(self.rate))?).await
    }
}

/// Returns the asset, if it is a token of this network.
async fn own_asset(cx: &JobContext, info: assetInfoReturn) -> Result<Option<PaidIn>, Error> {
    let (token, counted_decimals) = (info.assetAddress, info.assetDecimals);
    if info.assetType == BRIDGED {
        return Ok(None);
    }
    if named_token(token) == NATIVE {
        return Ok(Some(PaidIn::Asset { token, counted_decimals, decimals: counted_decimals }));
    }
    let decimals = cx.try_call(token, decimalsCall {}).await?.ok();
    Ok(decimals.map(|decimals| PaidIn::Asset { token, counted_decimals, decimals }))
}

/// Converts an amount between decimals, rounding down.
fn scaled(amount: U256, from: u8, to: u8) -> Result<U256, Error> {
    let unit = |decimals: u8| whole("a token", U256::from(decimals));
    if from == to { Ok(amount) } else { mul_div(amount, unit(to)?, unit(from)?) }
}

#[cfg(test)]
mod tests {
    use super::{U256, scaled};

    #[test]
    fn amounts_are_rounded_down_to_fewer_decimals() {
        let at = |amount: u64, from, to| scaled(U256::from(amount), from, to).ok();
        assert_eq!(at(1_999_999_999_999, 18, 6), Some(U256::from(1)));
        assert_eq!(at(7, 6, 18), Some(U256::from(7_000_000_000_000_u64)));
        assert_eq!(at(7, 18, 18), Some(U256::from(7)));
        assert_eq!(at(7, 200, 18), None);
    }
}
