//! Putting an invoice into a PDF.

use super::detect::detect_in;
use super::embed::{NewInvoice, embed};
use super::metadata::other_metadata;
use super::repair::Repairs;
use super::survey::Survey;
use super::xml::{Tree, XmlFault, text::decode};
use super::{Error, Limits, Password, PdfaOutcome, Profile, Reason, Step, detect};
use erp_pdf::rewrite::{Rewritten, rewrite};
use erp_pdf::{Object, PdfError, PdfFile, Update};
use erp_pdfa::xmp::Claim;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::Serialize;

/// Options of [`combine`].
#[derive(Debug, Clone, Default)]
pub struct CombineOptions {
    /// The time that is written as the invoice's time of change; without it none is written.
    pub now: Option<Timestamp>,
    /// Whether to refuse when the result cannot be PDF/A-3.
    pub require_pdfa: bool,
    /// Whether to remove an encryption that opens without a password; a PDF/A must not be encrypted.
    pub decrypt: bool,
    /// Opens an encrypted file, and says that its encryption may be removed.
    pub password: Password,
    /// Bounds.
    pub limits: Limits,
}

// rule: R-ZUG-10
/// A PDF with the invoice in it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Combined {
    /// The bytes.
    #[serde(skip)]
    pub pdf: Vec<u8>,
    /// How many bytes of the result are the input as it was given; 0 when it was rewritten.
    #[serde(skip)]
    pub kept_bytes: usize,
    /// Whether it is PDF/A-3.
    #[serde(flatten)]
    pub pdfa: PdfaOutcome,
    /// What the invoice is.
    pub profile: Profile,
    /// What was done.
    pub steps: Vec<Step>,
}

// rule: R-ZUG-36
/// Embeds an invoice in a PDF.
///
/// The input bytes are kept and the changes appended, so that signatures stay intact and the cost depends only on the
/// XML; the file is rewritten only when its structure is broken or violates PDF/A. An existing invoice is replaced,
/// everything else is kept. The result claims PDF/A-3 only when no fault is left.
///
/// # Errors
/// [`Error::Xml`] for an XML that is not a known invoice, [`Error::NotWellFormed`], [`Error::Encrypted`], [`Error::NotPdfa`] when that is required,
/// [`Error::Pdf`] for a file that cannot be read or needs more than the limits.
pub fn combine(pdf: &[u8], xml: &[u8], options: &CombineOptions) -> Result<Combined, Error> {
    let limits = &options.limits;
    if xml.len() > limits.xml_bytes {
        return Err(Error::XmlTooLarge {
            size: xml.len(),
            limit: limits.xml_bytes,
        });
    }
    let profile = recognised(xml, limits)?;
    let mut work = Work {
        xml,
        steps: vec![
            Step::Recognised(profile.clone()),
            Step::Opened { bytes: pdf.len() },
        ],
        profile,
        options,
    };
    let mut file = PdfFile::open(pdf, &limits.pdf)?;
    if file.is_encrypted() {
        // Whether it opens comes first: no setting helps with that.
        let _ = options.password.unlock(&mut file)?;
        if !options.decrypt && !options.password.opens(pdf, limits)? {
            return Err(Error::Encrypted);
        }
        let rewritten = rewrite(&file)?;
        if file.opened().rebuilt {
            work.steps.push(Step::Rebuilt);
        }
        work.steps.push(Step::Decrypted);
        return work.into_rewritten(rewritten);
    }
    work.into_open(&file, pdf)
}

/// The profile of an invoice that is well-formed.
fn recognised(xml: &[u8], limits: &Limits) -> Result<Profile, Error> {
    let xml_limits = limits.xml();
    let read = decode(xml, &xml_limits).and_then(|text| {
        let tree = Tree::parse(&text, &xml_limits)?;
        Ok(detect_in(&tree))
    });
    let error = match read {
        Ok(detected) => return Ok(detected?),
        Err(error) => error,
    };
    // A document type declaration has its own error, and an exceeded limit says nothing about the form.
    if matches!(
        error.fault,
        XmlFault::DocumentTypeDeclaration | XmlFault::TooLarge { .. }
    ) {
        detect(xml, &limits.detect)?;
    }
    Err(error.into())
}

/// The invoice to put into a file, and what was done so far.
struct Work<'w> {
    xml: &'w [u8],
    profile: Profile,
    options: &'w CombineOptions,
    steps: Vec<Step>,
}

