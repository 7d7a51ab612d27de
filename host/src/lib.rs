//! The process: command line, configuration, listeners, gateway, drain.
//!
//! Invariant: the configuration is valid before an address is bound, all addresses are bound before anything is
//! printed, and stdout gets exactly one line. Misuse is one line on stderr and exit code 2.

mod cli;
mod clients;
mod config;
mod http;

mod gateway;

mod events;
mod jobs;

mod address;
mod allocator;
mod answer_commands;
mod budget;
mod clear_signing;
mod cpu_pool;
mod head_age;
mod history;
mod log;
mod lone_gateway;
mod lone_plugin;
mod markdown;
mod memory;
mod memory_limit;
mod memory_used;
mod monitor;
#[cfg(not(feature = "otlp"))]
mod no_span_export;
mod paths;
mod plugin_ask;
mod plugin_check;
mod plugin_new;
mod plugin_templates;
mod plugin_watch;
#[cfg(test)]
mod reference;
mod serve_check;
#[cfg(feature = "otlp")]
mod span_export;
mod spans;
mod step_counts;
mod terminal;
mod text_table;

#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;

use std::fmt::Display;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use std::{env, io};

use anyhow::Context;
use portolan_base::files::TrustedOwners;
use portolan_plugins::{logos, probe, worker};
use portolan_reader::RpcUrl;
use rustix::fs::{Access, access};
use rustix::process::{DumpableBehavior, set_dumpable_behavior};
use tokio::runtime::Runtime;
use tokio::signal::unix::{SignalKind, signal};

use crate::cli::{
    AnswerCommand, Command, Flags, GatewayPluginCommand, KeyCommand, NewPluginFlags, PluginCommand, PluginFile,
    SourceFlags, StateCommand, Stop,
};
use crate::clients::Clients;
use crate::clients::new_key::{NewKey, NewKeyError};
use crate::config::{BuiltFolder, Config, Environment};
use crate::gateway::Gateway;
use crate::http::admin::control::ControlState;
use crate::http::admin::control::client::ControlError;
use crate::http::public::pages::Pages;
use crate::http::public::pages::page_folder::{self, PageFolder, PageFolderKind};
use crate::http::server::passed_sockets::PassedSockets;
use crate::http::server::serve::{ListenerPages, Listeners};
use crate::lone_plugin::LonePluginError;
use crate::spans::SpanExport;

/// Exit code for invalid flags or configuration, or an address in use.
const MISUSE: u8 = 2;
/// Exit code of commands if no gateway runs.
const NOT_RUNNING: u8 = 3;

/// Time for threads to return from plugins after the drain; then they are abandoned.
const THREADS_END: Duration = Duration::from_millis(500);

/// Runs the command; returns the exit code.
pub fn run() -> ExitCode {
    match cli::parse(env::args_os()) {
        Ok(Command::Answer(command)) => request(&command),
        Ok(Command::Serve(flags)) => serve(&flags),
        Ok(Command::Mcp(flags)) => serve_assistant(&flags),
        Ok(Command::State { command }) => state(&command),
        Ok(Command::Plugin { command: PluginCommand::New(flags) }) => new_plugin(&flags),
        Ok(Command::Plugin { command: PluginCommand::Check(flags) }) => {
            try_plugin(&flags.of, async |environment| plugin_check::run(&flags, environment).await)
        }
        Ok(Command::Plugin { command: PluginCommand::Ask(flags) }) => {
            try_plugin(&flags.of, async |environment| plugin_ask::run(&flags, environment).await)
        }
        Ok(Command::Plugin { command: PluginCommand::OfGateway(command) }) => plugin(command),
        Ok(Command::Key { command: KeyCommand::New { name } }) => new_key(&name),
        Ok(Command::Completions { shell }) => print(&mut io::stdout(), &cli::completions(shell), ExitCode::SUCCESS),
        Ok(Command::ManPages { folder }) => match cli::write_man_pages(&folder) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => fail(&format_args!("{}: {error}", folder.display())),
        },
        Ok(Command::Probe { file }) => probe::main(&file),
        Ok(Command::Worker) => worker::main(),
        Err(Stop::Show(text)) => print(&mut io::stdout(), &text, ExitCode::SUCCESS),
        Err(Stop::Misuse(text)) => misuse(&text),
    }
}

