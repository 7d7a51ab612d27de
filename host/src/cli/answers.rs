//! The commands that request an answer: a row for each, from which its arguments, its flags and its requests follow.
//!
//! Invariant: the flags of a command are the parameters of its endpoints in `paths.rs`.

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, Subcommand, ValueEnum};

use crate::paths::{self, Endpoint, OF_EVERY_ENDPOINT};

/// The environment variable of [`SourceFlags::url`].
pub(crate) const URL_VARIABLE: &str = "PORTOLAN_URL";
pub(crate) const DEFAULT_URL: &str = "http://127.0.0.1:8080";

/// The last part of the help of each command.
const EXIT_CODES: &str = "\
Data goes to stdout, and everything else to stderr: a table on a terminal, and the gateway's JSON in a pipe.

Exit codes: 0 if the answer is whole; 1 if the name or the transaction does not exist, or the output cannot be written;
2 if the command line or the request is wrong; 3 if something is missing, which stderr names; 4 if nothing could be read.";

/// What a command answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Topic {
    Claimables,
    Positions,
    Balances,
    Events,
    Name,
    Plan,
    Networks,
    Protocols,
    Coverage,
}

/// A row of the table of commands.
struct AnswerRow {
    topic: Topic,
    name: &'static str,
    about: &'static str,
    /// What the command takes, with its help; `None` if it takes nothing.
    subject: Option<(&'static str, &'static str)>,
    /// All of them have the same parameters.
    endpoints: &'static [Endpoint],
}

const ACCOUNT: Option<(&str, &str)> =
    Some(("ACCOUNT", "The account: an address, an ENS name or eip155:CHAIN_ID:ADDRESS"));

static COMMANDS: [AnswerRow; 9] = [
    AnswerRow {
        topic: Topic::Claimables,
        name: "claimables",
        about: "Show what an account can claim",
        subject: ACCOUNT,
        endpoints: &[Endpoint::AllClaimables],
    },
    AnswerRow {
        topic: Topic::Positions,
        name: "positions",
        about: "Show what an account lends, owes, stakes, pools and locks",
        subject: ACCOUNT,
        endpoints: &[Endpoint::AllPositions],
    },
    AnswerRow {
        topic: Topic::Balances,
        name: "balances",
        about: "Show an account's balances of native and of listed tokens; in JSON, `native` and `tokens`",
        subject: ACCOUNT,
        endpoints: &[Endpoint::NativeBalance, Endpoint::TokenBalances],
    },
    AnswerRow {
        topic: Topic::Plan,
        name: "plan",
        about: "Plan all claims of an account on a network, in order, as one request to a wallet",
        subject: ACCOUNT,
        endpoints: &[Endpoint::ClaimPlan],
    },
    AnswerRow {
        topic: Topic::Events,
        name: "events",
        about: "Decode the events of a transaction",
        subject: Some(("HASH", "The hash of the transaction")),
        endpoints: &[Endpoint::Events],
    },
    AnswerRow {
        topic: Topic::Name,
        name: "name",
        about: "Resolve an ENS name to its address, or an address to its primary name",
        subject: Some(("NAME", "The name, which has a dot, or the address")),
        endpoints: &[Endpoint::AddressOfName, Endpoint::NameOfAccount],
    },
    AnswerRow {
        topic: Topic::Networks,
        name: "networks",
        about: "List the networks that the gateway knows",
        subject: None,
        endpoints: &[Endpoint::Networks],
    },
    AnswerRow {
        topic: Topic::Protocols,
        name: "protocols",
        about: "List the protocols that the gateway serves",
        subject: None,
        endpoints: &[Endpoint::Protocols],
    },
    AnswerRow {
        topic: Topic::Coverage,
        name: "coverage",
        about: "List the questions that each protocol answers on each network",
        subject: None,
        endpoints: &[Endpoint::Coverage],
    },
];

