//! The score of one answer: the judgements of all rules.

use super::answer::Event;
use super::files::{Corpus, Transaction};
use super::judgement::Judgement;
use super::{core, double, misnamed, mistold, protocol, wallet};

/// The judgements on the events that are told of a transaction.
pub(super) fn transaction(corpus: &Corpus, mined: &Transaction, events: &[Event]) -> Vec<Judgement> {
    [
        core::judge(mined, events),
        protocol::judge(corpus, mined, events),
        wallet::judge(mined, events),
        mistold::judge(corpus, mined, events),
        misnamed::judge(mined, events),
        double::judge(mined, events),
    ]
    .concat()
}
