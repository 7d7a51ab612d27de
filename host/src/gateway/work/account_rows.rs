//! Answers with an account's claimables or positions in all protocols, or in one.

use std::collections::BTreeSet;
use std::sync::Arc;

use alloy::primitives::Address;
use portolan_abi::map::PositionKind;
use portolan_base::network::Network;
use portolan_reader::{Effort, Pins};

use crate::gateway::answer::{Answer, Items, Portfolio, Row, RowItem};
use crate::gateway::context::Context;
use crate::gateway::plan::{self, Plans};
use crate::gateway::problem::Problem;
use crate::gateway::progress::EndedJob;
use crate::gateway::query::{AboutRows, ClaimOptions, Filter, List, POSITION_KINDS};
use crate::gateway::rows::RowKind;
use crate::gateway::work::Work;
use crate::gateway::work::protocols::{AccountRows, JobRows, rows_of};
use crate::gateway::work::rows_by_job::rows_by_job;
use crate::gateway::work::simulation;
use crate::jobs::plan::{JobPlan, JobQuestion, Question};
use crate::jobs::report::JobReport;

const QUESTIONS: [Question; 4] = [Question::Farming, Question::Lending, Question::Pooling, Question::Locked];

/// Questions to protocols about an account, whose answer is made of rows.
pub(in crate::gateway) struct RowWork {
    pub(in crate::gateway) plans: Plans,
    pub(in crate::gateway) list: RowList,
    pub(in crate::gateway) simulating: Option<Effort>,
    /// True if claims that cost more than they pay are left out.
    pub(in crate::gateway) worth: bool,
}

/// What an answer lists.
pub(in crate::gateway) enum RowList {
    /// Rows of one kind; `aggregate` is true for a query to all protocols.
    Rows { kind: RowKind, aggregate: bool },
    /// Positions of these kinds, and claims.
    Portfolio(BTreeSet<PositionKind>),
}

impl RowList {
    /// Returns the kind of the rows that a job's findings become.
    pub(in crate::gateway) fn kind(&self, plan: &JobPlan) -> RowKind {
        match self {
            Self::Rows { kind, .. } => *kind,
            Self::Portfolio(_) if is_about_claims(plan) => RowKind::Payments,
            Self::Portfolio(_) => RowKind::Positions,
        }
    }
}

impl RowWork {
    /// Plans the jobs about an account.
    ///
    /// # Errors
    /// Returns a problem if a protocol is unknown or not served, or if the named network has no endpoint.
    pub(in crate::gateway) fn new(context: &Context, account: Address, about: &AboutRows) -> Result<Self, Problem> {
        match about {
            AboutRows::Claimables { filter, chain_id, options } => {
                Self::for_all_protocols(context, account, filter, *chain_id, *options)
            }
            AboutRows::Positions { filter, chain_id, kinds, options } => {
                Self::for_portfolio(context, account, filter, *chain_id, kinds.clone(), *options)
            }
            AboutRows::Protocol { slug, chain_id, list } => {
                Self::for_protocol(context, account, slug, *chain_id, *list)
            }
        }
    }

    /// Plans the account's claimables from all protocols that the filter selects, on one network or on all.
    ///
    /// # Errors
    /// Returns a problem if the filter names an unknown protocol, or if the named network has no endpoint.
    fn for_all_protocols(
        context: &Context,
        account: Address,
        filter: &Filter,
        chain_id: Option<u64>,
        options: ClaimOptions,
    ) -> Result<Self, Problem> {
        let questions = [Question::Claimables];
        let plans = plan::for_all(&context.snapshot, context.networks(), filter, &questions, account)?.on(chain_id);
        context.check_endpoint(&plans.jobs, chain_id)?;
        let simulating = simulation::effort(context, options);
        let list = RowList::Rows { kind: RowKind::Payments, aggregate: true };
        Ok(Self { plans, list, simulating, worth: options.worth })
    }

    /// Plans a question to one protocol, on one network or on all.
    ///
    /// # Errors
    /// Returns a problem if the protocol is not served, or if the named network has no endpoint.
    fn for_protocol(
        context: &Context,
        account: Address,
        slug: &str,
        chain_id: Option<u64>,
        list: List,
    ) -> Result<Self, Problem> {
        let (question, kind) = list.plan();
        let plans = plan::for_one(&context.snapshot, context.networks(), slug, question, account)?.on(chain_id);
        context.check_endpoint(&plans.jobs, chain_id)?;
        let (simulating, worth) = match list {
            List::Claimables(options) => (simulation::effort(context, options), options.worth),
            _ => (None, false),
        };
        Ok(Self { plans, list: RowList::Rows { kind, aggregate: false }, simulating, worth })
    }

