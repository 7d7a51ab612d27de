//! Immutable replies on disk: they survive a gateway that is killed, and a store that is broken costs requests, never
//! an answer.

use std::fs::{self, OpenOptions};
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result, ensure};
use portolan_tests::gateway::Gateway;
use portolan_tests::protocol::{PLUGINS, Plugin};
use portolan_tests::rpc_fault::RpcFault;
use portolan_tests::wait;
use portolan_tests::world::World;
use serde_json::json;

/// 75 farms, whose addresses and tokens are read once for ever.
const PLUGIN: &str = "quickswap";
const NETWORK: &str = "polygon";
const STORE: &str = "reads.redb";
/// Several rounds of the task that writes.
const WRITTEN_WITHIN: Duration = Duration::from_secs(30);
/// A round may have come in the middle of an answer; a later round writes what that one did not.
const TRIED_FOR: Duration = Duration::from_secs(120);

/// So old that the block is deep, and so young that what was read at it is not expired.
const BLOCK_AGE: Duration = Duration::from_secs(24 * 3_600);

/// Blocks above one that is final; anvil has it 64 below the newest.
const FINAL_AFTER: &str = "0x46";

struct Rig {
    world: World,
    rpc: RpcFault,
    gateway: Gateway,
    /// The block of all answers, which is final: what is read at another one waits until that is.
    block: u64,
}

/// An answer, and what its calls weighed at the endpoint.
#[derive(Debug)]
struct Answer {
    body: String,
    requested_bytes: usize,
}

fn plugin() -> Plugin {
    *PLUGINS.iter().find(|plugin| plugin.name == PLUGIN).unwrap()
}

impl Rig {
    fn start() -> Self {
        let world = World::start().unwrap();
        let chain = &world.chain(NETWORK).unwrap().0;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        chain.rpc("evm_setNextBlockTimestamp", json!([(now - BLOCK_AGE).as_secs()])).unwrap();
        chain.rpc("evm_mine", json!([])).unwrap();
        // Later blocks have its time too, so that nothing is earned meanwhile.
        chain.rpc("anvil_setBlockTimestampInterval", json!([0])).unwrap();
        // Contracts see invented parents of the first blocks after a snapshot.
        chain.rpc("anvil_mine", json!(["0x2"])).unwrap();
        let block = chain.rpc("eth_blockNumber", json!([])).unwrap();
        let block = u64::from_str_radix(block.as_str().unwrap().trim_start_matches("0x"), 16).unwrap();
        chain.rpc("anvil_mine", json!([FINAL_AFTER])).unwrap();
        let rpc = RpcFault::before(&chain.url).unwrap();
        // The second endpoint says the same as the first.
        let setup = world.with(&[plugin()]).unwrap().rpc(NETWORK, &rpc.url()).rpc(NETWORK, &chain.url);
        let others = world.chains.iter().filter(|(_, truth)| truth.network != NETWORK);
        let setup = others.fold(setup, |setup, (chain, truth)| setup.rpc(&truth.network, &chain.url));
        let gateway = setup.start().unwrap();
        Self { world, rpc, gateway, block }
    }

    fn fetch(&self) -> Result<Answer> {
        drop(self.rpc.take());
        // Nothing of what simulations need is stored.
        let (farmer, block) = (self.world.address("farmer")?, self.block);
        let path = format!("/{PLUGIN}/{farmer}/claimables?simulate=false&network={NETWORK}&block={block}");
        let response = self.gateway.get(&path)?;
        ensure!(response.status == 200 && response.header("portolan-partial").is_none(), "{response:?}");
        let calls = self
            .rpc
            .take()
            .into_iter()
            .filter(|exchange| String::from_utf8_lossy(&exchange.requested).contains("\"eth_call\""));
        Ok(Answer { body: response.body, requested_bytes: calls.map(|exchange| exchange.requested.len()).sum() })
    }

    /// Killed, something done to its state, and started.
    fn restart(&mut self, between: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
        self.gateway.kill_and_restart(&[PLUGIN.to_owned()], between)
    }

