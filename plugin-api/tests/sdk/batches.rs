//! Batching of reads: the number of batches is the depth of the question, whatever its width.

use futures_util::future::join;
use portolan_abi::row::freshness;
use portolan_plugin_api::testing::{End, ReadRequest, ReadResult};
use portolan_plugin_api::{Address, Bytes, Claimable, Error, JobContext, Revert, SolCall, U256, sol};

use crate::scenario::{
    ACCOUNT, Play, TARGET, TOKEN, case, contract, found, found_all, number, numbers, packed, play, scenario, unpacked,
    value, valueCall, word,
};

/// Twice each number plus one.
fn answers(count: u64) -> Vec<u64> {
    (0..count).map(|number| 2 * number + 1).collect()
}

async fn joined(cx: &JobContext, count: u64) -> Result<Vec<U256>, Error> {
    cx.join((0..count).map(|number| value(cx, number))).await
}

scenario!(Nothing, |cx| { Ok(packed(joined(cx, 0).await?)) });
scenario!(One, |cx| { Ok(packed(joined(cx, 1).await?)) });
scenario!(ThirtyOne, |cx| { Ok(packed(joined(cx, 31).await?)) });
scenario!(Thousand, |cx| { Ok(packed(joined(cx, 1_000).await?)) });
scenario!(TenThousand, |cx| { Ok(packed(joined(cx, 10_000).await?)) });

#[test]
fn a_join_of_nothing_reads_nothing() {
    let outcome = play::<Nothing>();
    assert_eq!((outcome.end, outcome.batches.len(), outcome.findings.len()), (End::Complete, 0, 0));
}

#[test]
fn joined_reads_go_out_in_one_batch_and_come_back_in_order() {
    for (outcome, count) in
        [(play::<One>(), 1), (play::<ThirtyOne>(), 31), (play::<Thousand>(), 1_000), (play::<TenThousand>(), 10_000)]
    {
        assert_eq!(outcome.end, End::Complete, "{count}: {}", outcome.message);
        assert_eq!(outcome.batches.iter().map(|&reads| reads as u64).collect::<Vec<_>>(), [count]);
        assert_eq!(unpacked(&outcome), answers(count));
    }
}

scenario!(InTurn, |cx| {
    let mut sum = U256::ZERO;
    for number in 0..5 {
        sum += value(cx, number).await?;
    }
    Ok(vec![found(sum)])
});

#[test]
fn reads_awaited_in_turn_are_a_batch_each() {
    let outcome = play::<InTurn>();
    assert_eq!(outcome.batches, [1, 1, 1, 1, 1]);
    assert_eq!(numbers(&outcome), [1 + 3 + 5 + 7 + 9]);
}

/// Makes a chain of reads, each of which needs the previous reply.
async fn chained(cx: &JobContext, from: u64, depth: u64) -> Result<U256, Error> {
    let mut at = U256::from(from);
    for _ in 0..depth {
        at = value(cx, at.to()).await?;
    }
    Ok(at)
}

scenario!(Uneven, |cx| {
    let parts = (0..4).map(|depth| chained(cx, depth, depth));
    Ok(found_all(cx.join(parts).await?))
});

#[test]
fn the_deepest_part_of_a_join_reports_the_number_of_batches() {
    let outcome = play::<Uneven>();
    // Depths 0 to 3: three read at first, then two, then one.
    assert_eq!(outcome.batches, [3, 2, 1]);
    // 0; 1→3; 2→5→11; 3→7→15→31.
    assert_eq!(numbers(&outcome), [0, 3, 11, 31]);
}

scenario!(Nested, |cx| {
    let rows = (0..10_u64).map(async |row| {
        let first = value(cx, row).await?;
        let cells = cx.join((0..10).map(|cell| value(cx, 100 * row + cell))).await?;
        let deepest = cx.join([cx.join((0..3).map(|number| value(cx, number)))]).await?;
        Ok(found(first + cells.iter().sum::<U256>() + deepest.iter().flatten().sum::<U256>()))
    });
    cx.join(rows).await
});

#[test]
fn nested_joins_share_their_batches() {
    let outcome = play::<Nested>();
    assert_eq!(outcome.batches, [10, 100, 30]);
    let row = |row: u64| {
        let cells: u64 = (0..10).map(|cell| 2 * (100 * row + cell) + 1).sum();
        2 * row + 1 + cells + (1 + 3 + 5)
    };
    assert_eq!(numbers(&outcome), (0..10).map(row).collect::<Vec<_>>());
}

scenario!(FirstError, |cx| {
    let parts = (0..4_u64).map(async |number| match value(cx, number).await? {
        odd if number >= 2 => Err(Error::new(format!("part {number} got {odd}"))),
        fine => Ok(found(fine)),
    });
    cx.join(parts).await
});

