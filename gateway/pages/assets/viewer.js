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
          readExamples();
        },
      },
    },
  },
};

// The layout has the operations first, in one main part of the page, and headings without gaps.
const layout = ({ React: { createElement: element } }) => ({
  components: {
    OperationsFirst: ({ getComponent, specSelectors }) => {
      const part = (name) => element(getComponent(name, true));
      if (specSelectors.loadingStatus() === "loading") return element("p", null, "Loading …");
      return element("div", { className: "swagger-ui" },
        element(getComponent("SvgAssets")),
        part("errors"),
        element("div", { className: "scheme-container" },
          element("div", { className: "schemes wrapper" },
            element("h2", null, "By group"), part("AuthorizeBtnContainer"))),
        part("FilterContainer"),
        element("div", { className: "wrapper" }, part("operations"), part("Models"),
          element("details", null, element("summary", null, "About the interface"), part("InfoContainer"))));
    },
  },
  wrapComponents: {
    // A link within a button cannot be reached by keyboard. The address of an operation is that of the page once it is open.
    DeepLink: () => ({ text }) => element("span", null, text),
    // What is read aloud is what is seen, and what has no text says what it is.
    Button: (Original) => ({ "aria-label": label, ...rest }) =>
      element(Original, typeof rest.children === "string" ? rest : { ...rest, "aria-label": label }),
    CloseIcon: (Original) => (props) =>
      element("span", null, element("span", { className: "unseen" }, "Close"), element(Original, props)),
    TextArea: (Original) => (props) => element(Original, { "aria-label": "Body of the request", ...props }),
  },
});

const dark = matchMedia("(prefers-color-scheme: dark)");
const followColours = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", followColours);
followColours();

let ui, examples, writes;
const token = () => Object.values(ui.authSelectors.authorized().toJS())
  .map(({ value, token }) => token?.access_token ?? value).find((text) => text);

// showExamples shows the document with the examples as they are filled now, and says which records are missing.
function showExamples(refusal = "") {
  ui.specActions.updateJsonSpec(examples.filled());
  const missing = examples.missing();
  document.getElementById("make").hidden = missing.length === 0;
  document.getElementById("examples").textContent = refusal || (missing.length === 0
    ? "The examples name records of this exchange: Try it out works with what stands there."
    : `The examples name records that this exchange does not have yet: ${missing.join(", ")}.`);
}

async function readExamples() {
  if (!token()) return;
  await examples.read();
  showExamples();
}

document.getElementById("make").addEventListener("click", async ({ target }) => {
  target.disabled = true;
  const refusal = await examples.make().catch((refused) => refused.message);
  target.disabled = false;
  showExamples(refusal);
});

// The viewer has in the page what is in view. A link of the list of all operations, which has them all, shows one there.
addEventListener("hashchange", () => ui?.layoutActions.parseDeepLinkHash(decodeURIComponent(location.hash)));

async function show() {
  // The same in OpenAPI 3.0, of which the viewer resolves what is open. Of 3.1 it resolves all, anew whenever an example changes.
  const spec = await (await fetch("/openapi-3.0.json")).json();
  examples = new Examples(spec, (path, { headers, ...options } = {}) =>
    fetch(path, { ...options, headers: { ...headers, Authorization: "Bearer " + token() } }));
  ui = SwaggerUIBundle({
    spec,
    domNode: viewer,
    plugins: [keepTokenInTab, layout],
    layout: "OperationsFirst",
    tagsSorter: (a, b) => groups.indexOf(a) - groups.indexOf(b),
    operationsSorter: (a, b) => placeOf(a) - placeOf(b),
    deepLinking: true,
    docExpansion: "list",
    defaultModelsExpandDepth: 0,
    displayRequestDuration: true,
    filter: true,
    validatorUrl: null,
    requestInterceptor: (request) => {
      writes = request.method !== "GET";
      return request;
    },
    responseInterceptor: async (response) => {
      if (writes && response.ok) {
        const { pathname } = new URL(response.url);
        if (response.status === 201) examples.made(pathname, response.body);
        if (pathname.startsWith("/x/")) await examples.readDesk();
        showExamples();
      }
      return response;
    },
    onComplete: () => {
      const kept = sessionStorage.getItem(KEPT);
      if (kept) ui.authActions.restoreAuthorization({ authorized: JSON.parse(kept) });
      readExamples();
    },
  });
}
show();