impl Work<'_> {
    fn into_open(mut self, file: &PdfFile<'_>, pdf: &[u8]) -> Result<Combined, Error> {
        match Survey::of(file, pdf, self.options) {
            Ok(survey) if !survey.rewrite => self.finish(file, pdf, &survey),
            Ok(mut survey) => {
                // What was decoded to look through the file does not count for writing it again.
                file.renew_budget(survey.held);
                let rewritten = match rewrite(file) {
                    // That would only have been for the claim.
                    Err(error @ PdfError::TooLarge { .. }) if !file.opened().rebuilt => {
                        survey.judged.against.push(Reason::plain(error.to_string()));
                        return self.finish(file, pdf, &survey);
                    }
                    rewritten => rewritten?,
                };
                if file.opened().rebuilt {
                    self.steps.push(Step::Rebuilt);
                }
                self.steps.extend(survey.frame_repairs());
                // The new file is looked through as well; both at one time would take twice the memory.
                drop(survey);
                self.into_rewritten(rewritten)
            }
            Err(Error::Pdf(error)) if error.is_damage() => {
                self.steps.push(Step::Rebuilt);
                let file = PdfFile::rebuild(pdf, &self.options.limits.pdf)?;
                self.into_rewritten(rewrite(&file)?)
            }
            Err(error) => Err(error),
        }
    }

    /// Puts the invoice into a file that was written again.
    fn into_rewritten(mut self, rewritten: Rewritten) -> Result<Combined, Error> {
        let Rewritten { pdf, lost } = rewritten;
        let file = PdfFile::open(&pdf, &self.options.limits.pdf)?;
        let mut survey = Survey {
            rewritten: true,
            ..Survey::of(&file, &pdf, self.options)?
        };
        if !lost.is_empty() {
            let text = format!("{} of its objects cannot be read", lost.len());
            survey.judged.against.push(Reason::plain(text));
        }
        self.steps.push(Step::Rewritten { lost });
        self.finish(&file, &pdf, &survey)
    }

    // rule: R-ZUG-15
    fn finish(
        mut self,
        file: &PdfFile<'_>,
        pdf: &[u8],
        survey: &Survey,
    ) -> Result<Combined, Error> {
        if survey.signed && !survey.rewritten {
            self.steps.push(Step::Signed);
        }
        let target = Target {
            work: &self,
            file,
            pdf,
            survey,
        };
        let (built, outcome) = target.best()?;
        if let (true, PdfaOutcome::NotClaimed { reasons }) = (self.options.require_pdfa, &outcome) {
            return Err(Error::NotPdfa {
                reasons: reasons.clone(),
            });
        }
        if matches!(outcome, PdfaOutcome::Repaired) {
            let faults = survey.judged.faults.iter().map(Reason::of);
            self.steps.extend(faults.map(Step::Repaired));
        }
        self.steps.extend(built.steps);
        self.steps.push(Step::Appended {
            bytes: built.pdf.len() - pdf.len(),
        });
        Ok(Combined {
            kept_bytes: if survey.rewritten { 0 } else { pdf.len() },
            pdf: built.pdf,
            profile: self.profile,
            pdfa: outcome,
            steps: self.steps,
        })
    }
}

/// The file that the invoice is put into.
struct Target<'w, 'a> {
    work: &'w Work<'w>,
    file: &'w PdfFile<'a>,
    pdf: &'w [u8],
    survey: &'w Survey,
}

struct Built {
    pdf: Vec<u8>,
    steps: Vec<Step>,
    /// Faults of the new metadata.
    metadata: Vec<Reason>,
}

