//! Gearbox v3: credit accounts, each with its collateral and one debt, and pools that lend to them.
//!
//! A deployment is market configurators, which list pools and credit managers, and the provider of addresses that knows
//! the reader of credit accounts (compressor); settings keys are the fields of [`CreditContracts`]. Answers lending
//! positions, one for each credit account, with its health factor. Invariant: tokens stand in the credit account and
//! not at its owner; a token that is not enabled, such as one without a quota, secures nothing and is shown so. A token
//! that cannot be read loses only its own leg, and the answer reports it. Rates of debts depend on quotas and are not
//! told.
//!
//! Source: <https://github.com/Gearbox-protocol/periphery-v3/tree/main/contracts/compressors>

use std::sync::Arc;

use portolan_plugin_api::{
    Address, B256, Error, FromKeys, Health, JobContext, Keys, Leg, LegRole, Position, PositionKind, Question,
    SettingsError, U256, symbol,
};

use crate::bounds::{answered, truncate};
use crate::boxed::Boxed;
use crate::erc4626;
use crate::fixed_point::too_large;
use crate::kit::{DeploymentReader, Kit, Labels, Shared, ZERO_STANDS_S};
use crate::partial::join_partial;

portolan_plugin_api::sol! {
    // types/Filters.sol: members that are empty, zero or false filter nothing, but accounts without debt.
    struct ManagerFilter { address[] configurators; address[] creditManagers; address[] pools; address underlying; }
    struct AccountFilter {
        address owner;
        bool includeZeroDebt;
        uint256 minHealthFactor;
        uint256 maxHealthFactor;
        bool reverting;
    }

    // types/CreditAccountState.sol. Without `success` nothing is known of values and health. A token's mask has one
    // bit.
    struct AccountToken { address token; uint256 mask; uint256 balance; uint256 quota; bool success; }
    struct AccountState {
        address creditAccount;
        address creditManager;
        address creditFacade;
        address underlying;
        address owner;
        uint40 expirationDate;
        uint256 enabledTokensMask;
        uint256 debt;
        uint256 accruedInterest;
        uint256 accruedFees;
        uint256 totalDebtUSD;
        uint256 totalValueUSD;
        uint256 twvUSD;
        uint256 totalValue;
        uint256 healthFactor;
        bool success;
        AccountToken[] tokens;
    }

    // compressors/CreditAccountCompressor.sol. An offset that is not zero: there is more than the call's gas could
    // read.
    function countCreditAccounts(ManagerFilter cmFilter, AccountFilter caFilter) external view returns (uint256);
    function getCreditAccounts(ManagerFilter cmFilter, AccountFilter caFilter, uint256 offset) external view
        returns (AccountState[] data, uint256 nextOffset);

    // AddressProvider.sol of https://github.com/Gearbox-protocol/permissionless
    function getLatestPatchVersion(bytes32 key, uint256 minorVersion) external view returns (uint256);
    function getAddressOrRevert(bytes32 key, uint256 version) external view returns (address);

    // MarketConfigurator.sol of the same, ContractsRegister.sol
    function contractsRegister() external view returns (address);
    function getPools() external view returns (address[] memory);
}

/// Name of the reader of credit accounts, padded with zeros as the provider's keys are.
const COMPRESSOR: &[u8] = b"GLOBAL::ACCOUNT_COMPRESSOR";
/// Version 3.1 of that reader: patches of it answer in the same form.
const COMPRESSOR_VERSION: u64 = 310;
/// Cache time of the reader's address and of the lists of pools, in seconds.
const LIST_STANDS_S: u32 = 300;
/// Ten times the configurators of any network.
const CONFIGURATORS_MAX: usize = 64;
/// Pools of all configurators.
const POOLS_MAX: usize = 256;
/// Credit accounts of one owner that are answered.
const ACCOUNTS_MAX: u64 = 64;
/// Calls for the credit accounts of one owner.
const PAGES_MAX: u32 = 4;
/// Tokens of one credit account; a manager has at most 255.
const TOKENS_MAX: usize = 64;

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CreditAccountsKit {
    /// Mechanism of credit accounts.
    pub account: &'static str,
    /// Mechanism of shares of pools.
    pub pool: &'static str,
}

