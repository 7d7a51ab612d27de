//! A field of a registry's descriptor: which argument it shows, and how.

use alloy::dyn_abi::DynSolType;
use serde_json::{Map, Value};

use super::argument_use::PathStep;
use super::call_signature::{CallParameter, CallSignature};

/// Where a path leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RegistryPath {
    /// A constant, or a value of the transaction.
    Elsewhere,
    /// An argument, or members of it. A slice of bytes is a part of what is there.
    Argument { place: Vec<PathStep>, is_part: bool },
    /// No argument of the function.
    Nowhere,
}

/// A field of a format.
#[derive(Clone, Debug)]
pub(super) struct RegistryField {
    /// As the file has it, with the paths of the groups that it is in.
    pub(super) path: String,
    /// Empty if it has none.
    pub(super) format: String,
    /// The types of address that it allows; all if empty.
    pub(super) types: Vec<String>,
    pub(super) is_hidden: bool,
    /// The values that it requires; empty if it requires none.
    pub(super) must_match: Vec<Value>,
}

impl RegistryField {
    /// Reads the fields of a format, of its groups too, with the definitions that they refer to.
    ///
    /// # Errors
    /// A field is not an object, or refers to a definition that is not there.
    pub(super) fn of_format(format: &Value, definitions: &Value) -> Result<Vec<Self>, String> {
        let mut fields = Vec::new();
        read_fields(format, "", definitions, &mut fields)?;
        // The first version of the format hides paths by listing them.
        let excluded = format["excluded"].as_array().into_iter().flatten().filter_map(Value::as_str);
        fields.extend(excluded.map(|path| Self {
            path: path.to_owned(),
            format: String::new(),
            types: Vec::new(),
            is_hidden: true,
            must_match: Vec::new(),
        }));
        Ok(fields)
    }

    fn of(path: String, own: &Map<String, Value>, shared: &Value) -> Self {
        let member = |name: &str| own.get(name).unwrap_or(&shared[name]);
        let parameter = |name: &str| {
            let own = own.get("params").map(|params| &params[name]).filter(|value| !value.is_null());
            own.unwrap_or(&shared["params"][name])
        };
        let types = parameter("types").as_array().into_iter().flatten().filter_map(Value::as_str);
        let visible = member("visible");
        let must_match = visible["mustMatch"].as_array().or_else(|| visible["mustBe"].as_array());
        Self {
            path,
            format: member("format").as_str().unwrap_or_default().to_owned(),
            types: types.map(str::to_owned).collect(),
            is_hidden: visible == "never" || must_match.is_some(),
            must_match: must_match.cloned().unwrap_or_default(),
        }
    }

    /// Returns where the path leads in a function.
    pub(super) fn place(&self, signature: &CallSignature) -> RegistryPath {
        if self.path.is_empty() || self.path.starts_with(['@', '$']) {
            return RegistryPath::Elsewhere;
        }
        let path = self.path.strip_prefix("#.").unwrap_or(&self.path);
        walked(path, &signature.parameters).unwrap_or(RegistryPath::Nowhere)
    }
}

/// The nesting of groups is bounded by that of the JSON.
fn read_fields(
    group: &Value,
    before: &str,
    definitions: &Value,
    fields: &mut Vec<RegistryField>,
) -> Result<(), String> {
    for field in group["fields"].as_array().into_iter().flatten() {
        let own = field.as_object().ok_or("a field is not an object")?;
        let path = joined(before, field["path"].as_str().unwrap_or_default());
        if own.contains_key("fields") {
            read_fields(field, &path, definitions, fields)?;
            continue;
        }
        let shared = match field["$ref"].as_str() {
            Some(name) => {
                let known = name.strip_prefix("$.display.definitions.").and_then(|name| definitions.get(name));
                known.ok_or("a field refers to a definition that the file does not have")?
            }
            None => &Value::Null,
        };
        fields.push(RegistryField::of(path, own, shared));
    }
    Ok(())
}

/// Joins the path of a group and one in it; one with a root stands alone.
fn joined(before: &str, path: &str) -> String {
    match (before, path) {
        ("", path) => path.to_owned(),
        (before, "") => before.to_owned(),
        (_, path) if path.starts_with(['#', '@', '$']) => path.to_owned(),
        (before, path) => format!("{before}.{path}"),
    }
}

