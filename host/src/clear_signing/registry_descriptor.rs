//! A descriptor of a registry (ERC-7730), as far as it is about calls.
//!
//! Invariant: the file is read up to a bound, and nothing that it names is opened.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use alloy::hex;
use alloy::primitives::{Address, Selector};
use portolan_base::sanitize;
use serde_json::Value;

use super::call_signature::CallSignature;
use super::registry_field::RegistryField;

/// Ten times the largest file of the public registry.
const FILE_BYTES_MAX: u64 = 4 << 20;
/// Characters of a key or an intent that are shown.
const CHARS_MAX: usize = 200;

/// A registry's descriptor of a contract.
#[derive(Clone, Debug)]
pub(crate) struct RegistryDescriptor {
    /// The file as it was named.
    pub(super) file: String,
    /// Contracts with their chain ids; empty if it binds to contracts in another way.
    pub(super) contracts: BTreeSet<(u64, Address)>,
    pub(super) formats: BTreeMap<Selector, RegistryFormat>,
}

/// The format of a function.
#[derive(Clone, Debug)]
pub(super) struct RegistryFormat {
    /// The key, cleaned.
    pub(super) key: String,
    /// What it says of the call, cleaned.
    pub(super) intent: String,
    /// `None` if the key is a selector, and no ABI has its function.
    pub(super) signature: Option<CallSignature>,
    pub(super) fields: Vec<RegistryField>,
}

/// Reason why a file is not compared.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RegistryDescriptorError {
    #[error(transparent)]
    Unread(#[from] io::Error),
    #[error("has more than {} MiB", FILE_BYTES_MAX >> 20)]
    TooLarge,
    #[error("is not JSON: {0}")]
    Json(#[from] serde_json::Error),
    #[error("is not a descriptor of ERC-7730: {0}")]
    Form(String),
    #[error("includes another file, which is not opened: merge the two first")]
    Includes,
}

impl RegistryDescriptor {
    /// Reads a file.
    ///
    /// # Errors
    /// It cannot be read, or is not a descriptor of calls that stands alone.
    pub(crate) fn read(path: &Path) -> Result<Self, RegistryDescriptorError> {
        let file = File::open(path)?;
        if !file.metadata()?.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "is not a file").into());
        }
        let mut text = String::new();
        file.take(FILE_BYTES_MAX + 1).read_to_string(&mut text)?;
        if text.len() as u64 > FILE_BYTES_MAX {
            return Err(RegistryDescriptorError::TooLarge);
        }
        Self::parse(&path.display().to_string(), &text)
    }

    /// Parses a descriptor.
    ///
    /// # Errors
    /// It is not a descriptor of calls that stands alone.
    pub(super) fn parse(file: &str, text: &str) -> Result<Self, RegistryDescriptorError> {
        let document: Value = serde_json::from_str(text)?;
        let wrong = |reason: &str| RegistryDescriptorError::Form(reason.to_owned());
        if document.get("includes").is_some() {
            return Err(RegistryDescriptorError::Includes);
        }
        let contract = document.pointer("/context/contract").filter(|contract| contract.is_object());
        let contract = contract.ok_or_else(|| wrong("it has no context.contract, so it is not about calls"))?;
        let formats = document.pointer("/display/formats").and_then(Value::as_object);
        let formats = formats.ok_or_else(|| wrong("it has no object display.formats"))?;
        let (abi, definitions) = (functions(&contract["abi"]), &document["display"]["definitions"]);
        let mut read = BTreeMap::new();
        for (key, format) in formats {
            let shown = sanitize::cut(key, CHARS_MAX);
            let (selector, signature) =
                named(key, &abi).ok_or_else(|| wrong(&format!("{shown:?} is not a function or a selector")))?;
            let fields = RegistryField::of_format(format, definitions)
                .map_err(|reason| wrong(&format!("{shown:?}: {reason}")))?;
            let format = RegistryFormat { key: shown.clone(), intent: intent(format), signature, fields };
            if read.insert(selector, format).is_some() {
                return Err(wrong(&format!("{shown:?} is the second format of a function")));
            }
        }
        let contracts = contracts(&contract["deployments"]).map_err(|reason| wrong(&reason))?;
        Ok(Self { file: file.to_owned(), contracts, formats: read })
    }
}

/// Returns the intent as one text.
fn intent(format: &Value) -> String {
    let text = match &format["intent"] {
        Value::String(text) => text.clone(),
        Value::Object(parts) => {
            let parts = parts.iter().map(|(name, text)| format!("{name}: {}", text.as_str().unwrap_or_default()));
            parts.collect::<Vec<_>>().join(", ")
        }
        _ => String::new(),
    };
    sanitize::cut(&text, CHARS_MAX)
}

/// Returns the function that a key of `display.formats` names. One without names of parameters gets those of the ABI.
fn named(key: &str, abi: &BTreeMap<Selector, CallSignature>) -> Option<(Selector, Option<CallSignature>)> {
    if let Some(digits) = key.strip_prefix("0x") {
        let selector = Selector::from(hex::decode_to_array::<_, 4>(digits).ok()?);
        return Some((selector, abi.get(&selector).cloned()));
    }
    let signature = CallSignature::parse(key)?;
    let selector = signature.selector();
    let is_named = signature.parameters.iter().all(|parameter| !parameter.name.is_empty());
    let signature = if is_named { signature } else { abi.get(&selector).cloned().unwrap_or(signature) };
    Some((selector, Some(signature)))
}

