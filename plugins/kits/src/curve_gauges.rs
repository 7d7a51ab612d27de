//! Curve-style gauges, which pay an emission through a minter, and up to eight other tokens.
//!
//! A deployment is one list of gauges. Settings keys: `gauge_controller`, or `gauge_factory`, which is its own minter,
//! or `gauges` if no contract lists them; `minter` and `minted_token` for an emission; `scaled` if the staked tokens
//! were exchanged and gauges count other amounts than they hold. Answers claimables and farming positions. Invariant: a
//! failing gauge loses only its own rows, and the answer reports it; a claim calls a gauge only if the list names it at
//! the answer's block. Not covered: listed contracts that hold no pool token (gauges for other networks), and rewards
//! of the first generation, which a Synthetix contract paid.

mod claims;
mod contracts;
mod list;
mod positions;

use std::sync::Arc;

use portolan_plugin_api::{
    Address, ClaimTemplate, Claimable, Error, JobContext, Keys, Lineage, Position, Question, Role, SettingsError,
};

use crate::boxed::Boxed;
use crate::kit::{DeploymentReader, Kit, Labels, Shared, ZERO_STANDS_S};
use contracts::{claim_rewards_0Call, claim_rewards_1Call, gaugesCall, get_gaugeCall, mintCall};

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CurveGaugesKit {
    /// Mechanism of stakes, and `type` of their rewards.
    pub gauge: &'static str,
}

/// Contract that lists the gauges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GaugeList {
    /// A controller, which shares the emission among gauges, and the minter that pays it.
    Controller {
        /// Address of the controller.
        controller: Address,
        /// Address of the minter.
        minter: Address,
    },
    /// Factory of one network's gauges, which pays the bridged emission.
    Factory(Address),
}

/// One deployment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CurveGauges {
    listing: Listing,
    /// `None` if they only pay other tokens.
    emission: Option<MintedEmission>,
    /// True if gauges count other amounts than the tokens that they hold.
    is_scaled: bool,
    types: CurveGaugesKit,
}

/// Origin of the gauges.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Listing {
    Controller(Address),
    Factory(Address),
    Row(Vec<Address>),
}

/// Emission of the gauges, and the contract that pays it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct MintedEmission {
    minter: Address,
    minted_token: Address,
}

impl CurveGaugesKit {
    /// Keys of a row for gauges of Curve or of a fork:
    /// - `gauge_controller` (address): a controller that lists the gauges; without `minter` and `minted_token` they
    ///   have no emission
    /// - `gauge_factory` (address, instead of `gauge_controller`): a factory that lists the gauges, and mints their
    ///   emission itself
    /// - `gauges` (array of addresses, instead of `gauge_controller`): gauges that no contract lists
    /// - `minter` (address, optional, not of `gauge_factory`): the contract that mints their emission
    /// - `minted_token` (address, needed with `minter` or `gauge_factory`): the token of the emission
    /// - `scaled` (boolean, optional, of `gauges`): true if the staked tokens were exchanged for others, and the gauges
    ///   count other amounts than they hold
    pub const KEYS: &'static [&'static str] =
        &["gauge_controller", "gauge_factory", "gauges", "minter", "minted_token", "scaled"];

    /// Creates a deployment of listed gauges with an emission of this token.
    fn of(self, list: GaugeList, minted_token: Address) -> CurveGauges {
        let (listing, minter) = match list {
            GaugeList::Controller { controller, minter } => (Listing::Controller(controller), minter),
            GaugeList::Factory(factory) => (Listing::Factory(factory), factory),
        };
        self.listed(listing).minting(minter, minted_token)
    }

    /// Creates a deployment of a controller's gauges, without an emission.
    fn listed_by(self, controller: Address) -> CurveGauges {
        self.listed(Listing::Controller(controller))
    }

    const fn listed(self, listing: Listing) -> CurveGauges {
        CurveGauges { listing, emission: None, is_scaled: false, types: self }
    }

    /// Reads a row that names its gauges.
    fn read_row(self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        let gauges = keys.addresses("gauges")?;
        if gauges.is_empty() {
            return Ok(None);
        }
        let minter = keys.address_opt("minter")?;
        let emission = minter.map(|minter| Ok(MintedEmission { minter, minted_token: keys.address("minted_token")? }));
        let emission = emission.transpose()?;
        let is_scaled = keys.flag("scaled")?;
        Ok(Some(CurveGauges { emission, is_scaled, ..self.listed(Listing::Row(gauges)) }.shared()))
    }
}

impl Kit for CurveGaugesKit {
    fn keys(&self) -> &'static [&'static str] {
        &["gauge_controller", "gauge_factory", "gauges"]
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        let has_emission = keys.address_opt("minter")?.or(keys.address_opt("minted_token")?).is_some();
        let list = match (keys.address_opt("gauge_controller")?, keys.address_opt("gauge_factory")?) {
            (None, None) => return self.read_row(keys),
            (Some(controller), None) if !has_emission => return Ok(Some(self.listed_by(controller).shared())),
            (Some(controller), None) => GaugeList::Controller { controller, minter: keys.address("minter")? },
            (None, Some(factory)) => GaugeList::Factory(factory),
            (Some(_), Some(_)) => {
                return Err(
                    SettingsError::new("stands beside `gauge_controller`; give one of them").at("gauge_factory")
                );
            }
        };
        Ok(Some(self.of(list, keys.address("minted_token")?).shared()))
    }

    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        vec![
            ClaimTemplate::new::<mintCall>([Role::MARKET]),
            ClaimTemplate::new::<claim_rewards_0Call>([Role::ACCOUNT]).by_anyone(),
            ClaimTemplate::new::<claim_rewards_1Call>([Role::ACCOUNT, Role::ACCOUNT]),
        ]
    }

    /// Returns the views that give the gauges of both kinds of list.
    fn lineages(&self) -> Vec<Lineage> {
        vec![Lineage::targets::<gaugesCall>(), Lineage::targets::<get_gaugeCall>()]
    }
}

impl CurveGauges {
    /// Adds an emission of this token, which the minter pays.
    #[must_use]
    fn minting(mut self, minter: Address, minted_token: Address) -> Self {
        self.emission = Some(MintedEmission { minter, minted_token });
        self
    }
}

impl DeploymentReader for CurveGauges {
    fn contracts(&self) -> Vec<Address> {
        let listed = match &self.listing {
            Listing::Controller(controller) => vec![*controller],
            // The factory is added as the minter.
            Listing::Factory(_) => Vec::new(),
            Listing::Row(gauges) => gauges.to_vec(),
        };
        listed.into_iter().chain(self.emission.map(|emission| emission.minter)).collect()
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::CLAIMABLES, Question::FARMING]
    }

    /// Returns up to two claims per gauge: the emission and the other rewards.
    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(claims::claimables(cx, self, labels, account))
    }

    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        question: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        match question {
            Question::FARMING => Box::pin(positions::positions(cx, self, labels, account)),
            _ => Box::pin(async { Err(Error::new("not one of its questions")) }),
        }
    }
}