impl Target<'_, '_> {
    // rule: R-ZUG-11, R-ZUG-12
    /// The result with a claim when it can be made, else without.
    fn best(&self) -> Result<(Built, PdfaOutcome), Error> {
        let survey = self.survey;
        let repairs = survey.repairs();
        let mut reasons = survey.judged.against.clone();
        reasons.extend(repairs.unrepairable.iter().cloned());
        if repairs.rewrite && reasons.is_empty() {
            reasons.push(Reason::plain("writing it anew did not make it PDF/A"));
        }
        if reasons.is_empty() {
            let packet = &survey.packet;
            let part = packet.claimed_part();
            let known = matches!(part, Some("1" | "2" | "3"));
            let touched = !survey.judged.faults.is_empty() || !known || packet.is_faulty();
            // Levels A and U require more than is checked here; a file with faults keeps level B only.
            let claimed = packet.claimed_level().filter(|_| known);
            let (level, lowered) = survey.level(claimed);
            let claim = Claim::Set {
                part: 3,
                conformance: level,
            };
            let mut built = match self.build(&repairs, claim) {
                Err(Error::Pdf(error @ PdfError::TooLarge { .. })) => {
                    return self.unclaimed(vec![Reason::plain(error.to_string())]);
                }
                built => built?,
            };
            built.steps.extend(lowered);
            reasons.extend(built.metadata.iter().cloned());
            let mut faults = survey.judged.faults.iter();
            let may_stay = faults.any(|fault| fault.repair.is_none());
            if reasons.is_empty() && (may_stay || repairs.change_objects(&survey.catalog)) {
                reasons = self.remaining(&built.pdf)?;
            }
            if reasons.is_empty() {
                let outcome = match part {
                    _ if touched || survey.rewritten => PdfaOutcome::Repaired,
                    Some("3") => PdfaOutcome::Kept,
                    _ => PdfaOutcome::Upgraded,
                };
                return Ok((built, outcome));
            }
        }
        self.unclaimed(reasons)
    }

    fn unclaimed(&self, reasons: Vec<Reason>) -> Result<(Built, PdfaOutcome), Error> {
        let built = self.build(&Repairs::default(), Claim::Remove)?;
        Ok((built, PdfaOutcome::NotClaimed { reasons }))
    }

    /// Why no PDF/A claim can be made after all repairs.
    fn remaining(&self, pdf: &[u8]) -> Result<Vec<Reason>, Error> {
        match erp_pdfa::check(pdf, &self.work.options.limits.pdf) {
            Ok(faults) => Ok(faults.iter().map(Reason::of).collect()),
            Err(error) => Ok(vec![Reason::plain(error.to_string())]),
        }
    }

    fn build(&self, repairs: &Repairs<'_>, claim: Claim) -> Result<Built, Error> {
        let limits = &self.work.options.limits;
        let survey = self.survey;
        // Neither looking through the file counts for changing it, nor a result that was thrown away.
        self.file.renew_budget(survey.held);
        let mut update = Update::new(self.file);
        let (attached, orphans) = (&survey.attached, &repairs.associated);
        let attached = attached.with_orphans(self.file, orphans, limits)?;
        let catalog = (survey.catalog_id, &survey.catalog);
        let mut catalog = repairs.apply(&mut update, catalog, self.work.xml)?;
        let invoice = NewInvoice {
            xml: self.work.xml,
            profile: &self.work.profile,
            modified: self.work.options.now.map(pdf_date),
        };
        let steps = embed(&mut update, &mut catalog, &attached, &invoice)?;
        let packet = &survey.packet;
        let profile = &self.work.profile;
        let mut metadata = packet.put(&mut update, &mut catalog, profile, claim)?;
        if claim != Claim::Remove {
            let catalog = (survey.catalog_id, &catalog);
            metadata.extend(other_metadata(&mut update, catalog, limits)?);
        }
        update.replace(survey.catalog_id, Object::Dict(catalog));
        let tail = update.tail(self.pdf.len());
        Ok(Built {
            pdf: [self.pdf, &tail].concat(),
            steps,
            metadata,
        })
    }
}

/// `D:20261121063000Z` (ISO 32000-1, 7.9.4).
fn pdf_date(time: Timestamp) -> String {
    // Not by `strftime`: that alone costs a browser 10 kB.
    let time = TimeZone::UTC.to_datetime(time);
    format!(
        "D:{:04}{:02}{:02}{:02}{:02}{:02}Z",
        time.year(),
        time.month(),
        time.day(),
        time.hour(),
        time.minute(),
        time.second()
    )
}

#[cfg(test)]
mod tests {
    use super::{CombineOptions, combine};
    use crate::embed::compressed;
    use crate::{InspectedAttachment, PdfaOutcome, Step, inspect};
    use erp_dev::pdf;
    use erp_pdf::object::StreamData;
    use erp_pdf::{Dict, Limits, Object, PdfFile, Stream};

    #[expect(clippy::disallowed_methods, reason = "tests read files")]
    fn fixture(name: &str) -> Vec<u8> {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/zugferd");
        std::fs::read(format!("{folder}/{name}")).unwrap()
    }

