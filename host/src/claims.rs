//! The choice when claims are simulated.

/// The setting `[claims] simulate`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum SimulateWhen {
    /// For every list of claimables, on networks whose endpoints make all simulations of an account in one request.
    #[default]
    Always,
    /// Only for lists that are requested with `?simulate=true`.
    Asked,
}
