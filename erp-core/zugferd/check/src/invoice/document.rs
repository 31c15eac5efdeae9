//! The document as the business rules of the profiles read it: elements anywhere by name.

use std::cell::{OnceCell, RefCell};

use super::category_sums::CategorySums;
use super::line_tree::{LINE, LineTree};
use crate::invoice::abort::Abort;
use crate::invoice::date;
use crate::invoice::decimal::Decimal;
use crate::invoice::facts::Facts;
use crate::invoice::node::Node;
use crate::invoice::taxes::Taxes;
use crate::invoice::texts::{TextMap, Texts};

/// The elements of a document by their names.
#[derive(Default)]
pub(super) struct ElementIndex<'a>(TextMap<'a, Vec<Node<'a>>>);

impl<'a> ElementIndex<'a> {
    pub(super) fn of(root: Node<'a>) -> Self {
        let mut index = Self::default();
        for node in std::iter::once(root).chain(root.descendants()) {
            let name = node.element().local().into();
            index.0.change(name, |named| named.push(node));
        }
        index
    }

    /// All elements of which the names, with those around them, end with the path.
    pub(super) fn anywhere<'d>(&'d self, path: &'d str) -> impl Iterator<Item = Node<'a>> + 'd {
        let last = path.rsplit(['/', ':']).next().unwrap_or(path);
        let named = self.0.get(last).map_or(&[][..], Vec::as_slice);
        let named = named.iter().copied().take_while(|element| {
            element.work(1);
            !element.is_exhausted()
        });
        named.filter(move |element| element.ends(path.split('/')).is_some())
    }
}

/// What each VAT breakdown must add up to: one of these; none where it is not judged.
pub(crate) type Total = Result<Vec<Decimal>, Abort>;

pub(crate) struct Document<'a> {
    pub(crate) root: Node<'a>,
    pub(crate) facts: &'a Facts,
    elements: ElementIndex<'a>,
    line_tree: OnceCell<LineTree>,
    category_sums: OnceCell<CategorySums>,
    /// The local names of all attributes without namespace.
    attributes: OnceCell<Texts<'static>>,
    taxes: OnceCell<Taxes>,
    /// Start and end of the invoicing period of a UBL invoice.
    period: OnceCell<[Result<Option<i64>, Abort>; 2]>,
    /// By VAT category and rate.
    pub(crate) totals: RefCell<TextMap<'static, Option<Total>>>,
}

impl<'a> Document<'a> {
    /// Without an index [`Self::anywhere`] finds nothing: only the rules of profiles and of UBL use it.
    pub(crate) fn new(root: Node<'a>, facts: &'a Facts, has_index: bool) -> Self {
        let elements = if has_index || root.syntax().is_ubl {
            ElementIndex::of(root)
        } else {
            ElementIndex::default()
        };
        Self {
            root,
            facts,
            elements,
            line_tree: OnceCell::new(),
            category_sums: OnceCell::new(),
            attributes: OnceCell::new(),
            taxes: OnceCell::new(),
            period: OnceCell::new(),
            totals: RefCell::default(),
        }
    }

    /// All elements of which the names, with those around them, end with the path.
    pub(crate) fn anywhere<'d>(&'d self, path: &'d str) -> impl Iterator<Item = Node<'a>> + 'd {
        self.elements.anywhere(path)
    }

    /// Whether something is at the path from the document element, or after `//` anywhere.
    pub(crate) fn has(&self, path: &str) -> bool {
        let (path, from_root) = match path.strip_prefix("//") {
            Some(path) => (path, false),
            None => (path, true),
        };
        let (path, attribute) = match path.rsplit_once('@') {
            Some((path, attribute)) => (path.trim_end_matches('/'), Some(attribute)),
            None => (path, None),
        };
        if let (true, Some(attribute)) = (path.is_empty(), attribute) {
            return self.attributes().contains(attribute);
        }
        self.anywhere(path).any(|node| {
            let starts_there = || {
                let first = node.ends(path.split('/')).and_then(Node::up);
                first.is_some_and(|around| around.up().is_none())
            };
            (!from_root || starts_there())
                && attribute.is_none_or(|name| node.attribute(name).is_some())
        })
    }

    fn attributes(&self) -> &Texts<'static> {
        self.attributes.get_or_init(|| {
            let mut names = Texts::default();
            for name in self.everything().flat_map(Node::attribute_names) {
                if !names.contains(name) {
                    names.insert(name.to_owned().into());
                }
            }
            names
        })
    }

    pub(crate) fn taxes(&self) -> &Taxes {
        self.taxes.get_or_init(|| Taxes::gather(&self.elements))
    }

    /// Start and end of the invoicing period of a UBL invoice; `None` where it has none.
    pub(crate) fn period(&self) -> &[Result<Option<i64>, Abort>; 2] {
        self.period.get_or_init(|| {
            ["StartDate", "EndDate"].map(|name| {
                let date = self.root.only(&format!("cac:InvoicePeriod/cbc:{name}"))?;
                date.map(|date| date::parse(&date.text())).transpose()
            })
        })
    }

    /// The net amounts of the lines of a UBL invoice, wherever they are.
    pub(crate) fn line_amounts(&self) -> Result<Vec<Node<'a>>, Abort> {
        let lines = ["cac:InvoiceLine", "cac:CreditNoteLine"];
        let lines = lines.into_iter().flat_map(|line| self.anywhere(line));
        let amounts = lines.filter_map(|line| line.only(line.syntax().line_amount).transpose());
        amounts.collect()
    }

    /// All elements in the order of the document.
    pub(crate) fn everything(&self) -> impl Iterator<Item = Node<'a>> {
        std::iter::once(self.root).chain(self.root.descendants())
    }

    /// What the lines say about lines around them.
    pub(crate) fn line_tree(&self) -> &LineTree {
        self.line_tree.get_or_init(|| {
            let lines: Vec<_> = self.anywhere(LINE).collect();
            LineTree::gather(&lines)
        })
    }

    /// What each VAT category of a CII invoice adds up to.
    pub(crate) fn category_sums(&self) -> &CategorySums {
        self.category_sums
            .get_or_init(|| CategorySums::gather(self.root))
    }

    pub(crate) fn settlement(&self, path: &str) -> Vec<Node<'a>> {
        let around = "rsm:SupplyChainTradeTransaction/ApplicableHeaderTradeSettlement";
        self.root.all(&format!("{around}/{path}"))
    }
}
