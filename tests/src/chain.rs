//! The chains that end-to-end tests run against: `prepared` builds them once per content of `tests/chain/`,
//! `Chain::start` boots one of them on an anvil of its own.
//!
//! Calls on a fresh chain see exactly the snapshot's block: its number and timestamp do not drift, so expected amounts
//! are exact. Nothing here leaves the loopback interface.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail, ensure};
use serde_json::{Value, json};

pub const NODE_MIN: u32 = 20; // `fetch` and what viem needs.
pub const NPM_MIN: u32 = 9; // Reads the lock file's version 3.
const START: Duration = Duration::from_secs(30);
const CONNECT: Duration = Duration::from_secs(5);
const ANSWER: Duration = Duration::from_secs(60); // A call that burns a whole block's gas takes seconds.
const CLAIM_GAS: u64 = 5_000_000;
pub(crate) const PURSE_WEI: u128 = 10_000_000_000_000_000_000; // For gas; 10 ether.
const PURSE_TIMES: u128 = 100; // For what a transaction sends beside.
pub(crate) const PACKAGED_ANVIL: &str = "node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil";

/// A running chain; ends with the value. It mines only in `send_as` and on `evm_mine`, unless it is of Amsterdam or
/// `mine_automatically` was called.
#[derive(Debug)]
pub struct Chain {
    pub url: String,
    pub profile: String,
    /// The answers that the service must give; the build script's README describes its shape.
    pub expected: Value,
    /// The snapshot's block.
    pub block_number: u64,
    pub block_timestamp: u64,
    port: u16,
    node: Child,
}

/// The account that places contracts; nobody has its key.
const DEPLOYER: &str = "0x00000000000000000000000000000000deb10fe7";

impl Chain {
    /// Boots a chain of its own from the profile's snapshot, building the snapshots first where they are missing.
    pub fn start(profile: &str) -> Result<Self> {
        let expected = expected_of(&prepared()?, profile)?;
        Self::start_with_id(profile, expected["chainId"].as_u64().context("no chain id")?)
    }

    /// Boots the same chain as one of another network: its blocks and its contracts are those of the profile.
    pub fn start_with_id(profile: &str, chain_id: u64) -> Result<Self> {
        let folder = prepared()?;
        let expected = expected_of(&folder, profile)?;
        let number = |value: &Value| value.as_u64().context("expected values lack a number");
        let block_number = number(&expected["block"]["number"])?;
        let block_timestamp = number(&expected["block"]["timestamp"])?;
        let mut more: Vec<OsString> =
            // Else its clock would be today's, and blocks at the snapshot's time were refused.
            vec!["--timestamp".into(), block_timestamp.to_string().into(), "--load-state".into()];
        more.push(folder.join(format!("{profile}.state.json")).into());
        let (port, node) = boot_anvil(&folder, chain_id, &more)
            .with_context(|| format!("anvil of profile {profile} did not start"))?;
        Ok(Self {
            url: format!("http://127.0.0.1:{port}"),
            profile: profile.to_owned(),
            expected,
            block_number,
            block_timestamp,
            port,
            node,
        })
    }

    /// Boots a chain on which nothing stands: nothing is expected of it, and its time is today's.
    pub fn bare(chain_id: u64) -> Result<Self> {
        let booted = boot_anvil(&prepared()?, chain_id, &[]);
        Self::begin(booted.with_context(|| format!("anvil {chain_id} did not start"))?, format!("bare {chain_id}"))
    }

    /// Boots a chain of the hard fork Amsterdam, on which nothing stands; `coinbase` is paid for its blocks. Its node
    /// mines each transaction in a block of its own, and has no methods that begin with `anvil_`.
    pub fn amsterdam(chain_id: u64, coinbase: &str) -> Result<Self> {
        let folder =
            prepared_once(&Sources::of("amsterdam"), "testamsterdam", |began, folder| Ok(fs::rename(began, folder)?))?;
        let booted = boot(Command::new("node").arg(folder.join("node.mjs")).args([&chain_id.to_string(), coinbase]));
        Self::begin(booted.context("the node of Amsterdam did not start")?, format!("amsterdam {chain_id}"))
    }

