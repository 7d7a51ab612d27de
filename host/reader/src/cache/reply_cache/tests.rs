//! Which replies are cached, and for how long.

use alloy::primitives::{Address, bytes};

use super::*;
use crate::{Kind, Read, ReadFailure};

fn at(timestamp: u64) -> Block {
    let hash = B256::left_padding_from(&timestamp.to_be_bytes());
    Block { number: timestamp, hash, parent: B256::ZERO, timestamp, evm_number: timestamp }
}

fn read(freshness: Freshness) -> Read {
    Read::call(Address::ZERO, bytes!("01")).fresh(freshness)
}

fn row(read: &Read, number: u64) -> Row {
    let (endpoint, reply) = ("node.example".into(), bytes!("02"));
    Row { chain_id: 1, read: read.clone(), number, timestamp: number, endpoint, reply }
}

fn cached(outcome: Outcome, age_s: u32) -> Option<Reply> {
    Some(Reply { cached: true, age_s, ..Reply::fresh(outcome) })
}

#[test]
fn an_immutable_reply_is_kept_if_it_is_one() {
    let replies = ReplyCache::for_a_month();
    let read = read(Freshness::Immutable);
    let answer = Outcome::Ok(bytes!("02"));
    for (read, outcome) in [
        (Read { freshness: Freshness::Pinned, ..read.clone() }, answer.clone()),
        (Read { freshness: Freshness::ZeroWithin(60), ..read.clone() }, answer.clone()),
        (read.clone(), Outcome::Ok(Bytes::new())),
        (read.clone(), Outcome::Reverted(bytes!("02"))),
        (read.clone(), Outcome::NoCode),
    ] {
        replies.insert(1, &at(9), &read, &outcome);
        assert_eq!(replies.get(1, &at(9), &read.fresh(Freshness::Immutable)), None, "{outcome:?}");
    }
    replies.insert(1, &at(9), &read, &answer);
    assert_eq!(replies.get(1, &at(15), &read), cached(answer.clone(), 6));
    assert_eq!(replies.get(1, &at(8), &read), cached(answer.clone(), 0), "it was the same before");
    assert_eq!(replies.get_past(1, &at(8), &read), None, "it may not have been there yet");
    assert_eq!(replies.get_past(1, &at(9), &read), cached(answer, 0));
    assert_eq!(replies.get(137, &at(9), &read), None, "another network");
    for other in [
        Read { from: Some(Address::ZERO), ..read.clone() },
        Read { isolated: true, ..read.clone() },
        Read { gas_cap: Some(1), ..read.clone() },
        Read { kind: Kind::CodeSize, ..read.clone() },
        Read { to: Address::repeat_byte(1), ..read.clone() },
        Read { data: bytes!("0100"), ..read.clone() },
    ] {
        assert_eq!(replies.get(1, &at(9), &other), None, "{other:?}");
    }
}

#[test]
fn an_immutable_reply_is_read_anew_after_thirty_days() {
    let (replies, read) = (ReplyCache::for_a_month(), read(Freshness::Immutable));
    let answer = Outcome::Ok(bytes!("02"));
    replies.insert(1, &at(9), &read, &answer);
    replies.confirm(&row(&read, 9), B256::ZERO);
    assert_eq!(replies.get(1, &at(9 + 2_592_000), &read), cached(answer.clone(), 2_592_000));
    assert_eq!(replies.get(1, &at(9 + 2_592_001), &read), None);
    replies.insert(1, &at(9 + 2_592_001), &read, &answer);
    assert_eq!(replies.get(1, &at(9 + 2_592_001), &read), cached(answer, 0));
}

#[test]
fn an_immutable_reply_that_nothing_confirmed_is_read_anew_after_six_hours() {
    let (replies, read) = (ReplyCache::for_a_month(), read(Freshness::Immutable));
    let answer = Outcome::Ok(bytes!("02"));
    replies.insert(1, &at(9), &read, &answer);
    // Another reply was confirmed.
    replies.confirm(&Row { reply: bytes!("03"), ..row(&read, 9) }, B256::ZERO);
    assert_eq!(replies.get(1, &at(9 + 21_600), &read), cached(answer, 21_600));
    assert_eq!(replies.get(1, &at(9 + 21_601), &read), None);
}

