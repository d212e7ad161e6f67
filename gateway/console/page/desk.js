// Desk: contracts and their periods as a board. A period and a version of it are screens of their own.

import { get } from './api.js';
import { badge, h, instant, members, section, table } from './dom.js';
import { listed, live, pages, part } from './show.js';
import { label, t } from './words.js';
import period, { link } from './period.js';
import version from './version.js';

// last returns the version that decides the state of a period, which is the last one that was not rejected.
const last = ({ versions }) => versions.findLast((one) => one.state !== 'rejected');

// found says how many findings a version has; the errors that nobody has waived come first.
const found = (one) => one && (one.errors + one.warnings === 0 ? t('noFindings')
  : [one.unwaived > 0 && h('span', { class: 'bad' }, t('errorsOpen', one.unwaived), ' '), t('findingsAre', one.errors, one.warnings)]);

// board shows periods: each opens, and its findings open the version that has them.
export const board = (caption, rows) => table(caption, [
  { label: label('period'), cell: (row) => h('a', { href: link(row) }, row.period) },
  { label: label('contract'), cell: (row) => h('a', { href: `#/desk/${encodeURIComponent(row.contract)}` }, row.contract) },
  { label: t('kind'), cell: (row) => t(`bordereau ${row.kind}`) },
  { label: t('stateOf'), cell: (row) => badge(row.state) },
  { label: label('due'), cell: (row) => instant(row.due) },
  { label: t('findings'), cell: (row) => (last(row)
    ? h('a', { href: link(row, last(row).number) }, found(last(row))) : '–') },
], rows, t('noPeriods'));

// overview shows the periods of all contracts or of one.
function overview(root, reference, signal) {
  const load = (path) => get(path, signal);
  const of = reference ? `&contract=${encodeURIComponent(reference)}` : '';
  root.append(h('h1', {}, reference ? `${label('contract')} ${reference}` : t('desk')), h('p', { class: 'lead' }, t('deskIs')));
  if (reference) {
    root.append(part(t('terms'), signal, () => load(`/x/contract/${encodeURIComponent(reference)}`), ({ data }) => members(data),
      { 'data-part': 'contract' }));
  }
  const shown = h('div', {});
  root.append(section(t('periods'), shown));
  shown.dataset.part = 'board';
  live(shown, signal, () => pages(`/x/bordereau?limit=100${of}`, listed(load, 'periods', 'after'),
    (rows) => board(t('periods'), rows)), (list) => list);
}

export default function desk(root, given, signal) {
  const [reference, kind, of, number] = given.path;
  if (number) version(root, given, signal);
  else if (of) period(root, given, signal);
  else overview(root, kind ? undefined : reference, signal);
}
