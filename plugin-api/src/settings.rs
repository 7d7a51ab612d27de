//! Settings as typed rows: the shipped deployments, overridden by the operator's file.

use portolan_abi::codec;
#[cfg(feature = "testing")]
use portolan_abi::map::SettingsRow;
use portolan_abi::map::{self, Protocol, SettingsError};

use crate::deployment::{Deployment, Deployments};
use crate::keys::{FromKeys, Keys};
use crate::shipped_rows::Rows;

/// The operator's settings file; the default means no file.
///
/// ```
/// use portolan_plugin_api::*;
///
/// #[derive(Clone, FromKeys)]
/// struct Contract {
///     farm: Address,
/// }
///
/// /// The shipped rows, changed by the operator's file.
/// fn configure(settings: &Settings, rows: Rows) -> Result<Deployments<Contract>, SettingsError> {
///     settings.serve_rows(rows)
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Settings(map::Settings);

impl Default for Settings {
    fn default() -> Self {
        Self(map::Settings { shipped: true, ..map::Settings::default() })
    }
}

impl Settings {
    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, SettingsError> {
        let settings = codec::decode(bytes);
        settings.map(Self).map_err(|error| SettingsError::new(format!("settings frame: {error}")))
    }

    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn encode(&self) -> Vec<u8> {
        codec::encode(&self.0)
    }

    /// Returns true if the shipped deployments are served.
    pub(crate) fn serve_shipped(&self) -> bool {
        self.0.shipped
    }

    #[cfg(feature = "testing")]
    pub(crate) fn is_default(&self) -> bool {
        self.0 == Self::default().0
    }

    /// Creates settings with the operator's rows, for tests.
    #[cfg(feature = "testing")]
    pub fn from_rows(shipped: bool, protocols: Vec<Protocol>, deployments: Vec<SettingsRow>) -> Self {
        Self(map::Settings { shipped, protocols, deployments })
    }

    /// Returns the rows of one mechanism from [`Settings::deployments`], with their [`Settings::protocols`].
    ///
    /// # Errors
    /// As [`Settings::deployments`].
    pub fn serve<M: FromKeys>(
        &self,
        protocols: &[Protocol],
        shipped: impl IntoIterator<Item = Deployment<M>>,
    ) -> Result<Deployments<M>, SettingsError> {
        let rows = self.deployments(shipped)?;
        Ok(Deployments::new(self.protocols(protocols, &rows), rows))
    }

    /// Returns the rows of one mechanism that a plugin ships with, changed by the file, with their protocols.
    ///
    /// # Errors
    /// As [`Settings::deployments`], and as [`Rows::deployments`].
    pub fn serve_rows<M: FromKeys>(&self, rows: Rows) -> Result<Deployments<M>, SettingsError> {
        self.serve(&rows.protocols(), rows.deployments(M::from_keys)?)
    }

    /// Returns the shipped protocols that `deployments` name, followed by those of the file.
    pub fn protocols<M>(&self, shipped: &[Protocol], deployments: &[Deployment<M>]) -> Vec<Protocol> {
        let added = |slug: &str| self.0.protocols.iter().any(|protocol| protocol.slug == slug);
        let named = |slug: &str| deployments.iter().any(|row| row.protocol == slug);
        let shipped = shipped.iter().filter(|protocol| named(&protocol.slug) && !added(&protocol.slug));
        shipped.chain(&self.0.protocols).cloned().collect()
    }

    /// Returns these shipped rows, or none if the file excludes shipped rows. Rows of the file do not replace any.
    pub fn shipped<M>(&self, rows: impl IntoIterator<Item = Deployment<M>>) -> Vec<Deployment<M>> {
        rows.into_iter().filter(|_| self.0.shipped).collect()
    }

    /// Returns the shipped rows, unless the file excludes them, and the file's rows. A row of the file replaces the
    /// shipped one of the same protocol, network and market.
    ///
    /// # Errors
    /// [`SettingsError`] names the row and key of the file.
    pub fn deployments<M: FromKeys>(
        &self,
        shipped: impl IntoIterator<Item = Deployment<M>>,
    ) -> Result<Vec<Deployment<M>>, SettingsError> {
        self.deployments_by(shipped, M::from_keys)
    }

    /// Like [`Settings::deployments`], with a function that reads a row's mechanism.
    ///
    /// # Errors
    /// As [`Settings::deployments`].
    pub fn deployments_by<M>(
        &self,
        shipped: impl IntoIterator<Item = Deployment<M>>,
        read: impl Fn(&Keys<'_>) -> Result<M, SettingsError>,
    ) -> Result<Vec<Deployment<M>>, SettingsError> {
        let mut rows = self.shipped(shipped);
        for (place, row) in self.0.deployments.iter().enumerate() {
            let row = Keys::deployment(row, &read).map_err(|error| error.in_row(place))?;
            let same = |other: &&mut Deployment<M>| {
                (&other.protocol, other.network, &other.market) == (&row.protocol, row.network, &row.market)
            };
            match rows.iter_mut().find(same) {
                Some(replaced) => *replaced = row,
                None => rows.push(row),
            }
        }
        Ok(rows)
    }
}
