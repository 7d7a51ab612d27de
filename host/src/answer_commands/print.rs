//! Prints an answer in the form that the command and its output have.

use std::io::{self, IsTerminal as _, Write as _};

use portolan_base::sanitize::output;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde_json::Value;

use super::reply::AnswerDocument;
use super::sheet::{Sheet, sheets};
use super::{ClientError, PARTIAL, WHOLE, export};
use crate::cli::{AnswerCommand, ColorWhen, Topic};
use crate::terminal;
use crate::text_table::{self, TableStyle};

/// Names of the documents of an answer that has two.
const PARTS: [&str; 2] = ["native", "tokens"];

/// The form of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OutputForm {
    Table,
    Json,
    Csv,
}

/// Prints the answers of one command.
#[derive(Debug)]
pub(super) struct Printer {
    topic: Topic,
    has_several: bool,
    form: OutputForm,
    is_terminal: bool,
    color: ColorWhen,
}

impl Printer {
    pub(super) fn of(command: &AnswerCommand) -> Self {
        let (output, is_terminal) = (&command.output, io::stdout().is_terminal());
        let form = match () {
            () if output.csv => OutputForm::Csv,
            () if output.json => OutputForm::Json,
            () if output.table || is_terminal => OutputForm::Table,
            () => OutputForm::Json,
        };
        Self { topic: command.topic, has_several: command.has_several, form, is_terminal, color: output.color.color }
    }

    /// Returns the form of amounts to request: tables and CSV need exact texts, and JSON is what the client chooses.
    pub(super) fn amounts(&self) -> Option<&'static str> {
        (self.form != OutputForm::Json).then_some("string")
    }

    pub(super) fn color(&self) -> ColorWhen {
        self.color
    }

    /// Prints data to stdout, and what is missing to stderr; returns the exit code.
    ///
    /// # Errors
    /// The documents are not what this program knows, or the output cannot be written.
    pub(super) fn print(&self, documents: &[AnswerDocument]) -> Result<u8, ClientError> {
        let data = match self.form {
            OutputForm::Json => self.json(documents),
            OutputForm::Csv => csv(&self.sheets(documents)?)?,
            OutputForm::Table => self.table(&self.sheets(documents)?).into_bytes(),
        };
        write(&data)?;
        if self.form == OutputForm::Table {
            let account = documents.iter().find_map(|document| document.account.as_ref());
            let blocks =
                documents.iter().find_map(|document| document.blocks.as_ref().filter(|blocks| !blocks.is_empty()));
            for (what, text) in [("account", account), ("blocks", blocks)] {
                if let Some(text) = text {
                    terminal::note(&format_args!("{what} {text}"));
                }
            }
        }
        let missing: Vec<String> =
            documents.iter().filter_map(|document| document.partial.as_deref()).flat_map(missing).collect();
        for line in &missing {
            terminal::warn(line, self.color);
        }
        Ok(if missing.is_empty() { WHOLE } else { PARTIAL })
    }

    fn sheets(&self, documents: &[AnswerDocument]) -> Result<Vec<Sheet>, ClientError> {
        let values = documents.iter().map(|document| serde_json::from_slice(&document.body));
        let values: Vec<Value> = values.collect::<Result<_, _>>().map_err(|error| unknown_form(&error))?;
        sheets(self.topic, self.has_several, &values).ok_or_else(|| unknown_form(&"its members are others"))
    }

    fn json(&self, documents: &[AnswerDocument]) -> Vec<u8> {
        let mut text = Vec::new();
        match documents {
            [one] => text.extend_from_slice(&one.body),
            several => {
                for (place, (name, document)) in PARTS.iter().zip(several).enumerate() {
                    text.extend_from_slice(if place == 0 { b"{" } else { b"," });
                    text.extend_from_slice(format!("\"{name}\":").as_bytes());
                    text.extend_from_slice(&document.body);
                }
                text.push(b'}');
            }
        }
        text.push(b'\n');
        if self.is_terminal { output::line(&String::from_utf8_lossy(&text)).into_owned().into_bytes() } else { text }
    }

    fn table(&self, sheets: &[Sheet]) -> String {
        let style = TableStyle::of_stdout(self.color);
        if sheets.first().is_none_or(Sheet::is_empty) {
            terminal::note(&"nothing is there");
        }
        let filled = sheets.iter().filter(|sheet| !sheet.is_empty());
        let tables = filled.map(|sheet| {
            let (columns, rows) = sheet.table();
            text_table::table(&columns, rows, style)
        });
        tables.collect::<Vec<_>>().join("\n")
    }
}

