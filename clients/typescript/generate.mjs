// Writes source/api.d.ts from the OpenAPI document that is named: node generate.mjs ../../contracts/openapi/openapi.json
// A number is of the type Exact there, because a double does not hold every amount.
import { writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import openapiTS, { astToString } from "openapi-typescript";
import ts from "typescript";

if (process.argv.length !== 3) {
  console.error("usage: node generate.mjs OPENAPI-DOCUMENT");
  process.exit(2);
}
const exact = ts.factory.createTypeReferenceNode("Exact");
const text = ts.factory.createKeywordTypeNode(ts.SyntaxKind.StringKeyword);
const none = ts.factory.createLiteralTypeNode(ts.factory.createNull());
const numbers = ["number", "integer"];

const nodes = await openapiTS(pathToFileURL(process.argv[2]), {
  inject: 'import type { Exact } from "./exact.js";\n',
  alphabetize: true,
  transform: (schema) => {
    const types = [schema.type].flat();
    if (schema.enum || !types.some((type) => numbers.includes(type))) return undefined;
    const also = [types.includes("string") && text, types.includes("null") && none].filter(Boolean);
    return also.length > 0 ? ts.factory.createUnionTypeNode([exact, ...also]) : exact;
  },
});
await writeFile(new URL("source/api.d.ts", import.meta.url), astToString(nodes));
