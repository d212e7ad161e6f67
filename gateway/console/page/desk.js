// Desk: contracts and their periods as a board. A period, a version of it and a line of that are screens of their own.

import { clock, interfaceDocument, mayWrite, now } from './api.js';
import { Badge, Button, Members, Scroll, Table, column } from './dom.js';
import { Fields, Opened } from './form.js';
import { html } from './html.js';
import {
  ContractLink, ErrorsOpen, Late, Owner, Periods, address, asked, foreign, last, link,
} from './periods.js';
import { Loaded, Pages, Part, Section, later, listed, usePlace } from './show.js';
import { label, t } from './words.js';
import Period from './period.js';
import Version from './version.js';

const Line = later(() => import('./source.js'));
const MOST_MONTHS = 12; // of the board; the screen of a contract has all of its periods
const MOST_PAGES = 10; // of contracts to choose from; with more, the reference is typed
const contracts = listed('contracts', 'after');

const monthOf = (year, month) => `${year}-${String(month).padStart(2, '0')}`;

// monthsOf returns the months of a period: one, or the three of a quarter.
export function monthsOf(of) {
  const [, year, quarter, first] = /^(\d{4})-(?:Q([1-4])|(\d{2})-3M)$/.exec(of) || [];
  const from = first ? first - 1 : quarter * 3 - 3;
  return year ? [0, 1, 2].map((on) => monthOf(Number(year) + Math.floor((from + on) / 12), (from + on) % 12 + 1))
    : [of];
}

// Board shows contracts and their periods: a row for each contract of an owner and kind, a column for each of the last
// months. A quarter is as wide as three. The last row is left out while the list goes on, as it may have more.
function Board({ caption, rows, more }) {
  if (rows.length === 0) return html`<p class="empty">${t('noPeriods')}</p>`;
  const months = [...new Set(rows.flatMap((row) => monthsOf(row.period)))].sort().slice(-MOST_MONTHS);
  const laneOf = ({ contract, owner, kind }) => JSON.stringify([contract, owner, kind]);
  const lanes = [...Map.groupBy(rows, laneOf).values()];
  if (more && lanes.length > 1) lanes.pop();
  const cells = (of) => {
    const at = new Map(of.map((one) => [monthsOf(one.period).find((month) => months.includes(month)), one]));
    const shown = [];
    for (let i = 0; i < months.length;) {
      const one = at.get(months[i]);
      const wide = one ? monthsOf(one.period).filter((month) => months.includes(month)).length : 1;
      shown.push(html`<td colspan=${wide > 1 ? wide : undefined} data-label=${one?.period}>${one && html`<div>
        <a href=${link(one)}>${wide > 1 && `${one.period} `}<${Badge} of=${one.state} /></a><${Late} of=${one} />
        ${' '}<${ErrorsOpen} of=${last(one)} /></div>`}</td>`);
      i += wide;
    }
    return shown;
  };
  return html`<${Scroll} caption=${caption} class="board">
    <thead><tr>${[label('contract'), ...months].map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
    <tbody>${lanes.map((of) => html`<tr data-row><th scope="row"><${ContractLink} of=${of[0]} /> ${
      t(`bordereau ${of[0].kind}`)}</th>${cells(of)}</tr>`)}</tbody><//>`;
}

// references returns the references of the contracts to which the person assigns policies, which are those of the own
// organisation; undefined where there are too many to choose from.
async function references(read) {
  const all = [];
  let next = '/x/contract?limit=200';
  for (let pages = 0; next; pages += 1) {
    if (pages === MOST_PAGES) return undefined;
    const page = await contracts(read, next);
    all.push(...page.data.filter((one) => !foreign(one)).map(({ reference }) => reference));
    next = page.next;
  }
  return all;
}

