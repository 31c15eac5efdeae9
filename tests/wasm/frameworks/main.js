import { start as react } from "./examples/react/shop.jsx";
import { start as vue } from "./examples/vue/shop.js";

globalThis.start = (framework, ...more) => ({ react, vue })[framework](document.querySelector("#place"), ...more);
