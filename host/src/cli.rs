//! The command line. Invariant: every misuse is one line on stderr and exit code 2. RPC URLs are plain text here, so
//! that no error text of the parser can repeat one.

mod answers;
mod pages;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::error::ErrorKind;
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use portolan_abi::Question;
use portolan_base::sanitize;

pub(crate) use self::answers::{AnswerCommand, ColorFlag, ColorWhen, DEFAULT_URL, SourceFlags, Topic, URL_VARIABLE};
pub(crate) use self::pages::{completions, write_man_pages};
use crate::plugin_templates;

/// A self-hosted gateway that answers what an account holds and can claim on EVM networks.
#[derive(Debug, Parser)]
#[command(name = "portolan", version, disable_help_subcommand = true)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    #[command(flatten)]
    Answer(AnswerCommand),
    /// Serve until SIGTERM or SIGINT.
    Serve(Flags),
    /// Serve an assistant over standard input and output, by the Model Context Protocol.
    ///
    /// The tools are the gateway's endpoints. They read and plan: nothing is signed or sent. It ends when its input ends.
    Mcp(SourceFlags),
    /// Show or purge the facts that outlive the gateway, whether it is running or not.
    State {
        #[command(subcommand)]
        command: StateCommand,
    },
    /// Inspect plugins, and decide about those of the running gateway.
    Plugin {
        #[command(subcommand)]
        command: PluginCommand,
    },
    /// Make API keys for clients.
    Key {
        #[command(subcommand)]
        command: KeyCommand,
    },
    /// Print the completions of a shell.
    Completions {
        /// The shell.
        shell: Shell,
    },
    /// Write the man pages of all commands to a folder.
    #[command(hide = true)]
    ManPages {
        /// A folder.
        folder: PathBuf,
    },
    /// Load a plugin file once, in a process of its own; the host starts this itself.
    #[command(hide = true)]
    Probe {
        /// A staged copy of the file.
        file: PathBuf,
    },
    /// Run a plugin in a sandboxed process; the host starts this itself, with a socket as standard input.
    #[command(hide = true)]
    Worker,
}

