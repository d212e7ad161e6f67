// Book: what was written, received and paid, added up. Each figure opens the list that it is the sum of.

import { now } from './api.js';
import { AmountOf, Numeral, Percent, Table } from './dom.js';
import { html } from './html.js';
import { Part, Section, later } from './show.js';
import { label, t } from './words.js';

const MONTHS = 12; // of premium by month
const BookList = later(() => import('./booklist.js'));

// Figure is an amount of a currency, if that is known, which opens a list of the book.
export function Figure({ amount, currency, to }) {
  const shown = currency ? html`<${AmountOf} amount=${amount} currency=${currency} />`
    : html`<${Numeral} of=${amount} />`;
  return to ? html`<a href=${to.replace('/x/', '#/')}>${shown}</a>` : shown;
}

const figure = (name, to) => ({ label: label(name), amount: true,
  cell: ({ figures, currency, ...row }) => html`<${Figure} amount=${figures[name]} currency=${currency}
    to=${row[to]} />` });
const ratio = (name) => ({ label: label(name), amount: true,
  cell: (row) => (row[name] === undefined ? '–' : html`<${Percent} of=${row[name]} />`) });
const premium = (...names) => names.map((name) => figure(name, 'policies'));
const losses = (...names) => names.map((name) => figure(name, 'claims'));

const LINES = () => [{ label: t('line'), cell: (row) => t(`line ${row.line}`) || row.line },
  { label: label('yearOfAccount'), cell: (row) => row.year }, ...premium('written', 'earned', 'received'),
  ...losses('paid', 'outstanding', 'incurred'), ratio('lossRatioWritten'), ratio('lossRatioEarned')];
const BY_MONTH = () => [{ label: t('month'), cell: (row) => row.month },
  ...premium('written', 'earned', 'received', 'refunded'), ...losses('paid', 'incurred')];

// Summary is a table of cells of the book.
const Summary = ({ title, name, query, columns }) => html`<${Part} title=${title} data-part=${name}
  load=${(get) => get(`/x/book/summary?${query}`)} show=${({ data: { cells } }) => html`<${Table} caption=${title}
    rows=${cells} columns=${columns} empty=${t('nothingInBook')} />`} />`;

// Triangle is the loss triangle: a row for each year of account, a column for each quarter of its development.
function Triangle({ rows }) {
  const most = Math.max(0, ...rows.map(({ steps }) => steps.length));
  const columns = [{ label: label('yearOfAccount'), cell: (row) => row.year },
    ...Array.from({ length: most }, (_, i) => ({ label: t('quarterOf', i + 1), amount: true,
      cell: ({ steps, currency }) => (steps[i] ? html`<${Figure} amount=${steps[i].amount} currency=${currency}
        to=${steps[i].claims} />` : '') }))];
  return html`<${Table} caption=${t('triangle')} rows=${rows} columns=${columns} empty=${t('nothingInBook')} />`;
}

const ageOf = ({ fromDays, toDays }) => (fromDays === undefined ? t('notBegun')
  : toDays === undefined ? t('daysFrom', fromDays) : t('daysBetween', fromDays, toDays));

// Aging is what is open by its age.
const Aging = ({ of, title }) => html`<${Part} title=${title} data-part=${`aging-${of}`}
  load=${(get) => get(`/x/book/aging?of=${of}`)} show=${({ data: { ages } }) => html`<${Table} caption=${title}
    rows=${ages} empty=${t('nothingOpen')} columns=${[{ label: t('age'), cell: ageOf },
      { label: label(of === 'claims' ? 'claims' : 'policies'), amount: true, cell: (row) => row.count },
      { label: label(of === 'claims' ? 'outstanding' : 'open'), amount: true, cell: (row) => html`<${Figure}
        amount=${row.open} currency=${row.currency} to=${row.rows} />` }]} />`} />`;

function Overview() {
  const at = now();
  const from = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - MONTHS + 1)).toISOString().slice(0, 7);
  const to = at.toISOString().slice(0, 7);
  return html`<h1>${t('book')}</h1><p class="lead">${t('bookIs')}</p>
    <${Section} title=${t('lists')}><ul class="examples">${['policies', 'claims', 'movements', 'late']
      .map((name) => html`
      <li><a href=${`#/book/${name}`}>${t(`list ${name}`)}</a></li>`)}</ul><//>
    <${Summary} title=${t('byLineAndYear')} name="lines" query="by=line,year" columns=${LINES()} />
    <${Summary} title=${t('byMonth')} name="months" query=${`by=month&from=${from}&to=${to}`} columns=${BY_MONTH()} />
    <${Part} title=${t('triangle')} data-part="triangle" load=${(get) => get('/x/book/triangle')}
      show=${({ data }) => html`<p class="quiet">${t('triangleIs')}</p><${Triangle} rows=${data.rows} />`} />
    <div class="columns"><${Aging} of="premium" title=${t('openPremium')} />
      <${Aging} of="claims" title=${t('openClaims')} /></div>`;
}

export default function Book(given) {
  return given.path.length > 0 ? html`<${BookList} ...${given} />` : html`<${Overview} />`;
}
