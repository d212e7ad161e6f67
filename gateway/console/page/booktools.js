// What stands above a list of the book: its filters, its columns, and the views that a person has kept.

import { call, mayWrite, now } from './api.js';
import { Button } from './dom.js';
import { html, useRef, useState } from './html.js';
import { Around, Notice, useLoaded } from './show.js';
import { label, t } from './words.js';
import { COLUMNS, HIDDEN, address } from './bookrow.js';

// What the names of parameters end with, beside that of their column.
const ENDS = ['From', 'To', 'Begins', 'Empty'];
// Parameters that are no filters.
const OTHERS = new Set(['sort', 'cursor', 'limit', 'columns']);
// CHOICES are the values of columns that have few.
const CHOICES = {
  line: () => ['motorCoverage', 'cyberLiabilityCoverage', 'propertyCoverage', 'travelCoverage', 'tradeCreditCoverage',
    'businessInterruptionCoverage', 'petCoverage'],
  status: (list) => (list === 'claims' ? ['open', 'reopened', 'closed']
    : ['in force', 'extended', 'cancelled', 'lapsed']),
  kind: () => ['receipt', 'refund', 'payment'],
  ended: () => ['true', 'false'],
};

// parted returns the column that a parameter is about, and what its name ends with.
function parted(name) {
  if (name === 'from' || name === 'to') return ['months', name === 'from' ? 'From' : 'To'];
  const end = ENDS.find((one) => name.endsWith(one)) || '';
  return [name.slice(0, name.length - end.length), end];
}

const joined = (column, end) => (column === 'months' ? end.toLowerCase() : column + end);
const TITLES = { months: 'month', find: 'findHas' };
const titleOf = (column) => (TITLES[column] ? t(TITLES[column]) : label(column));

// conditionsOf returns the conditions of a list by column: a map of columns to the schemas of what their parameters'
// names end with.
function conditionsOf(parameters) {
  const all = new Map();
  for (const { name, schema } of parameters) {
    const [column, end] = parted(name);
    if (OTHERS.has(name) || name === 'find' || HIDDEN.has(column) && column !== 'ended') continue;
    if (!all.has(column)) all.set(column, new Map());
    all.get(column).set(end, schema.items || schema);
  }
  return all;
}

// columnsOf returns the columns that a list can show: those of the usual ones first.
export function columnsOf(list, parameters) {
  const names = [...conditionsOf(parameters).keys()].filter((name) => name !== 'months' && !HIDDEN.has(name));
  return [...COLUMNS[list], ...names.filter((name) => !COLUMNS[list].includes(name))];
}

// valueOf returns the value of a filter in words.
function valueOf(name, text) {
  if (text === 'true' || text === 'false') return t(text === 'true' ? 'yes' : 'no');
  if (name === 'line') return t(`line ${text}`) || text;
  if (name === 'kind') return t(`movement ${text}`) || text;
  return name === 'status' ? t(`state ${text}`) || text : text;
}

// filterText returns a filter in words.
function filterText(name, values) {
  const [column, end] = parted(name);
  if (end === 'Empty') return `${titleOf(column)} ${t(values[0] === 'true' ? 'end Empty' : 'endNotEmpty')}`;
  return `${titleOf(column)}${end && ` ${t(`end ${end}`)}`}: ${values.map((one) => valueOf(name, one)).join(', ')}`;
}

// changed returns the parameters of an address with others: a value of undefined takes a parameter away.
export function changed(query, values) {
  const to = new URLSearchParams(query);
  for (const [name, of] of Object.entries(values)) {
    to.delete(name);
    for (const one of of === undefined ? [] : [of].flat()) to.append(name, one);
  }
  return to;
}

// Filters are those of the list, each of which can be taken away, and a form for another one.
export function Filters({ list, query, parameters }) {
  const names = [...new Set(query.keys())].filter((name) => !OTHERS.has(name));
  return html`<ul class="chips" data-part="filters">${names.map((name) => html`<li><a class="chip" data-filter=${name}
    href=${address(list, changed(query, { [name]: undefined }))} title=${t('filterAway')}>${
  filterText(name, query.getAll(name))} <span aria-hidden="true">×</span></a></li>`)}
    <li><details class="menu" data-menu="filter"><summary>${t('filterAdd')}</summary><${Adding} list=${list}
      query=${query} conditions=${conditionsOf(parameters)} /></details></li></ul>`;
}

