// Draws the pictures of the demo's articles that came without one: for each group and class, and for some articles.
// `node erp-server/demo/draw.mjs` writes them into `bilder`.

import { writeFileSync } from "node:fs";

const box = (x, y, width, height, fill, rx = 6) =>
  `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="${rx}" fill="${fill}"/>`;
const disc = (cx, cy, r, fill) => `<circle cx="${cx}" cy="${cy}" r="${r}" fill="${fill}"/>`;
const shape = (d, fill) => `<path d="${d}" fill="${fill}"/>`;
const line = (d, stroke, width = 8) =>
  `<path d="${d}" fill="none" stroke="${stroke}" stroke-width="${width}" stroke-linecap="round" stroke-linejoin="round"/>`;
const turned = (angle, ...parts) => `<g transform="rotate(${angle} 200 200)">${parts.join("")}</g>`;

const hexagon = (r) =>
  "M" + Array.from({ length: 6 }, (_, at) => [200 + r * Math.cos((at * Math.PI) / 3), 205 + r * Math.sin((at * Math.PI) / 3)].map(Math.round)).join("L") + "Z";
const bottle = (glass, label, cap) =>
  [box(176, 64, 48, 40, cap, 8), shape("M180 100h40v40q34 20 34 60v120q0 20-20 20h-68q-20 0-20-20V200q0-40 34-60Z", glass), box(146, 220, 108, 70, label, 0)].join("");
const bag = (paper, label) =>
  [shape("M124 104h152l16 216q0 20-20 20H128q-20 0-20-20Z", paper), shape("M124 104q76 26 152 0l-8-24H132Z", "#00000022"), box(142, 186, 116, 96, label, 10)].join("");
const rolls = [disc(200, 150, 62, "#f7f7f5"), disc(200, 150, 20, "#b9a488"), box(138, 150, 124, 170, "#ffffff", 0), shape("M138 320a62 26 0 0 0 124 0Z", "#ffffff"), line("M158 178v120M186 190v120", "#e3e6ea", 4)].join("");