/// The form of a parameter's value on the command line.
enum ParameterForm {
    One(&'static str),
    /// Members separated by commas; the flag may be repeated.
    List(&'static str),
    /// `true` or `false`; the flag alone means `true`.
    Switch,
    /// Fixed words; the flag alone means the first.
    Words(&'static [&'static str]),
}

/// Parameters of the API as flags.
static PARAMETERS: [(&str, ParameterForm, &str); 13] = [
    ("network", ParameterForm::One("NETWORK"), "One network, by its slug, name, chain id or eip155:CHAIN_ID"),
    (
        "block",
        ParameterForm::One("BLOCK"),
        "Answer at this block: a number, a hash, a time, `safe`, `finalized`, or NETWORK:BLOCK of several networks",
    ),
    ("currency", ParameterForm::One("CODE"), "Add values in this currency, such as EUR, to those in dollars"),
    ("include", ParameterForm::List("SLUG"), "These protocols alone"),
    ("exclude", ParameterForm::List("SLUG"), "Leave these protocols out"),
    (
        "kind",
        ParameterForm::List("KIND"),
        "These kinds of positions alone: lent, borrowed, staked, pooled, locked, vesting",
    ),
    ("simulate", ParameterForm::Switch, "Try claims before they are shown, or none"),
    ("worth", ParameterForm::Switch, "Leave out claims that cost more than they bring, revert or are refused"),
    ("type", ParameterForm::List("TYPE"), "Events of these types alone"),
    ("account", ParameterForm::One("ACCOUNT"), "Add what the transaction did for this account"),
    ("max-logs", ParameterForm::One("NUMBER"), "Refuse a transaction with more logs"),
    (
        "detail",
        ParameterForm::Words(&["full"]),
        "Answer with everything that is known; tables and CSV have it only in part",
    ),
    ("amounts", ParameterForm::Words(&["string", "number"]), "Form of amounts in JSON"),
];

/// A second name of a flag.
const ALIASES: [(&str, &str); 1] = [("include", "protocol")];

/// A command that requests an answer.
#[derive(Clone, Debug)]
pub(crate) struct AnswerCommand {
    pub(crate) topic: Topic,
    /// A path with its parameters for each request.
    paths: Vec<(Endpoint, Vec<String>)>,
    parameters: Vec<(&'static str, String)>,
    pub(crate) source: SourceFlags,
    pub(crate) output: OutputFlags,
}

/// Flags that say who answers.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Who answers")]
pub(crate) struct SourceFlags {
    /// URL of a gateway [env: PORTOLAN_URL] [default: http://127.0.0.1:8080].
    #[arg(long, value_name = "URL", conflicts_with_all = ["rpc", "config", "plugins"])]
    pub(crate) url: Option<String>,
    /// Answer without a server, with this JSON-RPC endpoint of a network; repeatable, preferred first. Every user of the
    /// machine sees it in the process list: keys belong in FILE or in `PORTOLAN_RPC_<NETWORK>`.
    #[arg(long, value_name = "NETWORK=URL")]
    pub(crate) rpc: Vec<String>,
    /// Answer without a server, with the endpoints and settings of this configuration file (TOML).
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<String>,
    /// Folder of plugins to answer with [default: portolan-plugins beside FILE, else in ~/.local/state].
    #[arg(long, value_name = "DIR")]
    pub(crate) plugins: Option<String>,
}

/// Flags that say how an answer is shown.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputFlags {
    /// Print a table, also in a pipe.
    #[arg(long, conflicts_with_all = ["json", "csv"])]
    pub(crate) table: bool,
    /// Print the gateway's JSON, also on a terminal.
    #[arg(long, conflicts_with = "csv")]
    pub(crate) json: bool,
    /// Print comma-separated values with a head, amounts exact.
    #[arg(long, conflicts_with = "amounts")]
    pub(crate) csv: bool,
    /// Print the answer again whenever it changes, until Ctrl-C.
    #[arg(long)]
    pub(crate) watch: bool,
    #[command(flatten)]
    pub(crate) color: ColorFlag,
}

/// The flag about colours.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct ColorFlag {
    /// Colours in tables and messages; `auto` means on a terminal, unless NO_COLOR is set.
    #[arg(long, value_name = "WHEN", value_enum, default_value_t)]
    pub(crate) color: ColorWhen,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorWhen {
    #[default]
    Auto,
    Always,
    Never,
}

impl AnswerCommand {
    /// Returns the requests, as paths with parameters; `amounts` replaces the form of amounts, if it is given.
    pub(crate) fn requests(&self, amounts: Option<&'static str>) -> Vec<String> {
        let own = self.parameters.iter().map(|(name, value)| (*name, value.as_str()));
        let own = own.filter(|(name, _)| amounts.is_none() || *name != "amounts");
        let parameters: Vec<(&str, &str)> = own.chain(amounts.map(|form| ("amounts", form))).collect();
        let request = |(endpoint, values): &(Endpoint, Vec<String>)| {
            let values: Vec<&str> = values.iter().map(String::as_str).collect();
            paths::request(*endpoint, &values, &parameters)
        };
        self.paths.iter().map(request).collect()
    }
}

impl AnswerRow {
    fn command(&self) -> Command {
        let subject = self.subject.map(|(name, help)| Arg::new("subject").value_name(name).help(help).required(true));
        let flags = self.parameters().map(|(name, form, help)| flag(name, form, help));
        let command = Command::new(self.name).args(subject).args(flags);
        // Sets of flags bring the docs of their types along.
        let command = OutputFlags::augment_args(SourceFlags::augment_args(command));
        command.about(self.about).long_about(None).after_help(EXIT_CODES)
    }

