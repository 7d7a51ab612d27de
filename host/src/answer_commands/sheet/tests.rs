//! Rows and columns of small documents that have the members of real ones.

use super::*;

/// The cells of the main sheet's table.
fn shown(topic: Topic, documents: &[Value]) -> Vec<Vec<String>> {
    sheets(topic, false, documents).unwrap()[0].table().1.collect()
}

fn exact(topic: Topic, document: Value) -> Vec<Vec<String>> {
    sheets(topic, false, &[document]).unwrap()[0].cells().1.collect()
}

fn claimable() -> Value {
    json!({
        "id": "row", "claimId": "claim", "name": "PLN0 reward", "protocol": {"slug": "quickswap"},
        "network": {"name": "POLYGON", "chainId": 137}, "amount": "0.000000000000000001",
        "dollarValue": "0.0000000000000000000231", "netDollarValue": null, "simulated": "paid",
        "token": {"symbol": "QUICK", "address": "0xb5", "decimals": 18},
    })
}

#[test]
fn amounts_are_exact_and_only_tables_round_dollars() {
    let table = shown(Topic::Claimables, &[json!([claimable()])]);
    let row = ["quickswap", "POLYGON", "PLN0 reward", "0.000000000000000001", "QUICK", "<0.01", "", "paid"];
    assert_eq!(table, [row]);
    let csv = exact(Topic::Claimables, json!({"items": [claimable()], "report": {}}));
    assert_eq!(csv[0][3..9], ["0.000000000000000001", "QUICK", "0.0000000000000000000231", "", "", "paid"]);
    assert_eq!(csv[0][11..], ["137", "0xb5", "18", "claim", "row"]);
}

#[test]
fn another_currency_has_a_column_where_it_is_requested() {
    let mut row = claimable();
    row["inCurrency"] = json!({"value": "12.345", "netValue": null});
    let sheet = &sheets(Topic::Claimables, false, &[json!([row])]).unwrap()[0];
    let (heads, rows) = sheet.table();
    let place = heads.iter().position(|column| column.head == "inCurrency").unwrap();
    assert_eq!(rows.map(|row| row[place].clone()).collect::<Vec<_>>(), ["12.35"]);
    assert!(sheets(Topic::Claimables, false, &[json!([claimable()])]).unwrap()[0].table().0.len() == heads.len() - 1);
}

#[test]
fn rows_of_several_accounts_begin_with_their_account() {
    let entries = json!([
        {"account": "0x01", "names": ["a.eth"], "answer": [claimable()], "partial": null},
        {"account": "0x02", "answer": [claimable(), claimable()], "partial": null},
        {"account": "0x03", "answer": null, "partial": "*/polygon;reason=upstream"},
    ]);
    for document in [entries.clone(), json!({"items": entries, "report": {}})] {
        let sheets = sheets(Topic::Claimables, true, &[document]).unwrap();
        let (mut heads, rows) = sheets[0].cells();
        assert_eq!(heads.next(), Some("account"));
        let accounts: Vec<String> = rows.map(|row| row[0].clone()).collect();
        assert_eq!(accounts, ["a.eth", "0x02", "0x02"]);
    }
}

#[test]
fn dollars_are_rounded_to_cents() {
    let cases = [
        ("0", "0.00"),
        ("0.004", "<0.01"),
        ("0.005", "0.01"),
        ("12.345", "12.35"),
        ("-1.239", "-1.24"),
        ("123456789.999", "123456790.00"),
        ("", ""),
        ("?", "?"),
    ];
    for (exact, expected) in cases {
        assert_eq!(cents(exact), expected, "{exact}");
    }
}

