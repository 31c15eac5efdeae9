//! The properties and structures that XMP itself defines (XMP specification, September 2005).
//!
//! A type is written as in an extension schema; `=a|b` is one of these texts and no other.

use super::namespaces as ns;

type Table = &'static [(&'static str, &'static str)];

/// The type of a predefined property.
pub(super) fn property_type(namespace: &str, local: &str) -> Option<&'static str> {
    let (_, table) = SCHEMAS.iter().find(|(uri, _)| *uri == namespace)?;
    find(table, local)
}

/// The namespace and the fields of a predefined structure, by its name in lower case.
pub(super) fn structure(name: &str) -> Option<(&'static str, Table)> {
    let mut structures = STRUCTURES.iter();
    let (_, namespace, fields) = structures.find(|(known, _, _)| *known == name)?;
    Some((namespace, fields))
}

/// The type of a field of a structure.
pub(super) fn find(table: Table, name: &str) -> Option<&'static str> {
    let mut entries = table.iter();
    entries
        .find(|(known, _)| *known == name)
        .map(|(_, kind)| *kind)
}

const SCHEMAS: &[(&str, Table)] = &[
    (ns::PDFA_ID, PDFA_ID),
    (ns::DC, DC),
    (ns::XMP, XMP),
    (ns::RIGHTS, RIGHTS),
    (ns::MEDIA_MANAGEMENT, MEDIA_MANAGEMENT),
    (ns::BASIC_JOB, &[("JobRef", "bag job")]),
    (ns::PAGED_TEXT, PAGED_TEXT),
    (ns::DYNAMIC_MEDIA, DYNAMIC_MEDIA),
    (ns::PDF, PDF),
    (ns::PHOTOSHOP, PHOTOSHOP),
    (ns::CAMERA_RAW, CAMERA_RAW),
    (ns::TIFF, TIFF),
    (ns::EXIF, EXIF),
    (ns::EXIF_AUX, &[("Lens", "text"), ("SerialNumber", "text")]),
];

const PDFA_ID: Table = &[
    ("part", "integer"),
    ("amd", "text"),
    ("corr", "text"),
    ("conformance", "=A|B|U"),
];

const DC: Table = &[
    ("contributor", "bag propername"),
    ("coverage", "text"),
    ("creator", "seq propername"),
    ("date", "seq date"),
    ("description", "lang alt"),
    ("format", "mimetype"),
    ("identifier", "text"),
    ("language", "bag locale"),
    ("publisher", "bag propername"),
    ("relation", "bag text"),
    ("rights", "lang alt"),
    ("source", "text"),
    ("subject", "bag text"),
    ("title", "lang alt"),
    ("type", "bag text"),
];

const XMP: Table = &[
    ("Advisory", "bag xpath"),
    ("BaseURL", "url"),
    ("CreateDate", "date"),
    ("CreatorTool", "agentname"),
    ("Identifier", "bag text"),
    ("Label", "text"),
    ("MetadataDate", "date"),
    ("ModifyDate", "date"),
    ("Nickname", "text"),
    ("Rating", "integer"),
    ("Thumbnails", "alt thumbnail"),
];

const RIGHTS: Table = &[
    ("Certificate", "url"),
    ("Marked", "boolean"),
    ("Owner", "bag propername"),
    ("UsageTerms", "lang alt"),
    ("WebStatement", "url"),
];

const MEDIA_MANAGEMENT: Table = &[
    ("DerivedFrom", "resourceref"),
    ("DocumentID", "uri"),
    ("History", "seq resourceevent"),
    ("InstanceID", "uri"),
    ("LastURL", "url"),
    ("ManageTo", "uri"),
    ("ManageUI", "uri"),
    ("ManagedFrom", "resourceref"),
    ("Manager", "agentname"),
    ("ManagerVariant", "text"),
    ("RenditionClass", "renditionclass"),
    ("RenditionOf", "resourceref"),
    ("RenditionParams", "text"),
    ("SaveID", "integer"),
    ("VersionID", "text"),
    ("Versions", "seq version"),
];

