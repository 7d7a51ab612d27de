//! The trait that a plugin implements.

use alloy::primitives::Address;
#[cfg(doc)]
use portolan_abi::map::PositionKind;
use portolan_abi::map::{Catalogue, Claimable, Composition, Position, SettingsError};

use crate::error::Error;
use crate::events::{Event, Transaction};
use crate::job_context::JobContext;
use crate::settings::Settings;

/// A protocol plugin: what it serves, and the questions that it answers.
///
/// A value of this type is an *instance*, made from one settings file. All jobs share it, on any thread, so it has no
/// mutable state. A job asks one question about one account (or about tokens, or a transaction), for one protocol on
/// one network; see [`JobContext::protocol`] and [`JobContext::network`].
///
/// A plugin implements exactly the questions that its catalogue declares. Otherwise it is refused when it is loaded,
/// and its tests fail with the same error.
pub trait Plugin: Sized + Send + Sync + 'static {
    /// True if rows decide which questions an instance answers, as in the shell of kits. The shell implements all
    /// questions, so an undeclared one is allowed.
    const ROWS_DECIDE: bool = false;

    /// Creates an instance. Called when the plugin is loaded and whenever its settings file changes; running jobs keep
    /// their instance.
    ///
    /// # Errors
    /// [`SettingsError`] names the wrong row and key; the previous instance stays in force.
    fn configure(settings: &Settings) -> Result<Self, SettingsError>;

    /// Returns the protocols, deployments and claim templates. Called once per instance.
    fn catalogue(&self) -> Catalogue;

    /// Returns the claimable amounts of an account. Called once per job with `Question::CLAIMABLES`.
    ///
    /// # Errors
    /// Any error ends the job. Findings emitted before stay in the answer, which reports the loss.
    fn claimables(
        &self,
        cx: &JobContext,
        account: Address,
    ) -> impl Future<Output = Result<Vec<Claimable>, Error>> + Send {
        let _ = account;
        cx.state.note_default();
        async { Ok(Vec::new()) }
    }

    /// Returns staked positions ([`PositionKind::STAKED`]). Called once per job with `Question::FARMING`.
    ///
    /// # Errors
    /// As [`Plugin::claimables`].
    fn farming(&self, cx: &JobContext, account: Address) -> impl Future<Output = Result<Vec<Position>, Error>> + Send {
        let _ = account;
        cx.state.note_default();
        async { Ok(Vec::new()) }
    }

    /// Returns lent and borrowed positions ([`PositionKind::LENT`], [`PositionKind::BORROWED`]). Called once per job
    /// with `Question::LENDING`.
    ///
    /// # Errors
    /// As [`Plugin::claimables`].
    fn lending(&self, cx: &JobContext, account: Address) -> impl Future<Output = Result<Vec<Position>, Error>> + Send {
        let _ = account;
        cx.state.note_default();
        async { Ok(Vec::new()) }
    }

    /// Returns positions in pools ([`PositionKind::POOLED`]). Called once per job with `Question::POOLING`.
    ///
    /// # Errors
    /// As [`Plugin::claimables`].
    fn pooling(&self, cx: &JobContext, account: Address) -> impl Future<Output = Result<Vec<Position>, Error>> + Send {
        let _ = account;
        cx.state.note_default();
        async { Ok(Vec::new()) }
    }

    /// Returns locked and vesting positions ([`PositionKind::LOCKED`], [`PositionKind::VESTING`]). Called once per job
    /// with `Question::LOCKED`.
    ///
    /// # Errors
    /// As [`Plugin::claimables`].
    fn locked(&self, cx: &JobContext, account: Address) -> impl Future<Output = Result<Vec<Position>, Error>> + Send {
        let _ = account;
        cx.state.note_default();
        async { Ok(Vec::new()) }
    }

    /// Returns the tokens that the protocol's vault and pool shares redeem to. Called once per job with
    /// `Question::COMPOSITION`, with any tokens that the host has no price for; skip those of other protocols. A part
    /// may itself be a share of any protocol: the host resolves it in turn.
    ///
    /// # Errors
    /// As [`Plugin::claimables`].
    fn compositions(
        &self,
        cx: &JobContext,
        tokens: &[Address],
    ) -> impl Future<Output = Result<Vec<Composition>, Error>> + Send {
        let _ = tokens;
        cx.state.note_default();
        async { Ok(Vec::new()) }
    }

    /// Decodes the logs of a transaction. Called once per job with `Question::EVENTS`, for a transaction on
    /// [`JobContext::network`] that has a first topic of [`Catalogue::event_topics`]. It has all its logs and covers
    /// all protocols of the plugin, so [`JobContext::protocol`] is empty. [`JobContext::decode`] decodes by a table.
    ///
    /// Set [`Event::protocol`] to a slug of the catalogue only if the emitting contract is known to belong to it:
    /// anyone can emit a log that looks like a protocol's. Skip logs of others.
    ///
    /// # Errors
    /// As [`Plugin::claimables`].
    fn events(
        &self,
        cx: &JobContext,
        transaction: &Transaction,
    ) -> impl Future<Output = Result<Vec<Event>, Error>> + Send {
        let _ = transaction;
        cx.state.note_default();
        async { Ok(Vec::new()) }
    }
}