#[derive(Debug, Subcommand)]
pub(crate) enum StateCommand {
    /// Show each stored fact with the endpoint, block and time that it comes from.
    Show {
        #[command(flatten)]
        facts: FactFlags,
        /// Print JSON, for scripts.
        #[arg(long)]
        json: bool,
    },
    /// Drop facts from memory and disk; without flags, all of them.
    Purge {
        #[command(flatten)]
        facts: FactFlags,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum KeyCommand {
    /// Make a random key. Its lines for the gateway's file of keys go to stdout, so that `>>` appends them; the key
    /// itself goes to stderr, once.
    New {
        /// The key's name in the file, in the log and in metrics: letters, digits, `-` and `_`.
        name: String,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum PluginCommand {
    /// Make a project for a plugin of your own: its code, its tests with recorded jobs, a README, and a workflow that
    /// tests, builds and signs releases. Its output names the next commands.
    New(NewPluginFlags),
    /// Load a plugin file and check its deployments and questions on the chains.
    ///
    /// Shows which addresses of its deployments have code and answer, which of its questions are answered, and what its
    /// claims do when they are tried. A question that fails does not disturb the others.
    ///
    /// Exit codes: 0 if all is sound; 1 if the plugin is refused, an address has no code, a question is not answered in
    /// full, a claim does not pay what it states or a descriptor of --clear-signing contradicts; 2 if the command line
    /// or a file that it names is wrong.
    ///
    /// With --json, one object: `sound`; `capabilities`; `addresses` with `protocol`, `network`, `market`, `address`,
    /// `codeBytes`, `failure`, `answered` and `function`; `jobs` with `protocol`, `network`, `question`, `status`,
    /// `reason`, `detail`, `reads` and `claims` (how many claims were `paid`, `differs`, `reverted`, `refused` and
    /// `untried`); `notChecked` with the networks that --rpc does not name; `notAsked` with the questions that need
    /// --transaction; `clearSigning` with `file`, `sound`, `functions` (`function`, `intent`, `contradictions` and `notes`
    /// of each), `contracts` (by `network`), `onlyInPlugin` and `onlyInDescriptor` for each descriptor.
    Check(CheckFlags),
    /// Load a plugin file and ask it a question as a client of the gateway would.
    ///
    /// Prints its jobs with the reads, bytes and time of each batch, a line for each finding that is refused, the rows of
    /// its answers, and what its claims did when they were tried.
    ///
    /// Exit codes: 0 if all is there and each claim pays what it states; 1 if the plugin is refused, something is missing
    /// or a claim does not pay; 2 if the command line or a file that it names is wrong. With --watch, that of the last
    /// answer.
    ///
    /// With --json, one object for each try: `sound`, and `answers` with `path`, `status`, `partial`, `sound`, `body` (the
    /// answer as a client gets it) and `jobs` with `protocol`, `network`, `question`, `batches` (`reads`, `bytes` and
    /// `durationMs` of each), `refused` and `fixture` (the file that --record wrote).
    Ask(QuestionFlags),
    #[command(flatten)]
    OfGateway(GatewayPluginCommand),
}

/// A command about the plugins of the running gateway.
#[derive(Debug, Subcommand)]
pub(crate) enum GatewayPluginCommand {
    /// List the plugins of the running gateway, with their states.
    List {
        #[command(flatten)]
        gateway: GatewayFlags,
        /// Print JSON, for scripts.
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        color: ColorFlag,
    },
    /// Show all that is known about a plugin.
    Show {
        /// The plugin's name.
        plugin: String,
        #[command(flatten)]
        gateway: GatewayFlags,
        /// Print JSON, for scripts.
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        color: ColorFlag,
    },
    /// Put a build in quarantine: it never runs again, under any name, until it is released. The build before it
    /// becomes active.
    Quarantine {
        #[command(flatten)]
        named: NamedPlugin,
        /// The first digits of the build's SHA-256 [default: the build in force].
        #[arg(long, value_name = "SHA256")]
        build: Option<String>,
        /// Reason shown by `/plugins` and in answers.
        #[arg(long, default_value = "by the operator")]
        reason: String,
    },
    /// Release a plugin's builds from quarantine, also those put there after crashes.
    Release {
        #[command(flatten)]
        named: NamedPlugin,
        /// The first digits of one build's SHA-256 [default: all of them].
        #[arg(long, value_name = "SHA256")]
        build: Option<String>,
    },
    /// Go back to the previous build, and put the active one in quarantine.
    Rollback {
        #[command(flatten)]
        named: NamedPlugin,
        /// Reason shown by `/plugins` and in answers.
        #[arg(long, default_value = "rolled back by the operator")]
        reason: String,
    },
    /// Serve a disabled plugin again.
    Enable {
        #[command(flatten)]
        named: NamedPlugin,
    },
    /// Stop serving a plugin, whatever its build; answers report its protocols as disabled.
    Disable {
        #[command(flatten)]
        named: NamedPlugin,
        /// Reason shown by `/plugins` and in answers.
        #[arg(long, default_value = "by the operator")]
        reason: String,
    },
    /// Serve only one build of a plugin, whatever is in the folder.
    Pin {
        #[command(flatten)]
        named: NamedPlugin,
        /// The first digits of the build's SHA-256 [default: the build in force].
        #[arg(value_name = "SHA256")]
        build: Option<String>,
        /// Serve the build in the folder again.
        #[arg(long, conflicts_with = "build")]
        off: bool,
    },
    /// Serve a build that may do more than the one before it.
    Accept {
        #[command(flatten)]
        named: NamedPlugin,
        /// The first digits of the build's SHA-256 [default: the build that waits].
        #[arg(long, value_name = "SHA256")]
        build: Option<String>,
    },
}

/// Flags that select a gateway.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct GatewayFlags {
    /// Configuration file (TOML) of the gateway.
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<String>,
    /// State folder of the gateway.
    #[arg(long, value_name = "DIR")]
    pub(crate) state: Option<String>,
}

/// A plugin of a gateway.
#[derive(Args, Clone, Debug)]
pub(crate) struct NamedPlugin {
    /// The plugin's name.
    pub(crate) plugin: String,
    #[command(flatten)]
    pub(crate) gateway: GatewayFlags,
}

/// Flags of `plugin new`.
#[derive(Args, Clone, Debug)]
pub(crate) struct NewPluginFlags {
    /// The plugin's name in kebab-case, which is also the name of the new folder.
    pub(crate) name: String,
    /// What the plugin answers first.
    #[arg(long, default_value = "farm", value_parser = PossibleValuesParser::new(plugin_templates::kinds()))]
    pub(crate) kind: String,
    /// A checkout of Portolan to take the SDK from [default: the published crates].
    #[arg(long, value_name = "DIR")]
    pub(crate) sdk: Option<PathBuf>,
}

/// A plugin file that is tried before it is served.
#[derive(Args, Clone, Debug)]
pub(crate) struct PluginFile {
    /// The plugin's dylib. A `claim-functions.toml` beside it counts too.
    pub(crate) file: PathBuf,
    /// Its settings file, named after the plugin [default: the one beside the dylib, if there is one].
    #[arg(long, value_name = "FILE")]
    pub(crate) settings: Option<PathBuf>,
    /// JSON-RPC endpoint of a network; repeatable. Other networks are left out.
    #[arg(long, value_name = "NETWORK=URL", required = true)]
    pub(crate) rpc: Vec<String>,
    /// Configuration file (TOML) of the gateway, for networks of its own and granted hosts.
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<String>,
    /// Print JSON, for scripts.
    #[arg(long)]
    pub(crate) json: bool,
    /// Try again whenever the file is built anew or its settings change, until Ctrl-C. Answers go to stdout; times, and
    /// reasons why a build is refused, go to stderr.
    #[arg(long)]
    pub(crate) watch: bool,
}

/// Flags of `plugin check`.
#[derive(Args, Clone, Debug)]
pub(crate) struct CheckFlags {
    #[command(flatten)]
    pub(crate) of: PluginFile,
    /// An account with holdings, so that more is read [default: 0x000000000000000000000000000000000000dEaD].
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) account: Option<String>,
    /// A transaction with events of the plugin's protocols; without it, the question `events` is not asked.
    #[arg(long, value_name = "HASH")]
    pub(crate) transaction: Option<String>,
    /// A registry's descriptor (ERC-7730) to compare the claim functions with; repeatable. Files that it includes are
    /// not opened.
    #[arg(long, value_name = "FILE")]
    pub(crate) clear_signing: Vec<PathBuf>,
}

/// Flags of `plugin ask`.
#[derive(Args, Clone, Debug)]
pub(crate) struct QuestionFlags {
    #[command(flatten)]
    pub(crate) of: PluginFile,
    /// What to ask.
    pub(crate) question: QuestionName,
    /// The account, by its address or ENS name; for `events`, the hash of a transaction, which is looked for on all
    /// networks of --rpc; for `composition`, the addresses of tokens, with commas between them.
    #[arg(value_name = "ACCOUNT")]
    pub(crate) about: String,
    /// One protocol of the plugin, by its slug [default: all that answer the question].
    #[arg(long, value_name = "SLUG")]
    pub(crate) protocol: Option<String>,
    /// A block to answer at, as the parameter `block` of the API has it.
    #[arg(long, value_name = "BLOCK")]
    pub(crate) block: Option<String>,
    /// Write each job with the replies to its reads to `DIR/<protocol>-<network>-<question>.json`, and beside it what
    /// it found: copied to a plugin's `fixtures`, `replay_all` of the SDK runs them.
    #[arg(long, value_name = "DIR")]
    pub(crate) record: Option<PathBuf>,
}

/// A question to a plugin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum QuestionName {
    Claimables,
    Farming,
    Lending,
    Pooling,
    Locked,
    Events,
    Composition,
}

impl QuestionName {
    /// The question as the binary interface numbers it.
    pub(crate) fn number(self) -> Question {
        match self {
            Self::Claimables => Question::CLAIMABLES,
            Self::Farming => Question::FARMING,
            Self::Lending => Question::LENDING,
            Self::Pooling => Question::POOLING,
            Self::Locked => Question::LOCKED,
            Self::Events => Question::EVENTS,
            Self::Composition => Question::COMPOSITION,
        }
    }
}

/// Flags of `state`: the gateway, and which of its facts.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct FactFlags {
    /// Configuration file (TOML) of the gateway.
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<String>,
    /// State folder of the gateway.
    #[arg(long, value_name = "DIR")]
    pub(crate) state: Option<String>,
    /// Facts of one network, by its slug, name, chain id or eip155:CHAIN_ID.
    #[arg(long, value_name = "NETWORK")]
    pub(crate) network: Option<String>,
    /// Facts that one endpoint returned or confirmed, by host and port.
    #[arg(long, value_name = "HOST")]
    pub(crate) endpoint: Option<String>,
    /// Facts of one contract.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) contract: Option<String>,
}

