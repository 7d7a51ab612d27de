//! What goes out together: the depth of batches is the depth of the question, whatever its width.

use portolan_plugin_api::testing::End;
use portolan_plugin_api::{Chain, Error, U256};

use crate::scenario::{found, found_all, numbers, play, scenario, value};

/// Twice each number and one.
fn answers(count: u64) -> Vec<u64> {
    (0..count).map(|number| 2 * number + 1).collect()
}

async fn joined(cx: &Chain, count: u64) -> Result<Vec<U256>, Error> {
    cx.join((0..count).map(|number| value(cx, number))).await
}

scenario!(Nothing, |cx| { Ok(found_all(joined(cx, 0).await?)) });
scenario!(One, |cx| { Ok(found_all(joined(cx, 1).await?)) });
scenario!(ThirtyOne, |cx| { Ok(found_all(joined(cx, 31).await?)) });
scenario!(Thousand, |cx| { Ok(found_all(joined(cx, 1_000).await?)) });
scenario!(TenThousand, |cx| { Ok(found_all(joined(cx, 10_000).await?)) });

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
        assert_eq!(numbers(&outcome), answers(count));
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

/// Each read needs the reply to the read before it.
async fn chained(cx: &Chain, from: u64, depth: u64) -> Result<U256, Error> {
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

scenario!(ManyBatches, |cx| {
    let mut last = U256::ZERO;
    for number in 0..500 {
        last = cx.join([value(cx, number), value(cx, number + 1)]).await?[1];
    }
    Ok(vec![found(last)])
});

#[test]
fn a_job_may_go_on_for_many_batches() {
    let outcome = play::<ManyBatches>();
    assert_eq!(outcome.batches, vec![2; 500]);
    assert_eq!(numbers(&outcome), [2 * 500 + 1]);
}