/** Name of the file: colour of the ground, what it shows, the drawing. */
export const PICTURES = {
  "ab-4008": ["#eaf3f7", "Gehörschutzstöpsel", [-1, 1].map((side) => turned(side * 28, shape("M176 96q24-34 48 0l10 120q-34 20-68 0Z", "#f08a24") + shape("M166 216q34 20 68 0l-14 88q-20 12-40 0Z", "#d96f10"), line("M190 110l-6 80", "#f8b878", 8))).map((plug, at) => `<g transform="translate(${at * 150 - 75} 0)">${plug}</g>`).join("")],
  "arbeit-hand": ["#e7f1ea", "Handschuh", shape("M140 340V210q-40-40-34-60 10-20 34 20V92q0-18 16-18t16 18v60-82q0-18 16-18t16 18v82-72q0-18 16-18t16 18v84-54q0-16 14-16t14 16v110q0 40-22 60v70Z", "#2f7d5b") + box(136, 308, 126, 34, "#1d4f3a", 8)],
  "arbeit-hosen": ["#e6ebf3", "Arbeitshose", shape("M132 76h136l22 264h-66l-24-166-24 166h-66Z", "#27426b") + box(132, 70, 136, 26, "#182c4a", 4) + box(122, 236, 50, 52, "#1c3357") + box(228, 236, 50, 52, "#1c3357")],
  "arbeit-kopf": ["#eaf3f7", "Schutzbrille", shape("M84 168h232q14 0 12 24-6 64-66 64-40 0-52-36h-20q-12 36-52 36-60 0-66-64-2-24 12-24Z", "#9fc9dc") + line("M84 168h232", "#2b4a5a", 16) + line("M110 190l30-8", "#ffffff", 8)],
  "arbeit-schuhe": ["#f1ece4", "Sicherheitsschuh", shape("M118 96h86l10 112 74 28q28 12 28 44v36H118Z", "#3b3f45") + box(108, 304, 214, 30, "#16181b", 10) + shape("M262 226l26 10q28 12 28 44h-60Z", "#6b727b") + line("M170 130h40M172 160h42M174 190h44", "#e0a52c", 8)],
  "arbeit-warn": ["#f3f4e2", "Warnweste", shape("M126 92l50-20 24 90 24-90 50 20 22 60v186H104V152Z", "#d6e021") + box(104, 226, 192, 30, "#eef1f3", 0) + box(104, 286, 192, 30, "#eef1f3", 0) + line("M200 162v176", "#7c8412", 6)],
  "befestigung-duebel": ["#edeff1", "Dübel", turned(30, box(168, 76, 64, 240, "#8c949c", 14) + box(158, 76, 84, 26, "#747c84", 8) + line("M200 150v150M168 150h20M168 190h20M168 230h20M212 150h20M212 190h20M212 230h20", "#5b636b", 6))],
  "befestigung-muttern": ["#edeff1", "Mutter", shape(hexagon(120), "#aab2bb") + disc(200, 205, 62, "#6d7680") + disc(200, 205, 50, "#edeff1") + line("M160 120h80", "#d7dce1", 8)],
  "befestigung-naegel": ["#f0eeea", "Drahtstifte", [-24, 0, 24].map((angle) => turned(angle, box(170, 78, 60, 14, "#6f7780", 6) + shape("M190 92h20v210l-10 34-10-34Z", "#9aa2ab"))).join("")],
  "befestigung-schraube": ["#edeff1", "Schraube", turned(35, shape("M150 84h100l-30 46h-40Z", "#8d959e") + shape("M182 130h36v150l-18 56-18-56Z", "#aab2bb") + line("M180 160l40 14M180 190l40 14M180 220l40 14M180 250l40 14M184 280l32 12", "#69727b", 8))],
  "bu-1011": ["#ece9f4", "Locher", box(84, 288, 232, 40, "#2f363e", 10) + box(120, 196, 30, 96, "#9aa2ab", 6) + box(250, 196, 30, 96, "#9aa2ab", 6) + shape("M92 200q8-84 108-84t108 84q0 20-20 20H112q-20 0-20-20Z", "#4a545f") + shape("M108 186q16-52 92-52t92 52Z", "#5d6974") + disc(135, 308, 8, "#11151a") + disc(265, 308, 8, "#11151a")],
  "bu-1014": ["#e9effa", "Schreibtafel", box(60, 84, 280, 200, "#9aa3ac", 8) + box(74, 98, 252, 172, "#ffffff", 4) + line("M104 134h96M104 166h140", "#2166b0", 8) + line("M250 214l24 22 34-46", "#2d8a55", 10) + box(120, 284, 160, 16, "#6d7680", 4) + box(150, 272, 44, 14, "#d0453a", 5) + box(206, 272, 44, 14, "#2166b0", 5)],
  "bu-1016": ["#e8ecf0", "Aktenvernichter", box(150, 66, 100, 70, "#ffffff", 2) + line("M168 84h64M168 102h64", "#b9c0c8", 6) + box(104, 124, 192, 66, "#2f363e", 14) + box(138, 138, 124, 12, "#11151a", 6) + disc(270, 168, 8, "#58c26b") + box(114, 190, 172, 144, "#4a545f", 10) + box(138, 212, 124, 100, "#cfd6dd", 6) + line("M152 226v70M172 222v78M192 228v70M212 222v76M232 226v74M248 224v70", "#ffffff", 8)],
  "buero-ablage": ["#ece9f4", "Ablage", box(104, 130, 150, 200, "#c9bfe6") + box(124, 108, 150, 200, "#e4def3") + box(144, 86, 150, 200, "#ffffff") + line("M168 130h100M168 160h100M168 190h70", "#8b7cc0", 8)],
  "buero-geraete": ["#e8ecf0", "Bürogerät", box(120, 72, 160, 260, "#3d4650", 18) + box(138, 92, 124, 54, "#b9d3c0", 6) + [0, 1, 2, 3].flatMap((row) => [0, 1, 2].map((column) => box(140 + column * 44, 166 + row * 38, 32, 26, row + column === 5 ? "#e08a2c" : "#cfd6dd"))).join("")],
  "buero-moebel": ["#f2ece3", "Büromöbel", box(84, 150, 232, 26, "#a8743f") + box(100, 176, 18, 158, "#555d66", 4) + box(282, 176, 18, 158, "#555d66", 4) + box(206, 176, 76, 70, "#c28f58", 2) + box(234, 206, 20, 8, "#555d66", 4) + box(130, 84, 96, 60, "#2c333b") + box(170, 144, 16, 8, "#2c333b", 0)],
  "buero-papier": ["#e9effa", "Papier", turned(-6, box(112, 120, 190, 210, "#c9d4e8", 4) + box(104, 106, 190, 210, "#e2e9f5", 4) + box(96, 92, 190, 210, "#ffffff", 4) + line("M124 140h134M124 176h134M124 212h90", "#a9bad8", 8))],
  "buero-schreib": ["#e9effa", "Stift", turned(40, box(178, 80, 44, 190, "#e3ad35", 4) + box(178, 60, 44, 34, "#d3667a", 8) + box(178, 88, 44, 16, "#b9c0c8", 0) + shape("M178 270h44l-22 62Z", "#eccfa6") + shape("M193 312h14l-7 20Z", "#33373c"))],
  "dienst-gutschei": ["#f7e9ee", "Geschenkkarte", turned(-8, box(82, 118, 236, 156, "#b93a62", 16) + box(82, 180, 236, 24, "#f2c0cf", 0) + box(136, 118, 24, 156, "#f2c0cf", 0) + disc(148, 192, 24, "#ffffff"))],
  "dienst-montage": ["#e7eef2", "Montage", turned(45, box(182, 130, 36, 190, "#8a949e", 18) + shape("M150 70l26 26h48l26-26q20 60-26 92h-48q-46-32-26-92Z", "#a5afb9")) + turned(-45, box(186, 70, 28, 120, "#c8ced4", 4) + box(176, 190, 48, 140, "#d64a33", 16))],
  "dienst-seminar": ["#e9eaf5", "Übernachtung", box(76, 120, 20, 210, "#71502f") + box(304, 190, 20, 140, "#71502f") + box(90, 240, 220, 60, "#ffffff", 8) + box(90, 256, 220, 44, "#5661a8", 8) + box(104, 212, 76, 36, "#dfe3f5", 14) + disc(270, 116, 30, "#f2c94c")],
  "el-2012": ["#f0f2e8", "Batterien", box(104, 116, 76, 210, "#2d8a55", 12) + box(126, 98, 32, 24, "#c9ced4", 4) + box(104, 116, 76, 60, "#d9b13c", 12) + box(220, 116, 76, 210, "#2d8a55", 12) + box(242, 98, 32, 24, "#c9ced4", 4) + box(220, 116, 76, 60, "#d9b13c", 12) + line("M142 230v40M122 250h40M240 250h36", "#ffffff", 8)],
  "el-2013": ["#eef0f2", "Bewegungsmelder", box(140, 70, 120, 130, "#ffffff", 16) + shape("M126 200h148q0 96-74 96t-74-96Z", "#f7f9fb") + shape("M142 206h116q0 74-58 74t-58-74Z", "#c3ccd5") + line("M170 206v62M200 206v72M230 206v62M148 236h104", "#9fabb6", 4) + disc(200, 104, 8, "#d0453a") + line("M96 250q-26 44 0 84M304 250q26 44 0 84", "#e0a52c", 10)],
  "elektro-ersatz": ["#eef0f2", "Netzteil", box(104, 130, 192, 130, "#2c3138", 14) + box(124, 150, 152, 44, "#444c55") + disc(268, 232, 8, "#58c26b") + line("M104 200q-50 0-40 60t50 60M296 210q40 0 30 60t-40 60", "#16191d", 12)],
  "elektro-kabel": ["#e8f0f0", "Kabel", disc(200, 200, 116, "#5f6b76") + disc(200, 200, 92, "#74808b") + disc(200, 200, 70, "#8995a0") + disc(200, 200, 46, "#e8f0f0") + line("M306 246q36 40 6 86", "#5f6b76", 20) + line("M304 326l18 10", "#c9742e", 8)],
  "elektro-klein": ["#f0f2e8", "Kleinmaterial", box(84, 96, 232, 226, "#dfe5ea", 18) + [0, 1, 2, 3].map((at) => box(100 + (at % 2) * 104, 112 + (at > 1 ? 104 : 0), 96, 92, "#ffffff", 8)).join("") + line("M118 142l60 34M118 176l60-34", "#3b434c") + [225, 250, 275].map((x) => disc(x, 158, 10, "#e08a2c")).join("") + line("M120 262q28-40 56 0t-56 0", "#2d8a55") + box(222, 240, 58, 44, "#2166b0", 6) + line("M236 240v-14M251 240v-14M266 240v-14", "#9aa3ac", 6)],
  "elektro-licht": ["#fff5e0", "Leuchte", shape("M60 250h280l40 90H20Z", "#ffeaa8") + box(66, 170, 268, 60, "#ffffff", 30) + box(52, 176, 34, 48, "#b4bac2", 8) + box(314, 176, 34, 48, "#b4bac2", 8) + line("M110 186h180", "#fff1bd", 10)],
  "elektro-schutz": ["#eceff2", "Schutzschalter", box(110, 76, 84, 256, "#f8fafb", 8) + box(206, 76, 84, 256, "#f8fafb", 8) + box(130, 160, 44, 74, "#c9d1d8") + box(226, 160, 44, 74, "#c9d1d8") + box(136, 166, 32, 34, "#2f343a") + box(232, 196, 32, 34, "#2166b0") + disc(152, 108, 14, "#9aa3ac") + disc(248, 108, 14, "#9aa3ac") + disc(152, 298, 14, "#9aa3ac") + disc(248, 298, 14, "#9aa3ac")],
  "elektro-solar": ["#e4eef9", "Solarmodul", disc(306, 96, 34, "#f5c542") + shape("M116 110h190l40 200H70Z", "#16305c") + line("M163 110l-24 200M211 110l-2 200M258 110l20 200M104 160h208M92 210h232M80 262h258", "#5f86c4", 4) + line("M208 310v28M160 338h96", "#7d868f", 12)],
  "elektro-steck": ["#f2f3f4", "Steckdose", box(92, 92, 216, 216, "#ffffff", 26) + shape("M138 200l30-54h64l30 54-30 54h-64Z", "#dfe3e7") + disc(172, 200, 11, "#3a4047") + disc(228, 200, 11, "#3a4047") + disc(200, 222, 11, "#3a4047")],
  "haushalt-abfall": ["#edf0ec", "Abfallsack", shape("M170 120q-90 60-70 170 6 48 50 48h100q44 0 50-48 20-110-70-170Z", "#39414a") + shape("M150 84q50 30 100 0l-18 40h-64Z", "#4b555f") + box(164, 112, 72, 16, "#d0453a", 8)],
  "haushalt-kueche": ["#e9f2f6", "Trinkglas", shape("M126 92h148l-20 230q-2 16-20 16h-68q-18 0-20-16Z", "#cfe6f0") + shape("M134 180h132l-12 142q-2 16-20 16h-68q-18 0-20-16Z", "#8fc4dc") + line("M154 120l8 130", "#ffffff", 10)],
  "haushalt-muster": ["#f1ece6", "Musterkoffer", box(84, 140, 232, 180, "#8d5f38", 18) + line("M156 140v-30q0-16 16-16h56q16 0 16 16v30", "#5e3d21", 14) + box(84, 210, 232, 18, "#6f4827", 0) + box(180, 198, 40, 42, "#e1bd62")],
  "haushalt-papier": ["#eef1f4", "Haushaltpapier", rolls],
  "haushalt-reinigun": ["#e5f3f1", "Reinigung", bottle("#2aa198", "#ffffff", "#e9b13b") + disc(286, 120, 16, "#bfe6e2") + disc(306, 160, 10, "#bfe6e2")],
  "hh-5006": ["#e5f3f1", "Mikrofasertuch", turned(-6, box(96, 110, 190, 190, "#2aa198", 14) + box(112, 126, 190, 190, "#46b8ae", 14) + line("M136 156h142M136 186h142M136 216h142M136 246h142M136 276h142", "#7fd0c8", 6))],
  "lebensmittel-backen": ["#f6efe2", "Backen", bag("#e9d9b8", "#ffffff") + line("M170 236h60M200 206v60", "#c09a52", 8)],
  "lebensmittel-getraenk": ["#e6f2fa", "Getränk", bottle("#7fbfe6", "#f4f9fd", "#2f6fa8") + line("M166 250q16-14 34 0t34 0", "#2f6fa8", 6)],
  "lebensmittel-kaese": ["#fbf3dc", "Käse", shape("M72 262L300 128q40 40 28 134Z", "#f2c64d") + shape("M72 262h256v54H72Z", "#e0ac2e") + disc(230, 216, 22, "#d9a227") + disc(166, 244, 13, "#d9a227") + disc(288, 190, 12, "#d9a227")],
  "lebensmittel-konserve": ["#f6eae6", "Konserve", box(118, 96, 164, 240, "#b9c1c9", 16) + box(118, 140, 164, 150, "#c23b2c", 0) + disc(200, 215, 46, "#e8614c") + shape("M176 176q24 14 48 0l-14 24h-20Z", "#3f8a3f") + line("M128 112h144M128 316h144", "#8e97a0", 6)],
  "lebensmittel-nuesse": ["#f5ede1", "Nüsse", [[150, 170], [210, 150], [260, 176], [180, 200], [236, 200]].map(([x, y]) => `<ellipse cx="${x}" cy="${y}" rx="32" ry="22" fill="#d9a866" transform="rotate(${x % 60} ${x} ${y})"/>`).join("") + shape("M92 204h216q-6 126-108 126T92 204Z", "#5c7fa3")],
  "lebensmittel-oel": ["#f1f3df", "Öl", bottle("#9aa52b", "#f7f5e4", "#5c4a2c") + disc(200, 254, 20, "#6f7a1c")],
  "lebensmittel-reis": ["#f3f1e8", "Reis", bag("#f4efe0", "#4f8f6a") + [[170, 220], [200, 250], [230, 216], [214, 230]].map(([x, y]) => `<ellipse cx="${x}" cy="${y}" rx="14" ry="6" fill="#ffffff" transform="rotate(${x} ${x} ${y})"/>`).join("")],
  "lebensmittel-suess": ["#f4e9e4", "Süsses", turned(-10, box(120, 80, 160, 250, "#5b3420", 10) + [0, 1, 2].flatMap((row) => [0, 1].map((column) => box(132 + column * 70, 92 + row * 48, 64, 40, "#7a4a2f"))).join("") + box(112, 226, 176, 110, "#c8a04a", 6) + box(112, 250, 176, 50, "#a8323e", 0))],
  "lebensmittel-tee": ["#e9f3e6", "Tee", shape("M104 170h172v70q0 86-86 86t-86-86Z", "#ffffff") + shape("M112 190h156q-6 20-78 20t-78-20Z", "#8fae3c") + line("M276 190q50-4 44 46t-56 40", "#ffffff", 16) + line("M160 140q-14-20 0-40M200 140q-14-20 0-40", "#a9c79a", 8)],
  "lebensmittel-teigware": ["#fbf1da", "Teigwaren", bag("#2f6fa8", "#fbf1da") + line("M166 216q14-26 30-4M204 250q14-26 30-4M172 262q12-24 26-4", "#e3a92c", 12)],
  "lebensmittel-wein": ["#f4e8ec", "Wein", bottle("#4b1f2c", "#f3e9d8", "#7d1f35") + line("M164 250h72M176 270h48", "#7d1f35", 6)],
};

/** The file of a picture. */
export function drawn([ground, title, drawing]) {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 400" role="img" aria-label="${title}">
<rect width="400" height="400" fill="${ground}"/>
<ellipse cx="200" cy="344" rx="124" ry="14" fill="#000" opacity=".08"/>
${drawing}
</svg>
`;
}

if (process.argv[1] === import.meta.filename) {
  for (const [name, picture] of Object.entries(PICTURES)) {
    writeFileSync(new URL(`bilder/${name}.svg`, import.meta.url), drawn(picture));
  }
}
