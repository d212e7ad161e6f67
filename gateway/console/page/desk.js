// Desk: contracts and their periods as a board. A period, a version of it and a line of that are screens of their own.

import { clock, get, now } from './api.js';
import { badge, column, h, instant, members, section, table } from './old-dom.js';
import { last, link } from './periods.js';
import { later, listed, live, pages, part } from './old-show.js';
import { label, t } from './words.js';
import period from './period.js';
import version from './version.js';

const line = later(() => import('./source.js'));
const MOST_MONTHS = 12; // of the board; the screen of a contract has all of its periods

const open = (one) => one?.unwaived > 0 && h('span', { class: 'bad' }, t('errorsOpen', one.unwaived));

// found says how many findings a version has; the errors that nobody has waived come first.
const found = (one) => (one.errors + one.warnings === 0 ? t('noFindings')
  : [one.unwaived > 0 && [open(one), '; '], t('findingsAre', one.errors, one.warnings)]);

const contractLink = (reference) => h('a', { href: `#/desk/${encodeURIComponent(reference)}` }, reference);

// list shows periods one below the other: each opens, and its findings open the version that has them.
const list = (caption, rows) => table(caption, [
  { label: label('period'), cell: (row) => h('a', { href: link(row) }, row.period) },
  { label: label('contract'), cell: (row) => contractLink(row.contract) },
  { label: t('kind'), cell: (row) => t(`bordereau ${row.kind}`) },
  { label: t('stateOf'), cell: (row) => badge(row.state) },
  { label: label('due'), cell: (row) => instant(row.due) },
  { label: t('findings'),
    cell: (row) => (last(row) ? h('a', { href: link(row, last(row).number) }, found(last(row))) : '–') },
], rows, t('noPeriods'));

const monthOf = (year, month) => `${year}-${String(month).padStart(2, '0')}`;

// monthsOf returns the months of a period: one, or the three of a quarter.
export function monthsOf(of) {
  const [, year, quarter] = /^(\d{4})-Q([1-4])$/.exec(of) || [];
  return quarter ? [2, 1, 0].map((back) => monthOf(year, quarter * 3 - back)) : [of];
}

// board shows contracts and their periods: a row for each contract and kind, a column for each of the last months. A
// quarter is as wide as three. The last row is left out while the list goes on, as it may have more.
function board(caption, rows, more) {
  if (rows.length === 0) return h('p', { class: 'empty' }, t('noPeriods'));
  const months = [...new Set(rows.flatMap((row) => monthsOf(row.period)))].sort().slice(-MOST_MONTHS);
  const lanes = [...Map.groupBy(rows, ({ contract, kind }) => JSON.stringify([contract, kind])).values()];
  if (more && lanes.length > 1) lanes.pop();
  const cells = (of) => {
    const at = new Map(of.map((one) => [monthsOf(one.period).find((month) => months.includes(month)), one]));
    const shown = [];
    for (let i = 0; i < months.length;) {
      const one = at.get(months[i]);
      const wide = one ? monthsOf(one.period).filter((month) => months.includes(month)).length : 1;
      shown.push(h('td', { colspan: wide > 1 && wide, 'data-label': one && one.period }, one && h('div', {},
        h('a', { href: link(one) }, wide > 1 && [one.period, ' '], badge(one.state)), ' ', open(last(one)))));
      i += wide;
    }
    return shown;
  };
  return h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption }, h('table',
    { class: 'board' }, h('caption', { class: 'unseen' }, caption),
    h('thead', {}, h('tr', {}, [label('contract'), ...months].map((name) => h('th', { scope: 'col' }, name)))),
    h('tbody', {}, lanes.map((of) => h('tr', { 'data-row': true },
      h('th', { scope: 'row' }, contractLink(of[0].contract), ' ', t(`bordereau ${of[0].kind}`)), cells(of))))));
}

// unassigned shows the policies that are in no bordereau, as no contract has them.
const unassigned = (signal) => pages('/x/bordereau/unassigned?limit=20',
  listed((path) => get(path, signal), 'policies', 'after'), (rows, more) => (rows.length > 0 || more)
    && section(t('unassigned'), h('p', { class: 'quiet' }, t('unassignedAre')), table(t('unassigned'), [
      column('policyNumber'), { label: t('line'), cell: (row) => t(`line ${row.line}`) },
      ...['inceptionDate', 'firstReceiptAt', 'firstClaimAt'].map(column)], rows)));

// overview shows the periods of all contracts as a board, or those of one.
function overview(root, reference, signal) {
  const load = (path) => get(path, signal);
  root.append(h('h1', {}, reference ? `${label('contract')} ${reference}` : t('desk')),
    h('p', { class: 'lead' }, t('deskIs')));
  if (reference) {
    root.append(part(t('terms'), signal, () => load(`/x/contract/${encodeURIComponent(reference)}`),
      ({ data }) => members(data), { 'data-part': 'contract' }));
  }
  const shown = h('div', { 'data-part': 'board' });
  root.append(section(t('periods'), shown));
  if (!reference) {
    const none = h('div', { 'data-part': 'unassigned' });
    root.append(none);
    live(none, signal, () => unassigned(signal), (all) => all);
  }
  const from = async () => {
    if (!clock.value) await load('/x/bordereau?limit=1'); // the clock of the exchange is known with any response
    const at = now();
    return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - MOST_MONTHS + 1)).toISOString().slice(0, 7);
  };
  live(shown, signal, async () => pages(`/x/bordereau?limit=200&${reference
    ? `contract=${encodeURIComponent(reference)}` : `from=${await from()}`}`, listed(load, 'periods', 'after'),
  (rows, more) => (reference ? list : board)(t('periods'), rows, more)), (all) => all);
}

export default function desk(root, given, signal) {
  const [reference, kind, of, number, lineId] = given.path;
  if (lineId) line(root, given, signal);
  else if (number) version(root, given, signal);
  else if (of) period(root, given, signal);
  else overview(root, kind ? undefined : reference, signal);
}
