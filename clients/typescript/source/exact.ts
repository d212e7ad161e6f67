// JSON without loss. JavaScript reads every JSON number as a double, which has about 16 digits: 123456789012345678.12
// would come back as another amount. Here a number that a double cannot hold is a LosslessNumber, which keeps its text.
import { LosslessNumber, isSafeNumber, parse, stringify } from "lossless-json";

/** A number of the interface: a JavaScript number where that loses no digit, else a LosslessNumber. String(x) is exact for both. */
export type Exact = number | LosslessNumber;

/** Returns the number with these digits, such as exact("123456789012345678.12"). */
export function exact(digits: string): Exact {
  return isSafeNumber(digits) ? Number(digits) : new LosslessNumber(digits);
}

/** Returns the value of a JSON text. */
export function read(text: string): unknown {
  return parse(text, undefined, exact);
}

/** Returns a value as a JSON text. */
export function write(value: unknown): string {
  return stringify(value) ?? "null";
}
