// Today: what waits for a person.

import { clock, now } from './api.js';
import { Table, column } from './dom.js';
import { covered, lineOf } from './find.js';
import { html } from './html.js';
import { Periods } from './periods.js';
import { Loaded, Pages, Part, PartPages, Section, listed, useAgain, useLoaded } from './show.js';
import { t } from './words.js';
import { Empty } from './empty.js';

const DAYS = 30;
const LATER = 30000; // milliseconds until the health is read again, while all services respond
const AT_ONCE = 5; // of how many holders one search finds the policies
const IN_FORCE = 'status=in%20force&status=extended';
const inDays = (days) => new Date(now().getTime() + days * 86400000).toISOString().replace(/\.\d+Z$/, 'Z');
const first = (get) => get('/x/search/coverage?limit=1');

const CLAIM = ['claimNumber', 'policyNumber', 'lossDate', 'claimType', 'reserve'];
const ENDING = ['policyNumber', 'status', 'inceptionDate', 'expiryDate'];

// Health says which services do not respond, and looks again by itself.
function Health() {
  const loaded = useLoaded((get) => get('/x/events?after=now&limit=1'));
  const { data } = loaded;
  useAgain(loaded, data, data?.data.behind.length > 0 ? undefined : LATER);
  return html`<${Part} title=${t('health')} data-part="health" of=${loaded} show=${({ data: { behind } }) => (
    behind.length === 0 ? html`<p class="good" data-health="good">${t('allRespond')}</p>`
      : html`<p class="bad" data-health="behind">${t('behind', behind.join(', '))}</p>`)} />`;
}

const Claims = ({ status }) => html`<${PartPages} title=${t(`claims ${status}`)} data-part=${status}
  path=${`/x/search/claim?claimStatus=${status}&fnolFrom=0001-01-01T00:00:00Z&order=newest&limit=20`}
  show=${(rows) => html`<${Table} caption=${t(`claims ${status}`)} columns=${CLAIM.map(column)} rows=${rows}
    empty=${t('noClaims')} />`} />`;

// Reports are the periods in a state. They are shown only where somebody has a contract.
const Reports = ({ state }) => html`<${Pages} data-part=${state} path=${`/x/bordereau?state=${state}&limit=20`}
  list=${listed('periods', 'after')} show=${(rows) => rows.length > 0 && html`
    <${Section} title=${t(`periods ${state}`)}><${Periods} caption=${t(`periods ${state}`)} rows=${rows} /><//>`} />`;

// ending returns the list of the policies whose terms end between two days, which are counted from today.
async function ending(get, path, from, to) {
  if (path) return get(path);
  if (!clock.value) await first(get); // the clock of the exchange is known with any response
  return get(`/x/search/coverage?expiryDateFrom=${inDays(from)}&expiryDateTo=${inDays(to)}&${IN_FORCE}&limit=20`);
}

// ended returns the list of the policies that have ended, but for those whose cover goes on: another policy of the
// holder covers the same and has not ended, as a renewal does. Travel policies cover one travel, and are not renewed.
async function ended(get, path) {
  const page = await ending(get, path, -DAYS, 0);
  const over = page.data.filter((one) => lineOf(one) !== 'travelCoverage');
  const holders = [...new Set(over.map((one) => one.policyholderId))];
  const searches = [];
  for (let i = 0; i < holders.length; i += AT_ONCE) {
    searches.push(get(`/x/search/coverage?${holders.slice(i, i + AT_ONCE).map((id) => `policyholderId=${id}`).join('&')
    }&expiryDateFrom=${inDays(0)}&${IN_FORCE}&order=newest&limit=200`));
  }
  const later = (await Promise.all(searches)).flatMap(({ data }) => data);
  const goesOn = (one) => later.some((other) => other.id !== one.id && other.policyholderId === one.policyholderId
    && lineOf(other) === lineOf(one) && covered(other).some((id) => covered(one).includes(id)));
  return { ...page, data: over.filter((one) => !goesOn(one)) };
}

// Terms are policies whose terms end or have ended. Where a page has none and there are more, nothing is said of none.
const Terms = ({ part, list, none }) => html`<${PartPages} title=${t(part, DAYS)} data-part=${part} list=${list}
  show=${(rows, next) => (rows.length > 0 || !next) && html`<${Table} caption=${t(part, DAYS)}
    columns=${ENDING.map(column)} rows=${rows} empty=${t(none, DAYS)} />`} />`;

export default function Today({ again }) {
  return html`<h1>${t('today')}</h1><p class="lead">${t('whatIsThis')}</p>
    <${Loaded} load=${first} show=${({ data }) => data.length === 0 && html`<${Empty} again=${again} />`} />
    <${Health} />${['overdue', 'due', 'prepared'].map((state) => html`<${Reports} state=${state} />`)}
    <${Claims} status="reopened" /><${Claims} status="open" />
    <${Terms} part="ended" list=${ended} none="noneEnded" />
    <${Terms} part="ending" list=${(get, path) => ending(get, path, 0, DAYS)} none="noneEnds" />`;
}
