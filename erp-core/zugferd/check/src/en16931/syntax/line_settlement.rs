//! Syntax restrictions on amounts of invoice lines, and on allowances and charges of any level.

use super::conditions::line_object_references;
use crate::table::{Table, rules};

pub(super) const ALLOWANCE_CHARGE: Table = rules! {
    fatal "CII-SR-463", Present("ChargeIndicator")
        => "The allowance or charge has no `ChargeIndicator`."
        | "Dem Nachlass oder Zuschlag fehlt `ChargeIndicator`.";
    fatal "CII-SR-471", AtMostOnce("RateApplicablePercent");
    fatal "CII-SR-472", AtMostOnce("CategoryTradeTax");
    fatal "CII-SR-473", AtMostOnce("ActualAmount");
};

pub(super) const LINE_SETTLEMENT: Table = rules! {
    warning "CII-SR-178", Absent("PaymentReference");
    warning "CII-SR-179", Absent("InvoiceIssuerReference");
    warning "CII-SR-180", Absent("TotalAdjustmentAmount");
    warning "CII-SR-181", Absent("DiscountIndicator");
    warning "CII-SR-182", Absent("ApplicableTradeTax/CalculatedAmount");
    warning "CII-SR-183", Absent("SpecifiedTradeAllowanceCharge/ChargeIndicator/udt:IndicatorString");
    warning "CII-SR-184", Absent("SpecifiedTradeAllowanceCharge/ID");
    warning "CII-SR-185", Absent("SpecifiedTradeAllowanceCharge/SequenceNumeric");
    warning "CII-SR-186", Absent("SpecifiedTradeAllowanceCharge/CalculationPercent/@format");
    warning "CII-SR-187", Absent("SpecifiedTradeAllowanceCharge/BasisQuantity");
    warning "CII-SR-188", Absent("SpecifiedTradeAllowanceCharge/PrepaidIndicator");
    warning "CII-SR-189", Absent("SpecifiedTradeAllowanceCharge/UnitBasisAmount");
    warning "CII-SR-190", Absent("SpecifiedTradeAllowanceCharge/TypeCode");
    warning "CII-SR-191", Absent("SpecifiedTradeAllowanceCharge/CategoryTradeTax");
    warning "CII-SR-192", Absent("SpecifiedTradeAllowanceCharge/ActualTradeCurrencyExchange");
    warning "CII-SR-193", Absent("SpecifiedTradeAllowanceCharge/ID");
    warning "CII-SR-194", Absent("SubtotalCalculatedTradeTax");
    warning "CII-SR-195", Absent("SpecifiedLogisticsServiceCharge");
    warning "CII-SR-196", Absent("SpecifiedTradePaymentTerms");
    warning "CII-SR-197", Absent("SpecifiedTradeSettlementLineMonetarySummation/ChargeTotalAmount");
    warning "CII-SR-198", Absent("SpecifiedTradeSettlementLineMonetarySummation/AllowanceTotalAmount");
    warning "CII-SR-199", Absent("SpecifiedTradeSettlementLineMonetarySummation/TaxBasisTotalAmount");
    warning "CII-SR-200", Absent("SpecifiedTradeSettlementLineMonetarySummation/TaxTotalAmount");
    warning "CII-SR-201", Absent("SpecifiedTradeSettlementLineMonetarySummation/GrandTotalAmount");
    warning "CII-SR-202", Absent("SpecifiedTradeSettlementLineMonetarySummation/InformationAmount");
    warning "CII-SR-203", Absent("SpecifiedTradeSettlementLineMonetarySummation/TotalAllowanceChargeAmount");
    warning "CII-SR-204", Absent("SpecifiedTradeSettlementLineMonetarySummation/TotalRetailValueInformationAmount");
    warning "CII-SR-205", Absent("SpecifiedTradeSettlementLineMonetarySummation/GrossLineTotalAmount");
    warning "CII-SR-206", Absent("SpecifiedTradeSettlementLineMonetarySummation/NetLineTotalAmount");
    warning "CII-SR-207", Absent("SpecifiedTradeSettlementLineMonetarySummation/NetIncludingTaxesLineTotalAmount");
    warning "CII-SR-208", Absent("SpecifiedTradeSettlementLineMonetarySummation/ProductWeightLossInformationAmount");
    warning "CII-SR-209", Absent("SpecifiedFinancialAdjustment");
    warning "CII-SR-210", Absent("InvoiceReferencedDocument");
    warning "CII-SR-212", Absent("PayableSpecifiedTradeAccountingAccount");
    warning "CII-SR-213", Absent("ReceivableSpecifiedTradeAccountingAccount/SetTriggerCode");
    warning "CII-SR-214", Absent("ReceivableSpecifiedTradeAccountingAccount/TypeCode");
    warning "CII-SR-215", Absent("ReceivableSpecifiedTradeAccountingAccount/AmountTypeCode");
    warning "CII-SR-216", Absent("ReceivableSpecifiedTradeAccountingAccount/Name");
    warning "CII-SR-217", Absent("ReceivableSpecifiedTradeAccountingAccount/CostReferenceDimensionPattern");
    warning "CII-SR-218", Absent("PurchaseSpecifiedTradeAccountingAccount");
    warning "CII-SR-219", Absent("SalesSpecifiedTradeAccountingAccount");
    warning "CII-SR-220", Absent("SpecifiedTradeSettlementFinancialCard");
    warning "CII-SR-454", Once("ApplicableTradeTax");
    warning "CII-SR-474", Judge(line_object_references)
        => "{found} additional documents of the line have the type code 130, at most one is allowed."
        | "{found} zusätzliche Dokumente der Position haben den Typcode 130, erlaubt ist höchstens eines.";
};
