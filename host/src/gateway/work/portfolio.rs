//! Answers with an account's positions in all protocols, and what it could claim there.

use std::collections::BTreeSet;
use std::sync::Arc;

use alloy::primitives::Address;
use portolan_abi::map::PositionKind;
use portolan_base::network::Network;
use portolan_reader::Effort;

use crate::gateway::answer::{Answer, Items, Portfolio, Row, RowItem};
use crate::gateway::context::Context;
use crate::gateway::plan::{self, Plans};
use crate::gateway::problem::Problem;
use crate::gateway::query::{ClaimOptions, Filter, POSITION_KINDS};
use crate::gateway::rows::RowKind;
use crate::gateway::work::Work;
use crate::gateway::work::protocols::rows_of;
use crate::gateway::work::simulation;
use crate::jobs::plan::{JobPlan, JobQuestion, Question};

const QUESTIONS: [Question; 4] = [Question::Farming, Question::Lending, Question::Pooling, Question::Locked];

/// Asks all questions about positions, and the one about claimables if no kinds are named. Its claims are simulated,
/// so that sums contain what they would pay.
pub(in crate::gateway) struct PortfolioWork {
    plans: Plans,
    kinds: BTreeSet<PositionKind>,
    simulating: Option<Effort>,
    /// True if claims that cost more than they pay are left out of the sums.
    worth: bool,
}

impl PortfolioWork {
    /// Plans the questions that these kinds need, for the protocols that the filter selects.
    ///
    /// # Errors
    /// Returns a problem if the filter names an unknown protocol, or if the named network has no endpoint.
    pub(in crate::gateway) fn new(
        context: &Context,
        account: Address,
        filter: &Filter,
        chain_id: Option<u64>,
        kinds: BTreeSet<PositionKind>,
        options: ClaimOptions,
    ) -> Result<Self, Problem> {
        let needs = |question: &Question| {
            kinds.iter().any(|kind| portolan_validation::question(*kind).is_some_and(|own| own.0 == *question as u8))
        };
        let questions: Vec<Question> = match kinds.is_empty() {
            true => QUESTIONS.into_iter().chain([Question::Claimables]).collect(),
            false => QUESTIONS.into_iter().filter(needs).collect(),
        };
        let plans = plan::for_all(&context.snapshot, context.networks(), filter, &questions, account)?.on(chain_id);
        context.check_endpoint(&plans.jobs, chain_id)?;
        let simulating = simulation::effort(context, options).filter(|_| kinds.is_empty());
        let kinds = if kinds.is_empty() { POSITION_KINDS.map(|(_, kind)| kind).into() } else { kinds };
        Ok(Self { plans, kinds, simulating, worth: options.worth })
    }
}

impl Work for PortfolioWork {
    fn networks(&self, _: &Context) -> Vec<Arc<Network>> {
        self.plans.jobs.iter().map(|plan| Arc::clone(&plan.network)).collect()
    }

    async fn answer(self, context: Context) -> Result<Answer, Problem> {
        let with_claims = self.plans.jobs.iter().any(is_about_claims);
        let kind = |plan: &JobPlan| if is_about_claims(plan) { RowKind::Payments } else { RowKind::Positions };
        let (mut rows, reports) = rows_of(&context, self.plans, kind, self.simulating).await?;
        rows.retain(|row| !self.worth || row.is_profitable());
        let is_payment = |row: &Row| matches!(row.item, RowItem::Payment { .. });
        let (payments, mut positions): (Vec<Row>, Vec<Row>) = rows.into_iter().partition(is_payment);
        positions.retain(|row| match &row.item {
            RowItem::Position(position) => self.kinds.contains(&position.found.kind),
            RowItem::Payment { .. } | RowItem::Leg { .. } => false,
        });
        let portfolio = Portfolio { positions, payments: with_claims.then_some(payments) };
        Ok(context.answer(Items::Portfolio(portfolio), reports))
    }
}

fn is_about_claims(plan: &JobPlan) -> bool {
    matches!(plan.question, JobQuestion::Account(Question::Claimables))
}
