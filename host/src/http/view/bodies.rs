//! Schemas of whole bodies, by endpoint.
//!
//! Invariant: each describes what [`super::write`] writes, with and without `detail=full`.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::account_answer::AccountAnswerView;
use super::account_effects::AccountEffectsView;
use super::approvals::AllowanceView;
use super::claim_plan::ClaimPlanView;
use super::clear_signing::ClearSigningView;
use super::coverage::CoverageView;
use super::events::{LogView, UndecodedView};
use super::names::NameView;
use super::parts::{NetworkEntry, ProtocolView};
use super::portfolio::PortfolioView;
use super::positions::PositionView;
use super::report::Report;
use super::rows::{BalanceView, ClaimableView, FarmingView, LendingView};
use super::{event_schema, problem};
use crate::paths::Endpoint;

/// Returns the schema of an endpoint's body; `None` if it is not one of rows.
pub(in crate::http) fn schema(endpoint: Endpoint, generator: &mut SchemaGenerator) -> Option<Schema> {
    Some(match endpoint {
        Endpoint::Networks => list::<NetworkEntry<'_>>(generator),
        Endpoint::Protocols => list::<ProtocolView<'_>>(generator),
        Endpoint::Coverage => list::<CoverageView<'_>>(generator),
        Endpoint::ClearSigning => list::<ClearSigningView<'_>>(generator),
        Endpoint::AllClaimables | Endpoint::Claimables => list::<ClaimableView<'_>>(generator),
        Endpoint::ClaimablesOfAccounts | Endpoint::PositionsOfAccounts => list::<AccountAnswerView<'_>>(generator),
        Endpoint::AllPositions => single::<PortfolioView<'_>>(generator),
        Endpoint::ClaimPlan | Endpoint::RevokePlan => single::<ClaimPlanView<'_>>(generator),
        Endpoint::AddressOfName | Endpoint::NameOfAccount => single::<NameView<'_>>(generator),
        Endpoint::Events => events(generator),
        Endpoint::NativeBalance => single_or_list::<BalanceView<'_>>(generator),
        Endpoint::TokenBalances => list::<BalanceView<'_>>(generator),
        Endpoint::Approvals => list::<AllowanceView<'_>>(generator),
        Endpoint::Farming => list::<FarmingView<'_>>(generator),
        Endpoint::Lending => list::<LendingView<'_>>(generator),
        Endpoint::Borrowing | Endpoint::Pooling | Endpoint::Locked => list::<PositionView<'_>>(generator),
        Endpoint::ProtocolLogo | Endpoint::Description | Endpoint::Watch => return None,
        Endpoint::Explorer | Endpoint::Docs | Endpoint::Problems | Endpoint::LlmsTxt => return None,
    })
}

/// Returns the schema of a problem document.
pub(in crate::http) fn problem_schema(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<problem::Document<'_>>()
}

fn list<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    let item = generator.subschema_for::<T>();
    either([array(&item), full(&item, generator)])
}

/// One object; with a report, it is the only member of `items`.
fn single<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    let item = generator.subschema_for::<T>();
    either([item.clone(), full(&item, generator)])
}

fn single_or_list<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    let item = generator.subschema_for::<T>();
    either([item.clone(), array(&item), full(&item, generator)])
}

fn events(generator: &mut SchemaGenerator) -> Schema {
    let (event, account) = (event_schema::register(generator), generator.subschema_for::<AccountEffectsView<'_>>());
    let (log, undecoded) = (generator.subschema_for::<LogView<'_>>(), generator.subschema_for::<UndecodedView>());
    let of_account = json_schema!({
        "type": "object",
        "description": "The answer with `account=`.",
        "properties": {"account": account.clone(), "items": array(&event)},
        "required": ["account", "items"],
    });
    let mut full = full(&event, generator);
    for (name, schema) in [
        ("account", account),
        ("logs", described(array(&log), "The logs that the events refer to.")),
        ("repeated", described(array(&event), "Events that only repeat what an item reports.")),
        ("undecoded", described(array(&undecoded), "Logs without an event.")),
    ] {
        if let Some(properties) = full.pointer_mut("/properties").and_then(|properties| properties.as_object_mut()) {
            properties.insert(name.to_owned(), schema.to_value());
        }
        if let Some(required) = full.pointer_mut("/required").and_then(|required| required.as_array_mut()) {
            required.extend((name != "account").then(|| name.into()));
        }
    }
    either([array(&event), of_account, full])
}

/// The body with `detail=full`.
fn full(item: &Schema, generator: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "object",
        "description": "The answer with `detail=full`.",
        "properties": {"items": array(item), "report": generator.subschema_for::<Report<'_>>()},
        "required": ["items", "report"],
    })
}

fn array(item: &Schema) -> Schema {
    json_schema!({"type": "array", "items": item})
}

fn described(mut schema: Schema, about: &str) -> Schema {
    schema.insert("description".to_owned(), about.into());
    schema
}

fn either<const CASES: usize>(cases: [Schema; CASES]) -> Schema {
    json_schema!({"anyOf": cases.to_vec()})
}
