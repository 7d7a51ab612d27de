//! A plugin of the benchmark: fifty protocols that read as deep as most do, registry → pool → farm.
//!
//! The first two levels never change; what an account has earned is read at the third, and stands for its stake too. `tests/bench/chain/genesis.mjs`
//! puts the contracts where this table has them.

use portolan_plugin_api::*;

sol! {
    function next() external view returns (address);
    function due(address account) external view returns (address token, uint256 amount);
    function claim() external;
}

/// Where they have positions.
const NETWORKS: [u64; 6] = [1, 10, 56, 137, 250, 43_114];
/// Where they have claimables too.
const NETWORK: u64 = 137;
const PROTOCOLS: u8 = 50;
/// Its one read connects and probes an endpoint, and teaches nothing about the others.
const IDLE: &str = "synthetic_idle";
/// The first byte of a registry's address; the number of its protocol is the last one.
const REGISTRY_PREFIX: u8 = 0x5a;

#[derive(Debug)]
struct Synthetic(Deployments<Registry>);

#[derive(Clone, Copy, Debug, FromKeys)]
struct Registry {
    registry: Address,
}

fn shipped() -> impl Iterator<Item = Deployment<Registry>> {
    let name = |number| if number == PROTOCOLS { IDLE.to_owned() } else { format!("synthetic_{number:02}") };
    let on = move |number| {
        let registry = Registry { registry: registry(number) };
        NETWORKS.map(|network| Deployment::new(&name(number), network, registry))
    };
    (0..=PROTOCOLS).flat_map(on)
}

fn registry(number: u8) -> Address {
    let mut address = Address::with_last_byte(number);
    address.0[0] = REGISTRY_PREFIX;
    address
}

fn protocol(slug: &str) -> Protocol {
    let protocol = Protocol::new(slug, &slug.to_ascii_uppercase(), "https://synthetic.example", &["FARMING"]);
    protocol.company(Company::new("Synthetic"))
}

impl Plugin for Synthetic {
    fn configure(settings: &Settings) -> Result<Self, SettingsError> {
        let own = shipped().filter(|row| row.network == NETWORK);
        let protocols: Vec<Protocol> = own.map(|row| protocol(&row.protocol)).collect();
        settings.serve(&protocols, shipped()).map(Self)
    }

    fn catalogue(&self) -> Catalogue {
        let mut served = self.0.catalogue(&[Question::FARMING], |contracts| [contracts.registry]);
        let own = served.deployments.iter_mut().filter(|row| row.chain_id == NETWORK);
        own.for_each(|row| row.questions.push(Question::CLAIMABLES));
        let claims = vec![ClaimTemplate::new::<claimCall>([])];
        // A claim goes to the farm, which the pool names.
        Catalogue { claims, lineages: Some(vec![Lineage::targets::<nextCall>().of_given()]), ..served }
    }

    async fn claimables(&self, cx: &JobContext, account: Address) -> Result<Vec<Claimable>, Error> {
        let found = climb_all(cx, &self.0, account).await?.into_iter().map(|(row, farm, due)| {
            let claim = cx.claim(farm, &claimCall {});
            let name = format!("{} reward", symbol(due.token));
            Claimable::new(&row.market, farm, claim).named(name).mechanism("synthetic").pays(due.token, due.amount)
        });
        Ok(found.collect())
    }

    async fn farming(&self, cx: &JobContext, account: Address) -> Result<Vec<Position>, Error> {
        let found = climb_all(cx, &self.0, account).await?.into_iter().map(|(row, _, due)| {
            let position = Position::new(PositionKind::STAKED, &row.market, row.mechanism.registry);
            let leg = Leg::new(LegRole::STAKED, due.token, due.amount);
            position.named(symbol(due.token)).mechanism("synthetic").leg(leg)
        });
        Ok(found.collect())
    }
}

/// Returns the amount due to the account in each deployment of the job where it is not zero, and the farm that owes it.
async fn climb_all<'a>(
    cx: &JobContext,
    deployments: &'a Deployments<Registry>,
    account: Address,
) -> Result<Vec<(&'a Deployment<Registry>, Address, dueReturn)>, Error> {
    if cx.protocol() == IDLE {
        cx.native_balance(account).await?;
        return Ok(Vec::new());
    }
    let dues = cx.rows(deployments).map(async |row| {
        let (farm, due) = climb(cx, row.mechanism, account).await?;
        Ok((row, farm, due))
    });
    Ok(cx.join(dues).await?.into_iter().filter(|(_, _, due)| !due.amount.is_zero()).collect())
}

async fn climb(
    cx: &JobContext,
    Registry { registry }: Registry,
    account: Address,
) -> Result<(Address, dueReturn), Error> {
    let pool = cx.call(registry, nextCall {}).immutable().await?;
    let farm = cx.call(pool, nextCall {}).immutable().await?;
    Ok((farm, cx.call(farm, dueCall { account }).await?))
}

portolan_plugin_api::export!(Synthetic);
