import { start as react } from "./examples/react/shop.tsx";
import { start as vue } from "./examples/vue/shop.js";

globalThis.start = (framework, login, onSave) => {
  const headers = { "Content-Type": "application/json" };
  const token = () => fetch("/shop/token", { method: "POST", headers, body: JSON.stringify(login) });
  return { react, vue }[framework](document.querySelector("#place"), token, onSave);
};
