//! What an invoice breaks of its profile, in words.

use super::structure::StructureCheck;
use super::{codes, sentences};
use crate::engine::numbered;
use crate::findings::{Described, message, terms};
use crate::invoice::abort::{ABORTED, Abort, shorten};
use crate::invoice::document::Document;
use crate::invoice::node::Node;

pub(super) enum ProfileFault {
    /// It breaks the structure of the profile; `kind` says that only this kind of the element is meant.
    Structure {
        check: StructureCheck,
        number: u32,
        kind: bool,
    },
    /// It breaks a business rule, by its name in the standard.
    Business { name: String, id: String },
    /// The rule cannot be judged.
    Undecided { id: String, abort: Abort },
}

pub(super) struct Breach<'a> {
    pub(super) node: Node<'a>,
    pub(super) document: &'a Document<'a>,
    pub(super) fault: ProfileFault,
}

impl Breach<'_> {
    pub(super) fn describe(&self) -> Described {
        Described {
            id: self.id(),
            terms: self.terms(),
            texts: self.sentences(),
        }
    }

    /// The official id. Rules on unused elements have none; they are named after the element.
    fn id(&self) -> String {
        match &self.fault {
            ProfileFault::Structure {
                check: StructureCheck::NotUsed,
                kind,
                ..
            } => {
                let kind = if *kind { "variant " } else { "" };
                format!("FX-NOTUSED:{kind}{}", self.node.name())
            }
            ProfileFault::Structure {
                check: StructureCheck::AttributeNotUsed(name),
                ..
            } => format!("FX-NOTUSED:@{name}"),
            ProfileFault::Structure { number, .. } => numbered(*number),
            ProfileFault::Business { id, .. } => id.clone(),
            ProfileFault::Undecided { .. } => ABORTED.to_owned(),
        }
    }

    fn terms(&self) -> &'static str {
        let child = match &self.fault {
            ProfileFault::Business { name, .. } => match sentences::terms(name) {
                "" => None,
                terms => return terms,
            },
            ProfileFault::Structure {
                check:
                    StructureCheck::ExactlyOne(name)
                    | StructureCheck::AtLeastOne(name)
                    | StructureCheck::AtMost(_, name),
                ..
            } => Some(without_kind(name)),
            ProfileFault::Structure { .. } | ProfileFault::Undecided { .. } => None,
        };
        terms::of_element(self.node, child)
    }

    /// What is wrong, in English and German.
    fn sentences(&self) -> (String, String) {
        match &self.fault {
            ProfileFault::Structure { check, kind, .. } => self.structure(*check, *kind),
            ProfileFault::Business { name, .. } => sentences::of(name, self.node, self.document),
            ProfileFault::Undecided { id, abort } => message::undecided(id, abort),
        }
    }

    fn structure(&self, check: StructureCheck, kind: bool) -> (String, String) {
        let count = |name: &str| self.node.count(without_kind(name));
        match check {
            StructureCheck::ExactlyOne(name) if count(name) > 1 => times(name, count(name), 1),
            StructureCheck::ExactlyOne(name) | StructureCheck::AtLeastOne(name) => missing(name),
            StructureCheck::AtMost(most, name) => times(name, count(name), most),
            StructureCheck::AttributeRequired(name) => missing(&format!("@{name}")),
            StructureCheck::AttributeNotUsed(name) => not_used(("", ""), &format!("@{name}")),
            StructureCheck::NotUsed => {
                let what = if kind {
                    ("This kind of ", "Diese Art von ")
                } else {
                    ("", "")
                };
                not_used(what, self.node.element().local())
            }
            StructureCheck::Code(".", list) => code(&self.node.text(), list),
            StructureCheck::Code(name, list) => {
                code(self.node.attribute(name).unwrap_or_default(), list)
            }
        }
    }
}

fn not_used(what: (&str, &str), name: &str) -> (String, String) {
    let (en, de) = what;
    (
        format!("{en}`{name}` is not used here in this profile."),
        format!("{de}`{name}` wird hier in diesem Profil nicht verwendet."),
    )
}

fn without_kind(name: &str) -> &str {
    name.split('[').next().unwrap_or(name)
}

fn missing(name: &str) -> (String, String) {
    (format!("`{name}` is missing."), format!("`{name}` fehlt."))
}

fn times(name: &str, count: usize, most: usize) -> (String, String) {
    (
        format!("`{name}` is given {count} times, at most {most} is allowed."),
        format!("`{name}` kommt {count}-mal vor, erlaubt ist höchstens {most}."),
    )
}

fn code(text: &str, list: &str) -> (String, String) {
    let text = shorten(text);
    match codes::name(list) {
        Some(list) => (
            format!("`{text}` is not in the code list {list} of this profile."),
            format!("`{text}` steht nicht in der Codeliste {list} dieses Profils."),
        ),
        None => {
            let list = list.replace('|', "`, `");
            (
                format!("`{text}` is not allowed here, only `{list}`."),
                format!("`{text}` ist hier nicht erlaubt, nur `{list}`."),
            )
        }
    }
}
