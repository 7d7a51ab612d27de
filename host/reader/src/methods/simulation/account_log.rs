//! Reads from the logs of transactions what moved to or from an account, and whom it approved.
//!
//! Invariant: a log is only its emitter's claim. For a watched token the balances count, not its logs.

use alloy::primitives::{Address, B256, Bytes, U256};
use alloy::sol_types::SolEvent;
use serde::Deserialize;

use crate::methods::packed::{Malformed, length, take};

alloy::sol! {
    event Transfer(address indexed from, address indexed to, uint256 value);
    event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value);
    event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values);
    event Approval(address indexed owner, address indexed spender, uint256 value);
    event ApprovalForAll(address indexed owner, address indexed operator, bool approved);
    event AuthorizedOperator(address indexed operator, address indexed holder);
}

/// Maximum number of different movements and approvals of one simulation; a claim has a few.
const LOGS_MAX: usize = 256;

/// Number of topics of a `Transfer` or an `Approval` of one item (ERC-721).
const ITEM_TOPICS: usize = 4;

/// The logs of one emitter about the account and another address, taken together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccountLog {
    pub kind: LogKind,
    /// The token, as it claims itself.
    pub emitter: Address,
    /// The other side, or the spender.
    pub other: Address,
    /// Sum of what moved; for approvals, the last one.
    pub amount: U256,
}

/// The meaning of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogKind {
    Received,
    Sent,
    /// Items of a contract that has many of each (ERC-1155), whose balances cannot be read without their ids.
    ItemsReceived,
    ItemsSent,
    /// The amount is the new allowance.
    Allowance,
    /// One item may be taken (ERC-721).
    ItemApproved,
    /// All may be taken (ERC-721, ERC-1155, ERC-777).
    OperatorApproved,
}

const KINDS: [LogKind; 7] = [
    LogKind::Received,
    LogKind::Sent,
    LogKind::ItemsReceived,
    LogKind::ItemsSent,
    LogKind::Allowance,
    LogKind::ItemApproved,
    LogKind::OperatorApproved,
];

/// A log of a simulated transaction.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct SimulatedLog {
    pub(super) address: Address,
    pub(super) topics: Vec<B256>,
    pub(super) data: Bytes,
}

impl SimulatedLog {
    /// Returns the arguments, whichever of them are indexed: contracts differ in that.
    fn words(&self) -> Vec<U256> {
        let indexed = self.topics.iter().skip(1).map(|topic| U256::from_be_bytes(topic.0));
        indexed.chain(self.data.chunks_exact(32).map(U256::from_be_slice)).collect()
    }

    /// Returns from, to and amount of a plain `Transfer`.
    pub(super) fn transfer(&self) -> Option<(Address, Address, U256)> {
        let is_transfer = self.topics.first() == Some(&Transfer::SIGNATURE_HASH);
        let words = self.words();
        let [from, to, amount, ..] = words[..] else { return None };
        is_transfer.then_some((address(from), address(to), amount))
    }

