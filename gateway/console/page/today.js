// Today: what waits for a person.

import { get, now, session } from './api.js';
import { list } from './desk.js';
import { column, h, table } from './dom.js';
import { listed, live, pages, part } from './show.js';
import { t } from './words.js';
import { empty } from './empty.js';

const DAYS = 30;
// Milliseconds until the health is read again: while a service does not respond, and else.
const SOON = 2000;
const LATER = 30000;
const whole = (at) => at.toISOString().replace(/\.\d+Z$/, 'Z');

const claimColumns = () => ['claimNumber', 'policyNumber', 'lossDate', 'claimType', 'reserve'].map(column);
const endingColumns = () => ['policyNumber', 'status', 'inceptionDate', 'expiryDate'].map(column);

// health says which services do not respond, and looks again by itself.
function health(signal) {
  const inside = h('div', {}, h('p', { class: 'empty' }, t('loading')));
  let timer = 0;
  signal.addEventListener('abort', () => clearTimeout(timer));
  const look = () => live(inside, signal, () => get('/x/events?after=now&limit=1', signal), ({ data: { behind } }) => {
    timer = setTimeout(look, behind.length > 0 ? SOON : LATER);
    return behind.length === 0 ? h('p', { class: 'good', 'data-health': 'good' }, t('allRespond'))
      : h('p', { class: 'bad', 'data-health': 'behind' }, t('behind', behind.join(', ')));
  });
  look();
  return h('section', { 'data-part': 'health' }, h('h2', {}, t('health')), inside);
}

export default function today(root, { again }, signal) {
  const load = (path) => get(path, signal);
  const first = () => load('/x/search/coverage?limit=1');
  const claims = (status) => part(t(`claims ${status}`), signal, () => pages(
    `/x/search/claim?claimStatus=${status}&fnolFrom=0001-01-01T00:00:00Z&order=newest&limit=20`, load,
    (rows) => table(t(`claims ${status}`), claimColumns(), rows, t('noClaims'))), (shown) => shown,
  { 'data-part': status });

  // Periods are shown only where somebody has a contract.
  const periods = (state) => h('div', { 'data-part': state });
  const reports = ['overdue', 'due', 'prepared'].map(periods);
  const showReports = async (place) => {
    const state = place.dataset.part;
    const title = t(`periods ${state}`);
    await live(place, signal, () => pages(`/x/bordereau?state=${state}&limit=20`, listed(load, 'periods', 'after'),
      (rows) => rows.length > 0 && h('section', {}, h('h2', {}, title), list(title, rows))), (shown) => shown);
  };
  reports.forEach(showReports);

  const start = h('div', {});
  live(start, signal, first, ({ data }) => data.length === 0 && empty(again));
  async function ending() {
    if (!session.clock) await first(); // the clock of the exchange is known with any response
    const from = now();
    const until = new Date(from.getTime() + DAYS * 86400000);
    return pages(`/x/search/coverage?expiryDateFrom=${whole(from)}&expiryDateTo=${whole(until)
    }&status=in%20force&status=extended&limit=20`, load,
    (rows) => table(t('ending', DAYS), endingColumns(), rows, t('noneEnds', DAYS)));
  }
  root.append(h('h1', {}, t('today')), h('p', { class: 'lead' }, t('whatIsThis')), start, health(signal), ...reports,
    claims('reopened'), claims('open'),
    part(t('ending', DAYS), signal, ending, (shown) => shown, { 'data-part': 'ending' }));
}
