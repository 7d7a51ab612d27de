//! Tools of assistants over `/mcp`: both versions of the protocol, what is missing, progress, and who may call.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use hyper::Method;
use portolan_tests::build;
use portolan_tests::gateway::Gateway;
use portolan_tests::http::{self, Response, Version};
use portolan_tests::problem;
use portolan_tests::rpc_fault::{Fault, RpcFault};
use portolan_tests::world::World;
use serde_json::{Value, json};

/// For what a process does, on a busy machine too.
const SOON: Duration = Duration::from_secs(60);
const ENABLED: &str = "[mcp]\nenabled = true\nallowed_origins = [\"https://app.example\"]";
const NEWEST: &str = "2026-07-28";
const OLDER: &str = "2025-11-25";

fn send(gateway: &Gateway, method: &Method, headers: &[(&str, &str)], body: Vec<u8>) -> Response {
    http::request(gateway.base, Version::Http1, method, "/mcp", headers, body.into()).unwrap()
}

fn post(gateway: &Gateway, headers: &[(&str, &str)], body: &Value) -> Response {
    let own = [("content-type", "application/json"), ("accept", "application/json, text/event-stream")];
    let headers: Vec<_> = own.into_iter().chain(headers.iter().copied()).collect();
    send(gateway, &Method::POST, &headers, serde_json::to_vec(body).unwrap())
}

/// A request as a client of the newest version makes it.
fn request(method: &str, mut params: Value) -> Value {
    let progress = params["_meta"]["progressToken"].take();
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": NEWEST,
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    if !progress.is_null() {
        params["_meta"]["progressToken"] = progress;
    }
    json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params})
}

fn call(gateway: &Gateway, method: &str, params: Value) -> Response {
    let name = params["name"].as_str().or(params["uri"].as_str()).unwrap_or_default().to_owned();
    let headers = [("mcp-protocol-version", NEWEST), ("mcp-method", method), ("mcp-name", name.as_str())];
    post(gateway, &headers, &request(method, params))
}

fn result(response: &Response) -> Result<Value> {
    ensure!(response.status == 200, "{}: {}", response.status, response.body);
    let mut body: Value = serde_json::from_str(&response.body).with_context(|| response.body.clone())?;
    ensure!(body["error"].is_null(), "{body}");
    Ok(body["result"].take())
}

fn tool(gateway: &Gateway, name: &str, arguments: &Value) -> Value {
    let called = result(&call(gateway, "tools/call", json!({"name": name, "arguments": arguments}))).unwrap();
    assert_eq!(called["isError"], json!(false), "{called}");
    called["structuredContent"].clone()
}

/// `portolan mcp`, with lines in and out.
struct Assistant {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Assistant {
    fn start(command: &mut Command) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let (sender, lines) = channel();
        let output = BufReader::new(child.stdout.take().unwrap());
        thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Self { input: child.stdin.take(), child, lines }
    }

    /// Sends a request, and returns its result.
    fn call(&mut self, request: &Value) -> Value {
        writeln!(self.input.as_mut().unwrap(), "{request}").unwrap();
        loop {
            let line = self.lines.recv_timeout(SOON).unwrap();
            let mut message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == request["id"] {
                assert!(message["error"].is_null(), "{message}");
                return message["result"].take();
            }
        }
    }
}

