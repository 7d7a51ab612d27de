//! The tokens that lists name: one scan tells which of them the account holds, and only these are looked at closer.

use portolan_reader::Block;

use super::look::{Holdings, Look};

impl Look<'_> {
    pub(super) async fn listed(&self, block: Block) -> Holdings {
        let chain_id = self.network.chain_id;
        let listed = self.asked.index.tokens(chain_id);
        if listed.is_empty() {
            return Holdings::default();
        }
        let until = self.deadline.of_reads();
        let scan = self.sources.reader.scan(chain_id, block, self.asked.account, listed.to_vec(), until).await;
        let token = |place: usize| listed.get(place).copied();
        Holdings {
            asked: listed.len(),
            held: scan.held.into_iter().filter_map(|(place, held)| Some((token(place)?, held))).collect(),
            failed: scan.failed.into_iter().filter_map(|(place, fault)| Some((token(place)?, fault))).collect(),
        }
    }
}
