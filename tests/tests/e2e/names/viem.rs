//! The same questions to viem's `getEnsAddress` and `getEnsName`, on the same chain: the same names, the same accounts.

use std::io::Write as _;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use portolan_tests::chain;
use portolan_tests::json::Json;
use serde_json::{Value, json};

use super::{by_address, by_name, fixture, is_hostile};

/// Coin types by ENSIP-11.
const COINS: [(&str, u64); 3] = [("ethereum", 60), ("optimism", 0x8000_000a), ("polygon", 0x8000_0089)];
/// Gateways outside that answer as they should.
const OUTSIDE: [&str; 4] = ["get", "post", "twice", "second"];

/// A question to both, and what the build says where both need not agree.
struct Question {
    requested: (&'static str, String),
    network: String,
    /// The text that viem mistakes for an answer.
    mistaken: Option<String>,
    hostile: bool,
}

impl Question {
    fn of(kind: &'static str, member: &str, row: &Json) -> Self {
        Self {
            requested: (kind, row.text_at(member).unwrap().to_owned()),
            network: row.text_at("network").unwrap_or("ethereum").to_owned(),
            mistaken: row.text_at("viem").ok().map(str::to_owned),
            hostile: is_hostile(row),
        }
    }

    fn path(&self) -> String {
        let network = Some(self.network.as_str()).filter(|network| *network != "ethereum");
        match self.requested.0 {
            "name" => by_name(&self.requested.1, network),
            _ => by_address(&self.requested.1, network),
        }
    }

    /// The member that answers it.
    fn wanted(&self) -> &'static str {
        if self.requested.0 == "name" { "address" } else { "name" }
    }

    fn json(&self) -> Value {
        let coin = COINS.iter().find(|(network, _)| *network == self.network).unwrap().1;
        json!({self.requested.0: self.requested.1, "coin": coin})
    }
}

/// viem's answers, in order: the outer `None` where it throws.
fn query_viem(url: &str, expected: &Json, questions: &[Question]) -> Result<Vec<Option<Option<String>>>> {
    let script = chain::prepared()?.join("viem_names.mjs");
    let mut node = Command::new("node")
        .arg(script)
        .args([url, expected.text_at("contracts/universal")?])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let requested: Value = questions.iter().map(Question::json).collect();
    node.stdin.take().context("no stdin")?.write_all(requested.to_string().as_bytes())?;
    let output = node.wait_with_output()?;
    ensure!(output.status.success(), "node ended with {}", output.status);
    let answers = Json::parse(std::str::from_utf8(&output.stdout)?)?;
    let of = |answer: &Json| {
        answer.get("found").map(|found| if let Json::Text(text) = found { Some(text.clone()) } else { None })
    };
    Ok(answers.items()?.iter().map(of).collect())
}

#[test]
fn viem_returns_the_same_addresses_and_the_same_names() {
    let fixture = fixture();
    let mut questions: Vec<Question> =
        fixture.rows("forward").iter().map(|row| Question::of("name", "requested", row)).collect();
    questions.extend(fixture.rows("reverse").iter().map(|row| Question::of("address", "address", row)));
    let outside = OUTSIDE.map(|label| Json::object([("requested", Json::text(format!("{label}.offchain.eth")))]));
    questions.extend(outside.iter().map(|row| Question::of("name", "requested", row)));
    questions.push(Question::of("address", "account", fixture.expected.at("names/gateways").unwrap()));

    let answers = query_viem(&fixture.chain.url, &fixture.expected, &questions).unwrap();
    assert_eq!(answers.len(), questions.len());
    let (mut found, mut missing) = (0, 0);
    for (question, reported) in questions.iter().zip(answers) {
        fixture.fetch(&question.path(), |what, response| {
            let own = response.status.is_success().then(|| response.json().unwrap());
            let own = own.as_ref().map(|record| record.text_at(question.wanted()).unwrap());
            match (&reported, &question.mistaken) {
                (Some(Some(reported)), Some(mistaken)) => assert_eq!((reported, own), (mistaken, None), "{what}"),
                // Where viem throws, there is nothing to compare.
                (None, _) => assert_eq!(own, None, "{what}"),
                (Some(reported), _) => assert_eq!(own, reported.as_deref(), "{what}"),
            }
            assert!(question.hostile || [200, 404].contains(&response.status.as_u16()), "{what}: {}", response.body);
        });
        match reported {
            Some(Some(_)) => found += 1,
            _ => missing += 1,
        }
    }
    assert!(found > 30 && missing > 20, "{found} found, {missing} missing: viem did not see the chain");
    println!("{found} found by both, {missing} by neither");
}
