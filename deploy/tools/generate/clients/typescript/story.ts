// Typed calls with openapi-fetch and the types that openapi-typescript generates from the OpenAPI document: a party, a
// vehicle, a driver, a policy, a claim and its settlement. It throws unless each comes back as it was sent.
import createClient from "openapi-fetch";
import type { paths } from "./api.js";

const client = createClient<paths>({
  baseUrl: process.argv[2],
  headers: { Authorization: `Bearer ${process.env.EXCHANGE_TOKEN}` },
});

function made<T>(what: string, answer: { data?: T; error?: unknown }): T {
  if (answer.data === undefined) throw new Error(`${what}: ${JSON.stringify(answer.error)}`);
  return answer.data;
}

const party = made("party", await client.POST("/commercial", { body: { name: "Example Carriers" } }));
const vehicle = made("vehicle", await client.POST("/vehicle", { body: { plateNumber: "EX 2026" } }));
const driver = made("driver", await client.POST("/driver", { body: { name: "Ada", licence: { expiryDate: "2099-12-31" } } }));
const term = { inceptionDate: "2026-01-01T00:00:00Z", expiryDate: "2027-01-01T00:00:00Z" };
// @ts-expect-error a policy without a policyholder is no body of a creation
void ((): paths["/motorCoverage"]["post"]["requestBody"]["content"]["application/json"] => ({ vehicleId: vehicle.id, driverId: driver.id, ...term }));
const premium = 123456789.12;
const policy = made("policy", await client.POST("/motorCoverage", {
  body: { policyholderId: party.id, vehicleId: vehicle.id, driverId: driver.id, perils: ["theft"], premium, ...term },
}));
if (policy.grossWrittenPremium !== premium) throw new Error(`the premium is ${policy.grossWrittenPremium}`);
const claim = made("claim", await client.POST("/claim", {
  body: { policyNumber: policy.policyNumber, lossDate: "2026-03-01T08:30:00Z", claimType: "other", lossCause: "theft" },
}));
const path = { params: { path: { id: claim.id } } };
const settled = made("settlement", await client.POST("/claim/{id}:settle", { ...path, body: { paymentAmount: 123456789, paymentMethod: "cash" } }));
if (settled.status !== "closed" || settled.payments?.[0]?.paymentAmount !== 123456789) throw new Error(JSON.stringify(settled));
const again = await client.POST("/claim/{id}:settle", { ...path, body: { paymentAmount: 1, paymentMethod: "cash" } });
if (again.error?.type !== "/problems/transition-not-listed") throw new Error(JSON.stringify(again));
