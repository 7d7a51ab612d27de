//! What the first answers of a further replica cost the nodes, on the store of others and without one.

use anyhow::{Result, ensure};

use super::traffic;
use super::{Fleet, FleetStage, REPLICAS, Replica};
use crate::Say;
use crate::table::Verdict;
use crate::table::{begin, float, number, row};

pub(crate) fn run(say: Say<'_>, _: &mut Verdict) -> Result<()> {
    let stage = FleetStage::start()?;
    let store = super::store()?;
    let fleet = Fleet::start(&stage, REPLICAS, Some(&store.url()))?;
    traffic::send(fleet.balancer.base, &stage.mix, super::WARM_UP, |_| Ok(()))?;
    begin(
        say,
        "The first answers of a fourth replica",
        &["store", "requests to nodes until it is ready", "until its first whole answers", "found in the store"],
    );
    for (name, url) in [("none", None), ("warm, of three others", Some(store.url()))] {
        let further = Replica::start(&stage.world, url.as_deref(), "")?;
        let ready = further.requests();
        for number in 0..20 {
            let path = stage.mix.path(number);
            let answer = further.gateway.get(&path)?;
            ensure!(answer.status == 200, "{path}: {}", answer.body);
        }
        let found = further.gateway.count("portolan_store_lookups_total{outcome=\"hit\"}")?;
        let all = further.requests();
        row(say, &[name.to_owned(), number(float(ready)), number(float(all)), number(float(found))]);
    }
    Ok(())
}
