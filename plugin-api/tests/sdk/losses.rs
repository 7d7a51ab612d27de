//! Losses are reported, and earlier findings stay in the answer.

use portolan_abi::capability;
use portolan_abi::row::state;
use portolan_plugin_api::testing::{End, ReadRequest, ReadResult};
use portolan_plugin_api::{Address, Claimable, Error, U256};

use crate::host::Host;
use crate::scenario::{
    Play, TARGET, TOKEN, case, contract, found, getRewardCall, number, numbers, play, scenario, value, word,
};

scenario!(EmitsEarly, |cx| {
    for part in 0..3 {
        let answer = value(cx, part).await?;
        cx.emit(found(answer));
    }
    value(cx, 9).await.map(|answer| vec![found(answer)])
});

#[test]
fn what_is_reported_early_comes_out_with_the_next_frame_and_once() {
    let host = Host::<Play<EmitsEarly>>::new();
    let mut jobs = [host.start()];
    let actual: Vec<Vec<u64>> = [&[][..], &[10], &[11], &[12], &[13]]
        .map(|replies| host.resume(&mut jobs, &[replies]).remove(0).numbers())
        .to_vec();
    assert_eq!(actual, [vec![], vec![10], vec![11], vec![12], vec![13]]);
}

#[test]
fn an_error_keeps_what_was_found_before() {
    let outcome = case().run::<Play<EmitsEarly>>(|request: &ReadRequest| match number(request) {
        2 => ReadResult::Unavailable,
        _ => contract(request),
    });
    assert_eq!((outcome.end, numbers(&outcome)), (End::Failed, vec![1, 3]));
    assert_eq!(outcome.message, format!("value(uint256) of {TARGET}: no endpoint answered in time"));
}

scenario!(TellsAndReturns, |cx| {
    cx.emit(found(U256::from(1)));
    cx.emit(found(U256::from(2)));
    Ok(vec![found(U256::from(3))])
});

#[test]
fn what_is_reported_stands_before_what_is_returned() {
    assert_eq!(numbers(&play::<TellsAndReturns>()), [1, 2, 3]);
}

scenario!(Misses, |cx| {
    cx.report_missing("pool 7 has no token");
    value(cx, 1).await?;
    cx.report_missing("pool 9 neither");
    Ok(vec![found(U256::from(4))])
});

scenario!(MissesWithoutWords, |cx| {
    cx.report_missing("");
    Ok(Vec::new())
});

scenario!(MissesAndFails, |cx| {
    cx.report_missing("pool 7 has no token");
    Err(Error::new("and then this"))
});

#[test]
fn something_missing_makes_the_answer_partial() {
    let outcome = play::<Misses>();
    assert_eq!((outcome.end, outcome.message.as_str()), (End::Partial, "pool 7 has no token; pool 9 neither"));
    assert_eq!(numbers(&outcome), [4]);
}

#[test]
fn something_missing_makes_the_answer_partial_though_no_word_says_what() {
    assert_eq!(play::<MissesWithoutWords>().end, End::Partial);
}

#[test]
fn an_error_outweighs_what_is_missing() {
    let outcome = play::<MissesAndFails>();
    assert_eq!((outcome.end, outcome.message.as_str()), (End::Failed, "and then this"));
}

scenario!(KnowsOfMore, |cx| {
    cx.report_not_covered("the first locker holds a stake");
    let answer = value(cx, 1).await?;
    cx.report_not_covered("32 of 40\nlists are read");
    cx.report_not_covered("the first locker holds a stake");
    Ok(vec![found(answer)])
});

scenario!(KnowsOfMoreAndMisses, |cx| {
    cx.report_missing("pool 7 has no token");
    cx.report_not_covered("the first locker holds a stake");
    Ok(Vec::new())
});

scenario!(KnowsOfMoreAndFails, |cx| {
    cx.report_not_covered("the first locker holds a stake");
    Err(Error::new("and then this"))
});

#[test]
fn what_is_not_covered_stands_apart_a_sentence_each_and_once() {
    let outcome = play::<KnowsOfMore>();
    assert_eq!((outcome.end, outcome.message.as_str(), numbers(&outcome)), (End::Partial, "", vec![3]));
    assert_eq!(outcome.not_covered, ["the first locker holds a stake", "32 of 40 lists are read"]);
}

