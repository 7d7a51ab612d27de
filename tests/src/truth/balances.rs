//! The answers that the gateway must give about balances: rows made from the arithmetic of the chain's build.
//!
//! Prices are the caller's to say: exact decimals, multiplied here and rounded as the rulings have it.

use std::collections::BTreeMap;
use std::str::FromStr;

use anyhow::{Context as _, Result};
use bigdecimal::num_bigint::BigInt;
use bigdecimal::{BigDecimal, RoundingMode};

use super::{SIGNIFICANT_DIGITS, Truth, network};
use crate::json::Json;

/// The address of every network's native token.
pub(super) const NATIVE: &str = "0x0";
pub(super) const NATIVE_DECIMALS: i64 = 18;
/// Native tokens of the networks that chains stand for.
const NATIVES: [(&str, &str); 4] = [("ethereum", "ETH"), ("optimism", "ETH"), ("fantom", "FTM"), ("polygon", "POL")];

/// Dollars for one whole token, as decimal text, by token.
pub type Prices<'a> = BTreeMap<&'a str, &'a str>;

impl Truth {
    /// The tokens of the list whose balances nobody can read.
    ///
    /// # Errors
    /// Where the chain has no list.
    pub fn failed_tokens(&self) -> Result<Vec<&str>> {
        self.expected.at("failedTokens")?.items()?.iter().map(super::text).collect()
    }

    /// The decimals of a token that answers name.
    ///
    /// # Errors
    /// Where none does.
    pub fn decimals(&self, token: &str) -> Result<u64> {
        Ok(self.expected.at(&format!("tokens/{token}/decimals"))?.to_string().parse()?)
    }

    /// The static prices that the build chose.
    ///
    /// # Errors
    /// Where it chose none.
    pub fn prices(&self) -> Result<Prices<'_>> {
        let rows = self.expected.at("prices")?.members()?.iter();
        rows.map(|(token, price)| Ok((token.as_str(), super::text(price)?))).collect()
    }

    /// Returns the build's description of the sources of prices.
    ///
    /// # Errors
    /// Where the chain has none.
    pub fn price_sources(&self) -> Result<&Json> {
        self.expected.at("priceSources")
    }

    /// Returns an account's holdings of the list's tokens: each token with its raw amount, by token.
    ///
    /// # Errors
    /// Where the chain has no list.
    pub fn held(&self, who: &str) -> Result<Vec<(&str, &str)>> {
        let rows = self.expected.at(&format!("accounts/{who}/tokenBalances"))?.items()?.iter();
        rows.map(|row| Ok((row.text_at("token")?, row.text_at("amountRaw")?))).collect()
    }

    /// The token balances of an account at these prices; a token without one is worth nothing.
    ///
    /// # Errors
    /// Where the build's values are incomplete.
    pub fn token_balances(&self, who: &str, prices: &Prices<'_>) -> Result<Vec<Json>> {
        let row = |(token, raw)| {
            balance(&self.network, self.token(token)?, &self.units(token, raw)?, prices.get(token).copied())
        };
        self.held(who)?.into_iter().map(row).collect()
    }

    /// The native balance of an account in its smallest unit.
    ///
    /// # Errors
    /// Where there is no such account.
    pub fn native_raw(&self, who: &str) -> Result<&str> {
        self.expected.text_at(&format!("accounts/{who}/nativeRaw"))
    }

    /// The native balance of an account.
    ///
    /// # Errors
    /// Where the build's values are incomplete.
    pub fn native_balance(&self, who: &str, price: Option<&str>) -> Result<Json> {
        let amount = BigDecimal::new(BigInt::from_str(self.native_raw(who)?)?, NATIVE_DECIMALS);
        balance(&self.network, self.native_token()?, &Json::number(amount.to_plain_string()), price)
    }

    /// The native token as the calls of one protocol report tokens.
    pub(super) fn native_token(&self) -> Result<Json> {
        let (_, symbol) = NATIVES.iter().find(|(slug, _)| *slug == self.network).context("no native token")?;
        Ok(Json::object([
            ("address", Json::text(NATIVE)),
            ("name", Json::text(*symbol)),
            ("symbol", Json::text(*symbol)),
            ("decimals", Json::number(NATIVE_DECIMALS)),
            ("logo", network(&self.network)?.at("logo")?.clone()),
            ("type", Json::text("NATIVE")),
            ("totalSupply", Json::number(0)),
        ]))
    }
}

fn balance(slug: &str, token: Json, amount: &Json, price: Option<&str>) -> Result<Json> {
    let price = BigDecimal::from_str(price.unwrap_or("0"))?;
    Ok(Json::object([
        ("amount", amount.clone()),
        ("network", network(slug)?),
        ("token", token),
        ("dollarValue", dollars(&(amount.exact()? * &price))),
        ("price", dollars(&price)),
    ]))
}

/// Dollars as answers round them.
pub fn dollars(exact: &BigDecimal) -> Json {
    Json::number(exact.with_precision_round(SIGNIFICANT_DIGITS, RoundingMode::HalfEven).to_plain_string())
}
