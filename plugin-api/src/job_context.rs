//! The context of a job: its question, its pinned block, and the reads that the host makes for it.
//!
//! Invariant: nothing here does IO. An awaited read is queued; the host answers all queued reads at once, and the job
//! continues.

use std::future::Future;
use std::sync::Arc;

use alloy::primitives::{Address, U256, keccak256};
use alloy::sol_types::SolCall;
use portolan_abi::capability;
use portolan_abi::map::{Block, Claim, ClaimTemplate, Finding, Start};

use crate::deployment::Deployment;
use crate::error::{Error, Revert};
use crate::events::Transaction;
use crate::gather::{self, Emitter, Gather, Gathered};
use crate::job_state::{Budget, JobState};
use crate::join::{self, Join};
use crate::read::{Each, Read};
use crate::read_request::ReadRequest;
use crate::read_result::ReadResult;
use crate::request_rows::CallList;

/// The context of a job: its question, reads at [`JobContext::block`], and claims. One per job.
#[derive(Debug)]
pub struct JobContext {
    start: Start,
    templates: Arc<[ClaimTemplate]>,
    pub(crate) state: JobState,
}

impl JobContext {
    pub(crate) fn new(start: Start, templates: Arc<[ClaimTemplate]>) -> Self {
        Self { start, templates, state: JobState::default() }
    }

    /// Returns the slug that the question is about; empty for a transaction.
    pub fn protocol(&self) -> &str {
        &self.start.protocol
    }

    pub(crate) fn account(&self) -> Address {
        self.start.account
    }

    /// Returns the tokens that the question is about, if any.
    pub(crate) fn tokens(&self) -> &[Address] {
        self.start.tokens.as_deref().unwrap_or_default()
    }

    /// Returns the transaction that the question is about.
    ///
    /// # Errors
    /// If there is none, or its logs do not decode.
    pub(crate) fn transaction(&self) -> Result<Transaction, String> {
        let transaction = self.start.transaction.as_ref().ok_or("the question names no transaction")?;
        Transaction::from_map(transaction).map_err(|error| format!("logs of the transaction: {error}"))
    }

    /// Returns the ERC-20 that wraps the native token, if the question is about a transaction and the host knows it.
    pub fn wrapped_native(&self) -> Option<Address> {
        self.start.transaction.as_ref()?.wrapped_native
    }

    /// Returns the EIP-155 chain id of the job's network.
    pub fn network(&self) -> u64 {
        self.start.chain_id
    }

    /// Returns the block that reads are at by default.
    pub fn block(&self) -> Block {
        self.start.block
    }

    /// Returns the block of reads [`on`](Read::on) another network; `None` if this job may not read it.
    pub fn block_on(&self, network: u64) -> Option<Block> {
        self.start.pins.iter().find(|pin| pin.chain_id == network).map(|pin| pin.block)
    }

    /// Returns the job's remaining budget, as of its last batch of reads.
    pub fn budget(&self) -> Budget {
        self.state.budget()
    }

