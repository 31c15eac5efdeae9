// Logs in at the server of the page and shows a form that checks an address, and a basket.

import { Suspense, createApp, h } from "vue";
import { Client } from "erp-wasm/client";

import AddressForm from "./AddressForm.vue";
import Basket from "./Basket.vue";

export async function start(place, credentials, customer, onSave) {
  const client = await Client.login("", credentials);
  const { value: page } = await client.articlePages({ debinr: customer, suche: "schreib" }).next();
  // The others are sold in packages, which have prices of their own.
  const articles = page.data.filter(({ HatVPE }) => HatVPE !== "J");
  const parts = () => h("div", [h(AddressForm, { onSave }), h(Basket, { client, customer, articles })]);
  createApp(() => h(Suspense, parts)).mount(place);
}
