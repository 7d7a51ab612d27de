//! The trait that a plugin implements.

use alloy::primitives::Address;
#[cfg(doc)]
use portolan_abi::map::PositionKind;
use portolan_abi::map::{Catalogue, Claimable, Composition, Position, SettingsError};

use crate::chain::Chain;
use crate::error::Error;
use crate::events::{Event, Transaction};
use crate::settings::Settings;

/// A protocol plugin: what it serves, and the questions that it answers.
///
/// A value of this type is one *instance*: the outcome of one settings file. It is shared by all jobs, on any
/// threads, so it holds no state that changes. A job asks one question about one account (or about tokens, or a
/// transaction) for one protocol on one network; [`Chain::protocol`] and [`Chain::network`] say which.
///
/// The questions that it implements are those that its catalogue declares: a plugin that declares one which it does not
/// implement, or implements one that no deployment declares, is refused when it is loaded. Its tests fail with the same
/// words.
pub trait Plugin: Sized + Send + Sync + 'static {
    /// Whether rows decide which questions an instance answers, as in a shell that many plugins are made of. The shell
    /// implements them all then, and a question that no row declares is no mistake.
    const ROWS_DECIDE: bool = false;

    /// Makes an instance. Called when the plugin is loaded and whenever its settings file changes; jobs under way
    /// keep the instance that they began with.
    ///
    /// # Errors
    /// [`SettingsError`] names the row and key that is wrong; the instance before it stays in force.
    fn configure(settings: &Settings) -> Result<Self, SettingsError>;

    /// The protocols, deployments and claim templates of this instance. Called once for each instance.
    fn catalogue(&self) -> Catalogue;

    /// What the account can claim. Called once for each job whose question is claimables.
    ///
    /// # Errors
    /// Any error ends the job; what it emitted before stays in the answer, and the loss is visible there.
    fn claimables(&self, cx: &Chain, account: Address) -> impl Future<Output = Result<Vec<Claimable>, Error>> + Send {
        let _ = account;
        cx.state.note_default();
        async { Ok(Vec::new()) }
    }

    /// What the account has staked: positions of the kind [`PositionKind::STAKED`]. Called once for each job whose question is farming.
    ///
    /// # Errors
    /// As [`Plugin::claimables`].
    fn farming(&self, cx: &Chain, account: Address) -> impl Future<Output = Result<Vec<Position>, Error>> + Send {
        let _ = account;
        cx.state.note_default();
        async { Ok(Vec::new()) }
    }

    /// What the account has lent and borrowed: positions of the kinds [`PositionKind::LENT`] and
    /// [`PositionKind::BORROWED`]. Called once for each job whose question is lending.
    ///
    /// # Errors
    /// As [`Plugin::claimables`].
    fn lending(&self, cx: &Chain, account: Address) -> impl Future<Output = Result<Vec<Position>, Error>> + Send {
        let _ = account;
        cx.state.note_default();
        async { Ok(Vec::new()) }
    }

    /// What the account has in pools: positions of the kind [`PositionKind::POOLED`]. Called once for each job whose question is pooling.
    ///
    /// # Errors
    /// As [`Plugin::claimables`].
    fn pooling(&self, cx: &Chain, account: Address) -> impl Future<Output = Result<Vec<Position>, Error>> + Send {
        let _ = account;
        cx.state.note_default();
        async { Ok(Vec::new()) }
    }

    /// What the account has locked, and what is vesting for it: positions of the kinds [`PositionKind::LOCKED`] and
    /// [`PositionKind::VESTING`]. Called once for each job whose question is locked.
    ///
    /// # Errors
    /// As [`Plugin::claimables`].
    fn locked(&self, cx: &Chain, account: Address) -> impl Future<Output = Result<Vec<Position>, Error>> + Send {
        let _ = account;
        cx.state.note_default();
        async { Ok(Vec::new()) }
    }

    /// What the protocol's own tokens redeem to: shares of vaults and pools. Called once for each job whose question is
    /// composition, with tokens of any kind that the host has no price of; those that are not this protocol's are left
    /// out of the answer. A part may be a share again, of whichever protocol: the host goes on from there.
    ///
    /// # Errors
    /// As [`Plugin::claimables`].
    fn compositions(
        &self,
        cx: &Chain,
        tokens: &[Address],
    ) -> impl Future<Output = Result<Vec<Composition>, Error>> + Send {
        let _ = tokens;
        cx.state.note_default();
        async { Ok(Vec::new()) }
    }

    /// What the logs of a transaction mean. Called once for each job whose question is events: for a transaction of
    /// [`Chain::network`] that has one of the first topics that [`Catalogue::event_topics`] names, with all its logs,
    /// about all protocols of the plugin at once; so [`Chain::protocol`] is empty. [`Chain::decode`] decodes them by a
    /// table.
    ///
    /// [`Event::protocol`] is a slug of the catalogue, and only where the contract that emitted the log is known to
    /// belong to it: anyone can emit a log that looks like a protocol's. What is not this plugin's is left out.
    ///
    /// # Errors
    /// As [`Plugin::claimables`].
    fn events(&self, cx: &Chain, transaction: &Transaction) -> impl Future<Output = Result<Vec<Event>, Error>> + Send {
        let _ = transaction;
        cx.state.note_default();
        async { Ok(Vec::new()) }
    }
}