fn serve(flags: &Flags) -> ExitCode {
    allocator::tune();
    // Endpoint keys are in memory and in the initial environment. Other processes of the same user must not read
    // either, and no core file may hold them.
    if let Err(error) = set_dumpable_behavior(DumpableBehavior::NotDumpable) {
        return fail(&error);
    }
    let config = Environment::take().and_then(|environment| Config::load(flags, &environment));
    let mut config = match config {
        Ok(config) => config,
        Err(error) => return misuse(&error),
    };
    if let Err(error) = config.check_plugins_dir() {
        return misuse(&error);
    }
    let folders = match PageFolders::read(&config) {
        Ok(folders) => folders,
        Err(reason) => return misuse(&reason),
    };
    // While there is one thread.
    let passed = match PassedSockets::take() {
        Ok(passed) => passed,
        Err(error) => return misuse(&error),
    };
    let clients = match Clients::read(&config.clients) {
        Ok(clients) => clients,
        Err(error) => return misuse(&format_args!("clients.keys_file: {error}")),
    };
    let runtime = match Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => return fail(&error),
    };
    if flags.check {
        let checked = runtime.block_on(serve_check::run(config));
        runtime.shutdown_timeout(THREADS_END);
        return checked.map_or_else(|error| fail(&error), |found| print_found(&found));
    }
    let export = config.collector.as_ref().map(|collector| SpanExport::start(collector, runtime.handle()));
    let export = match export.transpose() {
        Ok(export) => export,
        Err(error) => return misuse(&format_args!("spans.collector: {error}")),
    };
    log::start(config.log_format, std::mem::take(&mut config.log_filter), export.as_ref().map(SpanExport::layer));
    let code = runtime.block_on(listen(&config, &folders, clients, passed));
    if let Some(export) = export {
        export.stop();
    }
    runtime.shutdown_timeout(THREADS_END);
    code
}

/// The folders of pages that the gateway serves.
struct PageFolders {
    book: PageFolder,
    explorer: PageFolder,
}

impl PageFolders {
    fn read(config: &Config) -> Result<Self, String> {
        let read = |kind, folder| read_pages(kind, folder, config.gateway.writers);
        Ok(Self {
            book: read(&page_folder::BOOK, &config.docs)?,
            explorer: read(&page_folder::EXPLORER, &config.explorer)?,
        })
    }
}

/// Reads a folder of pages; an empty one if there is none where nobody named one.
fn read_pages(kind: &PageFolderKind, folder: &BuiltFolder, writers: TrustedOwners) -> Result<PageFolder, String> {
    let PageFolderKind { name, setting, built_by, .. } = kind;
    let Some(dir) = &folder.dir else { return Ok(PageFolder::default()) };
    match PageFolder::read(kind, dir, writers) {
        Ok(Some(read)) => Ok(read),
        Ok(None) if !folder.is_named => Ok(PageFolder::default()),
        Ok(None) => {
            let dir = dir.display();
            Err(format!(
                "{setting}: the folder {dir} is not there: build the {name} with {built_by}, or correct its name"
            ))
        }
        Err(error) => Err(format!("{setting}: {error}")),
    }
}

/// Requests an answer from a gateway, or makes one without a server.
fn request(command: &AnswerCommand) -> ExitCode {
    in_runtime(async |environment| answer_commands::run(command, environment).await)
        .map_or_else(|code| code, ExitCode::from)
}

fn serve_assistant(flags: &SourceFlags) -> ExitCode {
    in_runtime(async |environment| answer_commands::serve_assistant(flags, environment).await)
        .map_or_else(|code| code, ExitCode::from)
}

