// Today: what waits for a person.

import { clock, now } from './api.js';
import { Table, column } from './dom.js';
import { html } from './html.js';
import { Periods } from './periods.js';
import { Loaded, Pages, Part, PartPages, Section, listed, useAgain, useLoaded } from './show.js';
import { t } from './words.js';
import { Empty } from './empty.js';

const DAYS = 30;
const LATER = 30000; // milliseconds until the health is read again, while all services respond
const whole = (at) => at.toISOString().replace(/\.\d+Z$/, 'Z');
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

// ending returns the list of the policies that end within some days.
async function ending(get, path) {
  if (path) return get(path);
  if (!clock.value) await first(get); // the clock of the exchange is known with any response
  const from = now();
  const until = new Date(from.getTime() + DAYS * 86400000);
  return get(`/x/search/coverage?expiryDateFrom=${whole(from)}&expiryDateTo=${whole(until)
  }&status=in%20force&status=extended&limit=20`);
}

export default function Today({ again }) {
  return html`<h1>${t('today')}</h1><p class="lead">${t('whatIsThis')}</p>
    <${Loaded} load=${first} show=${({ data }) => data.length === 0 && html`<${Empty} again=${again} />`} />
    <${Health} />${['overdue', 'due', 'prepared'].map((state) => html`<${Reports} state=${state} />`)}
    <${Claims} status="reopened" /><${Claims} status="open" />
    <${PartPages} title=${t('ending', DAYS)} data-part="ending" list=${ending} show=${(rows) => html`<${Table}
      caption=${t('ending', DAYS)} columns=${ENDING.map(column)} rows=${rows} empty=${t('noneEnds', DAYS)} />`} />`;
}
