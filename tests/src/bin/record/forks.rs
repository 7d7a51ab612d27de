//! The recorded cases of forks, with the settings of [`ROWS`](portolan_tests::fork::ROWS), and what each must find: lines
//! written by hand, with amounts by the arithmetic of the chain's profile.

use anyhow::{Context as _, Result, bail};
use portolan_plugin_api::testing::Expected;
use portolan_plugin_api::{Question, Settings, U256};

use super::examples::EXAMPLES;
use super::{cases, shown};
use portolan_tests::chain::Chain;
use portolan_tests::fork;
use portolan_tests::json::Json;

/// A job that is recorded.
#[derive(Clone, Copy, Debug)]
pub(super) struct RecordedFork {
    pub(super) plugin: &'static str,
    /// The name of the files: begins with `nothing`, `typical` or `edge`.
    pub(super) name: &'static str,
    pub(super) profile: &'static str,
    pub(super) protocol: &'static str,
    pub(super) question: Question,
    pub(super) who: &'static str,
    /// The findings. `<a/b>` stands for the address that the profile's document has there, the number that a longer word
    /// is, or the text; `{a/b}` for the address as a word of calldata, and `{7}` for a number as one.
    findings: &'static [&'static str],
}

pub(super) const fn case(
    [plugin, name]: [&'static str; 2],
    [profile, protocol, who]: [&'static str; 3],
    question: Question,
    findings: &'static [&'static str],
) -> RecordedFork {
    RecordedFork { plugin, name, profile, protocol, question, who, findings }
}

impl RecordedFork {
    /// True for a folder of `examples/`, whose rows name it with its path.
    pub(super) fn is_example(&self) -> bool {
        EXAMPLES.iter().any(|row| row.plugin == self.plugin)
    }
}

pub(super) const FORKS: [RecordedFork; 28] = [
    case(["compound", "nothing"], ["comets", "compound", "nothing"], Question::CLAIMABLES, &[]),
    // 500 at 2 · 10^-9 a second for 9,995,000 seconds; 7,600 dollars over 509.995.
    case(
        ["compound", "typical-comet"],
        ["comets", "compound", "odd"],
        Question::LENDING,
        &["hold in <comet/comet>: owe 509995000 of <assets/usdc> at 63072000000000000000000000; \
           supply 2000000000000000000 of <assets/weth> at 0; supply 10000000 of <assets/wbtc> at 0, \
           health 14902106883400817655"],
    ),
    // A quarter of 0.0004 a second.
    case(
        ["compound", "edge-comptroller"],
        ["comptroller", "compound", "farmer"],
        Question::CLAIMABLES,
        &["claim 999500000000000000000 of <comptroller/comp> from <comptroller/comptroller> by calling \
           <comptroller/comptroller> with 0x{accounts/farmer/address}{64}{1}{comptroller/cusdc}"],
    ),
    case(["curve", "nothing"], ["curve", "curve", "nothing"], Question::CLAIMABLES, &[]),
    // 75 % of what is mined by 400 of 1,600 since the stake, week by week; half of 0.0004 and of 0.000003 a second for
    // 100,000 seconds.
    case(
        ["curve", "typical-claimables"],
        ["curve", "curve", "farmer"],
        Question::CLAIMABLES,
        &[
            "claim 15333853600895405250152000 of <curve/crv> from <curve/gaugeA> by calling <curve/minter> with 0x{curve/gaugeA}",
            "claim 20000000000000000000 of <curve/crv> from <curve/side> by calling <curve/factory> with 0x{curve/side}",
            "claim 150000000000000000 of <curve/ldo> from <curve/side> by calling <curve/side> with \
             0x{accounts/farmer/address}{accounts/farmer/address}",
        ],
    ),
    // 25 % of what was mined until the stake left, whose owner was alone.
    case(
        ["curve", "edge-exited"],
        ["curve", "curve", "exited"],
        Question::CLAIMABLES,
        &[
            "claim 2178583864472349061249600 of <curve/crv> from <curve/gaugeB> by calling <curve/minter> with 0x{curve/gaugeB}",
        ],
    ),
    case(["farms", "nothing"], ["boosters", "convex", "nothing"], Question::CLAIMABLES, &[]),
    // A thousandth of a token a second is 345.6 in four days; 399 thousandths are minted beside it.
    case(
        ["farms", "typical-booster"],
        ["boosters", "convex", "farmer"],
        Question::CLAIMABLES,
        &[
            "claim 2073600000000000000000 of <assets/CRV> and 4147200000000000000000 of <assets/cvxCRV> from \
             <boosters/locker> by calling <boosters/locker> with 0x{accounts/farmer/address}",
            "claim 1036800000000000000000 of <assets/CRV> and 413683200000000000000 of <assets/CVX> from <pools/0> by \
             calling <pools/0> with 0x{accounts/farmer/address}{1}",
            "claim 345600000000000000000 of <assets/CRV> and 1174694400000000000000 of <assets/CVX> and \
             691200000000000000000 of <assets/LDO> from <pools/1> by calling <pools/1> with \
             0x{accounts/farmer/address}{1}",
        ],
    ),
    // Three quarters of 10^12 a second for 9,995,000 seconds, and half of it as a bonus; 3 · 10^12; three quarters of fees.
    case(
        ["farms", "edge-bonus"],
        ["chefs", "trader-joe", "whale"],
        Question::CLAIMABLES,
        &[
            "claim 7496250000000000000 of <assets/joe> and 3748125000000000000 of <assets/bonus> from \
             <chefs/bonusChef> pool 0 by calling <chefs/bonusChef> with 0x{0}{0}",
            "claim 29985000000000000000 of <assets/joe> from <chefs/bonusChef> pool 1 by calling <chefs/bonusChef> \
             with 0x{1}{0}",
            "claim 3000000000000000000 of <assets/usdc> and 300000000000000000 of <assets/joe> from \
             <chefs/joeStaking> by calling <chefs/joeStaking> with 0x{0}",
        ],
    ),
    // A point of 10^12 for 9,995,000 seconds in each of three NFTs, four fifths of it restricted; as much, and half as much
    // of another token, of the nitro pool that one is in. The other nitro pool lets nobody harvest yet.
    case(
        ["farms", "typical-nitro"],
        ["chefs", "camelot", "farmer"],
        Question::CLAIMABLES,
        &[
            "claim 1999000000000000000 of <assets/grail> and 7996000000000000000 of <assets/xgrail> from \
             <chefs/pools/0> pool 1 by calling <chefs/pools/0> with 0x{1}",
            "claim 1999000000000000000 of <assets/grail> and 7996000000000000000 of <assets/xgrail> from \
             <chefs/pools/0> pool 2 by calling <chefs/pools/0> with 0x{2}{accounts/farmer/address}",
            "claim 1999000000000000000 of <assets/grail> and 7996000000000000000 of <assets/xgrail> from \
             <chefs/pools/1> pool 1 by calling <chefs/pools/1> with 0x{1}{accounts/farmer/address}",
            "claim 9995000000000000000 of <assets/bonus> and 4997500000000000000 of <assets/usdc> from \
             <chefs/nitroPools/0> by calling <chefs/nitroPools/0> with 0x",
        ],
    ),
    // 500 of 2,000 staked shares count a tenth: 0.000001 a second for 100,000 seconds, a fortieth of it.
    case(
        ["farms", "typical-yearn"],
        ["yearn", "yearn", "farmer"],
        Question::CLAIMABLES,
        &["claim 2500000000000000 of <yearn/dyfi> from <yearn/gauge> by calling <yearn/gauge> with 0x"],
    ),
    // A share of 4,000 is worth 1.1 of its token; half of what the farmer has is staked. A share of 30 in 45 is 1.5.
    case(
        ["farms", "edge-yearn"],
        ["yearn", "yearn", "farmer"],
        Question::FARMING,
        &[
            "hold in <yearn/gauge>: stake 500000000 of <yearn/yvUsdc>; are owed the reward 2500000000000000 of <yearn/dyfi>, for <yearn/dyfi>",
            "hold in <yearn/third>: stake 10000000000000000000 of <yearn/dai> by <yearn/third> that redeem to \
             15000000000000000000 of <yearn/dai>, for <yearn/dai>",
            "hold in <yearn/yvUsdc>: stake 500000000 of <yearn/usdc> by <yearn/yvUsdc> that redeem to 550000000 of \
             <yearn/usdc>, for <yearn/usdc>",
        ],
    ),
    case(["gmx", "nothing"], ["gmx", "gmx", "nothing"], Question::CLAIMABLES, &[]),
    // 0.000004 a second: a quarter of it for 400,000 seconds, and a third for 600,000.
    case(
        ["gmx", "typical-stake"],
        ["gmx", "gmx", "farmer"],
        Question::CLAIMABLES,
        &["claim 1200000000000000000 of <gmx/esGmx> from <gmx/stakes> by calling <gmx/stakes> with \
           0x{accounts/farmer/address}"],
    ),
    // The distributor had 4, and owes 8.
    case(
        ["gmx", "edge-short"],
        ["gmx", "gmx", "odd"],
        Question::CLAIMABLES,
        &["claim 4000000000000000000 of <gmx/weth> from <gmx/fees> by calling <gmx/fees> with \
           0x{accounts/odd/address}"],
    ),
    case(["lending", "nothing"], ["troves", "liquity", "nothing"], Question::CLAIMABLES, &[]),
    // Three quarters of 0.05 and of 40; fees of 8 and of 16.
    case(
        ["lending", "typical-troves"],
        ["troves", "liquity", "farmer"],
        Question::CLAIMABLES,
        &[
            "claim 37500000000000000 of 0x0000000000000000000000000000000000000000 and 30000000000000000000 of \
             <assets/lqty> from <liquity/stability_pool> by calling <liquity/stability_pool> with 0x{0}",
            "claim 8000000000000000000 of 0x0000000000000000000000000000000000000000 and 16000000000000000000 of \
             <assets/lusd> from <liquity/staking> by calling <liquity/staking> with 0x{0}",
        ],
    ),
    // The supply of a market that nobody borrows from; and 3,000 in the one at a fixed rate, with their part of the
    // interest, of which the market keeps a tenth (tests/tests/e2e/morpho.rs has the formula).
    case(
        ["lending", "typical-morpho"],
        ["morpho", "morpho", "whale"],
        Question::LENDING,
        &[
            "hold in <morpho> pool <markets/idle/id>: supply 5000000 of <assets/usdc> at 0",
            "hold in <vault>: supply 3003331324 of <assets/usdc> by <vault>",
        ],
    ),
    // 400 at 10^-9 a second for 9,995,000 seconds; 80 % of 4,000 over that.
    case(
        ["lending", "edge-euler"],
        ["lenders", "euler", "odd"],
        Question::LENDING,
        &[
            "hold in <euler/evc>: supply 1000000 of <assets/weth> by <euler/ether> at 0",
            "hold in <euler/evc> pool 1: supply 2000000000000000000 of <assets/weth> by <euler/ether> at 0; \
             owe 403998000 of <assets/usdc> at 31536000000000000000000000, health 7920831291244016059",
        ],
    ),
    // A hundred shares of 2 and 3, ten of 5 and 7; 90 over 10.
    case(
        ["lending", "edge-fluid"],
        ["lenders", "fluid-lending", "odd"],
        Question::LENDING,
        &["hold in 0x0000000000000000000000000000000000000008 pool 8: supply 200 of <assets/usdc>; \
           supply 300 of <assets/weth>; owe 50 of <assets/usdc>; owe 70 of <assets/weth>, health 9000000000000000000"],
    ),
    // 0.0004 a second for 9,900,000 seconds to a quarter of what is staked, and as much of what ended after 1,000,000.
    case(
        ["lending", "typical-umbrella"],
        ["umbrella", "aave_v2", "farmer"],
        Question::CLAIMABLES,
        &[
            "claim 990000000000000000000 of <rewards/first> and 100000000 of <rewards/second> from <umbrella/staked> by \
           calling <umbrella/controller> with 0x{umbrella/staked}{accounts/farmer/address}",
        ],
    ),
    // 1,000 at one smallest unit a second for 9,995,000 seconds; 80 % of 4,000 over that.
    case(
        ["lending", "edge-silo"],
        ["silos", "silo", "odd"],
        Question::LENDING,
        &["hold in <silos/config>: supply 1000000000000000000 of <assets/weth> by <shares/weth/collateral> at 0; \
           supply 1000000000000000000 of <assets/weth> by <shares/weth/protected> at 0; owe 1009995000 of \
           <assets/usdc> at 31536000000000000000000000, health 3168332516497606423"],
    ),
    case(["solidly", "nothing"], ["voters", "velodrome_v1", "nothing"], Question::CLAIMABLES, &[]),
    // Six tenths of a week at 200 a second and of a thousand seconds at one; a rebase of 7 into the lock.
    case(
        ["solidly", "typical-claimables"],
        ["voters", "velodrome_v1", "farmer"],
        Question::CLAIMABLES,
        &[
            "claim 72576000 of <assets/MORE> and 600000000000000000000 of <assets/BASE> from \
             <heirs/velodrome-v1/gauge> by calling <heirs/velodrome-v1/gauge> with \
             0x{accounts/farmer/address}{64}{2}{assets/MORE}{assets/BASE}",
            "claim 7 of <assets/BASE> into a lock from <heirs/velodrome-v1/distributor> pool 1 by calling \
             <heirs/velodrome-v1/distributor> with 0x{1}",
        ],
    ),
    // The rebase of a lock that is over goes to the account.
    case(
        ["solidly", "edge-lock"],
        ["voters", "thena", "farmer"],
        Question::CLAIMABLES,
        &[
            "claim 600000000000000000000 of <assets/BASE> from <heirs/thena/gauge> by calling <heirs/thena/gauge> \
             with 0x",
            "claim 7 of <assets/BASE> into a lock from <heirs/thena/distributor> pool 1 by calling \
             <heirs/thena/distributor> with 0x{1}",
            "claim 8 of <assets/BASE> from <heirs/thena/distributor> pool 2 by calling <heirs/thena/distributor> with \
             0x{2}",
        ],
    ),
    case(["staking", "nothing"], ["frax", "frax", "nothing"], Question::CLAIMABLES, &[]),
    // A third of 0.000009 and of 0.0009 a second for 9,000,000 seconds.
    case(
        ["staking", "typical-farm"],
        ["frax", "frax", "farmer"],
        Question::CLAIMABLES,
        &["claim 27000000000000000000 of <frax/fxs> and 2700000000 of <frax/usd> from <frax/farm> by calling \
           <frax/farm> with 0x{accounts/farmer/address}"],
    ),
    // The lock was for 1,095 days; the farm has let all stakes go.
    case(
        ["staking", "edge-unlocked"],
        ["frax", "frax", "odd"],
        Question::FARMING,
        &["hold in <frax/open> pool 0: stake 7000000000000000000 of <frax/lp>, for <frax/fxs>"],
    ),
];

/// Returns the findings that a job must make.
pub(super) fn expected(chain: &Chain, row: &RecordedFork) -> Result<Expected> {
    let address = |name: &str| {
        let found = chain.expected.pointer(&format!("/{name}")).and_then(|found| found.as_str());
        let found = found.with_context(|| format!("the profile has no {name}"))?;
        match found.len() {
            66 => Ok(found.parse::<U256>()?.to_string()),
            _ if found.starts_with("0x") => shown(found),
            _ => Ok(found.to_owned()),
        }
    };
    let word = |name: &str| match name.parse::<u128>() {
        Ok(number) => Ok(format!("{number:064x}")),
        Err(_) => Ok(format!("{:0>64}", address(name)?.trim_start_matches("0x"))),
    };
    let line = |line: &&str| filled(&filled(line, ['<', '>'], address)?, ['{', '}'], word);
    Ok(Expected { partial: false, findings: row.findings.iter().map(line).collect::<Result<_>>()? })
}

/// The line with what `value` has for each name between the marks.
fn filled(line: &str, [begin, end]: [char; 2], value: impl Fn(&str) -> Result<String>) -> Result<String> {
    let mut parts = line.split(begin);
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let Some((name, rest)) = part.split_once(end) else { bail!("no end of a name: {line}") };
        text.push_str(&value(name)?);
        text.push_str(rest);
    }
    Ok(text)
}

/// The settings of the plugin's rows of the profile, as the host hands them to it.
pub(super) fn settings(chain: &Chain, row: &RecordedFork) -> Result<Settings> {
    // The contracts of examples are at the addresses that these ship with.
    if row.is_example() {
        return Ok(Settings::default());
    }
    let file: toml::Value = toml::from_str(&fork::settings(chain, row.plugin)?)?;
    let rows = Json::parse(&serde_json::to_string(&file["deployment"])?)?;
    let rows = rows.items()?.iter().map(cases::deployment).collect::<Result<_>>()?;
    Ok(Settings::from_rows(false, Vec::new(), rows))
}
