//! Syntax restrictions on the settlement: payee, payment, allowances, terms.

use super::conditions::{tax_points_are_equal, transfers_have_accounts};
use crate::table::{Table, rules};

pub(super) const PAYMENT_MEANS: Table = rules! {
    warning "CII-SR-464", Absent("PayerSpecifiedDebtorFinancialInstitution");
};

pub(super) const SETTLEMENT: Table = rules! {
    warning "CII-SR-339", Absent("DuePayableAmount");
    warning "CII-SR-340", Absent("CreditorReferenceTypeCode");
    warning "CII-SR-341", Absent("CreditorReferenceType");
    warning "CII-SR-342", Absent("CreditorReferenceIssuerID");
    warning "CII-SR-344", Absent("PaymentCurrencyCode");
    warning "CII-SR-345", Absent("InvoiceIssuerReference");
    warning "CII-SR-346", Absent("InvoiceDateTime");
    warning "CII-SR-347", Absent("NextInvoiceDateTime");
    warning "CII-SR-348", Absent("CreditReasonCode");
    warning "CII-SR-349", Absent("CreditReason");
    warning "CII-SR-350", Absent("InvoicerTradeParty");
    warning "CII-SR-351", Absent("InvoiceeTradeParty");
    warning "CII-SR-352", Absent("PayeeTradeParty/RoleCode");
    warning "CII-SR-353", Absent("PayeeTradeParty/Description");
    warning "CII-SR-354", Absent("PayeeTradeParty/SpecifiedLegalOrganization/LegalClassificationCode");
    warning "CII-SR-355", Absent("PayeeTradeParty/SpecifiedLegalOrganization/Name");
    warning "CII-SR-356", Absent("PayeeTradeParty/SpecifiedLegalOrganization/TradingBusinessName");
    warning "CII-SR-357", Absent("PayeeTradeParty/SpecifiedLegalOrganization/PostalTradeAddress");
    warning "CII-SR-358", Absent("PayeeTradeParty/SpecifiedLegalOrganization/AuthorizedLegalRegistration");
    warning "CII-SR-359", Absent("PayeeTradeParty/DefinedTradeContact");
    warning "CII-SR-360", Absent("PayeeTradeParty/PostalTradeAddress");
    warning "CII-SR-361", Absent("PayeeTradeParty/URIUniversalCommunication");
    warning "CII-SR-362", Absent("PayeeTradeParty/SpecifiedTaxRegistration");
    warning "CII-SR-363", Absent("PayeeTradeParty/EndPointURIUniversalCommunication");
    warning "CII-SR-364", Absent("PayeeTradeParty/LogoAssociatedSpecifiedBinaryFile");
    warning "CII-SR-451", NotBoth("PayeeTradeParty/ID", "PayeeTradeParty/GlobalID")
        => "The payee has both `ID` and `GlobalID`."
        | "Der Zahlungsempfänger hat `ID` und `GlobalID` zugleich.";
    warning "CII-SR-365", Absent("PayerTradeParty");
    warning "CII-SR-366", Absent("TaxApplicableTradeCurrencyExchange");
    warning "CII-SR-367", Absent("InvoiceApplicableTradeCurrencyExchange");
    warning "CII-SR-368", Absent("PaymentApplicableTradeCurrencyExchange");
    warning "CII-SR-369", Absent("SpecifiedTradeSettlementPaymentMeans/PaymentChannelCode");
    warning "CII-SR-370", Absent("SpecifiedTradeSettlementPaymentMeans/GuaranteeMethodCode");
    warning "CII-SR-371", Absent("SpecifiedTradeSettlementPaymentMeans/PaymentMethodCode");
    warning "CII-SR-443", Absent("SpecifiedTradeSettlementPaymentMeans/ID");
    warning "CII-SR-372", Absent("SpecifiedTradeSettlementPaymentMeans/ApplicableTradeSettlementFinancialCard/MicrochipIndicator");
    warning "CII-SR-373", Absent("SpecifiedTradeSettlementPaymentMeans/ApplicableTradeSettlementFinancialCard/TypeCode");
    warning "CII-SR-375", Absent("SpecifiedTradeSettlementPaymentMeans/ApplicableTradeSettlementFinancialCard/ExpiryDate");
    warning "CII-SR-376", Absent("SpecifiedTradeSettlementPaymentMeans/ApplicableTradeSettlementFinancialCard/VerificationNumeric");
    warning "CII-SR-377", Absent("SpecifiedTradeSettlementPaymentMeans/ApplicableTradeSettlementFinancialCard/ValidFromDateTime");
    warning "CII-SR-378", Absent("SpecifiedTradeSettlementPaymentMeans/ApplicableTradeSettlementFinancialCard/CreditLimitAmount");
    warning "CII-SR-379", Absent("SpecifiedTradeSettlementPaymentMeans/ApplicableTradeSettlementFinancialCard/CreditAvailableAmount");
    warning "CII-SR-380", Absent("SpecifiedTradeSettlementPaymentMeans/ApplicableTradeSettlementFinancialCard/InterestRatePercent");
    warning "CII-SR-381", Absent("SpecifiedTradeSettlementPaymentMeans/ApplicableTradeSettlementFinancialCard/Description");
    warning "CII-SR-382", Absent("SpecifiedTradeSettlementPaymentMeans/PayerPartyDebtorFinancialAccount/AccountName");
    warning "CII-SR-444", Absent("SpecifiedTradeSettlementPaymentMeans/PayerPartyDebtorFinancialAccount/ProprietaryID");
    warning "CII-SR-384", Absent("SpecifiedTradeSettlementPaymentMeans/PayerSpecifiedDebtorFinancialInstitution/ClearingSystemName");
    warning "CII-SR-385", Absent("SpecifiedTradeSettlementPaymentMeans/PayerSpecifiedDebtorFinancialInstitution/Name");
    warning "CII-SR-386", Absent("SpecifiedTradeSettlementPaymentMeans/PayerSpecifiedDebtorFinancialInstitution/LocationFinancialInstitutionAddress");
    warning "CII-SR-388", Absent("SpecifiedTradeAllowanceCharge/ID");
    warning "CII-SR-389", Absent("SpecifiedTradeAllowanceCharge/SequenceNumeric");
    warning "CII-SR-390", Absent("SpecifiedTradeAllowanceCharge/BasisQuantity");
    warning "CII-SR-391", Absent("SpecifiedTradeAllowanceCharge/PrepaidIndicator");
    warning "CII-SR-392", Absent("SpecifiedTradeAllowanceCharge/UnitBasisAmount");
    warning "CII-SR-393", Absent("SpecifiedTradeAllowanceCharge/TypeCode");
    warning "CII-SR-394", Absent("SpecifiedTradeAllowanceCharge/ActualTradeCurrencyExchange");
    warning "CII-SR-395", Absent("SubtotalCalculatedTradeTax");
    warning "CII-SR-396", Absent("SpecifiedLogisticsServiceCharge");
    warning "CII-SR-397", Absent("SpecifiedTradePaymentTerms/ID");
    warning "CII-SR-398", Absent("SpecifiedTradePaymentTerms/FromEventCode");
    warning "CII-SR-399", Absent("SpecifiedTradePaymentTerms/SettlementPeriodMeasure");
    warning "CII-SR-400", Absent("SpecifiedTradePaymentTerms/DueDateDateTime/udt:DateTime");
    warning "CII-SR-401", Absent("SpecifiedTradePaymentTerms/TypeCode");
    warning "CII-SR-402", Absent("SpecifiedTradePaymentTerms/InstructionTypeCode");
    warning "CII-SR-404", Absent("SpecifiedTradePaymentTerms/PartialPaymentPercent");
    warning "CII-SR-405", Absent("SpecifiedTradePaymentTerms/PaymentMeansID");
    warning "CII-SR-406", Absent("SpecifiedTradePaymentTerms/PartialPaymentAmount");
    warning "CII-SR-407", Absent("SpecifiedTradePaymentTerms/ApplicableTradePaymentPenaltyTerms");
    warning "CII-SR-408", Absent("SpecifiedTradePaymentTerms/ApplicableTradePaymentDiscountTerms");
    warning "CII-SR-409", Absent("SpecifiedTradePaymentTerms/PayeeTradeParty");
    warning "CII-SR-421", Absent("SpecifiedFinancialAdjustment");
    warning "CII-SR-422", Absent("InvoiceReferencedDocument/LineID");
    warning "CII-SR-423", Absent("ProFormaInvoiceReferencedDocument");
    warning "CII-SR-424", Absent("LetterOfCreditReferencedDocument");
    warning "CII-SR-425", Absent("FactoringAgreementReferencedDocument");
    warning "CII-SR-426", Absent("FactoringListReferencedDocument");
    warning "CII-SR-427", Absent("PayableSpecifiedTradeAccountingAccount");
    warning "CII-SR-428", Absent("ReceivableSpecifiedTradeAccountingAccount/SetTriggerCode");
    warning "CII-SR-429", Absent("ReceivableSpecifiedTradeAccountingAccount/TypeCode");
    warning "CII-SR-430", Absent("ReceivableSpecifiedTradeAccountingAccount/AmountTypeCode");
    warning "CII-SR-431", Absent("ReceivableSpecifiedTradeAccountingAccount/Name");
    warning "CII-SR-432", Absent("ReceivableSpecifiedTradeAccountingAccount/CostReferenceDimensionPattern");
    warning "CII-SR-433", Absent("PurchaseSpecifiedTradeAccountingAccount");
    warning "CII-SR-434", Absent("SalesSpecifiedTradeAccountingAccount");
    warning "CII-SR-435", Absent("SpecifiedTradeSettlementFinancialCard");
    warning "CII-SR-436", Absent("SpecifiedAdvancePayment");
    warning "CII-SR-437", Absent("UltimatePayeeTradeParty");
    warning "CII-SR-452", AtMostOnce("SpecifiedTradePaymentTerms");
    warning "CII-SR-453", AtMostOnce("SpecifiedTradePaymentTerms/Description");
    fatal "CII-SR-461", AtMostOnce("ApplicableTradeTax/TaxPointDate");
    fatal "CII-SR-462", Is(tax_points_are_equal)
        => "The VAT breakdowns have different values of `DueDateTypeCode`."
        | "Die Umsatzsteueraufschlüsselungen haben verschiedene Werte von `DueDateTypeCode`.";
    fatal "CII-SR-470", Is(transfers_have_accounts)
        => "A credit transfer has neither an IBAN nor another account."
        | "Eine Überweisung hat weder IBAN noch ein anderes Konto.";
};
