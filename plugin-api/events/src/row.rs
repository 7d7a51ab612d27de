//! A row of a table, and how it tells a log.

use alloy::primitives::B256;

use crate::condition::Condition;
use crate::decoding::View;
use crate::event::Event;
use crate::expression::Path;
use crate::kind::Kind;
use crate::member::{Draft, Member};
use crate::parser::Parser;
use crate::scene::Scene;
use crate::signature::Signature;
use crate::told::Told;

/// Events, or assets, made of one log's arrays. Above it the log stays undecoded instead of being told in part.
pub(crate) const PLACES_MAX: usize = 256;

/// A row of a table.
#[derive(Clone, Debug)]
pub struct Row {
    line: usize,
    section: String,
    kind: Kind,
    signature: Signature,
    members: Vec<Member>,
    conditions: Vec<Condition>,
    /// The arrays that it goes through, one event for each place.
    arrays: Vec<Path>,
}

/// What a row tells of a log.
#[derive(Debug)]
pub(crate) struct Telling {
    pub(crate) events: Vec<Event>,
    /// Whether a member is absent because the chain could not be read.
    pub(crate) unread: bool,
}

impl Row {
    /// Where the table has it, from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// Section of the table.
    pub fn section(&self) -> &str {
        &self.section
    }

    /// What happened.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The event's signature, as the table writes it.
    pub fn signature(&self) -> &str {
        self.signature.text()
    }

    /// The first topic of its logs.
    pub fn topic(&self) -> B256 {
        self.signature.topic()
    }

    /// Reads a row, its lines joined.
    pub(crate) fn parse(section: &str, line: usize, text: &str) -> Result<Self, String> {
        let (kind, rest) = text.trim().split_once(char::is_whitespace).ok_or("a row is a type and a signature")?;
        let kind = Kind::named(kind).ok_or_else(|| format!("there is no type {kind}"))?;
        let (signature, rest) = Signature::parse(rest)?;
        let mut words = rest.split_whitespace();
        let (mut members, mut arrays) = (Vec::<Member>::new(), Vec::new());
        for word in words.by_ref().take_while(|word| *word != "if") {
            let (member, of) = Member::parse(word, &signature)?;
            let twice = member.names().iter().find(|name| members.iter().any(|known| known.names().contains(name)));
            if let Some(twice) = twice {
                return Err(format!("{twice} is told twice"));
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

    pub(crate) fn described(&self) -> &Signature {
        &self.signature
    }

    /// Tells a log that is encoded as the signature says. Views that it takes are added to those wanted.
    pub(crate) fn tell(&self, scene: &Scene<'_>, wanted: &mut Vec<View>) -> Told<Telling> {
        let before = wanted.len();
        let told = self.telling(scene, wanted);
        if !matches!(told, Told::Wanted) {
            wanted.truncate(before);
        }
        told
    }

    fn telling(&self, scene: &Scene<'_>, wanted: &mut Vec<View>) -> Told<Telling> {
        let Some(places) = scene.places(&self.arrays).filter(|places| (1..=PLACES_MAX).contains(places)) else {
            return Told::Missing;
        };
        let mut told = Told::Known(Telling { events: Vec::with_capacity(places), unread: false });
        for place in 0..places {
            told = told.and(self.event(scene, place, wanted)).map(|(mut telling, (event, unread))| {
                telling.events.push(event);
                telling.unread |= unread;
                telling
            });
            if matches!(told, Told::Missing) {
                break;
            }
        }
        told
    }

    /// All of a row is told even where views are wanted, so that they are wanted at once; nothing is after what is
    /// missing, since then the row does not tell the log.
    fn event(&self, scene: &Scene<'_>, place: usize, wanted: &mut Vec<View>) -> Told<(Event, bool)> {
        let mut told = Told::Known(());
        for condition in &self.conditions {
            told = told.and(condition.holds(scene, wanted)).map(|_| ());
        }
        let mut draft = Draft::with_capacity(self.members.len());
        for member in &self.members {
            if matches!(told, Told::Missing) {
                break;
            }
            told = told.and(member.tell(scene, place, wanted, &mut draft)).map(|_| ());
        }
        told.map(|()| {
            self.members.iter().for_each(|member| member.name_token(&mut draft));
            let event = Event { log: scene.at, kind: self.kind, protocol: None, members: draft.members };
            (event, draft.unread)
        })
    }
}
