//! Single requests of a batch: a read alone, a check for code at an address that returned nothing, and a check of the
//! chain.
//!
//! Invariant: only an error of the endpoint ends the attempt; a read that it does not answer is left to the next
//! endpoint.

use alloy::primitives::{Address, Bytes, U256};

use super::shared_outcomes::SharedOutcomes;
use super::{Batch, Request, Step};
use crate::endpoints::endpoint::SingleReply;
use crate::methods::multicall::MULTICALL3;
use crate::reads::read_set::ReadRef;
use crate::wire::error::{EndpointError, RequestError};
use crate::wire::rpc::EthCall;
use crate::{Kind, Outcome};

/// Maximum gas of a transaction before its first instruction (EIP-2028, EIP-7623).
const TRANSACTION_GAS: u64 = 21_000;
const DATA_BYTE_GAS: u64 = 40;

impl Batch<'_> {
    pub(super) async fn single(&self, place: usize, outcomes: &SharedOutcomes<'_>) -> Result<Step, EndpointError> {
        let target = self.reads.at(place);
        let (to, read) = (target.to, target.like);
        let SingleReply { result, proves_chain } = match read.kind {
            Kind::Call => self.endpoint.single_call(&alone(target), self.block, self.until).await,
            Kind::Simulation(_) => return self.simulated_call(place, None, outcomes).await,
            Kind::NativeBalance => self.endpoint.balance(to, self.block, self.until).await.map(word),
            Kind::CodeSize => {
                let code = self.endpoint.code(to, self.block, self.until).await;
                code.map(|code| word(U256::from(code.len())))
            }
        };
        let is_heavy = matches!(result, Err(RequestError::Halted | RequestError::OutOfGas | RequestError::TooLarge));
        if is_heavy && read.gas_cap.is_none() {
            self.heavy_calls.record(target);
        }
        let outcome = match result {
            Ok(data) if read.kind == Kind::Call && data.is_empty() => {
                return Ok(Step { more: vec![Request::CodeCheck(to, vec![place])], ..Step::default() });
            }
            Ok(data) => Outcome::Ok(data),
            Err(RequestError::Reverted(data)) => Outcome::Reverted(data),
            // Both use up all gas, which is the outcome of a read with its own cap.
            Err(RequestError::Halted | RequestError::OutOfGas) if read.gas_cap.is_some() => Outcome::GasCap,
            Err(RequestError::Halted) => Outcome::Reverted(Bytes::new()),
            Err(RequestError::OutOfGas) => Outcome::GasCap,
            Err(error) => return unanswered(error),
        };
        outcomes.lock().put_single(place, outcome, proves_chain);
        Ok(Step::default())
    }

    pub(super) async fn check_code(
        &self,
        address: Address,
        asking: Vec<usize>,
        outcomes: &SharedOutcomes<'_>,
    ) -> Result<Step, EndpointError> {
        let SingleReply { result, proves_chain } = self.endpoint.code(address, self.block, self.until).await;
        let outcome = match result {
            Ok(code) if code.is_empty() => Outcome::NoCode,
            Ok(_) => Outcome::Ok(Bytes::new()),
            Err(error) => return unanswered(error),
        };
        let mut filled = outcomes.lock();
        asking.into_iter().for_each(|place| filled.put_single(place, outcome.clone(), proves_chain));
        Ok(Step::default())
    }

    /// Requests the chain id, which proves the chain of the first `count` unproven outcomes. If the endpoint is read
    /// by number, also checks the hash of the block.
    pub(super) async fn prove_chain(&self, count: usize, outcomes: &SharedOutcomes<'_>) -> Result<Step, EndpointError> {
        Box::pin(self.endpoint.check_block(self.block, self.until)).await?;
        outcomes.lock().prove(count);
        Ok(Step::default())
    }
}

/// Leaves a read that this endpoint does not answer to the next one. Returns only errors of the endpoint.
pub(super) fn unanswered(error: RequestError) -> Result<Step, EndpointError> {
    match error {
        RequestError::Endpoint(error) => Err(error),
        RequestError::UnknownBlock => Err(EndpointError::UnknownBlock),
        RequestError::Ambiguous(code) => Ok(Step { unclear: Some(code), ..Step::default() }),
        _ => Ok(Step::default()),
    }
}

/// Makes the call of a read alone. Without an explicit sender it comes from Multicall3, as in a chunk, so that
/// contracts see the same sender.
fn alone(ReadRef { to, like: read }: ReadRef<'_>) -> EthCall<'_> {
    let data_gas = DATA_BYTE_GAS.saturating_mul(u64::try_from(read.data.len()).unwrap_or(u64::MAX));
    let gas = read.gas_cap.map(|cap| u64::from(cap).saturating_add(TRANSACTION_GAS).saturating_add(data_gas));
    EthCall { from: read.from.unwrap_or(MULTICALL3), to, data: &read.data, gas, code: None }
}

fn word(value: U256) -> Bytes {
    Bytes::copy_from_slice(&value.to_be_bytes::<32>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Read;

    #[test]
    fn a_gas_cap_is_what_the_call_itself_may_use() {
        let read = Read { gas_cap: Some(100_000), ..Read::call(Address::ZERO, vec![1; 4]) };
        assert_eq!(alone((&read).into()).gas, Some(121_160));
        assert_eq!(alone((&Read::call(Address::ZERO, vec![1; 4])).into()).gas, None);
    }
}
