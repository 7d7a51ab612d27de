//! An account's positions in all protocols, and what it could claim there.

use std::collections::BTreeSet;

use alloy::primitives::Address;
use portolan_abi::map::PositionKind;

use crate::gateway::answer::{Portfolio, Row, RowItem};
use crate::gateway::context::Context;
use crate::gateway::plan::{self, Plans};
use crate::gateway::problem::Problem;
use crate::gateway::query::{ClaimOptions, Filter, POSITION_KINDS};
use crate::gateway::work::protocols::{RowList, RowWork};
use crate::gateway::work::simulation;
use crate::jobs::plan::{JobPlan, JobQuestion, Question};

const QUESTIONS: [Question; 4] = [Question::Farming, Question::Lending, Question::Pooling, Question::Locked];

impl RowWork {
    /// Plans all questions about positions of these kinds, for the protocols that the filter selects; without kinds,
    /// about all positions and claimables. Claims are simulated, so that sums contain what they would pay.
    ///
    /// # Errors
    /// Returns a problem if the filter names an unknown protocol, or if the named network has no endpoint.
    pub(super) fn for_portfolio(
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
        Ok(Self { plans, list: RowList::Portfolio(kinds), simulating, worth: options.worth })
    }
}

/// Makes a portfolio of positions of these kinds, and of claims if the plans ask for them.
pub(super) fn portfolio(rows: Vec<Row>, kinds: &BTreeSet<PositionKind>, plans: &Plans) -> Portfolio {
    let is_payment = |row: &Row| matches!(row.item, RowItem::Payment { .. });
    let (payments, mut positions): (Vec<Row>, Vec<Row>) = rows.into_iter().partition(is_payment);
    positions.retain(|row| match &row.item {
        RowItem::Position(position) => kinds.contains(&position.found.kind),
        RowItem::Payment { .. } | RowItem::Leg { .. } => false,
    });
    Portfolio { positions, payments: plans.jobs.iter().any(is_about_claims).then_some(payments) }
}

pub(super) fn is_about_claims(plan: &JobPlan) -> bool {
    matches!(plan.question, JobQuestion::Account(Question::Claimables))
}
