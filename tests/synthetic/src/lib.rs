//! A plugin of the benchmark: fifty protocols that read as deep as most do, registry → pool → farm.
//!
//! The first two levels never change; what an account has earned is read at the third. `tests/bench/chain/genesis.mjs`
//! puts the contracts where this table has them.

use portolan_plugin_api::*;

sol! {
    function next() external view returns (address);
    function due(address account) external view returns (address token, uint256 amount);
    function claim() external;
}

const NETWORK: u64 = 137;
const PROTOCOLS: u8 = 50;
/// Its one read connects and probes an endpoint, and teaches nothing about the others.
const IDLE: &str = "synthetic_idle";
/// The first byte of a registry's address; the number of its protocol is the last one.
const REGISTRY_PREFIX: u8 = 0x5a;

#[derive(Debug)]
struct Synthetic(Deployments<Registry>);

#[derive(Clone, Copy, Debug, Mechanism)]
struct Registry {
    registry: Address,
}

fn shipped() -> impl Iterator<Item = Deployment<Registry>> {
    let on = |protocol: &str, registry| Deployment::new(protocol, NETWORK, Registry { registry });
    let numbered = (0..PROTOCOLS).map(move |number| on(&format!("synthetic_{number:02}"), registry(number)));
    numbered.chain([on(IDLE, registry(PROTOCOLS))])
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
        let protocols: Vec<Protocol> = shipped().map(|row| protocol(&row.protocol)).collect();
        settings.serve(&protocols, shipped()).map(Self)
    }

    fn catalogue(&self) -> Catalogue {
        let served = self.0.catalogue(&[Question::CLAIMABLES], |contracts| [contracts.registry]);
        Catalogue { claims: vec![ClaimTemplate::new::<claimCall>([])], ..served }
    }

    async fn claimables(&self, cx: &Chain, account: Address) -> Result<Vec<Claimable>, Error> {
        if cx.protocol() == IDLE {
            cx.native_balance(account).await?;
            return Ok(Vec::new());
        }
        cx.gather(cx.rows(&self.0).map(|row| climb(cx, row, account))).await
    }
}

async fn climb(cx: &Chain, row: &Deployment<Registry>, account: Address) -> Result<Vec<Claimable>, Error> {
    let Registry { registry } = row.mechanism;
    let pool = cx.call(registry, nextCall {}).immutable().await?;
    let farm = cx.call(pool, nextCall {}).immutable().await?;
    let due = cx.call(farm, dueCall { account }).await?;
    if due.amount.is_zero() {
        return Ok(Vec::new());
    }
    let claimable = Claimable::new(&row.market, registry, cx.claim(registry, &claimCall {})).of("synthetic");
    Ok(vec![claimable.named(format!("{} reward", symbol(due.token))).pays(due.token, due.amount)])
}

portolan_plugin_api::export!(Synthetic);