#[test]
fn the_first_error_in_order_ends_a_join() {
    let outcome = play::<FirstError>();
    assert_eq!((outcome.end, outcome.message.as_str()), (End::Failed, "part 2 got 5"));
    assert_eq!(outcome.findings, []);
}

scenario!(Unlike, |cx| {
    let list = cx.join(vec![value(cx, 1), value(cx, 2)]);
    let reply = cx.try_call(TARGET, valueCall { of: U256::from(3) });
    let later = async { Ok(value(cx, 4).await?.to::<u64>() + value(cx, 5).await?.to::<u64>()) };
    let (list, reply, [sixth, seventh], later, balance) =
        cx.join((list, reply, cx.join([value(cx, 6), value(cx, 7)]), later, cx.native_balance(TARGET))).await?;
    let (list, reply, later): (Vec<U256>, Result<U256, Revert>, u64) = (list, reply, later);
    let reply = reply.map_err(|revert| Error::new(revert.to_string()))?;
    let all = list.into_iter().chain([reply, sixth, seventh, U256::from(later), balance]);
    Ok(found_all(all))
});

#[test]
fn unlike_futures_are_joined_as_a_tuple_in_the_batches_of_the_deepest() {
    let outcome = case().run::<Play<Unlike>>(|request: &ReadRequest| match request.data.is_empty() {
        true => word(77), // The balance.
        false => contract(request),
    });
    assert_eq!(outcome.batches, [7, 1], "{}", outcome.message);
    assert_eq!(numbers(&outcome), [3, 5, 7, 13, 15, 9 + 11, 77]);
}

/// A part that fails after this many reads.
async fn fails_after(cx: &JobContext, reads: u64) -> Result<U256, Error> {
    chained(cx, 0, reads).await?;
    Err(Error::new(format!("failed after {reads}")))
}

scenario!(TupleFails, |cx| {
    let (first, second, third) = cx.join((value(cx, 9), fails_after(cx, 3), fails_after(cx, 1))).await?;
    Ok(found_all([first, second, third]))
});

#[test]
fn the_first_error_in_order_ends_a_tuple_though_another_came_earlier() {
    let outcome = play::<TupleFails>();
    assert_eq!((outcome.end, outcome.message.as_str()), (End::Failed, "failed after 3"));
    assert_eq!(outcome.batches, [3, 1, 1]);
}

scenario!(Wide, |cx| {
    let (thousand, last, ten_thousand) = cx
        .join((
            cx.join((0..1_000).map(|number| value(cx, number))),
            value(cx, 1_000),
            cx.join((0..10_000).map(|number| chained(cx, number, 2))),
        ))
        .await?;
    let sum = |values: Vec<U256>| values.into_iter().sum::<U256>();
    Ok(found_all([sum(thousand), last, sum(ten_thousand)]))
});

#[test]
fn a_tuple_of_wide_joins_ends() {
    let outcome = play::<Wide>();
    assert_eq!(outcome.batches, [11_001, 10_000], "{}", outcome.message);
    // The sums of 2n+1 below n, and of 4n+3 below n.
    assert_eq!(numbers(&outcome), [1_000 * 1_000, 2_001, 2 * 10_000 * 9_999 + 3 * 10_000]);
}

scenario!(AllTwelve, |cx| {
    let each = |number| value(cx, number);
    let all = cx.join((
        each(0),
        each(1),
        each(2),
        each(3),
        each(4),
        each(5),
        each(6),
        each(7),
        each(8),
        each(9),
        each(10),
        each(11),
    ));
    let (a, b, c, d, e, f, g, h, i, j, k, l) = all.await?;
    Ok(found_all([a, b, c, d, e, f, g, h, i, j, k, l]))
});

#[test]
fn twelve_members_keep_their_places() {
    let outcome = play::<AllTwelve>();
    assert_eq!((outcome.batches.as_slice(), numbers(&outcome)), (&[12][..], answers(12)));
}

async fn gathered(cx: &JobContext, count: u64) -> Result<Vec<Claimable>, Error> {
    // Every second part finds nothing, since a job may have fewer findings than reads.
    let part = async |number| {
        let answer = value(cx, number).await?;
        Ok((number % 2 == 1).then(|| found(answer)))
    };
    cx.gather((0..count).map(part)).await
}

scenario!(GathersThousand, |cx| { gathered(cx, 1_000).await });
scenario!(GathersTenThousand, |cx| { gathered(cx, 10_000).await });

