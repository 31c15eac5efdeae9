//! Syntax restrictions on the parties and references of the agreement.

use super::conditions::{attachments, names_of_attachments, object_references, tender_references};
use crate::table::{Table, rules};

pub(super) const AGREEMENT: Table = rules! {
    warning "CII-SR-442", Absent("Reference");
    warning "CII-SR-222", Absent("SellerTradeParty/RoleCode");
    warning "CII-SR-223", Absent("SellerTradeParty/SpecifiedLegalOrganization/LegalClassificationCode");
    warning "CII-SR-224", Absent("SellerTradeParty/SpecifiedLegalOrganization/Name");
    warning "CII-SR-225", Absent("SellerTradeParty/SpecifiedLegalOrganization/PostalTradeAddress");
    warning "CII-SR-226", Absent("SellerTradeParty/SpecifiedLegalOrganization/AuthorizedLegalRegistration");
    warning "CII-SR-227", Absent("SellerTradeParty/DefinedTradeContact/ID");
    warning "CII-SR-228", Absent("SellerTradeParty/DefinedTradeContact/TypeCode");
    warning "CII-SR-229", Absent("SellerTradeParty/DefinedTradeContact/JobTitle");
    warning "CII-SR-230", Absent("SellerTradeParty/DefinedTradeContact/Responsibility");
    warning "CII-SR-231", Absent("SellerTradeParty/DefinedTradeContact/PersonID");
    warning "CII-SR-232", Absent("SellerTradeParty/DefinedTradeContact/TelephoneUniversalCommunication/URIID");
    warning "CII-SR-233", Absent("SellerTradeParty/DefinedTradeContact/TelephoneUniversalCommunication/ChannelCode");
    warning "CII-SR-234", Absent("SellerTradeParty/DefinedTradeContact/DirectTelephoneUniversalCommunication");
    warning "CII-SR-235", Absent("SellerTradeParty/DefinedTradeContact/MobileTelephoneUniversalCommunication");
    warning "CII-SR-236", Absent("SellerTradeParty/DefinedTradeContact/FaxUniversalCommunication");
    warning "CII-SR-237", Absent("SellerTradeParty/DefinedTradeContact/EmailURIUniversalCommunication/ChannelCode");
    warning "CII-SR-238", Absent("SellerTradeParty/DefinedTradeContact/EmailURIUniversalCommunication/CompleteNumber");
    warning "CII-SR-239", Absent("SellerTradeParty/DefinedTradeContact/TelexUniversalCommunication");
    warning "CII-SR-240", Absent("SellerTradeParty/DefinedTradeContact/VOIPUniversalCommunication");
    warning "CII-SR-241", Absent("SellerTradeParty/DefinedTradeContact/InstantMessagingUniversalCommunication");
    warning "CII-SR-242", Absent("SellerTradeParty/DefinedTradeContact/SpecifiedNote");
    warning "CII-SR-243", Absent("SellerTradeParty/DefinedTradeContact/SpecifiedContactPerson");
    warning "CII-SR-244", Absent("SellerTradeParty/URIUniversalCommunication/ChannelCode");
    warning "CII-SR-245", Absent("SellerTradeParty/URIUniversalCommunication/CompleteNumber");
    warning "CII-SR-246", Absent("SellerTradeParty/SpecifiedTaxRegistration/AssociatedRegisteredTax");
    warning "CII-SR-247", Absent("SellerTradeParty/EndPointURIUniversalCommunication");
    warning "CII-SR-248", Absent("SellerTradeParty/LogoAssociatedSpecifiedBinaryFile");
    warning "CII-SR-249", Absent("BuyerTradeParty/RoleCode");
    warning "CII-SR-250", Absent("BuyerTradeParty/Description");
    warning "CII-SR-251", Absent("BuyerTradeParty/SpecifiedLegalOrganization/LegalClassificationCode");
    warning "CII-SR-252", Absent("BuyerTradeParty/SpecifiedLegalOrganization/Name");
    warning "CII-SR-254", Absent("BuyerTradeParty/SpecifiedLegalOrganization/PostalTradeAddress");
    warning "CII-SR-255", Absent("BuyerTradeParty/SpecifiedLegalOrganization/AuthorizedLegalRegistration");
    warning "CII-SR-256", Absent("BuyerTradeParty/DefinedTradeContact/ID");
    warning "CII-SR-257", Absent("BuyerTradeParty/DefinedTradeContact/TypeCode");
    warning "CII-SR-258", Absent("BuyerTradeParty/DefinedTradeContact/JobTitle");
    warning "CII-SR-259", Absent("BuyerTradeParty/DefinedTradeContact/Responsibility");
    warning "CII-SR-260", Absent("BuyerTradeParty/DefinedTradeContact/PersonID");
    warning "CII-SR-261", Absent("BuyerTradeParty/DefinedTradeContact/TelephoneUniversalCommunication/URIID");
    warning "CII-SR-262", Absent("BuyerTradeParty/DefinedTradeContact/TelephoneUniversalCommunication/ChannelCode");
    warning "CII-SR-263", Absent("BuyerTradeParty/DefinedTradeContact/DirectTelephoneUniversalCommunication");
    warning "CII-SR-264", Absent("BuyerTradeParty/DefinedTradeContact/MobileTelephoneUniversalCommunication");
    warning "CII-SR-265", Absent("BuyerTradeParty/DefinedTradeContact/FaxUniversalCommunication");
    warning "CII-SR-266", Absent("BuyerTradeParty/DefinedTradeContact/EmailURIUniversalCommunication/ChannelCode");
    warning "CII-SR-267", Absent("BuyerTradeParty/DefinedTradeContact/EmailURIUniversalCommunication/CompleteNumber");
    warning "CII-SR-268", Absent("BuyerTradeParty/DefinedTradeContact/TelexUniversalCommunication");
    warning "CII-SR-269", Absent("BuyerTradeParty/DefinedTradeContact/VOIPUniversalCommunication");
    warning "CII-SR-270", Absent("BuyerTradeParty/DefinedTradeContact/InstantMessagingUniversalCommunication");
    warning "CII-SR-271", Absent("BuyerTradeParty/DefinedTradeContact/SpecifiedNote");
    warning "CII-SR-272", Absent("BuyerTradeParty/DefinedTradeContact/SpecifiedContactPerson");
    warning "CII-SR-273", Absent("BuyerTradeParty/URIUniversalCommunication/ChannelCode");
    warning "CII-SR-274", Absent("BuyerTradeParty/URIUniversalCommunication/CompleteNumber");
    warning "CII-SR-275", Absent("BuyerTradeParty/SpecifiedTaxRegistration/AssociatedRegisteredTax");
    warning "CII-SR-276", Absent("BuyerTradeParty/EndPointURIUniversalCommunication");
    warning "CII-SR-277", Absent("BuyerTradeParty/LogoAssociatedSpecifiedBinaryFile");
    warning "CII-SR-278", Absent("SalesAgentTradeParty");
    warning "CII-SR-279", Absent("BuyerRequisitionerTradeParty");
    warning "CII-SR-280", Absent("BuyerAssignedAccountantTradeParty");
    warning "CII-SR-281", Absent("SellerAssignedAccountantTradeParty");
    warning "CII-SR-282", Absent("SellerTaxRepresentativeTradeParty/ID");
    warning "CII-SR-283", Absent("SellerTaxRepresentativeTradeParty/GlobalID");
    warning "CII-SR-284", Absent("SellerTaxRepresentativeTradeParty/RoleCode");
    warning "CII-SR-285", Absent("SellerTaxRepresentativeTradeParty/Description");
    warning "CII-SR-286", Absent("SellerTaxRepresentativeTradeParty/SpecifiedLegalOrganization");
    warning "CII-SR-287", Absent("SellerTaxRepresentativeTradeParty/DefinedTradeContact");
    warning "CII-SR-288", Absent("SellerTaxRepresentativeTradeParty/URIUniversalCommunication");
    warning "CII-SR-289", Absent("SellerTaxRepresentativeTradeParty/SpecifiedTaxRegistration/AssociatedRegisteredTax");
    warning "CII-SR-290", Absent("SellerTaxRepresentativeTradeParty/EndPointURIUniversalCommunication");
    warning "CII-SR-291", Absent("SellerTaxRepresentativeTradeParty/LogoAssociatedSpecifiedBinaryFile");
    warning "CII-SR-292", Absent("ProductEndUserTradeParty");
    warning "CII-SR-293", Absent("ApplicableTradeDeliveryTerms");
    warning "CII-SR-294", Absent("SellerOrderReferencedDocument/LineID");
    warning "CII-SR-295", Absent("BuyerOrderReferencedDocument/LineID");
    warning "CII-SR-296", Absent("QuotationReferencedDocument");
    warning "CII-SR-297", Absent("OrderResponseReferencedDocument");
    warning "CII-SR-298", Absent("ContractReferencedDocument/LineID");
    warning "CII-SR-299", Absent("DemandForecastReferencedDocument");
    warning "CII-SR-300", Absent("SupplyInstructionReferencedDocument");
    warning "CII-SR-301", Absent("PromotionalDealReferencedDocument");
    warning "CII-SR-302", Absent("PriceListReferencedDocument");
    warning "CII-SR-303", Absent("AdditionalReferencedDocument/LineID");
    warning "CII-SR-304", Absent("RequisitionerReferencedDocument");
    warning "CII-SR-305", Absent("BuyerAgentTradeParty");
    warning "CII-SR-306", Absent("PurchaseConditionsReferencedDocument");
    warning "CII-SR-307", Absent("SpecifiedProcuringProject/Description");
    warning "CII-SR-448", Absent("UltimateCustomerOrderReferencedDocument");
    warning "CII-SR-450", NotBoth("BuyerTradeParty/ID", "BuyerTradeParty/GlobalID")
        => "The buyer has both `ID` and `GlobalID`."
        | "Der Käufer hat `ID` und `GlobalID` zugleich.";
    fatal "CII-SR-455", AtMostOnce("SellerTradeParty/DefinedTradeContact");
    fatal "CII-SR-456", AtMostOnce("BuyerTradeParty/DefinedTradeContact");
    warning "CII-SR-457", Judge(tender_references)
        => "{found} additional documents have the type code 50, at most one is allowed."
        | "{found} zusätzliche Dokumente haben den Typcode 50, erlaubt ist höchstens eines.";
    warning "CII-SR-458", Judge(object_references)
        => "{found} additional documents have the type code 130, at most one is allowed."
        | "{found} zusätzliche Dokumente haben den Typcode 130, erlaubt ist höchstens eines.";
    fatal "CII-SR-459", AtMostOnce("SellerTradeParty/URIUniversalCommunication");
    fatal "CII-SR-460", AtMostOnce("BuyerTradeParty/URIUniversalCommunication");
    warning "CII-SR-465", NotBoth("SellerTradeParty/DefinedTradeContact/PersonName", "SellerTradeParty/DefinedTradeContact/DepartmentName")
        => "The contact of the seller has both a person and a department."
        | "Der Ansprechpartner des Verkäufers nennt Person und Abteilung zugleich.";
    warning "CII-SR-466", NotBoth("BuyerTradeParty/DefinedTradeContact/PersonName", "BuyerTradeParty/DefinedTradeContact/DepartmentName")
        => "The contact of the buyer has both a person and a department."
        | "Der Ansprechpartner des Käufers nennt Person und Abteilung zugleich.";
    warning "CII-SR-475", Judge(names_of_attachments)
        => "The additional documents of type 916 have {found} names together, at most one is expected."
        | "Die zusätzlichen Dokumente vom Typ 916 haben zusammen {found} Namen, erwartet wird höchstens einer.";
    warning "CII-SR-476", Judge(attachments)
        => "The additional documents of type 916 have {found} attachments together, at most one is expected."
        | "Die zusätzlichen Dokumente vom Typ 916 haben zusammen {found} Anhänge, erwartet wird höchstens einer.";
};