/// Runs the work of a command that serves nothing.
///
/// # Errors
/// Returns the exit code if it cannot begin.
fn in_runtime<T>(work: impl AsyncFnOnce(&Environment) -> T) -> Result<T, ExitCode> {
    let environment = Environment::of_process().map_err(|error| misuse(&error))?;
    let runtime = Runtime::new().map_err(|error| fail(&error))?;
    let done = runtime.block_on(work(&environment));
    runtime.shutdown_timeout(THREADS_END);
    Ok(done)
}

fn state(command: &StateCommand) -> ExitCode {
    control(&command.flags(), |config| http::admin::control::facts::run(command, config))
}

fn plugin(command: GatewayPluginCommand) -> ExitCode {
    let (gateway, command) = http::admin::control::plugins::requested(command);
    control(&gateway.flags(), |config| http::admin::control::plugins::run(&command, config))
}

fn control(flags: &Flags, run: impl FnOnce(&Config) -> Result<String, ControlError>) -> ExitCode {
    let config = Environment::of_process().and_then(|environment| Config::load(flags, &environment));
    match config.map(|config| run(&config)) {
        Ok(Ok(text)) => print(&mut io::stdout(), &text, ExitCode::SUCCESS),
        Ok(Err(error @ ControlError::Misuse(_))) => misuse(&error),
        Ok(Err(error @ ControlError::NotRunning(_))) => {
            print(&mut io::stderr(), &format!("portolan: {error}\n"), ExitCode::from(NOT_RUNNING))
        }
        Ok(Err(error)) => fail(&error),
        Err(error) => misuse(&error),
    }
}

fn new_plugin(flags: &NewPluginFlags) -> ExitCode {
    match plugin_new::run(flags, Path::new("")) {
        Ok(text) => print(&mut io::stdout(), &text, ExitCode::SUCCESS),
        Err(error) if error.is_misuse() => misuse(&error),
        Err(error) => fail(&error),
    }
}

/// Prints the lines for the file of keys, and the key beside them on stderr, so that a redirected output has no secret.
fn new_key(name: &str) -> ExitCode {
    match NewKey::make(name) {
        Ok(NewKey { key, lines }) => {
            let note = format!("the key, which is not shown again: {key}\n");
            print(&mut io::stderr(), &note, ExitCode::SUCCESS);
            print(&mut io::stdout(), &lines, ExitCode::SUCCESS)
        }
        Err(error @ NewKeyError::Name(_)) => misuse(&error),
        Err(error) => fail(&error),
    }
}

/// Runs a command that loads a plugin without serving it, once or at each build.
fn try_plugin(of: &PluginFile, run: impl AsyncFn(&Environment) -> Result<(String, bool), LonePluginError>) -> ExitCode {
    let tried = in_runtime(async |environment| {
        if of.watch {
            let is_sound = plugin_watch::run(of, async || run(environment).await).await?;
            return Ok((String::new(), is_sound));
        }
        run(environment).await
    });
    let tried = match tried {
        Ok(tried) => tried,
        Err(code) => return code,
    };
    match tried {
        Ok(found) => print_found(&found),
        Err(error) if error.is_misuse() => misuse(&error),
        Err(error) => fail(&error),
    }
}

