//! Settings as typed rows: the shipped deployments, changed by the operator's file.

use portolan_abi::codec;
#[cfg(feature = "testing")]
use portolan_abi::map::SettingsRow;
use portolan_abi::map::{self, Protocol, SettingsError};

use crate::deployment::{Deployment, Deployments};
use crate::keys::{Keys, Mechanism};

/// The operator's settings file; the default is no file.
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

    /// Whether they serve the deployments that the plugin ships with.
    pub(crate) fn serve_shipped(&self) -> bool {
        self.0.shipped
    }

    #[cfg(feature = "testing")]
    pub(crate) fn is_default(&self) -> bool {
        self.0 == Self::default().0
    }

    /// Settings with the operator's rows, as a test gives them.
    #[cfg(feature = "testing")]
    pub fn from_rows(shipped: bool, protocols: Vec<Protocol>, deployments: Vec<SettingsRow>) -> Self {
        Self(map::Settings { shipped, protocols, deployments })
    }

    /// What an instance serves: [`Settings::deployments`] of one mechanism, with [`Settings::protocols`] of them.
    ///
    /// # Errors
    /// As [`Settings::deployments`].
    pub fn serve<M: Mechanism>(
        &self,
        protocols: &[Protocol],
        shipped: impl IntoIterator<Item = Deployment<M>>,
    ) -> Result<Deployments<M>, SettingsError> {
        let rows = self.deployments(shipped)?;
        Ok(Deployments::new(self.protocols(protocols, &rows), rows))
    }

    /// The shipped protocols that `deployments` name, followed by those of the file.
    pub fn protocols<M>(&self, shipped: &[Protocol], deployments: &[Deployment<M>]) -> Vec<Protocol> {
        let added = |slug: &str| self.0.protocols.iter().any(|protocol| protocol.slug == slug);
        let named = |slug: &str| deployments.iter().any(|row| row.protocol == slug);
        let shipped = shipped.iter().filter(|protocol| named(&protocol.slug) && !added(&protocol.slug));
        shipped.chain(&self.0.protocols).cloned().collect()
    }

    /// The shipped rows of a mechanism that the file has no rows of; none where it leaves shipped rows out.
    pub fn shipped<M>(&self, rows: impl IntoIterator<Item = Deployment<M>>) -> Vec<Deployment<M>> {
        rows.into_iter().filter(|_| self.0.shipped).collect()
    }

    /// The shipped rows (unless the file leaves them out), with the file's rows replacing those of the same
    /// protocol, network and market, and the rest of the file's rows added.
    ///
    /// # Errors
    /// [`SettingsError`] names the file's row and key.
    pub fn deployments<M: Mechanism>(
        &self,
        shipped: impl IntoIterator<Item = Deployment<M>>,
    ) -> Result<Vec<Deployment<M>>, SettingsError> {
        self.deployments_by(shipped, M::from_keys)
    }

    /// [`Settings::deployments`] of a mechanism that `read` reads, where its type alone does not say how.
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