    /// Plans all questions about positions of these kinds, for the protocols that the filter selects; without kinds,
    /// about all positions and claimables. Claims are simulated, so that sums contain what they would pay.
    ///
    /// # Errors
    /// Returns a problem if the filter names an unknown protocol, or if the named network has no endpoint.
    fn for_portfolio(
        context: &Context,
        account: Address,
        filter: &Filter,
        chain_id: Option<u64>,
        kinds: BTreeSet<PositionKind>,
        options: ClaimOptions,
    ) -> Result<Self, Problem> {
        let needs = |question: &Question| {
            kinds.iter().any(|kind| portolan_validation::question(*kind) == Some(question.number()))
        };
        let questions: Vec<Question> = match kinds.is_empty() {
            true => QUESTIONS.into_iter().chain([Question::Claimables]).collect(),
            false => QUESTIONS.into_iter().filter(needs).collect(),
        };
        let plans = plan::for_all(&context.snapshot, context.networks(), filter, &questions, account)?.on(chain_id);
        context.check_endpoint(&plans.jobs, chain_id)?;
        let simulating = simulation::effort(context, options).filter(|_| kinds.is_empty());
        let kinds = if kinds.is_empty() { POSITION_KINDS.map(|(_, kind)| kind).into() } else { kinds };
        Ok(Self { plans, list: RowList::Portfolio(kinds), simulating, worth: options.worth })
    }

    /// Makes the items of an account's rows.
    pub(in crate::gateway) fn items(&self, mut rows: Vec<Row>) -> Items {
        rows.retain(|row| !self.worth || row.is_profitable());
        match &self.list {
            RowList::Rows { aggregate, .. } => {
                Items::Rows { rows, aggregate: *aggregate, with_simulations: self.simulating == Some(Effort::Any) }
            }
            RowList::Portfolio(kinds) => Items::Portfolio(portfolio(rows, kinds, &self.plans)),
        }
    }
}

/// Messages to a client that follows the jobs.
impl RowWork {
    fn ended(&self, job: &JobRows, pins: &Pins) -> EndedJob {
        EndedJob {
            protocol: job.plan.protocol.slug.clone(),
            network: Arc::clone(&job.plan.network),
            question: job.plan.question.of_account(),
            block: pins.get(&job.plan.network.chain_id).copied().and_then(Result::ok),
            failure: job.report.reasons().next(),
            items: self.items(job.rows.clone()),
        }
    }

    fn not_served(&self, report: &JobReport) -> EndedJob {
        EndedJob {
            protocol: report.subject.clone(),
            network: Arc::clone(&report.network),
            question: None,
            block: None,
            failure: report.reason,
            items: self.items(Vec::new()),
        }
    }
}

impl Work for RowWork {
    fn networks(&self, _: &Context) -> Vec<Arc<Network>> {
        self.plans.jobs.iter().map(|plan| Arc::clone(&plan.network)).collect()
    }

    async fn answer(self, context: Context) -> Result<Answer, Problem> {
        let (rows, reports) = match &context.progress {
            None => rows_of(&context, &self.plans, |plan| self.list.kind(plan), self.simulating).await?,
            Some(progress) => {
                self.plans.unavailable.iter().for_each(|report| progress.send(self.not_served(report)));
                let kind = |plan: &JobPlan| self.list.kind(plan);
                let pass_on = |job: &JobRows| progress.send(self.ended(job, &context.pins()));
                let AccountRows { rows, reports } =
                    rows_by_job(&context, &self.plans, kind, self.simulating, pass_on).await?;
                (rows, reports)
            }
        };
        Ok(context.answer(self.items(rows), reports))
    }
}

/// Makes a portfolio of positions of these kinds, and of claims if the plans ask for them.
fn portfolio(rows: Vec<Row>, kinds: &BTreeSet<PositionKind>, plans: &Plans) -> Portfolio {
    let is_payment = |row: &Row| matches!(row.item, RowItem::Payment { .. });
    let (payments, mut positions): (Vec<Row>, Vec<Row>) = rows.into_iter().partition(is_payment);
    positions.retain(|row| match &row.item {
        RowItem::Position(position) => kinds.contains(&position.found.kind),
        RowItem::Payment { .. } | RowItem::Leg { .. } => false,
    });
    Portfolio { positions, payments: plans.jobs.iter().any(is_about_claims).then_some(payments) }
}

fn is_about_claims(plan: &JobPlan) -> bool {
    matches!(plan.question, JobQuestion::Account(Question::Claimables))
}

#[cfg(test)]
mod off_chain_tests;
#[cfg(test)]
pub(super) mod script;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod unread_token_tests;