const PAGED_TEXT: Table = &[
    ("Colorants", "seq colorant"),
    ("Fonts", "bag font"),
    ("MaxPageSize", "dimensions"),
    ("NPages", "integer"),
    ("PlateNames", "seq text"),
];

const PDF: Table = &[
    ("Keywords", "text"),
    ("PDFVersion", "text"),
    ("Producer", "agentname"),
];

const PHOTOSHOP: Table = &[
    ("AuthorsPosition", "text"),
    ("CaptionWriter", "propername"),
    ("Category", "text"),
    ("City", "text"),
    ("Country", "text"),
    ("Credit", "text"),
    ("DateCreated", "date"),
    ("Headline", "text"),
    ("Instructions", "text"),
    ("Source", "text"),
    ("State", "text"),
    ("SupplementalCategories", "bag text"),
    ("TransmissionReference", "text"),
    ("Urgency", "integer"),
];

const DYNAMIC_MEDIA: Table = &[
    ("absPeakAudioFilePath", "uri"),
    ("album", "text"),
    ("altTapeName", "text"),
    ("altTimecode", "timecode"),
    ("artist", "text"),
    ("audioChannelType", "=Mono|Stereo|5.1|7.1"),
    ("audioCompressor", "text"),
    ("audioModDate", "date"),
    ("audioSampleRate", "integer"),
    ("audioSampleType", "=8Int|16Int|32Int|32Float"),
    ("beatSpliceParams", "beatsplicestretch"),
    ("composer", "text"),
    ("contributedMedia", "bag media"),
    ("copyright", "text"),
    ("duration", "time"),
    ("engineer", "text"),
    ("fileDataRate", "rational"),
    ("genre", "text"),
    ("instrument", "text"),
    ("introTime", "time"),
    ("key", "=A|A#|B|C|C#|D|D#|E|F|F#|G|G#"),
    ("logComment", "text"),
    ("loop", "boolean"),
    ("markers", "seq marker"),
    ("metadataModDate", "date"),
    ("numberOfBeats", "real"),
    ("outCue", "time"),
    ("projectRef", "projectlink"),
    (
        "pullDown",
        "=WSSWW|SSWWW|SWWWS|WWWSS|WWSSW|WSSWW_24p|SSWWW_24p|SWWWS_24p|WWWSS_24p|WWSSW_24p",
    ),
    ("relativePeakAudioFilePath", "uri"),
    ("relativeTimestamp", "time"),
    ("releaseDate", "date"),
    ("resampleParams", "resamplestretch"),
    ("scaleType", "=Major|Minor|Both|Neither"),
    ("scene", "text"),
    ("shotDate", "date"),
    ("shotLocation", "text"),
    ("shotName", "text"),
    ("speakerPlacement", "text"),
    ("startTimecode", "timecode"),
    (
        "stretchMode",
        "=Fixed length|Time-Scale|Resample|Beat Splice|Hybrid",
    ),
    ("tapeName", "text"),
    ("tempo", "real"),
    ("timeScaleParams", "timescalestretch"),
    ("timeSignature", "=2/4|3/4|4/4|5/4|7/4|6/8|9/8|12/8|other"),
    ("trackNumber", "integer"),
    ("videoAlphaMode", "=straight|pre-multiplied"),
    ("videoAlphaUnityIsTransparent", "boolean"),
    ("videoColorSpace", "=sRGB|CCIR-601|CCIR-709"),
    ("videoCompressor", "text"),
    ("videoFieldOrder", "=Upper|Lower|Progressive"),
    ("videoFrameRate", "text"),
    ("videoFrameSize", "dimensions"),
    ("videoModDate", "date"),
    ("videoPixelAspectRatio", "rational"),
    ("videoPixelDepth", "=8Int|16Int|32Int|32Float"),
];

