//! The common interface of price sources: the tokens that one prices, its reads, and its answer.

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;

use alloy::primitives::Address;
use futures_util::future::BoxFuture;
use portolan_base::network::Network;
use portolan_reader::{Block, Read, Reply};
use tokio::time::Instant;

use crate::issuers::Issuers;
use crate::metadata::{MetadataSet, TokenMetadata};
use crate::token::{Composition, Price};

/// A source of prices. For each answer, the reads of all sources are one batch; then each source prices the tokens
/// that no source before it priced.
pub(super) trait PriceSource: fmt::Debug + Send + Sync {
    /// Returns what is known in advance about a price for the token.
    fn coverage(&self, _network: &Network, _token: Address) -> Coverage {
        Coverage::Unknown
    }

    /// Returns true if it only knows current prices.
    fn is_of_present(&self) -> bool {
        false
    }

    /// Reads for a network, once for all tokens that the source may price.
    fn network_reads(&self, _network: &Network) -> Vec<Read> {
        Vec::new()
    }

    /// Reads for a token that only depend on its address.
    fn reads(&self, _network: &Network, _token: Address) -> Vec<Read> {
        Vec::new()
    }

    /// Reads for a token that depend on its metadata; their replies follow those to [`PriceSource::reads`].
    fn metadata_reads(&self, _issuers: &Issuers<'_>, _token: Address, _metadata: &TokenMetadata) -> Vec<Read> {
        Vec::new()
    }

    /// Called before the batch is sent, with the tokens that no source before this one covers. Starts work that can
    /// run while the chain is read.
    fn start(&self, _network: &Network, _tokens: &[Address]) {}

    /// Prices of some or all of the tokens of the request.
    fn prices<'a>(&'a self, request: &'a PriceRequest<'a>) -> BoxFuture<'a, HashMap<Address, Price>>;
}

/// A source's advance knowledge about its price for a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Coverage {
    /// It may have a price or not.
    Unknown,
    /// It names the token, but its price may turn out to be bad.
    Likely,
    /// It has a price: sources after it are not needed.
    Certain,
}

/// The input of a source's answer.
#[derive(Debug)]
pub(super) struct PriceRequest<'a> {
    pub(super) network: &'a Network,
    pub(super) block: &'a Block,
    /// Start time of the batch of reads.
    pub(super) began: Instant,
    pub(super) deadline: Instant,
    /// The tokens without a price.
    pub(super) tokens: Vec<UnpricedToken<'a>>,
    /// The replies to the source's [`PriceSource::network_reads`].
    pub(super) network_replies: &'a [Reply],
    /// All replies of the batch.
    pub(super) replies: &'a [Reply],
    /// Prices from the sources before it.
    pub(super) prices: &'a HashMap<Address, Price>,
    pub(super) metadata: &'a MetadataSet,
    pub(super) issuers: &'a Issuers<'a>,
    pub(super) compositions: &'a HashMap<Address, Composition>,
}

/// A token without a price.
#[derive(Clone, Debug)]
pub(super) struct UnpricedToken<'a> {
    pub(super) address: Address,
    pub(super) metadata: &'a TokenMetadata,
    /// Range of the source's own replies within the batch.
    pub(super) replies: Range<usize>,
}

impl PriceRequest<'_> {
    /// The replies to the source's reads for a token; empty if they are missing.
    pub(super) fn replies_of(&self, token: &UnpricedToken<'_>) -> &[Reply] {
        self.replies.get(token.replies.clone()).unwrap_or_default()
    }
}
