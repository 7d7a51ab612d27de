//! Contracts that a plugin knows but does not read; a stake of the account in one is reported as not covered.
//!
//! A deployment is a list of contracts, with the settings key `known_gaps`; `gap_names` and `gap_views` have one text for
//! all or one for each, `gap_questions` the questions whose answers report them. It returns no findings. Invariant: a gap
//! is reported only if a view of the contract shows that the account has something there; all other answers are complete.

use std::sync::Arc;

use portolan_plugin_api::{Address, Claimable, Error, JobContext, Keys, Position, Question, SettingsError};

use crate::boxed::Boxed;
use crate::kit::{DeploymentReader, Kit, Labels, ZERO_STANDS_S};
use crate::partial::join_partial;

portolan_plugin_api::sol! {
    // Contracts may rename it, and return more words.
    function balanceOf(address account) external view returns (uint256);
}

/// Default view of an account's holding.
const BALANCE: &str = "balanceOf";

/// Description of a contract whose row gives none.
const UNNAMED: &str = "a contract of this protocol";

/// The kit of contracts that are not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownGapsKit;

/// A contract that is not read.
#[derive(Clone, Debug, PartialEq, Eq)]
struct KnownGap {
    contract: Address,
    /// View whose first word is nonzero if an account has something.
    view: String,
    /// Description of the contract, which begins the report.
    what: String,
}

/// Contracts of one deployment, and the questions whose answers report them.
#[derive(Clone, Debug, PartialEq, Eq)]
struct GapList {
    gaps: Vec<KnownGap>,
    questions: Vec<Question>,
}

/// Default questions whose answers report them.
const QUESTIONS: &[Question] = &[Question::CLAIMABLES, Question::FARMING];

/// Questions by name, as in paths of answers.
const NAMES: [(&str, Question); 5] = [
    ("claimables", Question::CLAIMABLES),
    ("farming", Question::FARMING),
    ("lending", Question::LENDING),
    ("pooling", Question::POOLING),
    ("locked", Question::LOCKED),
];

impl KnownGapsKit {
    /// Keys of a row for contracts that are known and not read; an answer says so if the account has something there:
    /// - `known_gaps` (array of addresses): the contracts
    /// - `gap_names` (array of texts, optional): their names in an answer: one for all, or one for each
    /// - `gap_views` (array of texts, optional): the views that show that somebody has something there: one for all, or
    ///   one for each; `balanceOf` if missing
    /// - `gap_questions` (array of texts, optional): the questions whose answers say so; `claimables` and `farming` if
    ///   missing
    pub const KEYS: &'static [&'static str] = &["known_gaps", "gap_names", "gap_views", "gap_questions"];
}

impl Kit for KnownGapsKit {
    fn keys(&self) -> &'static [&'static str] {
        &["known_gaps"]
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        let contracts = keys.addresses("known_gaps")?;
        if contracts.is_empty() {
            return Ok(None);
        }
        let views = each(keys, "gap_views", BALANCE, contracts.len())?;
        let names = each(keys, "gap_names", UNNAMED, contracts.len())?;
        let gap = |((contract, view), what)| KnownGap { contract, view, what };
        let gaps = contracts.into_iter().zip(views).zip(names).map(gap).collect();
        Ok(Some(Arc::new(GapList { gaps, questions: questions(keys)? })))
    }
}

/// Reads a list with one text for all contracts or one for each; without it, all have `default`.
fn each(keys: &Keys<'_>, key: &'static str, default: &str, count: usize) -> Result<Vec<String>, SettingsError> {
    match keys.texts(key)?.as_slice() {
        [] => Ok(vec![default.to_owned(); count]),
        [one] => Ok(vec![(*one).to_owned(); count]),
        all if all.len() == count => Ok(all.iter().map(|text| (*text).to_owned()).collect()),
        all => {
            let why = format!("has {} texts; give one, or one for each of {count} contracts", all.len());
            Err(SettingsError::new(why).at(key))
        }
    }
}

fn questions(keys: &Keys<'_>) -> Result<Vec<Question>, SettingsError> {
    let named = |name: &str| {
        let known = NAMES.iter().find(|(known, _)| *known == name).map(|(_, question)| *question);
        let names = NAMES.map(|(name, _)| format!("`{name}`")).join(", ");
        known.ok_or_else(|| SettingsError::new(format!("{name:?} is unknown; give {names}")).at("gap_questions"))
    };
    match keys.texts("gap_questions")?.as_slice() {
        [] => Ok(QUESTIONS.to_vec()),
        names => names.iter().map(|name| named(name)).collect(),
    }
}

impl DeploymentReader for GapList {
    fn contracts(&self) -> Vec<Address> {
        self.gaps.iter().map(|gap| gap.contract).collect()
    }

    fn questions(&self) -> Vec<Question> {
        self.questions.clone()
    }

    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(async move {
            self.report(cx, labels, account).await?;
            Ok(Vec::new())
        })
    }

    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
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
    async fn report(&self, cx: &JobContext, labels: Labels<'_>, account: Address) -> Result<(), Error> {
        let reads = self.gaps.iter().map(async |gap| {
            let has =
                cx.call_as(gap.contract, &gap.view, &balanceOfCall { account }).zero_within(ZERO_STANDS_S).await?;
            Ok((gap, has))
        });
        let found = join_partial(cx, reads).await.fail_if_none(cx, labels.market)?;
        for (KnownGap { contract, what, .. }, _) in found.into_iter().filter(|(_, has)| !has.is_zero()) {
            cx.report_not_covered(format!("{what} at {contract} holds something of this account, and is not read"));
        }
        Ok(())
    }
}
