// Fills the examples of the OpenAPI document from the exchange that serves it: the ids and numbers in them become those
// of records that are there, so that what the page shows can be sent. Nothing is written but by make().
"use strict";

// What a record must be like for the other examples to be accepted with it. Any record will do where nothing is said.
const fits = {
  "/driver": (driver) => driver.licence?.expiryDate > new Date().toISOString(),
  "/motorCoverage": (policy) => policy.status === "in force" && policy.perils?.length > 0,
  "/pet": (pet) => pet.petKind && (pet.petKind !== "dog" || pet.petBreed),
  "/property": (property) => property.propertyType,
};

class Examples {
  #document;
  #call; // as fetch, with the caller's token
  #issued = new Map(); // by what an example says that the exchange issues: the path of the records, and the member
  #needed = new Set(); // those of them that other requests name
  #records = new Map(); // by path, the record that examples name
  #desk = {}; // what operations of the desk are accepted with

  constructor(document, call) {
    this.#document = document;
    this.#call = call;
    for (const [path, { post }] of this.#creations()) {
      const sent = bodyOf(post).example ?? {};
      const made = post.responses["201"].content["application/json"].example ?? {};
      for (const member of ["id", "policyNumber", "claimNumber"]) {
        if (made[member] && !(member in sent)) this.#issued.set(made[member], { path, member });
      }
    }
    for (const { post } of Object.values(document.paths)) {
      const sent = post?.requestBody ? JSON.stringify(bodyOf(post).example ?? {}) : "";
      for (const issued of this.#issued.keys()) if (sent.includes(issued)) this.#needed.add(issued);
    }
  }

  // #creations returns the paths of records that callers create.
  #creations() {
    return Object.entries(this.#document.paths).filter(([path, { post }]) =>
      !path.includes("{") && !path.startsWith("/x/") && post?.responses["201"]);
  }

