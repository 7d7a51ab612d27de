//! The outcome of a read, and decoding of its values.

use alloy::primitives::{Address, Bytes, U256};
use alloy::sol_types::SolCall;
use alloy::sol_types::abi::AbiDecoderConfig;
use portolan_abi::row::status;

use crate::error::{Error, NoDocument, Revert};

/// Bytes of memory per reply byte that decoding may use. Arrays may share their elements: a small reply of a hostile
/// contract can decode to a huge value. Honest values take about twice their size.
const DECODED_PER_BYTE: usize = 8;
/// Bytes of memory that any value may use, since small values have fixed parts.
const DECODED_FLOOR_BYTES: usize = 4_096;

/// Outcome of a read. Bytes are slices of the received frame.
///
/// ```
/// # portolan_plugin_api::sol! { function earned(address account) external view returns (uint256); }
/// use portolan_plugin_api::testing::{CannedReplies, ReadResult};
/// use portolan_plugin_api::{Address, networks};
///
/// // A test in which no endpoint answers about one farm.
/// let (farm, account) = (Address::repeat_byte(1), Address::repeat_byte(2));
/// let replies = CannedReplies::default();
/// let replies = replies.result(networks::POLYGON, farm, &earnedCall { account }, ReadResult::Unavailable);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReadResult {
    /// Returned bytes, the word of a balance or code size, or the body of a document.
    Ok(Bytes),
    /// Revert data.
    Reverted(Bytes),
    /// No contract at the target, or no document at the URL.
    NoCode,
    /// The call ran out of gas.
    GasCap,
    /// No endpoint or server returned a usable reply in time.
    Unavailable,
    /// The job's budget is used up.
    OverBudget,
    /// The host does not support this read.
    Unsupported,
    /// The operator does not allow the host of an off-chain read.
    NotAllowed,
    /// A status of a later revision.
    Unknown(u8),
}

impl ReadResult {
    /// Returns the body of an off-chain document, or why there is none.
    pub(crate) fn document(self, host: &str) -> Result<Result<Bytes, NoDocument>, Error> {
        let reason = match self {
            Self::Ok(body) => return Ok(Ok(body)),
            Self::NoCode => return Ok(Err(NoDocument::NotFound)),
            Self::NotAllowed => return Ok(Err(NoDocument::NotAllowed)),
            Self::Unavailable => "the server did not answer in time with a document",
            Self::OverBudget => "the job's budget of off-chain reads is used up",
            Self::Unsupported => "this host makes no off-chain reads",
            Self::Reverted(_) | Self::GasCap | Self::Unknown(_) => UNKNOWN,
        };
        Err(Error::OffChain { host: host.to_owned(), reason })
    }

    /// Converts a reply's row; `None` while the read is open.
    pub(crate) fn new(status: u8, bytes: Bytes) -> Option<Self> {
        Some(match status {
            status::PENDING => return None,
            status::OK => Self::Ok(bytes),
            status::REVERTED => Self::Reverted(bytes),
            status::NO_CODE => Self::NoCode,
            status::GAS_CAP => Self::GasCap,
            status::UNAVAILABLE => Self::Unavailable,
            status::OVER_BUDGET => Self::OverBudget,
            status::UNSUPPORTED => Self::Unsupported,
            status::NOT_ALLOWED => Self::NotAllowed,
            other => Self::Unknown(other),
        })
    }

    /// Returns the status and bytes of a reply's row.
    #[cfg(feature = "testing")]
    pub(crate) fn parts(&self) -> (u8, &[u8]) {
        match self {
            Self::Ok(bytes) => (status::OK, bytes),
            Self::Reverted(bytes) => (status::REVERTED, bytes),
            Self::NoCode => (status::NO_CODE, &[]),
            Self::GasCap => (status::GAS_CAP, &[]),
            Self::Unavailable => (status::UNAVAILABLE, &[]),
            Self::OverBudget => (status::OVER_BUDGET, &[]),
            Self::Unsupported => (status::UNSUPPORTED, &[]),
            Self::NotAllowed => (status::NOT_ALLOWED, &[]),
            Self::Unknown(status) => (*status, &[]),
        }
    }

    /// Decodes the return value; returns the failure if the call has none.
    pub(crate) fn decoded<C: SolCall>(self, to: Address) -> Result<Result<C::Return, Revert>, Error> {
        let returned = self.returned(to).map_err(|error| error.of_function(C::SIGNATURE))?;
        Ok(returned.and_then(|bytes| {
            let limit = DECODED_FLOOR_BYTES.saturating_add(bytes.len().saturating_mul(DECODED_PER_BYTE));
            let config = AbiDecoderConfig::new().memory_limit(limit);
            C::abi_decode_returns_with_config(&bytes, config).map_err(|_| Revert::Undecodable(bytes.len()))
        }))
    }

    /// Returns the returned bytes, or how the call failed.
    pub(crate) fn returned(self, to: Address) -> Result<Result<Bytes, Revert>, Error> {
        let reason = match self {
            Self::Ok(bytes) => return Ok(Ok(bytes)),
            Self::Reverted(data) => return Ok(Err(Revert::Data(data))),
            Self::NoCode => return Ok(Err(Revert::NoCode)),
            Self::GasCap => return Ok(Err(Revert::Gas)),
            Self::Unavailable => "no endpoint answered in time",
            Self::OverBudget => {
                "the job's budget of reads is used up: read less for one account, or lists that only grow as facts"
            }
            Self::Unsupported => "this host does not make such a read",
            Self::NotAllowed | Self::Unknown(_) => UNKNOWN,
        };
        Err(Error::Unavailable { to, function: "".into(), reason })
    }

    /// Returns the word of a balance or code size.
    pub(crate) fn word(self, to: Address) -> Result<U256, Error> {
        let unknown = Error::Unavailable { to, function: "".into(), reason: UNKNOWN };
        match self.returned(to)? {
            Ok(bytes) => <[u8; 32]>::try_from(bytes.as_ref()).map(U256::from_be_bytes).map_err(|_| unknown),
            Err(_) => Err(unknown),
        }
    }
}

const UNKNOWN: &str = "the host answered something unknown";