const CAMERA_RAW: Table = &[
    ("AutoBrightness", "boolean"),
    ("AutoContrast", "boolean"),
    ("AutoExposure", "boolean"),
    ("AutoShadows", "boolean"),
    ("BlueHue", "integer"),
    ("BlueSaturation", "integer"),
    ("Brightness", "integer"),
    ("CameraProfile", "text"),
    ("ChromaticAberrationB", "integer"),
    ("ChromaticAberrationR", "integer"),
    ("ColorNoiseReduction", "integer"),
    ("Contrast", "integer"),
    ("CropAngle", "real"),
    ("CropBottom", "real"),
    ("CropHeight", "real"),
    ("CropLeft", "real"),
    ("CropRight", "real"),
    ("CropTop", "real"),
    ("CropUnits", "integer"),
    ("CropWidth", "real"),
    ("Exposure", "real"),
    ("GreenHue", "integer"),
    ("GreenSaturation", "integer"),
    ("HasCrop", "boolean"),
    ("HasSettings", "boolean"),
    ("LuminanceSmoothing", "integer"),
    ("RawFileName", "text"),
    ("RedHue", "integer"),
    ("RedSaturation", "integer"),
    ("Saturation", "integer"),
    ("ShadowTint", "integer"),
    ("Shadows", "integer"),
    ("Sharpness", "integer"),
    ("Temperature", "integer"),
    ("Tint", "integer"),
    ("ToneCurveName", "text"),
    ("Version", "text"),
    ("VignetteAmount", "integer"),
    ("VignetteMidpoint", "integer"),
    (
        "WhiteBalance",
        "=As Shot|Auto|Daylight|Cloudy|Shade|Tungsten|Fluorescent|Flash|Custom",
    ),
];

const TIFF: Table = &[
    ("Artist", "propername"),
    ("BitsPerSample", "seq integer"),
    ("Compression", "=1|6"),
    ("Copyright", "lang alt"),
    ("DateTime", "date"),
    ("ImageDescription", "lang alt"),
    ("ImageLength", "integer"),
    ("ImageWidth", "integer"),
    ("Make", "propername"),
    ("Model", "propername"),
    ("Orientation", "=1|2|3|4|5|6|7|8"),
    ("PhotometricInterpretation", "=2|6"),
    ("PlanarConfiguration", "=1|2"),
    ("PrimaryChromaticities", "seq rational"),
    ("ReferenceBlackWhite", "seq rational"),
    ("ResolutionUnit", "=2|3"),
    ("SamplesPerPixel", "integer"),
    ("Software", "agentname"),
    ("TransferFunction", "seq integer"),
    ("WhitePoint", "seq rational"),
    ("XResolution", "rational"),
    ("YCbCrCoefficients", "seq rational"),
    ("YCbCrPositioning", "=1|2"),
    ("YCbCrSubSampling", "seq integer"),
    ("YResolution", "rational"),
];