    /// A chain of which nothing is expected.
    fn begin((port, node): (u16, Child), profile: String) -> Result<Self> {
        let url = format!("http://127.0.0.1:{port}");
        let mut chain = Self { url, profile, expected: Value::Null, block_number: 0, block_timestamp: 0, port, node };
        let block = chain.block("latest")?;
        chain.block_timestamp = quantity(&block["timestamp"])?;
        Ok(chain)
    }

    /// The file with the profile's token list, if it has one.
    pub fn token_list(&self) -> Result<Option<PathBuf>> {
        let file = prepared()?.join(format!("{}.tokens.json", self.profile));
        Ok(file.is_file().then_some(file))
    }

    /// The hash of the one transaction whose log this contract emitted with these topics; null stands for any.
    pub fn transaction_with(&self, emitter: &str, topics: &Value) -> Result<String> {
        let filter = json!({"fromBlock": "0x0", "toBlock": "latest", "address": emitter, "topics": topics});
        let logs = self.rpc("eth_getLogs", json!([filter]))?;
        match logs.as_array().map(Vec::as_slice) {
            Some([log]) => Ok(log["transactionHash"].as_str().context("a log without its transaction")?.to_owned()),
            logs => bail!("{} logs of {emitter} with {topics}", logs.map_or(0, <[Value]>::len)),
        }
    }

    /// From now on, the chain mines each transaction in a block of its own as soon as it is sent.
    pub fn mine_automatically(&self) -> Result<()> {
        self.rpc("evm_setAutomine", json!([true])).map(drop)
    }

    /// Mines two empty blocks: contracts see an invented parent of the block that a snapshot ends with and of the one
    /// after it, and an endpoint whose contracts saw an invented one and the right one later seems to change chains.
    pub fn settle(&self) -> Result<()> {
        for _ in 0..2 {
            self.rpc("anvil_setBlockTimestampInterval", json!([1]))?;
            self.rpc("evm_mine", json!([]))?;
        }
        Ok(())
    }

    /// Sends a transaction as whoever it is from, whose key nobody needs, in a block of its own one second after the
    /// newest; its receipt, reverted or not.
    pub fn send(&self, transaction: &Value) -> Result<Value> {
        let from = &transaction["from"];
        self.rpc("anvil_setBalance", json!([from, format!("{:#x}", PURSE_WEI * PURSE_TIMES)]))?;
        self.rpc("anvil_impersonateAccount", json!([from]))?;
        let mut transaction = transaction.clone();
        if transaction["gas"].is_null() {
            transaction["gas"] = json!(format!("{CLAIM_GAS:#x}"));
        }
        let hash = self.rpc("eth_sendTransaction", json!([transaction]))?;
        self.rpc("anvil_setBlockTimestampInterval", json!([1]))?;
        self.rpc("evm_mine", json!([]))?;
        self.rpc("anvil_stopImpersonatingAccount", json!([from]))?;
        let receipt = self.rpc("eth_getTransactionReceipt", json!([hash]))?;
        ensure!(receipt.is_object(), "{hash} on {} was not mined", self.profile);
        Ok(receipt)
    }

    /// Places a contract that the chains' build compiled; `arguments` are those of its constructor, encoded in hex.
    /// Returns its address.
    pub fn deploy(&self, name: &str, arguments: &str) -> Result<String> {
        let doubles: Value = serde_json::from_str(&fs::read_to_string(prepared()?.join("doubles.json"))?)?;
        let code = doubles[name].as_str().with_context(|| format!("no contract {name}"))?;
        let receipt = self.send(&json!({"from": DEPLOYER, "data": format!("{code}{arguments}")}))?;
        ensure!(receipt["status"] == "0x1", "{name} was not placed");
        Ok(receipt["contractAddress"].as_str().context("no address")?.to_owned())
    }

