//! What a job sees of the chain: one pinned block, and reads that the host makes for it.
//!
//! Invariant: nothing here does IO. A read that is awaited is put on the job's list; the host answers the whole
//! list at once, and the job goes on.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use alloy::primitives::{Address, B256, U256, keccak256};
use alloy::sol_types::SolCall;
use portolan_abi::map::{self, Start};

use crate::error::{Error, Revert};
use crate::event;
use crate::events::Transaction;
use crate::finding::Finding;
use crate::read::{Ask, RawReply, Read};

/// A job's view of the chain. One for each job; everything that it gives is at [`Chain::block`].
#[derive(Debug)]
pub struct Chain {
    start: Start,
    state: Mutex<State>,
}

/// A block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Height, as JSON-RPC counts it.
    pub number: u64,
    /// Hash.
    pub hash: B256,
    /// Unix seconds. The only clock that a plugin has.
    pub timestamp: u64,
    /// What contracts see as `block.number`; another one than `number` on Arbitrum.
    pub evm_number: u64,
}

/// What is left to a job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Left {
    /// Milliseconds, when the job went on last.
    pub ms: u32,
    /// Reads that it may still ask for.
    pub reads: u32,
    /// Bytes of replies that it may still get.
    pub bytes: u32,
}

#[derive(Debug, Default)]
struct State {
    /// One for each read of the job's life; a place is a read's number.
    slots: Vec<Slot>,
    /// Reads from here on have not been answered.
    answered: usize,
    asks: Vec<Ask>,
    told: Vec<Finding>,
    missing: Vec<String>,
    left: Left,
}

#[derive(Debug, Default)]
struct Slot {
    reply: Option<RawReply>,
    waker: Option<Waker>,
}

impl Chain {
    pub(crate) fn new(start: Start) -> Self {
        Self { start, state: Mutex::default() }
    }

    /// The slug that the question names; empty where it is about a transaction.
    pub fn protocol(&self) -> &str {
        &self.start.protocol
    }

    pub(crate) fn account(&self) -> Address {
        Address::from(self.start.account.0)
    }

    /// The tokens that the question is about, where it is about tokens.
    pub(crate) fn tokens(&self) -> Vec<Address> {
        self.start.tokens.iter().flatten().map(|token| Address::from(token.0)).collect()
    }

    /// The transaction that the question is about.
    ///
    /// # Errors
    /// Where there is none, or its logs do not decode.
    pub(crate) fn transaction(&self) -> Result<Transaction, String> {
        let told = self.start.transaction.as_ref().ok_or("the question names no transaction")?;
        event::transaction(told)
    }

    /// The ERC-20 that wraps the network's native token, where the question is about a transaction and the host knows
    /// it.
    pub fn wrapped_native(&self) -> Option<Address> {
        let wrapped = self.start.transaction.as_ref()?.wrapped_native?;
        Some(Address::from(wrapped.0))
    }

    /// The job's network, by EIP-155 chain id.
    pub fn network(&self) -> u64 {
        self.start.chain_id
    }

    /// The block that every read is at that does not say otherwise.
    pub fn block(&self) -> Block {
        block(&self.start.block)
    }

    /// The block of another network that reads [`on`](Read::on) it are at; `None` where this answer does not read it.
    pub fn block_on(&self, network: u64) -> Option<Block> {
        self.start.pins.iter().find(|pin| pin.chain_id == network).map(|pin| block(&pin.block))
    }

    /// What is left to this job, as of its last wave.
    pub fn left(&self) -> Left {
        self.state().left
    }

