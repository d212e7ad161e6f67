// Words in the language of the person: English, or German. Each is one file of words.

import en from './en.js';

const KEPT = 'exchange-language';
let words = en;
let code = 'en';
let regions = null; // the names of countries in the language

// VALUED are the members that have a value of a value set.
export const VALUED = new Set(['benefits', 'claimType', 'classification', 'contractType',
  'endorsementType', 'idType', 'legalForm', 'lossCause', 'paymentFrequency', 'paymentMethod', 'perils', 'petKind',
  'premiumPaymentMethod', 'productModel', 'propertyType', 'receiptType', 'riskTransactionType', 'roof', 'scope',
  'tradeCreditType', 'transactionType', 'type', 'wall']);
// COUNTRIES are the members that have the code of a country.
export const COUNTRIES = new Set(['country', 'lossCountry', 'nationality']);
// ACTIONS are the actions that types of events name as what was done.
const ACTIONS = { cancelled: 'cancel', documented: 'documents', endorsed: 'endorse', refunded: 'refund',
  paid: 'pay', renewed: 'renew', reopened: 'reopen', settled: 'settle' };
let hints = {}; // what stands below fields, by what the interface document says

export const language = () => code;

// speak loads a language; without one, that which was chosen last, or that of the browser.
export async function speak(wanted) {
  const chosen = wanted || localStorage.getItem(KEPT) || navigator.language;
  code = chosen.startsWith('de') ? 'de' : 'en';
  words = code === 'de' ? (await import('./de.js')).default : en;
  regions = new Intl.DisplayNames(code, { type: 'region', fallback: 'none' });
  if (wanted) localStorage.setItem(KEPT, code);
  document.documentElement.lang = code;
}

// t returns a text; {0}, {1} stand for what it is about. It is undefined where the languages have none.
export function t(name, ...about) {
  const text = words[name] ?? en[name];
  return text?.replace(/\{(\d)\}/g, (_, i) => about[i]);
}

// value returns a value of a value set in words. Some are misspelt as they are published.
export const value = (of) => words.values?.[of] ?? en.spelt[of] ?? of;

// isSpelt reports whether a value is the right spelling of another one, which stands for both.
export const isSpelt = (of) => Object.values(en.spelt).includes(of);

// country returns the name of a country with its code; a text that is no code, as licences may have, as it is.
function country(of) {
  const name = /^[A-Z]{2}$/.test(of) && regions.of(of);
  return name ? `${name} (${of})` : of;
}

// option returns the value of a member in words.
export function option(name, of) {
  if (COUNTRIES.has(name)) return country(of);
  if (name === 'means') return meaning(of);
  if (name === 'lines') return t(`line ${of}`) ?? of;
  return VALUED.has(name) && value(of) !== of ? value(of) : t(`${name} ${of}`) ?? of;
}

// happening returns what a type of events says, such as exchange.claim.settled, in words. One that the page does not
// know is left as it is.
export function happening(type) {
  const [, resource, done] = type.split('.');
  const line = t(`line ${resource}`);
  const kind = line ? `${t('policy')} (${line})` : t(`kind ${resource}`);
  const event = t(`event ${ACTIONS[done] ?? done}`);
  return kind && event ? `${kind}: ${event}` : type;
}

// loadHints loads what stands below fields, where it is not in the words of the interface document.
export async function loadHints() {
  if (code === 'de') hints = (await import('./de-hints.js')).default;
}

// hint returns what the interface document says of a field or a request, without what it leaves open; nothing where
// that is not there in the language.
export function hint(about = '') {
  const is = about.replace(/ ?The interface does not [^.]*\.( The interface does not [^.]*\.)?/g, '').trim();
  return code === 'de' ? hints[is] : is;
}

// The exchange speaks English. title returns the title of a problem, reason what is wrong with a field, finding what a
// check has found and note a warning, in words of the language.
export const isForeign = () => code !== 'en';
const slug = (type = '') => type.split('/').pop();
export const title = ({ title: text, document: { type } = {} }) => words.said?.problems[slug(type)] ?? text;
export const finding = ({ code: of, words: text }) => words.said?.findings[of.replace(/-\d+$/, '')] ?? text;
export const note = ({ title: text }) => words.said?.notes[text] ?? text;
export const reason = (text) => (!isForeign() ? text
  : words.said.reasons.find(([of]) => of.test(text))?.[1] ?? t('notTaken'));

// kindOf returns the name of a resource, and recordOf that of a record of a row, which a profile has named.
export const kindOf = (resource) => t(`kind ${resource}`) ?? t(`line ${resource}`) ?? resource;
export const recordOf = (name) => t(`record ${name}`) ?? kindOf(name);

// meaning returns what a column of a file means: a member, or a record of its row and a member of that. A place in a
// list is left out.
export function meaning(means) {
  const [first, ...more] = means.split('.');
  return more.length === 0 ? label(first)
    : [recordOf(first), ...more.filter((name) => !/^\d+$/.test(name)).map(label)].join(' · ');
}

// labelOf returns the name of a member that has a value: the lines of a contract are those of insurance.
export const labelOf = (name, of) => label(name === 'lines' && Array.isArray(of) ? 'linesOfInsurance' : name);

// label returns the name of a member of a record: in words, or taken apart.
export function label(name) {
  if (Object.hasOwn(words.members, name)) return words.members[name];
  const apart = name.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2');
  return apart.charAt(0).toUpperCase() + apart.slice(1).toLowerCase().replace(/\bid\b/, 'id');
}
