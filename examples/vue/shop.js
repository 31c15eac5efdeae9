// Shows a form that checks an address, and a basket. `token` asks the back end of the shop for a token of its customer.

import { Suspense, createApp, h } from "vue";
import { Client } from "erp-wasm/client";

import AddressForm from "./AddressForm.vue";
import Basket from "./Basket.vue";

export async function start(place, token, onSave) {
  const client = await Client.login("", token);
  const { value: page } = await client.articlePages({ suche: "schreib" }).next();
  // The others are sold in packages, which have prices of their own.
  const articles = page.data.filter(({ HatVPE }) => HatVPE !== "J");
  const parts = () => h("div", [h(AddressForm, { onSave }), h(Basket, { client, articles })]);
  createApp(() => h(Suspense, parts)).mount(place);
}
