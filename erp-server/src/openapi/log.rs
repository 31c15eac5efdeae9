//! `/www/log`.

use super::operation::Described;

pub(super) fn operations() -> Vec<Described> {
    vec![
        Described::delete("/www/log", "deleteLog", "Delete all log files")
            .admin()
            .answers_nothing(204, "Deleted, also when there were none"),
    ]
}
