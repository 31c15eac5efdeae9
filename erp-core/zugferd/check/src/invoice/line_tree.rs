//! Lines inside other lines, which only EXTENDED has.

use super::abort::Abort;
use super::double;
use super::node::Node;
use super::texts::{TextMap, Texts};
use super::values::normalize;

pub(crate) const LINE: &str = "IncludedSupplyChainTradeLineItem";
pub(crate) const PARENT: &str = "AssociatedDocumentLineDocument/ParentLineID";
pub(crate) const STATUS: &str = "AssociatedDocumentLineDocument/LineStatusReasonCode";
pub(crate) const LINE_TOTAL: &str =
    "SpecifiedLineTradeSettlement/SpecifiedTradeSettlementLineMonetarySummation/LineTotalAmount";

const ID: &str = "AssociatedDocumentLineDocument/LineID";

/// Whether a line is an ordinary one, no group and no information.
pub(crate) fn is_detail(line: Node<'_>) -> bool {
    !line.has(STATUS) || line.has_text(STATUS, "DETAIL")
}

/// What the lines say about lines around them.
pub(crate) struct LineTree {
    /// The numbers of all lines, trimmed.
    pub(crate) ids: Texts<'static>,
    /// Groups inside the line of this number, and their totals.
    pub(crate) groups: TextMap<'static, (usize, usize)>,
    /// Whether the total of every group is the sum of the totals of the lines and groups directly inside.
    pub(crate) groups_add_up: Result<bool, Abort>,
}

impl LineTree {
    pub(super) fn gather(lines: &[Node<'_>]) -> Self {
        let mut tree = Self {
            ids: Texts::default(),
            groups: TextMap::default(),
            groups_add_up: groups_add_up(lines),
        };
        for line in lines {
            for id in line.all(ID) {
                tree.ids.insert(normalize(&id.text()).into());
            }
            if line.has_text(STATUS, "GROUP") {
                let totals = line.count(LINE_TOTAL);
                for parent in line.texts(PARENT).iter() {
                    let parent = parent.to_owned().into();
                    tree.groups.change(parent, |groups| {
                        *groups = (groups.0 + 1, groups.1 + totals);
                    });
                }
            }
        }
        tree
    }
}

fn groups_add_up(lines: &[Node<'_>]) -> Result<bool, Abort> {
    let number = |text: String| double::parse(&text).unwrap_or(f64::NAN);
    let total = |line: &Node<'_>| line.words(LINE_TOTAL).map(number);
    let mut inside: TextMap<'static, f64> = TextMap::default();
    for line in lines {
        if line.has_text(STATUS, "DETAIL") || line.has_text(STATUS, "GROUP") {
            let (parent, total) = (line.words(PARENT)?, total(line)?);
            inside.change(parent.into(), |sum| *sum = double::add(*sum, total));
        }
    }
    for line in lines {
        if line.has_text(STATUS, "GROUP") && !line.words(LINE_TOTAL)?.is_empty() {
            let sum = inside.get(&line.words(ID)?).copied().unwrap_or(0.0);
            if total(line)? != double::round_hundredfold(sum) {
                return Ok(false);
            }
        }
    }
    Ok(true)
}
