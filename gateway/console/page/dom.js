// Values, tables and links as people read them.

import { now } from './api.js';
import { isDecimal, moved } from './decimal.js';
import { html, useState } from './html.js';
import { isForeign, label, labelOf, language, option, t } from './words.js';

// AMOUNTS are the members that the interface document marks as amounts of money.
export const AMOUNTS = new Set(['GrosslLossReserve', 'annualReimbursementLimit', 'annualizedTurnover',
  'contingencyLossLimit', 'creditLimit', 'creditLimitUtilized', 'deductible', 'deductibleAmountBuilding',
  'deductibleAmountContent', 'emergencyMedical', 'excessAmount', 'expectedRecovery', 'grossAnnualProfit',
  'grossAnnualTurnover', 'grossWrittenPremium', 'icwLimit', 'indemnityLimitPolicy', 'left', 'netAssets',
  'netPremium', 'paid', 'paymentAmount', 'policyFee', 'refundedAmount', 'reserve', 'sumInsuredBuilding',
  'sumInsuredContent', 'tripCancellation']);

const { currency, unit } = document.documentElement.dataset;

// amounts says how the amounts of the interface are shown and typed: with their currency, if the operator has said it,
// and in its major units, which have some digits more than the amounts of the interface where these are in minor units.
export const amounts = { currency, digits: currency && unit === 'minor'
  ? new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits : 0 };

// decimal formats the text of a number without losing a digit.
export function decimal(text, options) {
  if (!isDecimal(text)) return text; // with an exponent, as it was sent
  return new Intl.NumberFormat(language(), { maximumFractionDigits: 20, ...options }).format(text);
}

export const None = () => html`<span class="none">–</span>`;

// Money is an amount with its currency, if the operator has said it.
export function Money({ of }) {
  if (of === null || of === undefined) return html`<${None} />`;
  const text = String(of);
  const options = currency ? { style: 'currency', currency, currencyDisplay: 'code' } : {};
  const shown = decimal(moved(text, -amounts.digits), options);
  return html`<span class="amount" data-amount=${text} title=${currency ? undefined
    : t(unit ? 'currencyUnsaid' : 'unitUnsaid', unit)}>${shown}</span>`;
}

// amountText is an amount in major units of a currency, as a text; AmountOf shows it.
export const amountText = (amount, of) => decimal(String(amount),
  { style: 'currency', currency: of, currencyDisplay: 'code' });
export const AmountOf = ({ amount, currency: of }) => html`<span class="amount" data-amount=${String(amount)}>
  ${amountText(amount, of)}</span>`;

export const Numeral = ({ of, options }) => html`<span class="amount" data-number=${String(of)}>
  ${decimal(String(of), options)}</span>`;

// Percent is a percentage, of which 15 is 15 %. Its digits stay as they are.
export const Percent = ({ of }) => html`<span class="amount" data-number=${String(of)}>${decimal(String(of))}${
  language() === 'de' ? '\u00a0%' : '%'}</span>`;

// Instant is an instant or a day as the language writes it, in UTC as the exchange reckons.
export function Instant({ at: text }) {
  if (!text) return html`<${None} />`;
  const day = /^\d{4}-\d\d-\d\d$/.test(text);
  const at = new Date(day ? `${text}T00:00:00Z` : text);
  if (Number.isNaN(at.getTime())) return String(text);
  const midnight = day || /T00:00:00(\.0+)?Z$/.test(text);
  const format = new Intl.DateTimeFormat(language(),
    { dateStyle: 'medium', ...(midnight ? {} : { timeStyle: /:00(\.0+)?Z$/.test(text) ? 'short' : 'medium' }),
      timeZone: 'UTC' });
  return html`<time datetime=${text} title=${midnight ? text : `${text} (UTC)`}>${format.format(at)}</time>`;
}

// RecordLink leads to the screen of any record.
export const RecordLink = ({ resource, id, children }) => html`<a
  href=${`#/record/${resource}/${encodeURIComponent(id)}`}>${children}</a>`;
export const PolicyLink = ({ number }) => html`<a href=${`#/policy/${encodeURIComponent(number)}`}>${number}</a>`;
export const ClaimLink = ({ number }) => html`<a href=${`#/claim/${encodeURIComponent(number)}`}>${number}</a>`;
export const WebLink = ({ to }) => html`<a href=${to} rel="noreferrer noopener" target="_blank">${to}</a>`;
export const Badge = ({ of, as = 'state' }) => html`<span class="badge" data-state=${of}>${
  t(`${as} ${of}`) || of}</span>`;

// Status is the state of a record. A policy keeps its state when its term ends; that it has ended stands beside it.
const IN_FORCE = ['in force', 'extended'];
export const Status = ({ of: { status, expiryDate } }) => html`<${Badge} of=${status} />${IN_FORCE.includes(status)
  && expiryDate && new Date(expiryDate) <= now() && html` <${Badge} of="ended" />`}`;

const RESOURCES = { policyholderId: null, vehicleId: 'vehicle', driverId: 'driver', businessId: 'business',
  propertyId: 'property', propertyRef: 'property', debtorId: 'debtor', petId: 'pet', reverses: 'receipt' };

export const isAddress = (text) => /^https?:\/\//.test(text);

// ADDRESS are the members of an address, in the order in which they stand in a line.
const ADDRESS = ['building', 'streetName', 'postalCode', 'city', 'state', 'country'];
const CLOSE = new Set(['building', 'postalCode']); // what has no comma after it

// Address is an address in a line.
function Address({ of }) {
  const names = [...ADDRESS.filter((name) => of[name]), ...Object.keys(of).filter((name) => !ADDRESS.includes(name))];
  return names.map((name, i) => html`<span data-member=${name}><${Value} name=${name} of=${of[name]} /></span>${
    i < names.length - 1 && (CLOSE.has(name) ? ' ' : ', ')}`);
}

