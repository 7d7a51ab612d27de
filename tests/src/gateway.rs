//! A gateway process of a test: its own folders, free ports, killed and reaped at the end.
//!
//! Invariant: whatever it waits for has a deadline, and what the process printed stands in the failure.

use std::fmt::Write as _;
use std::fs::{self, DirBuilder, File, Permissions};
use std::io::{BufRead as _, BufReader, Read};
use std::net::{SocketAddr, TcpListener};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{DirBuilderExt as _, FileExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use tempfile::TempDir;

use crate::build;
use crate::http::{self, Response};
use crate::json::Json;
use crate::wait;

/// For the ports to be bound, the first scan of the plugins to end, a process to exit.
const START_WITHIN: Duration = Duration::from_secs(20);
const SHARED_WITHIN: Duration = Duration::from_secs(20);
const SAVED_WITHIN: Duration = Duration::from_secs(20);

/// For a dropped, changed or removed file to be in force, on a busy machine. `reads -- reloads` of the benchmarks measures
/// how soon it is.
pub const IN_FORCE_WITHIN: Duration = Duration::from_secs(20);

/// The URL at which tests' gateways believe that clients know them, so that their answers do not depend on a port. It
/// is the address of the demo.
pub const PUBLIC_URL: &str = "http://127.0.0.1:8080";

/// Passes the socket on stdin as a service manager would, and becomes the program, which keeps the process id.
const PASS_SOCKET: &str = r#"LISTEN_FDS=1 LISTEN_PID=$$ exec "$0" "$@" 3<&0 </dev/null"#;

/// How a gateway is started.
#[derive(Debug, Default)]
pub struct Setup {
    host: Option<PathBuf>,
    config: String,
    args: Vec<String>,
    variables: Vec<(String, String)>,
    plugins: Vec<(PathBuf, String)>,
    settings: Vec<(String, String)>,
    slugs: Vec<String>,
    socket: Option<TcpListener>,
}

impl Setup {
    /// Runs another build of the host than the tests' own.
    #[must_use]
    pub fn host(mut self, program: &Path) -> Self {
        self.host = Some(program.to_owned());
        self
    }

    /// Appends to the configuration file.
    #[must_use]
    pub fn config(mut self, toml: &str) -> Self {
        let _ = writeln!(self.config, "{toml}");
        self
    }

    /// Names an endpoint of a network.
    #[must_use]
    pub fn rpc(self, network: &str, url: &str) -> Self {
        self.arg("--rpc").arg(format!("{network}={url}"))
    }

    /// A further argument of `portolan serve`.
    #[must_use]
    pub fn arg(mut self, arg: impl Into<String>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// A variable of the environment that it is started with.
    #[must_use]
    pub fn variable(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Passes it a bound socket, which outlives the process. It is at its own address unless `--listen` names another.
    #[must_use]
    pub fn socket(mut self, socket: TcpListener) -> Self {
        self.socket = Some(socket);
        self
    }

    /// Runs plugins in the gateway's process.
    #[must_use]
    pub fn in_process(self) -> Self {
        self.variable("PORTOLAN_PLUGINS_ISOLATION", "in-process")
    }

    /// Puts a built plugin into the folder, and waits until `slugs` are served.
    #[must_use]
    pub fn plugin(mut self, file: &Path, slugs: &[&str]) -> Self {
        let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        self.plugins.push((file.to_owned(), name));
        self.slugs.extend(slugs.iter().map(|slug| (*slug).to_owned()));
        self
    }

    /// Writes a plugin's settings file.
    #[must_use]
    pub fn settings(mut self, plugin: &str, toml: &str) -> Self {
        self.settings.push((plugin.to_owned(), toml.to_owned()));
        self
    }

    /// Starts the gateway and waits until it is ready and serves the plugins' slugs.
    ///
    /// # Errors
    /// If it does not become ready, with what it printed.
    pub fn start(self) -> Result<Gateway> {
        let slugs = self.slugs.clone();
        let gateway = self.listening()?;
        gateway.with_log(wait::until("readiness", START_WITHIN, || gateway.is_ready()))?;
        gateway.with_log(wait::until("the plugins", START_WITHIN, || gateway.serves(&slugs)))?;
        Ok(gateway)
    }

    /// Starts the gateway and waits for its ports alone.
    ///
    /// # Errors
    /// If it does not listen, with what it printed.
    pub fn listening(self) -> Result<Gateway> {
        let dir = tempfile::Builder::new().prefix("portolan-e2e-").tempdir()?;
        let plugins = dir.path().join("plugins");
        DirBuilder::new().mode(0o755).create(&plugins)?;
        let named =
            if self.config.contains("public_url") { String::new() } else { format!("public_url = {PUBLIC_URL:?}\n") };
        fs::write(dir.path().join("portolan.toml"), named + &self.config)?;
        for (file, name) in &self.plugins {
            fs::copy(file, plugins.join(name)).with_context(|| file.display().to_string())?;
            close(&plugins.join(name))?;
        }
        for (plugin, text) in &self.settings {
            fs::write(plugins.join(format!("{plugin}.toml")), text)?;
            close(&plugins.join(format!("{plugin}.toml")))?;
        }
        let program = match self.host {
            Some(program) => program,
            None => build::built()?.host(),
        };
        let mut args = self.args;
        if let Some(socket) = &self.socket
            && !args.iter().any(|arg| arg == "--listen")
        {
            args.extend(["--listen".to_owned(), socket.local_addr()?.to_string()]);
        }
        for flag in ["--listen", "--claimables-listen", "--operators-listen"] {
            if !args.iter().any(|arg| arg == flag) {
                args.extend([flag.to_owned(), "127.0.0.1:0".to_owned()]);
            }
        }
        let launch =
            Launch { dir: Arc::new(dir), program, args, variables: self.variables, socket: self.socket.map(Arc::new) };
        Gateway::spawn(launch)
    }
}

/// `portolan serve` with the folders of `dir`, and nothing of this process's environment that would configure it.
///
/// # Errors
/// Where the host does not build.
pub fn serve(dir: &Path) -> Result<Command> {
    Ok(serving(&build::built()?.host(), dir))
}

fn serving(program: &Path, dir: &Path) -> Command {
    let mut command = Command::new(program);
    command.arg("serve").arg("--config").arg(dir.join("portolan.toml"));
    command.arg("--plugins").arg(dir.join("plugins")).arg("--state").arg(dir.join("state")).current_dir(dir);
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("PORTOLAN_")) {
        command.env_remove(name);
    }
    command
}

/// A running gateway.
#[derive(Debug)]
pub struct Gateway {
    pub base: SocketAddr,
    pub claimables: SocketAddr,
    /// Port 0 where it is a Unix socket.
    pub operators: SocketAddr,
    child: Child,
    stdout: Mutex<Receiver<String>>,
    /// A file and no pipe: what was written before an answer can be read once the answer is there.
    stderr: File,
    launch: Launch,
}

/// What a gateway is started with, to start it again.
#[derive(Clone, Debug)]
struct Launch {
    dir: Arc<TempDir>,
    program: PathBuf,
    args: Vec<String>,
    variables: Vec<(String, String)>,
    socket: Option<Arc<TcpListener>>,
}

impl Launch {
    fn command(&self) -> Result<Command> {
        let mut command = serving(&self.program, self.dir.path());
        command.args(&self.args).stdin(Stdio::null());
        if let Some(socket) = &self.socket {
            let served = std::mem::replace(&mut command, Command::new("sh"));
            command.arg("-c").arg(PASS_SOCKET).arg(served.get_program()).args(served.get_args());
            command.current_dir(self.dir.path()).stdin(Stdio::from(OwnedFd::from(socket.try_clone()?)));
            served.get_envs().filter(|(_, value)| value.is_none()).for_each(|(name, _)| {
                command.env_remove(name);
            });
        }
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        Ok(command)
    }
}

impl Gateway {
    fn spawn(launch: Launch) -> Result<Self> {
        let stderr = tempfile::tempfile()?;
        let mut child = launch.command()?.stdout(Stdio::piped()).stderr(stderr.try_clone()?).spawn()?;
        let stdout = Mutex::new(lines(child.stdout.take().context("no stdout")?));
        let unknown = SocketAddr::from(([127, 0, 0, 1], 0));
        let (base, claimables, operators) = (unknown, unknown, unknown);
        let mut gateway = Self { base, claimables, operators, child, stdout, stderr, launch };
        let line = gateway.stdout().recv_timeout(START_WITHIN).context("no line on stdout");
        let line = gateway.with_log(line)?;
        for (name, address) in [
            ("base=http://", &mut gateway.base),
            ("claimables=http://", &mut gateway.claimables),
            ("operators=http://", &mut gateway.operators),
        ] {
            if line.contains("operators=unix:") && name.starts_with("operators") {
                continue;
            }
            let word = line.split(' ').find_map(|word| word.strip_prefix(name));
            *address = word.with_context(|| format!("no {name} in {line}"))?.parse()?;
        }
        Ok(gateway)
    }

    /// Sends a request to the base address.
    ///
    /// # Errors
    /// No answer.
    pub fn get(&self, path: &str) -> Result<Response> {
        self.with_log(http::get(self.base, path))
    }

    /// Sends a request to the aggregate's own address.
    ///
    /// # Errors
    /// No answer.
    pub fn aggregate(&self, path: &str) -> Result<Response> {
        self.with_log(http::get(self.claimables, path))
    }

    /// Sends a request to the operators' address.
    ///
    /// # Errors
    /// No answer.
    pub fn operate(&self, path: &str) -> Result<Response> {
        self.with_log(http::get(self.operators, path))
    }

    /// Returns the sum of the values of a metric, or of those of its rows that begin like this.
    ///
    /// # Errors
    /// No answer, or a value that is no count.
    pub fn count(&self, metric: &str) -> Result<u64> {
        let page = self.operate("/metrics")?.body;
        let values = page.lines().filter(|line| line.starts_with(metric)).filter_map(|line| line.rsplit(' ').next());
        values.map(|value| value.parse::<u64>().with_context(|| format!("{metric} is {value}"))).sum()
    }

    /// Waits until nothing more is written to the store that gateways share.
    ///
    /// # Errors
    /// No metrics, or writes without an end.
    pub fn wait_until_shared(&self) -> Result<()> {
        let (mut before, mut equal) = (None, 0);
        let is_written = || {
            let now = self.count("portolan_store_written_total")?;
            equal = if before.replace(now) == Some(now) { equal + 1 } else { 0 };
            ensure!(equal >= 5, "{now} written, and {equal} times no more");
            Ok::<_, anyhow::Error>(())
        };
        wait::until("writes", SHARED_WITHIN, is_written).map(drop)
    }

    /// The rows of `/plugins`.
    ///
    /// # Errors
    /// No such answer.
    pub fn plugins(&self) -> Result<Vec<Json>> {
        Ok(self.operate("/plugins")?.json()?.items()?.to_vec())
    }

    /// The folder that it watches.
    pub fn plugins_dir(&self) -> PathBuf {
        self.launch.dir.path().join("plugins")
    }

    /// Puts a file into the plugins folder at once, as a whole.
    ///
    /// # Errors
    /// Returns an error of the file system.
    pub fn drop_in(&self, name: &str, content: &[u8]) -> Result<()> {
        let beside = self.launch.dir.path().join("incoming");
        fs::write(&beside, content)?;
        close(&beside)?;
        Ok(fs::rename(beside, self.plugins_dir().join(name))?)
    }

    /// Takes a file out of the plugins folder.
    ///
    /// # Errors
    /// Returns an error of the file system.
    pub fn take_out(&self, name: &str) -> Result<()> {
        Ok(fs::remove_file(self.plugins_dir().join(name))?)
    }

    /// `portolan plugin …` about this gateway.
    ///
    /// # Errors
    /// The host is not built.
    pub fn plugin_command(&self, args: &[&str]) -> Result<Command> {
        let state = self.launch.dir.path().join("state");
        let mut command = Command::new(build::built()?.host());
        command.arg("plugin").args(args).arg("--state").arg(&state).env_clear().env("HOME", &state);
        Ok(command)
    }

    /// Its process, by its id.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// The most memory that it ever had, in mebibytes, as the kernel counts it.
    ///
    /// # Errors
    /// Where it has ended.
    pub fn memory_peak_mib(&self) -> Result<f64> {
        self.memory_of("VmHWM:")
    }

    /// The memory that it has now, likewise.
    ///
    /// # Errors
    /// Where it has ended.
    pub fn memory_mib(&self) -> Result<f64> {
        self.memory_of("VmRSS:")
    }

    fn memory_of(&self, row: &str) -> Result<f64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix(row)).with_context(|| format!("no {row}"))?;
        let kib: u32 = line.trim().strip_suffix(" kB").context("another unit")?.parse()?;
        Ok(f64::from(kib) / 1024.0)
    }

    /// Lets it end as an operator would.
    ///
    /// # Errors
    /// Where it has ended already.
    pub fn sigterm(&self) -> Result<()> {
        let id = rustix::process::Pid::from_raw(i32::try_from(self.child.id())?).context("process id 0")?;
        Ok(rustix::process::kill_process(id, rustix::process::Signal::TERM)?)
    }

    /// Waits until the set of last known good builds is on the disk with these plugins.
    ///
    /// # Errors
    /// If one is not there in time.
    pub fn known_good_has(&self, plugins: &[&str]) -> Result<()> {
        let file = self.launch.dir.path().join("state").join("known-good");
        let look = || -> Result<()> {
            let text = fs::read_to_string(&file)?;
            ensure!(plugins.iter().all(|plugin| text.contains(&format!("\"{plugin}\": {{"))), "{text}");
            Ok(())
        };
        self.with_log(wait::until("the known good set", SAVED_WITHIN, look)).map(drop)
    }

    /// Kills it as a power cut would, and starts it again with the same folders and arguments; `between` gets the state
    /// folder. It waits for readiness and these slugs.
    ///
    /// # Errors
    /// If it does not start, with what it printed.
    pub fn kill_and_restart(&mut self, slugs: &[String], between: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
        self.kill_and_relaunch(between)?;
        self.with_log(wait::until("readiness", START_WITHIN, || self.is_ready()))?;
        self.with_log(wait::until("the plugins", START_WITHIN, || self.serves(slugs)))?;
        Ok(())
    }

    /// The same, waiting for its ports alone.
    ///
    /// # Errors
    /// If it does not start, with what it printed.
    pub fn kill_and_relaunch(&mut self, between: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
        // It may have ended already; reaping it is what matters.
        let _ = self.child.kill();
        self.child.wait()?;
        between(&self.launch.dir.path().join("state"))?;
        *self = Self::spawn(self.launch.clone())?;
        Ok(())
    }

    /// Restarts it as a service manager does: it drains, ends, and is started again. Waits for its ports alone.
    ///
    /// # Errors
    /// If it does not end or start, with what it printed.
    pub fn restart(&mut self) -> Result<()> {
        self.sigterm()?;
        let status = self.exited()?;
        ensure!(status.success(), "it ended with {status}: {}", self.log());
        *self = Self::spawn(self.launch.clone())?;
        Ok(())
    }

    /// How it ended.
    ///
    /// # Errors
    /// Where it does not.
    pub fn exited(&mut self) -> Result<ExitStatus> {
        let ended = wait::until("exit", START_WITHIN, || self.child.try_wait()?.context("it still runs"));
        Ok(self.with_log(ended)?.0)
    }

    /// Returns the lines of stdout beyond the first.
    pub fn further_stdout(&self) -> Vec<String> {
        self.stdout().try_iter().collect()
    }

    fn stdout(&self) -> MutexGuard<'_, Receiver<String>> {
        self.stdout.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns its log so far.
    pub fn log(&self) -> String {
        let (mut log, mut chunk) = (Vec::new(), [0; 1 << 16]);
        // Not from where the process writes: its place in the file is the same.
        while let Ok(len @ 1..) = self.stderr.read_at(&mut chunk, log.len() as u64) {
            log.extend_from_slice(&chunk[..len]);
        }
        String::from_utf8_lossy(&log).into_owned()
    }

    fn is_ready(&self) -> Result<()> {
        let response = http::get(self.operators, "/readyz")?;
        ensure!(response.status == 200, "/readyz is {} {}", response.status, response.body);
        Ok(())
    }

    /// Checks that `/protocols` has every one of these slugs.
    ///
    /// # Errors
    /// Names one that is not served, with the status of the plugins.
    pub fn serves(&self, slugs: &[String]) -> Result<()> {
        let protocols = http::get(self.base, "/protocols")?.json()?;
        let served: Vec<&str> = protocols.items()?.iter().filter_map(|row| row.text_at("slug").ok()).collect();
        match slugs.iter().find(|slug| !served.contains(&slug.as_str())) {
            None => Ok(()),
            Some(slug) => anyhow::bail!("{slug} is not served: {}", http::get(self.operators, "/plugins")?.body),
        }
    }

    /// A failure together with what the process logged.
    fn with_log<T>(&self, result: Result<T>) -> Result<T> {
        result.with_context(|| format!("the gateway's stderr:\n{}", self.log()))
    }
}

/// Leaves writing to the owner, whatever the umask of the tests is.
fn close(file: &Path) -> Result<()> {
    Ok(fs::set_permissions(file, Permissions::from_mode(0o644))?)
}

impl Drop for Gateway {
    fn drop(&mut self) {
        // It may have ended already; reaping it is what matters.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn lines(stdout: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    receiver
}

/// The processes that a gateway runs its plugins in.
///
/// # Errors
/// Where the gateway has ended.
pub fn workers(gateway: u32) -> Result<Vec<u32>> {
    let mut workers = Vec::new();
    for thread in fs::read_dir(format!("/proc/{gateway}/task"))? {
        // A thread may end meanwhile.
        let children = fs::read_to_string(thread?.path().join("children")).unwrap_or_default();
        workers.extend(children.split_whitespace().filter_map(|child| child.parse::<u32>().ok()));
    }
    Ok(workers)
}
