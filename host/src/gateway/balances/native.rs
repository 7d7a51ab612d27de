//! The native token of a network: its balance is the account's own.

use alloy::primitives::{Bytes, U256};
use portolan_reader::{Block, Kind, Outcome, Read, ScanFault};

use super::look::{Holdings, Look};
use crate::assets::token::NATIVE;

impl Look<'_> {
    pub(super) async fn native(&self, block: Block) -> Holdings {
        let read = Read { kind: Kind::NativeBalance, ..Read::call(self.asked.account, Bytes::new()) };
        let replies = self.session(block, self.deadline.of_reads()).read(vec![read]).await;
        let told = match replies.first().map(|reply| &reply.outcome) {
            Some(Outcome::Ok(word)) => word.first_chunk::<32>().ok_or(ScanFault::Refused),
            Some(Outcome::Failed(failure)) => Err(ScanFault::Unread(*failure)),
            _ => Err(ScanFault::Refused),
        };
        match told {
            Ok(word) => Holdings { asked: 1, held: vec![(NATIVE, U256::from_be_bytes(*word))], failed: Vec::new() },
            Err(fault) => Holdings { asked: 1, held: Vec::new(), failed: vec![(NATIVE, fault)] },
        }
    }
}