impl GatewayFlags {
    /// Returns the flags that select the configuration.
    pub(crate) fn flags(&self) -> Flags {
        Flags { config: self.config.clone(), state: self.state.clone(), ..Flags::default() }
    }
}

impl StateCommand {
    /// Returns the flags that select the configuration.
    pub(crate) fn flags(&self) -> Flags {
        let (Self::Show { facts, .. } | Self::Purge { facts }) = self;
        Flags { config: facts.config.clone(), state: facts.state.clone(), ..Flags::default() }
    }
}

/// Flags of `serve`. They override the environment, which overrides the file.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct Flags {
    /// Configuration file (TOML).
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<String>,
    /// Folder of plugin dylibs and their settings [default: portolan-plugins beside FILE, else in ~/.local/state].
    #[arg(long, value_name = "DIR")]
    pub(crate) plugins: Option<String>,
    /// Folder for staged plugins and caches [default: portolan-state beside FILE, else in ~/.local/state].
    #[arg(long, value_name = "DIR")]
    pub(crate) state: Option<String>,
    /// Folder of the built book, which /docs serves [default: portolan-docs beside FILE, else in ~/.local/state].
    #[arg(long, value_name = "DIR")]
    pub(crate) docs: Option<String>,
    /// Folder of the built explorer, the page at / [default: portolan-explorer beside FILE, else in ~/.local/state].
    #[arg(long, value_name = "DIR")]
    pub(crate) explorer: Option<String>,
    /// Address of every endpoint [default: 127.0.0.1:8080].
    #[arg(long, value_name = "ADDR")]
    pub(crate) listen: Option<String>,
    /// Address of the aggregate claimables call [default: 127.0.0.1:8081].
    #[arg(long, value_name = "ADDR")]
    pub(crate) claimables_listen: Option<String>,
    /// Address for operators: health, readiness, plugins [default: 127.0.0.1:9090].
    #[arg(long, value_name = "ADDR")]
    pub(crate) operators_listen: Option<String>,
    /// JSON-RPC endpoint of a network (a slug, a name, a chain id or eip155:CHAIN_ID); repeatable, preferred first;
    /// replaces the network's endpoints from elsewhere. For experiments: every user of the machine sees it in the
    /// process list. Keys belong in FILE or in `PORTOLAN_RPC_<NETWORK>`.
    #[arg(long, value_name = "NETWORK=URL")]
    pub(crate) rpc: Vec<String>,
    /// `text` or `json` [default: text].
    #[arg(long, value_name = "FORMAT")]
    pub(crate) log_format: Option<String>,
    /// Check the configuration, the folders, the plugins and the endpoints, print what was found, and exit without
    /// serving. Exits with 1 if a plugin is not active or an endpoint cannot be used.
    #[arg(long)]
    pub(crate) check: bool,
}