#[test]
fn an_immutable_zero_is_no_fact() {
    let (replies, read) = (ReplyCache::for_a_month(), read(Freshness::Immutable));
    replies.insert(1, &at(9), &read, &Outcome::Ok(bytes!("0000")));
    assert_eq!(replies.get(1, &at(9), &read), None);
}

#[test]
fn a_slow_fact_stands_for_its_seconds_and_is_never_newer_than_the_block() {
    for outcome in [Outcome::Ok(bytes!("02")), Outcome::Reverted(bytes!("03")), Outcome::GasCap] {
        let (replies, read) = (ReplyCache::for_a_month(), read(Freshness::Within(60)));
        replies.insert(1, &at(100), &read, &outcome);
        assert_eq!(replies.get(1, &at(160), &read), cached(outcome, 60));
        assert_eq!(replies.get(1, &at(161), &read), None, "too old");
        assert_eq!(replies.get(1, &at(99), &read), None, "newer than the block");
        let same_second = Block { number: 99, ..at(100) };
        assert_eq!(replies.get(1, &same_second, &read), None, "newer than the block, in the same second");
        assert_eq!(replies.get(1, &at(100), &read.clone().fresh(Freshness::Immutable)), None, "not immutable");
        assert_eq!(replies.get(1, &at(105), &read.clone().fresh(Freshness::Within(4))), None, "another is stricter");
    }
}

#[test]
fn what_is_not_there_is_no_fact() {
    for freshness in [Freshness::Immutable, Freshness::Within(u32::MAX), Freshness::ZeroWithin(u32::MAX)] {
        for absent in [Outcome::NoCode, Outcome::Ok(Bytes::new())] {
            let replies = ReplyCache::for_a_month();
            replies.insert(1, &at(100), &read(freshness), &absent);
            assert_eq!(replies.get(1, &at(100), &read(freshness)), None, "{freshness:?} {absent:?}");
        }
    }
}

#[test]
fn an_absence_stands_for_five_minutes_however_slow_the_fact() {
    let read = read(Freshness::Within(86_400));
    for (outcome, for_s) in [
        (Outcome::Reverted(bytes!("03")), 300),
        (Outcome::GasCap, 300),
        (Outcome::Ok(bytes!("0000")), 300),
        (Outcome::Ok(bytes!("0001")), 86_400),
    ] {
        let replies = ReplyCache::for_a_month();
        replies.insert(1, &at(100), &read, &outcome);
        assert!(replies.get(1, &at(100 + for_s), &read).is_some(), "{outcome:?}");
        assert_eq!(replies.get(1, &at(101 + for_s), &read), None, "{outcome:?}");
    }
}

#[test]
fn a_failure_is_no_fact() {
    let replies = ReplyCache::for_a_month();
    for freshness in
        [Freshness::Pinned, Freshness::Immutable, Freshness::Within(u32::MAX), Freshness::ZeroWithin(u32::MAX)]
    {
        for failure in [Outcome::Failed(ReadFailure::Timeout), Outcome::OverBudget, Outcome::Unsupported] {
            replies.insert(1, &at(100), &read(freshness), &failure);
            assert_eq!(replies.get(1, &at(100), &read(freshness)), None, "{freshness:?} {failure:?}");
        }
    }
}

#[test]
fn a_reply_that_comes_late_does_not_replace_a_newer_one() {
    let (replies, read) = (ReplyCache::for_a_month(), read(Freshness::Within(60)));
    let (old, new) = (Outcome::Ok(bytes!("02")), Outcome::Ok(bytes!("03")));
    replies.insert(1, &at(110), &read, &new);
    replies.insert(1, &at(100), &read, &old);
    assert_eq!(replies.get(1, &at(120), &read), cached(new, 10));
    assert_eq!(replies.get(1, &at(105), &read), None);
}

#[test]
fn a_zero_stands_for_its_seconds_and_nothing_else_does() {
    let (replies, read) = (ReplyCache::for_a_month(), read(Freshness::ZeroWithin(30)));
    let (zero, one) = (Outcome::Ok(bytes!("0000")), Outcome::Ok(bytes!("0001")));
    for refused in [one.clone(), Outcome::Reverted(bytes!("00")), Outcome::NoCode, Outcome::Ok(Bytes::new())] {
        replies.insert(1, &at(100), &read, &refused);
        assert_eq!(replies.get(1, &at(100), &read), None, "{refused:?}");
    }
    replies.insert(1, &at(100), &read, &zero);
    assert_eq!(replies.get(1, &at(130), &read), cached(zero, 30));
    assert_eq!(replies.get(1, &at(131), &read), None, "too old");
    assert_eq!(replies.get(1, &at(99), &read), None, "newer than the block");
    replies.insert(1, &at(131), &read, &one);
    assert_eq!(replies.get(1, &at(110), &read), None, "it is known not to be zero");
}