    /// The numbers of the specification and the stream of the only file in the catalog's `/AF`.
    fn attached(file: &PdfFile<'_>) -> [u32; 2] {
        let (_, catalog) = file.catalog().unwrap();
        let listed = file.member(&catalog, "AF").unwrap();
        let [specification] = listed.as_array().unwrap() else {
            panic!("one file is attached");
        };
        let dict = file.follow(specification).unwrap();
        let files = file.member(dict.as_dict().unwrap(), "EF").unwrap();
        let stream = files.as_dict().unwrap().reference("F").unwrap();
        [specification.as_reference().unwrap().number, stream.number]
    }

    // rule: R-ZUG-18
    // clause: 6.8
    #[test]
    fn the_objects_of_a_replaced_invoice_are_free_in_a_table_and_null_in_a_stream() {
        let invoice = fixture("xml/facturx-basic.xml");
        for (name, in_stream) in [("hybrid-facturx-en16931", false), ("odd-streams", true)] {
            let before = fixture(&format!("{name}.pdf"));
            let old = attached(&PdfFile::open(&before, &Limits::DEFAULT).unwrap());
            let made = combine(&before, &invoice, &CombineOptions::default()).unwrap();
            assert!(made.pdf.starts_with(&before) && made.pdfa == PdfaOutcome::Kept);
            let file = PdfFile::open(&made.pdf, &Limits::DEFAULT).unwrap();
            assert!(attached(&file).iter().all(|new| !old.contains(new)));
            for number in old {
                let located = file.object(number).unwrap();
                if in_stream {
                    assert_eq!(located.unwrap().object, Object::Null, "{name}");
                } else {
                    assert!(!file.objects().unwrap().contains(&number), "{name}");
                    assert!(located.is_none(), "{name}");
                }
            }
        }
    }

    // rule: R-ZUG-18
    #[test]
    fn an_old_invoice_of_a_page_is_replaced_too() {
        let old = fixture("xml/facturx-en16931.xml");
        let invoice = fixture("xml/facturx-basic.xml");
        let made = |associated: &str, page: &str, annotation: &str| {
            let catalog = format!("<</Type/Catalog/Pages 2 0 R/AF[{associated}]>>");
            let page = format!("<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]{page}>>");
            let spec = |members: &str| format!("<</Type/Filespec{members}/AFRelationship/Data>>");
            let objects = [
                (1, &*catalog),
                (2, "<</Type/Pages/Kids[3 0 R]/Count 1>>"),
                (3, &*page),
                (
                    4,
                    &*format!("<</Type/Annot/Subtype/FileAttachment{annotation}>>"),
                ),
                (5, &*spec("/F(a.xml)/UF(a.xml)/EF<</F 6 0 R/UF 6 0 R>>")),
                (7, &*spec("/F(b.txt)/UF(b.txt)/EF<</F 8 0 R/UF 8 0 R>>")),
            ];
            let members = "/Type/EmbeddedFile/Subtype/text#2Fxml";
            let streams: [(u32, &str, &[u8]); 2] = [(6, members, &old), (8, members, b"text")];
            let made = combine(
                &pdf(&objects, &streams),
                &invoice,
                &CombineOptions::default(),
            );
            let made = made.unwrap();
            let inspection = inspect(&made.pdf, &CombineOptions::default().limits).unwrap();
            let files = inspection.attachments.iter();
            let name = |file: &InspectedAttachment| file.file_name.clone();
            let invoices = files.clone().filter(|file| file.invoice.is_some());
            assert_eq!(invoices.map(name).collect::<Vec<_>>(), ["factur-x.xml"]);
            let others = files.filter(|file| file.bytes == Some(4));
            assert_eq!(others.map(name).collect::<Vec<_>>(), ["b.txt"]);
            let replaced = |step: &&Step| matches!(step, Step::Replaced { .. });
            assert_eq!(made.steps.iter().filter(replaced).count(), 1);
            assert!(
                !PdfFile::open(&made.pdf, &Limits::DEFAULT)
                    .unwrap()
                    .objects()
                    .unwrap()
                    .contains(&6)
            );
            made.pdfa
        };
        assert_eq!(made("", "/AF[5 0 R 7 0 R]", ""), PdfaOutcome::Repaired);
        assert_eq!(made("5 0 R", "/AF[5 0 R 7 0 R]", ""), PdfaOutcome::Repaired);
        let two = "/AF[7 0 R]/Annots[4 0 R 4 0 R]";
        let _ = made("", two, "/FS 5 0 R/AF[5 0 R]");
        let _ = made("", two, "/FS 5 0 R");
    }