/// Prints what a check found; the exit code says whether all is sound.
fn print_found((text, is_sound): &(String, bool)) -> ExitCode {
    print(&mut io::stdout(), text, if *is_sound { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn listen(config: &Config, folders: &PageFolders, clients: Clients, passed: PassedSockets) -> ExitCode {
    let listeners = match Listeners::bind(config, passed) {
        Ok(listeners) => listeners,
        Err(error) => return misuse(&error),
    };
    match answer(config, folders, clients, listeners).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(&format_args!("{error:#}")),
    }
}

async fn answer(config: &Config, folders: &PageFolders, clients: Clients, listeners: Listeners) -> anyhow::Result<()> {
    let mut terminate = signal(SignalKind::terminate()).context("cannot wait for SIGTERM")?;
    let mut interrupt = signal(SignalKind::interrupt()).context("cannot wait for SIGINT")?;
    ignore_signals()?;
    log_start(config);
    let public_url = public_url(config, &listeners)?;
    logos::serve_at(&public_url);
    let PageFolders { book, explorer } = folders;
    let pages = ListenerPages {
        base: Pages::new(book, explorer, &public_url).context("cannot describe the API")?,
        operators: Pages::of_operators(explorer),
    };
    for (name, of, read) in [("book", &config.docs, book), ("explorer", &config.explorer, explorer)] {
        if let Some(folder) = &of.dir {
            tracing::info!(name, folder = %folder.display(), files = read.len(), "pages are read");
        }
    }
    let gateway = Arc::new(Gateway::start(&config.gateway).await.context("cannot start")?);
    let _control = http::admin::control::serve::start(&config.gateway.state_dir, ControlState::of(gateway.admin()));
    let line = listeners.line().context("cannot read the listeners' addresses")?;
    // The parent process may have closed our output; that is no reason not to serve.
    let _ = writeln!(io::stdout(), "{line}").and_then(|()| io::stdout().flush());
    let stop = async {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    };
    listeners.serve(config, gateway, pages, clients, stop).await;
    Ok(())
}

/// Ignores the signals that others take for "reload" and that would end the process undrained: each is only logged.
fn ignore_signals() -> anyhow::Result<()> {
    let ignored = [
        ("SIGHUP", SignalKind::hangup()),
        ("SIGUSR1", SignalKind::user_defined1()),
        ("SIGUSR2", SignalKind::user_defined2()),
    ];
    for (name, kind) in ignored {
        let mut received = signal(kind).with_context(|| format!("cannot wait for {name}"))?;
        tokio::spawn(async move {
            while received.recv().await.is_some() {
                tracing::warn!(
                    signal = name,
                    "a signal is ignored: plugins and their settings are reloaded by themselves, the configuration file \
                     by a restart alone"
                );
            }
        });
    }
    Ok(())
}

/// Returns the URL of the base listener for clients: the configured one, or else the bound address.
fn public_url(config: &Config, listeners: &Listeners) -> anyhow::Result<String> {
    if let Some(url) = &config.public_url {
        return Ok(url.clone());
    }
    let url = listeners.base_url().context("cannot read the listeners' addresses")?;
    if config.listen.ip().is_unspecified() {
        tracing::warn!(%url, "public_url is not set: clients on other machines cannot load the logos that are named there");
    }
    Ok(url)
}

/// Logs the configuration in two lines.
fn log_start(config: &Config) {
    let (version, plugins, state) =
        (env!("CARGO_PKG_VERSION"), config.gateway.plugins_dir.display(), config.gateway.state_dir.display());
    tracing::info!(version, %plugins, %state, "portolan starts");
    let network = |(chain_id, endpoints): &(u64, Vec<RpcUrl>)| {
        let slug =
            config.gateway.networks.with_chain_id(*chain_id).map_or_else(|| chain_id.to_string(), |it| it.slug.clone());
        format!("{slug} ({})", endpoints.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))
    };
    let networks = config.gateway.rpc.iter().map(network).collect::<Vec<_>>().join(", ");
    tracing::info!(networks, "these networks have endpoints");
    let functions = config.gateway.plugins_dir.join(portolan_validation::FILE_NAME);
    let may_write = |path| access(path, Access::WRITE_OK).is_ok();
    if functions.exists() && [&functions, &config.gateway.plugins_dir].into_iter().any(may_write) {
        tracing::warn!(
            file = %functions.display(),
            "the user of this process may write the file that says which functions claims may call, and so may any plugin"
        );
    }
}

fn misuse(reason: &dyn Display) -> ExitCode {
    print(&mut io::stderr(), &format!("portolan: {reason}\n"), ExitCode::from(MISUSE))
}

fn fail(reason: &dyn Display) -> ExitCode {
    print(&mut io::stderr(), &format!("portolan: {reason}\n"), ExitCode::FAILURE)
}

/// Prints the text. Write errors are ignored: the exit code counts, and nobody could read the error.
fn print(stream: &mut dyn Write, text: &str, code: ExitCode) -> ExitCode {
    let _ = stream.write_all(text.as_bytes());
    code
}