/// Returns the functions of an ABI that is in the file; an address of one elsewhere is not opened.
fn functions(abi: &Value) -> BTreeMap<Selector, CallSignature> {
    let functions = abi.as_array().into_iter().flatten().filter(|entry| entry["type"] == "function");
    let signatures = functions.filter_map(|entry| {
        let name = entry["name"].as_str()?;
        CallSignature::parse(&format!("{name}({})", inputs(&entry["inputs"])))
    });
    signatures.map(|signature| (signature.selector(), signature)).collect()
}

/// Writes inputs of an ABI as parameters of a signature.
fn inputs(of: &Value) -> String {
    let written = of.as_array().into_iter().flatten().map(|input| {
        let (kind, name) = (input["type"].as_str().unwrap_or_default(), input["name"].as_str().unwrap_or_default());
        match kind.strip_prefix("tuple") {
            Some(dimensions) => format!("({}){dimensions} {name}", inputs(&input["components"])),
            None => format!("{kind} {name}"),
        }
    });
    written.collect::<Vec<_>>().join(",")
}

fn contracts(deployments: &Value) -> Result<BTreeSet<(u64, Address)>, String> {
    let contract = |deployment: &Value| {
        let address = deployment["address"].as_str().and_then(|address| address.parse::<Address>().ok());
        let contract = deployment["chainId"].as_u64().zip(address);
        contract.ok_or_else(|| "a deployment has no chainId and address".to_owned())
    };
    deployments.as_array().into_iter().flatten().map(contract).collect()
}

#[cfg(test)]
mod tests {
    use alloy::primitives::address;
    use serde_json::json;

    use super::*;

    fn document(formats: &Value) -> Value {
        json!({
            "context": {"contract": {
                "deployments": [{"chainId": 1, "address": "0x889edC2eDab5f40e902b864aD4d7AdE8E412F9B1"}],
            }},
            "display": {"formats": formats},
        })
    }

    fn refused(document: &Value) -> String {
        RegistryDescriptor::parse("a.json", &document.to_string()).unwrap_err().to_string()
    }

    #[test]
    fn functions_are_named_by_signatures_and_selectors() {
        let mut document = document(&json!({
            "claimWithdrawal(uint256 _requestId)": {"intent": "Claim withdrawal", "fields": []},
            "getReward(address)": {"intent": {"Rewards": "Claim"}, "fields": [{"path": "account"}]},
            "0x3d18b912": {"fields": []},
        }));
        document["context"]["contract"]["abi"] = json!([
            {"type": "function", "name": "getReward", "inputs": [{"type": "address", "name": "account"}]},
            {"type": "event", "name": "x"},
        ]);
        let read = RegistryDescriptor::parse("a.json", &document.to_string()).unwrap();
        assert_eq!(read.contracts, [(1, address!("889edC2eDab5f40e902b864aD4d7AdE8E412F9B1"))].into());
        let found = |selector: [u8; 4]| &read.formats[&Selector::from(selector)];
        // claimWithdrawal(uint256), as the public registry has it in the data of its tests.
        assert_eq!(found([0xf8, 0x44, 0x44, 0x36]).intent, "Claim withdrawal");
        let reward = found([0xc0, 0x00, 0x07, 0xb0]);
        assert_eq!((reward.key.as_str(), reward.intent.as_str()), ("getReward(address)", "Rewards: Claim"));
        assert_eq!(reward.signature.as_ref().unwrap().key(), "getReward(address account)");
        assert!(found([0x3d, 0x18, 0xb9, 0x12]).signature.is_none());
    }

    #[test]
    fn what_is_not_a_descriptor_of_calls_is_refused_in_one_line() {
        let mut includes = document(&json!({}));
        includes["includes"] = json!("https://other.example/erc20.json");
        let mut wrong = document(&json!({}));
        wrong["context"]["contract"]["deployments"][0]["address"] = json!("0x12");
        let twice = json!({"f(uint256 a)": {}, "f(uint256 b)": {}});
        for (document, reason) in [
            (includes, "includes another file"),
            (wrong, "a deployment has no chainId and address"),
            (json!({"context": {"eip712": {}}, "display": {"formats": {}}}), "no context.contract"),
            (json!({"context": {"contract": {}}}), "no object display.formats"),
            (json!([]), "no context.contract"),
            (document(&twice), "the second format of a function"),
            (document(&json!({"\u{202e}f(": {}})), "is not a function or a selector"),
            (document(&json!({"0x3d18b9": {}})), "is not a function or a selector"),
            (document(&json!({"f(uint256 a)": {"fields": [1]}})), "a field is not an object"),
        ] {
            let error = refused(&document);
            assert!(error.contains(reason) && !error.contains(['\n', '\u{202e}']), "{error}");
        }
        assert!(RegistryDescriptor::parse("a", "{").unwrap_err().to_string().starts_with("is not JSON"));
        let deep = "[".repeat(100_000);
        assert!(RegistryDescriptor::parse("a", &deep).unwrap_err().to_string().starts_with("is not JSON"));
    }

    #[test]
    fn a_file_that_is_too_large_or_not_there_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let large = folder.path().join("large.json");
        File::create(&large).unwrap().set_len(FILE_BYTES_MAX + 1).unwrap();
        assert!(matches!(RegistryDescriptor::read(&large), Err(RegistryDescriptorError::TooLarge)));
        for path in [folder.path(), &folder.path().join("none.json")] {
            assert!(matches!(RegistryDescriptor::read(path), Err(RegistryDescriptorError::Unread(_))));
        }
    }
}