    /// Calls a contract; anything but a decodable answer is an error.
    ///
    /// The read is made when the returned future is awaited. Reads that are awaited together (see
    /// [`Chain::join`]) go out together.
    pub fn call<C: SolCall>(&self, to: Address, call: C) -> Read<'_, C::Return> {
        let decode = |to, reply: &RawReply| match reply.decoded::<C>(to)? {
            Ok(value) => Ok(value),
            Err(revert) => Err(Error::Reverted { to, revert }),
        };
        Read::new(self, Ask::call(to, call.abi_encode()), decode)
    }

    /// Calls a contract; that it reverts, is not there, or answers something else is a value.
    pub fn try_call<C: SolCall>(&self, to: Address, call: C) -> Read<'_, Result<C::Return, Revert>> {
        Read::new(self, Ask::call(to, call.abi_encode()), |to, reply| reply.decoded::<C>(to))
    }

    /// [`Chain::call`] of a function that is as `C` in all but its name: forks rename what they copy.
    pub fn call_as<C: SolCall>(&self, to: Address, name: &str, call: &C) -> Read<'_, C::Return> {
        let decode = |to, reply: &RawReply| match reply.decoded::<C>(to)? {
            Ok(value) => Ok(value),
            Err(revert) => Err(Error::Reverted { to, revert }),
        };
        Read::new(self, Ask::call(to, renamed(name, call)), decode)
    }

    /// [`Chain::try_call`] of a function that is as `C` in all but its name.
    pub fn try_call_as<C: SolCall>(&self, to: Address, name: &str, call: &C) -> Read<'_, Result<C::Return, Revert>> {
        Read::new(self, Ask::call(to, renamed(name, call)), |to, reply| reply.decoded::<C>(to))
    }

    /// The native balance of an account, in wei.
    pub fn native_balance(&self, account: Address) -> Read<'_, U256> {
        Read::new(self, Ask::native_balance(account), |to, reply| reply.word(to))
    }

    /// The bytes of code at an address; 0 where there is no contract.
    pub fn code_size(&self, at: Address) -> Read<'_, U256> {
        Read::new(self, Ask::code_size(at), |to, reply| reply.word(to))
    }

    /// Awaits many together, in order; the first error ends it, once all are done.
    ///
    /// # Errors
    /// The first in order.
    pub fn join<T, F>(&self, futures: impl IntoIterator<Item = F>) -> impl Future<Output = Result<Vec<T>, Error>>
    where
        F: Future<Output = Result<T, Error>>,
    {
        let all = crate::join::all(futures);
        async move { all.await.into_iter().collect() }
    }

    /// Awaits parts of a question together, and tells what each finds as soon as it is done.
    ///
    /// A part that fails is missing from the answer, and the answer says so. The list that comes back is empty, as
    /// everything is told: it can stand at the end of a question.
    ///
    /// # Errors
    /// Where every part failed: the first error.
    pub fn gather<T, F>(&self, parts: impl IntoIterator<Item = F>) -> impl Future<Output = Result<Vec<T>, Error>>
    where
        T: Into<Finding>,
        F: Future<Output = Result<Vec<T>, Error>>,
    {
        let told = crate::join::all(parts.into_iter().map(async move |part: F| {
            part.await.map(|found| found.into_iter().for_each(|finding| self.tell(finding)))
        }));
        async move {
            let outcomes = told.await;
            let failed: Vec<&Error> = outcomes.iter().filter_map(|outcome| outcome.as_ref().err()).collect();
            match failed.first() {
                Some(first) if failed.len() == outcomes.len() => return Err((*first).clone()),
                _ => failed.iter().for_each(|error| self.miss(error.to_string())),
            }
            Ok(Vec::new())
        }
    }

    /// Tells a finding before the question's end, so that a deadline loses only what is missing.
    pub fn tell(&self, finding: impl Into<Finding>) {
        self.state().told.push(finding.into());
    }

    /// Says that something is missing from the answer, and why, without ending the job.
    pub fn miss(&self, why: impl Into<String>) {
        self.state().missing.push(why.into());
    }

    /// Puts a read on the list; its number.
    pub(crate) fn ask(&self, ask: Ask) -> usize {
        let mut state = self.state();
        state.asks.push(ask);
        state.slots.push(Slot::default());
        state.slots.len() - 1
    }

    /// The reply to a read; keeps the waker until it is there.
    pub(crate) fn poll_reply(&self, number: usize, cx: &Context<'_>) -> Poll<RawReply> {
        let mut state = self.state();
        let Some(slot) = state.slots.get_mut(number) else { return Poll::Pending };
        match slot.reply.take() {
            Some(reply) => Poll::Ready(reply),
            None => {
                slot.waker = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }

    /// Takes the replies to all reads that were asked, and wakes who waits for them.
    pub(crate) fn deliver(&self, left: Left, replies: impl Iterator<Item = RawReply>) -> Result<(), String> {
        let mut wakers = Vec::new();
        {
            let mut state = self.state();
            state.left = left;
            let from = state.answered;
            let open = state.slots.len() - from;
            let mut count = 0;
            for reply in replies {
                let Some(slot) = state.slots.get_mut(from + count) else {
                    return Err(format!("more replies than the {open} reads asked for"));
                };
                slot.reply = Some(reply);
                wakers.extend(slot.waker.take());
                count += 1;
            }
            if count < open {
                return Err(format!("{count} replies to {open} reads"));
            }
            state.answered = state.slots.len();
        }
        wakers.into_iter().for_each(Waker::wake);
        Ok(())
    }

    /// Forgets replies and wakers; the author's own wakers may panic when they are dropped.
    pub(crate) fn close(&self) {
        let slots = std::mem::take(&mut self.state().slots);
        drop(slots);
    }

    /// Whether any read waits for the host.
    pub(crate) fn is_asking(&self) -> bool {
        !self.state().asks.is_empty()
    }

    pub(crate) fn take_asks(&self) -> Vec<Ask> {
        std::mem::take(&mut self.state().asks)
    }

    pub(crate) fn take_told(&self) -> Vec<Finding> {
        std::mem::take(&mut self.state().told)
    }

    pub(crate) fn take_missing(&self) -> Vec<String> {
        std::mem::take(&mut self.state().missing)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Whoever panicked while holding it has ended the job; the state itself is whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The calldata of a call under another name.
fn renamed<C: SolCall>(name: &str, call: &C) -> Vec<u8> {
    let arguments = C::SIGNATURE.find('(').map_or("", |at| &C::SIGNATURE[at..]);
    let mut data = keccak256(format!("{name}{arguments}"))[..4].to_vec();
    call.abi_encode_raw(&mut data);
    data
}

fn block(block: &map::Block) -> Block {
    Block {
        number: block.number,
        hash: B256::from(block.hash.0),
        timestamp: block.timestamp,
        evm_number: block.evm_number,
    }
}

impl<T> Future for Read<'_, T> {
    type Output = Result<T, Error>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.get_mut().poll_read(cx)
    }
}
