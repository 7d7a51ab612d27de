//! A row of a table, and the events that it decodes from a log.

use alloy::primitives::B256;

use crate::condition::Condition;
use crate::constants::Constants;
use crate::eval::Eval;
use crate::eval_context::{ELEMENTS_MAX, EvalContext};
use crate::event::Event;
use crate::expression::DataPath;
use crate::kind::Kind;
use crate::member::{EventBuilder, Member};
use crate::parser::Parser;
use crate::row_text::RowText;
use crate::signature::Signature;
use crate::view::ViewCall;

/// A row of a table.
#[derive(Clone, Debug)]
pub struct Row {
    line: usize,
    section: String,
    kind: Kind,
    signature: Signature,
    members: Vec<Member>,
    conditions: Vec<Condition>,
    /// Arrays whose elements each give one event.
    arrays: Vec<DataPath>,
}

/// Output of a row for a log.
#[derive(Debug)]
pub(crate) struct RowOutput {
    pub(crate) events: Vec<Event>,
    /// True if a member is missing because the chain could not be read.
    pub(crate) read_failed: bool,
}

impl Row {
    /// Returns the first line of the row in its table, from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// Returns the section of the table.
    pub fn section(&self) -> &str {
        &self.section
    }

    /// Returns the type of the events.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Returns the Solidity signature, as written in the table.
    pub fn signature(&self) -> &str {
        self.signature.text()
    }

    /// Returns the first topic of the logs.
    pub fn topic(&self) -> B256 {
        self.signature.topic()
    }

    /// Parses the rows of a text, one per signature.
    pub(crate) fn parse_all(
        section: &str,
        line: usize,
        text: &RowText<'_>,
        constants: &Constants,
    ) -> Result<Vec<Self>, String> {
        let signatures = text.signatures.iter();
        signatures.map(|signature| Self::parse(section, line, text, signature, constants)).collect()
    }

    fn parse(
        section: &str,
        line: usize,
        text: &RowText<'_>,
        signature: &str,
        constants: &Constants,
    ) -> Result<Self, String> {
        let kind = Kind::named(text.kind).ok_or_else(|| format!("unknown event type {}", text.kind))?;
        let signature = Signature::parse(signature)?;
        let mut parser = Parser::new(text.members, &signature, constants);
        let (mut members, mut arrays) = (Vec::<Member>::new(), Vec::new());
        while !parser.scanner.word().is_empty() && parser.scanner.word() != "if" {
            let (member, of) = Member::parse(&mut parser)?;
            let twice = member.names().iter().find(|name| members.iter().any(|known| known.names().contains(name)));
            if let Some(twice) = twice {
                return Err(format!("{twice} is defined twice"));
            }
            members.push(member);
            arrays.extend(of);
        }
        let has_conditions = parser.scanner.takes_word("if");
        let conditions = if has_conditions { Condition::parse_all(&mut parser)? } else { Vec::new() };
        parser.scanner.ends()?;
        Ok(Self { line, section: section.to_owned(), kind, signature, members, conditions, arrays })
    }

    pub(crate) fn event(&self) -> &Signature {
        &self.signature
    }

    /// Evaluates the row for a log that matches its signature. Adds the calls that it needs to `calls`.
    pub(crate) fn eval(&self, context: &EvalContext<'_>, calls: &mut Vec<ViewCall>) -> Eval<RowOutput> {
        let before = calls.len();
        let output = self.eval_elements(context, calls);
        if !matches!(output, Eval::NeedsCall) {
            calls.truncate(before);
        }
        output
    }

    fn eval_elements(&self, context: &EvalContext<'_>, calls: &mut Vec<ViewCall>) -> Eval<RowOutput> {
        let Some(length) = context.length(&self.arrays).filter(|length| (1..=ELEMENTS_MAX).contains(length)) else {
            return Eval::Undefined;
        };
        let mut output = Eval::Known(RowOutput { events: Vec::with_capacity(length), read_failed: false });
        for index in 0..length {
            output = output.zip(self.eval_event(context, index, calls)).map(|(mut output, (event, read_failed))| {
                output.events.push(event);
                output.read_failed |= read_failed;
                output
            });
            if matches!(output, Eval::Undefined) {
                break;
            }
        }
        output
    }

    /// Evaluates the whole row even if calls are needed, so that they are made together. Stops at an undefined value:
    /// the row does not match.
    fn eval_event(&self, context: &EvalContext<'_>, index: usize, calls: &mut Vec<ViewCall>) -> Eval<(Event, bool)> {
        let mut result = Eval::Known(());
        for condition in &self.conditions {
            result = result.zip(condition.eval(context, calls)).map(|_| ());
        }
        let mut builder = EventBuilder::with_capacity(self.members.len());
        for member in &self.members {
            if matches!(result, Eval::Undefined) {
                break;
            }
            result = result.zip(member.eval(context, index, calls, &mut builder)).map(|_| ());
        }
        result.map(|()| {
            self.members.iter().for_each(|member| member.set_token(&mut builder));
            let event = Event { log: context.position, kind: self.kind, protocol: None, members: builder.members };
            (event, builder.read_failed)
        })
    }
}
