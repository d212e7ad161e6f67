// Typed calls of the functions that hey-api generates from the OpenAPI document, one for each operation: the story of story.ts,
// and a page of a list. It throws unless each record comes back as it was sent.
import { client } from "./functions/client.gen.js";
import { createClaim, createDriver, createMotorCoverage, createPersonal, createVehicle, listClaim, settleClaim } from "./functions/sdk.gen.js";
import type { CreateMotorCoverageData } from "./functions/types.gen.js";

client.setConfig({ baseUrl: process.argv[2], auth: () => process.env.EXCHANGE_TOKEN, throwOnError: true });

const { data: party } = await createPersonal<true>({
  body: { firstName: "Ada", lastName: "Example", dob: "1990-12-10", idType: "passport", idNumber: "H 2026", address: { city: "London", country: "GB" } },
});
const { data: vehicle } = await createVehicle<true>({ body: { plateNumber: "EX 2027" } });
const { data: driver } = await createDriver<true>({ body: { name: "Ada", licence: { expiryDate: "2099-12-31" } } });
const term = { inceptionDate: "2026-01-01T00:00:00Z", expiryDate: "2027-01-01T00:00:00Z" };
// @ts-expect-error a policy without a policyholder is no body of a creation
void ((): CreateMotorCoverageData["body"] => ({ vehicleId: vehicle.id, driverId: driver.id, ...term }));
const premium = 123456789.12;
const { data: policy } = await createMotorCoverage<true>({
  body: { policyholderId: party.id, vehicleId: vehicle.id, driverId: driver.id, perils: ["theft"], premium, ...term },
});
if (policy.grossWrittenPremium !== premium) throw new Error(`the premium is ${policy.grossWrittenPremium}`);
const { data: claim } = await createClaim<true>({
  body: { policyNumber: policy.policyNumber, lossDate: "2026-03-01T08:30:00Z", claimType: "other", lossCause: "theft" },
});
const settlement = { path: { id: claim.id }, body: { paymentAmount: 123456789, paymentMethod: "cash" as const } };
const { data: settled } = await settleClaim<true>(settlement);
if (settled.status !== "closed" || settled.payments?.[0]?.paymentAmount !== 123456789) throw new Error(JSON.stringify(settled));
const { data: found } = await listClaim<true>({ query: { policyNumber: policy.policyNumber } });
if (found.length !== 1 || found[0]?.id !== claim.id) throw new Error(JSON.stringify(found));
const { error } = await settleClaim({ ...settlement, throwOnError: false });
if (error?.type !== "/problems/transition-not-listed") throw new Error(JSON.stringify(error));
