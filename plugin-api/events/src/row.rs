//! A row of a table, and the events that it makes of a log.

use alloy::primitives::B256;

use crate::condition::Condition;
use crate::eval::Eval;
use crate::eval_context::{ELEMENTS_MAX, EvalContext};
use crate::event::Event;
use crate::expression::DataPath;
use crate::kind::Kind;
use crate::member::{EventBuilder, Member};
use crate::parser::Parser;
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
    /// The arrays of which each element makes an event of its own.
    arrays: Vec<DataPath>,
}

/// What a row makes of a log.
#[derive(Debug)]
pub(crate) struct RowOutput {
    pub(crate) events: Vec<Event>,
    /// Whether a member is absent because the chain could not be read.
    pub(crate) read_failed: bool,
}

impl Row {
    /// First line of the row in its table, from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// Section of the table.
    pub fn section(&self) -> &str {
        &self.section
    }

    /// Type of the events.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The Solidity signature, as the table has it.
    pub fn signature(&self) -> &str {
        self.signature.text()
    }

    /// The first topic of the logs.
    pub fn topic(&self) -> B256 {
        self.signature.topic()
    }

    /// Parses a row, whose lines are joined.
    pub(crate) fn parse(section: &str, line: usize, text: &str) -> Result<Self, String> {
        let (kind, rest) = text.trim().split_once(char::is_whitespace).ok_or("a row needs a type and a signature")?;
        let kind = Kind::named(kind).ok_or_else(|| format!("there is no type {kind}"))?;
        let (signature, rest) = Signature::parse(rest)?;
        let mut words = rest.split_whitespace();
        let (mut members, mut arrays) = (Vec::<Member>::new(), Vec::new());
        for word in words.by_ref().take_while(|word| *word != "if") {
            let (member, of) = Member::parse(word, &signature)?;
            let twice = member.names().iter().find(|name| members.iter().any(|known| known.names().contains(name)));
            if let Some(twice) = twice {
                return Err(format!("{twice} is defined twice"));
            }
            members.push(member);
            arrays.extend(of);
        }
        let conditions = match words.collect::<String>() {
            text if text.is_empty() => Vec::new(),
            text => Condition::parse_all(&mut Parser::new(&text, &signature))?,
        };
        Ok(Self { line, section: section.to_owned(), kind, signature, members, conditions, arrays })
    }

    pub(crate) fn event(&self) -> &Signature {
        &self.signature
    }

    /// Evaluates the row for a log that matches its signature. The calls that it needs are added to `calls`.
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

    /// Evaluates all of the row even where calls are needed, so that they are made at once. It stops at what is
    /// undefined, since then the row does not match.
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