#[test]
fn what_was_read_at_a_lost_block_is_forgotten() {
    let replies = ReplyCache::for_a_month();
    let pending = replies.write_to_disk().unwrap();
    let answer = Outcome::Ok(bytes!("02"));
    let (immutable, slow) = (read(Freshness::Immutable), read(Freshness::Within(60)));
    let elsewhere = Read { to: Address::repeat_byte(1), ..immutable.clone() };
    for read in [&immutable, &slow] {
        replies.insert(1, &at(100), read, &answer);
        replies.insert(137, &at(100), read, &answer);
    }
    replies.insert(1, &at(101), &elsewhere, &answer);
    replies.remove_block(1, 100, at(100).hash);
    for read in [&immutable, &slow] {
        assert_eq!(replies.get(1, &at(101), read), None);
        assert_eq!(replies.get(137, &at(101), read), cached(answer.clone(), 1), "another network");
    }
    assert_eq!(replies.get(1, &at(101), &elsewhere), cached(answer, 0), "another block");
    let waiting: Vec<_> = pending.take(9, |_| true).iter().map(|at| (at.chain_id, at.number, at.rows.len())).collect();
    assert_eq!(waiting, [(137, 100, 1), (1, 101, 1)]);
}

#[test]
fn only_immutable_replies_wait_for_the_disk_and_each_once() {
    let replies = ReplyCache::for_a_month();
    let pending = replies.write_to_disk().unwrap();
    assert!(replies.write_to_disk().is_none(), "one disk");
    for freshness in [Freshness::Pinned, Freshness::Within(60), Freshness::ZeroWithin(60), Freshness::Immutable] {
        for block in [at(100), at(100), at(99)] {
            replies.insert(1, &block, &read(freshness), &Outcome::Ok(bytes!("02")));
        }
    }
    let rows: Vec<Row> = pending.take(9, |_| true).into_iter().flat_map(|waiting| waiting.rows).collect();
    assert_eq!(rows, [row(&read(Freshness::Immutable), 100)]);
}

#[test]
fn kept_replies_stay_within_their_bytes() {
    let replies = ReplyCache::for_a_month();
    let half_a_mebibyte = vec![1; 512 << 10];
    let read = |number: u32| Read::call(Address::ZERO, number.to_be_bytes()).fresh(Freshness::Immutable);
    // Three times what fits, so that every shard of the cache is full, however the keys fall.
    for number in 0..400 {
        replies.insert(1, &at(1), &read(number), &Outcome::Ok(half_a_mebibyte.clone().into()));
    }
    assert!(!replies.facts.is_empty());
    assert!(replies.facts.weight() <= 40 << 20);
    let before = replies.facts.len();
    for number in 400..800 {
        replies.restore(Row { reply: half_a_mebibyte.clone().into(), ..row(&read(number), 1) });
    }
    assert!(replies.facts.len() <= before + 1, "what comes from the disk drives nothing out");
    assert!(replies.facts.weight() <= 40 << 20);
}

/// Number of reads that an answer leaves about an empty account: zeros, and filters that are as short-lived.
const OF_ACCOUNT: u32 = 20_000;

fn of_account(number: u32, freshness: Freshness) -> Read {
    Read::call(Address::repeat_byte(2), number.to_be_bytes()).fresh(freshness)
}

/// Inserts the replies about these accounts, one batch for each.
fn insert_of_accounts(replies: &ReplyCache, accounts: std::ops::Range<u32>) {
    for account in accounts {
        let (mut reads, mut outcomes) = (ReadSet::new(), Vec::new());
        for number in account * OF_ACCOUNT..(account + 1) * OF_ACCOUNT {
            reads.push(of_account(number, Freshness::ZeroWithin(30)));
            reads.push(of_account(number, Freshness::Within(30)));
            outcomes.extend([Outcome::Ok(bytes!("00")), Outcome::Ok(bytes!("02"))]);
        }
        replies.insert_all(1, &at(1), &reads, &outcomes.into_iter().map(Reply::fresh).collect(), |_| None);
    }
}

