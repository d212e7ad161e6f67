// Today: what waits for a person.

import { get, now } from './api.js';
import { claimLink, column, h, instant, policyLink, table } from './dom.js';
import { pages, part } from './show.js';
import { t } from './words.js';
import { empty } from './empty.js';

const DAYS = 30;
const whole = (at) => at.toISOString().replace(/\.\d+Z$/, 'Z');

const claimColumns = () => [{ ...column('claimNumber'), cell: (row) => claimLink(row.claimNumber) },
  { ...column('policyNumber'), cell: (row) => policyLink(row.policyNumber) }, column('lossDate'), column('claimType'),
  column('reserve')];

export default async function today(root, { again }, signal) {
  const load = (path) => get(path, signal);
  const claims = (status) => part(t(`claims ${status}`), signal, () => pages(
    `/x/search/claim?claimStatus=${status}&fnolFrom=0001-01-01T00:00:00Z&order=newest&limit=20`, load,
    (rows) => table(t(`claims ${status}`), claimColumns(), rows, t('noClaims'))), (shown) => shown,
  { 'data-part': status });

  const start = h('div', {});
  // The clock of the exchange is known with its first response.
  const first = await get('/x/search/coverage?limit=1', signal).catch(() => null);
  if (signal.aborted) return;
  if (first && first.data.length === 0) start.append(empty(again));
  const from = now();
  const ending = `/x/search/coverage?expiryDateFrom=${whole(from)}&expiryDateTo=${
    whole(new Date(from.getTime() + DAYS * 86400000))}&status=in%20force&status=extended&limit=20`;
  root.append(h('h1', {}, t('today')), h('p', { class: 'lead' }, t('whatIsThis')), start,
    part(t('health'), signal, () => get('/x/events?after=now&limit=1', signal), ({ data }) => (data.behind.length === 0
      ? h('p', { class: 'good', 'data-health': 'good' }, t('allRespond'))
      : h('p', { class: 'bad', 'data-health': 'behind' }, t('behind', data.behind.join(', ')))), { 'data-part': 'health' }),
    claims('reopened'), claims('open'),
    part(t('ending', DAYS), signal, () => pages(ending, load, (rows) => table(t('ending', DAYS),
      [{ ...column('policyNumber'), cell: (row) => policyLink(row.policyNumber) }, column('status'), column('inceptionDate'),
        { ...column('expiryDate'), cell: (row) => instant(row.expiryDate) }], rows, t('noneEnds', DAYS))),
    (shown) => shown, { 'data-part': 'ending' }));
}