fn csv(sheets: &[Sheet]) -> Result<Vec<u8>, ClientError> {
    let Some(main) = sheets.first() else { return Ok(Vec::new()) };
    let (heads, rows) = main.cells();
    export::csv(heads, rows).map_err(|error| ClientError::Failed(format!("the CSV is not written: {error}")))
}

fn unknown_form(error: &dyn std::fmt::Display) -> ClientError {
    ClientError::NothingRead(format!("the answer has another form than this version knows ({error}); --json prints it"))
}

/// Returns a line for each part that `portolan-partial` names.
fn missing(partial: &str) -> Vec<String> {
    let line = |member: &str| {
        let mut parts = member.split(';');
        let what = parts.next().unwrap_or_default();
        let parameter = |name: &str| member.split(';').find_map(|part| part.strip_prefix(name)?.strip_prefix('='));
        let count = parameter("count");
        let Some(reason) = parameter("reason") else {
            return format!("missing: {} further parts", count.unwrap_or("some"));
        };
        let (subject, network) = what.split_once('/').unwrap_or((what, "*"));
        let subject = if subject == "*" { "everything" } else { subject };
        let network = if network == "*" { "all networks" } else { network };
        let count = count.map(|count| format!("{count} ")).unwrap_or_default();
        format!("missing: {count}{subject} on {network}: {reason}")
    };
    partial.split(", ").filter(|member| !member.is_empty()).map(line).collect()
}

/// Writes to stdout. A reader that has gone ends the command without a word.
fn write(data: &[u8]) -> Result<(), ClientError> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(data).and_then(|()| stdout.flush()).map_err(|error| match error.kind() {
        io::ErrorKind::BrokenPipe => ClientError::Closed,
        _ => ClientError::Failed(format!("the output cannot be written: {error}")),
    })
}

/// Returns true if nobody reads stdout any more.
pub(super) fn is_closed() -> bool {
    let stdout = io::stdout();
    let mut polled = [PollFd::new(&stdout, PollFlags::empty())];
    let is_ready = poll(&mut polled, Some(&Timespec::default())).is_ok_and(|count| count > 0);
    is_ready && polled.iter().any(|fd| fd.revents().intersects(PollFlags::ERR | PollFlags::HUP | PollFlags::NVAL))
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::super::reply::Holds;
    use super::*;

    #[test]
    fn each_missing_part_is_a_line_with_its_reason() {
        let partial = "aave_v3/ethereum;reason=timeout, */polygon;reason=upstream, tokens/*;reason=upstream;count=3, truncated;count=7";
        assert_eq!(
            missing(partial),
            [
                "missing: aave_v3 on ethereum: timeout",
                "missing: everything on polygon: upstream",
                "missing: 3 tokens on all networks: upstream",
                "missing: 7 further parts",
            ]
        );
    }

    #[test]
    fn json_is_the_body_as_it_came() {
        let document = |body: &'static str| AnswerDocument {
            body: Bytes::from_static(body.as_bytes()),
            partial: None,
            blocks: None,
            account: None,
            tag: None,
            holds: Holds::Unknown,
        };
        let printer = |is_terminal| Printer {
            topic: Topic::Balances,
            has_several: false,
            form: OutputForm::Json,
            is_terminal,
            color: ColorWhen::Never,
        };
        assert_eq!(printer(false).json(&[document("[1.50,\"\u{9b}\"]")]), "[1.50,\"\u{9b}\"]\n".as_bytes());
        assert_eq!(printer(true).json(&[document("[1.50,\"\u{9b}\"]")]), "[1.50,\"\u{fffd}\"]\n".as_bytes());
        assert_eq!(printer(false).json(&[document("[1.50]"), document("[]")]), b"{\"native\":[1.50],\"tokens\":[]}\n");
    }
}