const EXIF: Table = &[
    ("ApertureValue", "rational"),
    ("BrightnessValue", "rational"),
    ("CFAPattern", "cfapattern"),
    ("ColorSpace", "=1|65535"),
    ("ComponentsConfiguration", "seq integer"),
    ("CompressedBitsPerPixel", "rational"),
    ("Contrast", "=0|1|2"),
    ("CustomRendered", "=0|1"),
    ("DateTimeDigitized", "date"),
    ("DateTimeOriginal", "date"),
    ("DeviceSettingDescription", "devicesettings"),
    ("DigitalZoomRatio", "rational"),
    ("ExifVersion", "text"),
    ("ExposureBiasValue", "rational"),
    ("ExposureIndex", "rational"),
    ("ExposureMode", "=0|1|2"),
    ("ExposureProgram", "=0|1|2|3|4|5|6|7|8"),
    ("ExposureTime", "rational"),
    ("FNumber", "rational"),
    ("FileSource", "=3"),
    ("Flash", "flash"),
    ("FlashEnergy", "rational"),
    ("FlashpixVersion", "text"),
    ("FocalLength", "rational"),
    ("FocalLengthIn35mmFilm", "integer"),
    ("FocalPlaneResolutionUnit", "=2|3"),
    ("FocalPlaneXResolution", "rational"),
    ("FocalPlaneYResolution", "rational"),
    ("GPSAltitude", "rational"),
    ("GPSAltitudeRef", "=0|1"),
    ("GPSAreaInformation", "text"),
    ("GPSDOP", "rational"),
    ("GPSDestBearing", "rational"),
    ("GPSDestBearingRef", "=T|M"),
    ("GPSDestDistance", "rational"),
    ("GPSDestDistanceRef", "=K|M|N"),
    ("GPSDestLatitude", "gpscoordinate"),
    ("GPSDestLongitude", "gpscoordinate"),
    ("GPSDifferential", "=0|1"),
    ("GPSImgDirection", "rational"),
    ("GPSImgDirectionRef", "=T|M"),
    ("GPSLatitude", "gpscoordinate"),
    ("GPSLongitude", "gpscoordinate"),
    ("GPSMapDatum", "text"),
    ("GPSMeasureMode", "text"),
    ("GPSProcessingMethod", "text"),
    ("GPSSatellites", "text"),
    ("GPSSpeed", "rational"),
    ("GPSSpeedRef", "=K|M|N"),
    ("GPSStatus", "=A|V"),
    ("GPSTimeStamp", "date"),
    ("GPSTrack", "rational"),
    ("GPSTrackRef", "=T|M"),
    ("GPSVersionID", "text"),
    ("GainControl", "=0|1|2|3|4"),
    ("ISOSpeedRatings", "seq integer"),
    ("ImageUniqueID", "text"),
    (
        "LightSource",
        "=0|1|2|3|4|9|10|11|12|13|14|15|17|18|19|20|21|22|23|24|255",
    ),
    ("MaxApertureValue", "rational"),
    ("MeteringMode", "=0|1|2|3|4|5|6|255"),
    ("OECF", "oecf/sfr"),
    ("PixelXDimension", "integer"),
    ("PixelYDimension", "integer"),
    ("RelatedSoundFile", "text"),
    ("Saturation", "=0|1|2"),
    ("SceneCaptureType", "=0|1|2|3"),
    ("SceneType", "=1"),
    ("SensingMethod", "=1|2|3|4|5|6|7|8"),
    ("Sharpness", "=0|1|2"),
    ("ShutterSpeedValue", "rational"),
    ("SpatialFrequencyResponse", "oecf/sfr"),
    ("SpectralSensitivity", "text"),
    ("SubjectArea", "seq integer"),
    ("SubjectDistance", "rational"),
    ("SubjectDistanceRange", "=0|1|2|3"),
    ("SubjectLocation", "seq integer"),
    ("UserComment", "lang alt"),
    ("WhiteBalance", "=0|1"),
];