/// Contracts of a deployment: the keys of its settings row.
#[derive(Clone, Debug, PartialEq, Eq, FromKeys)]
pub struct CreditContracts {
    /// The configurators, each with the markets of a curator.
    pub market_configurators: Vec<Address>,
    /// The provider that names the reader of credit accounts; without it, only pools are answered.
    pub address_provider: Option<Address>,
}

/// One deployment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreditAccounts {
    contracts: CreditContracts,
    types: CreditAccountsKit,
}

impl CreditAccountsKit {
    /// Keys of a row for Gearbox or a fork:
    /// - `market_configurators` (addresses): the configurators, each with the markets of a curator
    /// - `address_provider` (address, optional): the provider that names the reader of credit accounts; without it,
    ///   only pools are answered
    pub const KEYS: &'static [&'static str] = &["market_configurators", "address_provider"];
}

impl Kit for CreditAccountsKit {
    fn keys(&self) -> &'static [&'static str] {
        Self::KEYS
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        let contracts = CreditContracts::from_keys(keys)?;
        let count = contracts.market_configurators.len();
        if count == 0 || count > CONFIGURATORS_MAX {
            let message = format!("1 to {CONFIGURATORS_MAX} addresses, not {count}");
            return Err(SettingsError::new(message).at("market_configurators"));
        }
        Ok(Some(CreditAccounts { contracts, types: *self }.shared()))
    }
}

impl DeploymentReader for CreditAccounts {
    fn contracts(&self) -> Vec<Address> {
        self.contracts.market_configurators.iter().copied().chain(self.contracts.address_provider).collect()
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::LENDING]
    }

    /// Returns a position per credit account, and one per pool.
    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        _: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        let parts: [Boxed<'a, Vec<Position>>; 2] = [
            Box::pin(self.accounts(cx, labels, account)),
            Box::pin(async move {
                let pools = self.pools(cx, labels).await?;
                erc4626::positions(cx, labels, self.types.pool, pools, account).await
            }),
        ];
        Box::pin(async move {
            let found = join_partial(cx, parts).await.fail_if_none(cx, labels.market)?;
            Ok(found.into_iter().flatten().collect())
        })
    }
}

impl CreditAccounts {
    /// Returns the positions of the owner's credit accounts. Accounts that closed have another owner.
    async fn accounts(&self, cx: &JobContext, labels: Labels<'_>, owner: Address) -> Result<Vec<Position>, Error> {
        let Some(provider) = self.contracts.address_provider else { return Ok(Vec::new()) };
        let compressor = compressor(cx, provider).await?;
        let managers = ManagerFilter {
            configurators: self.contracts.market_configurators.clone(),
            creditManagers: Vec::new(),
            pools: Vec::new(),
            underlying: Address::ZERO,
        };
        let owned = AccountFilter {
            owner,
            includeZeroDebt: true,
            minHealthFactor: U256::ZERO,
            maxHealthFactor: U256::ZERO,
            reverting: false,
        };
        let count = countCreditAccountsCall { cmFilter: managers.clone(), caFilter: owned.clone() };
        let count = cx.call(compressor, count).zero_within(ZERO_STANDS_S).await?;
        if count.is_zero() {
            return Ok(Vec::new());
        }
        let answered = answered(cx, labels.market, count, "credit accounts", ACCOUNTS_MAX);
        let answered = usize::try_from(answered).unwrap_or(usize::MAX);
        let mut states = Vec::new();
        let mut offset = U256::ZERO;
        for page in 1..=PAGES_MAX {
            let call = getCreditAccountsCall { cmFilter: managers.clone(), caFilter: owned.clone(), offset };
            let found = cx.call(compressor, call).await?;
            states.extend(found.data);
            offset = found.nextOffset;
            if offset.is_zero() || states.len() >= answered {
                break;
            }
            if page == PAGES_MAX {
                cx.report_not_covered(format!("{}: credit accounts of {owner} after {PAGES_MAX} calls", labels.market));
            }
        }
        states.truncate(answered);
        let positions = states.into_iter().map(|state| async { self.position(cx, labels, owner, state) });
        join_partial(cx, positions).await.fail_if_none(cx, labels.market)
    }

