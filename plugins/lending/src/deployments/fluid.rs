//! Fluid's factory of lending tokens and its resolvers, which stand at the same addresses everywhere.
//!
//! From <https://github.com/Instadapp/fluid-contracts-public/blob/a9949b4/deployments/deployments.md>, which is their one
//! source. A resolver of another version returns other structs. On BSC they are another protocol's.

use portolan_kits::fluid::{Fluid, FluidContracts, FluidTypes};
use portolan_plugin_api::address;

/// Lending tokens, and positions in vaults.
pub(crate) const FLUID: FluidTypes = FluidTypes { token: "fluid-lending-token", vault: "fluid-vault" };

/// On Ethereum, Arbitrum, Polygon and Base.
pub(crate) const EVERYWHERE: Fluid = FLUID.of(FluidContracts {
    lending_factory: address!("0x54b91a0d94cb471f37f949c60f7fa7935b551d03"),
    vault_resolver: Some(address!("0xa5c3e16523eeeddcc34706b0e6be88b4c6ea95cc")),
    dex_resolver: Some(address!("0x11d80cff056cef4f9e6d23da8672fe9873e5cc07")),
});