  // read looks for records that the examples can name. Where the caller may not read, there are none.
  async read() {
    await Promise.all(this.#creations().map(async ([path]) => {
      const newest = this.#document.paths["/x/search" + path] ? `/x/search${path}?order=newest&limit=20` : path + "?limit=20";
      const response = await this.#call(newest);
      if (!response.ok) return;
      const record = (await response.json()).find(fits[path] ?? (() => true));
      if (record) this.#records.set(path, record);
    }).concat(this.readDesk()));
  }

  // readDesk looks for a version that each operation of the desk is accepted for, for a comparison, and for imports.
  async readDesk() {
    const all = async (path) => {
      const response = await this.#call(path + "limit=200");
      return response.ok ? Object.values(await response.json()).find(Array.isArray) ?? [] : [];
    };
    const lists = ["bordereau", "bordereau/unassigned", "import",
      ...["profile", "statement", "run"].map((list) => "reconciliation/" + list)];
    const [periods, [policy], imports, profiles, [statement], [run]] =
      await Promise.all(lists.map((list) => all(`/x/${list}?`)));
    const profile = profiles.find(({ records }) => !records); // of statements
    // A period with a pending version has no other prepared.
    const last = (state, of = "") => periods.flatMap(({ contract, kind, period, versions }) => {
      const version = versions.findLast((one) => one.state === state || one.state === "pending");
      return version?.state !== state || !kind.startsWith(of) ? [] :
        [{ contract, kind, period, number: String(version.number), digest: version.digest }];
    }).at(-1);
    const [pending, approved, compared] = [last("pending"), last("approved"), last("approved", "premium")];
    const found = pending ? await all(pathOf(pending) + "/findings?") : [];
    const finding = found.find(({ severity, waivedBy }) => severity === "error" && !waivedBy);
    const lines = compared ? await all(pathOf(compared) + "/lines?") : [];
    const items = run ? await all(`/x/reconciliation/run/${run.id}/items?`) : [];
    this.#desk = { periods, policy, profile, statement, run, pending, approved, compared, finding, lines, items, imports };
  }

  // made takes a record that has just been created.
  made(path, record) {
    if (this.#document.paths[path] && (fits[path]?.(record) ?? true)) this.#records.set(path, record);
  }

  // missing returns the resources of which there is no record that the examples could name.
  missing() {
    const paths = [...this.#needed].map((issued) => this.#issued.get(issued).path);
    return [...new Set(paths)].filter((path) => !this.#records.has(path)).map((path) => path.slice(1));
  }

  // filled returns the document with the records that are there. What must be new is new each time.
  filled() {
    let text = JSON.stringify(this.#document);
    for (const [issued, { path, member }] of this.#issued) {
      const value = this.#records.get(path)?.[member];
      if (value) text = text.replaceAll(JSON.stringify(issued), JSON.stringify(value));
    }
    const document = JSON.parse(text);
    bodyOf(document.paths["/personal"].post).example.idNumber = "X" + String(Date.now()).slice(-9);
    this.#keys(document);
    this.#ids(document);
    this.#losses(document);
    this.#versions(document);
    this.#comparisons(document);
    this.#imports(document);
    return document;
  }

  // #keys gives a batch a key of its own: without one it is refused.
  #keys(document) {
    const key = document.components.parameters.IdempotencyKey;
    const { post } = document.paths["/x/batch"];
    post.parameters = post.parameters.map((parameter) =>
      parameter.$ref?.endsWith("/IdempotencyKey") ? { ...key, required: true, example: crypto.randomUUID() } : parameter);
  }

  // #ids gives the paths that take an id one of the records.
  #ids(document) {
    for (const [path, item] of Object.entries(document.paths)) {
      const record = this.#records.get("/" + path.split("/").find((part) => this.#records.has("/" + part)));
      if (!record) continue;
      for (const operation of Object.values(item)) {
        name(document, operation, { id: record.id });
      }
    }
  }

  // #versions gives the operations on contracts and bordereaux a version for which they are accepted. Only a period
  // that is approved has a correction.
  #versions(document) {
    const { periods = [], policy, pending, approved, finding } = this.#desk;
    for (const [path, item] of Object.entries(document.paths)) {
      const [, action] = /:(\w+)$/.exec(path) ?? [];
      const of = ["approve", "reject", "waive"].includes(action) ? pending : approved ?? pending ?? periods[0];
      if (!/^\/x\/(bordereau|contract)\/{contract}/.test(path)) continue;
      for (const [method, operation] of Object.entries(item)) {
        const makes = path === "/x/contract/{contract}" && method === "put";
        name(document, operation, makes ? { contract: "EXAMPLE-2026" } : {
          ...of, finding: finding?.id, policyNumber: policy?.policyNumber,
        });
        const example = method === "post" && bodyOf(operation).example;
        if (of?.digest && example?.digest) example.digest = of.digest;
        if (action === "prepare" && approved) example.type = "correction";
      }
    }
  }

  // #comparisons gives the operations of a reconciliation a file that was sent, and items that can be decided on.
  #comparisons(document) {
    const { profile, statement, run, compared, lines = [], items = [] } = this.#desk;
    const paired = (item) => item.lineId && item.row;
    for (const [path, { get, put, post }] of Object.entries(document.paths)) {
      if (!path.startsWith("/x/reconciliation/")) continue;
      const item = items.find((of) => path.endsWith(":unmatch") ? paired(of) : of.outcome !== "matched") ?? items[0];
      const file = post?.requestBody.content["text/csv"];
      for (const { lineId } of file ? lines : []) file.example = file.example.replace(/0195a000-[-0-9a-f]+/, lineId);
      for (const operation of [get, put, post].filter(Boolean)) {
        name(document, operation, { profile: profile?.name ?? "EXAMPLE", statementId: statement?.id, runId: run?.id,
          item: item && String(item.number) });
      }
      // Items that nobody has decided on, and two of them that could belong together, or that somebody has paired.
      const left = items.filter((of) => !of.decision && of.outcome !== "matched");
      if (/{runId}:(accept|dispute)$/.test(path) && left[0]) bodyOf(post).example.where = { outcome: left[0].outcome };
      const [row, record] = [left.find((of) => of.row && !of.lineId), left.find((of) => of.outcome === "missingThere")];
      if (path.endsWith("{runId}:pair") && row && record) bodyOf(post).example.items = [row.number, record.number];
      const pair = items.find((of) => of.paired);
      if (path.endsWith("{runId}:unpair") && pair) bodyOf(post).example.items = [pair.number, pair.paired.with];
      if (path !== "/x/reconciliation/run" || !statement || !compared) continue;
      const { contract, kind, period } = compared;
      Object.assign(bodyOf(post).example, { statement: statement.id, against: { contract, kind, period } });
    }
  }

  // #imports gives the operations of imports a file with somebody who is not there yet, and an import for which each is
  // accepted.
  #imports(document) {
    const { imports = [] } = this.#desk;
    const { post: sends } = document.paths["/x/import"];
    const file = sends.requestBody.content["text/csv"];
    file.example = file.example.replace(/\bX\d{6}/g, "X" + String(Date.now()).slice(-6));
    name(document, sends, { resource: "personal" });
    for (const [path, { get, post }] of Object.entries(document.paths)) {
      if (!path.startsWith("/x/import/")) continue;
      const [, action] = /:(\w+)$/.exec(path) ?? [];
      const accepted = { apply: ["checked", "applying", "applied"], cancel: ["checked", "checking", "applying"] }[action];
      const of = imports.find(({ state }) => !accepted || accepted.includes(state));
      name(document, get ?? post, { importId: of?.id, template: "motor.xlsx" });
      if (action === "apply" && of) bodyOf(post).example.digest = of.digest;
    }
  }

  // #losses has the policy cover what is notified under it.
  #losses(document) {
    const policy = this.#records.get("/motorCoverage");
    if (!policy) return;
    for (const path of ["/claim", "/x/claim/admissibility"]) {
      Object.assign(bodyOf(document.paths[path].post).example,
        { lossDate: policy.inceptionDate, fnol: policy.inceptionDate, lossCause: policy.perils[0] });
    }
  }

  // make creates a record of each resource that is missing, in an order in which each names those before it. It throws
  // what the exchange says if it refuses one.
  async make() {
    for (let missing = this.missing(); missing.length > 0; missing = this.missing()) {
      const { paths } = this.filled();
      const unmade = [...this.#issued].filter(([, { path }]) => missing.includes(path.slice(1))).map(([issued]) => issued);
      const next = missing.find((name) => {
        const sent = JSON.stringify(bodyOf(paths["/" + name].post).example);
        return !unmade.some((issued) => sent.includes(issued));
      });
      const path = "/" + next;
      const response = await this.#call(path, {
        method: "POST", headers: { "Content-Type": "application/json", "Idempotency-Key": crypto.randomUUID() },
        body: JSON.stringify(bodyOf(paths[path].post).example),
      });
      const answer = await response.json();
      if (!response.ok) throw new Error(`POST ${path}: ${answer.title}. ${answer.detail ?? ""}`);
      this.#records.set(path, answer);
    }
  }
}

// pathOf returns the path of a version.
const pathOf = ({ contract, kind, period, number }) => `/x/bordereau/${contract}/${kind}/${period}/versions/${number}`;

// name gives the parameters of an operation the values that they have by name.
function name(document, operation, values) {
  operation.parameters = operation.parameters?.map((parameter) => {
    const shared = parameter.$ref ? document.components.parameters[parameter.$ref.split("/").at(-1)] : parameter;
    return values[shared.name] ? { ...shared, example: values[shared.name] } : parameter;
  });
}

// bodyOf returns the body of an operation that is JSON; one that takes a file has none.
const bodyOf = (operation) => operation.requestBody.content["application/json"] ?? {};