#[test]
fn each_leg_of_a_position_is_a_row() {
    let leg = |role: &str, amount: &str| json!({"role": role, "amount": amount, "token": {"symbol": "T"}, "dollarValue": "1"});
    let position = json!({"name": "P", "network": {"name": "POLYGON"}, "kind": "lent", "legs": [leg("supplied", "2"), leg("borrowed", "3")]});
    let bare = json!({"name": "Q", "network": {"name": "POLYGON"}, "kind": "locked", "legs": []});
    let portfolio = json!({
        "totals": {"assets": "5", "debts": "3", "net": "2", "claimable": null, "unpriced": 0, "untried": null},
        "protocols": [{"protocol": {"slug": "aave_v3"}, "positions": [position, bare]}],
    });
    for document in [portfolio.clone(), json!({"items": [portfolio], "report": {}})] {
        let rows = shown(Topic::Positions, std::slice::from_ref(&document));
        assert_eq!(
            rows,
            [
                ["aave_v3", "POLYGON", "P", "lent", "supplied", "2", "T", "1.00"],
                ["aave_v3", "POLYGON", "P", "lent", "borrowed", "3", "T", "1.00"],
                ["aave_v3", "POLYGON", "Q", "locked", "", "", "", ""],
            ]
        );
        let totals: Vec<Vec<String>> = sheets(Topic::Positions, false, &[document]).unwrap()[1].table().1.collect();
        assert_eq!(totals, [["5.00", "3.00", "2.00", "", "0", ""]]);
    }
}

#[test]
fn balances_are_those_of_both_requests() {
    let balance = |symbol: &str| json!({"amount": "1", "network": {"name": "POLYGON"}, "token": {"symbol": symbol, "name": "N"}, "dollarValue": "0.1"});
    let rows = shown(Topic::Balances, &[balance("POL"), json!([balance("A"), balance("B")])]);
    let symbols: Vec<&str> = rows.iter().map(|row| row[2].as_str()).collect();
    assert_eq!(symbols, ["POL", "A", "B"]);
}

#[test]
fn events_are_shown_in_words_and_exported_as_json() {
    let metadata = json!({
        "user": "0x1", "pool": null, "isLast": false, "asset": {"symbol": "X", "address": "0x2"}, "amount": "5",
        "assets": [{"asset": {"symbol": "A"}, "amount": "1"}, {"asset": null, "amount": "2"}],
        "remoteNetwork": {"name": "POLYGON", "chainId": 137},
    });
    let event = json!({"type": "SWAP", "protocol": {"slug": "sushiswap"}, "metadata": metadata});
    let rows = shown(Topic::Events, &[json!([event])]);
    let words = rows[0][2].split(", ").collect::<std::collections::BTreeSet<_>>();
    for part in ["user 0x1", "isLast false", "asset X", "amount 5", "assets 1 A", "2 ", "remoteNetwork POLYGON"] {
        assert!(words.contains(part), "{part} is not in {words:?}");
    }
    let account = json!({
        "summary": "swapped", "incompleteReason": null,
        "in": [{"amount": "1", "token": {"symbol": "A"}, "tokenId": null, "dollarValue": "2", "tokenAddress": "0x3"}], "out": [],
    });
    let sheets = sheets(Topic::Events, false, &[json!({"account": account, "items": [event]})]).unwrap();
    let cells: Vec<Vec<Vec<String>>> = sheets.iter().map(|sheet| sheet.cells().1.collect()).collect();
    assert_eq!(serde_json::from_str::<Value>(&cells[0][0][2]).unwrap(), metadata);
    assert_eq!(cells[1], [["in", "1", "A", "", "2", "", "0x3"]]);
    assert_eq!(cells[2], [["swapped", ""]]);
}

#[test]
fn a_plan_has_its_transactions_first_and_nothing_if_there_is_nothing() {
    let plan = |transactions: Value, simulated: Value| {
        json!({
            "transactions": transactions, "pays": [], "leftOut": [], "simulated": simulated, "dollarValue": "0", "netDollarValue": null,
        })
    };
    let transaction = json!({"network": {"name": "POLYGON"}, "to": "0x4", "data": "0x3d18b912", "gas": "21000", "claimIds": ["a", "b"]});
    let full = plan(json!([transaction]), json!("paid"));
    assert_eq!(shown(Topic::Plan, &[full]), [["POLYGON", "0x4", "", "21000"]]);
    let empty = sheets(Topic::Plan, false, &[plan(json!([]), Value::Null)]).unwrap();
    assert!(empty.iter().all(Sheet::is_empty));
}

#[test]
fn a_document_of_another_form_is_refused() {
    for topic in [Topic::Claimables, Topic::Positions, Topic::Plan, Topic::Balances, Topic::Name] {
        assert!(sheets(topic, false, &[json!("text")]).is_none(), "{topic:?}");
    }
    assert!(sheets(Topic::Positions, false, &[json!({"totals": {}})]).is_none());
    assert!(sheets(Topic::Claimables, false, &[json!({"items": 1})]).is_none());
}
