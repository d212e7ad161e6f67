// Book: what was written, received and paid, added up. Each figure opens the list that it is the sum of.

import { now } from './api.js';
import { Figure, Months, Strip, heat, listAt } from './charts.js';
import { Numeral, Percent, Table } from './dom.js';
import { html } from './html.js';
import { columnsOf, limitsOf, writtenBy } from './limits.js';
import { Part, Tabs, later } from './show.js';
import { label, option, t } from './words.js';

export { Figure }; // for rows of the book

const MONTHS = 12; // of premium by month
const MOST_CONTRACTS = 200;
const BookList = later(() => import('./booklist.js'));

// Term is the name of a column, with what it means where that is a word of the field.
export const Term = ({ name }) => html`${label(name)}${t(`means ${name}`) && html` <span class="info" tabindex="0"
  role="note" aria-label=${t(`means ${name}`)} data-says=${t(`means ${name}`)}>i</span>`}`;

const figure = (name, to) => ({ label: html`<${Term} name=${name} />`, title: label(name), amount: true,
  cell: ({ figures, currency, ...row }) => html`<${Figure} amount=${figures[name]} currency=${currency}
    to=${row[to]} />` });
const count = (name) => ({ label: label(name), amount: true, cell: ({ figures, claims }) => html`<a
  href=${listAt(claims)}><${Numeral} of=${figures[name]} /></a>` });
const ratio = (name) => ({ label: html`<${Term} name=${name} />`, title: label(name), amount: true,
  cell: (row) => (row[name] === undefined ? '–' : html`<${Percent} of=${row[name]} />
    <${Strip} of=${row[name]} most=${100} to=${listAt(row.claims)} bad=${Number(row[name]) >= 100} />`) });
const premium = (...names) => names.map((name) => figure(name, 'policies'));
const losses = (...names) => names.map((name) => figure(name, 'claims'));

const LINES = () => [{ label: t('line'), cell: (row) => t(`line ${row.line}`) || row.line },
  { label: label('yearOfAccount'), cell: (row) => row.year }, ...premium('written', 'earned', 'received'),
  ...losses('paid', 'outstanding', 'incurred'), ratio('lossRatioWritten'), ratio('lossRatioEarned')];
const BY_MONTH = () => [{ label: t('month'), cell: (row) => row.month },
  ...premium('written', 'earned', 'received', 'refunded'), ...losses('paid', 'incurred')];