impl Drop for Assistant {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The reason why a tool does not answer.
fn refusal(gateway: &Gateway, name: &str, arguments: &Value) -> String {
    let called = result(&call(gateway, "tools/call", json!({"name": name, "arguments": arguments}))).unwrap();
    assert_eq!(called["isError"], json!(true), "{called}");
    called["content"][0]["text"].as_str().unwrap().to_owned()
}

#[test]
fn a_client_of_each_version_gets_the_rows_of_the_endpoint() {
    let world = World::of(&["polygon"]).unwrap();
    let setup = world.on_chains(world.with_all_plugins().unwrap());
    let gateway = setup.config(ENABLED).start().unwrap();
    let account = world.address("farmer").unwrap();
    let plain = gateway.get(&format!("/claimables/{account}?simulate=true&amounts=string")).unwrap();
    let mut rows: Value = serde_json::from_str(&plain.body).unwrap();

    let discovered = result(&call(&gateway, "server/discover", json!({}))).unwrap();
    assert_eq!(discovered["supportedVersions"], json!([NEWEST, OLDER, "2025-06-18"]));
    let claimables = tool(&gateway, "claimables", &json!({"account": account}));
    assert_eq!(claimables["notes"]["blocks"], plain.header("portolan-blocks").unwrap());
    assert_eq!((&claimables["notes"]["missing"], &claimables["nextCursor"]), (&json!([]), &Value::Null));
    for row in rows.as_array_mut().unwrap() {
        row.as_object_mut().unwrap().retain(|name, _| !["claimTransaction", "claimSteps"].contains(&name.as_str()));
        for of in ["network", "protocol", "token"] {
            row[of].as_object_mut().unwrap().remove("logo");
        }
        row["token"]["network"].as_object_mut().unwrap().remove("logo");
    }
    assert!(!rows.as_array().unwrap().is_empty());
    assert_eq!(claimables["data"], rows);

    // 2025-11-25: a handshake, and then calls that have nothing of a session.
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": OLDER,
        "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}});
    assert_eq!(result(&post(&gateway, &[], &hello)).unwrap()["protocolVersion"], OLDER);
    let arguments = json!({"name": "claimables", "arguments": {"account": account}});
    let of_older = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": arguments});
    let older = result(&post(&gateway, &[("mcp-protocol-version", OLDER)], &of_older)).unwrap();
    assert_eq!(older["structuredContent"], claimables);

    // What cannot be answered is a reason for the model, and what is no call is an error of the protocol.
    assert_eq!(refusal(&gateway, "positions", &json!({})), "the argument account is missing");
    let reason = refusal(&gateway, "positions", &json!({"account": "0x12"}));
    assert!(reason.starts_with("Invalid address: "), "{reason}");
    let reason =
        refusal(&gateway, "claim_plan", &json!({"account": account, "network": "polygon", "include": ["nobody"]}));
    assert!(reason.contains("nobody"), "{reason}");
    let unknown = call(&gateway, "tools/call", json!({"name": "send_money", "arguments": {}}));
    assert!(
        unknown.body.contains("there is no tool \\\"send_money\\\"; there are claimables, claim_plan"),
        "{}",
        unknown.body
    );

    // The plan has the calls that the account itself could send.
    let plan = tool(&gateway, "claim_plan", &json!({"account": account, "network": "polygon"}));
    assert_eq!(plan["data"]["simulated"], "paid");
    let calls = plan["data"]["walletSendCalls"]["params"][0]["calls"].as_array().unwrap();
    assert!(
        !calls.is_empty() && calls.iter().all(|call| call["data"].as_str().unwrap().starts_with("0x")),
        "{calls:?}"
    );
}

#[test]
fn a_failing_network_is_named_before_the_data_and_progress_comes_with_each_job() {
    let world = World::of(&["ethereum", "polygon"]).unwrap();
    let rpc = RpcFault::before(&world.chain("polygon").unwrap().0.url).unwrap();
    let setup = world.with_all_plugins().unwrap().rpc("ethereum", &world.chain("ethereum").unwrap().0.url);
    let gateway = setup.rpc("polygon", &rpc.url()).config(ENABLED).start().unwrap();
    let account = world.address("farmer").unwrap();
    let params = json!({"name": "positions", "arguments": {"account": account}, "_meta": {"progressToken": "p"}});
    let streamed = call(&gateway, "tools/call", params);
    assert_eq!(streamed.header("content-type"), Some("text/event-stream"));
    let data = streamed.body.lines().filter_map(|line| line.strip_prefix("data: ")).filter(|data| !data.is_empty());
    let messages: Vec<Value> = data.map(|data| serde_json::from_str(data).unwrap()).collect();
    let (last, progress) = messages.split_last().unwrap();
    assert_eq!(last["result"]["structuredContent"]["notes"]["missing"], json!([]), "{last}");
    assert!(!progress.is_empty());
    for (place, message) in (1..).zip(progress) {
        assert_eq!(message["method"], "notifications/progress", "{message}");
        assert_eq!(
            (&message["params"]["progressToken"], &message["params"]["progress"]),
            (&json!("p"), &json!(place as f64))
        );
    }

    rpc.set(Fault::Close);
    let claimables = tool(&gateway, "claimables", &json!({"account": world.address("whale").unwrap()}));
    let missing = claimables["notes"]["missing"].as_array().unwrap();
    let is_named = |sentence: &Value| sentence.as_str().unwrap().contains("on polygon: the nodes failed");
    assert!(!missing.is_empty() && missing.iter().all(is_named), "{missing:?}");
}

#[test]
fn the_command_serves_an_assistant_with_a_gateway_and_without_one() {
    let world = World::of(&["polygon"]).unwrap();
    let gateway = world.on_chains(world.with_all_plugins().unwrap()).start().unwrap();
    let account = world.address("farmer").unwrap();
    let portolan = || {
        let mut command = Command::new(build::built().unwrap().host());
        command.arg("mcp");
        command
    };
    let url = format!("http://{}", gateway.base);
    let (plugins, chain) = (gateway.plugins_dir(), &world.chain("polygon").unwrap().0.url);
    let rpc = format!("polygon={chain}");
    let mut of_both = Vec::new();
    for mut command in [portolan(), portolan()] {
        match of_both.len() {
            0 => command.args(["--url", &url]),
            _ => command.args(["--rpc", &rpc, "--plugins"]).arg(&plugins),
        };
        let mut assistant = Assistant::start(&mut command);
        let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": OLDER,
            "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}});
        assert_eq!(assistant.call(&hello)["protocolVersion"], OLDER);
        writeln!(
            assistant.input.as_mut().unwrap(),
            "{}",
            json!({"jsonrpc": "2.0", "method": "notifications/initialized"})
        )
        .unwrap();
        let arguments = json!({"name": "claimables", "arguments": {"account": account}});
        let request = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": arguments});
        let claimables = assistant.call(&request)["structuredContent"].take();
        let rows = claimables["data"].as_array().unwrap().iter().map(|row| (row["id"].clone(), row["amount"].clone()));
        of_both.push(rows.collect::<Vec<_>>());
        // It ends with its input.
        assistant.input = None;
        let code = assistant.child.wait().unwrap().code();
        assert_eq!(code, Some(0));
    }
    assert!(!of_both[0].is_empty());
    assert_eq!(of_both[0], of_both[1]);
    let nobody = portolan().args(["--url", "http://127.0.0.1:1"]).arg("--plugins").arg(plugins).output().unwrap();
    assert_eq!(nobody.status.code(), Some(2), "{nobody:?}");
}

#[test]
fn only_hosts_and_origins_of_the_operator_may_call_and_nothing_else_takes_post() {
    let world = World::of(&["polygon"]).unwrap();
    let setup = world.on_chains(world.with_all_plugins().unwrap());
    let gateway = setup.config(ENABLED).start().unwrap();
    let list = request("tools/list", json!({}));
    let own = [("mcp-protocol-version", NEWEST), ("mcp-method", "tools/list")];
    let posted = |further: &[(&str, &str)]| post(&gateway, &[&own[..], further].concat(), &list);
    let allowed = posted(&[("origin", "https://app.example")]);
    assert_eq!(
        (allowed.status.as_u16(), allowed.header("access-control-allow-origin")),
        (200, Some("https://app.example"))
    );
    for origin in ["https://evil.example", "http://app.example", "https://app.example:8443", "null"] {
        let refused = posted(&[("origin", origin)]);
        problem::detail(&refused, 403, "origin-not-allowed").unwrap();
        assert_eq!(refused.header("access-control-allow-origin"), None, "{origin}");
    }
    problem::detail(&posted(&[("host", "evil.example")]), 403, "host-not-allowed").unwrap();

    for method in [Method::GET, Method::DELETE, Method::PUT] {
        let refused = send(&gateway, &method, &[("accept", "text/event-stream")], Vec::new());
        assert_eq!((refused.status.as_u16(), refused.header("allow")), (405, Some("POST")), "{method}");
    }
    let asked = send(&gateway, &Method::OPTIONS, &[("origin", "https://app.example")], Vec::new());
    assert_eq!((asked.status.as_u16(), asked.header("access-control-allow-methods")), (204, Some("POST")));
    let long = json!({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"x": "x".repeat(300_000)}});
    problem::detail(&post(&gateway, &own, &long), 413, "request-too-large").unwrap();
    for wrong in [b"".to_vec(), b"{".to_vec(), b"[]".to_vec(), b"\xff".to_vec()] {
        let refused = send(
            &gateway,
            &Method::POST,
            &[("content-type", "application/json"), ("accept", "application/json, text/event-stream")],
            wrong,
        );
        assert!(refused.status.is_client_error(), "{}: {}", refused.status, refused.body);
    }
    let elsewhere = http::request(gateway.base, Version::Http1, &Method::POST, "/networks", &[], "{}".into()).unwrap();
    problem::detail(&elsewhere, 405, "method-not-allowed").unwrap();
    let other = http::request(gateway.claimables, Version::Http1, &Method::POST, "/mcp", &[], "{}".into()).unwrap();
    assert_eq!(other.status, 405, "{}", other.body);

    let off = world.on_chains(world.with_all_plugins().unwrap()).start().unwrap();
    assert_eq!(post(&off, &own, &list).status, 405);
    problem::detail(&off.get("/mcp").unwrap(), 404, "unknown-path").unwrap();
}