#[test]
fn what_is_not_covered_stands_beside_what_is_missing_and_beside_an_error() {
    let partial = play::<KnowsOfMoreAndMisses>();
    assert_eq!((partial.end, partial.message.as_str()), (End::Partial, "pool 7 has no token"));
    let failed = play::<KnowsOfMoreAndFails>();
    assert_eq!((failed.end, failed.message.as_str()), (End::Failed, "and then this"));
    for outcome in [partial, failed] {
        assert_eq!(outcome.not_covered, ["the first locker holds a stake"]);
    }
}

#[test]
fn an_older_host_has_what_is_not_covered_in_the_message() {
    let earlier = capability::ALL & !capability::NOT_COVERED;
    let (step, _) = Host::<Play<KnowsOfMoreAndMisses>>::of_capabilities(earlier).run_to_end();
    assert_eq!(
        (step.state, step.message.as_str()),
        (state::PARTIAL, "pool 7 has no token; the first locker holds a stake")
    );
    let (step, _) = Host::<Play<KnowsOfMore>>::of_capabilities(earlier).run_to_end();
    assert_eq!(step.message, "the first locker holds a stake; 32 of 40\nlists are read");
    assert!(step.not_covered.is_empty());
}

/// Returns the findings of a list with one hostile contract.
fn hostile_rows(cx: &portolan_plugin_api::JobContext) -> Vec<Claimable> {
    let reward = |place: u64| {
        let claim = cx.claim(TARGET, &getRewardCall {});
        Claimable::new("main", TARGET, claim).mechanism("test").named("reward").numbered(U256::from(place))
    };
    let amount = U256::from(7);
    vec![
        reward(1).pays(TOKEN, amount).pays(TOKEN, amount),
        reward(2).named("up\u{202e}down").pays(TOKEN, amount),
        (0..33).fold(reward(3), |row, byte| row.pays(Address::repeat_byte(byte), amount)),
        reward(4).pays(TOKEN, amount),
    ]
}

scenario!(ListsHostileContracts, |cx| {
    hostile_rows(cx).into_iter().for_each(|row| cx.emit(row));
    Ok(Vec::new())
});

scenario!(ListsHostileContractsAndFails, |cx| {
    cx.emit(hostile_rows(cx).swap_remove(0));
    Err(Error::new("and then this"))
});

#[test]
fn a_row_that_a_contract_spoils_is_left_out_and_told_as_its_own() {
    let outcome = play::<ListsHostileContracts>();
    assert_eq!((outcome.end, outcome.message.as_str(), numbers(&outcome)), (End::Partial, "", vec![7]));
    let of = format!("claimable of {TARGET:#x}");
    let reasons = [
        format!("{of}: it pays {TOKEN:#x} twice"),
        format!("{of}: its name is empty, longer than 200 characters, or has control or direction characters"),
        format!("{of}: 33 payments are more than 32"),
    ];
    assert_eq!(outcome.invalid_replies, reasons.join("; "));
}

#[test]
fn a_row_that_is_left_out_is_told_beside_an_error() {
    let outcome = play::<ListsHostileContractsAndFails>();
    assert_eq!((outcome.end, outcome.message.as_str()), (End::Failed, "and then this"));
    assert!(outcome.findings.is_empty() && outcome.invalid_replies.ends_with("twice"), "{outcome:?}");
}

#[test]
fn an_older_host_has_what_was_left_out_in_the_message() {
    let earlier = capability::ALL & !capability::INVALID_REPLIES;
    let (step, found) = Host::<Play<ListsHostileContracts>>::of_capabilities(earlier).run_to_end();
    assert_eq!((step.state, found.len(), step.invalid_replies.as_str()), (state::PARTIAL, 1, ""));
    assert!(step.message.ends_with("33 payments are more than 32"), "{}", step.message);
}

/// Four parts; those whose first reply is 0 fail, the others emit two findings.
async fn part(cx: &portolan_plugin_api::JobContext, of: u64) -> Result<Vec<Claimable>, Error> {
    let first = value(cx, of).await?;
    if first.is_zero() {
        return Err(Error::new(format!("part {of} is broken")));
    }
    let second = if of == 3 { value(cx, 30).await? } else { first + U256::from(1) };
    Ok(vec![found(first), found(second)])
}

