// Shows the OpenAPI document that the gateway serves. Nothing is loaded from elsewhere.
"use strict";

const viewer = document.getElementById("viewer");

// The page holds the groups and the operations in their order: the interface first, then what is beyond it.
const { groups, operations } = JSON.parse(viewer.dataset.order);
const place = new Map(operations.map((name, index) => [name, index]));
const placeOf = (operation) => place.get(operation.get("method").toUpperCase() + " " + operation.get("path"));

// The viewer itself would keep the token in the browser for good. Here it stays in this tab, until that is closed.
const KEPT = "exchange-authorization";
const keepTokenInTab = {
  statePlugins: {
    auth: {
      wrapActions: {
        persistAuthorizationIfNeeded: (_, system) => () => {
          sessionStorage.setItem(KEPT, JSON.stringify(system.authSelectors.authorized().toJS()));
        },
      },
    },
  },
};

const dark = matchMedia("(prefers-color-scheme: dark)");
const followColours = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", followColours);
followColours();

const ui = SwaggerUIBundle({
  url: "/openapi.json",
  domNode: viewer,
  plugins: [keepTokenInTab],
  tagsSorter: (a, b) => groups.indexOf(a) - groups.indexOf(b),
  operationsSorter: (a, b) => placeOf(a) - placeOf(b),
  deepLinking: true,
  docExpansion: "none",
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  filter: true,
  validatorUrl: null,
  onComplete: () => {
    const kept = sessionStorage.getItem(KEPT);
    if (kept) ui.authActions.restoreAuthorization({ authorized: JSON.parse(kept) });
  },
});
