//! Lines inside other lines, which only EXTENDED has.

use crate::invoice::node::Node;
use crate::invoice::texts::{TextMap, Texts};
use crate::invoice::values::normalize;

pub(crate) const LINE: &str = "IncludedSupplyChainTradeLineItem";
pub(crate) const PARENT: &str = "AssociatedDocumentLineDocument/ParentLineID";
pub(crate) const STATUS: &str = "AssociatedDocumentLineDocument/LineStatusReasonCode";
pub(crate) const LINE_TOTAL: &str =
    "SpecifiedLineTradeSettlement/SpecifiedTradeSettlementLineMonetarySummation/LineTotalAmount";

/// What the lines say about lines around them.
#[derive(Default)]
pub(crate) struct LineTree {
    /// The numbers of all lines, trimmed.
    pub(crate) ids: Texts<'static>,
    /// Groups inside the line of this number, and their totals.
    pub(crate) groups: TextMap<'static, (usize, usize)>,
}

impl LineTree {
    pub(crate) fn gather<'a>(lines: impl Iterator<Item = Node<'a>>) -> Self {
        let mut tree = Self::default();
        for line in lines {
            let ids = line.all("AssociatedDocumentLineDocument/LineID");
            for id in ids {
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
