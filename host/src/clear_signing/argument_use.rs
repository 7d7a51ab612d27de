//! What a claim uses an argument for, by the role that its template gives it.

use alloy::dyn_abi::{DynSolType, DynSolValue};
use portolan_abi::map::{ClaimTemplate, Role, caller, role};

/// A step of a path into the arguments of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PathStep {
    /// An argument of the function, or a member of a tuple, by its index.
    Member(usize),
    /// All members of a list.
    Each,
}

/// The use of an argument, or of a member of one.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ArgumentUse {
    /// The account, which alone may send the call.
    Sender,
    /// The account; anyone may send the call.
    Account,
    Token,
    /// A contract of the protocol.
    Contract,
    /// An address that a contract holds for the account.
    Delegate,
    /// An address of several uses.
    Address,
    /// A number, a flag or another value that says something to people.
    Value,
    /// Bytes that say nothing to people.
    Opaque,
    /// Always one of these values.
    Constant(Vec<DynSolValue>),
}

impl ArgumentUse {
    /// Returns what the argument is used for if templates use it in both ways.
    pub(super) fn merged(&self, other: &Self, kind: &DynSolType) -> Self {
        match (self, other) {
            (one, other) if one == other => one.clone(),
            (Self::Constant(one), Self::Constant(other)) => {
                let more = other.iter().filter(|value| !one.contains(value));
                Self::Constant(one.iter().chain(more).cloned().collect())
            }
            (Self::Sender | Self::Account, Self::Sender | Self::Account) => Self::Account,
            _ => Self::of_any(kind),
        }
    }

    /// The use of an argument of which only the type is known.
    fn of_any(kind: &DynSolType) -> Self {
        if *kind == DynSolType::Address { Self::Address } else { Self::Value }
    }
}

/// What a template says of an argument, or of a member of one.
enum Allowed<'a> {
    Role(&'a Role),
    /// Always one of these values; none for members of a list that is always empty.
    Constant(Vec<DynSolValue>),
}

/// Returns the uses of an argument's innermost members, each with its place and type.
pub(super) fn uses(
    template: &ClaimTemplate,
    argument: usize,
    kind: &DynSolType,
    declared: &Role,
) -> Vec<(Vec<PathStep>, DynSolType, ArgumentUse)> {
    let mut walk = UseWalk {
        is_sender: template.caller != caller::ANYONE,
        place: vec![PathStep::Member(argument)],
        uses: Vec::new(),
    };
    walk.visit(kind, Allowed::Role(declared));
    walk.uses
}

struct UseWalk {
    is_sender: bool,
    place: Vec<PathStep>,
    uses: Vec<(Vec<PathStep>, DynSolType, ArgumentUse)>,
}

impl UseWalk {
    /// Nested as deep as the type, which the ABI's codec bounds.
    fn visit(&mut self, kind: &DynSolType, allowed: Allowed<'_>) {
        let allowed = match allowed {
            Allowed::Role(declared) if declared.kind == role::CONSTANT => {
                let bytes = declared.constant.as_deref().unwrap_or_default();
                Allowed::Constant(kind.abi_decode(bytes).into_iter().collect())
            }
            allowed => allowed,
        };
        match kind {
            DynSolType::Array(member) | DynSolType::FixedArray(member, _) => {
                self.enter(PathStep::Each, member, member_of(&allowed, None));
            }
            DynSolType::Tuple(kinds) => {
                for (index, kind) in kinds.iter().enumerate() {
                    self.enter(PathStep::Member(index), kind, member_of(&allowed, Some(index)));
                }
            }
            kind => {
                let used = self.of_one(kind, allowed);
                self.uses.push((self.place.clone(), kind.clone(), used));
            }
        }
    }

    fn enter(&mut self, step: PathStep, kind: &DynSolType, allowed: Allowed<'_>) {
        self.place.push(step);
        self.visit(kind, allowed);
        self.place.pop();
    }

    fn of_one(&self, kind: &DynSolType, allowed: Allowed<'_>) -> ArgumentUse {
        let declared = match allowed {
            Allowed::Constant(values) if values.is_empty() => return ArgumentUse::of_any(kind),
            Allowed::Constant(mut values) => {
                let mut own: Vec<DynSolValue> = Vec::new();
                values.retain(|value| {
                    let is_new = !own.contains(value);
                    own.extend(is_new.then(|| value.clone()));
                    is_new
                });
                return ArgumentUse::Constant(values);
            }
            Allowed::Role(declared) => declared,
        };
        match declared.kind {
            role::ACCOUNT if self.is_sender => ArgumentUse::Sender,
            role::ACCOUNT => ArgumentUse::Account,
            role::TOKEN => ArgumentUse::Token,
            role::MARKET => ArgumentUse::Contract,
            role::DELEGATE => ArgumentUse::Delegate,
            role::PROOF | role::BYTES => ArgumentUse::Opaque,
            _ => ArgumentUse::of_any(kind),
        }
    }
}

/// Returns what is allowed of a member: of a list without an index, of a tuple with one.
fn member_of<'a>(allowed: &Allowed<'a>, index: Option<usize>) -> Allowed<'a> {
    static ANY: Role = Role::NUMBER;
    match allowed {
        Allowed::Role(declared) => {
            let members = declared.members.as_deref().unwrap_or_default();
            Allowed::Role(members.get(index.unwrap_or_default()).unwrap_or(&ANY))
        }
        Allowed::Constant(values) => {
            let members = values.iter().flat_map(|value| match (value, index) {
                (DynSolValue::Array(members) | DynSolValue::FixedArray(members), None) => members.clone(),
                (DynSolValue::Tuple(members), Some(index)) => members.get(index).cloned().into_iter().collect(),
                _ => Vec::new(),
            });
            Allowed::Constant(members.collect())
        }
    }
}