    /// Calls a contract. Anything but a decodable reply is an error.
    ///
    /// The read is made when the returned future is awaited. Reads awaited together (see [`JobContext::join`]) are sent
    /// together.
    pub fn call<C: SolCall>(&self, to: Address, call: C) -> Read<'_, C::Return> {
        Read::new(&self.state, self.request_of::<C>(to, None, call.abi_encode()), returned::<C>)
    }

    /// Calls a contract. A revert, a missing contract or an undecodable reply is returned as a value.
    pub fn try_call<C: SolCall>(&self, to: Address, call: C) -> Read<'_, Result<C::Return, Revert>> {
        Read::new(&self.state, self.request_of::<C>(to, None, call.abi_encode()), |to, result| result.decoded::<C>(to))
    }

    /// Like [`JobContext::call`], for a function that differs from `C` only in its name: forks rename what they copy.
    pub fn call_as<C: SolCall>(&self, to: Address, name: &str, call: &C) -> Read<'_, C::Return> {
        let request = self.request_of::<C>(to, Some(name), renamed(name, call));
        Read::new(&self.state, request, returned::<C>).renamed(signature::<C>(name))
    }

    /// Like [`JobContext::try_call`], for a function that differs from `C` only in its name.
    pub fn try_call_as<C: SolCall>(&self, to: Address, name: &str, call: &C) -> Read<'_, Result<C::Return, Revert>> {
        let request = self.request_of::<C>(to, Some(name), renamed(name, call));
        Read::new(&self.state, request, |to, result| result.decoded::<C>(to)).renamed(signature::<C>(name))
    }

    /// Calls many contracts, or one with many arguments. Returns an outcome per call, in order; a failed call does not
    /// affect the others. Much faster than as many single calls.
    ///
    /// ```
    /// # use portolan_plugin_api::*;
    /// # sol! { function earned(address account) external view returns (uint256); }
    /// # async fn example(cx: &JobContext, farms: &[Address], account: Address) -> Result<(), Error> {
    /// let earned = cx.call_each(farms.iter().map(|farm| (*farm, earnedCall { account }))).zero_within(30).await;
    /// for (farm, earned) in farms.iter().zip(earned) {
    ///     println!("{farm}: {}", earned?);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn call_each<C: SolCall>(&self, calls: impl IntoIterator<Item = (Address, C)>) -> Read<'_, C::Return, Each> {
        self.each(calls, returned::<C>)
    }

    /// Like [`JobContext::call_each`], with the outcomes of [`JobContext::try_call`].
    pub fn try_call_each<C: SolCall>(
        &self,
        calls: impl IntoIterator<Item = (Address, C)>,
    ) -> Read<'_, Result<C::Return, Revert>, Each> {
        self.each(calls, |to, result| result.decoded::<C>(to))
    }

    fn each<C: SolCall, T>(
        &self,
        calls: impl IntoIterator<Item = (Address, C)>,
        decode: fn(Address, ReadResult) -> Result<T, Error>,
    ) -> Read<'_, T, Each> {
        let request = self.request_of::<C>(Address::ZERO, None, Vec::new());
        Read::each(&self.state, request, CallList::of(calls), decode)
    }

    /// Reads the native balance of an account, in wei.
    pub fn native_balance(&self, account: Address) -> Read<'_, U256> {
        Read::new(&self.state, ReadRequest::native_balance(self.network(), account), |to, result| result.word(to))
    }

    /// Reads the code size of an address in bytes; 0 if there is no contract.
    pub fn code_size(&self, at: Address) -> Read<'_, U256> {
        Read::new(&self.state, ReadRequest::code_size(self.network(), at), |to, result| result.word(to))
    }

    /// `name` replaces the name of `C`.
    fn request_of<C: SolCall>(&self, to: Address, name: Option<&str>, data: Vec<u8>) -> ReadRequest {
        let is_traced = self.start.capabilities & capability::READ_FUNCTIONS != 0;
        let function = is_traced.then(|| match name {
            Some(name) => format!("{name}{}", parameters::<C>()),
            None => C::SIGNATURE.to_owned(),
        });
        ReadRequest { function, ..ReadRequest::call(self.network(), to, data.into()) }
    }

    /// Awaits several futures together. A tuple of different futures gives a tuple, an array an array, an iterator or a
    /// `Vec` a `Vec`. All are awaited to the end.
    ///
    /// ```
    /// # use portolan_plugin_api::*;
    /// # sol! {
    /// #     function stakingToken() external view returns (address);
    /// #     function totalSupply() external view returns (uint256);
    /// #     function earned(address account) external view returns (uint256);
    /// # }
    /// # async fn example(cx: &JobContext, farm: Address, accounts: &[Address]) -> Result<(), Error> {
    /// let token = cx.call(farm, stakingTokenCall {}).immutable();
    /// let all_earned = cx.join(accounts.iter().map(|account| cx.call(farm, earnedCall { account: *account })));
    /// let (token, supply, earned) = cx.join((token, cx.call(farm, totalSupplyCall {}), all_earned)).await?;
    /// # let _: (Address, U256, Vec<U256>) = (token, supply, earned);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The first error in order.
    pub fn join<S, J: Join<S>>(&self, futures: J) -> J::Joined {
        futures.joined()
    }

    /// Awaits several futures of one type together. Returns an outcome per future, in order; a failed one does not
    /// affect the others.
    pub fn outcomes<I, F>(&self, futures: I) -> impl Future<Output = Vec<F::Output>> + use<I, F>
    where
        I: IntoIterator<Item = F>,
        F: Future,
    {
        join::outcomes(futures)
    }

    /// Awaits the parts of a question together, and emits the findings of each when it is done. Takes a tuple of
    /// different parts, or an array, an iterator or a `Vec` of equal ones. A part returns a `Vec` or an `Option` of
    /// findings.
    ///
    /// A failed part is missing from the answer, which reports it. The returned list is empty, since everything is
    /// emitted, so the call can end a question.
    ///
    /// # Errors
    /// The first error, if every part failed.
    pub fn gather<'c, S, P: Gather<'c, S>>(&'c self, parts: P) -> Gathered<'c, P::Found> {
        let emitter = Emitter(&self.state);
        gather::gather(emitter, parts.parts(emitter))
    }

    /// Iterates over the deployments that the job is about: those of [`JobContext::protocol`] on
    /// [`JobContext::network`], or of all protocols for a transaction.
    pub fn rows<'a, M>(&self, deployments: &'a [Deployment<M>]) -> impl Iterator<Item = &'a Deployment<M>> {
        deployments.iter().filter(move |row| {
            row.network == self.network() && (self.protocol().is_empty() || row.protocol == self.protocol())
        })
    }

    /// Emits a finding at once, so that a deadline does not lose it.
    ///
    /// A finding that a contract's reply made invalid is dropped and reported: a duplicate token, a name with control
    /// characters, a supply of zero. The same applies to findings that a question returns.
    pub fn emit(&self, finding: impl Into<Finding>) {
        self.state.emit(finding.into());
    }

    /// Reports what could not be read, without ending the job. For what the plugin never reads, see
    /// [`JobContext::report_not_covered`].
    pub fn report_missing(&self, why: impl Into<String>) {
        self.state.report_missing(why.into());
    }

    /// Reports something that the plugin does not read although this account may have something there: an old locker
    /// that still holds stakes, payments beyond the bound of a list. The answer becomes partial with the reason
    /// `not-covered`; its report has the sentence.
    ///
    /// Call it only if a cheap read of this job shows that the account has or may have something there: a balance, a
    /// count, a bound that was reached. Other accounts get a complete answer. Equal sentences count once. For failed
    /// reads, see [`JobContext::report_missing`].
    ///
    /// ```
    /// # use portolan_plugin_api::*;
    /// # sol! { function balanceOf(address account) external view returns (uint256); }
    /// # async fn example(cx: &JobContext, locker_v1: Address, account: Address) -> Result<(), Error> {
    /// if !cx.call(locker_v1, balanceOfCall { account }).zero_within(300).await?.is_zero() {
    ///     cx.report_not_covered(format!(
    ///         "the first locker {locker_v1} holds a stake of this account, its rewards are not read"
    ///     ));
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn report_not_covered(&self, why: impl Into<String>) {
        self.state.report_not_covered(why.into());
    }

    /// Returns true if the host separates uncovered things from missing ones.
    pub(crate) fn tells_not_covered(&self) -> bool {
        self.start.capabilities & capability::NOT_COVERED != 0
    }

    /// Returns true if the host separates findings dropped because of contracts' replies from missing ones.
    pub(crate) fn tells_invalid_replies(&self) -> bool {
        self.start.capabilities & capability::INVALID_REPLIES != 0
    }

    /// Creates a claim from a call of a function that the catalogue has a template for.
    ///
    /// Without a template, the claim gets an invalid index, and the host refuses it.
    pub fn claim<C: SolCall>(&self, to: Address, call: &C) -> Claim {
        let template = self.templates.iter().position(|template| template.signature == C::SIGNATURE);
        let template = template.and_then(|place| u32::try_from(place).ok()).unwrap_or(u32::MAX);
        let mut arguments = Vec::new();
        call.abi_encode_raw(&mut arguments);
        Claim { template, to, arguments, ..Claim::default() }
    }
}

/// Returns the part of a signature after the name.
fn parameters<C: SolCall>() -> &'static str {
    C::SIGNATURE.find('(').map_or("", |at| &C::SIGNATURE[at..])
}

/// Returns the signature under another name.
fn signature<C: SolCall>(name: &str) -> String {
    format!("{name}{}", parameters::<C>())
}

/// Encodes a call under another name.
fn renamed<C: SolCall>(name: &str, call: &C) -> Vec<u8> {
    let mut data = keccak256(signature::<C>(name))[..4].to_vec();
    call.abi_encode_raw(&mut data);
    data
}

/// Decodes the return value; anything else is an error.
fn returned<C: SolCall>(to: Address, result: ReadResult) -> Result<C::Return, Error> {
    result.decoded::<C>(to)?.map_err(|revert| Error::reverted::<C>(to, revert))
}
