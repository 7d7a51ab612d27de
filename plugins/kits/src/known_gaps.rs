//! Contracts that a plugin knows and does not read: a stake that an account has in one of them is told as not covered.
//!
//! A deployment is a list of them; settings key `known_gaps`. It answers nothing. Invariant: only who has something there, by
//! a view of the contract about an account, is told of it, and everybody else's answer is whole.

use std::borrow::Cow;
use std::sync::Arc;

use portolan_plugin_api::{Address, Chain, Claimable, Error, Keys, Position, Question, SettingsError};

use crate::boxed::Boxed;
use crate::kit::{Deployed, Kit, Labels, ZERO_STANDS_S};
use crate::try_each::try_each;

portolan_plugin_api::sol! {
    // A contract may have another name for it, and return more behind it.
    function balanceOf(address account) external view returns (uint256);
}

/// The view that says what an account has, where a row names no other.
const BALANCE: &str = "balanceOf";

/// What an operator's contract is called, of which the settings say no more.
const UNNAMED: &str = "a contract of this protocol";

/// Contracts of a plugin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownGaps;

/// A contract that is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownGap {
    contract: Address,
    /// The view whose first word says whether an account has something.
    view: &'static str,
    /// What it is, as the sentence about it begins.
    what: &'static str,
}

/// The contracts of one deployment, and the questions about an account whose answers tell of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GapList {
    gaps: Cow<'static, [KnownGap]>,
    questions: &'static [Question],
}

/// The questions whose answers tell of contracts, where a row names no others.
const QUESTIONS: &[Question] = &[Question::CLAIMABLES, Question::FARMING];

impl KnownGap {
    /// The contract at this address, whose `balanceOf` says whether an account has something in it, and what it is.
    pub const fn at(contract: Address, what: &'static str) -> Self {
        Self::by(contract, BALANCE, what)
    }

    /// One where another view says it, whose first word is zero for who has nothing.
    pub const fn by(contract: Address, view: &'static str, what: &'static str) -> Self {
        Self { contract, view, what }
    }
}

impl KnownGaps {
    /// These contracts, told with claimables and farming.
    pub const fn of(self, gaps: &'static [KnownGap]) -> GapList {
        self.with_questions(QUESTIONS, gaps)
    }

    /// These contracts, told with the answers to these questions.
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
