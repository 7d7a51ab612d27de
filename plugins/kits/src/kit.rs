//! The two halves of a shared mechanism: the [`Kit`], which knows settings keys and claims, and [`DeploymentReader`],
//! the contracts of one deployment, which answer questions.
//!
//! Futures are boxed, so that their code is compiled once, in this crate, and not in each plugin.

use std::fmt::Debug;
use std::sync::Arc;

use portolan_plugin_api::{
    Address, ClaimTemplate, Claimable, Composition, Error, JobContext, Keys, Lineage, Position, Question, SettingsError,
};

use crate::boxed::Boxed;
use crate::events::Source;

/// Cache time of a fact list's length, in seconds; new entries show at most this much later. Without it, each answer
/// would wait for the length before it reads the account's entries.
pub(crate) const COUNT_STANDS_S: u32 = 300;

/// Cache time of a zero balance, in seconds. Most accounts have nothing in most contracts, so this saves most reads. A
/// first stake, deposit or reward shows at most this much later.
pub(crate) const ZERO_STANDS_S: u32 = 30;

/// A mechanism, with a plugin's words for it.
pub trait Kit: Debug + Sync {
    /// Keys that identify a settings row of this kit. A kit without keys, or a plugin's last kit, is tried with every
    /// row that no earlier kit took.
    fn keys(&self) -> &'static [&'static str] {
        &[]
    }

    /// Reads the contracts of a settings row; `None` if the row is not of this kit.
    ///
    /// # Errors
    /// [`SettingsError`] for a missing or wrong value.
    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError>;

    /// Returns the claim templates of its deployments, for the catalogue.
    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        Vec::new()
    }

    /// Returns the views whose replies claims may call or name, and those of the tokens of its compositions, beyond the
    /// contracts of its deployments.
    fn lineages(&self) -> Vec<Lineage> {
        Vec::new()
    }
}

/// Words of a deployment for its findings.
#[derive(Clone, Copy, Debug)]
pub struct Labels<'a> {
    /// Market of the deployment.
    pub market: &'a str,
    /// Title of the protocol, with the market if there are several.
    pub title: &'a str,
}

/// Contracts of one deployment of a mechanism.
///
/// It is only asked the questions of [`DeploymentReader::questions`].
pub trait DeploymentReader: Debug + Send + Sync {
    /// Returns the contracts for the catalogue: those that claims may call and name, and that lineages start from.
    fn contracts(&self) -> Vec<Address>;

    /// Returns the tokens for the catalogue: those that claims may name, beyond what lineages return.
    fn tokens(&self) -> Vec<Address> {
        Vec::new()
    }

    /// Returns the questions that the deployment answers.
    fn questions(&self) -> Vec<Question>;

    /// Returns its claims by functions that the table of claim functions binds to contracts: each function's signature, and
    /// the contracts that it is called on. Tests compare them with the table, so that a row that lacks in it is found; a
    /// gateway decides by the table alone.
    fn bound_claims(&self) -> Vec<(&'static str, Vec<Address>)> {
        Vec::new()
    }

    /// Returns the hosts of the documents it reads, for the catalogue.
    fn hosts(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns the contracts that emit its events, if a table decodes them.
    fn emitters(&self) -> Option<Source> {
        None
    }

    /// Reads whatever must be known before the account is read, such as the farms that a factory lists. Called once per
    /// question, for all deployments together, so that their reads of the account share a batch. `None` if there is
    /// nothing to read.
    fn resolve<'a>(&'a self, cx: &'a JobContext, market: &'a str) -> Boxed<'a, Option<Arc<dyn DeploymentReader>>> {
        let _ = (cx, market);
        Box::pin(async { Ok(None) })
    }

    /// Answers [`Plugin::claimables`](portolan_plugin_api::Plugin::claimables).
    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        let _ = (cx, account);
        Box::pin(async move { Err(not_implemented("claimables", labels)) })
    }

    /// Answers a question about positions, such as [`Plugin::farming`](portolan_plugin_api::Plugin::farming).
    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        question: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        let _ = (cx, question, account);
        Box::pin(async move { Err(not_implemented("positions", labels)) })
    }

    /// Answers [`Plugin::compositions`](portolan_plugin_api::Plugin::compositions) for its own tokens; skips the
    /// others.
    fn compositions<'a>(&'a self, cx: &'a JobContext, tokens: &'a [Address]) -> Boxed<'a, Vec<Composition>> {
        let _ = (cx, tokens);
        Box::pin(async { Err(Error::new("`compositions` is declared and not implemented")) })
    }
}

/// Contracts of a row, as an instance owns them.
pub(crate) trait Shared {
    /// Shares the contracts.
    fn shared(self) -> Arc<dyn DeploymentReader>;
}

impl<D: DeploymentReader + 'static> Shared for D {
    fn shared(self) -> Arc<dyn DeploymentReader> {
        Arc::new(self)
    }
}

/// Returns an error: an empty list would mean that there is nothing.
fn not_implemented(function: &str, labels: Labels<'_>) -> Error {
    Error::new(format!("{}: `{function}` is declared and not implemented", labels.market))
}
