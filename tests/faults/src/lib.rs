//! A plugin of the tests: each of its protocols has one fault of an author, and `sound` has none.
//!
//! It ships nothing. Rows of its settings name the faults, so that a fault that refuses the whole plugin stands alone.

use portolan_plugin_api::networks::OPTIMISM;
use portolan_plugin_api::*;

/// Pays out what [`earned`](earnedCall) says, on the chain of the tests.
pub const FARM: Address = address!("0x45a5cb25f3e3bfee615f6da0731740093f59b768");
/// The token that it pays.
pub const TOKEN: Address = address!("0xb5c064f955d8e7f38fe0460c556a72987494ee17");
/// A contract that the catalogue does not list, and that has no decimals.
pub const FACTORY: Address = address!("0x5757371414417b8c6caad45baef941abc7d3ab32");
/// An address where nothing stands.
pub const NOBODY: Address = address!("0x00000000000000000000000000000000000bad00");
/// The chain id of no network.
pub const NOWHERE: u64 = 999_999;
/// The protocol without a fault.
pub const SOUND: &str = "sound";
/// Batches of reads, more than a job may have.
pub const BATCHES: u64 = 30;

sol! {
    /// What the account may claim of the farm.
    function earned(address account) external view returns (uint256);
    function getReward() external;
    function claimWithdrawal(uint256 number) external;
}

mod wrong_abi {
    portolan_plugin_api::sol! {
        function earned(address account) external view returns (uint256 amount, uint256 bonus);
    }
}

/// The plugin.
#[derive(Debug)]
pub struct Faults(Deployments<Nothing>);

/// The rows have no keys of their own.
#[derive(Clone, Copy, Debug, FromKeys)]
pub struct Nothing {}

impl Plugin for Faults {
    fn configure(settings: &Settings) -> Result<Self, SettingsError> {
        settings.serve(&[], std::iter::empty()).map(Self)
    }

    fn catalogue(&self) -> Catalogue {
        let mut catalogue = self.0.catalogue(&[Question::CLAIMABLES, Question::FARMING], |_| [FARM]);
        for row in &mut catalogue.deployments {
            match row.protocol.as_str() {
                "wrong_network" => row.chain_id = OPTIMISM,
                "unknown_network" => row.chain_id = NOWHERE,
                "undeclared_question" => row.questions = vec![Question::CLAIMABLES],
                "question_without_method" => row.questions.push(Question::LOCKED),
                _ => {}
            }
        }
        let claims =
            vec![ClaimTemplate::new::<getRewardCall>([]), ClaimTemplate::new::<claimWithdrawalCall>([Role::NUMBER])];
        Catalogue { claims, ..catalogue }
    }

    async fn claimables(&self, cx: &JobContext, account: Address) -> Result<Vec<Claimable>, Error> {
        let fault = cx.protocol();
        if fault == "wrong_abi" {
            cx.call(FARM, wrong_abi::earnedCall { account }).await?;
        }
        let farm = if fault == "wrong_address" { NOBODY } else { FARM };
        let earned = cx.call(farm, earnedCall { account }).await?;
        if earned.is_zero() {
            return Ok(Vec::new());
        }
        let claim = match fault {
            "wrong_target" => cx.claim(FACTORY, &getRewardCall {}),
            "number_of_nobody" => cx.claim(FARM, &claimWithdrawalCall { number: U256::from(70_001) }),
            _ => cx.claim(FARM, &getRewardCall {}),
        };
        let (token, amount) = match fault {
            "token_without_decimals" => (FACTORY, earned),
            "wrong_amount" => (TOKEN, earned.saturating_add(U256::ONE)),
            _ => (TOKEN, earned),
        };
        match fault {
            "panic" => panics(earned),
            "loop" => loops(),
            "too_many_reads" => reads_in_a_loop(cx).await?,
            _ => {}
        }
        Ok(vec![Claimable::new("main", FARM, claim).named("reward").mechanism("farm").pays(token, amount)])
    }

    async fn farming(&self, cx: &JobContext, account: Address) -> Result<Vec<Position>, Error> {
        cx.native_balance(account).await.map(|_| Vec::new())
    }
}

#[expect(clippy::panic, reason = "this is the fault")]
fn panics(earned: U256) {
    panic!("{earned} is more than expected");
}

fn loops() {
    loop {
        std::hint::spin_loop();
    }
}

async fn reads_in_a_loop(cx: &JobContext) -> Result<(), Error> {
    for number in 1..=BATCHES {
        cx.native_balance(Address::left_padding_from(&number.to_be_bytes())).await?;
    }
    Ok(())
}

portolan_plugin_api::export!(Faults);
