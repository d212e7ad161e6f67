// Elements, and values as people read them. All text becomes text nodes, so that nothing stored can become markup.

import { AMOUNTS } from './dom.js';
import { language, t, label } from './words.js';

const SVG = 'http://www.w3.org/2000/svg';

// add appends children: nodes, texts, lists of them; null and false are left out.
function add(to, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    to.append(child instanceof Node ? child : String(child));
  }
  return to;
}

// set gives an element its attributes. A function is a listener; true is an attribute without a value.
function set(to, attributes) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === 'function') to.addEventListener(name, value);
    else to.setAttribute(name, value === true ? '' : String(value));
  }
  return to;
}

export const h = (tag, attributes, ...children) => add(set(document.createElement(tag), attributes), children);
export const svg = (tag, attributes, ...children) => add(set(document.createElementNS(SVG, tag), attributes), children);
export const replace = (element, ...children) => { element.replaceChildren(); return add(element, children); };

const { currency, unit } = document.documentElement.dataset;

// shifted moves the decimal point of a plain decimal number to the left.
function shifted(text, digits) {
  const [, sign, whole, part = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) || [];
  if (whole === undefined || digits === 0) return text;
  const padded = whole.padStart(digits + 1, '0');
  return `${sign}${padded.slice(0, -digits)}.${padded.slice(-digits)}${part}`;
}

// decimal formats the text of a number without losing a digit.
function decimal(text, options) {
  if (!/^-?\d+(\.\d+)?$/.test(text)) return text; // with an exponent, as it was sent
  return new Intl.NumberFormat(language(), { maximumFractionDigits: 20, ...options }).format(text);
}

// money shows an amount with its currency; ¤ stands for a currency that the operator has not said.
export function money(value) {
  if (value === null || value === undefined) return h('span', { class: 'none' }, '–');
  const text = String(value);
  const options = currency ? { style: 'currency', currency, currencyDisplay: 'code' } : {};
  let shown = text;
  if (currency && unit === 'minor') {
    const digits = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits;
    shown = decimal(shifted(text, digits), options);
  } else {
    shown = decimal(text, options);
  }
  return h('span', { class: 'amount', 'data-amount': text }, shown,
    !currency && h('abbr', { title: t(unit ? 'currencyUnsaid' : 'unitUnsaid', unit) }, ' ¤'));
}

// amountOf shows an amount in major units of a currency of its own.
export const amountOf = (amount, of) => h('span', { class: 'amount', 'data-amount': String(amount) },
  decimal(String(amount), { style: 'currency', currency: of, currencyDisplay: 'code' }));

export const number = (value) => h('span', { class: 'amount', 'data-number': String(value) }, decimal(String(value)));

// instant shows an instant or a day as the language writes it, in UTC as the exchange reckons.
export function instant(text) {
  if (!text) return h('span', { class: 'none' }, '–');
  const day = /^\d{4}-\d\d-\d\d$/.test(text);
  const at = new Date(day ? `${text}T00:00:00Z` : text);
  if (Number.isNaN(at.getTime())) return String(text);
  const midnight = day || /T00:00:00(\.0+)?Z$/.test(text);
  const format = new Intl.DateTimeFormat(language(),
    { dateStyle: 'medium', ...(midnight ? {} : { timeStyle: 'medium' }), timeZone: 'UTC' });
  return h('time', { datetime: text, title: midnight ? text : `${text} (UTC)` }, format.format(at));
}

const RESOURCES = { policyholderId: null, vehicleId: 'vehicle', driverId: 'driver', businessId: 'business',
  propertyId: 'property', propertyRef: 'property', debtorId: 'debtor', petId: 'pet', reverses: 'receipt' };