    fn of_account(&self, account: Address) -> Vec<AccountLog> {
        let words = self.words();
        let is_item = self.topics.len() == ITEM_TOPICS;
        let log = |kind, other, amount| AccountLog { kind, emitter: self.address, other: address(other), amount };
        let is_own = |word: U256| address(word) == account;
        let moved = |(sent, received): (LogKind, LogKind), from: U256, to: U256, amount: U256| {
            let sent = is_own(from).then(|| log(sent, to, amount));
            let received = is_own(to).then(|| log(received, from, amount));
            sent.into_iter().chain(received).filter(|log| !log.amount.is_zero()).collect()
        };
        let one = U256::from(1);
        match (self.topics.first(), &words[..]) {
            (Some(&Transfer::SIGNATURE_HASH), [from, to, value, ..]) => {
                let amount = if is_item { one } else { *value };
                moved((LogKind::Sent, LogKind::Received), *from, *to, amount)
            }
            (Some(&TransferSingle::SIGNATURE_HASH), [_, from, to, _, value, ..]) => {
                moved((LogKind::ItemsSent, LogKind::ItemsReceived), *from, *to, *value)
            }
            (Some(&TransferBatch::SIGNATURE_HASH), [_, from, to, ..]) => {
                moved((LogKind::ItemsSent, LogKind::ItemsReceived), *from, *to, one)
            }
            // An approval to the zero address is emitted whenever an item moves.
            (Some(&Approval::SIGNATURE_HASH), [owner, spender, ..]) if is_item => {
                let is_new = is_own(*owner) && !spender.is_zero();
                is_new.then(|| log(LogKind::ItemApproved, *spender, one)).into_iter().collect()
            }
            (Some(&Approval::SIGNATURE_HASH), [owner, spender, value, ..]) => {
                is_own(*owner).then(|| log(LogKind::Allowance, *spender, *value)).into_iter().collect()
            }
            (Some(&ApprovalForAll::SIGNATURE_HASH), [owner, operator, approved, ..]) => {
                let is_new = is_own(*owner) && !approved.is_zero();
                is_new.then(|| log(LogKind::OperatorApproved, *operator, one)).into_iter().collect()
            }
            (Some(&AuthorizedOperator::SIGNATURE_HASH), [operator, holder, ..]) => {
                is_own(*holder).then(|| log(LogKind::OperatorApproved, *operator, one)).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }
}

fn address(word: U256) -> Address {
    Address::from_word(word.into())
}

/// Reads what logs report about the account; each emitter, kind and other side occurs once.
///
/// # Errors
/// The logs report more than a simulation can hold.
pub(super) fn of_account<'a>(
    logs: impl Iterator<Item = &'a SimulatedLog>,
    account: Address,
) -> Result<Vec<AccountLog>, Malformed> {
    let mut found: Vec<AccountLog> = Vec::new();
    for log in logs.flat_map(|log| log.of_account(account)) {
        let same =
            |other: &&mut AccountLog| (other.kind, other.emitter, other.other) == (log.kind, log.emitter, log.other);
        if let Some(other) = found.iter_mut().find(same) {
            let sum = other.amount.saturating_add(log.amount);
            other.amount = if log.kind == LogKind::Allowance { log.amount } else { sum };
        } else if found.len() < LOGS_MAX {
            found.push(log);
        } else {
            return Err(Malformed::Count);
        }
    }
    Ok(found)
}

/// Encodes them: count(2), each kind(1) emitter(20) other(20) amount(32).
pub(super) fn encode(logs: &[AccountLog], run: &mut Vec<u8>) {
    run.extend_from_slice(&(logs.len() as u64).to_be_bytes()[6..]);
    for AccountLog { kind, emitter, other, amount } in logs {
        let number = KINDS.iter().position(|own| own == kind).and_then(|place| u8::try_from(place).ok());
        run.push(number.unwrap_or(u8::MAX));
        run.extend_from_slice(emitter.as_slice());
        run.extend_from_slice(other.as_slice());
        run.extend(amount.to_be_bytes::<32>());
    }
}

pub(super) fn decode(reply: &mut &[u8]) -> Result<Vec<AccountLog>, Malformed> {
    let count = length(reply, 2)?;
    let mut logs = Vec::new();
    for _ in 0..count {
        let kind = *KINDS.get(length(reply, 1)?).ok_or(Malformed::Count)?;
        let mut address = || take(reply, Address::len_bytes()).map(Address::from_slice);
        let (emitter, other) = (address()?, address()?);
        logs.push(AccountLog { kind, emitter, other, amount: super::word(reply)? });
    }
    Ok(logs)
}

#[cfg(test)]
mod tests {
    use alloy::primitives::keccak256;

    use super::*;

    const ACCOUNT: Address = Address::repeat_byte(0xac);
    const OTHER: Address = Address::repeat_byte(0x0e);
    const TOKEN: Address = Address::repeat_byte(0x70);

    /// Makes a log with its arguments as words, the first `indexed` of them indexed.
    fn log(signature: &str, indexed: usize, words: &[U256]) -> SimulatedLog {
        let (topics, data) = words.split_at(indexed);
        let topics = [keccak256(signature)].into_iter().chain(topics.iter().map(|word| B256::from(*word))).collect();
        let data: Vec<u8> = data.iter().flat_map(|word| word.to_be_bytes::<32>()).collect();
        SimulatedLog { address: TOKEN, topics, data: data.into() }
    }

