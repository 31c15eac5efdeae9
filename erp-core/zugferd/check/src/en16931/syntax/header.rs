//! Syntax restrictions on the head of the document.

use super::conditions::{payment_means_are_equal, payment_references, payment_texts_are_equal};
use crate::table::{Table, rules};

pub(super) const CONTEXT: Table = rules! {
    warning "CII-SR-001", Absent("SpecifiedTransactionID");
    warning "CII-SR-002", Absent("TestIndicator");
    warning "CII-SR-003", AtMostOnce("BusinessProcessSpecifiedDocumentContextParameter");
    warning "CII-SR-006", Absent("BIMSpecifiedDocumentContextParameter");
    warning "CII-SR-007", Absent("ScenarioSpecifiedDocumentContextParameter");
    warning "CII-SR-008", Absent("ApplicationSpecifiedDocumentContextParameter");
    fatal "CII-SR-009", Once("GuidelineSpecifiedDocumentContextParameter");
    fatal "CII-SR-010", Once("GuidelineSpecifiedDocumentContextParameter/ID");
    warning "CII-SR-011", Absent("SubsetSpecifiedDocumentContextParameter");
    warning "CII-SR-012", Absent("MessageStandardSpecifiedDocumentContextParameter");
};

pub(super) const DOCUMENT: Table = rules! {
    warning "CII-SR-013", Absent("Name");
    fatal "CII-SR-014", Once("TypeCode");
    warning "CII-SR-015", Absent("IssueDateTime/udt:DateTime");
    warning "CII-SR-016", Absent("CopyIndicator");
    warning "CII-SR-017", Absent("Purpose");
    warning "CII-SR-018", Absent("ControlRequirementIndicator");
    warning "CII-SR-019", Absent("LanguageID");
    warning "CII-SR-020", Absent("PurposeCode");
    warning "CII-SR-021", Absent("RevisionDateTime");
    warning "CII-SR-022", Absent("VersionID");
    warning "CII-SR-023", Absent("GlobalID");
    warning "CII-SR-024", Absent("RevisionID");
    warning "CII-SR-025", Absent("PreviousRevisionID");
    warning "CII-SR-026", Absent("CategoryCode");
    warning "CII-SR-027", Absent("IncludedNote/Subject");
    warning "CII-SR-028", Absent("IncludedNote/ContentCode");
    warning "CII-SR-032", Absent("IncludedNote/ID");
    warning "CII-SR-033", Absent("EffectiveSpecifiedPeriod");
    warning "CII-SR-034", Absent("IssuerTradeParty");
};

pub(super) const NOTE: Table = rules! {
    warning "CII-SR-030", AtMostOnce("Content");
};

pub(super) const INVOICE: Table = rules! {
    fatal "CII-DT-013", Absent("@languageID");
    fatal "CII-DT-014", Absent("@languageLocaleID");
    warning "CII-SR-438", Absent("ValuationBreakdownStatement");
    fatal "CII-SR-467", Is(payment_means_are_equal)
        => "The payment means have different type codes."
        | "Die Zahlungsarten haben verschiedene Typcodes.";
    fatal "CII-SR-468", Is(payment_texts_are_equal)
        => "The payment means have different texts."
        | "Die Zahlungsarten haben verschiedene Texte.";
    fatal "CII-SR-469", Judge(payment_references)
        => "`PaymentReference` is given {found} times, at most one is allowed."
        | "`PaymentReference` kommt {found}-mal vor, erlaubt ist höchstens einmal.";
};

pub(super) const PARAMETER: Table = rules! {
    warning "CII-SR-04", Absent("Value");
    warning "CII-SR-05", Absent("SpecifiedDocumentVersion");
};
