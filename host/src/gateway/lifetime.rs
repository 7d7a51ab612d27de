//! How long an answer is what a new one would be: the freshness lifetime of its copies (RFC 9111).
//!
//! Invariant: an answer is final only if no read of it failed and all that it was read from is final: blocks that the
//! client named and that are known to be. Nothing is requested to find that out here.

use std::time::Duration;

use crate::gateway::answer::{Answer, Items};
use crate::gateway::query::BlockChoice;
use portolan_reader::{Block, BlockRef, ChainReader};

/// Lifetime of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lifetime {
    /// It is unknown when another answer follows.
    Unknown,
    /// The shortest block time of the networks that were read.
    Block(Duration),
    /// The answer does not change any more.
    Final,
}

impl Lifetime {
    /// Returns the lifetime of an answer at these blocks.
    pub(super) fn of(answer: &Answer, blocks: &BlockChoice, reader: &ChainReader) -> Self {
        Self::with(answer, blocks, |chain_id| reader.block_time(chain_id), |id, block| reader.is_final(id, block))
    }

    /// Returns the lifetime if the answer also depends on something that is read as it is now.
    pub(super) fn with_present(self) -> Self {
        if self == Self::Final { Self::Unknown } else { self }
    }

    fn with(
        answer: &Answer,
        blocks: &BlockChoice,
        block_time: impl Fn(u64) -> Option<Duration>,
        is_final: impl Fn(u64, &Block) -> bool,
    ) -> Self {
        let mut read = answer.blocks.iter().map(|(network, block)| (network.chain_id, block));
        let is_named = |chain_id| matches!(blocks.of(chain_id), Some(BlockRef::Number(_) | BlockRef::Hash(_)));
        // Prices, simulations and fees may be absent from an answer that lacks nothing else.
        let has_all = !answer.budget.reads.has_failures();
        let is_settled = has_all && !answer.blocks.is_empty() && !is_off_chain(answer);
        if is_settled && read.clone().all(|(chain_id, block)| is_named(chain_id) && is_final(chain_id, block)) {
            return Self::Final;
        }
        let shortest = read.try_fold(Duration::MAX, |least, (chain_id, _)| Some(least.min(block_time(chain_id)?)));
        shortest.filter(|_| !answer.blocks.is_empty()).map_or(Self::Unknown, Self::Block)
    }
}

/// Returns true if something in the answer came from a server, which may say something else tomorrow.
fn is_off_chain(answer: &Answer) -> bool {
    let via_gateway = matches!(&answer.items, Items::Name(record) if record.via_gateway);
    via_gateway || answer.jobs.iter().any(|job| !job.off_chain.is_empty())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use alloy::primitives::B256;
    use portolan_base::network::Networks;

    use super::*;
    use crate::budget::AnswerBudget;
    use crate::jobs::report::JobReport;

    /// The highest final block of every network.
    const FINAL: u64 = 100;

    /// An answer read at these blocks, by chain id and number.
    fn answer(blocks: &[(u64, u64)]) -> Answer {
        let networks = Networks::new([]);
        let block = |number| Block { number, hash: B256::ZERO, parent: B256::ZERO, timestamp: 0, evm_number: number };
        let read = |(id, number): &(u64, u64)| (networks.with_chain_id(*id).unwrap().clone(), block(*number));
        Answer {
            items: Items::Balances(Vec::new()),
            blocks: blocks.iter().map(read).collect(),
            missing: Vec::new(),
            jobs: Vec::new(),
            about_account: true,
            budget: AnswerBudget::ample(),
            currency: None,
        }
    }

    fn lifetime(answer: &Answer, blocks: &BlockChoice) -> Lifetime {
        let seconds = |chain_id| match chain_id {
            1 => Some(Duration::from_secs(12)),
            137 => Some(Duration::from_secs(2)),
            _ => None,
        };
        Lifetime::with(answer, blocks, seconds, |_, block| block.number <= FINAL)
    }

    #[test]
    fn the_newest_block_lasts_until_the_fastest_network_has_another() {
        let newest = BlockChoice::Newest;
        assert_eq!(lifetime(&answer(&[(1, 5)]), &newest), Lifetime::Block(Duration::from_secs(12)));
        assert_eq!(lifetime(&answer(&[(1, 5), (137, 5)]), &newest), Lifetime::Block(Duration::from_secs(2)));
        assert_eq!(lifetime(&answer(&[(1, 5), (10, 5)]), &newest), Lifetime::Unknown);
        assert_eq!(lifetime(&answer(&[]), &newest), Lifetime::Unknown);
    }

    #[test]
    fn an_answer_is_final_if_each_of_its_blocks_was_named_and_is_final() {
        let (number, hash) = (BlockRef::Number(FINAL), BlockRef::Hash(B256::ZERO));
        let block_time = Lifetime::Block(Duration::from_secs(12));
        for (named, block, expected) in [
            (number, FINAL, Lifetime::Final),
            (hash, FINAL, Lifetime::Final),
            (number, FINAL + 1, block_time),
            (hash, FINAL + 1, block_time),
            (BlockRef::Finalized, FINAL, block_time),
            (BlockRef::Safe, FINAL, block_time),
            (BlockRef::At(0), FINAL, block_time),
        ] {
            assert_eq!(lifetime(&answer(&[(1, block)]), &BlockChoice::Named(named)), expected, "{named:?} {block}");
        }
        let each = BlockChoice::Each(BTreeMap::from([(1, number), (137, hash)]));
        assert_eq!(lifetime(&answer(&[(1, FINAL), (137, 7)]), &each), Lifetime::Final);
        assert_eq!(lifetime(&answer(&[(1, FINAL), (137, FINAL + 1)]), &each), Lifetime::Block(Duration::from_secs(2)));
        assert_eq!(Lifetime::Final.with_present(), Lifetime::Unknown);
    }

    #[test]
    fn an_answer_of_which_a_read_failed_is_not_final() {
        let (answer, named) = (answer(&[(1, FINAL)]), BlockChoice::Named(BlockRef::Number(FINAL)));
        assert_eq!(lifetime(&answer, &named), Lifetime::Final);
        answer.budget.reads.note_failure();
        assert_eq!(lifetime(&answer, &named), Lifetime::Block(Duration::from_secs(12)));
    }

    #[test]
    fn what_a_server_said_is_never_final() {
        let mut answer = answer(&[(1, FINAL)]);
        let mut report = JobReport::blank("airdrops", &answer.blocks[0].0);
        report.off_chain.insert("proofs.example".into(), 3);
        answer.jobs.push(report);
        let named = BlockChoice::Named(BlockRef::Number(FINAL));
        assert_eq!(lifetime(&answer, &named), Lifetime::Block(Duration::from_secs(12)));
    }
}
