//! Syntax restrictions on invoice lines.

use super::conditions::{origin_is_one_country, product_id_has_scheme};
use crate::table::{Table, rules};

pub(super) const LINE: Table = rules! {
    warning "CII-SR-035", Absent("DescriptionCode");
    warning "CII-SR-036", Absent("ParentLineID");
    warning "CII-SR-037", Absent("LineStatusCode");
    warning "CII-SR-038", Absent("LineStatusReasonCode");
    warning "CII-SR-221", Absent("IncludedSubordinateTradeLineItem");
};

pub(super) const LINE_DOCUMENT: Table = rules! {
    warning "CII-SR-039", AtMostOnce("IncludedNote");
    warning "CII-SR-040", AtMostOnce("IncludedNote/Content");
    warning "CII-SR-041", Absent("IncludedNote/SubjectCode");
    warning "CII-SR-042", Absent("IncludedNote/ID");
    warning "CII-SR-043", Absent("IncludedNote/Subject");
    warning "CII-SR-044", Absent("IncludedNote/ContentCode");
};

pub(super) const PRODUCT: Table = rules! {
    warning "CII-SR-045", Absent("ID");
    fatal "CII-SR-046", Is(product_id_has_scheme)
        => "The product has a `GlobalID` without `@schemeID`."
        | "Das Produkt hat eine `GlobalID` ohne `@schemeID`.";
    warning "CII-SR-048", Absent("ManufacturerAssignedID");
    warning "CII-SR-049", Absent("TradeName");
    warning "CII-SR-050", Absent("TypeCode");
    warning "CII-SR-051", Absent("NetWeightMeasure");
    warning "CII-SR-052", Absent("GrossWeightMeasure");
    warning "CII-SR-053", Absent("ProductGroupID");
    warning "CII-SR-054", Absent("EndItemTypeCode");
    warning "CII-SR-055", Absent("EndItemName");
    warning "CII-SR-056", Absent("AreaDensityMeasure");
    warning "CII-SR-057", Absent("UseDescription");
    warning "CII-SR-058", Absent("BrandName");
    warning "CII-SR-059", Absent("SubBrandName");
    warning "CII-SR-060", Absent("DrainedNetWeightMeasure");
    warning "CII-SR-061", Absent("VariableMeasureIndicator");
    warning "CII-SR-062", Absent("ColourCode");
    warning "CII-SR-063", Absent("ColourDescription");
    warning "CII-SR-064", Absent("Designation");
    warning "CII-SR-065", Absent("FormattedCancellationAnnouncedLaunchDateTime");
    warning "CII-SR-066", Absent("FormattedLatestProductDataChangeDateTime");
    warning "CII-SR-067", Absent("ApplicableProductCharacteristic/ID");
    warning "CII-SR-068", Absent("ApplicableProductCharacteristic/TypeCode");
    warning "CII-SR-070", Absent("ApplicableProductCharacteristic/ValueMeasure");
    warning "CII-SR-071", Absent("ApplicableProductCharacteristic/MeasurementMethodCode");
    warning "CII-SR-073", Absent("ApplicableProductCharacteristic/ValueCode");
    warning "CII-SR-074", Absent("ApplicableProductCharacteristic/ValueDateTime");
    warning "CII-SR-075", Absent("ApplicableProductCharacteristic/ValueIndicator");
    warning "CII-SR-076", Absent("ApplicableProductCharacteristic/ContentTypeCode");
    warning "CII-SR-077", Absent("ApplicableProductCharacteristic/ValueSpecifiedBinaryFile");
    warning "CII-SR-078", Absent("ApplicableProductCharacteristic/ApplicableProductCharacteristicCondition");
    warning "CII-SR-079", Absent("ApplicableProductCharacteristic/ApplicableReferencedStandard");
    warning "CII-SR-080", Absent("ApplicableMaterialGoodsCharacteristic");
    warning "CII-SR-081", Absent("DesignatedProductClassification/SystemID");
    warning "CII-SR-082", Absent("DesignatedProductClassification/SystemName");
    warning "CII-SR-083", Absent("DesignatedProductClassification/ClassName");
    warning "CII-SR-084", Absent("DesignatedProductClassification/SubClassCode");
    warning "CII-SR-085", Absent("DesignatedProductClassification/ClassProductCharacteristic");
    warning "CII-SR-086", Absent("DesignatedProductClassification/ApplicableReferencedStandard");
    warning "CII-SR-087", Absent("IndividualTradeProductInstance");
    warning "CII-SR-088", Absent("CertificationEvidenceReferenceReferencedDocument");
    warning "CII-SR-089", Absent("InspectionReferenceReferencedDocument");
    fatal "CII-SR-090", Is(origin_is_one_country)
        => "The countries of origin of the item have not exactly one `ID`."
        | "Die Herkunftsländer des Artikels haben nicht genau eine `ID`.";
    warning "CII-SR-091", Absent("OriginTradeCountry/Name");
    warning "CII-SR-092", Absent("OriginTradeCountry/SubordinateTradeCountrySubDivision");
    warning "CII-SR-093", Absent("LinearSpatialDimension");
    warning "CII-SR-094", Absent("MinimumLinearSpatialDimension");
    warning "CII-SR-095", Absent("MaximumLinearSpatialDimension");
    warning "CII-SR-096", Absent("ManufacturerTradeParty");
    warning "CII-SR-097", Absent("PresentationSpecifiedBinaryFile");
    warning "CII-SR-098", Absent("MSDSReferenceReferencedDocument");
    warning "CII-SR-099", Absent("AdditionalReferenceReferencedDocument");
    warning "CII-SR-100", Absent("LegalRightsOwnerTradeParty");
    warning "CII-SR-101", Absent("BrandOwnerTradeParty");
    warning "CII-SR-102", Absent("IncludedReferencedProduct");
    warning "CII-SR-103", Absent("InformationNote");
};

