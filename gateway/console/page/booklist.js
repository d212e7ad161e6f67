// A list of the book: policies, claims, movements, or what came late. What it shows is in the address.

import { Problem, interfaceDocument, mayWrite } from './api.js';
import { Table } from './dom.js';
import { html, useRef, useState } from './html.js';
import { Downloads, Loaded, Pages, listed } from './show.js';
import { label, t } from './words.js';
import { Beside, COLUMNS, Cell, address, isAmount, isRight } from './bookrow.js';
import { Columns, Filters, Finding, Usual, Views, changed, columnsOf } from './booktools.js';

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

// Sorted is the head of a column, which sorts by it, and the other way round where it does.
function Sorted({ list, query, name }) {
  const is = query.get('sort');
  const to = changed(query, { sort: is === name ? `-${name}` : name });
  const [mark, order] = is === name ? [' ▲', 'ascending'] : is === `-${name}` ? [' ▼', 'descending'] : ['', 'none'];
  return html`<a href=${address(list, to)} data-sort=${order}>${label(name)}${mark}</a>`;
}

// files are the list as files, as it is filtered and with the columns that it shows.
function files(list, query, shown) {
  const of = changed(query, { columns: [...shown, ...shown.some(isAmount) && !shown.includes('currency')
    ? ['currency'] : []].join(',') });
  return [['csv', 'text/csv'], ['xlsx', XLSX]].map(([suffix, media]) => ({ suffix, media, name: list,
    path: `/x/book/${list}?${of}` }));
}

// rowsOf reads a page of rows. An exchange may have no book.
const rowsOf = (read, path) => listed('rows', 'cursor')(read, path).catch((err) => {
  throw err instanceof Problem && err.status === 404 ? new Problem(404, { title: t('noBook') }) : err;
});

// Rows are the rows of the list. One is shown beside it: by a click on the row or by its button, by Space where the
// focus is in a row, and then by the keys that move through the rows.
function Rows({ list, path, columns, names }) {
  const [row, setRow] = useState(null);
  const around = useRef();
  const close = () => setRow(null);
  const attributes = (of) => ({
    'data-chosen': row?.id === of.id ? 'true' : undefined,
    onClick: (event) => { if (!event.target.closest('a, button') && !String(getSelection())) setRow(of); },
    onFocusCapture: () => { if (row && row.id !== of.id) setRow(of); },
    onKeyDown: (event) => {
      if (event.key !== ' ' || event.target.tagName === 'BUTTON') return;
      event.preventDefault();
      setRow(of);
    },
  });
  const closes = (event) => {
    if (event.key !== 'Escape' || !row) return;
    close();
    around.current.querySelector('[data-chosen] a')?.focus();
  };
  const peek = { label: html`<span class="unseen">${t('besideIt')}</span>`, title: t('besideIt'), cell: (of) => html`
    <button type="button" class="peek" aria-label=${t('besideIt')} aria-pressed=${row?.id === of.id ? 'true' : 'false'}
    onClick=${() => setRow(row?.id === of.id ? null : of)}>›</button>` };
  return html`<div class="with-beside" ref=${around} onKeyDown=${closes}>
    <${Pages} data-part="rows" path=${path} list=${rowsOf} show=${(rows, next) => html`
      <${Table} caption=${t(`list ${list}`)} rows=${rows} columns=${[...columns, peek]} attributes=${attributes}
        empty=${next ? t('moreToLookAt') : t('nothing')} />`} />
    ${row && html`<${Beside} row=${row} names=${names} close=${close} />`}</div>`;
}

function Listed({ list, query, parameters }) {
  const sorts = parameters.find(({ name }) => name === 'sort').schema.enum;
  const names = columnsOf(list, parameters);
  const asked = (query.get('columns') || '').split(',').filter((name) => names.includes(name));
  const shown = asked.length > 0 ? asked : COLUMNS[list];
  const columns = shown.map((name) => ({ amount: isRight(name),
    label: sorts.includes(name) ? html`<${Sorted} list=${list} query=${query} name=${name} />` : label(name),
    title: label(name), cell: (row) => html`<${Cell} name=${name} row=${row} />` }));
  return html`<${Usual} list=${list} query=${query} />
    <div class="tools"><${Filters} list=${list} query=${query} parameters=${parameters} />
      <div class="buttons"><${Finding} list=${list} query=${query} parameters=${parameters} />
      <${Views} list=${list} query=${query} />
      <${Columns} list=${list} query=${query} names=${names} shown=${shown} />
      <${Downloads} files=${files(list, query, shown)} /></div></div>
    <${Rows} list=${list} path=${`/x/book/${list}?${changed(query, { columns: undefined, limit: 50 })}`}
      columns=${columns} names=${names} />`;
}

export default function BookList({ path: [list], query }) {
  const known = Object.hasOwn(COLUMNS, list) ? list : 'policies';
  return html`<div class="head"><h1>${t(`list ${known}`)}</h1><div class="buttons">${known === 'policies' && mayWrite()
    && html`<a class="button primary" href="#/create">${t('createPolicy')}</a>`}</div></div>
    <${Loaded} load=${interfaceDocument} show=${({ paths }) => html`<${Listed} list=${known} query=${query}
      parameters=${paths[`/x/book/${known}`].get.parameters.filter(({ name }) => name)} />`} />`;
}
