//! Errors of a job or one of its reads.

use std::borrow::Cow;
use std::fmt;

use alloy::primitives::{Address, Bytes, hex};
use alloy::sol_types::{GenericContractError, SolCall, SolInterface};

/// Why a job cannot answer. Operators and `detail=full` see the text; plain answers never contain it.
///
/// ```
/// # use portolan_plugin_api::*;
/// # sol! {
/// #     function earned(address account) external view returns (uint256);
/// #     function token() external view returns (address);
/// #     function balanceOf(address account) external view returns (uint256);
/// # }
/// /// Tells a farm that is gone, where nobody has anything, from a failure.
/// async fn stake(cx: &JobContext, farm: Address, account: Address) -> Result<U256, Error> {
///     match cx.call(farm, balanceOfCall { account }).await {
///         Err(error) if error.is_no_contract() => Ok(U256::ZERO),
///         Ok(stake) if stake == U256::MAX => Err(Error::new(format!("the farm {farm} counts an impossible stake"))),
///         outcome => outcome,
///     }
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The call failed on chain; [`JobContext::try_call`](crate::JobContext::try_call) returns this as a value.
    #[error("{}: {revert}", Called(function, to))]
    Reverted {
        /// Target of the call.
        to: Address,
        /// Signature of the function.
        function: Cow<'static, str>,
        /// How it failed.
        revert: Revert,
    },
    /// No reply: the network did not answer in time, or the job's budget is used up.
    #[error("{}: {reason}", Called(function, to))]
    Unavailable {
        /// Target of the read.
        to: Address,
        /// Signature of the function; empty if the read is not a call of one.
        function: Cow<'static, str>,
        /// Reason.
        reason: &'static str,
    },
    /// The server has no such document, or the operator does not allow the host;
    /// [`JobContext::try_http_get`](crate::JobContext::try_http_get) returns this as a value.
    #[error("{host}: {reason}")]
    NoDocument {
        /// Host of the URL.
        host: String,
        /// Reason.
        reason: NoDocument,
    },
    /// The off-chain read failed: the server sent no document in time, or the budget is used up.
    #[error("{host}: {reason}")]
    OffChain {
        /// Host of the URL.
        host: String,
        /// Reason.
        reason: &'static str,
    },
    /// A message of the plugin.
    #[error("{0}")]
    Message(String),
}

impl Error {
    /// Creates an error with the plugin's message: lower case, what and where.
    pub fn new(text: impl Into<String>) -> Self {
        Self::Message(text.into())
    }

    /// Creates the error of a call that [`JobContext::try_call`](crate::JobContext::try_call) returned as a value.
    pub fn reverted<C: SolCall>(to: Address, revert: Revert) -> Self {
        Self::Reverted { to, function: C::SIGNATURE.into(), revert }
    }

    /// Names the function under which a fork has it.
    pub(crate) fn of_function(mut self, signature: impl Into<Cow<'static, str>>) -> Self {
        if let Self::Reverted { function, .. } | Self::Unavailable { function, .. } = &mut self {
            *function = signature.into();
        }
        self
    }

    /// Returns true if the called address has no contract. If it was one of several contracts that hold stakes, it is
    /// gone and nobody has anything there. If it lists other contracts, treat it as a failure.
    pub fn is_no_contract(&self) -> bool {
        matches!(self, Self::Reverted { revert: Revert::NoCode, .. })
    }
}

/// Why there is no off-chain document.
///
/// ```
/// use portolan_plugin_api::*;
///
/// /// The account's entry in a list of grants; no document means no grant.
/// async fn grant(cx: &JobContext, account: Address) -> Result<Option<Bytes>, Error> {
///     match cx.try_http_get(&format!("https://grants.example/{account:#x}.json")).await? {
///         Ok(entry) => Ok(Some(entry)),
///         Err(NoDocument::NotFound) => Ok(None),
///         Err(_) => Ok(None), // The operator does not allow the host, and the answer says so.
///     }
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoDocument {
    /// Status 404 or 410.
    #[error("the server has no such document")]
    NotFound,
    /// The operator does not allow this plugin to read the host.
    #[error("the operator does not allow this host")]
    NotAllowed,
}

/// Why a call returned no value.
///
/// ```
/// # use portolan_plugin_api::*;
/// # sol! {
/// #     function earned(address account) external view returns (uint256);
/// #     function token() external view returns (address);
/// #     function balanceOf(address account) external view returns (uint256);
/// # }
/// /// A farm that reverts for who never staked.
/// async fn earned(cx: &JobContext, farm: Address, account: Address) -> Result<U256, Error> {
///     match cx.try_call(farm, earnedCall { account }).await? {
///         Ok(amount) => Ok(amount),
///         Err(Revert::Data(data)) if data.is_empty() => Ok(U256::ZERO),
///         Err(revert) => Err(Error::reverted::<earnedCall>(farm, revert)),
///     }
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Revert {
    /// It reverted with this data.
    #[error("reverted{}", RevertData(.0))]
    Data(Bytes),
    /// No contract at this address.
    #[error("no contract there: check the address, and that it is on this network")]
    NoCode,
    /// It ran out of gas.
    #[error("used up its gas")]
    Gas,
    /// It returned this many bytes, which do not decode.
    #[error("answered {0} bytes that are not what the function returns: check its return types in the contract's ABI")]
    Undecodable(usize),
}

/// A function and its contract, as messages name them.
struct Called<'a>(&'a str, &'a Address);

impl fmt::Display for Called<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(function, to) = self;
        if function.is_empty() { write!(f, "{to}") } else { write!(f, "{function} of {to}") }
    }
}

/// Characters of a contract's own text in a message.
const REASON_CHARS_MAX: usize = 200;

/// Why a call reverted, by its data.
struct RevertData<'a>(&'a Bytes);

impl fmt::Display for RevertData<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let data = self.0;
        match GenericContractError::abi_decode(data) {
            Ok(GenericContractError::Revert(revert)) => {
                let reason: String = revert.reason.chars().take(REASON_CHARS_MAX).collect();
                write!(f, ": {reason:?}")
            }
            Ok(GenericContractError::Panic(panic)) => write!(f, ": {panic}"),
            Err(_) => match data.first_chunk::<4>() {
                None if data.is_empty() => f.write_str(
                    " without data, as where the contract has no such function: check it in the contract's ABI",
                ),
                None => write!(f, " with {} bytes", data.len()),
                Some(selector) => {
                    write!(f, " with the error {} and {} bytes", hex::encode_prefixed(selector), data.len() - 4)
                }
            },
        }
    }
}
