//! The recorded cases of the examples, and what each must find: lines written by hand, with amounts by the arithmetic of
//! the chain's profile.

use portolan_plugin_api::Question;

use super::forks::{RecordedFork, case};

const LENDING: &str = "plugins/lending";
const LOCKS: &str = "plugins/locks";
const RANGES: &str = "plugins/ranges";
const QUEUE: &str = "withdrawal-queue";

pub(super) const EXAMPLES: [RecordedFork; 12] = [
    case([LENDING, "nothing"], ["ethereum", "lending", "nothing"], Question::LENDING, &[]),
    case(
        [LENDING, "typical-lending"],
        ["ethereum", "lending", "whale"],
        Question::LENDING,
        &["hold in <contracts/pool>: owe <accounts/whale/lending/0/amountRaw> of <accounts/whale/lending/0/token> by \
           <accounts/whale/lending/0/contract> at <accounts/whale/lending/0/rateRay>; \
           supply <accounts/whale/lending/1/amountRaw> of <accounts/whale/lending/1/token> by \
           <accounts/whale/lending/1/contract> at <accounts/whale/lending/1/rateRay>; \
           supply <accounts/whale/lending/2/amountRaw> of <accounts/whale/lending/2/token> by \
           <accounts/whale/lending/2/contract> at <accounts/whale/lending/2/rateRay>, \
           health <accounts/whale/lending/0/healthFactorWad>"],
    ),
    case([LOCKS, "nothing"], ["templates", "locks", "nothing"], Question::CLAIMABLES, &[]),
    // A quarter of 1,000 is released, and 100 of that are withdrawn; the cliff of the other stream is yet to come.
    case(
        [LOCKS, "typical-locked"],
        ["templates", "locks", "farmer"],
        Question::LOCKED,
        &[
            "hold in <lockup> pool 1: wait for 750000000 of <assets/usdc>",
            "hold in <lockup> pool 2: wait for 3000000 of <assets/usdc>",
        ],
    ),
    case(
        [LOCKS, "typical-claimables"],
        ["templates", "locks", "farmer"],
        Question::CLAIMABLES,
        &["claim 150000000 of <assets/usdc> from <lockup> pool 1 by calling <lockup> with \
           0x{1}{accounts/farmer/address}"],
    ),
    // A stream that was cancelled halfway, and came from another account.
    case(
        [LOCKS, "edge-cancelled"],
        ["templates", "locks", "odd"],
        Question::CLAIMABLES,
        &["claim 200000000 of <assets/usdc> from <lockup> pool 6 by calling <lockup> with \
           0x{6}{accounts/odd/address}"],
    ),
    case([RANGES, "nothing"], ["templates", "ranges", "nothing"], Question::POOLING, &[]),
    // 100 of each, in liquidity of 3383749980973837142785, and one more of the first less three thousandths of fee.
    case(
        [RANGES, "typical-pooling"],
        ["templates", "ranges", "farmer"],
        Question::POOLING,
        &["hold in <manager> pool 1: pool 100996999999999999999 of <assets/token0>; \
           pool 99003293673059046206 of <assets/token1>; are owed the fee 2999999999999999 of <assets/token0>"],
    ),
    // All 100 of the first token have left, rounded down.
    case(
        [RANGES, "edge-emptied"],
        ["templates", "ranges", "odd"],
        Question::CLAIMABLES,
        &["claim 99999999999999999999 of <assets/token0> and 0 of <assets/token1> from <manager> pool 3 by calling \
           <manager> with 0x{3}{accounts/odd/address}{340282366920938463463374607431768211455}\
           {340282366920938463463374607431768211455}"],
    ),
    case([QUEUE, "nothing"], ["templates", "lido", "nothing"], Question::CLAIMABLES, &[]),
    // 10 in full, and 2 at nine tenths.
    case(
        [QUEUE, "typical-claimables"],
        ["templates", "lido", "farmer"],
        Question::CLAIMABLES,
        &[
            "claim 10000000000000000000 of 0x0000000000000000000000000000000000000000 from <queue> pool 1 by calling \
             <queue> with 0x{64}{128}{1}{1}{1}{1}",
            "claim 1800000000000000000 of 0x0000000000000000000000000000000000000000 from <queue> pool 3 by calling \
             <queue> with 0x{64}{128}{1}{3}{1}{2}",
        ],
    ),
    case(
        [QUEUE, "typical-locked"],
        ["templates", "lido", "farmer"],
        Question::LOCKED,
        &["hold in <queue> pool 5: lock 5000000000000000000 of <assets/steth>"],
    ),
];