const BY_CONTRACT = () => [{ label: label('contract'), cell: (row) => (row.contract
  ? html`<a href=${`#/desk/${encodeURIComponent(row.contract)}`}>${row.contract}</a>` : t('noContract')) },
...premium('written', 'received', 'commission'), ...losses('paid', 'outstanding', 'incurred'),
ratio('lossRatioWritten')];
const BY_CAUSE = () => [{ label: label('cause'), cell: (row) => option('lossCause', row.cause) || '–' },
  count('notified'), count('closed'), ...losses('paid', 'outstanding', 'incurred')];

// Summary is a table of cells of the book, and what picture(cells) makes of them.
const Summary = ({ title, name, query, columns, picture, only = () => true }) => html`<${Part} title=${title}
  data-part=${name} load=${(get) => get(`/x/book/summary?${query}`)} show=${({ data: { cells } }) => html`
    ${picture?.(cells)}<${Table} caption=${title} rows=${cells.filter(only)} columns=${columns}
      empty=${t('nothingInBook')} />`} />`;

// byCurrency draws the months of each currency.
const byCurrency = (cells) => [...new Set(cells.map(({ currency }) => currency))].filter(Boolean)
  .map((currency) => html`<${Months} currency=${currency} caption=${`${t('byMonth')}, ${currency}`}
    rows=${cells.filter((one) => one.currency === currency)}
    lists=${{ written: 'policies', received: 'policies', incurred: 'claims' }} />`);

// Triangle is the loss triangle: a row for each year of account, a column for each quarter of its development. The more
// of the largest amount of its currency a cell has, the darker it is.
function Triangle({ rows }) {
  const most = Math.max(0, ...rows.map(({ steps }) => steps.length));
  const largest = (currency) => Math.max(0, ...rows.filter((one) => one.currency === currency)
    .flatMap(({ steps }) => steps.map(({ amount }) => Number(amount))));
  const columns = [{ label: label('yearOfAccount'), cell: (row) => row.year },
    ...Array.from({ length: most }, (_, i) => ({ label: t('quarterOf', i + 1), amount: true,
      cell: ({ steps, currency }) => (steps[i] ? html`<span class="heat" data-heat=${heat(steps[i].amount,
        largest(currency))}><${Figure} amount=${steps[i].amount} currency=${currency} to=${steps[i].claims} /></span>`
        : '') }))];
  return html`<${Table} caption=${t('triangle')} rows=${rows} columns=${columns} empty=${t('nothingInBook')} />`;
}

const ageOf = ({ fromDays, toDays }) => (fromDays === undefined ? t('notBegun')
  : toDays === undefined ? t('daysFrom', fromDays) : t('daysBetween', fromDays, toDays));

// Aging is what is open by its age.
function Aging({ of, title }) {
  const most = (ages, currency) => Math.max(...ages.filter((one) => one.currency === currency)
    .map(({ open }) => Number(open)));
  return html`<${Part} title=${title} data-part=${`aging-${of}`} load=${(get) => get(`/x/book/aging?of=${of}`)}
    show=${({ data: { ages } }) => html`<${Table} caption=${title} rows=${ages} empty=${t('nothingOpen')} columns=${[
      { label: t('age'), cell: ageOf },
      { label: label(of === 'claims' ? 'claims' : 'policies'), amount: true, cell: (row) => row.count },
      { label: label(of === 'claims' ? 'outstanding' : 'open'), amount: true, cell: (row) => html`<${Figure}
        amount=${row.open} currency=${row.currency} to=${row.rows} /> <${Strip} of=${row.open}
        most=${most(ages, row.currency)} to=${listAt(row.rows)} />` }]} />`} />`;
}

// Limits shows how much of each limit of a contract is used.
const Limits = () => html`<${Part} title=${t('limits')} data-part="limits" load=${async (get) => {
  const [{ data: { contracts } }, cells] = await Promise.all([
    get(`/x/contract?limit=${MOST_CONTRACTS}`), writtenBy(get)]);
  return { rows: limitsOf(contracts, cells), cells };
}} show=${({ rows, cells }) => html`<${Table} caption=${t('limits')} rows=${rows} empty=${t('noLimits')} columns=${[
  { label: label('contract'), cell: ({ reference }) => html`<a href=${`#/desk/${encodeURIComponent(reference)}`}>
    ${reference}</a>` }, ...columnsOf(cells)]} />`} />`;

function Overview() {
  const at = now();
  const from = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - MONTHS + 1)).toISOString().slice(0, 7);
  const to = at.toISOString().slice(0, 7);
  const tab = (name, title, content) => ({ name, title, content });
  return html`<div class="head"><h1>${t('book')}</h1><div class="buttons">${['policies', 'claims', 'movements', 'late']
    .map((name) => html`<a class="button" href=${name === 'policies' || name === 'claims' ? `#/${name}`
      : `#/book/${name}`}>${t(`list ${name}`)}</a>`)}</div></div><p class="lead">${t('bookIs')}</p>
    <${Tabs} of=${[
      tab('lines', t('byLineAndYear'), html`<${Summary} title=${t('byLineAndYear')} name="lines" query="by=line,year"
        columns=${LINES()} />`),
      tab('months', t('byMonth'), html`<${Summary} title=${t('byMonth')} name="months" picture=${byCurrency}
        query=${`by=month&from=${from}&to=${to}`} columns=${BY_MONTH()} />`),
      tab('contracts', t('byContract'), html`<${Summary} title=${t('byContract')} name="contracts" query="by=contract"
        columns=${BY_CONTRACT()} /><${Limits} />`),
      tab('causes', t('byCause'), html`<${Summary} title=${t('byCause')} name="causes" query="by=cause"
        only=${({ cause }) => cause} columns=${BY_CAUSE()} />`),
      tab('triangle', t('triangle'), html`<${Part} title=${t('triangle')} data-part="triangle"
        load=${(get) => get('/x/book/triangle')} show=${({ data }) => html`<p class="quiet">${t('triangleIs')}</p>
          <${Triangle} rows=${data.rows} />`} />`),
      tab('aging', t('byAge'), html`<div class="columns"><${Aging} of="premium" title=${t('openPremium')} />
        <${Aging} of="claims" title=${t('openClaims')} /></div>`),
    ]} />`;
}

export default function Book(given) {
  return given.path.length > 0 ? html`<${BookList} ...${given} />` : html`<${Overview} />`;
}