    fn parameters(&self) -> impl Iterator<Item = &'static (&'static str, ParameterForm, &'static str)> {
        let taken = self.endpoints.first().map_or(&[][..], |endpoint| endpoint.parameters());
        PARAMETERS.iter().filter(|(name, ..)| taken.contains(name) || OF_EVERY_ENDPOINT.contains(name))
    }

    fn paths(&self, subject: Option<&String>) -> Vec<(Endpoint, Vec<String>)> {
        let is_requested = |endpoint: &&Endpoint| match endpoint {
            Endpoint::AddressOfName => subject.is_some_and(|text| text.contains('.')),
            Endpoint::NameOfAccount => subject.is_some_and(|text| !text.contains('.')),
            _ => true,
        };
        let path = |endpoint: &Endpoint| (*endpoint, subject.cloned().into_iter().collect());
        self.endpoints.iter().filter(is_requested).map(path).collect()
    }
}

fn flag(name: &'static str, form: &ParameterForm, help: &'static str) -> Arg {
    let aliases = ALIASES.iter().filter(|(of, _)| *of == name).map(|(_, alias)| *alias);
    let flag = Arg::new(name).long(name).help(help).visible_aliases(aliases.collect::<Vec<_>>());
    match form {
        ParameterForm::One(value) => flag.value_name(*value),
        ParameterForm::List(value) => flag.value_name(*value).action(ArgAction::Append),
        ParameterForm::Switch => words(flag.value_name("BOOL"), &["true", "false"]),
        ParameterForm::Words(all) => words(flag.value_name("FORM"), all),
    }
}

/// The value follows `=` alone, so that what stands after the flag is not taken for it.
fn words(flag: Arg, words: &'static [&'static str]) -> Arg {
    let flag = flag.value_parser(PossibleValuesParser::new(words)).num_args(0..=1).require_equals(true);
    words.first().map_or(flag.clone(), |first| flag.default_missing_value(*first))
}

