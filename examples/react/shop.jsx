// A form that checks an address, and a basket with the total of the order that it becomes.

import { Suspense, use, useState } from "react";
import { createRoot } from "react-dom/client";
import { checkTown, init, loadTowns, totalsOf, validateAddress } from "erp-wasm";
import { Client, newKey } from "erp-wasm/client";

const ready = Promise.all([init(), loadTowns()]);
const FIELDS = { AdrFirma: "Company", AdrAdresse1: "Street", OrtPLZ: "Postal code", OrtName: "Town" };

const reason = (error) => error.problems?.[0]?.message ?? error.message;

export function AddressForm({ onSave }) {
  use(ready);
  const [address, setAddress] = useState({ AdrSprache: "ger", AdrAnrede: 0, OrtLand: "CH" });
  const set = (name, value) => setAddress({ ...address, [name]: value });
  const problems = validateAddress(address);
  const town = checkTown(address);
  const field = ([name, label]) => (
    <label key={name}>
      {label} <input value={address[name] ?? ""} onChange={({ target }) => set(name, target.value)} />
      {name in address && <small>{problems.find(({ path }) => path === name)?.message}</small>}
    </label>
  );
  return (
    <form action={() => onSave(address)}>
      {Object.entries(FIELDS).map(field)}
      {town.outcome === "corrected" && <button type="button" onClick={() => set("OrtName", town.to)}>Use {town.to}</button>}
      <button disabled={problems.length > 0}>Save</button>
    </form>
  );
}

/** What the server will compute, or why there is no price. */
function total(order, articles) {
  try {
    const { payable, GrundDaten } = totalsOf(order, articles);
    return `${GrundDaten.WaehrAbk} ${payable.toFixed(2)}`;
  } catch (error) {
    return reason(error);
  }
}

/** `articles` are entries of the client's article list. */
export function Basket({ client, articles }) {
  use(ready);
  const begun = () => ({ positions: articles.map(({ ArtNr }) => ({ ArtNr, Menge: 1 })), key: newKey() });
  const [{ positions, key }, setBasket] = useState(begun);
  const [state, setState] = useState("");
  const order = { GrundDaten: { KundNr: client.session?.customer }, Positionen: positions };
  // Sent again, an order of the same key is placed once. A basket that changes is another order.
  const change = (ArtNr, Menge) =>
    setBasket({ positions: positions.map((one) => (one.ArtNr === ArtNr ? { ArtNr, Menge } : one)), key: newKey() });
  const place = () =>
    client.createOrder(order, { key }).then(
      ({ AuftNr }) => setState(`Order ${AuftNr}`),
      (error) => setState(reason(error)),
    );
  return (
    <section>
      {positions.map(({ ArtNr, Menge }) => (
        <label key={ArtNr}>
          {ArtNr} <input type="number" value={Menge} onChange={({ target }) => change(ArtNr, Number(target.value))} />
        </label>
      ))}
      <output>{total(order, articles)}</output>
      <button onClick={place}>Order</button>
      <p role="status">{state}</p>
    </section>
  );
}

/** Shows both. `token` asks the back end of the shop for a token of its customer. */
export async function start(place, token, onSave) {
  const client = await Client.login("", token);
  const { value: page } = await client.articlePages({ suche: "schreib" }).next();
  // The others are sold in packages, which have prices of their own.
  const articles = page.data.filter(({ HatVPE }) => HatVPE !== "J");
  createRoot(place).render(
    <Suspense>
      <AddressForm onSave={onSave} />
      <Basket client={client} articles={articles} />
    </Suspense>,
  );
}
