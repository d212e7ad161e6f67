// Board: contracts and their periods. A row is a contract, a column a month, and a cell has a mark for each kind of
// bordereau, which says how far that is and what it comes to.

import { clock, now } from './api.js';
import { AmountOf, Badge, Scroll } from './dom.js';
import { html } from './html.js';
import { ContractLink, ErrorsOpen, Late, last, link } from './periods.js';
import { Loaded, Pages, listed } from './show.js';
import { worth } from './totals.js';
import { label, t } from './words.js';

const MOST_MONTHS = 12;
const KINDS = ['premium', 'claims'];

const monthOf = (year, month) => `${year}-${String(month).padStart(2, '0')}`;

// monthsOf returns the months of a period: one, or the three of a quarter.
export function monthsOf(of) {
  const [, year, quarter, first] = /^(\d{4})-(?:Q([1-4])|(\d{2})-3M)$/.exec(of) || [];
  const from = first ? first - 1 : quarter * 3 - 3;
  return year ? [0, 1, 2].map((on) => monthOf(Number(year) + Math.floor((from + on) / 12), (from + on) % 12 + 1))
    : [of];
}

// Worth is what the last version of a period comes to: the first of its currencies.
function Worth({ of }) {
  const version = last(of);
  const [first, ...more] = version ? worth(of.kind, version) : [];
  return first && html`<span class="worth"><${AmountOf} ...${first} />${more.length > 0 && ' …'}</span>`;
}

// Mark is a period of one kind, which it opens.
const Mark = ({ of }) => html`<div class="mark" data-mark=${of.kind}><a href=${link(of)}>
  <span class="quiet">${t(`bordereau ${of.kind}`)}</span> <${Badge} of=${of.state} /><${Late} of=${of} />
  <${Worth} of=${of} /></a><${ErrorsOpen} of=${last(of)} /></div>`;

// monthsShown returns the columns, from the present month on back to the first one; what is yet to begin is before it.
function monthsShown(rows, from) {
  const present = now().toISOString().slice(0, 7);
  return [...new Set(rows.flatMap((row) => monthsOf(row.period).filter((month) => month >= from
    && (month <= present || row.state === 'scheduled'))))].sort().reverse();
}

// cellsOf returns the cells of a contract. A quarter is as wide as its months.
function cellsOf(periods, months) {
  const cells = [];
  for (let i = 0; i < months.length;) {
    const marks = periods.filter((one) => monthsOf(one.period).includes(months[i]))
      .sort((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind));
    const [one] = marks;
    const all = one ? monthsOf(one.period) : [];
    const wide = Math.max(1, all.filter((month) => months.includes(month)).length);
    cells.push(html`<td colspan=${wide > 1 ? wide : undefined} data-label=${one?.period}>${one && html`<div>
      ${all.length > 1 && html`<span class="quiet span">${one.period}</span>`}
      <div class="marks">${marks.map((mark) => html`<${Mark} of=${mark} />`)}</div></div>`}</td>`);
    i += wide;
  }
  return cells;
}

// Rows are the contracts of some periods. The last one is left out while the list goes on, as it may have more.
function Rows({ rows, more, from }) {
  if (rows.length === 0) return html`<p class="empty">${t('noPeriods')}</p>`;
  const months = monthsShown(rows, from);
  const lanes = [...Map.groupBy(rows, ({ contract, owner }) => JSON.stringify([contract, owner])).values()];
  if (more && lanes.length > 1) lanes.pop();
  return html`<${Scroll} caption=${t('periods')} class="board">
    <thead><tr>${[label('contract'), ...months].map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
    <tbody>${lanes.map((of) => html`<tr data-row><th scope="row"><${ContractLink} of=${of[0]} /></th>
      ${cellsOf(of, months)}</tr>`)}</tbody><//>`;
}

// firstMonth returns the first month of the board.
async function firstMonth(get) {
  if (!clock.value) await get('/x/bordereau?limit=1'); // the clock of the exchange is known with any response
  const at = now();
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - MOST_MONTHS + 1)).toISOString().slice(0, 7);
}

export const Board = () => html`<div data-part="board"><${Loaded} load=${firstMonth} show=${(from) => html`<${Pages}
  path=${`/x/bordereau?limit=200&from=${from}`} list=${listed('periods', 'after')}
  show=${(rows, more) => html`<${Rows} rows=${rows} more=${more} from=${from} />`} />`} /></div>`;