// Value is a member of a record. linked says that what it names can be opened.
export function Value({ name, of, linked = true }) {
  if (of === null || of === undefined || of === '' || of.length === 0) return html`<${None} />`;
  if (Array.isArray(of)) {
    return of.map((one, i) => (typeof one === 'object' ? html`<${Members} of=${one} />`
      : [i > 0 && ', ', html`<${Value} name=${name} of=${one} linked=${linked} />`]));
  }
  if (typeof of === 'object' && !of.digits) {
    return of.streetName && of.city ? html`<${Address} of=${of} />` : html`<${Members} of=${of} />`;
  }
  if (typeof of === 'boolean') return t(of ? 'yes' : 'no');
  if (AMOUNTS.has(name)) return html`<${Money} of=${of} />`;
  if (/Percentage$/.test(name)) return html`<${Percent} of=${of} />`;
  if (/^year|Year/.test(name)) return html`<${Numeral} of=${of} options=${{ useGrouping: false }} />`;
  if (typeof of === 'number' || of.digits) return html`<${Numeral} of=${of} />`;
  if (name === 'policyNumber') return html`<${PolicyLink} number=${of} />`;
  if (name === 'claimNumber') return html`<${ClaimLink} number=${of} />`;
  if (name === 'status' || name === 'claimStatus') return html`<${Badge} of=${of} />`;
  if (name === 'line') return t(`line ${of}`) || of;
  if (linked && RESOURCES[name]) return html`<${RecordLink} resource=${RESOURCES[name]} id=${of}>${of}<//>`;
  if (/^\d{4}-\d\d-\d\d(T.*Z)?$/.test(of)) return html`<${Instant} at=${of} />`;
  return isAddress(of) ? html`<${WebLink} to=${of} />` : option(name, of);
}

// assignedOnly reports whether the days on which the risks of a contract may begin are over before its term begins:
// then it has only the policies that somebody assigns to it, and the days say nothing.
const assignedOnly = ({ inception, risksBefore }) => inception && risksBefore && risksBefore <= inception;

// member returns a member of a record as people read it: a receipt that reverses another one takes its amount back.
function member(record, name) {
  if (name === 'paymentAmount' && record.reverses && Number(record[name]) > 0) return `-${record[name]}`;
  return name === 'risksFrom' && assignedOnly(record) ? t('assignedOnly') : record[name];
}

// Members is a list of the members of a record, names and values.
export function Members({ of: record, leave = [], linked = true }) {
  const shown = Object.keys(record).filter((name) => !leave.includes(name)
    && !(name === 'risksBefore' && assignedOnly(record)));
  return shown.length === 0 ? html`<${None} />` : html`<dl>${shown.map((name) => html`<div data-member=${name}>
    <dt>${labelOf(name, record[name])}</dt>
    <dd><${Value} name=${name} of=${member(record, name)} linked=${linked} /></dd></div>`)}</dl>`;
}

// Technical is what the exchange says in its own words, which open where they are not those of the language.
export const Technical = ({ of }) => of && (isForeign() ? html`<details class="technical">
  <summary>${t('technical')}</summary><span lang="en">${of}</span></details>` : of);

// Scroll is what a wide table scrolls in.
export const Scroll = ({ caption, children, ...attributes }) => html`<div class="scroll" tabindex="0" role="region"
  aria-label=${caption}><table ...${attributes}><caption class="unseen">${caption}</caption>${children}</table></div>`;

// Table shows rows. A column is {label, cell(row), amount}, and has a title where its label is no text; the first cell
// names the row. attributes(row) are those of its element. j and k move between rows.
export const Table = ({ caption, columns, rows, empty, attributes = () => ({}) }) => (rows.length === 0
  ? html`<p class="empty">${empty || t('nothing')}</p>` : html`<${Scroll} caption=${caption}>
    <thead><tr>${columns.map((c) => html`<th scope="col" class=${c.amount && 'right'}>${c.label}</th>`)}</tr></thead>
    <tbody>${rows.map((row, i) => html`<tr data-row key=${row.id ?? i} ...${attributes(row)}>
      ${columns.map((c) => html`
      <td class=${c.amount && 'right'} data-label=${c.title ?? c.label}><div>${c.cell(row)}</div></td>`)}</tr>`)}
    </tbody><//>`);

// column returns the column of a member.
export const column = (name) => ({ label: label(name), amount: AMOUNTS.has(name),
  cell: (row) => (name === 'status' && row.status ? html`<${Status} of=${row} />`
    : html`<${Value} name=${name} of=${member(row, name)} />`) });

// party returns the name of a party or an insured object, or its id where it has no name.
export function party(record) {
  return record.name || [record.firstName, record.lastName].filter(Boolean).join(' ') || record.plateNumber
    || record.petName || record.businessSector || record.address?.streetName || record.id;
}

// Button is a button that does something by itself; one of a form sends the form.
export const Button = ({ children, ...attributes }) => html`<button type="button" ...${attributes}>
  ${children}</button>`;

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

// Copied is a text with a button that copies it.
export function Copied({ text }) {
  const [done, set] = useState('');
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    set(text);
  };
  return html`<div class="copied"><pre tabindex="0"><code>${text}</code></pre>
    <${Button} onClick=${copy}>${t(done === text ? 'copied' : 'copy')}<//></div>`;
}

// Disclosed is what opens below its title, and is made anew each time that it does.
export function Disclosed({ title, children, ...attributes }) {
  const [open, set] = useState(false);
  return html`<details ...${attributes} onToggle=${(event) => set(event.target.open)}><summary>${title}</summary>
    ${open && children}</details>`;
}