#[test]
fn gathered_parts_read_in_one_batch_and_are_found_in_order() {
    for (outcome, count) in [(play::<GathersThousand>(), 1_000), (play::<GathersTenThousand>(), 10_000)] {
        assert_eq!(outcome.end, End::Complete, "{count}: {}", outcome.message);
        assert_eq!(outcome.batches.iter().map(|&reads| reads as u64).collect::<Vec<_>>(), [count]);
        assert_eq!(numbers(&outcome), answers(count).into_iter().skip(1).step_by(2).collect::<Vec<_>>());
    }
}

scenario!(EachOfMany, |cx| {
    let single = cx.join([value(cx, 7), value(cx, 8)]);
    let calls = |from: u64| (from..from + 100).map(|of| (TARGET, valueCall { of: U256::from(of) }));
    let (first, single) = join(cx.call_each(calls(100)), single).await;
    let second = cx.call_each(calls(300)).await;
    let none = cx.call_each(calls(0).take(0)).await;
    let values = first.into_iter().chain(second).chain(none).collect::<Result<Vec<_>, _>>()?;
    Ok(packed(values.into_iter().chain(single?)))
});

#[test]
fn calls_of_many_give_what_as_many_calls_would_in_one_batch() {
    let outcome = play::<EachOfMany>();
    assert_eq!((outcome.end, outcome.batches.as_slice()), (End::Complete, &[102, 100][..]), "{}", outcome.message);
    let expected = (100..200).chain(300..400).chain([7, 8]).map(|of| 2 * of + 1);
    assert_eq!(unpacked(&outcome), expected.collect::<Vec<u64>>());
}

scenario!(EachFails, |cx| {
    let calls = (0..4).map(|of| (TARGET, valueCall { of: U256::from(of) }));
    let found = cx.call_each(calls.clone()).await.into_iter().map(|value| value.unwrap_or(U256::from(400)));
    let tried = cx.try_call_each(calls).await.into_iter().map(|value| match value {
        Ok(Ok(value)) => value,
        Ok(Err(Revert::Data(_))) => U256::from(100),
        Ok(Err(_)) => U256::from(200),
        Err(_) => U256::from(300),
    });
    Ok(packed(found.chain(tried)))
});

#[test]
fn a_call_that_fails_costs_its_own_value() {
    let outcome = case().run::<Play<EachFails>>(|request: &ReadRequest| match number(request) {
        1 => ReadResult::Reverted(Bytes::new()),
        2 => ReadResult::NoCode,
        3 => ReadResult::Unavailable,
        _ => contract(request),
    });
    assert_eq!((outcome.end, outcome.batches.as_slice()), (End::Complete, &[4, 4][..]), "{}", outcome.message);
    assert_eq!(unpacked(&outcome), [1, 400, 400, 400, 1, 100, 200, 300]);
}

scenario!(EachAsSaid, |cx| {
    let calls = [(TARGET, valueCall { of: U256::from(1) }), (TOKEN, valueCall { of: U256::from(2) })];
    let values = cx.call_each(calls).zero_within(30).from(ACCOUNT).gas_cap(7).await;
    Ok(packed(values.into_iter().collect::<Result<Vec<_>, _>>()?))
});

#[test]
fn each_call_arrives_as_all_were_made() {
    let mut seen: Vec<(Address, u64, u8, u32, Option<Address>, u32)> = Vec::new();
    let outcome = case().run::<Play<EachAsSaid>>(|request: &ReadRequest| {
        let ReadRequest { to, freshness, freshness_s, from, gas_cap, .. } = *request;
        seen.push((to, number(request), freshness, freshness_s, from, gas_cap));
        contract(request)
    });
    assert_eq!(unpacked(&outcome), [3, 5], "{}", outcome.message);
    let said = (freshness::ZERO_WITHIN, 30, Some(ACCOUNT), 7);
    let expected = [(TARGET, 1), (TOKEN, 2)].map(|(to, of)| (to, of, said.0, said.1, said.2, said.3));
    assert_eq!(seen, expected);
}

sol! { function sum(uint256[] values, string note) external view returns (uint256); }

fn sums() -> Vec<sumCall> {
    let sum = |count: u64| sumCall { values: (0..count).map(U256::from).collect(), note: "n".repeat(40) };
    [0, 3, 3, 1].map(sum).into()
}

scenario!(EachSum, |cx| {
    let values = cx.call_each(sums().into_iter().map(|call| (TARGET, call))).await;
    Ok(packed(values.into_iter().collect::<Result<Vec<_>, _>>()?))
});

#[test]
fn each_call_has_its_own_arguments() {
    let mut seen = Vec::new();
    let outcome = case().run::<Play<EachSum>>(|request: &ReadRequest| {
        seen.push(request.data.to_vec());
        word(9)
    });
    assert_eq!(unpacked(&outcome), [9; 4], "{}", outcome.message);
    assert_eq!(seen, sums().iter().map(SolCall::abi_encode).collect::<Vec<_>>());
}
