//! The page tree (ISO 32000-1, 7.7.3), also malicious ones.

use super::located::Located;
pub use super::tree::name_tree;
use super::{Dict, Object, ObjectId, PdfError, PdfFile, Result};
use std::collections::BTreeSet;
use std::rc::Rc;

/// A page with its inherited attributes.
#[derive(Debug, Clone)]
pub struct PdfPage {
    /// Its object.
    pub id: ObjectId,
    located: Rc<Located>,
    inherited: Inherited,
}

/// For each of [`INHERITED`] the nearest node above that has it; values are not copied.
type Inherited = [Option<Rc<Located>>; INHERITED.len()];

/// The pages of a document, and the errors in their tree.
#[derive(Debug, Default)]
pub struct PageTree {
    /// The pages in their order.
    pub pages: Vec<PdfPage>,
    /// What is wrong; only the first ones.
    pub faults: Vec<TreeFault>,
}

/// Something in a page tree that other readers may take otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeFault {
    /// The node.
    pub node: Option<ObjectId>,
    /// What is wrong with it.
    pub text: &'static str,
    /// The member that repairs it, where one does.
    pub fix: Option<(&'static str, Object)>,
}

const INHERITED: [&str; 4] = ["Resources", "MediaBox", "CropBox", "Rotate"];
/// Faults that are kept; a few of them say enough.
const KEPT: usize = 1_000;
static EMPTY: Dict = Dict::new();

impl PdfPage {
    /// Its own dictionary.
    pub fn dict(&self) -> &Dict {
        self.located.object.as_dict().unwrap_or(&EMPTY)
    }

    /// A member, its own or an inherited one.
    pub fn get(&self, name: &str) -> Option<&Object> {
        self.dict().get(name).or_else(|| self.inherited(name))
    }

    fn inherited(&self, name: &str) -> Option<&Object> {
        let place = INHERITED.iter().position(|known| *known == name)?;
        let holder = self.inherited.get(place)?.as_deref()?;
        holder.object.as_dict()?.get(name)
    }

    /// Whether `Resources` are inherited.
    pub fn inherits_resources(&self) -> bool {
        !self.dict().has("Resources") && self.inherited("Resources").is_some()
    }
}

/// All pages in their order.
pub fn pages(file: &PdfFile<'_>, catalog: &Dict) -> Result<Vec<PdfPage>> {
    page_tree(file, catalog).map(|tree| tree.pages)
}

/// All pages in order, and the errors in their tree.
/// Errors: [`PdfError::TooLarge`] for more nodes than the limits allow, [`PdfError::Damaged`] when there is no page.
pub fn page_tree(file: &PdfFile<'_>, catalog: &Dict) -> Result<PageTree> {
    let mut walk = Walk {
        file,
        tree: PageTree::default(),
        seen: BTreeSet::new(),
        waiting: Vec::new(),
    };
    let root = catalog.get("Pages").cloned().unwrap_or_default();
    walk.waiting.push(Visit::Node {
        node: root,
        parent: None,
        inherited: Inherited::default(),
    });
    while let Some(visit) = walk.waiting.pop() {
        match visit {
            Visit::Node {
                node,
                parent,
                inherited,
            } => walk.node(&node, parent, inherited)?,
            Visit::End { id, count, before } => walk.end(id, count, before),
        }
    }
    if walk.tree.pages.is_empty() {
        return Err(PdfError::damaged("the document has no page", 0));
    }
    Ok(walk.tree)
}

enum Visit {
    Node {
        node: Object,
        parent: Option<ObjectId>,
        inherited: Inherited,
    },
    /// After all below a node.
    End {
        id: ObjectId,
        count: Option<i64>,
        before: usize,
    },
}

struct Walk<'f, 'a> {
    file: &'f PdfFile<'a>,
    tree: PageTree,
    seen: BTreeSet<u32>,
    waiting: Vec<Visit>,
}