pub(super) const CHARACTERISTIC: Table = rules! {
    fatal "CII-SR-069", Once("Description");
    fatal "CII-SR-072", Once("Value");
};

pub(super) const LINE_DELIVERY: Table = rules! {
    warning "CII-SR-151", Absent("RequestedQuantity");
    warning "CII-SR-152", Absent("ReceivedQuantity");
    warning "CII-SR-153", Absent("ChargeFreeQuantity");
    warning "CII-SR-154", Absent("PackageQuantity");
    warning "CII-SR-155", Absent("ProductUnitQuantity");
    warning "CII-SR-156", Absent("PerPackageUnitQuantity");
    warning "CII-SR-157", Absent("NetWeightMeasure");
    warning "CII-SR-158", Absent("GrossWeightMeasure");
    warning "CII-SR-159", Absent("TheoreticalWeightMeasure");
    warning "CII-SR-160", Absent("DespatchedQuantity");
    warning "CII-SR-161", Absent("SpecifiedDeliveryAdjustment");
    warning "CII-SR-162", Absent("IncludedSupplyChainPackaging");
    warning "CII-SR-163", Absent("RelatedSupplyChainConsignment");
    warning "CII-SR-164", Absent("ShipToTradeParty");
    warning "CII-SR-165", Absent("UltimateShipToTradeParty");
    warning "CII-SR-166", Absent("ShipFromTradeParty");
    warning "CII-SR-167", Absent("ActualDespatchSupplyChainEvent");
    warning "CII-SR-168", Absent("ActualPickUpSupplyChainEvent");
    warning "CII-SR-169", Absent("RequestedDeliverySupplyChainEvent");
    warning "CII-SR-170", Absent("ActualDeliverySupplyChainEvent");
    warning "CII-SR-171", Absent("ActualReceiptSupplyChainEvent");
    warning "CII-SR-172", Absent("AdditionalReferencedDocument");
    warning "CII-SR-173", Absent("DespatchAdviceReferencedDocument");
    warning "CII-SR-174", Absent("ReceivingAdviceReferencedDocument");
    warning "CII-SR-175", Absent("DeliveryNoteReferencedDocument");
    warning "CII-SR-176", Absent("ConsumptionReportReferencedDocument");
    warning "CII-SR-177", Absent("PackingListReferencedDocument");
};
