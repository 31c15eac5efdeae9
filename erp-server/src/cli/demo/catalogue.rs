//! The files of the demo company.

use crate::web::embedded_files;

/// The demo catalogue, ordered by the references between its files.
pub(super) const FILES: &[(&str, &[u8])] = embedded_files![
    "demo";
    "01-firma.ndjson",
    "02-steuern.ndjson",
    "03-artikel.ndjson",
    "04-preise.ndjson",
    "05-bestand.ndjson",
    "06-kunden.ndjson",
    "07-medien.ndjson",
];

/// The pictures of article groups and articles.
pub(super) const PICTURES: &[(&str, &[u8])] = embedded_files! {
    "demo";
    "bilder/ab-4006.svg", "bilder/ab-4008.svg",
    "bilder/arbeit-hand.svg", "bilder/arbeit-hosen.svg", "bilder/arbeit-kopf.svg", "bilder/arbeit-schuhe.svg",
    "bilder/arbeit-warn.svg",
    "bilder/befestigung-duebel.svg", "bilder/befestigung-muttern.svg", "bilder/befestigung-naegel.svg",
    "bilder/befestigung-schraube.svg",
    "bilder/bf-6003.svg",
    "bilder/bu-1001.png", "bilder/bu-1001.svg", "bilder/bu-1002.svg", "bilder/bu-1003.svg", "bilder/bu-1004.svg",
    "bilder/bu-1006.svg", "bilder/bu-1008.svg", "bilder/bu-1011.svg", "bilder/bu-1013.svg", "bilder/bu-1014.svg",
    "bilder/bu-1016.svg",
    "bilder/buero-ablage.svg", "bilder/buero-geraete.svg", "bilder/buero-moebel.svg", "bilder/buero-papier.svg",
    "bilder/buero-schreib.svg",
    "bilder/dienst-gutschei.svg", "bilder/dienst-montage.svg", "bilder/dienst-seminar.svg",
    "bilder/el-2003.svg", "bilder/el-2012.svg", "bilder/el-2013.svg", "bilder/el-2015.svg",
    "bilder/elektro-ersatz.svg", "bilder/elektro-kabel.svg", "bilder/elektro-klein.svg", "bilder/elektro-licht.svg",
    "bilder/elektro-schutz.svg", "bilder/elektro-solar.svg", "bilder/elektro-steck.svg",
    "bilder/haushalt-abfall.svg", "bilder/haushalt-kueche.svg", "bilder/haushalt-muster.svg",
    "bilder/haushalt-papier.svg", "bilder/haushalt-reinigun.svg",
    "bilder/hh-5006.svg", "bilder/hh-5007.svg", "bilder/hh-5009.png",
    "bilder/lebensmittel-backen.svg", "bilder/lebensmittel-getraenk.svg", "bilder/lebensmittel-kaese.svg",
    "bilder/lebensmittel-konserve.svg", "bilder/lebensmittel-nuesse.svg", "bilder/lebensmittel-oel.svg",
    "bilder/lebensmittel-reis.svg", "bilder/lebensmittel-suess.svg", "bilder/lebensmittel-tee.svg",
    "bilder/lebensmittel-teigware.svg", "bilder/lebensmittel-wein.svg",
    "bilder/lm-3001.png", "bilder/lm-3001.svg", "bilder/lm-3006.svg",
};