    /// One JSON-RPC call. An error of the node is an error here.
    pub fn rpc(&self, method: &str, params: Value) -> Result<Value> {
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let body = post(self.port, &request.to_string()).with_context(|| format!("{method} on {}", self.profile))?;
        let mut answer: Value = serde_json::from_slice(&body)
            .with_context(|| format!("{method} on {}: the answer is not JSON", self.profile))?;
        if let Some(error) = answer.get("error") {
            bail!("{method} on {}: {error}", self.profile);
        }
        Ok(answer["result"].take())
    }

    /// Remembers the present state; to be given to `revert` once.
    pub fn snapshot(&self) -> Result<String> {
        let id = self.rpc("evm_snapshot", json!([]))?;
        Ok(id.as_str().context("snapshot without id")?.to_owned())
    }

    pub fn revert(&self, snapshot: &str) -> Result<()> {
        let done = self.rpc("evm_revert", json!([snapshot]))?;
        ensure!(done == json!(true), "snapshot {snapshot} of {} is gone", self.profile);
        Ok(())
    }

    /// Sends a transaction as `from`, whose key nobody needs, in a block of exactly that timestamp, which may be the
    /// latest block's own. A reverted transaction is an error.
    pub fn send_as(&self, from: &str, to: &str, data: &str, timestamp: u64) -> Result<Value> {
        self.send_with_gas(from, (to, data), CLAIM_GAS, timestamp)
    }

    /// The same with this gas limit.
    pub fn send_with_gas(&self, from: &str, call: (&str, &str), gas: u64, timestamp: u64) -> Result<Value> {
        self.send_with_value(from, call, (gas, 0), timestamp)
    }

    /// The same with this gas limit and this much of the native token, in wei.
    ///
    /// # Errors
    /// Likewise.
    pub fn send_with_value(
        &self,
        from: &str,
        (to, data): (&str, &str),
        (gas, value): (u64, u128),
        timestamp: u64,
    ) -> Result<Value> {
        self.rpc("anvil_setBalance", json!([from, format!("{PURSE_WEI:#x}")]))?;
        self.rpc("anvil_impersonateAccount", json!([from]))?;
        self.rpc("evm_setNextBlockTimestamp", json!([timestamp]))?;
        let (gas, value) = (format!("{gas:#x}"), format!("{value:#x}"));
        let transaction = json!({"from": from, "to": to, "data": data, "gas": gas, "value": value});
        let hash = self.rpc("eth_sendTransaction", json!([transaction]))?;
        self.rpc("evm_mine", json!([]))?;
        self.rpc("anvil_stopImpersonatingAccount", json!([from]))?;
        let receipt = self.rpc("eth_getTransactionReceipt", json!([hash]))?;
        ensure!(
            receipt["status"] == "0x1",
            "transaction of {from} to {to} on {} reverted or was not mined",
            self.profile
        );
        let block = self.rpc("eth_getBlockByNumber", json!([receipt["blockNumber"], false]))?;
        let mined = quantity(&block["timestamp"])?;
        ensure!(mined == timestamp, "transaction was mined at {mined} instead of {timestamp}");
        Ok(receipt)
    }

    /// Number of the newest block.
    ///
    /// # Errors
    /// Where the chain does not say.
    pub fn newest(&self) -> Result<u64> {
        quantity(&self.block("latest")?["number"])
    }

    /// Mines a block, and returns its number.
    ///
    /// # Errors
    /// Where the chain does not.
    pub fn mine(&self) -> Result<u64> {
        self.rpc("evm_mine", json!([]))?;
        self.newest()
    }

    /// The block with this tag, or this number as a quantity; null where there is none.
    pub fn block(&self, at: &str) -> Result<Value> {
        self.rpc("eth_getBlockByNumber", json!([at, false]))
    }