const STRUCTURES: &[(&str, &str, Table)] = &[
    (
        "beatsplicestretch",
        ns::DYNAMIC_MEDIA,
        &[
            ("riseInDecibel", "real"),
            ("riseInTimeDuration", "time"),
            ("useFileBeatsMarker", "boolean"),
        ],
    ),
    (
        "cfapattern",
        ns::EXIF,
        &[
            ("Columns", "integer"),
            ("Rows", "integer"),
            ("Values", "seq integer"),
        ],
    ),
    (
        "colorant",
        ns::COLORANT,
        &[
            ("A", "integer"),
            ("B", "integer"),
            ("L", "real"),
            ("black", "real"),
            ("blue", "integer"),
            ("cyan", "real"),
            ("green", "integer"),
            ("magenta", "real"),
            ("mode", "=CMYK|RGB|LAB"),
            ("red", "integer"),
            ("swatchName", "text"),
            ("type", "=PROCESS|SPOT"),
            ("yellow", "real"),
        ],
    ),
    (
        "devicesettings",
        ns::EXIF,
        &[
            ("Columns", "integer"),
            ("Rows", "integer"),
            ("Settings", "seq text"),
        ],
    ),
    (
        "dimensions",
        ns::DIMENSIONS,
        &[("h", "real"), ("unit", "text"), ("w", "real")],
    ),
    (
        "flash",
        ns::EXIF,
        &[
            ("Fired", "boolean"),
            ("Function", "boolean"),
            ("Mode", "=0|1|2|3"),
            ("RedEyeMode", "boolean"),
            ("Return", "=0|2|3"),
        ],
    ),
    (
        "font",
        ns::FONT,
        &[
            ("childFontFiles", "seq text"),
            ("composite", "boolean"),
            ("fontFace", "text"),
            ("fontFamily", "text"),
            ("fontFileName", "text"),
            ("fontName", "text"),
            ("fontType", "text"),
            ("versionString", "text"),
        ],
    ),
    (
        "job",
        ns::JOB,
        &[("id", "text"), ("name", "text"), ("url", "url")],
    ),
    (
        "marker",
        ns::DYNAMIC_MEDIA,
        &[
            ("comment", "text"),
            ("duration", "time"),
            ("location", "uri"),
            ("name", "text"),
            ("startTime", "time"),
            ("target", "text"),
            ("type", "=Chapter|Cue|Beat|Track|Index"),
        ],
    ),
    (
        "media",
        ns::DYNAMIC_MEDIA,
        &[
            ("duration", "time"),
            ("managed", "boolean"),
            ("path", "uri"),
            ("startTime", "time"),
            ("track", "text"),
            ("webStatement", "uri"),
        ],
    ),
    (
        "oecf/sfr",
        ns::EXIF,
        &[
            ("Columns", "integer"),
            ("Names", "seq text"),
            ("Rows", "integer"),
            ("Values", "seq rational"),
        ],
    ),
    (
        "projectlink",
        ns::DYNAMIC_MEDIA,
        &[("path", "uri"), ("type", "=movie|still|audio|custom")],
    ),
    (
        "resamplestretch",
        ns::DYNAMIC_MEDIA,
        &[("quality", "=High|Medium|Low")],
    ),
    (
        "resourceevent",
        ns::RESOURCE_EVENT,
        &[
            ("action", "text"),
            ("instanceID", "uri"),
            ("parameters", "text"),
            ("softwareAgent", "agentname"),
            ("when", "date"),
        ],
    ),
    (
        "resourceref",
        ns::RESOURCE_REF,
        &[
            ("documentID", "uri"),
            ("instanceID", "uri"),
            ("manageTo", "uri"),
            ("manageUI", "uri"),
            ("manager", "agentname"),
            ("managerVariant", "text"),
            ("renditionClass", "renditionclass"),
            ("renditionParams", "text"),
            ("versionID", "text"),
        ],
    ),
    (
        "thumbnail",
        ns::IMAGE,
        &[
            ("format", "=JPEG"),
            ("height", "integer"),
            ("image", "text"),
            ("width", "integer"),
        ],
    ),
    (
        "time",
        ns::DYNAMIC_MEDIA,
        &[("scale", "rational"), ("value", "integer")],
    ),
    (
        "timecode",
        ns::DYNAMIC_MEDIA,
        &[
            (
                "timeFormat",
                "=24Timecode|25Timecode|2997DropTimecode|2997NonDropTimecode|30Timecode|50Timecode|5994DropTimecode|5994NonDropTimecode|60Timecode|23976Timecode",
            ),
            ("timeValue", "text"),
        ],
    ),
    (
        "timescalestretch",
        ns::DYNAMIC_MEDIA,
        &[
            ("frameOverlappingPercentage", "real"),
            ("frameSize", "real"),
            ("quality", "=High|Medium|Low"),
        ],
    ),
    (
        "version",
        ns::VERSION,
        &[
            ("comments", "text"),
            ("event", "resourceevent"),
            ("modifier", "propername"),
            ("modifyDate", "date"),
            ("version", "text"),
        ],
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xmp::types::Types;

    #[test]
    fn every_type_of_the_tables_is_known() {
        let types = Types::default();
        let structures = STRUCTURES.iter().map(|(_, _, fields)| *fields);
        let tables = SCHEMAS.iter().map(|(_, table)| *table).chain(structures);
        for (name, kind) in tables.flatten() {
            assert!(types.is_known(kind), "{name}: {kind}");
        }
    }

    #[test]
    fn properties_are_found_by_namespace_and_name() {
        assert_eq!(property_type(ns::DC, "title"), Some("lang alt"));
        assert_eq!(property_type(ns::PDF, "Producer"), Some("agentname"));
        // Only later versions of XMP have these.
        assert_eq!(property_type(ns::PDF, "Trapped"), None);
        assert_eq!(
            property_type(ns::MEDIA_MANAGEMENT, "OriginalDocumentID"),
            None
        );
        assert_eq!(property_type("urn:other", "title"), None);
    }
}
