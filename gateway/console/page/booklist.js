// A list of the book: policies, claims, movements, or what came late. Its filters and its order are in the address.

import { interfaceDocument } from './api.js';
import { Badge, Button, ClaimLink, Instant, None, Percent, PolicyLink, Table } from './dom.js';
import { html, useRef } from './html.js';
import { Loaded, Pages, listed } from './show.js';
import { label, option, t } from './words.js';
import { Figure } from './book.js';

const LISTS = {
  policies: ['policyNumber', 'insured', 'object', 'line', 'status', 'inceptionDate', 'expiryDate', 'contract',
    'written', 'received', 'open', 'incurred', 'lossRatio'],
  claims: ['claimNumber', 'policyNumber', 'insured', 'line', 'cause', 'status', 'lossDate', 'lastMovement', 'reserve',
    'paid', 'outstanding', 'incurred'],
  movements: ['recordedAt', 'kind', 'type', 'policyNumber', 'claimNumber', 'insured', 'amount', 'date', 'late'],
};
LISTS.late = LISTS.movements;
const AMOUNTS = new Set(['written', 'received', 'open', 'incurred', 'reserve', 'paid', 'outstanding', 'amount']);
// What the names of parameters end with, beside that of their column.
const ENDS = ['From', 'To', 'Begins', 'Empty'];

// parted returns the column that a parameter is about, and what its name ends with.
function parted(name) {
  const end = ENDS.find((one) => name.endsWith(one)) || '';
  return [name.slice(0, name.length - end.length), end];
}

// parameterOf returns a parameter in words.
function parameterOf(name) {
  if (name === 'from' || name === 'to') return t(`months ${name}`);
  const [column, end] = parted(name);
  return end ? `${label(column)} ${t(`end ${end}`)}` : label(column);
}

function valueOf(name, text) {
  if (text === 'true' || text === 'false') return t(text === 'true' ? 'yes' : 'no');
  if (name === 'line') return t(`line ${text}`) || text;
  return name === 'status' ? t(`state ${text}`) || text : text;
}

// Cell is a member of a row. Amounts of a selection of months are those of these months.
function Cell({ name, row }) {
  const of = row.selected?.[name] ?? row[name];
  if (of === undefined || of === '') return html`<${None} />`;
  if (AMOUNTS.has(name)) return html`<${Figure} amount=${of} currency=${row.currency} />`;
  if (name === 'policyNumber') return html`<${PolicyLink} number=${of} />`;
  if (name === 'claimNumber') return html`<${ClaimLink} number=${of} />`;
  if (name === 'line') return t(`line ${of}`) || of;
  if (name === 'lossRatio') return html`<${Percent} of=${of} />`;
  if (name === 'status') return html`<${Badge} of=${of} />${row.ended && of !== 'cancelled' && of !== 'lapsed'
    && html` <${Badge} of="ended" />`}`;
  if (name === 'kind') return t(`movement ${of}`) || of;
  if (name === 'cause') return option('lossCause', of);
  if (name === 'type') return option(row.kind === 'payment' ? 'paymentMethod' : 'receiptType', of);
  return /^\d{4}-\d\d-\d\d/.test(of) ? html`<${Instant} at=${of} />` : String(of);
}

// address returns the address of a list with other parameters.
const address = (list, query) => `#/book/${list}${String(query) && `?${query}`}`;

function without(query, name) {
  const left = new URLSearchParams(query);
  left.delete(name);
  return left;
}

// Chips are the filters of the list, each of which can be taken away.
const Chips = ({ list, query }) => html`<ul class="examples" data-part="filters">${[...new Set(query.keys())]
  .filter((name) => name !== 'sort').map((name) => html`<li><a class="button" data-filter=${name}
    href=${address(list, without(query, name))} title=${t('filterAway')}>${parameterOf(name)}: ${
  query.getAll(name).map((text) => valueOf(name, text)).join(', ')} ×</a></li>`)}</ul>`;

// Adding is the form that adds a filter.
function Adding({ list, query, names }) {
  const [which, what] = [useRef(), useRef()];
  const add = (event) => {
    event.preventDefault();
    const text = what.current.value.trim();
    const to = new URLSearchParams(query);
    if (!text) return;
    to.append(which.current.value, text);
    location.hash = address(list, to);
  };
  return html`<form class="filter" data-form="filter" aria-label=${t('filters')} onSubmit=${add}>
    <div class="field"><label for="filter-name">${t('filterBy')}</label><select id="filter-name" ref=${which}>
      ${names.map((name) => html`<option value=${name}>${parameterOf(name)}</option>`)}</select></div>
    <div class="field"><label for="filter-value">${t('filterIs')}</label><input id="filter-value" autocomplete="off"
      ref=${what} /></div>
    <${Button} type="submit">${t('filterAdd')}<//></form>`;
}

// Sorted is the head of a column, which sorts by it, and the other way round where it does.
function Sorted({ list, query, name }) {
  const is = query.get('sort');
  const to = new URLSearchParams(query);
  to.set('sort', is === name ? `-${name}` : name);
  const [mark, order] = is === name ? [' ▲', 'ascending'] : is === `-${name}` ? [' ▼', 'descending'] : ['', 'none'];
  return html`<a href=${address(list, to)} data-sort=${order}>${label(name)}${mark}</a>`;
}

function Listed({ list, query, parameters }) {
  const sorts = parameters.find(({ name }) => name === 'sort').schema.enum;
  const names = parameters.map(({ name }) => name).filter((name) => !['sort', 'cursor', 'limit'].includes(name));
  const path = new URLSearchParams(query);
  path.set('limit', '50');
  const columns = LISTS[list].map((name) => ({ amount: AMOUNTS.has(name) || name === 'lossRatio' || name === 'late',
    label: sorts.includes(name) ? html`<${Sorted} list=${list} query=${query} name=${name} />` : label(name),
    cell: (row) => html`<${Cell} name=${name} row=${row} />` }));
  return html`<${Chips} list=${list} query=${query} />
    <${Adding} list=${list} query=${query} names=${names} />
    <${Pages} data-part="rows" path=${`/x/book/${list}?${path}`} list=${listed('rows', 'cursor')}
      show=${(rows, next) => html`<${Table} caption=${t(`list ${list}`)} rows=${rows} columns=${columns}
        empty=${next ? t('moreToLookAt') : t('nothing')} />`} />`;
}

export default function BookList({ path: [list], query }) {
  const known = Object.hasOwn(LISTS, list) ? list : 'policies';
  return html`<h1>${t(`list ${known}`)}</h1><p class="lead"><a href="#/book">${t('book')}</a></p>
    <${Loaded} load=${interfaceDocument} show=${({ paths }) => html`<${Listed} list=${known} query=${query}
      parameters=${paths[`/x/book/${known}`].get.parameters.filter(({ name }) => name)} />`} />`;
}
