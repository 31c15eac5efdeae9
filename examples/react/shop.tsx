// A form that checks an address, and a basket with the total of the order that it becomes.

import { Suspense, use, useState } from "react";
import { createRoot } from "react-dom/client";
import { ErpError, checkTown, init, loadTowns, totalsOf, validateAddress } from "erp-wasm";
import type { AddressBody, OrderBody, PricedArticle, Settings, Totals } from "erp-wasm";
import { Client, ServerError, newKey } from "erp-wasm/client";
import type { TokenSource } from "erp-wasm/client";

const ready = Promise.all([init(), loadTowns()]);
const FIELDS = { AdrFirma: "Company", AdrAdresse1: "Street", OrtPLZ: "Postal code", OrtName: "Town" } as const;
type Name = keyof typeof FIELDS;

/** The language of problems: that of the page. */
const language = document.documentElement.lang;

function reason(error: unknown): string {
  if (error instanceof ErpError || error instanceof ServerError) return error.problems[0]?.message ?? error.message;
  throw error;
}

export function AddressForm({ onSave }: { onSave: (address: AddressBody) => void }) {
  use(ready);
  const [address, setAddress] = useState<AddressBody>({ AdrSprache: "ger", AdrAnrede: 0, OrtLand: "CH" });
  const set = (name: Name, value: string) => setAddress({ ...address, [name]: value });
  const problems = validateAddress(address, { language });
  const town = checkTown(address, { language });
  const field = (name: Name) => (
    <label key={name}>
      {FIELDS[name]} <input value={address[name] ?? ""} onChange={({ target }) => set(name, target.value)} />
      {name in address && <small>{problems.find(({ path }) => path === name)?.message}</small>}
    </label>
  );
  return (
    <form action={() => onSave(address)}>
      {(Object.keys(FIELDS) as Name[]).map(field)}
      {town.outcome === "corrected" && <button type="button" onClick={() => set("OrtName", town.to)}>Use {town.to}</button>}
      <button disabled={problems.length > 0}>Save</button>
    </form>
  );
}

/** What an order will cost, as the server computes it, or why there is no price. */
export function useTotals(
  order: OrderBody,
  articles: readonly PricedArticle[],
  settings: Settings = {},
): { totals: Totals } | { refusal: string } {
  use(ready);
  try {
    return { totals: totalsOf(order, articles, { language, ...settings }) };
  } catch (error) {
    return { refusal: reason(error) };
  }
}

/** `articles` are entries of the client's article list. */
export function Basket({ client, articles }: { client: Client; articles: readonly PricedArticle[] }) {
  const [{ positions, key }, setBasket] = useState(() => ({
    positions: articles.map(({ ArtNr = "" }) => ({ ArtNr, Menge: 1 })),
    key: newKey(),
  }));
  const [state, setState] = useState("");
  const order = { GrundDaten: { KundNr: client.session?.customer ?? null }, Positionen: positions };
  const result = useTotals(order, articles);
  // Sent again, an order of the same key is placed once. A basket that changes is another order.
  const change = (ArtNr: string, Menge: number) =>
    setBasket({ positions: positions.map((one) => (one.ArtNr === ArtNr ? { ArtNr, Menge } : one)), key: newKey() });
  const place = () =>
    client.createOrder(order, { key }).then(
      ({ AuftNr }) => setState(`Order ${AuftNr}`),
      (error: unknown) => setState(reason(error)),
    );
  return (
    <section>
      {positions.map(({ ArtNr, Menge }) => (
        <label key={ArtNr}>
          {ArtNr} <input type="number" value={Menge} onChange={({ target }) => change(ArtNr, Number(target.value))} />
        </label>
      ))}
      <output>
        {"totals" in result ? `${result.totals.GrundDaten.WaehrAbk} ${result.totals.payable.toFixed(2)}` : result.refusal}
      </output>
      <button onClick={place}>Order</button>
      <p role="status">{state}</p>
    </section>
  );
}

/** Shows both. `token` asks the back end of the shop for a token of its customer. */
export async function start(place: HTMLElement, token: TokenSource, onSave: (address: AddressBody) => void): Promise<void> {
  const client = await Client.login("", token, { language });
  const { value: page } = await client.articlePages({ suche: "schreib" }).next();
  // The others are sold in packages, which have prices of their own.
  const articles = (page?.data ?? []).filter(({ HatVPE }: { HatVPE?: string }) => HatVPE !== "J");
  createRoot(place).render(
    <Suspense>
      <AddressForm onSave={onSave} />
      <Basket client={client} articles={articles} />
    </Suspense>,
  );
}