// value shows a member of a record. linked says that what it names can be opened.
export function value(name, of, linked = true) {
  if (of === null || of === undefined || of === '') return h('span', { class: 'none' }, '–');
  if (Array.isArray(of)) {
    if (of.length === 0) return h('span', { class: 'none' }, '–');
    return of.every((one) => typeof one !== 'object')
      ? of.map((one, i) => [i > 0 && ', ', value(name, one, linked)]) : of.map((one) => members(one));
  }
  if (typeof of === 'object' && !of.digits) return members(of);
  if (typeof of === 'boolean') return t(of ? 'yes' : 'no');
  if (AMOUNTS.has(name)) return money(of);
  if (typeof of === 'number' || of.digits) return number(of);
  if (name === 'policyNumber') return policyLink(of);
  if (name === 'claimNumber') return claimLink(of);
  if (name === 'status' || name === 'claimStatus') return badge(of);
  if (linked && RESOURCES[name]) return recordLink(RESOURCES[name], of, of);
  if (/^\d{4}-\d\d-\d\d(T.*Z)?$/.test(of)) return instant(of);
  if (/^https?:\/\//.test(of)) return h('a', { href: of, rel: 'noreferrer noopener', target: '_blank' }, of);
  return of;
}

// recordLink leads to the screen of any record.
export const recordLink = (resource, id, ...shown) => h('a', { href: `#/record/${resource}/${encodeURIComponent(id)}` },
  shown);
export const policyLink = (of) => h('a', { href: `#/policy/${encodeURIComponent(of)}` }, of);
export const claimLink = (of) => h('a', { href: `#/claim/${encodeURIComponent(of)}` }, of);
export const badge = (of) => h('span', { class: 'badge', 'data-state': of }, t(`state ${of}`) || of);

// members shows the members of a record as a list of names and values.
export function members(record, leave = [], linked = true) {
  const shown = Object.entries(record).filter(([name]) => !leave.includes(name));
  if (shown.length === 0) return h('span', { class: 'none' }, '–');
  return h('dl', {}, shown.map(([name, of]) => h('div', { 'data-member': name },
    h('dt', {}, label(name)), h('dd', {}, value(name, of, linked)))));
}

// table shows rows. A column is {label, cell(row), amount}; the first cell names the row. j and k move between rows.
export function table(caption, columns, rows, empty) {
  if (rows.length === 0) return h('p', { class: 'empty' }, empty || t('nothing'));
  return h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption }, h('table', {},
    h('caption', { class: 'unseen' }, caption),
    h('thead', {}, h('tr', {}, columns.map((c) => h('th', { scope: 'col', class: c.amount && 'right' }, c.label)))),
    h('tbody', {}, rows.map((row) => h('tr', { 'data-row': true },
      columns.map((c) => h('td', { class: c.amount && 'right', 'data-label': c.label },
        h('div', {}, c.cell(row)))))))));
}

// column returns the column of a member.
export const column = (name) => ({ label: label(name), amount: AMOUNTS.has(name),
  cell: (row) => value(name, row[name]) });

// party returns the name of a party or an insured object, or its id where it has no name.
export function party(record) {
  return record.name || [record.firstName, record.lastName].filter(Boolean).join(' ') || record.plateNumber
    || record.petName || record.businessSector || record.address?.streetName || record.id;
}

export const section = (title, ...children) => h('section', {}, h('h2', {}, title), children);

// curl returns a request as a command for a shell. It names a token, and never has one. Its body is a text or that of a
// file.
export function curl(method, path, body, headers = {}, file = '') {
  const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
  return ['curl', method !== 'GET' && `-X ${method}`, '-H "Authorization: Bearer $(exchange token)"',
    ...Object.entries(headers).map(([name, text]) => `-H ${quoted(`${name}: ${text}`)}`),
    body !== undefined && `-H 'Content-Type: application/json' -d ${quoted(body)}`,
    file && `--data-binary ${quoted(`@${file}`)}`,
    quoted(location.origin + path)].filter(Boolean).join(' ');
}

// copied shows a text with a button that copies it.
export function copied(text) {
  const block = h('pre', { tabindex: '0' }, h('code', {}, text));
  const button = h('button', { type: 'button', click: async () => {
    await navigator.clipboard.writeText(text);
    button.textContent = t('copied');
  } }, t('copy'));
  return h('div', { class: 'copied' }, block, button);
}
