//! Instances: each has its own settings, is shared by jobs on any thread, and is dropped once.

use std::sync::atomic::{AtomicUsize, Ordering};

use portolan_abi::codec;
use portolan_abi::map::{self, SettingsKey, SettingsRow, SettingsValue};
use portolan_plugin_api::export::{Exported, Manifest, module};
use portolan_plugin_api::{
    Address, Catalogue, Claimable, Deployment, Error, FromKeys, JobContext, Keys, Plugin, Settings, SettingsError, U256,
};

use crate::host::Host;
use crate::scenario::{NETWORK, catalogue, found, value};

static ALIVE: AtomicUsize = AtomicUsize::new(0);

/// Returns its factor times the contract's reply; counts its instances.
struct Counted(U256);

#[derive(Clone)]
struct Factor(U256);

impl FromKeys for Factor {
    fn from_keys(keys: &Keys<'_>) -> Result<Self, SettingsError> {
        Ok(Self(keys.integer("factor")?.map_or(U256::ONE, |factor| U256::from(factor.unsigned_abs()))))
    }
}

impl Plugin for Counted {
    fn configure(settings: &Settings) -> Result<Self, SettingsError> {
        let mechanism = Factor(U256::ONE);
        let shipped =
            Deployment { protocol: "acme".to_owned(), network: NETWORK, market: "main".to_owned(), mechanism };
        let rows = settings.deployments([shipped])?;
        ALIVE.fetch_add(1, Ordering::SeqCst);
        Ok(Self(rows[0].mechanism.0))
    }

    fn catalogue(&self) -> Catalogue {
        catalogue()
    }

    async fn claimables(&self, cx: &JobContext, _: Address) -> Result<Vec<Claimable>, Error> {
        Ok(vec![found(self.0 * value(cx, 1).await?)])
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        ALIVE.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Exported for Counted {
    type Plugin = Self;

    const MANIFEST: Manifest = Manifest::new(&["{}"]);
}

fn with_factor(factor: i64) -> Host<Counted> {
    let keys = vec![SettingsKey { key: "factor".to_owned(), value: SettingsValue::Integer(factor) }];
    let row = SettingsRow { protocol: "acme".to_owned(), chain_id: NETWORK, market: "main".to_owned(), keys };
    let settings = map::Settings { shipped: true, deployments: vec![row], ..map::Settings::default() };
    Host::configured(&codec::encode(&settings)).expect("settings")
}

/// A single test, since several would count each other's instances.
#[test]
fn instances_stand_beside_each_other_and_each_ends_once() {
    let alive = || ALIVE.load(Ordering::SeqCst);
    let hosts = [2, 3, 5].map(with_factor);
    assert_eq!(alive(), 3);
    let actual = hosts.each_ref().map(|host| host.run_to_end().0.numbers());
    assert_eq!(actual, [[2 * 3], [3 * 3], [5 * 3]]);

    let [first, second, third] = hosts;
    drop((first, third));
    assert_eq!(alive(), 1);
    assert_eq!(second.run_to_end().0.numbers(), [9]);

    assert!(Host::<Counted>::configured(b"nonsense").is_err());
    let selftest: map::Selftest = codec::decode(&(module::<Counted>().selftest())()).expect("a selftest");
    assert_eq!(selftest, map::Selftest { ok: true, message: String::new() });
    assert_eq!(alive(), 1);

    jobs_run_beside_each_other_and_move_between_threads(&second);
    drop(second);
    assert_eq!(alive(), 0);
}

fn jobs_run_beside_each_other_and_move_between_threads(host: &Host<Counted>) {
    std::thread::scope(|scope| {
        for reply in 0..4_u64 {
            scope.spawn(move || {
                let mut jobs = [host.start()];
                host.resume(&mut jobs, &[&[]]);
                let moved = std::thread::scope(|inner| inner.spawn(|| host.resume(&mut jobs, &[&[reply]])).join());
                assert_eq!(moved.expect("no panic")[0].numbers(), [3 * reply]);
            });
        }
    });
}
