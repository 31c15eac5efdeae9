// What the server says in English, in the language of the page: by the codes it sends with its sentences.

import { number } from "./format.js";

/** After a colon come the names that the server's sentence has in backticks. */
const GERMAN = {
  conflict: "Das passt nicht zum jetzigen Stand.",
  endpoint: "Hier gibt es nichts.",
  headers_too_large: "Die Kopfzeilen der Anfrage sind zu lang.",
  insufficient_scope: "Dafür braucht es eine dieser Rollen:",
  internal: "Dem Server ist ein Fehler unterlaufen.",
  invalid: "Die Angaben verletzen eine Regel.",
  invalid_client: "Benutzer oder Passwort ist falsch.",
  invalid_token: "Die Anmeldung ist abgelaufen.",
  malformed: "Die Form stimmt nicht:",
  method_not_allowed: "Das ist hier nicht möglich.",
  not_found: "Das gibt es nicht:",
  not_ready: "Der Server ist nicht bereit.",
  precondition_failed: "Der Datensatz wurde inzwischen geändert.",
  range_not_satisfiable: "Diesen Teil der Datei gibt es nicht.",
  request_timeout: "Die Anfrage kam zu langsam.",
  stand_expired: "Was sich seither geändert hat, ist nicht mehr bekannt. Alles muss neu gelesen werden.",
  too_broad: "Die Suche ist zu weit. Sie muss eingegrenzt werden.",
  too_large: "Die Datei oder die Anfrage ist zu gross.",
  too_many_requests: "Zu viele Anfragen. Bitte gleich noch einmal versuchen.",
  unavailable: "Der Server ist beschäftigt. Bitte gleich noch einmal versuchen.",
  unsupported_media_type: "Diese Art von Datei wird hier nicht gelesen.",
  uri_too_long: "Die Adresse der Anfrage ist zu lang.",
  address_check: "Ort und Postleitzahl gehören nicht zusammen.",
  contradiction: "Zwei Angaben widersprechen sich.",
  control_character: "Der Text enthält ein Steuerzeichen.",
  invoice_rule: "Die Rechnung verletzt eine Regel.",
  not_sold: "Dieser Artikel ist inaktiv (ArtikelStatus 0) und wird nicht verkauft.",
  out_of_stock: "So viel kann davon nicht bestellt werden.",
  no_price: "Dafür gibt es keinen Preis.",
  not_a_whole_package: "Die Menge ist kein ganzes Vielfaches der Verpackung.",
  out_of_range: "Die Zahl liegt ausserhalb der Grenzen.",
  positions_missing: "Es fehlen Positionen.",
  required: "Diese Angabe fehlt.",
  shop_only: "Das darf nur der Shop selbst angeben.",
  too_long: "Der Text ist zu lang.",
  too_many: "Das sind zu viele.",
  too_precise: "Die Zahl hat zu viele Nachkommastellen.",
  unknown_article: "Diesen Artikel gibt es nicht:",
  unknown_country: "Dieses Land gibt es nicht:",
  unknown_currency: "Diese Währung gibt es nicht:",
  unknown_customer: "Diesen Kunden gibt es nicht:",
  unknown_file: "Diese Datei gibt es nicht:",
  unknown_language: "Diese Sprache gibt es nicht:",
  unknown_member: "Dieses Feld gibt es nicht.",
  unknown_offer: "Diese Offerte gibt es nicht:",
  unknown_packaging_unit: "Diese Verpackung gibt es nicht:",
  unknown_position: "Diese Position gibt es nicht:",
  unknown_tax_code: "Diesen Steuercode gibt es nicht:",
  unknown_value: "Diesen Wert gibt es nicht:",
  wrong_type: "Die Angabe hat die falsche Art.",
};

/** A sentence for an error or a problem of the server; its own where there is no other. */
export function sentence({ code, message, limit }) {
  if (document.documentElement.lang !== "de" || !Object.hasOwn(GERMAN, code)) return message;
  const names = [...message.matchAll(/`([^`]+)`/g)].map(([, name]) => name).join(", ");
  const known = GERMAN[code].endsWith(":") ? (names ? `${GERMAN[code]} ${names}` : GERMAN[code].replace(":", ".")) : GERMAN[code];
  return limit === undefined ? known : `${known} (Grenze: ${number(limit)})`;
}
