// Decisions: which versions were approved and rejected in a month, by whom and why.

import { clock, now } from './api.js';
import { AmountOf, Badge, Instant, Table } from './dom.js';
import { html } from './html.js';
import { ContractLink, link } from './periods.js';
import { Head, Loaded, listed } from './show.js';
import { label, t } from './words.js';

const MOST_PAGES = 10; // of the periods that are looked through
const BEFORE = 24; // months before the month of the decision whose periods are looked through
const periods = listed('periods', 'after');

// monthOn returns a month some months after another one, such as 2026-11.
const monthOn = (month, by) => new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)) - 1 + by))
  .toISOString().slice(0, 7);

// decided reads the versions that were decided on in a month, the newest decision first.
async function decided(get, asked) {
  if (!asked && !clock.value) await get('/x/bordereau?limit=1'); // the clock is known with any response
  const month = asked || now().toISOString().slice(0, 7);
  const rows = [];
  let next = `/x/bordereau?limit=200&from=${monthOn(month, -BEFORE)}`;
  for (let pages = 0; next && pages < MOST_PAGES; pages += 1) {
    const page = await periods(get, next);
    rows.push(...page.data.flatMap((of) => of.versions.filter((one) => one.decidedAt?.startsWith(month))
      .map((one) => ({ of, ...one }))));
    next = page.next;
  }
  return { month, more: Boolean(next), rows: rows.sort((a, b) => (a.decidedAt < b.decidedAt ? 1 : -1)) };
}

const amounts = ({ of: { kind }, totals, claims = [] }) => (kind === 'claims'
  ? claims.map(({ currency, indemnity }) => html`<${AmountOf} amount=${indemnity.incurred}
    currency=${currency} /> `)
  : totals.map(({ currency, net }) => html`<${AmountOf} amount=${net} currency=${currency} /> `));

const columns = (month) => [
  { label: label('decidedAt'), cell: (row) => html`<${Instant} at=${row.decidedAt} />` },
  { label: label('decidedBy'), cell: (row) => html`<a
    href=${`#/decisions?${new URLSearchParams({ month, by: row.decidedBy })}`}>${row.decidedBy}</a>` },
  { label: t('stateOf'), cell: (row) => html`<${Badge} of=${row.state} />` },
  { label: label('contract'), cell: (row) => html`<${ContractLink} of=${row.of} />` },
  { label: label('version'), cell: (row) => html`<a href=${link(row.of, row.number)}>${
    t(`bordereau ${row.of.kind}`)} ${row.of.period}, ${row.number}</a>` },
  { label: label('amount'), amount: true, cell: amounts },
  { label: label('reason'), cell: (row) => row.reason || '–' }];

export default function Decisions({ query }) {
  const by = query.get('by');
  const turned = (month, on) => `#/decisions?${new URLSearchParams({ month: monthOn(month, on), ...by && { by } })}`;
  return html`<${Head} title=${t('decisions')} /><${Loaded} load=${(get) => decided(get, query.get('month'))}
    show=${({ month, rows, more }) => html`<p class="lead"><a href=${turned(month, -1)}>←</a> ${month} <a
      href=${turned(month, 1)}>→</a> ${by && html`· ${t('onlyThese', by)} <a class="chip" href=${`#/decisions?month=${
      month}`} title=${t('filterAway')}>×</a>`}</p>
      <div data-part="decisions"><${Table} caption=${t('decisions')} columns=${columns(month)}
        rows=${rows.filter((row) => !by || row.decidedBy === by)} empty=${t('noDecisions')} /></div>
      ${more && html`<p class="quiet">${t('thereIsMore')}</p>`}`} />`;
}
