//! What a job sees of the chain: one pinned block, and reads that the host makes for it.
//!
//! Invariant: nothing here does IO. A read that is awaited is put on the job's list; the host answers the whole
//! list at once, and the job goes on.

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

/// A job's view of the chain. One for each job; everything that it gives is at [`Chain::block`].
#[derive(Debug)]
pub struct Chain {
    start: Start,
    templates: Arc<[ClaimTemplate]>,
    pub(crate) state: JobState,
}

impl Chain {
    pub(crate) fn new(start: Start, templates: Arc<[ClaimTemplate]>) -> Self {
        Self { start, templates, state: JobState::default() }
    }

    /// The slug that the question names; empty where it is about a transaction.
    pub fn protocol(&self) -> &str {
        &self.start.protocol
    }

    pub(crate) fn account(&self) -> Address {
        self.start.account
    }

    /// The tokens that the question is about, where it is about tokens.
    pub(crate) fn tokens(&self) -> &[Address] {
        self.start.tokens.as_deref().unwrap_or_default()
    }

    /// The transaction that the question is about.
    ///
    /// # Errors
    /// Where there is none, or its logs do not decode.
    pub(crate) fn transaction(&self) -> Result<Transaction, String> {
        let transaction = self.start.transaction.as_ref().ok_or("the question names no transaction")?;
        Transaction::from_map(transaction).map_err(|error| format!("logs of the transaction: {error}"))
    }

    /// The ERC-20 that wraps the network's native token, where the question is about a transaction and the host knows
    /// it.
    pub fn wrapped_native(&self) -> Option<Address> {
        self.start.transaction.as_ref()?.wrapped_native
    }

    /// The job's network, by EIP-155 chain id.
    pub fn network(&self) -> u64 {
        self.start.chain_id
    }

    /// The block that every read is at that does not say otherwise.
    pub fn block(&self) -> Block {
        self.start.block
    }

    /// The block of another network that reads [`on`](Read::on) it are at; `None` where this answer does not read it.
    pub fn block_on(&self, network: u64) -> Option<Block> {
        self.start.pins.iter().find(|pin| pin.chain_id == network).map(|pin| pin.block)
    }

    /// What is left to this job, as of its last batch of reads.
    pub fn budget(&self) -> Budget {
        self.state.budget()
    }

