//! Syntax restrictions on the totals.

use crate::table::{Table, rules};

pub(super) const SUMMATION: Table = rules! {
    warning "CII-SR-411", Absent("InformationAmount");
    warning "CII-SR-412", Absent("TotalDiscountAmount");
    warning "CII-SR-413", Absent("TotalAllowanceChargeAmount");
    warning "CII-SR-414", Absent("RetailValueExcludingTaxInformationAmount");
    warning "CII-SR-415", Absent("TotalDepositFeeInformationAmount");
    warning "CII-SR-416", Absent("ProductValueExcludingTobaccoTaxInformationAmount");
    warning "CII-SR-417", Absent("TotalRetailValueInformationAmount");
    warning "CII-SR-418", Absent("GrossLineTotalAmount");
    warning "CII-SR-419", Absent("NetLineTotalAmount");
    warning "CII-SR-420", Absent("NetIncludingTaxesLineTotalAmount");
    fatal "CII-SR-477", AtMostOnce("LineTotalAmount");
    fatal "CII-SR-478", AtMostOnce("ChargeTotalAmount");
    fatal "CII-SR-479", AtMostOnce("AllowanceTotalAmount");
    fatal "CII-SR-480", AtMostOnce("TaxBasisTotalAmount");
    fatal "CII-SR-481", AtMostOnce("RoundingAmount");
    fatal "CII-SR-482", AtMostOnce("GrandTotalAmount");
    fatal "CII-SR-483", AtMostOnce("InformationAmount");
    fatal "CII-SR-484", AtMostOnce("TotalPrepaidAmount");
    fatal "CII-SR-485", AtMostOnce("TotalDiscountAmount");
    fatal "CII-SR-486", AtMostOnce("TotalAllowanceChargeAmount");
    fatal "CII-SR-487", AtMostOnce("DuePayableAmount");
    fatal "CII-SR-488", AtMostOnce("RetailValueExcludingTaxInformationAmount");
    fatal "CII-SR-489", AtMostOnce("TotalDepositFeeInformationAmount");
    fatal "CII-SR-490", AtMostOnce("ProductValueExcludingTobaccoTaxInformationAmount");
    fatal "CII-SR-491", AtMostOnce("TotalRetailValueInformationAmount");
    fatal "CII-SR-492", AtMostOnce("GrossLineTotalAmount");
    fatal "CII-SR-493", AtMostOnce("NetLineTotalAmount");
    fatal "CII-SR-494", AtMostOnce("NetIncludingTaxesLineTotalAmount");
};
