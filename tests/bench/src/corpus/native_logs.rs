//! Logs of native movements, which truths may have left open: what an event at one of them has to be.
//!
//! They need not be told, as the value of the transaction is told once however many logs it leaves.

use std::collections::BTreeMap;

use serde_json::Value;

use super::files::{Corpus, Expected, NATIVE, OPEN, Row};

const POLYGON: u64 = 137;
const OPTIMISM: u64 = 10;
/// The native token's contract on Polygon, and the token that ether was on Optimism before Bedrock.
const POL: &str = "0x0000000000000000000000000000000000001010";
const OLD_ETHER: &str = "0xdeaddeaddeaddeaddeaddeaddeaddeaddead0000";
/// A member of the metadata, and the argument of the log that it must be.
type Member = (&'static str, &'static str);

/// The log, the contract that alone may write it, the type, and its members.
const LOGS: [(&str, Option<&str>, &str, &[Member]); 3] = [
    ("LogTransfer", Some(POL), "TRANSFER", &[("from", "from"), ("to", "to"), ("amount", "amount")]),
    ("LogFeeTransfer", Some(POL), "GAS", &[("payer", "from"), ("recipient", "to"), ("cost", "amount")]),
    ("SafeReceived", None, "SAFE_RECEIVED", &[("sender", "sender"), ("amount", "value")]),
];

/// Completes the rows of a corpus.
pub(super) fn complete(corpus: &mut Corpus) {
    for mined in &mut corpus.transactions {
        mined.rows.values_mut().for_each(|row| complete_row(mined.chain_id, row));
    }
}

/// Completes a row that expects nothing, if it is of such a log, and gives old ether its name.
fn complete_row(chain_id: u64, row: &mut Row) {
    if chain_id == OPTIMISM && row.tier == "core" && row.contract.eq_ignore_ascii_case(OLD_ETHER) {
        row.asset = Some(NATIVE.to_owned());
    }
    let is_its = |emitter: &Option<&str>| match emitter {
        Some(emitter) => chain_id == POLYGON && row.contract.eq_ignore_ascii_case(emitter),
        None => true,
    };
    let known = LOGS.iter().find(|(event, emitter, ..)| *event == row.event && is_its(emitter));
    let Some((_, _, kind, members)) = known.filter(|_| row.expect.as_ref().is_some_and(Vec::is_empty)) else { return };
    let value = |argument: &str| row.args.get(argument).cloned().unwrap_or(Value::Null);
    let members: BTreeMap<String, Value> =
        members.iter().map(|(member, argument)| ((*member).to_owned(), value(argument))).collect();
    row.expect = Some(vec![Expected { types: vec![(*kind).to_owned()], members }]);
    row.tier = OPEN.to_owned();
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn completed(chain_id: u64, row: &Value) -> Row {
        let mut row: Row = serde_json::from_value(row.clone()).unwrap();
        complete_row(chain_id, &mut row);
        row
    }

    #[test]
    fn a_movement_is_expected_as_its_log_has_it() {
        let fee = json!({"logIndex": 1, "contract": POL, "event": "LogFeeTransfer", "kind": "", "family": "polygon",
            "tier": "bookkeeping", "expect": [], "args": {"from": "0xa", "to": "0xb", "amount": "7"}});
        let row = completed(POLYGON, &fee);
        assert!(row.expects("GAS") && row.tier == OPEN);
        let members = &row.expect.unwrap()[0].members;
        assert_eq!(
            (&members["payer"], &members["recipient"], &members["cost"]),
            (&json!("0xa"), &json!("0xb"), &json!("7"))
        );
        assert!(!completed(1, &fee).expects("GAS"), "only Polygon has that contract");
        let known = json!({"logIndex": 1, "contract": POL, "event": "LogTransfer", "kind": "", "family": "polygon",
            "tier": "protocol", "expect": [{"type": ["SWAP"]}]});
        assert!(completed(POLYGON, &known).expects("SWAP"), "what the truth says stands");
    }

    #[test]
    fn ether_of_optimism_before_bedrock_is_native() {
        let row = json!({"logIndex": 0, "contract": OLD_ETHER, "kind": "TRANSFER", "family": "erc20", "tier": "core"});
        assert_eq!(completed(OPTIMISM, &row).asset.as_deref(), Some(NATIVE));
        assert_eq!(completed(1, &row).asset, None);
    }
}
