//! Restrictions on data types: attributes of codes, amounts and identifiers.

use super::conditions::{
    date_is_of_preceding_invoice, file_is_of_attachment, name_is_of_attachment,
    reference_type_is_of_object, type_is_allowed, unit_is_of_billed_quantity, uri_is_of_attachment,
};
use crate::table::{Table, rules};

pub(super) const IDENTIFIER: Table = rules! {
    fatal "CII-DT-001", Absent("@schemeName");
    fatal "CII-DT-002", Absent("@schemeAgencyName");
    fatal "CII-DT-003", Absent("@schemeDataURI");
    fatal "CII-DT-004", Absent("@schemeURI");
    fatal "CII-DT-005", Absent("@schemeID");
    fatal "CII-DT-006", Absent("@schemeAgencyID");
    fatal "CII-DT-007", Absent("@schemeVersionID");
};

pub(super) const ANY_ID: Table = rules! {
    fatal "CII-DT-101", Absent("@schemeName");
    fatal "CII-DT-102", Absent("@schemeAgencyName");
    fatal "CII-DT-103", Absent("@schemeDataURI");
    fatal "CII-DT-104", Absent("@schemeURI");
};

pub(super) const TYPE_CODE: Table = rules! {
    fatal "CII-DT-008", Absent("@name");
    fatal "CII-DT-009", Absent("@listURI");
};

pub(super) const DOCUMENT_TYPE_CODE: Table = rules! {
    fatal "CII-DT-010", Absent("@listID");
    fatal "CII-DT-011", Absent("@listAgencyID");
    fatal "CII-DT-012", Absent("@listVersionID");
};

pub(super) const LINE_CATEGORY_CODE: Table = rules! {
    warning "CII-DT-045", Absent("@listID");
    warning "CII-DT-046", Absent("@listAgencyID");
    warning "CII-DT-047", Absent("@listVersionID");
    warning "CII-DT-048", Absent("@listURI");
};

pub(super) const REFERENCED_DOCUMENT: Table = rules! {
    fatal "CII-DT-015", Is(uri_is_of_attachment)
        => "Only an additional document of type 916 has a `URIID`."
        | "Nur ein zusätzliches Dokument vom Typ 916 hat eine `URIID`.";
    fatal "CII-DT-016", Absent("StatusCode");
    fatal "CII-DT-017", Absent("CopyIndicator");
    fatal "CII-DT-018", Is(type_is_allowed)
        => "Only an additional document has a type code, which is 50, 130 or 916."
        | "Nur ein zusätzliches Dokument hat einen Typcode: 50, 130 oder 916.";
    fatal "CII-DT-019", Absent("GlobalID");
    fatal "CII-DT-020", Absent("RevisionID");
    fatal "CII-DT-021", Is(name_is_of_attachment)
        => "Only an additional document of type 916 has a `Name`."
        | "Nur ein zusätzliches Dokument vom Typ 916 hat einen `Name`.";
    fatal "CII-DT-022", Is(file_is_of_attachment)
        => "Only an additional document of type 916 has an `AttachmentBinaryObject`."
        | "Nur ein zusätzliches Dokument vom Typ 916 hat ein `AttachmentBinaryObject`.";
    fatal "CII-DT-023", Absent("Information");
    fatal "CII-DT-024", Is(reference_type_is_of_object)
        => "Only an additional document of type 130 has a `ReferenceTypeCode`."
        | "Nur ein zusätzliches Dokument vom Typ 130 hat einen `ReferenceTypeCode`.";
    fatal "CII-DT-025", Absent("SectionName");
    fatal "CII-DT-026", Absent("PreviousRevisionID");
    fatal "CII-DT-027", Is(date_is_of_preceding_invoice)
        => "Only the reference to a preceding invoice has a `FormattedIssueDateTime`."
        | "Nur der Verweis auf eine vorausgegangene Rechnung hat ein `FormattedIssueDateTime`.";
    fatal "CII-DT-028", Absent("EffectiveSpecifiedPeriod");
    fatal "CII-DT-029", Absent("IssuerTradeParty");
    fatal "CII-DT-030", Absent("AttachedSpecifiedBinaryFile");
};

pub(super) const AMOUNT: Table = rules! {
    fatal "CII-DT-031", Absent("@currencyID");
    fatal "CII-DT-032", Absent("@currencyCodeListVersionID");
};

pub(super) const QUANTITY: Table = rules! {
    fatal "CII-DT-033", Is(unit_is_of_billed_quantity)
        => "`{element}` has a `@unitCode`, but no billed quantity of the invoice has one."
        | "`{element}` hat einen `@unitCode`, aber keine berechnete Menge der Rechnung hat einen.";
    fatal "CII-DT-034", Absent("@unitCodeListID");
    fatal "CII-DT-035", Absent("@unitCodeListAgencyID");
    fatal "CII-DT-036", Absent("@unitCodeListAgencyName");
};