    /// `balanceOf(account)` of a token in the newest block, as raw decimal.
    pub fn token_balance(&self, token: &str, account: &str) -> Result<String> {
        self.token_balance_at(token, account, "latest")
    }

    /// `balanceOf(account)` of a token after a block: its number as a quantity, or a tag.
    pub fn token_balance_at(&self, token: &str, account: &str, block: &str) -> Result<String> {
        let account = account.strip_prefix("0x").context("account without 0x")?;
        let data = format!("0x70a08231{account:0>64}");
        let word = self.rpc("eth_call", json!([{"to": token, "data": data}, block]))?;
        decimal(word.as_str().context("the balance is not a string")?)
    }
}

impl Drop for Chain {
    fn drop(&mut self) {
        end(&mut self.node);
    }
}

fn boot_anvil(folder: &Path, chain_id: u64, more: &[OsString]) -> Result<(u16, Child)> {
    let mut anvil = Command::new(anvil_program(folder));
    anvil.args(["--host", "127.0.0.1", "--port", "0", "--chain-id", &chain_id.to_string()]);
    // Mined by itself, a transaction can stay in the pool a moment longer than its block takes: after a revert it would
    // run again. `evm_mine` answers when both are done.
    boot(anvil.arg("--no-mining").args(more))
}

/// Starts a node that prints where it listens; it ends with the error, if there is one.
fn boot(command: &mut Command) -> Result<(u16, Child)> {
    let started = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn();
    let mut node = started.with_context(|| format!("cannot run {}", command.get_program().display()))?;
    match listening_port(&mut node) {
        Ok(port) => Ok((port, node)),
        Err(error) => {
            end(&mut node);
            Err(error)
        }
    }
}

/// The folder with the snapshots of all profiles. Built once per content of `tests/chain/`;
/// other processes that need it meanwhile wait for the one that builds.
pub fn prepared() -> Result<PathBuf> {
    prepared_once(&Sources::of("chain"), "testchain", |began, folder| {
        writeln!(io::stderr(), "building the test chains (once, about 15 s)")?;
        run(Command::new("node").args(["build.mjs", "out"]), began)?;
        // Only anvil is needed from here on; the rest of the packages is 100 MB.
        let out = began.join("out");
        let packaged = began.join(PACKAGED_ANVIL);
        if packaged.is_file() {
            let packed = out.join(PACKAGED_ANVIL);
            fs::create_dir_all(packed.parent().unwrap_or(&out))?;
            fs::rename(&packaged, &packed).context("cannot keep the packaged anvil")?;
        }
        fs::rename(&out, folder).with_context(|| format!("cannot rename to {}", folder.display()))?;
        fs::remove_dir_all(began).context("cannot remove the build folder")
    })
}

/// What is built by npm: a folder with a lock file, and those that it imports from.
pub(crate) struct Sources<'a> {
    /// Relative to `tests/`.
    pub(crate) folder: &'a str,
    /// Relative to that folder; they lie beside its copy in the same way.
    pub(crate) beside: &'a [&'a str],
}

impl<'a> Sources<'a> {
    /// A folder that imports from no other.
    pub(crate) fn of(folder: &'a str) -> Self {
        Self { folder, beside: &[] }
    }

    /// All files, relative to the folder and sorted.
    fn files(&self, folder: &Path) -> Result<Vec<PathBuf>> {
        let mut files = source_files(folder)?;
        for beside in self.beside {
            files.extend(source_files(&folder.join(beside))?.iter().map(|file| Path::new(beside).join(file)));
        }
        Ok(files)
    }
}