scenario!(Gathers, |cx| { cx.gather((0..4).map(|of| part(cx, of))).await });
scenario!(GathersNothing, |cx| { cx.gather((0..0).map(|of| part(cx, of))).await });

fn gathered(broken: &[u64]) -> portolan_plugin_api::testing::Outcome {
    case().run::<Play<Gathers>>(|request: &ReadRequest| match number(request) {
        of if broken.contains(&of) => word(0),
        _ => contract(request),
    })
}

#[test]
fn parts_that_all_answer_make_a_whole() {
    let outcome = gathered(&[]);
    assert_eq!((outcome.end, outcome.message.as_str()), (End::Complete, ""));
    assert_eq!(outcome.batches, [4, 1]);
    assert_eq!(numbers(&outcome), [1, 2, 3, 4, 5, 6, 7, 61]);
}

#[test]
fn parts_that_fail_are_reported_as_missing() {
    let outcome = gathered(&[0, 2]);
    assert_eq!((outcome.end, outcome.message.as_str()), (End::Partial, "part 0 is broken; part 2 is broken"));
    assert_eq!(numbers(&outcome), [3, 4, 7, 61]);
}

#[test]
fn parts_that_all_fail_are_a_failure_and_not_an_empty_list() {
    let outcome = gathered(&[0, 1, 2, 3]);
    assert_eq!((outcome.end, outcome.message.as_str()), (End::Failed, "part 0 is broken"));
    assert_eq!(outcome.findings, []);
}

#[test]
fn no_parts_are_a_whole_with_nothing_in_it() {
    let outcome = play::<GathersNothing>();
    assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0));
}

/// Returns at most one finding, where [`part`] returns a list.
async fn single(cx: &portolan_plugin_api::JobContext, of: u64) -> Result<Option<Claimable>, Error> {
    let first = value(cx, of).await?;
    let second = value(cx, of + 10).await?;
    if second.is_zero() {
        return Err(Error::new(format!("single {of} is broken")));
    }
    Ok((first != U256::from(9)).then(|| found(second)))
}

scenario!(GathersUnlike, |cx| {
    let array = async { Ok([found(U256::from(500))]) };
    let nested = async { cx.gather([single(cx, 5), single(cx, 4)]).await };
    cx.gather((part(cx, 0), single(cx, 6), array, nested)).await
});

#[test]
fn unlike_parts_are_emitted_as_soon_as_each_is_done() {
    let host = Host::<Play<GathersUnlike>>::new();
    let mut jobs = [host.start()];
    let first = host.resume(&mut jobs, &[&[]]).remove(0);
    assert_eq!((first.state, first.numbers()), (state::READING, vec![500]));
    let second = host.resume(&mut jobs, &[&[1, 13, 11, 9]]).remove(0);
    assert_eq!((second.state, second.numbers()), (state::READING, vec![1, 2]));
    let last = host.resume(&mut jobs, &[&[33, 31, 29]]).remove(0);
    assert_eq!((last.state, last.numbers()), (state::COMPLETE, vec![33, 31]));
}

#[test]
fn an_unlike_part_that_fails_is_reported_as_missing() {
    let outcome = case().run::<Play<GathersUnlike>>(|request: &ReadRequest| match number(request) {
        0 | 14 => word(0),
        _ => contract(request),
    });
    let missing = "single 4 is broken; part 0 is broken";
    assert_eq!((outcome.end, outcome.message.as_str()), (End::Partial, missing));
    assert_eq!(numbers(&outcome), [500, 33, 31]);
}

#[test]
fn a_part_is_reported_as_soon_as_it_is_done() {
    let host = Host::<Play<Gathers>>::new();
    let mut jobs = [host.start()];
    host.resume(&mut jobs, &[&[]]);
    let half_way = host.resume(&mut jobs, &[&[1, 3, 5, 7]]).remove(0);
    assert_eq!((half_way.state, half_way.numbers()), (state::READING, vec![1, 2, 3, 4, 5, 6]));
    let last = host.resume(&mut jobs, &[&[61]]).remove(0);
    assert_eq!((last.state, last.numbers()), (state::COMPLETE, vec![7, 61]));
}
