//! The two halves of a mechanism that many protocols share: the kit, which knows its settings keys and claims, and the
//! contracts of one deployment, which answer questions.
//!
//! Futures are boxed, so that their code stands once, in this crate, and not in each plugin that awaits them.

use std::fmt::Debug;
use std::sync::Arc;

use portolan_plugin_api::{
    Address, Chain, ClaimTemplate, Claimable, Composition, Error, Keys, Lineage, Position, Question, SettingsError,
};

use crate::boxed::Boxed;
use crate::events::Source;

/// Seconds that the number of entries of a fact list may be cached: a new entry shows at most this much later. Without
/// that, each answer would wait for the number before it reads what the account has in the entries.
pub(crate) const COUNT_STANDS_S: u32 = 300;

/// Seconds that it may be cached that an account has nothing in a contract: most accounts have nothing in most, so that
/// most reads are saved. A first stake, deposit or reward shows at most this much later.
pub(crate) const ZERO_STANDS_S: u32 = 30;

/// A mechanism, with the words that one plugin has for it.
pub trait Kit: Debug + Sync {
    /// The keys of which a settings row of it has one. Where it names none, and where it is a plugin's last, it is asked
    /// about every row that no kit before it took.
    fn keys(&self) -> &'static [&'static str] {
        &[]
    }

    /// Reads the contracts of a settings row; `None` where the row has none of the kit's keys.
    ///
    /// # Errors
    /// [`SettingsError`] for a missing or wrong value.
    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn Deployed>>, SettingsError>;

    /// The claims that its deployments answer with, for the catalogue.
    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        Vec::new()
    }

    /// The views that name what these claims go to or name, and the tokens that its compositions are about, beside the
    /// contracts of its deployments.
    fn lineages(&self) -> Vec<Lineage> {
        Vec::new()
    }
}

/// The words of a deployment that its findings carry.
#[derive(Clone, Copy, Debug)]
pub struct Labels<'a> {
    /// The deployment's market.
    pub market: &'a str,
    /// The protocol's title, with the market where it is one of several.
    pub title: &'a str,
}

/// The contracts of one deployment of a mechanism.
///
/// A question that [`Deployed::questions`] does not name is never put to it.
pub trait Deployed: Debug + Send + Sync {
    /// The same contracts, shared: a plugin's instance owns its deployments, whether shipped or from settings.
    fn shared(&self) -> Arc<dyn Deployed>;

    /// The contracts for the catalogue: those that claims may go to and name, and whose views lineages begin with.
    fn contracts(&self) -> Vec<Address>;

    /// The questions that the deployment answers.
    fn questions(&self) -> Vec<Question>;

    /// The hosts of servers whose documents it reads, for the catalogue.
    fn hosts(&self) -> Vec<String> {
        Vec::new()
    }

    /// The contracts that emit its events, where a table decodes them.
    fn emitters(&self) -> Option<Source> {
        None
    }

    /// Reads what has to be known before anything is read about the account: a factory becomes the farms that it lists.
    /// Called once for each question. All deployments resolve together first, so that their reads about the account
    /// leave in one batch. `None` where there is nothing to read.
    fn resolve<'a>(&'a self, cx: &'a Chain, market: &'a str) -> Boxed<'a, Option<Arc<dyn Deployed>>> {
        let _ = (cx, market);
        Box::pin(async { Ok(None) })
    }

    /// Answers [`Plugin::claimables`](portolan_plugin_api::Plugin::claimables).
    fn claimables<'a>(&'a self, cx: &'a Chain, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        let _ = (cx, account);
        Box::pin(async move { Err(not_implemented("claimables", labels)) })
    }

    /// Answers a question about positions: [`Plugin::farming`](portolan_plugin_api::Plugin::farming) and the like.
    fn positions<'a>(
        &'a self,
        cx: &'a Chain,
        labels: Labels<'a>,
        question: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        let _ = (cx, question, account);
        Box::pin(async move { Err(not_implemented("positions", labels)) })
    }

    /// Answers [`Plugin::compositions`](portolan_plugin_api::Plugin::compositions) for those of the tokens that are its
    /// own, and leaves out the others.
    fn compositions<'a>(&'a self, cx: &'a Chain, tokens: &'a [Address]) -> Boxed<'a, Vec<Composition>> {
        let _ = (cx, tokens);
        Box::pin(async { Err(Error::new("`compositions` is declared and not implemented")) })
    }
}

/// An empty list would say that there is nothing.
fn not_implemented(function: &str, labels: Labels<'_>) -> Error {
    Error::new(format!("{}: `{function}` is declared and not implemented", labels.market))
}