    // rule: R-ZUG-33
    #[test]
    fn only_a_stream_of_metadata_is_written_over() {
        let content = b"0 0 1 1 re f";
        let made = |members: &str| {
            let objects = [
                (1, "<</Type/Catalog/Pages 2 0 R/Metadata 4 0 R>>"),
                (2, "<</Type/Pages/Kids[3 0 R]/Count 1>>"),
                (
                    3,
                    "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R>>",
                ),
            ];
            let before = pdf(&objects, &[(4, members, content)]);
            let invoice = fixture("xml/facturx-basic.xml");
            let made = combine(&before, &invoice, &CombineOptions::default()).unwrap();
            let faults = erp_pdfa::check(&made.pdf, &Limits::DEFAULT).unwrap();
            let is_claimed = made.pdfa == PdfaOutcome::Repaired;
            assert_eq!([is_claimed, faults.is_empty()], [members.is_empty(); 2]);
            let file = PdfFile::open(&made.pdf, &Limits::DEFAULT).unwrap();
            let (_, catalog) = file.catalog().unwrap();
            let metadata = file.member(&catalog, "Metadata").unwrap();
            let metadata = file.decoded(metadata.as_stream().unwrap()).unwrap();
            assert!(metadata.starts_with(b"<?xpacket"));
            let fourth = file.object(4).unwrap().unwrap();
            file.decoded(fourth.object.as_stream().unwrap())
                .unwrap()
                .to_vec()
        };
        // A catalog that names the content of its page.
        assert_eq!(made(""), content);
        assert_ne!(made("/Type/Metadata/Subtype/XML"), content);
    }

    // rule: R-ZUG-11
    // clause: 6.1.7.1, 6.1.13
    #[test]
    fn faults_of_what_the_invoice_replaces_do_not_cost_the_claim() {
        let invoice = fixture("xml/facturx-basic.xml");
        let combined = |bytes: &[u8]| combine(bytes, &invoice, &CombineOptions::default()).unwrap();
        let made = combined(&fixture("huge-names.pdf"));
        assert_eq!((made.pdfa.word(), made.kept_bytes > 0), ("lifted", true));
        assert_eq!(erp_pdfa::check(&made.pdf, &Limits::DEFAULT), Ok(vec![]));

        let old = fixture("xml/facturx-en16931.xml");
        let long = "x".repeat(32_768);
        let tree = format!("<</EmbeddedFiles<</Names[({long})5 0 R]>>>>");
        let with = |catalog: &str, names: &str, metadata: &str| {
            let catalog = format!("<</Type/Catalog/Pages 2 0 R/Metadata 7 0 R{catalog}>>");
            let objects = [
                (1, &*catalog),
                (2, "<</Type/Pages/Kids[3 0 R]/Count 1>>"),
                (3, "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>"),
                (4, names),
                (
                    5,
                    "<</Type/Filespec/F(a.xml)/UF(a.xml)/AFRelationship/Data/EF<</F 6 0 R>>>>",
                ),
            ];
            let metadata = format!("/Type/Metadata/Subtype/XML{metadata}");
            let file = "/Type/EmbeddedFile/Subtype/text#2Fxml";
            pdf(&objects, &[(6, file, &old), (7, &metadata, b"")])
        };
        let claimed = [
            with(&format!("/Names{tree}/AF[5 0 R]"), "null", ""),
            with("/Names 4 0 R/AF[5 0 R]", &tree, ""),
            with("/Names 4 0 R/AF[5 0 R]", "<<>>", "/F(a.xml)"),
        ];
        for bytes in claimed {
            let faults = erp_pdfa::check(&bytes, &Limits::DEFAULT).unwrap();
            assert!(
                faults.iter().any(|fault| fault.repair.is_none()),
                "{faults:?}"
            );
            let made = combined(&bytes);
            assert_eq!(made.pdfa, PdfaOutcome::Repaired);
            assert_eq!(erp_pdfa::check(&made.pdf, &Limits::DEFAULT), Ok(vec![]));
        }
        let stays = [
            with(&format!("/Lang({long})/AF[5 0 R]"), "null", ""),
            with("/Names 4 0 R/AF[5 0 R]", &format!("<</Other({long})>>"), ""),
        ];
        for bytes in stays {
            let made = combined(&bytes);
            let clauses = made.pdfa.reasons().iter().map(|reason| reason.clause);
            assert_eq!(clauses.collect::<Vec<_>>(), ["6.1.13"]);
        }
    }