    fn word(address: Address) -> U256 {
        address.into_word().into()
    }

    fn told(log: &SimulatedLog) -> Vec<(LogKind, Address, u64)> {
        let logs = of_account([log].into_iter(), ACCOUNT).unwrap();
        assert!(logs.iter().all(|log| log.emitter == TOKEN));
        logs.into_iter().map(|log| (log.kind, log.other, log.amount.to())).collect()
    }

    #[test]
    fn transfers_are_read_however_they_are_indexed() {
        let (account, other, seven) = (word(ACCOUNT), word(OTHER), U256::from(7));
        let transfer = "Transfer(address,address,uint256)";
        for indexed in [0, 2] {
            assert_eq!(told(&log(transfer, indexed, &[account, other, seven])), [(LogKind::Sent, OTHER, 7)]);
            assert_eq!(told(&log(transfer, indexed, &[other, account, seven])), [(LogKind::Received, OTHER, 7)]);
            assert_eq!(told(&log(transfer, indexed, &[account, other, U256::ZERO])), [], "nothing moved");
        }
        assert_eq!(told(&log(transfer, 3, &[account, other, seven])), [(LogKind::Sent, OTHER, 1)], "an item");
        assert_eq!(told(&log(transfer, 2, &[other, other, seven])), []);
        let single = "TransferSingle(address,address,address,uint256,uint256)";
        let items = log(single, 3, &[other, account, other, U256::from(3), seven]);
        assert_eq!(told(&items), [(LogKind::ItemsSent, OTHER, 7)]);
        let batch = "TransferBatch(address,address,address,uint256[],uint256[])";
        assert_eq!(told(&log(batch, 3, &[other, account, other])), [(LogKind::ItemsSent, OTHER, 1)]);
    }

    #[test]
    fn approvals_are_read_of_every_kind() {
        let (account, other, seven) = (word(ACCOUNT), word(OTHER), U256::from(7));
        let approval = "Approval(address,address,uint256)";
        assert_eq!(told(&log(approval, 2, &[account, other, seven])), [(LogKind::Allowance, OTHER, 7)]);
        assert_eq!(told(&log(approval, 3, &[account, other, seven])), [(LogKind::ItemApproved, OTHER, 1)]);
        assert_eq!(told(&log(approval, 3, &[account, U256::ZERO, seven])), [], "it moved");
        let for_all = "ApprovalForAll(address,address,bool)";
        assert_eq!(told(&log(for_all, 2, &[account, other, seven])), [(LogKind::OperatorApproved, OTHER, 1)]);
        assert_eq!(told(&log(for_all, 2, &[account, other, U256::ZERO])), []);
        let operator = "AuthorizedOperator(address,address)";
        assert_eq!(told(&log(operator, 2, &[other, account])), [(LogKind::OperatorApproved, OTHER, 1)]);
    }

    #[test]
    fn logs_of_one_kind_come_together_and_a_flood_of_them_is_too_much() {
        let one = log("Transfer(address,address,uint256)", 2, &[word(ACCOUNT), word(OTHER), U256::from(2)]);
        let sum = of_account([&one, &one].into_iter(), ACCOUNT).unwrap();
        let expected = AccountLog { kind: LogKind::Sent, emitter: TOKEN, other: OTHER, amount: U256::from(4) };
        assert_eq!(sum, [expected]);
        let mut bytes = Vec::new();
        encode(&sum, &mut bytes);
        assert_eq!(decode(&mut &bytes[..]), Ok(sum));
        let emitter = |n: usize| Address::from_word(U256::from(n + 1).into());
        let many: Vec<_> = (0..=LOGS_MAX).map(|n| SimulatedLog { address: emitter(n), ..one.clone() }).collect();
        assert_eq!(of_account(many.iter(), ACCOUNT), Err(Malformed::Count));
        assert_eq!(of_account(many[..LOGS_MAX].iter(), ACCOUNT).unwrap().len(), LOGS_MAX);
    }
}
