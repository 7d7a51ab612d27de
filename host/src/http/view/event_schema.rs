//! Schemas of events, one for each type.
//!
//! Invariant: the types and their members are those of the vocabulary (`portolan_events`).

use portolan_events::{Class, KINDS, member_class};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};

use super::events::{AssetView, EventView, RemoteView, Whole};
use super::parts::{Number, TokenView};
use super::schema::{AddressText, Digits, Hash32};

const PATH: &str = "#/components/schemas/";

/// Adds the schemas of all events to the generator's, and returns the one that stands for any of them.
pub(super) fn register(generator: &mut SchemaGenerator) -> Schema {
    if !generator.definitions().contains_key("Event") {
        let further = further(generator);
        let cases: Vec<(String, String, Value)> = KINDS
            .iter()
            .map(|(name, members)| (name, *members))
            .map(|(kind, members)| (kind.to_string(), type_name(kind), of_kind(kind, members, generator)))
            .collect();
        let any = any_of(&cases);
        let definitions = generator.definitions_mut();
        definitions.insert("EventMember".to_owned(), further.to_value());
        definitions.extend(cases.into_iter().map(|(_, name, schema)| (name, schema)));
        definitions.insert("Event".to_owned(), any);
    }
    reference("Event")
}

fn any_of(cases: &[(String, String, Value)]) -> Value {
    let each: Vec<Value> = cases.iter().map(|(_, name, _)| reference(name).to_value()).collect();
    let mapping: Map<String, Value> =
        cases.iter().map(|(kind, name, _)| (kind.clone(), format!("{PATH}{name}").into())).collect();
    json!({
        "description": "An event of a transaction, by its type. More types may follow.",
        "oneOf": each,
        "discriminator": {"propertyName": "type", "mapping": mapping},
    })
}

/// Returns the schema of a type: that of every event, with the type's name and members.
fn of_kind(kind: &str, members: &[&str], generator: &mut SchemaGenerator) -> Value {
    let mut schema = EventView::json_schema(generator).to_value();
    let metadata = metadata(members, generator);
    schema["description"] = format!("An event of the type `{kind}`.").into();
    schema["properties"]["type"] = json!({"type": "string", "const": kind, "description": "The type."});
    schema["properties"]["metadata"] = metadata;
    schema
}

fn metadata(members: &[&str], generator: &mut SchemaGenerator) -> Value {
    let mut properties = Map::new();
    for name in members {
        let Some(class) = member_class(name) else { continue };
        let nullable = json!({"anyOf": [of_class(class, generator), {"type": "null"}]});
        properties.insert((*name).to_owned(), nullable);
        if matches!(class, Class::Amount(_)) {
            properties.insert(format!("{name}Raw"), generator.subschema_for::<Digits>().to_value());
        }
    }
    json!({
        "type": "object",
        "description": "The members of the type; null if they are not known. Further members may follow.",
        "properties": properties,
        "required": members,
        "additionalProperties": reference("EventMember"),
    })
}

/// Returns the schema of members that a type need not have.
fn further(generator: &mut SchemaGenerator) -> Schema {
    let classes =
        [Class::Token, Class::Amount(None), Class::Assets, Class::Flag, Class::Text, Class::Seconds, Class::Network];
    let each: Vec<Schema> = classes.into_iter().map(|class| of_class(class, generator)).collect();
    json_schema!({"description": "A further member of an event.", "anyOf": each})
}

fn of_class(class: Class, generator: &mut SchemaGenerator) -> Schema {
    match class {
        Class::Address => generator.subschema_for::<AddressText>(),
        Class::Token => generator.subschema_for::<TokenView<'_>>(),
        Class::Amount(_) => generator.subschema_for::<Number>(),
        Class::Assets => generator.subschema_for::<Vec<AssetView>>(),
        Class::Number => generator.subschema_for::<Digits>(),
        Class::Pool => {
            let cases = [generator.subschema_for::<AddressText>(), generator.subschema_for::<Hash32>()];
            json_schema!({"anyOf": cases.to_vec()})
        }
        Class::Word => generator.subschema_for::<Hash32>(),
        Class::Flag => generator.subschema_for::<bool>(),
        Class::Text => generator.subschema_for::<String>(),
        Class::Seconds => generator.subschema_for::<Whole>(),
        Class::Network => generator.subschema_for::<RemoteView<'_>>(),
    }
}

fn reference(name: &str) -> Schema {
    json_schema!({"$ref": format!("{PATH}{name}")})
}

/// Returns the name of a type's schema: `TransferEvent` for `TRANSFER`.
fn type_name(kind: &str) -> String {
    let capital =
        |word: &str| word.get(..1).unwrap_or_default().to_owned() + &word.get(1..).unwrap_or_default().to_lowercase();
    kind.split('_').map(capital).collect::<String>() + "Event"
}
