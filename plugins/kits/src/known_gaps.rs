//! Contracts that a plugin knows but does not read; a stake of the account in one is reported as not covered.
//!
//! A deployment is a list of contracts, with the settings key `known_gaps`. It returns no findings. Invariant: a gap is
//! reported only if a view of the contract shows that the account has something there; all other answers are complete.

use std::borrow::Cow;
use std::sync::Arc;

use portolan_plugin_api::{Address, Chain, Claimable, Error, Keys, Position, Question, SettingsError};

use crate::boxed::Boxed;
use crate::kit::{Deployed, Kit, Labels, ZERO_STANDS_S};
use crate::try_each::try_each;

portolan_plugin_api::sol! {
    // Contracts may rename it, and return more words.
    function balanceOf(address account) external view returns (uint256);
}

/// Default view of an account's holding.
const BALANCE: &str = "balanceOf";

/// Description of a contract from settings, which give none.
const UNNAMED: &str = "a contract of this protocol";

/// Contracts of a plugin that are not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownGaps;

/// A contract that is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownGap {
    contract: Address,
    /// View whose first word is nonzero if an account has something.
    view: &'static str,
    /// Description of the contract, which begins the report.
    what: &'static str,
}

/// Contracts of one deployment, and the questions whose answers report them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GapList {
    gaps: Cow<'static, [KnownGap]>,
    questions: &'static [Question],
}

/// Default questions whose answers report them.
const QUESTIONS: &[Question] = &[Question::CLAIMABLES, Question::FARMING];

impl KnownGap {
    /// Describes a contract whose `balanceOf` returns an account's holding.
    pub const fn at(contract: Address, what: &'static str) -> Self {
        Self::by(contract, BALANCE, what)
    }

    /// Describes a contract whose holding another view returns; its first word is zero for none.
    pub const fn by(contract: Address, view: &'static str, what: &'static str) -> Self {
        Self { contract, view, what }
    }
}

impl KnownGaps {
    /// Reports these contracts with claimables and farming.
    pub const fn of(self, gaps: &'static [KnownGap]) -> GapList {
        self.with_questions(QUESTIONS, gaps)
    }

    /// Reports these contracts with the answers to these questions.
    pub const fn with_questions(self, questions: &'static [Question], gaps: &'static [KnownGap]) -> GapList {
        GapList { gaps: Cow::Borrowed(gaps), questions }
    }
}

impl Kit for KnownGaps {
    fn keys(&self) -> &'static [&'static str] {
        &["known_gaps"]
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn Deployed>>, SettingsError> {
        let contracts = keys.addresses("known_gaps")?;
        let gap = |contract| KnownGap::at(contract, UNNAMED);
        let gaps: Vec<KnownGap> = contracts.into_iter().map(gap).collect();
        Ok((!gaps.is_empty()).then(|| GapList { gaps: Cow::Owned(gaps), questions: QUESTIONS }.shared()))
    }
}

impl Deployed for GapList {
    fn shared(&self) -> Arc<dyn Deployed> {
        Arc::new(self.clone())
    }

    fn contracts(&self) -> Vec<Address> {
        self.gaps.iter().map(|gap| gap.contract).collect()
    }

    fn questions(&self) -> Vec<Question> {
        self.questions.to_vec()
    }

    fn claimables<'a>(&'a self, cx: &'a Chain, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(async move {
            self.report(cx, labels, account).await?;
            Ok(Vec::new())
        })
    }

    fn positions<'a>(
        &'a self,
        cx: &'a Chain,
        labels: Labels<'a>,
        _: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        Box::pin(async move {
            self.report(cx, labels, account).await?;
            Ok(Vec::new())
        })
    }
}

impl GapList {
    /// Reports each contract in which the account has something.
    async fn report(&self, cx: &Chain, labels: Labels<'_>, account: Address) -> Result<(), Error> {
        let reads = self.gaps.iter().map(async |gap| {
            let has = cx.call_as(gap.contract, gap.view, &balanceOfCall { account }).zero_within(ZERO_STANDS_S).await?;
            Ok((gap, has))
        });
        let found = try_each(cx, reads).await.or_err_if_all(cx, labels.market)?;
        for (KnownGap { contract, what, .. }, _) in found.into_iter().filter(|(_, has)| !has.is_zero()) {
            cx.report_not_covered(format!("{what} at {contract} holds something of this account, and is not read"));
        }
        Ok(())
    }
}
