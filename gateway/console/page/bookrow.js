// The rows of the lists of the book: their columns, their cells, and one of them beside the list.

import { Badge, ClaimLink, Instant, None, Percent, PolicyLink, Status } from './dom.js';
import { html } from './html.js';
import { label, option, t } from './words.js';
import { Figure } from './book.js';

// COLUMNS are the columns that each list shows where nobody has chosen others.
export const COLUMNS = {
  policies: ['policyNumber', 'insured', 'object', 'line', 'status', 'expiryDate', 'contract', 'written', 'open',
    'lossRatio'],
  claims: ['claimNumber', 'insured', 'line', 'cause', 'status', 'lossDate', 'lastMovement', 'paid', 'outstanding',
    'incurred'],
  movements: ['recordedAt', 'kind', 'type', 'policyNumber', 'claimNumber', 'insured', 'amount', 'date', 'late'],
};
COLUMNS.late = COLUMNS.movements;
// HIDDEN are members that say something to programs alone.
export const HIDDEN = new Set(['id', 'policyholderId', 'brokerId', 'agentId', 'ended', 'whose']);
const AMOUNTS = new Set(['written', 'received', 'refunded', 'open', 'incurred', 'reserve', 'paid', 'outstanding',
  'amount']);
const NUMBERS = new Set(['lossRatio', 'late', 'age', 'claims', 'openClaims', 'payments', 'year']);

// isRight reports whether a column is of numbers, which stand at its right.
export const isRight = (name) => AMOUNTS.has(name) || NUMBERS.has(name);

// isAmount reports whether a column is of amounts of money, which say nothing without their currency.
export const isAmount = (name) => AMOUNTS.has(name);

// address returns the address of a list with some parameters.
export const address = (list, query) => `#/${list === 'policies' || list === 'claims' ? list : `book/${list}`}${
  String(query) && `?${query}`}`;

// Cell is a member of a row. Amounts of a selection of months are those of these months.
export function Cell({ name, row }) {
  const of = row.selected?.[name] ?? row[name];
  if (of === undefined || of === '') return html`<${None} />`;
  if (AMOUNTS.has(name)) return html`<${Figure} amount=${of} currency=${row.currency} />`;
  if (name === 'policyNumber' || name === 'replaces') return html`<${PolicyLink} number=${of} />`;
  if (name === 'claimNumber') return html`<${ClaimLink} number=${of} />`;
  if (name === 'contract') return html`<a href=${`#/desk/${encodeURIComponent(of)}`}>${of}</a>`;
  if (name === 'renewedFrom' || name === 'renewedTo') return html`<${PolicyLink} number=${of} />`;
  // The list of what the same broker or agent has brought is one click away.
  if (name === 'broker' || name === 'agent') {
    return html`<a href=${among(row, name)} title=${t('onlyThese', of)}>${of}</a>`;
  }
  if (name === 'line') return t(`line ${of}`) || of;
  if (name === 'lossRatio') return html`<${Percent} of=${of} />`;
  if (name === 'status') return row.claimNumber ? html`<${Badge} of=${of} />` : html`<${Status} of=${row} />`;
  if (name === 'kind') return t(`movement ${of}`) || of;
  if (name === 'cause') return option('lossCause', of);
  if (name === 'country') return option('country', of);
  if (name === 'lastEvent') return t(`event ${of}`) || of;
  if (name === 'marks') return of.map((mark) => t(`mark ${mark}`) || mark).join(', ');
  if (name === 'type') return option(row.kind === 'payment' ? 'paymentMethod' : 'receiptType', of);
  return /^\d{4}-\d\d-\d\d/.test(of) ? html`<span class="day" title=${of}><${Instant} at=${of.slice(0, 10)} /></span>`
    : String(of);
}

// among returns the address of the list that is shown, with only the rows that have the same member as a row.
function among(row, name) {
  const [path, query] = location.hash.slice(1).split('?');
  const of = new URLSearchParams(query);
  of.set(name, row[name]);
  return /^\/(policies|claims|book\/)/.test(path) ? `#${path}?${of}` : address('policies', new URLSearchParams({
    [name]: row[name] }));
}

// listOf returns the address of the rows of a list that have a value.
const listOf = (list, name, is) => address(list, new URLSearchParams({ [name]: is }));

// Related leads to what belongs to a row.
function Related({ row: { policyNumber, claimNumber, claims, payments } }) {
  const links = claimNumber
    ? [payments !== undefined && [listOf('movements', 'claimNumber', claimNumber), t('paymentsOf')],
      [listOf('policies', 'policyNumber', policyNumber), t('policy')]]
    : [policyNumber && claims !== undefined && [listOf('claims', 'policyNumber', policyNumber), t('claimsOf')],
      policyNumber && [listOf('movements', 'policyNumber', policyNumber), t('receiptsOf')]];
  return html`<ul class="plain">${links.filter(Boolean).map(([to, text]) => html`<li><a href=${to}>${text}</a></li>`)}
  </ul>`;
}

// Beside shows a row next to its list: all that the book says of it. close() takes it away.
export function Beside({ row, names, close }) {
  const to = row.claimNumber ? `#/claim/${encodeURIComponent(row.claimNumber)}`
    : row.policyNumber && `#/policy/${encodeURIComponent(row.policyNumber)}`;
  const title = row.claimNumber || row.policyNumber || row.id;
  return html`<aside class="beside" aria-label=${title} data-part="beside"><div class="head"><h2>${title}</h2>
    <div class="buttons">${to && html`<a class="button primary" href=${to}>${t('openIt')}</a>`}
    <button type="button" data-close aria-label=${t('close')} onClick=${close}>×</button></div></div>
    <dl>${names.filter((name) => row[name] !== undefined && row[name] !== '' && row[name] !== title)
      .map((name) => html`<div data-member=${name}><dt>${label(name)}</dt>
        <dd><${Cell} name=${name} row=${row} /></dd></div>`)}</dl>
    <${Related} row=${row} /></aside>`;
}
