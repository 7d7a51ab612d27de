//! The commands that request an answer: a row for each, from which its arguments, its flags and its requests follow.
//!
//! Invariant: the flags of a command are the parameters of its endpoints in the tables of paths.

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, Subcommand, ValueEnum};

use crate::paths::{self, Endpoint, PARAMETERS, Parameter, ParameterKind};

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
    Approvals,
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
    /// The endpoint for several accounts.
    of_several: Option<Endpoint>,
}

const ACCOUNT: Option<(&str, &str)> =
    Some(("ACCOUNT", "The account: an address, an ENS name or eip155:CHAIN_ID:ADDRESS"));

static COMMANDS: [AnswerRow; 11] = [
    AnswerRow {
        topic: Topic::Claimables,
        name: "claimables",
        about: "Show what an account can claim",
        subject: ACCOUNT,
        endpoints: &[Endpoint::AllClaimables],
        of_several: Some(Endpoint::ClaimablesOfAccounts),
    },
    AnswerRow {
        topic: Topic::Positions,
        name: "positions",
        about: "Show what an account lends, owes, stakes, pools and locks",
        subject: ACCOUNT,
        endpoints: &[Endpoint::AllPositions],
        of_several: Some(Endpoint::PositionsOfAccounts),
    },
    AnswerRow {
        topic: Topic::Balances,
        name: "balances",
        about: "Show an account's balances of native and of listed tokens; in JSON, `native` and `tokens`",
        subject: ACCOUNT,
        endpoints: &[Endpoint::NativeBalance, Endpoint::TokenBalances],
        of_several: None,
    },
    AnswerRow {
        topic: Topic::Approvals,
        name: "approvals",
        about: "Show what others may take from an account, by token and spender",
        subject: ACCOUNT,
        endpoints: &[Endpoint::Approvals],
        of_several: None,
    },
    AnswerRow {
        topic: Topic::Plan,
        name: "plan",
        about: "Plan all claims of an account on a network, in order, as one request to a wallet",
        subject: ACCOUNT,
        endpoints: &[Endpoint::ClaimPlan],
        of_several: None,
    },
    AnswerRow {
        topic: Topic::Plan,
        name: "revoke-plan",
        about: "Plan how an account takes one allowance back, as one request to a wallet",
        subject: ACCOUNT,
        endpoints: &[Endpoint::RevokePlan],
        of_several: None,
    },
    AnswerRow {
        topic: Topic::Events,
        name: "events",
        about: "Decode the events of a transaction",
        subject: Some(("HASH", "The hash of the transaction")),
        endpoints: &[Endpoint::Events],
        of_several: None,
    },
    AnswerRow {
        topic: Topic::Name,
        name: "name",
        about: "Resolve an ENS name to its address, or an address to its primary name",
        subject: Some(("NAME", "The name, which has a dot, or the address")),
        endpoints: &[Endpoint::AddressOfName, Endpoint::NameOfAccount],
        of_several: None,
    },
    AnswerRow {
        topic: Topic::Networks,
        name: "networks",
        about: "List the networks that the gateway knows",
        subject: None,
        endpoints: &[Endpoint::Networks],
        of_several: None,
    },
    AnswerRow {
        topic: Topic::Protocols,
        name: "protocols",
        about: "List the protocols that the gateway serves",
        subject: None,
        endpoints: &[Endpoint::Protocols],
        of_several: None,
    },
    AnswerRow {
        topic: Topic::Coverage,
        name: "coverage",
        about: "List the questions that each protocol answers on each network",
        subject: None,
        endpoints: &[Endpoint::Coverage],
        of_several: None,
    },
];

/// A second name of a flag.
const ALIASES: [(&str, &str); 1] = [("include", "protocol")];

/// A command that requests an answer.
#[derive(Clone, Debug)]
pub(crate) struct AnswerCommand {
    pub(crate) topic: Topic,
    /// True if it is about several accounts.
    pub(crate) has_several: bool,
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

    /// Returns the request for a stream that says when the answer changes; `None` if there is none: for several requests
    /// or accounts, for answers at named blocks or in a currency, and for other answers than rows about an account.
    pub(crate) fn watch_request(&self) -> Option<String> {
        let [(endpoint, values)] = &self.paths[..] else { return None };
        let account = values.last().filter(|_| endpoint.may_be_stream())?;
        let taken = |name: &str| Endpoint::Watch.taken().any(|own| own == name);
        if !self.parameters.iter().all(|(name, _)| taken(name)) {
            return None;
        }
        let protocol = values.split_last().and_then(|(_, others)| others.first());
        let own = self.parameters.iter().map(|(name, value)| (*name, value.as_str()));
        let parameters: Vec<_> = own.chain(protocol.map(|slug| ("include", slug.as_str()))).collect();
        Some(paths::request(Endpoint::Watch, &[account], &parameters))
    }
}

impl AnswerRow {
    fn command(&self) -> Command {
        let subject = self.subject.map(|(name, help)| {
            let subject = Arg::new("subject").value_name(name).required(true);
            match self.of_several {
                Some(_) => subject.num_args(1..).help(format!("{help}; several are answered together")),
                None => subject.help(help),
            }
        });
        let command = Command::new(self.name).args(subject).args(self.parameters().map(flag));
        // Sets of flags bring the docs of their types along.
        let command = OutputFlags::augment_args(SourceFlags::augment_args(command));
        command.about(self.about).long_about(None).after_help(EXIT_CODES)
    }