    /// Calls a contract; anything but a decodable answer is an error.
    ///
    /// The read is made when the returned future is awaited. Reads that are awaited together (see
    /// [`Chain::join`]) go out together.
    pub fn call<C: SolCall>(&self, to: Address, call: C) -> Read<'_, C::Return> {
        Read::new(&self.state, self.request_of::<C>(to, None, call.abi_encode()), returned::<C>)
    }

    /// Calls a contract; that it reverts, is not there, or answers something else is a value.
    pub fn try_call<C: SolCall>(&self, to: Address, call: C) -> Read<'_, Result<C::Return, Revert>> {
        Read::new(&self.state, self.request_of::<C>(to, None, call.abi_encode()), |to, result| result.decoded::<C>(to))
    }

    /// [`Chain::call`] of a function that is as `C` in all but its name: forks rename what they copy.
    pub fn call_as<C: SolCall>(&self, to: Address, name: &str, call: &C) -> Read<'_, C::Return> {
        Read::new(&self.state, self.request_of::<C>(to, Some(name), renamed(name, call)), returned::<C>)
    }

    /// [`Chain::try_call`] of a function that is as `C` in all but its name.
    pub fn try_call_as<C: SolCall>(&self, to: Address, name: &str, call: &C) -> Read<'_, Result<C::Return, Revert>> {
        let request = self.request_of::<C>(to, Some(name), renamed(name, call));
        Read::new(&self.state, request, |to, result| result.decoded::<C>(to))
    }

    /// Calls many contracts, or one with many arguments: what each call gives, in order, as [`Chain::call`] gives it. A
    /// call that fails costs its own value alone. That takes a fraction of the time that as many calls of their own take.
    ///
    /// ```
    /// # use portolan_plugin_api::*;
    /// # sol! { function earned(address account) external view returns (uint256); }
    /// # async fn example(cx: &Chain, farms: &[Address], account: Address) -> Result<(), Error> {
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

    /// [`Chain::call_each`], where each call is made as by [`Chain::try_call`].
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

    /// The native balance of an account, in wei.
    pub fn native_balance(&self, account: Address) -> Read<'_, U256> {
        Read::new(&self.state, ReadRequest::native_balance(self.network(), account), |to, result| result.word(to))
    }

    /// The bytes of code at an address; 0 where there is no contract.
    pub fn code_size(&self, at: Address) -> Read<'_, U256> {
        Read::new(&self.state, ReadRequest::code_size(self.network(), at), |to, result| result.word(to))
    }

    /// `name` is the function's own, where it is not that of `C`.
    fn request_of<C: SolCall>(&self, to: Address, name: Option<&str>, data: Vec<u8>) -> ReadRequest {
        let is_traced = self.start.capabilities & capability::READ_FUNCTIONS != 0;
        let function = is_traced.then(|| match name {
            Some(name) => format!("{name}{}", parameters::<C>()),
            None => C::SIGNATURE.to_owned(),
        });
        ReadRequest { function, ..ReadRequest::call(self.network(), to, data.into()) }
    }

    /// Awaits several futures together: a tuple of unlike ones gives a tuple, an array an array, an iterator or a `Vec`
    /// a `Vec`. The first error in order is the outcome, once all are done.
    ///
    /// ```
    /// # use portolan_plugin_api::*;
    /// # sol! {
    /// #     function stakingToken() external view returns (address);
    /// #     function totalSupply() external view returns (uint256);
    /// #     function earned(address account) external view returns (uint256);
    /// # }
    /// # async fn example(cx: &Chain, farm: Address, accounts: &[Address]) -> Result<(), Error> {
    /// let token = cx.call(farm, stakingTokenCall {}).immutable();
    /// let all_earned = cx.join(accounts.iter().map(|account| cx.call(farm, earnedCall { account: *account })));
    /// let (token, supply, earned) = cx.join((token, cx.call(farm, totalSupplyCall {}), all_earned)).await?;
    /// # let _: (Address, U256, Vec<U256>) = (token, supply, earned);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The first in order.
    pub fn join<S, J: Join<S>>(&self, futures: J) -> J::Joined {
        futures.joined()
    }

    /// Awaits several futures of one type together; what each gives, in order, so that one that fails costs its own
    /// value alone.
    pub fn outcomes<I, F>(&self, futures: I) -> impl Future<Output = Vec<F::Output>> + use<I, F>
    where
        I: IntoIterator<Item = F>,
        F: Future,
    {
        join::outcomes(futures)
    }

    /// Awaits the parts of a question together, and emits what each finds as soon as it is done: a tuple of unlike
    /// parts, or an array, an iterator or a `Vec` of like ones. A part finds a `Vec` or an `Option` of findings.
    ///
    /// A part that fails is missing from the answer, and the answer says so. The list that comes back is empty, as
    /// everything is emitted: it can stand at the end of a question.
    ///
    /// # Errors
    /// Where every part failed: the first error.
    pub fn gather<'c, S, P: Gather<'c, S>>(&'c self, parts: P) -> Gathered<'c, P::Found> {
        let emitter = Emitter(&self.state);
        gather::gather(emitter, parts.parts(emitter))
    }

    /// The deployments that the job is about: those of [`Chain::protocol`] on [`Chain::network`], or of all protocols
    /// where it is about a transaction.
    pub fn rows<'a, M>(&self, deployments: &'a [Deployment<M>]) -> impl Iterator<Item = &'a Deployment<M>> {
        deployments.iter().filter(move |row| {
            row.network == self.network() && (self.protocol().is_empty() || row.protocol == self.protocol())
        })
    }

    /// Emits a finding before the question's end, so that a deadline loses only what is missing.
    ///
    /// A finding that no answer can have because of what a contract replied is left out and told: a token twice, a name of
    /// control characters, a supply of zero. So are those that a question returns.
    pub fn emit(&self, finding: impl Into<Finding>) {
        self.state.emit(finding.into());
    }

    /// Reports that something is missing from the answer, and why, without ending the job: what could not be read. For
    /// what the plugin never reads, see [`Chain::report_not_covered`].
    pub fn report_missing(&self, why: impl Into<String>) {
        self.state.report_missing(why.into());
    }

    /// Reports what the plugin knows and does not read, where this account may have something there: an older locker
    /// that still holds people's stakes, payments beyond the bound of a list. The answer is partial with the reason
    /// `not-covered`, and the sentence stands in its report.
    ///
    /// Only where a cheap read of this job shows that the account has something there, or may have: a balance, a count, a
    /// bound that was reached. Who has nothing there gets a whole answer. The same sentence counts once. What could not
    /// be read is [`Chain::report_missing`].
    ///
    /// ```
    /// # use portolan_plugin_api::*;
    /// # sol! { function balanceOf(address account) external view returns (uint256); }
    /// # async fn example(cx: &Chain, locker_v1: Address, account: Address) -> Result<(), Error> {
    /// if !cx.call(locker_v1, balanceOfCall { account }).zero_within(300).await?.is_zero() {
    ///     cx.report_not_covered(format!("the first locker {locker_v1} holds a stake of this account, its rewards are not read"));
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn report_not_covered(&self, why: impl Into<String>) {
        self.state.report_not_covered(why.into());
    }

    /// Whether the host takes what is not covered apart from what is missing.
    pub(crate) fn tells_not_covered(&self) -> bool {
        self.start.capabilities & capability::NOT_COVERED != 0
    }

    /// Whether the host takes what contracts replied that no finding may have apart from what is missing.
    pub(crate) fn tells_invalid_replies(&self) -> bool {
        self.start.capabilities & capability::INVALID_REPLIES != 0
    }

    /// A claim: a call of a function that the catalogue declares a template for.
    ///
    /// A function that has no template gets an index that no catalogue has, and the host refuses it.
    pub fn claim<C: SolCall>(&self, to: Address, call: &C) -> Claim {
        let template = self.templates.iter().position(|template| template.signature == C::SIGNATURE);
        let template = template.and_then(|place| u32::try_from(place).ok()).unwrap_or(u32::MAX);
        let mut arguments = Vec::new();
        call.abi_encode_raw(&mut arguments);
        Claim { template, to, arguments, ..Claim::default() }
    }
}

/// The part of a signature behind the name.
fn parameters<C: SolCall>() -> &'static str {
    C::SIGNATURE.find('(').map_or("", |at| &C::SIGNATURE[at..])
}

/// The calldata of a call under another name.
fn renamed<C: SolCall>(name: &str, call: &C) -> Vec<u8> {
    let mut data = keccak256(format!("{name}{}", parameters::<C>()))[..4].to_vec();
    call.abi_encode_raw(&mut data);
    data
}

/// The decoded return value; anything else is an error.
fn returned<C: SolCall>(to: Address, result: ReadResult) -> Result<C::Return, Error> {
    result.decoded::<C>(to)?.map_err(|revert| Error::Reverted { to, revert })
}
