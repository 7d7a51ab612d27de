//! Functions that the table of claim functions binds to contracts: the contracts are those of the rows that ship.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use portolan_kits::cooldown_locks::CooldownLocksKit;
use portolan_kits::epoch_locks::EpochLocksKit;
use portolan_kits::fund_shares::FundSharesKit;
use portolan_kits::kit::Kit;
use portolan_kits::pendle_locks::PendleLocksKit;
use portolan_kits::token_lockers::TokenLockersKit;
use portolan_kits::unstake_cooldowns::UnstakeCooldownsKit;
use portolan_kits::weekly_locks::WeeklyLocksKit;
use portolan_kits::withdraw_requests::WithdrawRequestsKit;
use portolan_plugin_api::testing::map::{SettingsKey, SettingsRow};
use portolan_plugin_api::{Settings, SettingsValue};
use portolan_tests::fork::claim_functions;
use toml::{Table, Value};

use crate::rows::{PLACE, rows};
use crate::{assert_none, plugins, relative, sources};

/// The kits that claim by bound functions.
const KITS: &[&dyn Kit] = &[
    &CooldownLocksKit { lock: "lock" },
    &EpochLocksKit { lock: "lock" },
    &FundSharesKit { share: "share", redemption: "redemption" },
    &PendleLocksKit { lock: "lock", stake: "stake" },
    &TokenLockersKit { lock: "lock" },
    &UnstakeCooldownsKit { cooldown: "cooldown" },
    &WeeklyLocksKit { lock: "lock" },
    &WithdrawRequestsKit { request: "request" },
];

/// The contracts of each function, by its signature.
type Contracts = BTreeMap<String, BTreeSet<String>>;

/// Returns the contracts of the table. Its functions have a word after each type, and all types are plain.
fn in_table() -> Contracts {
    let types = |call: &str| {
        let (name, arguments) = call.trim_end_matches(')').split_once('(').unwrap();
        let types: Vec<_> = arguments.split(", ").map(|argument| argument.split(' ').next().unwrap()).collect();
        format!("{name}({})", types.join(","))
    };
    claim_functions::bound().unwrap().into_iter().map(|(call, contracts)| (types(&call), contracts)).collect()
}

fn value(value: &Value) -> SettingsValue {
    match value {
        Value::String(text) => SettingsValue::Text(text.clone()),
        Value::Integer(number) => SettingsValue::Integer(*number),
        Value::Boolean(flag) => SettingsValue::Bool(*flag),
        Value::Array(values) => SettingsValue::List(values.iter().map(self::value).collect()),
        other => panic!("a row has {other}"),
    }
}

/// Returns the contracts that the claims of a row go to by bound functions.
fn of_row(row: &Table) -> Contracts {
    let keys = row.iter().filter(|(key, _)| !PLACE.contains(&key.as_str()));
    let keys = keys.map(|(key, of_key)| SettingsKey { key: key.clone(), value: value(of_key) });
    let (protocol, market) = ("acme".to_owned(), "main".to_owned());
    let row = SettingsRow { protocol, chain_id: 1, market, keys: keys.collect() };
    let claims = RefCell::new(Contracts::new());
    let read = |keys: &portolan_plugin_api::Keys<'_>| {
        let is_its = |kit: &&&dyn Kit| kit.keys().iter().any(|key| keys.has(key));
        let Some(kit) = KITS.iter().find(is_its) else { panic!("no kit of {keys:?}") };
        let contracts = kit.read(keys)?.unwrap();
        for (signature, contracts) in contracts.bound_claims() {
            let contracts = contracts.iter().map(|contract| format!("{contract:#x}"));
            claims.borrow_mut().entry(signature.to_owned()).or_default().extend(contracts);
        }
        Ok(())
    };
    Settings::from_rows(false, Vec::new(), vec![row]).deployments_by([], read).unwrap();
    claims.into_inner()
}

#[test]
fn bound_functions_are_bound_to_the_contracts_of_the_rows() {
    let table = in_table();
    let (mut claimed, mut missing) = (Contracts::new(), Vec::new());
    for plugin in plugins() {
        let is_of_kits = |row: &Table| KITS.iter().any(|kit| kit.keys().iter().any(|key| row.contains_key(*key)));
        for row in rows(&plugin).into_iter().filter(is_of_kits) {
            for (signature, contracts) in of_row(&row) {
                let listed = table.get(&signature).cloned().unwrap_or_default();
                let unlisted = contracts.difference(&listed);
                let at = format!("{}, {} on {}", relative(&plugin), row["protocol"], row["network"]);
                missing.extend(unlisted.map(|contract| {
                    format!(
                        "{at}: claims by {signature} go to {contract}: add it to the function's contracts in \
                         plugin-api/validation/claim-functions.toml, once its code is read"
                    )
                }));
                claimed.entry(signature).or_default().extend(contracts);
            }
        }
    }
    assert_none("claims that a gateway would leave out", missing.into_iter());
    assert_eq!(claimed, table, "the table names contracts that no row has");
}

#[test]
fn the_rows_of_every_kit_with_bound_claims_are_compared() {
    let is_one = |source: &str| source.contains("fn bound_claims(&self)") && source.contains("impl Kit for ");
    let kits = sources().into_iter().filter(|(path, source)| path.starts_with("plugins/kits/src/") && is_one(source));
    let names: Vec<String> = KITS.iter().map(|kit| format!("{kit:?}")).collect();
    let is_missing = |source: &str| names.iter().all(|name| !source.contains(&format!("impl Kit for {}", word(name))));
    assert_none("kits that are not compared", kits.filter(|(_, source)| is_missing(source)).map(|(path, _)| path));
}

/// Returns the type's name of a value that is shown for programmers.
fn word(shown: &str) -> &str {
    shown.split([' ', '(']).next().unwrap_or_default()
}
