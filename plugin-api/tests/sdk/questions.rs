//! Implemented and declared questions: a plugin in which they differ is refused.

use portolan_abi::codec;
use portolan_abi::map::{self, Selftest, SettingsRow};
use portolan_plugin_api::export::{Exported, Manifest, module};
use portolan_plugin_api::{
    Address, Catalogue, Claimable, Deployment, Error, JobContext, Plugin, Position, Question, Settings, SettingsError,
};

use crate::host::Host;
use crate::scenario::{NETWORK, acme};

/// A catalogue whose rows all declare these questions.
fn catalogue(rows: &[Deployment<()>], questions: &[Question]) -> Catalogue {
    let deployments = rows.iter().map(|row| row.served(questions, [])).collect();
    Catalogue { protocols: vec![acme()], deployments, ..Catalogue::default() }
}

fn shipped() -> Deployment<()> {
    Deployment::new("acme", NETWORK, ())
}

fn rows(settings: &Settings, shipped: &[Deployment<()>]) -> Result<Vec<Deployment<()>>, SettingsError> {
    settings.deployments_by(shipped.iter().cloned(), |_| Ok(()))
}

/// A plugin that ships these rows, declares these questions, and implements claimables and farming.
macro_rules! plugin {
    ($name:ident, ships $shipped:expr, declares $questions:expr $(, $rows_decide:literal)?) => {
        struct $name(Vec<Deployment<()>>);

        impl Plugin for $name {
            $(const ROWS_DECIDE: bool = $rows_decide;)?

            fn configure(settings: &Settings) -> Result<Self, SettingsError> {
                rows(settings, &$shipped).map(Self)
            }

            fn catalogue(&self) -> Catalogue {
                catalogue(&self.0, &$questions)
            }

            async fn claimables(&self, _: &JobContext, _: Address) -> Result<Vec<Claimable>, Error> {
                Ok(Vec::new())
            }

            // A body that runs before it is awaited must do no harm.
            fn farming(
                &self,
                cx: &JobContext,
                _: Address,
            ) -> impl Future<Output = Result<Vec<Position>, Error>> + Send {
                assert!(!cx.protocol().is_empty(), "put to no protocol");
                async { Ok(Vec::new()) }
            }
        }

        impl Exported for $name {
            type Plugin = Self;

            const MANIFEST: Manifest = Manifest::new(&["{}"]);
        }
    };
}

plugin!(DeclaresBoth, ships [shipped()], declares [Question::CLAIMABLES, Question::FARMING]);
plugin!(DeclaresOne, ships[shipped()], declares[Question::CLAIMABLES]);
plugin!(DeclaresMore, ships [shipped()], declares [Question::CLAIMABLES, Question::FARMING, Question::LOCKED]);
plugin!(ShipsNothing, ships [], declares [Question::FARMING]);
plugin!(Shell, ships[shipped()], declares[Question::CLAIMABLES], true);

fn selftest<P: Exported>() -> Result<(), String> {
    let told: Selftest = codec::decode(&(module::<P>().selftest())()).expect("a selftest");
    if told.ok { Ok(()) } else { Err(told.message) }
}

fn configured<P: Exported>(settings: &map::Settings) -> Result<(), String> {
    Host::<P>::configured(&codec::encode(settings)).map(drop).map_err(|error| error.message)
}

fn row() -> SettingsRow {
    SettingsRow { protocol: "acme".into(), chain_id: NETWORK, market: "side".into(), keys: Vec::new() }
}

#[test]
fn a_plugin_that_declares_what_it_implements_is_taken() {
    assert_eq!(selftest::<DeclaresBoth>(), Ok(()));
}

#[test]
fn a_question_that_is_implemented_and_declared_nowhere_is_refused() {
    let why = "`farming` is implemented, and no deployment declares its question: declare it in the catalogue, or \
               remove the function";
    assert_eq!(selftest::<DeclaresOne>(), Err(format!("shipped settings: {why}")));
    assert_eq!(configured::<DeclaresOne>(&map::Settings { shipped: true, ..Default::default() }), Err(why.into()));
}

#[test]
fn a_question_that_is_declared_and_not_implemented_is_refused() {
    let why = "`acme` (main) declares a question whose function `locked` is not implemented: implement it, or leave \
               the question out of the catalogue";
    assert_eq!(selftest::<DeclaresMore>(), Err(format!("shipped settings: {why}")));
}

#[test]
fn settings_that_leave_out_the_shipped_rows_leave_out_no_question_of_the_plugin() {
    assert_eq!(configured::<DeclaresBoth>(&map::Settings::default()), Ok(()));
}

#[test]
fn a_plugin_without_shipped_rows_is_judged_by_those_of_its_settings() {
    assert_eq!(selftest::<ShipsNothing>(), Ok(()), "nothing is declared, and nothing is served");
    let settings = map::Settings { shipped: true, deployments: vec![row()], ..Default::default() };
    let why = "`claimables` is implemented, and no deployment declares its question: declare it in the catalogue, or \
               remove the function";
    assert_eq!(configured::<ShipsNothing>(&settings), Err(why.into()));
}

#[test]
fn a_shell_whose_rows_decide_implements_more_than_they_declare() {
    assert_eq!(selftest::<Shell>(), Ok(()));
}
