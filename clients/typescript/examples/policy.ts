// Creates a policy with its parties, files a claim, settles it, reads it back, and follows what happened in the feed. It
// fails unless each comes back as it was sent, to the last digit.
import { createExchange, exact, expect, Refusal, type Schema } from "../source/index.js";

const [baseUrl] = process.argv.slice(2);
if (baseUrl === undefined) throw new Error("usage: node policy.js BASE-URL, with the token in EXCHANGE_TOKEN");
const exchange = createExchange({ baseUrl, token: () => process.env.EXCHANGE_TOKEN });

// The premium has more digits than a double holds, and the reserve more than the 53 bits of its mantissa.
const premium = exact("123456789012345678.12");
const reserve = exact("9007199254740993");

// Each creation has an Idempotency-Key, so that a request that is sent again makes no second record.
const run = crypto.randomUUID();
const key = (part: string) => ({ header: { "Idempotency-Key": `${run} ${part}` } });

const holder = expect(await exchange.POST("/commercial", { params: key("holder"), body: { name: "Example Carriers" } }));
const vehicle = expect(await exchange.POST("/vehicle", { params: key("vehicle"), body: { plateNumber: "EX 2027" } }));
const driver = expect(await exchange.POST("/driver", {
  params: key("driver"), body: { name: "Ada", licence: { expiryDate: "2099-12-31" } },
}));
const term = { inceptionDate: "2026-01-01T00:00:00Z", expiryDate: "2027-01-01T00:00:00Z" };
const policyInput: Schema<"motorCoverageInput"> = {
  policyholderId: holder.id, vehicleId: vehicle.id, driverId: driver.id, perils: ["theft"], premium, ...term,
};
const created = await exchange.POST("/motorCoverage", { params: key("policy"), body: policyInput });
const policy = expect(created);
same("premium", policy.grossWrittenPremium, premium);
const again = await exchange.POST("/motorCoverage", { params: key("policy"), body: policyInput });
same("policy of the same request", expect(again).id, policy.id);
same("Idempotency-Replayed", again.response.headers.get("Idempotency-Replayed"), "true");

// @ts-expect-error a policy without a policyholder is no body of a creation
const incomplete: Schema<"motorCoverageInput"> = { vehicleId: vehicle.id, driverId: driver.id, ...term };
void incomplete;

const about = { policyNumber: policy.policyNumber };
let { next } = expect(await exchange.GET("/x/events", { params: { query: { ...about, after: "now" } } }));

const claim = expect(await exchange.POST("/claim", {
  body: { policyNumber: policy.policyNumber, lossDate: "2026-03-01T08:30:00Z", claimType: "other", lossCause: "theft", reserve },
}));
const path = { params: { path: { id: claim.id } } };
const payment = { paymentAmount: 123456789, paymentMethod: "cash" as const };
const settled = expect(await exchange.POST("/claim/{id}:settle", { ...path, body: payment }));
same("status", settled.status, "closed");
same("payment", settled.payments?.[0]?.paymentAmount, 123456789);
const read = expect(await exchange.GET("/claim/{id}", path));
same("reserve", read.reserve, reserve);
try {
  expect(await exchange.POST("/claim/{id}:settle", { ...path, body: payment }));
  throw new Error("a closed claim is settled again");
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  same("problem", error.problem?.type, "/problems/transition-not-listed");
}

// A program that follows for long stores next with what it made of the page.
const happened: string[] = [];
while (happened.length < 2) {
  const page = expect(await exchange.GET("/x/events", { params: { query: { ...about, after: next, wait: 20 } } }));
  happened.push(...page.events.map((event) => event.type));
  next = page.next;
}
same("events", happened, ["exchange.claim.created", "exchange.claim.settled"]);

function same(what: string, is: unknown, wanted: unknown): void {
  if (String(is) !== String(wanted)) throw new Error(`the ${what} is ${String(is)}, not ${String(wanted)}`);
}
