//! An invoice that keeps every rule, for each VAT category.

/// What differs between the VAT categories.
pub(crate) struct Sample {
    pub(crate) category: &'static str,
    pub(crate) rate: Option<&'static str>,
    pub(crate) tax: &'static str,
    pub(crate) total: &'static str,
    pub(crate) due: &'static str,
    pub(crate) reason: &'static str,
    pub(crate) has_vat_ids: bool,
}

pub(crate) const SAMPLES: [Sample; 9] = [
    taxed("S"),
    taxed("L"),
    taxed("M"),
    untaxed("Z", ""),
    untaxed("E", "VATEX-EU-132"),
    untaxed("AE", "VATEX-EU-AE"),
    untaxed("K", "VATEX-EU-IC"),
    untaxed("G", "VATEX-EU-G"),
    Sample {
        rate: None,
        has_vat_ids: false,
        ..untaxed("O", "VATEX-EU-O")
    },
];

const fn taxed(category: &'static str) -> Sample {
    Sample {
        category,
        rate: Some("20"),
        tax: "39.00",
        total: "234.00",
        due: "200.00",
        reason: "",
        has_vat_ids: true,
    }
}

const fn untaxed(category: &'static str, reason: &'static str) -> Sample {
    Sample {
        rate: Some("0"),
        tax: "0.00",
        total: "195.00",
        due: "161.00",
        reason,
        ..taxed(category)
    }
}

fn element(name: &str, content: &str) -> String {
    format!("<ram:{name}>{content}</ram:{name}>")
}

impl Sample {
    /// A tax of a line, an allowance or a charge.
    fn tax(&self, name: &str) -> String {
        let category = self.category;
        let rate = self.rate.map(|rate| element("RateApplicablePercent", rate));
        let rate = rate.unwrap_or_default();
        element(
            name,
            &format!(
                "<ram:TypeCode>VAT</ram:TypeCode><ram:CategoryCode>{category}</ram:CategoryCode>{rate}"
            ),
        )
    }

    fn line(&self, number: &str) -> String {
        LINE.replace("{number}", number)
            .replace("{tax}", &self.tax("ApplicableTradeTax"))
    }

    fn breakdown(&self) -> String {
        let (category, tax) = (self.category, self.tax);
        let reason = match self.reason {
            "" => String::new(),
            code => element("ExemptionReasonCode", code),
        };
        let rate = self.rate.map(|rate| element("RateApplicablePercent", rate));
        let rate = rate.unwrap_or_default();
        format!(
            "<ram:ApplicableTradeTax><ram:CalculatedAmount>{tax}</ram:CalculatedAmount>\
             <ram:TypeCode>VAT</ram:TypeCode><ram:BasisAmount>195.00</ram:BasisAmount>\
             <ram:CategoryCode>{category}</ram:CategoryCode>{reason}{rate}</ram:ApplicableTradeTax>"
        )
    }

    pub(crate) fn xml(&self) -> String {
        let lines = [self.line("1"), self.line("2")].concat();
        let (vat_id, representative) = if self.has_vat_ids {
            (VAT_ID, REPRESENTATIVE)
        } else {
            ("", "")
        };
        INVOICE
            .replace("{lines}", &lines)
            .replace("{vat_id}", vat_id)
            .replace("{representative}", representative)
            .replace("{breakdown}", &self.breakdown())
            .replace("{category_tax}", &self.tax("CategoryTradeTax"))
            .replace("{tax}", self.tax)
            .replace("{total}", self.total)
            .replace("{due}", self.due)
    }
}

const VAT_ID: &str = "<ram:SpecifiedTaxRegistration><ram:ID schemeID=\"VA\">DE123456789</ram:ID></ram:SpecifiedTaxRegistration>";

const REPRESENTATIVE: &str = "<ram:SellerTaxRepresentativeTradeParty><ram:Name>Agent</ram:Name>\
    <ram:PostalTradeAddress><ram:CountryID>AT</ram:CountryID></ram:PostalTradeAddress>\
    <ram:SpecifiedTaxRegistration><ram:ID schemeID=\"VA\">ATU12345678</ram:ID></ram:SpecifiedTaxRegistration>\
    </ram:SellerTaxRepresentativeTradeParty>";

const INVOICE: &str = include_str!("invoice.xml");
const LINE: &str = include_str!("line.xml");