// Finding is the form that finds rows by what they have anywhere, on a list that can be asked for that.
export function Finding({ list, query, parameters }) {
  const text = useRef();
  if (!parameters.some(({ name }) => name === 'find')) return null;
  const find = (event) => {
    event.preventDefault();
    location.hash = address(list, changed(query, { find: text.current.value.trim() || undefined }));
  };
  return html`<form class="filter" data-form="find" onSubmit=${find}><input type="search" name="find" ref=${text}
    key=${query.get('find')} aria-label=${t('findHere')} placeholder=${t('findHere')} title=${t('findHereIs')}
    minlength="3" maxlength="200" autocomplete="off" defaultValue=${query.get('find') || ''} /></form>`;
}

// Adding is the form that adds a filter: a column, what is asked of it, and the value.
function Adding({ list, query, conditions }) {
  const [column, setColumn] = useState([...conditions.keys()][0]);
  const [end, setEnd] = useState([...conditions.get(column).keys()][0]);
  const value = useRef();
  const ends = [...conditions.get(column).keys()];
  const choices = end === 'Empty' ? ['true', 'false'] : end === '' && CHOICES[column]?.(list);
  const type = column === 'months' ? 'month' : conditions.get(column).get(end)?.format === 'date' ? 'date' : 'text';
  const choose = (event) => {
    const to = event.target.value;
    setColumn(to);
    if (!conditions.get(to).has(end)) setEnd([...conditions.get(to).keys()][0]);
  };
  const add = (event) => {
    event.preventDefault();
    const text = value.current.value.trim();
    if (!text) return;
    const name = joined(column, end);
    location.hash = address(list, changed(query, { [name]: end === '' && !choices.includes?.('true')
      ? [...query.getAll(name), text] : text }));
  };
  return html`<form class="filter" data-form="filter" aria-label=${t('filters')} onSubmit=${add}>
    <div class="field"><label for="filter-column">${t('filterBy')}</label><select id="filter-column"
      onChange=${choose}>${[...conditions.keys()].map((name) => html`<option value=${name}>${titleOf(name)}</option>`)}
    </select></div>
    <div class="field"><label for="filter-end">${t('filterHow')}</label><select id="filter-end" value=${end}
      onChange=${(event) => setEnd(event.target.value)}>${ends.map((one) => html`<option value=${one}>${
  one ? t(`end ${one}`) : t('endIs')}</option>`)}</select></div>
    <div class="field"><label for="filter-value">${t('filterIs')}</label>${choices
      ? html`<select id="filter-value" ref=${value}>${choices.map((one) => html`<option value=${one}>${
        valueOf(column, one)}</option>`)}</select>`
      : html`<input id="filter-value" type=${type} autocomplete="off" ref=${value} />`}</div>
    <${Button} type="submit" class="primary">${t('filterAdd')}<//></form>`;
}

// Columns is the menu of the columns that the list shows.
export function Columns({ list, query, names, shown }) {
  const show = (event) => {
    event.preventDefault();
    const wanted = new FormData(event.target).getAll('column');
    const to = [...shown.filter((name) => wanted.includes(name)), ...wanted.filter((name) => !shown.includes(name))];
    const usual = to.length === 0 || to.join() === COLUMNS[list].join();
    location.hash = address(list, changed(query, { columns: usual ? undefined : to.join(',') }));
  };
  return html`<details class="menu" data-menu="columns"><summary>${t('columns')}</summary>
    <form data-form="columns" onSubmit=${show}><fieldset class="boxes"><legend class="unseen">${t('columns')}</legend>
    ${names.map((name) => html`<label><input type="checkbox" name="column" value=${name}
      checked=${shown.includes(name)} /> ${label(name)}</label>`)}</fieldset>
    <${Button} type="submit" class="primary">${t('columnsShow')}<//></form></details>`;
}

const day = (days) => new Date(now().getTime() + days * 86400000).toISOString().slice(0, 10);
// month returns the first and the last day of a month, which is counted from the present one.
const month = (on) => [0, 1].map((end) => new Date(Date.UTC(now().getUTCFullYear(), now().getUTCMonth() + on + end,
  1 - end)).toISOString().slice(0, 10));
