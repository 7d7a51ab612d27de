//! Answers what shares redeem to, for the commands that try one plugin; clients see it in the rows of tokens.

use alloy::primitives::Address;
use portolan_abi::map;
use portolan_base::client_share::ClientShare;

use crate::gateway::query::AnswerOptions;
use crate::gateway::{Gateway, compositions, plan};
use crate::jobs::report::JobReport;

/// What one protocol reports about tokens on one network.
#[derive(Debug)]
pub(crate) struct CompositionAnswer {
    pub(crate) report: JobReport,
    pub(crate) found: Vec<map::Composition>,
}

impl Gateway {
    /// Puts the question about these tokens to all protocols that answer it, on all networks with an endpoint.
    pub(crate) async fn compositions(&self, tokens: &[Address], protocol: Option<&str>) -> Vec<CompositionAnswer> {
        let context = self.context(AnswerOptions::default(), &ClientShare::new(None));
        let networks = self.networks_with_endpoint();
        context.open(networks.iter()).await;
        let plans = networks.iter().flat_map(|network| plan::for_tokens(&context.snapshot, network, tokens));
        let is_chosen = |slug: &str| protocol.is_none_or(|chosen| chosen == slug);
        let ran = context.run(plans.filter(|plan| is_chosen(&plan.protocol.slug)).collect()).await;
        let answer = |(plan, outcome)| {
            let validated = compositions::validated(&plan, &outcome, tokens);
            CompositionAnswer { report: validated.report, found: validated.found }
        };
        ran.into_iter().map(answer).collect()
    }
}