/// Returns the folder that `make` makes of a folder of `tests/` and its packages, below the target folder: once per
/// content. It gets a copy with the packages installed, and has to create the folder that it is given.
pub(crate) fn prepared_once(
    sources: &Sources<'_>,
    shelf: &str,
    make: impl FnOnce(&Path, &Path) -> Result<()>,
) -> Result<PathBuf> {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join(sources.folder);
    let files = sources.files(&from)?;
    let shelf = target_folder()?.join(shelf);
    let folder = shelf.join(digest(&from, &files)?);
    if folder.is_dir() {
        return Ok(folder);
    }
    fs::create_dir_all(&shelf).with_context(|| format!("cannot create {}", shelf.display()))?;
    let lock = File::create(shelf.join(".lock")).with_context(|| format!("cannot lock {}", shelf.display()))?;
    lock.lock().with_context(|| format!("cannot lock {}", shelf.display()))?;
    if folder.is_dir() {
        return Ok(folder);
    }
    let building = shelf.join(".building");
    if building.exists() {
        fs::remove_dir_all(&building).context("cannot remove what an earlier build left")?;
    }
    let began = building.join("package");
    install(&from, &files, &began)?;
    make(&began, &folder)?;
    Ok(folder)
}

fn install(sources: &Path, files: &[PathBuf], began: &Path) -> Result<()> {
    require("node", NODE_MIN)?;
    require("npm", NPM_MIN)?;
    for file in files {
        let copy = began.join(file);
        fs::create_dir_all(copy.parent().unwrap_or(began))?;
        fs::copy(sources.join(file), &copy).with_context(|| format!("cannot copy {}", file.display()))?;
    }
    run(Command::new("npm").args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]), began)
}

pub fn require(program: &str, least: u32) -> Result<()> {
    let wanted = format!("the test chain's prerequisites are node {NODE_MIN} or newer and npm {NPM_MIN} or newer");
    let output = Command::new(program)
        .arg("--version")
        .output()
        .map_err(|error| anyhow!("cannot run {program} ({error}): {wanted}"))?;
    let version = String::from_utf8_lossy(&output.stdout).trim().trim_start_matches('v').to_owned();
    let major: u32 = version.split('.').next().and_then(|text| text.parse().ok()).unwrap_or(0);
    ensure!(major >= least, "{program} is {version:?}: {wanted}");
    Ok(())
}

pub fn run(command: &mut Command, folder: &Path) -> Result<()> {
    let output = command.current_dir(folder).output().with_context(|| format!("cannot run {command:?}"))?;
    ensure!(
        output.status.success(),
        "{command:?} ended with {}\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(())
}

pub fn target_folder() -> Result<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("tests have no workspace")?;
    Ok(match std::env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => root.join(folder), // Relative ones are relative to the root; absolute ones win.
        None => root.join("target"),
    })
}

/// Folders of installed packages, and of what was built in place.
const NO_SOURCES: [&str; 2] = ["node_modules", "dist"];

