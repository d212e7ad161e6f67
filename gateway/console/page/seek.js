// What a text may be: the number of a policy or a claim, a name, a plate, or a number of a party or a vehicle. It is
// sought in the records, and among the names, numbers and plates that the book has, where the exchange keeps one.

import { Problem } from './api.js';

const NAMES = [['personal', 'lastName'], ['personal', 'firstName'], ['commercial', 'name'],
  ['insuranceEntity', 'name']];
const NUMBERS = [['personal', 'idNumber'], ['commercial', 'registrationNumber'],
  ['insuranceEntity', 'registrationNumber'], ['vehicle', 'vin'],
  ...['personal', 'commercial', 'insuranceEntity', 'vehicle'].map((resource) => [resource, 'externalReference'])];
const AT_ONCE = 5; // of how many holders, vehicles or policies one search finds what belongs to them
const EACH = 10; // records of a kind
const EMBEDDED = 'expand=policyholder,vehicle';
// LINE_BY is the line of a policy, by the member that names what it insures.
const LINE_BY = { vehicleId: 'motorCoverage', businessId: 'cyberLiabilityCoverage', travellerIds: 'travelCoverage',
  propertyId: 'propertyCoverage', propertyIds: 'propertyCoverage', debtorId: 'tradeCreditCoverage',
  propertyRef: 'businessInterruptionCoverage', petId: 'petCoverage' };
export const lineOf = (row) => row.resource ?? row.line
  ?? LINE_BY[Object.keys(LINE_BY).find((name) => row[name] !== undefined)];
// covered returns the ids of what a policy insures.
export const covered = (row) => Object.keys(LINE_BY).flatMap((name) => row[name] ?? []);

let unkept = false; // whether the exchange has said that it keeps no book

// booked reads a page of the book: {rows, next}, or {rows: [], missing} where the exchange keeps none, or the book does
// not respond yet. What is shown beside records is then left out.
export async function booked(get, path) {
  if (unkept) return { rows: [], missing: true };
  try {
    return (await get(path)).data;
  } catch (err) {
    if (!(err instanceof Problem)) throw err;
    unkept = err.status === 404;
    return { rows: [], missing: true };
  }
}

// A character that may be a name by itself.
const WHOLE = /^[\p{sc=Han}\p{sc=Hangul}\p{sc=Hiragana}\p{sc=Katakana}]$/u;

// once returns rows, each once.
const once = (rows, key = 'id') => [...new Map(rows.map((row) => [row[key], row])).values()];

const encoded = encodeURIComponent;
const asked = (name, values) => values.map((of) => `${name}=${encoded(of)}`).join('&');

// parts returns a list in parts, each of which one search can ask for.
const parts = (list) => Array.from({ length: Math.ceil(list.length / AT_ONCE) },
  (_, i) => list.slice(i * AT_ONCE, (i + 1) * AT_ONCE));

// holding returns the policies that have one of the ids as a member, the newest first.
export const holding = async (get, member, ids, more = '') => (await Promise.all(parts([...new Set(ids)])
  .map((those) => get(`/x/search/coverage?${asked(member, those)}&order=newest${more}`)))).flatMap(({ data }) => data);

// plates returns the ways in which a plate may be written that somebody types with other blanks, or with none.
function plates(text) {
  const whole = text.replace(/[\s-]+/g, '');
  const apart = (at, by) => (at > 0 ? whole.slice(0, at) + by + whole.slice(at) : whole);
  const first = whole.search(/(?<=\p{L})\d/u);
  const last = Math.max(0, ...[...whole.matchAll(/(?<=\d)\p{L}|(?<=\p{L})\d/gu)].map(({ index }) => index));
  return [...new Set([text, whole, apart(first, ' '), apart(last, ' '), apart(first, '-')])];
}

const WHOLE_NUMBER = 11; // characters of a number, without its beginning and its hyphens

// numbers returns the numbers of a kind (POL, CLM) that a text may be, also without its hyphens or its beginning.
function numbers(text, kind) {
  const upper = text.toUpperCase();
  const bare = upper.replace(/[\s-]+/g, '').replace(new RegExp(`^${kind}`), '');
  const whole = bare.length === WHOLE_NUMBER && /^[0-9A-Z]*$/.test(bare)
    && `${kind}-${bare.slice(0, 5)}-${bare.slice(5, 10)}-${bare.slice(10)}`;
  return [...new Set([upper, whole].filter(Boolean))];
}