/// Follows a path from the arguments; `None` if it leads nowhere. A list stands for all of its members.
fn walked(path: &str, parameters: &[CallParameter]) -> Option<RegistryPath> {
    let (mut place, mut members, mut is_part) = (Vec::new(), parameters, false);
    let mut kind: Option<&DynSolType> = None;
    let path = path.replace('[', ".[").replace("..", ".");
    for part in path.split('.') {
        if part.starts_with('[') {
            match kind? {
                DynSolType::Array(member) | DynSolType::FixedArray(member, _) => {
                    place.push(PathStep::Each);
                    kind = Some(member);
                }
                DynSolType::Tuple(_) => return None,
                // A slice of bytes, or of the bytes of a number.
                _ => is_part = true,
            }
            continue;
        }
        if !matches!(kind, None | Some(DynSolType::Tuple(_))) {
            return None;
        }
        let (index, member) = members.iter().enumerate().find(|(_, member)| member.name == part)?;
        place.push(PathStep::Member(index));
        (kind, members) = (Some(&member.kind), &member.members);
    }
    while let Some(DynSolType::Array(member) | DynSolType::FixedArray(member, _)) = kind {
        place.push(PathStep::Each);
        kind = Some(member);
    }
    Some(RegistryPath::Argument { place, is_part })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn fields(format: &Value, definitions: &Value) -> Vec<RegistryField> {
        RegistryField::of_format(format, definitions).unwrap()
    }

    #[test]
    fn paths_lead_to_arguments_members_and_elsewhere() {
        let signature = "f(address to,(uint256 id,(address token,bytes data)[] paid)[2] all,uint256[][] numbers)";
        let signature = CallSignature::parse(signature).unwrap();
        let place = |path: &str| fields(&json!({"fields": [{"path": path}]}), &json!({}))[0].place(&signature);
        let argument = |place: &[PathStep], is_part| RegistryPath::Argument { place: place.to_vec(), is_part };
        let (each, member) = (PathStep::Each, PathStep::Member);
        for path in ["to", "#.to"] {
            assert_eq!(place(path), argument(&[member(0)], false), "{path}");
        }
        for path in ["numbers", "numbers.[]", "numbers.[].[]", "numbers[0].[-1]", "#.numbers.[0:2]"] {
            assert_eq!(place(path), argument(&[member(2), each, each], false), "{path}");
        }
        assert_eq!(place("all.[].id"), argument(&[member(1), each, member(0)], false));
        assert_eq!(place("all"), argument(&[member(1), each], false));
        let token = [member(1), each, member(1), each, member(0)];
        assert_eq!(place("all.[0].paid.[].token"), argument(&token, false));
        assert_eq!(place("all.[].paid.[].data.[:20]"), argument(&[&token[..4], &[member(1)]].concat(), true));
        assert_eq!(place("to.[-20:]"), argument(&[member(0)], true));
        for path in ["@.value", "$.metadata.constants.x", ""] {
            assert_eq!(place(path), RegistryPath::Elsewhere, "{path}");
        }
        for path in ["from", "to.x", "all.id", "all.[].[]", "[]", "#.", "numbers.x", "to..x"] {
            assert_eq!(place(path), RegistryPath::Nowhere, "{path}");
        }
    }

    #[test]
    fn fields_have_what_their_groups_and_definitions_say() {
        let definitions = json!({"to": {"format": "addressName", "params": {"types": ["eoa"]}, "visible": "always"}});
        let format = json!({
            "fields": [
                {"path": "all.[]", "fields": [{"path": "id", "format": "raw"}, {"path": "#.x", "visible": "never"}]},
                {"path": "to", "$ref": "$.display.definitions.to"},
                {"path": "by", "$ref": "$.display.definitions.to", "params": {"types": ["token"]}, "visible": "never"},
                {"path": "n", "visible": {"mustMatch": [0]}},
            ],
            "excluded": ["proof"],
        });
        let read = fields(&format, &definitions);
        let shown = |field: &RegistryField| {
            format!("{} {} {} {}", field.path, field.format, field.types.join(","), field.is_hidden)
        };
        let expected = [
            "all.[].id raw  false",
            "#.x   true",
            "to addressName eoa false",
            "by addressName token true",
            "n   true",
            "proof   true",
        ];
        assert_eq!(read.iter().map(shown).collect::<Vec<_>>(), expected);
        assert_eq!(read[4].must_match, [json!(0)]);
        for wrong in [json!({"fields": [1]}), json!({"fields": [{"path": "a", "$ref": "$.display.definitions.b"}]})] {
            assert!(RegistryField::of_format(&wrong, &definitions).is_err(), "{wrong}");
        }
    }
}