#[test]
fn what_is_read_about_many_accounts_drives_out_no_fact() {
    let replies = ReplyCache::for_a_month();
    let fact = |number: u32, freshness| Read::call(Address::repeat_byte(1), number.to_be_bytes()).fresh(freshness);
    insert_of_accounts(&replies, 0..9);
    for number in 0..1_000 {
        replies.insert(1, &at(1), &fact(number, Freshness::Within(300)), &Outcome::Ok(bytes!("02")));
        replies.insert(1, &at(1), &fact(number, Freshness::Immutable), &Outcome::Ok(bytes!("02")));
    }
    insert_of_accounts(&replies, 9..18);
    let known = [Freshness::Within(300), Freshness::Immutable].map(|freshness| {
        (0..1_000).filter(|number| replies.get(1, &at(1), &fact(*number, freshness)).is_some()).count()
    });
    assert_eq!(known, [1_000; 2]);
    assert!(replies.passing.bytes() <= 24 << 20);
}

#[test]
fn what_was_read_about_the_last_of_many_accounts_is_known() {
    let replies = ReplyCache::for_a_month();
    insert_of_accounts(&replies, 0..9);
    let is_known = |number: &u32| {
        [Freshness::ZeroWithin(30), Freshness::Within(30)]
            .into_iter()
            .all(|freshness| replies.get(1, &at(1), &of_account(*number, freshness)).is_some())
    };
    let known = (8 * OF_ACCOUNT..9 * OF_ACCOUNT).filter(is_known).count();
    assert_eq!(known, 20_000);
}

#[test]
fn passing_replies_stay_within_their_bytes_however_many_accounts_are_asked_about() {
    let replies = ReplyCache::for_a_month();
    // 3,000 contracts in one row: 60,000 bytes of addresses for each account.
    let targets: Vec<Address> =
        (0..3_000_u32).map(|number| Address::left_padding_from(&number.to_be_bytes())).collect();
    let row = |account: u32| {
        let balance = Read::call(Address::ZERO, account.to_be_bytes()).fresh(Freshness::ZeroWithin(30));
        ReadSet::of_each(targets.clone(), balance)
    };
    let zeros = ReplySet::all(3_000, Outcome::Ok(vec![0; 32].into()));
    for account in 0..2_000 {
        replies.insert_all(1, &at(1), &row(account), &zeros, |_| None);
    }
    assert!(replies.passing.bytes() <= 24 << 20);
    // 44 bytes for each read are at most 190 accounts of 3,000.
    let known = |account| replies.get_all(1, &at(20), false, &row(account)).len();
    assert_eq!((known(1_999), known(1_850), known(1_800), known(0)), (3_000, 3_000, 0, 0));
    assert_eq!(
        replies.get(1, &at(20), &row(1_999).iter().last().unwrap()),
        cached(Outcome::Ok(vec![0; 32].into()), 19)
    );
}

#[test]
fn a_reply_that_another_contradicts_is_forgotten_in_every_batch_and_no_other() {
    let replies = ReplyCache::for_a_month();
    let [one, other] = [1, 2].map(|to| Read { to: Address::repeat_byte(to), ..read(Freshness::ZeroWithin(60)) });
    let zero = Outcome::Ok(bytes!("0000"));
    for time in [100, 110] {
        let zeros = ReplySet::all(2, zero.clone());
        replies.insert_all(1, &at(time), &vec![one.clone(), other.clone()].into(), &zeros, |_| None);
    }
    assert_eq!(replies.get(1, &at(120), &one), cached(zero.clone(), 10), "the newer one");
    replies.insert(1, &at(120), &one, &Outcome::Ok(bytes!("0001")));
    assert_eq!(replies.get(1, &at(120), &one), None);
    assert_eq!(replies.get(1, &at(120), &other), cached(zero.clone(), 10));
    replies.remove(1, &other);
    assert_eq!(replies.get(1, &at(120), &other), None);
    replies
        .insert_all(1, &at(130), &vec![one.clone(), other.clone()].into(), &ReplySet::all(2, zero.clone()), |_| None);
    replies.remove_block(1, 131, B256::ZERO);
    replies.drop_where(&StoredReplyFilter { contract: Some(other.to), ..StoredReplyFilter::default() });
    assert_eq!((replies.get(1, &at(130), &one), replies.get(1, &at(130), &other)), (cached(zero, 0), None));
    replies.remove_block(1, 130, B256::ZERO);
    assert_eq!(replies.get(1, &at(130), &one), None);
}