    /// Returns the position of a credit account.
    fn position(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        owner: Address,
        state: AccountState,
    ) -> Result<Position, Error> {
        let (market, account) = (labels.market, state.creditAccount);
        if state.owner != owner {
            return Err(Error::new(format!("{account}: a credit account of {}", state.owner)));
        }
        let debt = state.debt.checked_add(state.accruedInterest).and_then(|debt| debt.checked_add(state.accruedFees));
        let debt = debt.ok_or_else(too_large)?;
        let owes = !debt.is_zero();
        let mut tokens = state.tokens;
        truncate(cx, format_args!("{market}: {account}"), &mut tokens, "tokens", TOKENS_MAX);
        for token in tokens.iter().filter(|token| !token.success) {
            cx.report_missing(format!("{market}: what {account} holds of {}", token.token));
        }
        // What is done with a token leaves a smallest unit of it behind.
        tokens.retain(|token| token.success && token.balance > U256::ONE);
        let supplied = tokens.into_iter().map(|AccountToken { token, mask, balance, .. }| {
            let secures = owes && !(state.enabledTokensMask & mask).is_zero();
            let leg = Leg::new(LegRole::SUPPLIED, token, balance);
            Leg { is_collateral: Some(secures), ..leg.named(format!("{} {}", labels.title, symbol(token))) }
        });
        let kind = if owes { PositionKind::BORROWED } else { PositionKind::LENT };
        let name = format!("{} {} credit account", labels.title, symbol(state.underlying));
        let position = Position::new(kind, market, account).mechanism(self.types.account).named(name).legs(supplied);
        if !owes {
            return Ok(position);
        }
        if !state.success {
            cx.report_missing(format!("{market}: health factor of {account}: prices cannot be read"));
        }
        let health = Health { factor_wad: Some(state.healthFactor), liquidation_price: None };
        let leg = Leg::new(LegRole::BORROWED, state.underlying, debt);
        let leg = leg.named(format!("{} {} debt", labels.title, symbol(state.underlying)));
        Ok(Position { health: state.success.then_some(health), ..position.leg(leg) })
    }

    /// Returns the pools that the configurators list. One that cannot be read loses only its own pools.
    async fn pools(&self, cx: &JobContext, labels: Labels<'_>) -> Result<Vec<Address>, Error> {
        let lists = self.contracts.market_configurators.iter().map(|configurator| async {
            let register = cx.call(*configurator, contractsRegisterCall {}).immutable().await?;
            cx.call(register, getPoolsCall {}).within(LIST_STANDS_S).await
        });
        let lists = join_partial(cx, lists).await.fail_if_none(cx, labels.market)?;
        let mut pools: Vec<Address> = lists.into_iter().flatten().collect();
        truncate(cx, labels.market, &mut pools, "pools", POOLS_MAX);
        Ok(pools)
    }
}

/// Returns the reader of credit accounts.
async fn compressor(cx: &JobContext, provider: Address) -> Result<Address, Error> {
    let key = B256::right_padding_from(COMPRESSOR);
    let latest = getLatestPatchVersionCall { key, minorVersion: U256::from(COMPRESSOR_VERSION) };
    let version = cx.call(provider, latest).within(LIST_STANDS_S).await?;
    cx.call(provider, getAddressOrRevertCall { key, version }).within(LIST_STANDS_S).await
}