// assignmentOf returns the form that assigns a policy to a contract: one of those that there are.
async function assignmentOf(read, number) {
  const [document, known] = await Promise.all([interfaceDocument(), references(read)]);
  const { description, schema } = document.components.parameters.contract;
  const contract = { ...schema, description, enum: known };
  const fields = new Fields({ document, schema: { properties: { contract }, required: ['contract'] } },
    { form: `assign ${number}` });
  return { id: 'assign', method: 'PUT', title: t('assignTo', number), send: t('assign'), groups: [{ fields }],
    before: known?.length === 0 && html`<p class="empty">${t('noPeriods')}</p>`,
    inPath: true, body: () => undefined,
    path: () => address({ contract: fields.body().contract ?? '' }, `/policy/${encodeURIComponent(number)}`) };
}

// Unassigned shows the policies that are in no bordereau, as no contract has them, and assigns one to a contract.
function Unassigned({ again }) {
  const [place, put] = usePlace('act');
  const assign = (number) => put(html`<${Opened}
    make=${async (read) => ({ ...await assignmentOf(read, number), cancel: () => put(null), done: again })} />`);
  const columns = [column('policyNumber'), { label: t('line'), cell: (row) => t(`line ${row.line}`) },
    ...['inceptionDate', 'firstReceiptAt', 'firstClaimAt'].map(column)];
  if (mayWrite()) {
    columns.push({ label: label('contract'), cell: ({ policyNumber }) => html`<${Button} data-action="assign"
      aria-label=${t('assignTo', policyNumber)} onClick=${() => assign(policyNumber)}>${t('assign')}<//>` });
  }
  return html`<${Pages} data-part="unassigned" path="/x/bordereau/unassigned?limit=20"
    list=${listed('policies', 'after')} show=${(rows, more) => (rows.length > 0 || more) && html`
      <${Section} title=${t('unassigned')}><p class="quiet">${t('unassignedAre', t('assign'))}</p>${place}
        <${Table} caption=${t('unassigned')} rows=${rows} columns=${columns} /><//>`} />`;
}

// firstMonth returns the first month of the board.
async function firstMonth(get) {
  if (!clock.value) await get('/x/bordereau?limit=1'); // the clock of the exchange is known with any response
  const at = now();
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - MOST_MONTHS + 1)).toISOString().slice(0, 7);
}

const Listed = ({ path, show }) => html`<${Pages} path=${path} list=${listed('periods', 'after')} show=${show} />`;

// Overview shows the periods of all contracts as a board, or those of one (of).
const Overview = ({ of, again }) => html`<h1>${of ? html`${label('contract')} ${of.contract}<${Owner} of=${of} />`
  : t('desk')}</h1>
  <p class="lead">${t('deskIs')}</p>
  ${of && html`<${Part} title=${t('terms')} data-part="contract" show=${({ data }) => html`<${Members}
    of=${data} />`} load=${(get) => get(address(of))} />`}
  <${Section} title=${t('periods')}><div data-part="board">${of
    ? html`<${Listed} path=${`/x/bordereau${asked(of, { limit: 200, contract: of.contract })}`}
      show=${(rows) => html`<${Periods} caption=${t('periods')} rows=${rows} />`} />`
    : html`<${Loaded} load=${firstMonth} show=${(from) => html`<${Listed} path=${`/x/bordereau?limit=200&from=${from}`}
      show=${(rows, more) => html`<${Board} caption=${t('periods')} rows=${rows} more=${more} />`} />`} />`}
  </div><//>
  ${!of && html`<${Unassigned} again=${again} />`}`;

export default function Desk(given) {
  const [contract, kind, period, number, lineId] = given.path;
  const at = { contract, kind, period, owner: given.query.get('owner') };
  if (lineId) return html`<${Line} ...${given} at=${at} />`;
  if (number) return html`<${Version} ...${given} at=${at} />`;
  if (period) return html`<${Period} ...${given} at=${at} />`;
  return html`<${Overview} of=${contract && !kind ? at : undefined} again=${given.again} />`;
}
