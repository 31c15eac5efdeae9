//! Restrictions on groups that occur at several places: taxes, periods, addresses, dates.

use super::conditions::{
    basis_is_of_header, date_has_8_digits, exemption_code_is_of_tax, exemption_is_of_tax,
    tax_is_vat, tax_point_code_is_of_header, tax_point_is_of_header,
};
use crate::table::{Table, rules};

pub(super) const TAX: Table = rules! {
    fatal "CII-DT-037", Is(tax_is_vat)
        => "The type code of `{element}` is not exactly `VAT`."
        | "Der Typcode von `{element}` ist nicht genau `VAT`.";
    warning "CII-DT-038", Absent("CalculatedRate");
    warning "CII-DT-039", Absent("CalculationSequenceNumeric");
    warning "CII-DT-040", Absent("BasisQuantity");
    warning "CII-DT-041", Is(basis_is_of_header)
        => "`BasisAmount` is used in taxes of the header only."
        | "`BasisAmount` wird nur in Steuern des Rechnungskopfs verwendet.";
    warning "CII-DT-042", Absent("UnitBasisAmount");
    warning "CII-DT-043", Absent("LineTotalBasisAmount");
    warning "CII-DT-044", Absent("AllowanceChargeBasisAmount");
    warning "CII-DT-049", Absent("CurrencyCode");
    warning "CII-DT-050", Absent("Jurisdiction");
    warning "CII-DT-051", Absent("CustomsDutyIndicator");
    warning "CII-DT-052", Is(exemption_code_is_of_tax)
        => "`ExemptionReasonCode` is used in `ApplicableTradeTax` only."
        | "`ExemptionReasonCode` wird nur in `ApplicableTradeTax` verwendet.";
    warning "CII-DT-098", Is(exemption_is_of_tax)
        => "`ExemptionReason` is used in `ApplicableTradeTax` only."
        | "`ExemptionReason` wird nur in `ApplicableTradeTax` verwendet.";
    warning "CII-DT-053", Absent("TaxBasisAllowanceRate");
    warning "CII-DT-054", Is(tax_point_is_of_header)
        => "`TaxPointDate` is used in taxes of the header only."
        | "`TaxPointDate` wird nur in Steuern des Rechnungskopfs verwendet.";
    warning "CII-DT-055", Absent("Type");
    warning "CII-DT-056", Absent("InformationAmount");
    warning "CII-DT-057", Absent("CategoryName");
    warning "CII-DT-058", Is(tax_point_code_is_of_header)
        => "`DueDateTypeCode` is used in taxes of the header only."
        | "`DueDateTypeCode` wird nur in Steuern des Rechnungskopfs verwendet.";
    warning "CII-DT-059", Absent("RateApplicablePercent/@format");
    warning "CII-DT-060", Absent("SpecifiedTradeAccountingAccount");
    warning "CII-DT-061", Absent("ServiceSupplyTradeCountry");
    warning "CII-DT-062", Absent("BuyerRepayableTaxSpecifiedTradeAccountingAccount");
    warning "CII-DT-063", Absent("SellerPayableTaxSpecifiedTradeAccountingAccount");
    warning "CII-DT-064", Absent("SellerRefundableTaxSpecifiedTradeAccountingAccount");
    warning "CII-DT-065", Absent("BuyerDeductibleTaxSpecifiedTradeAccountingAccount");
    warning "CII-DT-066", Absent("BuyerNonDeductibleTaxSpecifiedTradeAccountingAccount");
    warning "CII-DT-067", Absent("PlaceApplicableTradeLocation");
};

pub(super) const PERIOD: Table = rules! {
    fatal "CII-DT-068", Absent("StartDateTime/udt:DateTime");
    fatal "CII-DT-069", Absent("DurationMeasure");
    fatal "CII-DT-070", Absent("InclusiveIndicator");
    fatal "CII-DT-071", Absent("Description");
    fatal "CII-DT-072", Absent("EndDateTime/udt:DateTime");
    fatal "CII-DT-073", Absent("CompleteDateTime");
    fatal "CII-DT-074", Absent("OpenIndicator");
    fatal "CII-DT-075", Absent("SeasonCode");
    fatal "CII-DT-076", Absent("ID");
    fatal "CII-DT-077", Absent("Name");
    fatal "CII-DT-078", Absent("SequenceNumeric");
    fatal "CII-DT-079", Absent("StartDateFlexibilityCode");
    fatal "CII-DT-080", Absent("ContinuousIndicator");
    fatal "CII-DT-081", Absent("PurposeCode");
};

pub(super) const ADDRESS: Table = rules! {
    fatal "CII-DT-082", Absent("ID");
    fatal "CII-DT-083", Absent("PostOfficeBox");
    fatal "CII-DT-084", Absent("BuildingName");
    fatal "CII-DT-086", Absent("LineFour");
    fatal "CII-DT-087", Absent("LineFive");
    fatal "CII-DT-088", Absent("StreetName");
    fatal "CII-DT-089", Absent("CitySubDivisionName");
    fatal "CII-DT-090", Absent("CountryName");
    fatal "CII-DT-091", Absent("CountrySubDivisionID");
    fatal "CII-DT-092", Absent("AttentionOf");
    fatal "CII-DT-093", Absent("CareOf");
    fatal "CII-DT-094", Absent("BuildingNumber");
    fatal "CII-DT-095", Absent("DepartmentName");
    fatal "CII-DT-096", Absent("AdditionalStreetName");
};

pub(super) const DATE: Table = rules! {
    fatal "CII-DT-097", Is(date_has_8_digits)
        => "A date with the format 102 is eight digits: year, month and day."
        | "Ein Datum im Format 102 hat acht Ziffern: Jahr, Monat und Tag.";
};