    /// An answer, once something of it is on disk.
    fn fetch_and_write(&self) -> Result<Answer> {
        let before = self.stored()?;
        let answer = self.fetch()?;
        self.written_since(&before)?;
        Ok(answer)
    }

    fn stored(&self) -> Result<Vec<u8>> {
        let store = self.gateway.plugins_dir().with_file_name("state").join(STORE);
        fs::read(&store).with_context(|| format!("no {}", store.display()))
    }

    fn written_since(&self, before: &[u8]) -> Result<()> {
        let written = || {
            ensure!(self.stored()? != before, "nothing was written");
            Ok::<_, anyhow::Error>(())
        };
        wait::until("a write", WRITTEN_WITHIN, written)?;
        Ok(())
    }

    /// The answer of a gateway that was killed after `first` was written.
    fn after_a_kill(&mut self, first: &Answer) -> Answer {
        let kept = || {
            self.restart(|_| Ok(()))?;
            let before = self.stored()?;
            let again = self.fetch()?;
            // Immutable replies are more than a fifth of the first reads, less those that claims depend on, which are
            // read again.
            let (now, then) = (again.requested_bytes, first.requested_bytes);
            if now * 5 >= then * 4 {
                self.written_since(&before)?;
            }
            ensure!(now * 5 < then * 4, "{now} B, at first {then} B");
            Ok::<_, anyhow::Error>(again)
        };
        wait::until("replies from the disk", TRIED_FOR, kept).unwrap().0
    }
}

/// Stores that were moved aside.
fn broken(state: &Path) -> Result<Vec<PathBuf>> {
    let files = fs::read_dir(state)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    let is_broken = |path: &PathBuf| path.to_string_lossy().contains(&format!("{STORE}.broken-"));
    Ok(files.into_iter().filter(is_broken).collect())
}

#[test]
fn immutable_replies_survive_a_killed_gateway_and_are_not_read_again() {
    let mut rig = Rig::start();
    let first = rig.fetch_and_write().unwrap();
    let again = rig.after_a_kill(&first);
    assert_eq!(again.body, first.body);
    println!("{} B of calls cold, {} B after a kill", first.requested_bytes, again.requested_bytes);
}

#[test]
fn a_corrupt_store_is_moved_aside_and_reported_and_a_fresh_one_is_started() {
    let mut rig = Rig::start();
    let first = rig.fetch_and_write().unwrap();
    let kept = rig.after_a_kill(&first);
    type Harm = fn(&Path) -> Result<()>;
    let harms: [(&str, Harm); 3] = [
        ("a text", |store| Ok(fs::write(store, "no database\n".repeat(500))?)),
        ("the half of it", |store| {
            let length = fs::metadata(store)?.len();
            Ok(OpenOptions::new().write(true).open(store)?.set_len(length / 2)?)
        }),
        ("zeros over its head", |store| {
            let mut file = OpenOptions::new().write(true).open(store)?;
            file.seek(SeekFrom::Start(0))?;
            Ok(file.write_all(&[0; 512])?)
        }),
    ];
    let last = harms.len() - 1;
    for (place, (what, harm)) in harms.into_iter().enumerate() {
        let mut state = PathBuf::new();
        rig.restart(|folder| {
            state = folder.to_owned();
            broken(folder)?.into_iter().try_for_each(fs::remove_file)?;
            harm(&folder.join(STORE)).context(what)
        })
        .unwrap();
        assert_eq!(broken(&state).unwrap().len(), 1, "{what}: {}", rig.gateway.log());
        let log = rig.gateway.log();
        let reported = log.lines().filter(|line| line.contains(STORE)).count();
        assert_eq!(reported, 1, "{what}: {log}");
        let answer = if place == last { rig.fetch_and_write() } else { rig.fetch() }.unwrap();
        assert_eq!(answer.body, first.body, "{what}");
        assert!(
            answer.requested_bytes > kept.requested_bytes,
            "{what}: {} B as if nothing was lost",
            answer.requested_bytes
        );
    }
    assert_eq!(rig.after_a_kill(&first).body, first.body);
}
