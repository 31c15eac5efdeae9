//! Tiny font programs: two glyphs and `.notdef`, as wide as their tests want.

/// A TrueType program of three glyphs of these widths in 1,000 units, and these cmap subtables: platform, encoding,
/// first character of glyph 1 (glyph 2 follows).
pub(super) fn true_type(widths: [u16; 3], cmaps: &[(u16, u16, u16)]) -> Vec<u8> {
    let mut head = vec![0; 54];
    head[18..20].copy_from_slice(&1_000_u16.to_be_bytes());
    let mut hhea = vec![0; 36];
    hhea[35] = 3;
    let hmtx: Vec<u8> = widths
        .iter()
        .flat_map(|width| [width.to_be_bytes(), [0, 0]].concat())
        .collect();
    let mut maxp = vec![0; 6];
    maxp[5] = 3;
    let tables = [
        (*b"cmap", cmap(cmaps)),
        (*b"glyf", vec![0; 4]),
        (*b"head", head),
        (*b"hhea", hhea),
        (*b"hmtx", hmtx),
        (*b"loca", vec![0; 8]),
        (*b"maxp", maxp),
    ];
    sfnt(*b"\0\x01\0\0", &tables)
}

/// An OpenType program with a CFF table.
pub(super) fn open_type(cff: Vec<u8>) -> Vec<u8> {
    sfnt(*b"OTTO", &[(*b"CFF ", cff)])
}

fn sfnt(version: [u8; 4], tables: &[([u8; 4], Vec<u8>)]) -> Vec<u8> {
    let mut out = version.to_vec();
    out.extend((tables.len() as u16).to_be_bytes());
    out.extend([0; 6]);
    let mut at = 12 + 16 * tables.len();
    for (tag, data) in tables {
        out.extend(tag);
        out.extend([0; 4]);
        out.extend((at as u32).to_be_bytes());
        out.extend((data.len() as u32).to_be_bytes());
        at += data.len();
    }
    tables.iter().for_each(|(_, data)| out.extend(data));
    out
}

/// Subtables of format 6.
fn cmap(subtables: &[(u16, u16, u16)]) -> Vec<u8> {
    let mut out = [[0, 0], (subtables.len() as u16).to_be_bytes()].concat();
    for (place, (platform, encoding, _)) in subtables.iter().enumerate() {
        let start = 4 + 8 * subtables.len() + 14 * place;
        out.extend(platform.to_be_bytes());
        out.extend(encoding.to_be_bytes());
        out.extend((start as u32).to_be_bytes());
    }
    for (_, _, first) in subtables {
        out.extend([6, 14, 0, *first, 2, 1, 2].map(u16::to_be_bytes).concat());
    }
    out
}

/// A CFF program of `.notdef` and the glyphs `A` and `B`, or of CIDs 1 and 2, all of this width.
pub(super) fn cff(width: i16, cids: bool) -> Vec<u8> {
    let number = |value: i32| [vec![29], value.to_be_bytes().to_vec()].concat();
    let charstring = [vec![28], width.to_be_bytes().to_vec(), vec![14]].concat();
    let charstrings = index(&[&charstring, &charstring, &charstring]);
    let first: u16 = if cids { 1 } else { 34 };
    let charset = [
        vec![0],
        first.to_be_bytes().to_vec(),
        (first + 1).to_be_bytes().to_vec(),
    ]
    .concat();
    let header_and_names = [vec![1, 0, 4, 1], index(&[b"F"])].concat();
    // All numbers of the top dictionary have five bytes, so its length does not depend on them.
    let top = |at: [i32; 4]| {
        let [charset, charstrings, private, array] = at;
        let ros = if cids {
            [number(391), number(391), number(0), vec![12, 30]].concat()
        } else {
            vec![]
        };
        let tail = if cids {
            [
                number(array),
                vec![12, 36],
                number(array + 100),
                vec![12, 37],
            ]
            .concat()
        } else {
            [number(0), number(private), vec![18]].concat()
        };
        index(&[&[
            ros,
            number(charset),
            vec![15],
            number(charstrings),
            vec![17],
            tail,
        ]
        .concat()])
    };
    let strings = if cids {
        index(&[b"Identity"])
    } else {
        index(&[])
    };
    let start = header_and_names.len() + top([0; 4]).len() + strings.len() + index(&[]).len();
    let at = |offset: usize| (start + offset) as i32;
    let end = charset.len() + charstrings.len();
    let top = top([at(0), at(charset.len()), at(end), at(end)]);
    let mut out = [
        header_and_names,
        top,
        strings,
        index(&[]),
        charset,
        charstrings,
    ]
    .concat();
    if cids {
        let font = index(&[&[number(0), number(at(end)), vec![18]].concat()]);
        out.extend(&font);
        out.resize(start + end + 100, 0);
        out.extend([0, 0, 0, 0]);
    }
    out
}

fn index(items: &[&[u8]]) -> Vec<u8> {
    let mut out = (items.len() as u16).to_be_bytes().to_vec();
    if items.is_empty() {
        return out;
    }
    out.push(1);
    let mut offset = 1;
    out.push(offset);
    for item in items {
        offset += item.len() as u8;
        out.push(offset);
    }
    items.iter().for_each(|item| out.extend_from_slice(item));
    out
}

/// A Type 1 program of `.notdef`, `A` and `B`, all of this width; its own encoding has `A` at code 1.
pub(super) fn type1(width: u8) -> Vec<u8> {
    type1_of(
        [".notdef", "A", "B"].map(str::to_owned).into(),
        "1 /A",
        width,
    )
}

/// A Type 1 program with these glyphs. Its encoding puts names at codes.
pub(super) fn type1_of(glyphs: Vec<String>, encoding: &str, width: u8) -> Vec<u8> {
    let charstring = encrypted(
        &[&[0; 4][..], &[139, 247 + width / 255, width % 255, 13, 14]].concat(),
        4330,
    );
    let mut private = format!(
        "\0\0\0\0dup /Private 4 dict dup begin /lenIV 4 def 2 index /CharStrings {} dict dup begin\n",
        glyphs.len()
    )
    .into_bytes();
    for name in glyphs {
        private.extend(format!("/{name} {} RD ", charstring.len()).as_bytes());
        private.extend(&charstring);
        private.extend(b" ND\n");
    }
    private.extend(b"end end mark currentfile closefile\n");
    let mut out = format!(
        "%!PS-AdobeFont-1.0: F\n/FontName /F def /FontMatrix [0.001 0 0 0.001 0 0] readonly def\n\
        /Encoding 256 array 0 1 255 {{1 index exch /.notdef put}} for dup {encoding} put readonly def\n\
        currentfile eexec\n"
    )
    .into_bytes();
    out.extend(encrypted(&private, 55665));
    out.extend(b"\ncleartomark\n");
    out
}

fn encrypted(plain: &[u8], key: u16) -> Vec<u8> {
    let mut key = key;
    let step = |byte: &u8| {
        let cipher = byte ^ key.to_be_bytes()[0];
        key = u16::from(cipher)
            .wrapping_add(key)
            .wrapping_mul(52845)
            .wrapping_add(22719);
        cipher
    };
    plain.iter().map(step).collect()
}