impl Walk<'_, '_> {
    fn fault(
        &mut self,
        node: Option<ObjectId>,
        text: &'static str,
        fix: Option<(&'static str, Object)>,
    ) {
        if self.tree.faults.len() < KEPT {
            self.tree.faults.push(TreeFault { node, text, fix });
        }
    }

    fn node(
        &mut self,
        node: &Object,
        parent: Option<ObjectId>,
        inherited: Inherited,
    ) -> Result<()> {
        let Some(id) = node.as_reference() else {
            let text = "a node of the page tree is no object of its own";
            self.fault(parent, text, None);
            return Ok(());
        };
        if !self.seen.insert(id.number) {
            self.fault(Some(id), "a node of the page tree is there twice", None);
            return Ok(());
        }
        let nodes = self.seen.len().max(self.waiting.len());
        let most = self.file.limits().tree_nodes;
        PdfError::within("nodes of the page tree", nodes, most)?;
        let located = self.file.object(id.number)?;
        let Some(located) = located.filter(|located| matches!(located.object, Object::Dict(_)))
        else {
            let text = "the page tree leads to something that is no page";
            self.fault(parent, text, None);
            return Ok(());
        };
        let dict = located.object.as_dict().unwrap_or(&EMPTY);
        self.check_parent(id, dict, parent);
        let kids = self.file.member(dict, "Kids")?;
        match kids.as_array() {
            Some(kids) if !dict.is_type("Page") => {
                let text = "an inner node of the page tree has no `Type` or a wrong one";
                self.check_type(id, dict, "Pages", text);
                self.branch(id, &located, kids, &inherited)?;
            }
            _ => {
                self.check_type(id, dict, "Page", "a page has no `Type` or a wrong one");
                self.tree.pages.push(PdfPage {
                    id,
                    located,
                    inherited,
                });
            }
        }
        Ok(())
    }

    fn check_parent(&mut self, id: ObjectId, dict: &Dict, parent: Option<ObjectId>) {
        let stated = dict.reference("Parent").map(|id| id.number);
        if let Some(parent) = parent.filter(|parent| stated != Some(parent.number)) {
            let fix = Some(("Parent", Object::Reference(parent)));
            self.fault(Some(id), "`Parent` is not the node that leads here", fix);
        }
    }

    fn check_type(&mut self, id: ObjectId, dict: &Dict, name: &str, text: &'static str) {
        if !dict.is_type(name) {
            let fix = (!dict.has("Type")).then(|| ("Type", Object::name(name)));
            self.fault(Some(id), text, fix);
        }
    }

    fn branch(
        &mut self,
        id: ObjectId,
        located: &Rc<Located>,
        kids: &[Object],
        inherited: &Inherited,
    ) -> Result<()> {
        let dict = located.object.as_dict().unwrap_or(&EMPTY);
        let count = self.file.member(dict, "Count")?.as_integer();
        self.waiting.push(Visit::End {
            id,
            count,
            before: self.tree.pages.len(),
        });
        let mut inherited = inherited.clone();
        for (name, holder) in INHERITED.iter().zip(&mut inherited) {
            if dict.has(name) {
                *holder = Some(Rc::clone(located));
            }
        }
        let limit = self.file.limits().tree_nodes;
        let kids = kids.iter().take(limit).rev().map(|kid| Visit::Node {
            node: kid.clone(),
            parent: Some(id),
            inherited: inherited.clone(),
        });
        self.waiting.extend(kids);
        Ok(())
    }

    fn end(&mut self, id: ObjectId, count: Option<i64>, before: usize) {
        let actual = i64::try_from(self.tree.pages.len() - before).unwrap_or(i64::MAX);
        if count != Some(actual) {
            let fix = Some(("Count", Object::Integer(actual)));
            self.fault(Some(id), "`Count` is not the number of pages below", fix);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;
    use erp_dev::pdf;

    type Found = Vec<(Option<u32>, Option<&'static str>)>;

    /// Pages, and the nodes of faults with the members that repair them.
    fn read(objects: &[(u32, &str)]) -> (Vec<u32>, Found) {
        let whole = [
            (1, "<</Type/Catalog/Pages 2 0 R>>"),
            (2, "<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2>>"),
            (3, "<</Type/Page/Parent 2 0 R>>"),
            (4, "<</Type/Page/Parent 2 0 R>>"),
        ];
        let mut all = whole.to_vec();
        all.retain(|(number, _)| objects.iter().all(|(other, _)| other != number));
        all.extend_from_slice(objects);
        let bytes = pdf(&all, &[(9, "", b"")]);
        let file = PdfFile::open(&bytes, &Limits::DEFAULT).unwrap();
        let tree = page_tree(&file, &file.catalog().unwrap().1).unwrap();
        let pages = tree.pages.iter().map(|page| page.id.number).collect();
        let faults = tree.faults.iter();
        let fix = |fault: &TreeFault| fault.fix.as_ref().map(|(name, _)| *name);
        let found = faults.map(|fault| (fault.node.map(|id| id.number), fix(fault)));
        (pages, found.collect())
    }

    // clause: 6.1.1
    #[test]
    fn kids_that_are_no_pages_are_reported() {
        let kids = |kids: &str, count: usize| {
            let node = format!("<</Type/Pages/Kids[{kids}]/Count {count}>>");
            read(&[(2, &node)])
        };
        assert_eq!(kids("3 0 R 4 0 R", 2), (vec![3, 4], vec![]));
        for wrong in ["null", "7 0 R", "9 0 R", "<</Type/Page>>", "1"] {
            let found = kids(&format!("3 0 R {wrong}"), 1);
            assert_eq!(found, (vec![3], vec![(Some(2), None)]), "{wrong}");
        }
        let twice = kids("3 0 R 3 0 R", 1);
        assert_eq!(twice, (vec![3], vec![(Some(3), None)]));
        let itself = kids("3 0 R 2 0 R", 1);
        assert_eq!(itself, (vec![3], vec![(Some(2), None)]));
    }

    // clause: 6.1.1
    #[test]
    fn members_that_readers_go_by_are_set_right() {
        let of = |number, text| read(&[(number, text)]).1;
        for (text, name) in [
            ("<</Parent 2 0 R>>", Some("Type")),
            ("<</Type/Font/Parent 2 0 R>>", None),
            ("<</Type/Pages/Parent 2 0 R>>", None),
            ("<</Type/Page/Parent 3 0 R>>", Some("Parent")),
            ("<</Type/Page>>", Some("Parent")),
        ] {
            assert_eq!(of(4, text), [(Some(4), name)], "{text}");
        }
        for (text, name) in [
            ("<</Type/Pages/Kids[3 0 R 4 0 R]/Count 3>>", "Count"),
            ("<</Type/Pages/Kids[3 0 R 4 0 R]>>", "Count"),
            ("<</Kids[3 0 R 4 0 R]/Count 2>>", "Type"),
        ] {
            assert_eq!(of(2, text), [(Some(2), Some(name))], "{text}");
        }
    }

    #[test]
    fn what_pages_inherit_is_there_once() {
        let node = "<</Type/Pages/Kids[3 0 R 4 0 R 5 0 R]/Count 3/Resources<</A 1>>/Rotate 90>>";
        let own = "<</Type/Page/Parent 2 0 R/Resources<<>>>>";
        // A node that adds something does not copy its inherited attributes.
        let inner = "<</Type/Pages/Parent 2 0 R/Kids[6 0 R]/Count 1/MediaBox[0 0 9 9]>>";
        let bytes = pdf(
            &[
                (1, "<</Type/Catalog/Pages 2 0 R>>"),
                (2, node),
                (3, "<</Type/Page/Parent 2 0 R>>"),
                (4, own),
                (5, inner),
                (6, "<</Type/Page/Parent 5 0 R>>"),
            ],
            &[],
        );
        let file = PdfFile::open(&bytes, &Limits::DEFAULT).unwrap();
        let pages = pages(&file, &file.catalog().unwrap().1).unwrap();
        let [first, second, third] = pages.as_slice() else {
            panic!("three pages");
        };
        let resources = |page: &PdfPage| page.get("Resources").map(std::ptr::from_ref);
        assert!(resources(first).is_some() && resources(first) == resources(third));
        assert!(first.get("MediaBox").is_none() && third.get("MediaBox").is_some());
        assert!(first.inherits_resources() && !second.inherits_resources());
        assert_eq!(first.get("Rotate"), Some(&Object::Integer(90)));
        assert!(
            second
                .get("Resources")
                .is_some_and(|own| *own == Object::Dict(Dict::new()))
        );
    }
}
