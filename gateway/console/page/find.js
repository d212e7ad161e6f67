// Find: one box for the number of a policy or a claim, a name, or a number of a party.

import { get, mayWrite } from './api.js';
import { column, h, party, recordLink, replace, table } from './dom.js';
import { live, pages, part } from './show.js';
import { label, t } from './words.js';
import { empty } from './empty.js';

const PAUSE = 150; // milliseconds without a key before the exchange is asked
const NAMES = [['personal', 'lastName'], ['personal', 'firstName'], ['commercial', 'name'],
  ['insuranceEntity', 'name']];
const NUMBERS = [['personal', 'idNumber'], ['commercial', 'registrationNumber'],
  ['insuranceEntity', 'registrationNumber']];

const policyColumns = () => [column('policyNumber'),
  { label: t('line'), cell: (row) => t(`line ${row.resource ?? lineOf(row)}`) },
  column('status'), column('inceptionDate'), column('expiryDate')];

// lineOf returns the line of a policy, by the member that names what it insures.
function lineOf(row) {
  const by = { vehicleId: 'motorCoverage', businessId: 'cyberLiabilityCoverage', travellerIds: 'travelCoverage',
    propertyId: 'propertyCoverage', propertyIds: 'propertyCoverage', debtorId: 'tradeCreditCoverage',
    propertyRef: 'businessInterruptionCoverage', petId: 'petCoverage' };
  return by[Object.keys(by).find((name) => row[name] !== undefined)];
}

export const policies = (rows) => table(t('policies'), policyColumns(), rows, t('nothing'));

const claims = (rows) => table(t('claims'), ['claimNumber', 'policyNumber', 'claimStatus', 'lossDate', 'reserve']
  .map(column), rows);

const parties = (rows) => table(t('parties'), [
  { label: t('name'), cell: (row) => recordLink(row.resource, row.id, party(row)) },
  { label: t('kind'), cell: (row) => t(`kind ${row.resource}`) },
  { label: label('country'), cell: (row) => row.address?.country || row.registeredAddress?.country || '–' }], rows);

// found asks for all that the text may be. Names are sought by their beginnings.
async function found(text, signal) {
  const ask = (path) => get(path, signal).then(({ data }) => data);
  const sought = encodeURIComponent(text);
  const upper = encodeURIComponent(text.toUpperCase());
  const of = (list, suffix) => list.map(([resource, field]) => ask(
    `/x/search/${resource}?${field}${suffix}=${sought}&limit=10`)
    .then((rows) => rows.map((row) => ({ ...row, resource }))));
  const [byPolicy, byClaim, ...byParty] = await Promise.all([ask(`/x/search/coverage?policyNumber=${upper}`),
    ask(`/x/search/claim?claimNumber=${upper}&limit=10`), ...of(NUMBERS, ''),
    ...(text.length > 1 ? of(NAMES, 'Prefix') : [])]);
  const one = new Map(byParty.flat().map((row) => [row.id, row]));
  return { policies: byPolicy, claims: byClaim, parties: [...one.values()] };
}

export default function find(root, { query, again }, signal) {
  const results = h('div', { id: 'results', 'aria-live': 'polite' });
  const box = h('input', { type: 'search', id: 'q', autocomplete: 'off', spellcheck: 'false',
    placeholder: t('findWhat') });
  box.value = query.get('q') || '';
  let timer = 0;
  let under = new AbortController();
  signal.addEventListener('abort', () => { clearTimeout(timer); under.abort(); });

  const newest = () => replace(results, part(t('newest'), under.signal, () => pages(
    '/x/search/coverage?order=newest&limit=50', (path) => get(path, signal),
    (rows) => (rows.length === 0 ? empty(again) : policies(rows))), (shown) => shown));

  function ask() {
    under.abort();
    under = new AbortController();
    const text = box.value.trim();
    history.replaceState(null, '', text ? `#/find?q=${encodeURIComponent(text)}` : '#/find');
    if (text === '') { newest(); return; }
    live(results, under.signal, () => found(text, under.signal), (all) => {
      results.dataset.of = text;
      return Object.entries({ policies, claims, parties }).map(([name, shown]) => all[name].length > 0
        && h('section', { 'data-part': name }, h('h2', {}, t(name)), shown(all[name]))).concat(
        Object.values(all).every((rows) => rows.length === 0)
          && h('p', { class: 'empty' }, t('notFound', text), ' ', t('whatIsFound')));
    });
  }

  box.addEventListener('input', () => { clearTimeout(timer); timer = setTimeout(ask, PAUSE); });
  box.addEventListener('keydown', (event) => {
    const first = event.key === 'Enter' && results.querySelector('[data-row] a');
    if (first) first.click();
  });
  root.append(h('h1', {}, t('find')), h('div', { class: 'find' },
    h('label', { for: 'q', class: 'unseen' }, t('findWhat')), box,
    mayWrite() && h('a', { href: '#/create', class: 'button', 'data-create': true }, t('createPolicy'))), results);
  box.focus();
  ask();
}