    fn options(pdf: Limits) -> CombineOptions {
        let mut options = CombineOptions::default();
        options.limits.pdf = pdf;
        options
    }

    // rule: R-ZUG-38
    #[test]
    fn a_claim_that_fails_does_not_cost_the_invoice_its_budget() {
        let specs = 10..30;
        let listed: String = specs.clone().map(|id| format!("{id} 0 R ")).collect();
        let catalog = format!("<</Type/Catalog/Pages 2 0 R/AF[{listed}]>>");
        let spec =
            "<</Type/Filespec/F(a.txt)/UF(a.txt)/AFRelationship/Data/EF<</F 6 0 R/UF 6 0 R>>>>";
        let mut objects = vec![
            (1, &*catalog),
            (2, "<</Type/Pages/Kids[3 0 R]/Count 1>>"),
            (3, "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>"),
        ];
        objects.extend(specs.map(|id| (id, spec)));
        // All specifications lead to it, and it has no type.
        let junk = format!("({})", "x".repeat(20_000)).repeat(10);
        let members = format!("/Type/EmbeddedFile/Junk[{junk}]");
        let streams: [(u32, &str, &[u8]); 2] = [
            (6, &members, b"text"),
            (7, "/Type/Metadata/Subtype/XML", b"no metadata"),
        ];
        // Enough to change it twice, once for a fault and once as an attachment, but not three times.
        let options = options(Limits {
            held_bytes: 500_000,
            ..Limits::DEFAULT
        });
        let invoice = fixture("xml/facturx-basic.xml");
        let made = combine(&pdf(&objects, &streams), &invoice, &options).unwrap();
        let reasons = made.pdfa.reasons();
        assert_eq!(reasons.first().and_then(|reason| reason.object), Some(7));
    }

    // rule: R-ZUG-38
    #[test]
    fn looking_through_a_file_does_not_cost_it_its_rewriting() {
        let mut bytes = b"%PDF-1.7\n".to_vec();
        let mut add = |number: u32, body: &[u8]| {
            bytes.extend_from_slice(format!("{number} 0 obj\n").as_bytes());
            bytes.extend_from_slice(body);
            bytes.extend_from_slice(b"\nendobj\n");
        };
        let stream = |members: &str, data: &[u8]| {
            let Stream { dict, data } = compressed(Dict::new(), data);
            let StreamData::New(data) = data else {
                panic!("it is new");
            };
            assert!(dict.has("Filter"));
            let head = format!("<<{members}/Length {}>>\nstream\n", data.len());
            [head.as_bytes(), &data, b"\nendstream"].concat()
        };
        add(1, b"<</Type/Catalog/Pages 2 0 R>>");
        add(2, b"<</Type/Pages/Kids[3 0 R]/Count 1>>");
        add(
            3,
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R>>",
        );
        add(4, &stream("/Filter/FlateDecode", &vec![b' '; 500_000]));
        let numbers = format!("[{}]", "0 ".repeat(20_000));
        for (number, object) in [(5, 10), (6, 11)] {
            let index = format!("{object} 0 ");
            let members = format!("/Type/ObjStm/N 1/First {}/Filter/FlateDecode", index.len());
            add(number, &stream(&members, (index + &numbers).as_bytes()));
        }
        bytes.extend_from_slice(b"%");
        bytes.extend_from_slice(&vec![b'x'; 10_000]);
        bytes.extend_from_slice(b"\ntrailer<</Root 1 0 R>>\nstartxref\n1\n%%EOF\n");
        // The content is too much; one of the two object streams has to be decoded again.
        let options = options(Limits {
            total_bytes: 300_000,
            cached_bytes: 70_000,
            ..Limits::DEFAULT
        });
        let made = combine(&bytes, &fixture("xml/facturx-basic.xml"), &options).unwrap();
        assert!(!made.pdfa.reasons().is_empty());
    }
}
