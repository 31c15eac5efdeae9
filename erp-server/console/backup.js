// Backup: make one, save it, and confirm the file that was saved.

import { card, element, heading, news, paragraph } from "./dom.js";
import { dropPlace } from "./drop.js";
import { size } from "./format.js";
import { button, resting, run } from "./form.js";
import { words } from "./language.js";
import { nameOf, received, save } from "./save.js";
import { sha256 } from "./sha256.js";
import { lastBackup } from "./state.js";

/** Bytes of the trailer, an empty gzip member whose comment is the checksum of all bytes before it. */
const TRAILER = 103;

/** The checksum of a saved backup, which must be the one in its trailer. */
async function proven(file, onProgress) {
  const trailer = await file.slice(-TRAILER).text();
  const [, told] = /erp-backup sha256:([0-9a-f]{64})/.exec(trailer) ?? [];
  if (told === undefined) throw new Error(words().not_a_backup);
  const sum = await sha256(file.slice(0, -TRAILER), onProgress);
  if (sum !== told) throw new Error(words().backup_damaged);
  return sum;
}

function makeCard(api, refresh, signal) {
  const say = words();
  const told = news();
  const make = button(say.make_backup, () => run(made, () => resting(make, begin)), "main");
  const made = card(say.make_backup_title, paragraph(say.make_backup_about), element("div", {}, make), told);
  const begin = async () => {
    told.textContent = say.backup_begins;
    try {
      const answer = await api.send("/admin/backup", { signal });
      const name = nameOf(answer, "erp-backup.tar.gz");
      const file = await received(answer, (bytes) => (told.textContent = say.backup_received(size(bytes))));
      save(file, name);
      told.textContent = say.backup_saved(name, size(file.size));
      await refresh();
    } catch (error) {
      told.textContent = "";
      throw error;
    }
  };
  return made;
}

function confirmCard(api, refresh) {
  const say = words();
  const told = news();
  const bar = element("progress", { max: 1, value: 0, hidden: true, "aria-label": say.reading });
  const confirm = async (file) => {
    told.textContent = "";
    bar.hidden = false;
    const sum = await proven(file, (part) => (bar.value = part)).finally(() => (bar.hidden = true));
    const { revision } = await api.change("POST", "/admin/backup/confirm", { sha256: sum });
    told.textContent = say.backup_confirmed(file.name, revision);
    await refresh();
  };
  const drop = dropPlace(say.drop_backup, ".gz", (file) => run(made, () => confirm(file)));
  const made = card(say.confirm_backup, paragraph(say.confirm_backup_about), drop, bar, told);
  return made;
}

export async function show({ place, api, signal }) {
  const say = words();
  const last = element("div");
  const refresh = async () => last.replaceChildren(card(say.last_backup, lastBackup(await api.get("/admin/stats", signal))));
  place.append(heading(say.nav_backup, say.backup_about), last, makeCard(api, refresh, signal), confirmCard(api, refresh));
  await refresh();
}