/// All files below the folder, relative and sorted.
fn source_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(relative) = folders.pop() {
        let here = folder.join(&relative);
        for entry in fs::read_dir(&here).with_context(|| format!("cannot list {}", here.display()))? {
            let entry = entry?;
            let path = relative.join(entry.file_name());
            if entry.file_type()?.is_file() {
                found.push(path);
            } else if !NO_SOURCES.iter().any(|name| entry.file_name() == *name) {
                folders.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// FNV-1a over names and contents: tells contents apart, and stays the same with every compiler, unlike the standard
/// library's hasher.
fn digest(folder: &Path, files: &[PathBuf]) -> Result<String> {
    let mut hash: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    let mut feed = |bytes: &[u8]| {
        for byte in bytes.iter().copied().chain([0xff]) {
            hash = (hash ^ u128::from(byte)).wrapping_mul(0x0100_0000_0000_0000_0000_013b);
        }
    };
    for file in files {
        feed(file.to_string_lossy().as_bytes());
        feed(&fs::read(folder.join(file)).with_context(|| format!("cannot read {}", file.display()))?);
    }
    Ok(format!("{hash:032x}"))
}

pub fn anvil_program(folder: &Path) -> PathBuf {
    let packaged = folder.join(PACKAGED_ANVIL);
    match std::env::var_os("ANVIL") {
        Some(program) => program.into(),
        None if packaged.is_file() => packaged,
        None => "anvil".into(),
    }
}

/// Reads the port from anvil's output, and goes on reading so that anvil never blocks on it.
pub fn listening_port(anvil: &mut Child) -> Result<u16> {
    let output = anvil.stdout.take().context("anvil has no output")?;
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(io::Result::ok) {
            let port = line.strip_prefix("Listening on ").and_then(|rest| rest.trim().parse::<SocketAddr>().ok());
            if let Some(address) = port {
                let _ = sender.send(address.port()); // Nobody waits any more after a time-out.
            }
        }
    });
    receiver.recv_timeout(START).map_err(|_| anyhow!("no port within {} s", START.as_secs()))
}

pub fn end(anvil: &mut Child) {
    let _ = anvil.kill(); // It may have ended by itself.
    let _ = anvil.wait();
}

/// One HTTP/1.1 POST on a connection of its own; the body of the answer.
pub fn post(port: u16, body: &str) -> Result<Vec<u8>> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let mut stream = TcpStream::connect_timeout(&address, CONNECT).context("cannot connect")?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(ANSWER))?;
    stream.set_write_timeout(Some(ANSWER))?;
    let length = body.len();
    let request = format!(
        "POST / HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).context("cannot send")?;
    let began = Instant::now();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).with_context(|| format!("no answer after {} ms", began.elapsed().as_millis()))?;
    let split = answer.windows(4).position(|window| window == b"\r\n\r\n").context("answer without head")?;
    let head = String::from_utf8_lossy(&answer[..split]).to_ascii_lowercase();
    ensure!(head.starts_with("http/1.1 200"), "answered {:?}", head.lines().next().unwrap_or_default());
    ensure!(!head.contains("transfer-encoding"), "answered in chunks, which this client does not read");
    Ok(answer.split_off(split + 4))
}

fn expected_of(folder: &Path, profile: &str) -> Result<Value> {
    read_json(&folder.join(format!("{profile}.expected.json")))
}

fn read_json(path: &Path) -> Result<Value> {
    let text = fs::read(path).with_context(|| format!("no such profile: cannot read {}", path.display()))?;
    serde_json::from_slice(&text).with_context(|| format!("{} is not JSON", path.display()))
}

/// A number as JSON-RPC writes it.
///
/// # Errors
/// If the value is not a quantity.
pub fn quantity(value: &Value) -> Result<u64> {
    let text = value.as_str().and_then(|text| text.strip_prefix("0x")).context("quantity without 0x")?;
    u64::from_str_radix(text, 16).with_context(|| format!("{text} is not a quantity"))
}

/// A hexadecimal word of any length as decimal digits, by schoolbook arithmetic on limbs of nine digits.
fn decimal(word: &str) -> Result<String> {
    const LIMB: u64 = 1_000_000_000;
    let digits = word.strip_prefix("0x").context("word without 0x")?;
    ensure!(!digits.is_empty(), "empty answer: no such function or no contract");
    let mut limbs: Vec<u64> = vec![0];
    for digit in digits.chars() {
        let mut carry = u64::from(digit.to_digit(16).with_context(|| format!("{word} is not hexadecimal"))?);
        for limb in &mut limbs {
            let grown = *limb * 16 + carry;
            *limb = grown % LIMB;
            carry = grown / LIMB;
        }
        if carry > 0 {
            limbs.push(carry);
        }
    }
    let mut text = limbs.pop().unwrap_or_default().to_string();
    for limb in limbs.iter().rev() {
        write!(text, "{limb:09}")?;
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_become_decimal_digits() -> Result<()> {
        assert_eq!(decimal("0x0")?, "0");
        assert_eq!(decimal("0x3b9aca00")?, "1000000000");
        let largest = format!("0x{}", "f".repeat(64));
        assert_eq!(
            decimal(&largest)?,
            "115792089237316195423570985008687907853269984665640564039457584007913129639935"
        );
        assert!(decimal("0x").is_err());
        Ok(())
    }
}
