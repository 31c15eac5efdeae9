//! Syntax restrictions on the delivery.

use crate::table::{Table, rules};

pub(super) const DELIVERY: Table = rules! {
    warning "CII-SR-308", Absent("RelatedSupplyChainConsignment");
    warning "CII-SR-309", Absent("ShipToTradeParty/RoleCode");
    warning "CII-SR-310", Absent("ShipToTradeParty/Description");
    warning "CII-SR-311", Absent("ShipToTradeParty/SpecifiedLegalOrganization");
    warning "CII-SR-312", Absent("ShipToTradeParty/DefinedTradeContact");
    warning "CII-SR-313", Absent("ShipToTradeParty/URIUniversalCommunication");
    warning "CII-SR-314", Absent("ShipToTradeParty/SpecifiedTaxRegistration");
    warning "CII-SR-315", Absent("ShipToTradeParty/EndPointURIUniversalCommunication");
    warning "CII-SR-316", Absent("ShipToTradeParty/LogoAssociatedSpecifiedBinaryFile");
    warning "CII-SR-317", Absent("UltimateShipToTradeParty");
    warning "CII-SR-318", Absent("ShipFromTradeParty");
    warning "CII-SR-319", Absent("ActualDespatchSupplyChainEvent");
    warning "CII-SR-320", Absent("ActualPickUpSupplyChainEvent");
    warning "CII-SR-321", Absent("ActualDeliverySupplyChainEvent/ID");
    warning "CII-SR-322", Absent("ActualDeliverySupplyChainEvent/OccurrenceDateTime/udt:DateTime");
    warning "CII-SR-323", Absent("ActualDeliverySupplyChainEvent/TypeCode");
    warning "CII-SR-324", Absent("ActualDeliverySupplyChainEvent/Description");
    warning "CII-SR-325", Absent("ActualDeliverySupplyChainEvent/DescriptionBinaryObject");
    warning "CII-SR-326", Absent("ActualDeliverySupplyChainEvent/UnitQuantity");
    warning "CII-SR-327", Absent("ActualDeliverySupplyChainEvent/LatestOccurrenceDateTime");
    warning "CII-SR-328", Absent("ActualDeliverySupplyChainEvent/EarliestOccurrenceDateTime");
    warning "CII-SR-329", Absent("ActualDeliverySupplyChainEvent/OccurrenceSpecifiedPeriod");
    warning "CII-SR-330", Absent("ActualDeliverySupplyChainEvent/OccurrenceLogisticsLocation");
    warning "CII-SR-331", Absent("ActualReceiptSupplyChainEvent");
    warning "CII-SR-332", Absent("AdditionalReferencedDocument");
    warning "CII-SR-333", Absent("DespatchAdviceReferencedDocument/LineID");
    warning "CII-SR-334", Absent("DespatchAdviceReferencedDocument/LineID");
    warning "CII-SR-335", Absent("DeliveryNoteReferencedDocument");
    warning "CII-SR-336", Absent("ConsumptionReportReferencedDocument");
    warning "CII-SR-337", Absent("PreviousDeliverySupplyChainEvent");
    warning "CII-SR-338", Absent("PackingListReferencedDocument");
    warning "CII-SR-449", NotBoth("ShipToTradeParty/ID", "ShipToTradeParty/GlobalID")
        => "The ship-to party has both `ID` and `GlobalID`."
        | "Der Lieferort hat `ID` und `GlobalID` zugleich.";
};
