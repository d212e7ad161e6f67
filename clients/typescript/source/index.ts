// The client of the Insurance Exchange Service: openapi-fetch with the types of the OpenAPI document, in which no number
// loses a digit.
import createClient, { type Client, type Middleware } from "openapi-fetch";
import type { components, paths } from "./api.js";
import { read, write } from "./exact.js";

export { exact, type Exact } from "./exact.js";
export type { components, operations, paths } from "./api.js";

/** A record, a body or a problem of the interface by its name, such as Schema<"Claim">. */
export type Schema<Name extends keyof components["schemas"]> = components["schemas"][Name];

/** What createExchange needs to know. */
export interface Settings {
  /** The address of the exchange, such as https://exchange.example. */
  baseUrl: string;
  /** Returns the bearer token of a request. It is asked for each, so that it can be a fresh one. */
  token: () => string | undefined | Promise<string | undefined>;
  /** Sends requests in place of the global fetch. */
  fetch?: (request: Request) => Promise<Response>;
}

/** Returns a client with one typed method a path: GET, POST, PUT and DELETE. */
export function createExchange(settings: Settings): Client<paths> {
  const client = createClient<paths>({
    baseUrl: settings.baseUrl,
    bodySerializer: write,
    ...(settings.fetch && { fetch: settings.fetch }),
  });
  client.use(authorization(settings.token), exactNumbers);
  return client;
}

/** Returns what a call has returned, and throws its problem document if it was refused. */
export function expect<T>(call: { data?: T; error?: unknown; response: Response }): T {
  if (call.data !== undefined) return call.data;
  throw new Refusal(call.response.status, call.error as Schema<"Problem"> | undefined);
}

/** A refusal of the exchange, with its problem document (RFC 7807). */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly problem: Schema<"Problem"> | undefined,
  ) {
    super(problem ? `${status} ${problem.title}: ${problem.detail ?? problem.type}` : `the exchange responded with ${status}`);
  }
}

function authorization(token: Settings["token"]): Middleware {
  return {
    async onRequest({ request }) {
      const value = await token();
      if (value !== undefined) request.headers.set("Authorization", `Bearer ${value}`);
      return request;
    },
  };
}

// openapi-fetch reads a body with JSON.parse unless its length is stated: then it asks the response, which is read exactly here.
const exactNumbers: Middleware = {
  async onResponse({ response }) {
    if (!response.ok || !response.headers.get("Content-Type")?.includes("json")) return undefined;
    const text = await response.text();
    const headers = new Headers(response.headers);
    headers.set("Content-Length", String(new TextEncoder().encode(text).length));
    const copy = new Response(text, { status: response.status, statusText: response.statusText, headers });
    Object.defineProperty(copy, "json", { value: async () => read(text) });
    return copy;
  },
};