impl FromArgMatches for AnswerCommand {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let missing = || clap::Error::new(clap::error::ErrorKind::MissingSubcommand);
        let (name, own) = matches.subcommand().ok_or_else(missing)?;
        let row = COMMANDS.iter().find(|row| row.name == name).ok_or_else(missing)?;
        let values = |name: &'static str| {
            let given = own.get_many::<String>(name).into_iter().flatten();
            given.map(move |value| (name, value.clone()))
        };
        Ok(Self {
            topic: row.topic,
            paths: row.paths(row.subject.and_then(|_| own.get_one("subject"))),
            parameters: row.parameters().flat_map(|(name, ..)| values(name)).collect(),
            source: SourceFlags::from_arg_matches(own)?,
            output: OutputFlags::from_arg_matches(own)?,
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Subcommand for AnswerCommand {
    fn augment_subcommands(command: Command) -> Command {
        command.subcommands(COMMANDS.iter().map(AnswerRow::command))
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        COMMANDS.iter().any(|row| row.name == name)
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::*;
    use crate::cli::{Stop, parse};

    fn read(line: &str) -> Result<AnswerCommand, Stop> {
        match parse(line.split_whitespace().map(OsString::from))? {
            crate::cli::Command::Answer(command) => Ok(command),
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn every_parameter_of_an_endpoint_is_a_flag_of_its_command() {
        for row in &COMMANDS {
            let command = row.command();
            let flags: Vec<&str> = command.get_arguments().filter_map(Arg::get_long).collect();
            for endpoint in row.endpoints {
                let taken = endpoint.parameters().iter().chain(OF_EVERY_ENDPOINT);
                let missing: Vec<_> = taken.filter(|name| !flags.contains(name)).collect();
                assert!(missing.is_empty(), "{}: {missing:?} have no row in PARAMETERS", row.name);
            }
        }
    }

    #[test]
    fn a_command_line_becomes_the_requests_of_its_endpoints() {
        let cases: [(&str, &[&str]); 9] = [
            ("claimables 0xAb", &["/claimables/0xAb"]),
            (
                "claimables a.eth --network=137 --protocol a,b --include c --worth",
                &["/claimables/a%2Eeth?network=137&include=a%2Cb&include=c&worth=true"],
            ),
            ("claimables --simulate 0xAb", &["/claimables/0xAb?simulate=true"]),
            ("claimables --simulate=false 0xAb --detail", &["/claimables/0xAb?simulate=false&detail=full"]),
            (
                "balances 0xAb --block finalized",
                &["/balance/0xAb/native-balance?block=finalized", "/balance/0xAb/token-balances?block=finalized"],
            ),
            ("name a.eth", &["/ens/by-name/a%2Eeth"]),
            ("name 0xAb", &["/ens/by-address/0xAb"]),
            ("events 0x12 --network polygon --type swap", &["/events/decode/0x12?network=polygon&type=swap"]),
            ("coverage", &["/protocols/coverage"]),
        ];
        for (line, expected) in cases {
            assert_eq!(read(&format!("portolan {line}")).unwrap().requests(None), expected, "{line}");
        }
        let command = read("portolan claimables 0xAb --amounts=number").unwrap();
        assert_eq!(command.requests(Some("string")), ["/claimables/0xAb?amounts=string"]);
        assert_eq!(command.requests(None), ["/claimables/0xAb?amounts=number"]);
    }

    #[test]
    fn flags_that_do_not_go_together_are_misuse() {
        for line in [
            "claimables",
            "networks 0xAb",
            "networks --network polygon",
            "claimables 0xAb --kind lent",
            "claimables 0xAb --json --csv",
            "claimables 0xAb --table --json",
            "claimables 0xAb --csv --amounts=number",
            "claimables 0xAb --worth=maybe",
            "claimables 0xAb --url http://a --rpc polygon=http://b",
            "claimables 0xAb --url http://a --plugins p",
        ] {
            assert!(matches!(read(&format!("portolan {line}")), Err(Stop::Misuse(_))), "{line}");
        }
    }
}
