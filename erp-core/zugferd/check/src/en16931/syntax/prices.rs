//! Syntax restrictions on prices of items.

use super::conditions::price_has_only_allowances;
use crate::table::{Table, rules};

pub(super) const LINE_AGREEMENT: Table = rules! {
    warning "CII-SR-104", Absent("BuyerReference");
    warning "CII-SR-105", Absent("BuyerRequisitionerTradeParty");
    warning "CII-SR-106", Absent("ApplicableTradeDeliveryTerms");
    warning "CII-SR-107", Absent("SellerOrderReferencedDocument");
    warning "CII-SR-108", Absent("BuyerOrderReferencedDocument/IssuerAssignedID");
    warning "CII-SR-109", Absent("QuotationReferencedDocument");
    warning "CII-SR-110", Absent("ContractReferencedDocument");
    warning "CII-SR-111", Absent("DemandForecastReferencedDocument");
    warning "CII-SR-112", Absent("PromotionalDealReferencedDocument");
    warning "CII-SR-113", Absent("AdditionalReferencedDocument");
    warning "CII-SR-114", Absent("GrossPriceProductTradePrice/TypeCode");
    warning "CII-SR-115", Absent("GrossPriceProductTradePrice/MinimumQuantity");
    warning "CII-SR-116", Absent("GrossPriceProductTradePrice/MaximumQuantity");
    warning "CII-SR-117", Absent("GrossPriceProductTradePrice/ChangeReason");
    warning "CII-SR-118", Absent("GrossPriceProductTradePrice/OrderUnitConversionFactorNumeric");
    fatal "CII-SR-439", Once("NetPriceProductTradePrice/ChargeAmount");
    warning "CII-SR-119", Is(price_has_only_allowances)
        => "A price allows only a discount, with `ChargeIndicator` false and `ActualAmount`."
        | "Zu einem Preis ist nur ein Nachlass möglich, mit `ChargeIndicator` false und `ActualAmount`.";
    warning "CII-SR-120", Absent("GrossPriceProductTradePrice/AppliedTradeAllowanceCharge/ID");
    warning "CII-SR-121", Absent("GrossPriceProductTradePrice/AppliedTradeAllowanceCharge/SequenceNumeric");
    warning "CII-SR-122", Absent("GrossPriceProductTradePrice/AppliedTradeAllowanceCharge/CalculationPercent");
    warning "CII-SR-123", Absent("GrossPriceProductTradePrice/AppliedTradeAllowanceCharge/BasisAmount");
    warning "CII-SR-124", Absent("GrossPriceProductTradePrice/AppliedTradeAllowanceCharge/BasisQuantity");
    warning "CII-SR-125", Absent("GrossPriceProductTradePrice/AppliedTradeAllowanceCharge/PrepaidIndicator");
    warning "CII-SR-126", Absent("GrossPriceProductTradePrice/AppliedTradeAllowanceCharge/UnitBasisAmount");
    warning "CII-SR-127", Absent("GrossPriceProductTradePrice/AppliedTradeAllowanceCharge/ReasonCode");
    warning "CII-SR-128", Absent("GrossPriceProductTradePrice/AppliedTradeAllowanceCharge/Reason");
    warning "CII-SR-129", Absent("GrossPriceProductTradePrice/AppliedTradeAllowanceCharge/TypeCode");
    warning "CII-SR-130", Absent("GrossPriceProductTradePrice/AppliedTradeAllowanceCharge/CategoryTradeTax");
    warning "CII-SR-131", Absent("GrossPriceProductTradePrice/AppliedTradeAllowanceCharge/ActualTradeCurrencyExchange");
    warning "CII-SR-445", Absent("GrossPriceProductTradePrice/IncludedTradeTax");
    warning "CII-SR-132", Absent("GrossPriceProductTradePrice/ValiditySpecifiedPeriod");
    warning "CII-SR-133", Absent("GrossPriceProductTradePrice/DeliveryTradeLocation");
    warning "CII-SR-134", Absent("GrossPriceProductTradePrice/TradeComparisonReferencePrice");
    warning "CII-SR-135", Absent("GrossPriceProductTradePrice/AssociatedReferencedDocument");
    warning "CII-SR-136", Absent("NetPriceProductTradePrice/TypeCode");
    warning "CII-SR-138", Absent("NetPriceProductTradePrice/MinimumQuantity");
    warning "CII-SR-139", Absent("NetPriceProductTradePrice/MaximumQuantity");
    warning "CII-SR-140", Absent("NetPriceProductTradePrice/ChangeReason");
    warning "CII-SR-141", Absent("NetPriceProductTradePrice/OrderUnitConversionFactorNumeric");
    warning "CII-SR-142", Absent("NetPriceProductTradePrice/AppliedTradeAllowanceCharge");
    warning "CII-SR-446", Absent("NetPriceProductTradePrice/IncludedTradeTax");
    warning "CII-SR-143", Absent("NetPriceProductTradePrice/ValiditySpecifiedPeriod");
    warning "CII-SR-144", Absent("NetPriceProductTradePrice/DeliveryTradeLocation");
    warning "CII-SR-145", Absent("NetPriceProductTradePrice/TradeComparisonReferencePrice");
    warning "CII-SR-146", Absent("NetPriceProductTradePrice/AssociatedReferencedDocument");
    fatal "CII-SR-441", AtMostOnce("NetPriceProductTradePrice/ChargeAmount");
    warning "CII-SR-147", Absent("RequisitionerReferencedDocument");
    warning "CII-SR-148", Absent("ItemSellerTradeParty");
    warning "CII-SR-149", Absent("ItemBuyerTradeParty");
    warning "CII-SR-150", Absent("IncludedSpecifiedMarketplace");
    warning "CII-SR-447", Absent("UltimateCustomerOrderReferencedDocument");
};

pub(super) const PRICE_ALLOWANCE: Table = rules! {
    fatal "CII-SR-440", AtMostOnce("ActualAmount");
};
