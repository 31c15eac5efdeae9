//! Small programs on `erp-core`; see the files beside this one.
