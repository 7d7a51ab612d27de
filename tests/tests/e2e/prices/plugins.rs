//! Dollar values and rates of all plugins' rows: amount × price, whichever source the price is from.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Result, bail};
use portolan_tests::build;
use portolan_tests::gateway::{Gateway, Setup};
use portolan_tests::json::Json;
use portolan_tests::price_service::{Answer, PriceService, coin};
use portolan_tests::protocol::{PLUGINS, Question};
use portolan_tests::truth::{self, ACCOUNTS, Detail};
use portolan_tests::wait;
use portolan_tests::world::World;

const PRICED_WITHIN: Duration = Duration::from_secs(30);

/// Everything that the chains' build has a price of, as the service returns it.
fn coins(world: &World) -> BTreeMap<String, String> {
    let mut coins = BTreeMap::new();
    for (_, truth) in &world.chains {
        for (token, price) in truth.prices().unwrap() {
            // Some tokens are in no answer.
            let Ok(decimals) = truth.decimals(token) else { continue };
            coins.insert(format!("{}:{token}", truth.network), coin(price, decimals));
        }
    }
    coins
}

fn faults(gateway: &Gateway, world: &World, who: &str, slug: &str, question: Question) -> Result<Vec<String>> {
    let path = question.path(slug, world.address(who)?);
    let response = gateway.get(&format!("{path}?detail=full"))?;
    let full = response.json()?;
    let items = full.at("items")?;
    for row in items.items()?.iter().filter(|row| row.get("priceSource").is_some()) {
        if *row.at("priceSource")? != Json::Null && row.text_at("priceSource")? == "static" {
            bail!("nobody states a price: {row}");
        }
    }
    let detail = if question == Question::Lending { Detail::Full } else { Detail::Plain };
    truth::faults(&truth::plain(items)?, &world.answer(who, question, slug, detail)?)
}

#[test]
fn dollar_values_and_rates_are_amount_times_price_when_a_service_reports_the_prices() {
    let world = World::start().unwrap();
    let service = PriceService::start(Answer::Coins(coins(&world))).unwrap();
    let built = build::built().unwrap();
    let placed = world.placed().unwrap();
    let mut setup = Setup::default().config("[tokens]\nshipped = false").config(&service.config());
    for plugin in &PLUGINS {
        let slugs: Vec<&str> =
            placed.iter().filter(|placed| placed.plugin == plugin.name).map(|placed| placed.slug.as_str()).collect();
        let settings = world.settings(plugin).unwrap();
        setup = setup.plugin(&built.plugin(plugin.file), &slugs).settings(plugin.name, &settings);
    }
    let gateway = world.on_chains(setup).start().unwrap();
    for who in ACCOUNTS {
        for slug in world.slugs().unwrap() {
            for question in Question::ALL {
                // The first request may not wait for the service as long as a busy machine takes.
                let look = || match faults(&gateway, &world, who, &slug, question)?.as_slice() {
                    [] => Ok(()),
                    wrong => bail!("{question:?} of {who} in {slug}:\n{}", wrong.join("\n")),
                };
                wait::until("the prices", PRICED_WITHIN, look).unwrap();
            }
        }
    }
}