    fn parameters(&self) -> impl Iterator<Item = &'static Parameter> {
        let is_taken = |parameter: &&Parameter| {
            self.endpoints.first().is_some_and(|own| own.taken().any(|name| name == parameter.name))
        };
        PARAMETERS.iter().filter(is_taken)
    }

    fn paths(&self, subjects: &[String]) -> Vec<(Endpoint, Vec<String>)> {
        let is_name = subjects.iter().any(|text| text.contains('.'));
        let is_requested = |endpoint: &&Endpoint| match endpoint {
            Endpoint::AddressOfName => is_name,
            Endpoint::NameOfAccount => !is_name,
            _ => true,
        };
        match self.of_several.filter(|_| subjects.len() > 1) {
            Some(endpoint) => vec![(endpoint, Vec::new())],
            None => self.endpoints.iter().filter(is_requested).map(|own| (*own, subjects.to_vec())).collect(),
        }
    }
}

fn flag(parameter: &Parameter) -> Arg {
    let aliases = ALIASES.iter().filter(|(of, _)| *of == parameter.name).map(|(_, alias)| *alias);
    let flag = Arg::new(parameter.name).long(parameter.name).visible_aliases(aliases.collect::<Vec<_>>());
    let effect = sentence(parameter.effect);
    let explained = || format!("{effect}: {}", plain(parameter.values));
    let flag = match parameter.form {
        ParameterKind::Flag => words(flag.value_name("BOOL"), &["true", "false"]),
        ParameterKind::Word(all) => words(flag.value_name("FORM"), all),
        ParameterKind::Texts => flag.value_name("SLUG").help(explained()),
        ParameterKind::PositionKinds => flag.value_name("KIND").help(explained()),
        ParameterKind::EventTypes => flag.value_name("TYPE").help(explained()),
        ParameterKind::Currency => flag.value_name("CODE").help(explained()),
        ParameterKind::Count => flag.value_name("NUMBER").help(explained()),
        ParameterKind::Text(_) => flag.value_name(parameter.name.to_uppercase()).help(explained()),
    };
    let flag = if parameter.form.is_list() { flag.action(ArgAction::Append) } else { flag };
    if flag.get_help().is_none() { flag.help(effect) } else { flag }
}

/// Returns words of the reference without the links of its Markdown; a last "see …" is left out.
fn plain(markdown: &str) -> String {
    let (mut rest, mut text) = (markdown.split(": see [").next().unwrap_or_default(), String::new());
    while let Some((before, linked)) = rest.split_once('[') {
        let (words, after) = linked.split_once(']').unwrap_or((linked, ""));
        text.push_str(before);
        text.push_str(words);
        rest = after.strip_prefix('(').and_then(|link| link.split_once(')')).map_or(after, |(_, after)| after);
    }
    text.push_str(rest);
    text
}

/// Returns plain words that begin with a capital letter.
fn sentence(markdown: &str) -> String {
    let words = plain(markdown);
    let mut letters = words.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
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
        let values = |name: &'static str| own.get_many::<String>(name).into_iter().flatten().cloned();
        let subjects: Vec<String> = row.subject.map(|_| values("subject").collect()).unwrap_or_default();
        let accounts = (row.of_several.is_some() && subjects.len() > 1).then(|| ("accounts", subjects.join(",")));
        let given = row.parameters().flat_map(|one| values(one.name).map(|value| (one.name, value)));
        Ok(Self {
            topic: row.topic,
            has_several: accounts.is_some(),
            paths: row.paths(&subjects),
            parameters: accounts.into_iter().chain(given).collect(),
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
            for endpoint in row.endpoints.iter().chain(&row.of_several) {
                let missing: Vec<_> = endpoint.taken().filter(|name| !flags.contains(name)).collect();
                let expected: &[&str] = if row.of_several == Some(*endpoint) { &["accounts"] } else { &[] };
                assert_eq!(missing, expected, "{}", row.name);
            }
        }
    }

    #[test]
    fn help_has_the_words_of_the_reference_without_links() {
        let cases = [
            ("[tries claims](../use/simulation.md) and adds `cost`", "Tries claims and adds `cost`"),
            ("a slug or a chain id: see [networks](../use/networks.md)", "A slug or a chain id"),
            ("`EUR` and [others](../use/prices.md#other-currencies), in any case", "`EUR` and others, in any case"),
            ("this network alone", "This network alone"),
        ];
        for (markdown, expected) in cases {
            assert_eq!(sentence(markdown), expected);
        }
    }

    #[test]
    fn a_command_line_becomes_the_requests_of_its_endpoints() {
        let cases: [(&str, &[&str]); 11] = [
            ("claimables 0xAb", &["/claimables/0xAb"]),
            ("claimables 0xAb a.eth --worth", &["/claimables?accounts=0xAb%2Ca%2Eeth&worth=true"]),
            ("positions 0xAb 0xCd --kind lent", &["/positions?accounts=0xAb%2C0xCd&kind=lent"]),
            (
                "claimables a.eth --network=137 --protocol a,b --include c --worth",
                &["/claimables/a%2Eeth?include=a%2Cb&include=c&network=137&worth=true"],
            ),
            ("claimables --simulate 0xAb", &["/claimables/0xAb?simulate=true"]),
            ("claimables --simulate=false 0xAb --detail", &["/claimables/0xAb?detail=full&simulate=false"]),
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
            "balances 0xAb 0xCd",
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