// begun returns what the number of a kind begins with that a text may be, or nothing.
function begun(text, kind) {
  const other = kind === 'POL' ? 'CLM' : 'POL';
  const upper = text.toUpperCase();
  const bare = upper.replace(new RegExp(`^${kind}-?`), '');
  if (!/^[0-9A-Z]+(-[0-9A-Z]*)*$/.test(bare) || bare.startsWith(other)) return '';
  if (bare.replaceAll('-', '').length >= WHOLE_NUMBER) return ''; // it is found as it is
  return bare !== upper || (/\d/.test(bare) && bare.length > 3) ? `${kind}-${bare}` : '';
}

// people are the requests for persons whose first and last names are both in the text.
function people(text) {
  const [first, ...more] = text.split(/\s+/);
  if (more.length === 0) return [];
  const rest = more.join(' ');
  return [[first, rest], [rest, first]].map(([one, other]) => [`/x/search/personal?firstNamePrefix=${encoded(one)
  }&lastNamePrefix=${encoded(other)}&limit=${EACH}`, 'personal']);
}

// A text that the book finds anywhere in what its rows have.
const FOUND = /(?:[^\p{L}\p{Nd}]*[\p{L}\p{Nd}]){3}/u;

// inBook returns what the book has: policies that have the text, those whose number begins with it, and such claims.
async function inBook(text, get) {
  const rows = async (path) => (await booked(get, `${path}&limit=${EACH}`)).rows;
  const [policy, claim] = [begun(text, 'POL'), begun(text, 'CLM')];
  return Promise.all([
    FOUND.test(text) ? rows(`/x/book/policies?find=${encoded(text)}`)
      : text.length > 1 ? rows(`/x/book/policies?insuredBegins=${encoded(text)}`) : [],
    policy ? rows(`/x/book/policies?policyNumberBegins=${encoded(policy)}`) : [],
    claim ? rows(`/x/book/claims?claimNumberBegins=${encoded(claim)}`) : []]);
}

// seek asks for all that a text may be: {of, policies, claims, parties, vehicles, belonging}. Parties and vehicles are
// those that it names, and belonging the policies of these.
export async function seek(text, get) {
  const ask = (path) => get(path).then(({ data }) => data);
  const either = async (...paths) => once((await Promise.all(paths.map(ask))).flat());
  const sought = encoded(text);
  const long = text.length > 1;
  const requests = [...NUMBERS.map(([resource, field]) => [
    `/x/search/${resource}?${field}=${sought}&limit=${EACH}`, resource]),
  ...NAMES.filter(() => long || WHOLE.test(text)).map(([resource, field]) => [
    `/x/search/${resource}?${field}Prefix=${sought}&limit=${EACH}`, resource]),
  ...people(text), ...long ? [[`/x/search/vehicle?${asked('plateNumberPrefix', plates(text))}&limit=${EACH}`,
    'vehicle']] : []];
  const [policies, claims, [insured, numbered, claimed], ...others] = await Promise.all([
    either(`/x/search/coverage?${asked('policyNumber', numbers(text, 'POL'))}&${EMBEDDED}`,
      `/x/search/coverage?externalReference=${sought}&limit=${EACH}&${EMBEDDED}`),
    either(`/x/search/claim?${asked('claimNumber', numbers(text, 'CLM'))}`,
      `/x/search/claim?externalReference=${sought}&limit=${EACH}`), inBook(text, get),
    ...requests.map(async ([path, resource]) => (await ask(path)).map((row) => ({ ...row, resource })))]);
  const all = once(others.flat());
  const of = (is) => all.filter(({ resource }) => (resource === 'vehicle') === is);
  const [parties, vehicles] = [of(false), of(true)];
  const [held, driven] = await Promise.all([
    holding(get, 'policyholderId', parties.slice(0, AT_ONCE).map(({ id }) => id), `&limit=${EACH}&${EMBEDDED}`),
    holding(get, 'vehicleId', vehicles.map(({ id }) => id), `&limit=50&${EMBEDDED}`)]);
  const found = once([...policies, ...numbered], 'policyNumber');
  const named = new Set(found.map(({ policyNumber }) => policyNumber));
  return { of: text, policies: found, claims: once([...claims, ...claimed], 'claimNumber'), parties,
    vehicles: vehicles.map((row) => ({ ...row, policies: driven.filter((one) => one.vehicleId === row.id) })),
    belonging: once([...driven, ...held, ...insured], 'policyNumber')
      .filter(({ policyNumber }) => !named.has(policyNumber)) };
}
