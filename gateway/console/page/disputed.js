// Disputed: the items of all comparisons that somebody disputes, by the profile of the file, which is its sender.

import { Instant, PolicyLink, Table } from './dom.js';
import { html } from './html.js';
import { Head, Loaded, listed } from './show.js';
import { label, t } from './words.js';

const MOST_RUNS = 50; // comparisons with disputed items that are read
const MOST_PAGES = 5; // of comparisons that are looked through
const runs = listed('runs', 'cursor');

// disputed reads the disputed items of the newest comparisons that stand, each with its comparison and its profile.
async function disputed(get) {
  const all = [];
  let next = '/x/reconciliation/run?limit=200';
  for (let pages = 0; next && pages < MOST_PAGES; pages += 1) {
    const page = await runs(get, next);
    all.push(...page.data.filter(({ state, decisions }) => state !== 'replaced' && decisions.disputed > 0));
    next = page.next;
  }
  const read = await Promise.all(all.slice(0, MOST_RUNS).map(async (run) => {
    const [{ data: statement }, { data: { items } }] = await Promise.all([
      get(`/x/reconciliation/statement/${run.statement}`),
      get(`/x/reconciliation/run/${run.id}/items?decision=disputed&limit=200`)]);
    return items.map((item) => ({ ...item, id: `${run.id}/${item.number}`, run, profile: statement.profile }));
  }));
  return { rows: read.flat(), more: Boolean(next) || all.length > MOST_RUNS };
}

const cells = ({ cells: all = [] }) => all.map(({ means, theirs, ours }) => html`<div>${means && label(means)}: ${
  theirs || '–'} | ${ours || '–'}</div>`);

const columns = () => [
  { label: label('profile'), cell: (row) => html`<a href=${`#/disputed?${new URLSearchParams({
    profile: row.profile })}`}>${row.profile}</a>` },
  { label: label('against'), cell: ({ run }) => html`<a href=${`#/reconciliation/run/${run.id}`}>${
    run.against.contract} ${run.against.period}</a>` },
  { label: label('policyNumber'), cell: (row) => (row.policyNumber
    ? html`<${PolicyLink} number=${row.policyNumber} />` : '–') },
  { label: t('fileAndRecord'), cell: cells },
  { label: label('reason'), cell: (row) => row.reason },
  { label: label('decidedBy'), cell: (row) => row.decidedBy },
  { label: label('since'), cell: (row) => html`<${Instant} at=${row.since} />` }];

export default function Disputed({ query }) {
  const of = query.get('profile');
  return html`<${Head} title=${t('disputedItems')} lead=${t('disputedAre')} />
    ${of && html`<p>${t('onlyThese', of)} <a class="chip" href="#/disputed" title=${t('filterAway')}>×</a></p>`}
    <${Loaded} load=${disputed} show=${({ rows, more }) => html`<div data-part="disputed"><${Table}
      caption=${t('disputedItems')} columns=${columns()} rows=${rows.filter((row) => !of || row.profile === of)}
      empty=${t('noDisputed')} /></div>${more && html`<p class="quiet">${t('thereIsMore')}</p>`}`} />`;
}
