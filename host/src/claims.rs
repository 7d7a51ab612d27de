//! When claims are simulated before they are shown.

/// The setting `[claims] simulate`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum SimulateWhen {
    /// For every list of claimables, on networks whose endpoints make all simulations of an account in one request.
    #[default]
    Always,
    /// For a list that is requested with `?simulate=true`.
    Asked,
}