/// Reason to exit before a command runs.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// Help or version, for stdout.
    Show(String),
    /// One line for stderr.
    Misuse(String),
}

/// Parses the command line; the first argument is the program's name.
pub(crate) fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Command, Stop> {
    CommandLine::try_parse_from(arguments).map(|line| line.command).map_err(|error| stop(&error))
}

fn stop(error: &clap::Error) -> Stop {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Stop::Show(error.to_string()),
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand => {
            Stop::Misuse("a command is missing; see portolan --help".into())
        }
        _ => {
            let text = error.to_string();
            let first = text.split("\n\n").next().unwrap_or_default();
            Stop::Misuse(sanitize::single_line(first.trim_start_matches("error: ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Command, Stop> {
        parse(line.split_whitespace().map(OsString::from))
    }

    fn misuse(line: &str) -> String {
        match read(line) {
            Err(Stop::Misuse(text)) => text,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn rpc_may_be_given_several_times_in_order() {
        let Ok(Command::Serve(flags)) = read("portolan serve --rpc a=http://x --state s --rpc b=http://y") else {
            panic!("not read")
        };
        assert_eq!(flags.rpc, ["a=http://x", "b=http://y"]);
        assert_eq!(flags.state.as_deref(), Some("s"));
    }

    #[test]
    fn misuse_is_one_line() {
        let cases = [
            "portolan",
            "portolan fly",
            "portolan serve --lisen 1",
            "portolan serve --listen",
            "portolan serve --listen 1 --listen 2",
            "portolan serve extra",
            "portolan plugin new",
            "portolan plugin new acme --kind castle",
        ];
        for case in cases {
            let text = misuse(case);
            assert!(!text.is_empty() && !text.contains('\n'), "{case}: {text}");
        }
        assert!(misuse("portolan serve --lisen 1").contains("--lisen"));
    }

    #[test]
    fn facts_are_named_by_network_endpoint_and_contract() {
        let Ok(Command::State { command }) = read("portolan state show --network polygon --state s --json") else {
            panic!("not read")
        };
        assert_eq!(command.flags().state.as_deref(), Some("s"));
        assert!(
            matches!(&command, StateCommand::Show { facts, json: true } if facts.network.as_deref() == Some("polygon"))
        );
        assert!(read("portolan state purge --endpoint a:1 --contract 0x0").is_ok());
        assert!(!misuse("portolan state purge --json").is_empty() && !misuse("portolan state").is_empty());
    }

    #[test]
    fn a_misplaced_url_is_not_repeated() {
        assert!(!misuse("portolan serve https://rpc.example/KEY").contains("KEY"));
    }

    #[test]
    fn help_and_version_are_no_misuse() {
        for case in ["portolan --help", "portolan serve --help", "portolan --version"] {
            assert!(matches!(read(case), Err(Stop::Show(_))), "{case}");
        }
    }
}