const OPEN = ['open', 'reopened'];

// The columns of views that ask for others than the usual ones.
const ENDING = 'policyNumber,insured,line,expiryDate,broker,contract,written,open,renewedTo';
const BROKERED = 'claimNumber,insured,broker,line,status,lossDate,paid,outstanding,incurred';

// USUAL are the views that everybody has, by list: what people ask most days.
const USUAL = {
  policies: () => [['inForce', { ended: 'false' }],
    ['endsSoon', { ended: 'false', expiryDateFrom: day(0), expiryDateTo: day(30), sort: 'expiryDate' }],
    ['endsNext', { ended: 'false', expiryDateFrom: month(1)[0], expiryDateTo: month(1)[1], sort: 'expiryDate',
      columns: ENDING }],
    ['notRenewed', { ended: 'false', expiryDateTo: day(60), renewedToEmpty: 'true', sort: 'expiryDate',
      columns: ENDING }],
    ['unpaid', { openFrom: '0.01', sort: '-open' }], ['noContract', { ended: 'false', contractEmpty: 'true' }],
    ['dearest', { lossRatioFrom: '100', sort: '-lossRatio' }]],
  claims: () => [['openOnes', { status: OPEN, sort: '-outstanding' }],
    ['still', { status: OPEN, lastMovementTo: day(-90), sort: 'lastMovement' }],
    ['large', { status: OPEN, outstandingFrom: '5000', sort: '-outstanding' }],
    ['brokered', { brokerEmpty: 'false', sort: '-fnol', columns: BROKERED }]],
  movements: () => [['receiptsOnly', { kind: 'receipt', sort: '-recordedAt' }],
    ['refundsOnly', { kind: 'refund', sort: '-recordedAt' }],
    ['paymentsOnly', { kind: 'payment', sort: '-recordedAt' }]],
  late: () => [['lateLast', { dateFrom: month(-1)[0], dateTo: month(-1)[1] }]],
};

// Usual leads to the views that everybody has.
export function Usual({ list, query }) {
  const all = [['everything', {}], ...USUAL[list]()].map(([name, values]) => [name,
    String(changed(new URLSearchParams(), values))]);
  const is = String(query);
  return all.length > 1 && html`<nav class="tabs" aria-label=${t('views')} data-part="usual">
    ${all.map(([name, of]) => html`<a href=${address(list, of)} data-view=${name}
      aria-current=${is === of ? 'page' : undefined}>${
  t(`view ${name}`)}</a>`)}</nav>`;
}

// Views is the menu of the views that the person has kept, and of what is done with them.
export function Views({ list, query }) {
  const loaded = useLoaded((get) => get('/x/view'));
  const [wrong, setWrong] = useState(null);
  const name = useRef();
  const does = async (method, of, body) => {
    try {
      await call(method, `/x/view/${encodeURIComponent(of)}`, body && { body: JSON.stringify(body) });
      setWrong(null);
      await loaded.again();
    } catch (err) {
      setWrong(err);
    }
  };
  const keep = (event) => {
    event.preventDefault();
    const text = name.current.value.trim();
    if (text) does('PUT', text, { list, query: String(query) });
  };
  return html`<details class="menu" data-menu="views"><summary>${t('views')}</summary><div>
    <${Around} of=${loaded} show=${({ data }) => {
      const own = data.views.filter((one) => one.list === list);
      if (own.length === 0) return html`<p class="quiet">${t('noViews')}</p>`;
      return html`<ul class="plain">${own.map((one) => html`<li class="apartly">
        <a href=${address(list, one.query || '')}>${one.name}</a>
          ${mayWrite() && html`<${Button} aria-label=${t('viewAway', one.name)} title=${t('viewAway', one.name)}
            onClick=${() => does('DELETE', one.name)}>×<//>`}</li>`)}</ul>`;
    }} />
    ${wrong && html`<${Notice} err=${wrong} />`}
    ${mayWrite() && html`<form class="filter" data-form="view" onSubmit=${keep}><div class="field">
      <label for="view-name">${t('viewName')}</label><input id="view-name" autocomplete="off" maxlength="100"
        ref=${name} /></div><${Button} type="submit">${t('viewKeep')}<//></form>`}</div></details>`;
}
