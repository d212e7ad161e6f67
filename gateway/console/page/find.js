// Find: one box for the number of a policy or a claim, a name, a plate, or a number of a party or a vehicle.

import { mayWrite } from './api.js';
import { PolicyLink, RecordLink, Table, column, party } from './dom.js';
import { html, useLayoutEffect, useRef, useState } from './html.js';
import { Around, PartPages, Section, useLoaded } from './show.js';
import { label, option, t } from './words.js';
import { Empty } from './empty.js';

const PAUSE = 150; // milliseconds without a key before the exchange is asked
const NAMES = [['personal', 'lastName'], ['personal', 'firstName'], ['commercial', 'name'],
  ['insuranceEntity', 'name'], ['vehicle', 'plateNumber']];
const NUMBERS = [['personal', 'idNumber'], ['commercial', 'registrationNumber'],
  ['insuranceEntity', 'registrationNumber'], ['vehicle', 'vin'],
  ...['personal', 'commercial', 'insuranceEntity', 'vehicle'].map((resource) => [resource, 'externalReference'])];
const AT_ONCE = 5; // of how many vehicles one search finds the policies
const CLAIM = ['claimNumber', 'policyNumber', 'claimStatus', 'lossDate', 'reserve'];
// LINE_BY is the line of a policy, by the member that names what it insures.
const LINE_BY = { vehicleId: 'motorCoverage', businessId: 'cyberLiabilityCoverage', travellerIds: 'travelCoverage',
  propertyId: 'propertyCoverage', propertyIds: 'propertyCoverage', debtorId: 'tradeCreditCoverage',
  propertyRef: 'businessInterruptionCoverage', petId: 'petCoverage' };
export const lineOf = (row) => LINE_BY[Object.keys(LINE_BY).find((name) => row[name] !== undefined)];
// covered returns the ids of what a policy insures.
export const covered = (row) => Object.keys(LINE_BY).flatMap((name) => row[name] ?? []);

// own returns the column of the caller's own references, where there are any.
const own = (rows) => (rows.some((row) => row.externalReference) ? [column('externalReference')] : []);

export const Policies = ({ rows }) => html`<${Table} caption=${t('policies')} rows=${rows} columns=${[
  column('policyNumber'), { label: t('line'), cell: (row) => t(`line ${row.resource ?? lineOf(row)}`) },
  ...['status', 'inceptionDate', 'expiryDate'].map(column), ...own(rows)]} />`;

const Claims = ({ rows }) => html`<${Table} caption=${t('claims')} columns=${[...CLAIM.map(column), ...own(rows)]}
  rows=${rows} />`;

const Parties = ({ rows }) => html`<${Table} caption=${t('parties')} rows=${rows} columns=${[
  { label: t('name'), cell: (row) => html`<${RecordLink} resource=${row.resource} id=${row.id}>${party(row)}<//>` },
  { label: t('kind'), cell: (row) => t(`kind ${row.resource}`) },
  { label: label('country'),
    cell: (row) => option('country', row.address?.country || row.registeredAddress?.country || '–') },
  ...own(rows)]} />`;

const Vehicles = ({ rows }) => html`<${Table} caption=${t('vehicles')} rows=${rows} columns=${[
  { label: label('plateNumber'),
    cell: (row) => html`<${RecordLink} resource="vehicle" id=${row.id}>${party(row)}<//>` },
  column('vin'),
  { label: t('policies'),
    cell: (row) => row.policies.map((one, i) => [i > 0 && ', ', html`<${PolicyLink} number=${one.policyNumber} />`]) },
  ...own(rows)]} />`;

const KINDS = { policies: Policies, claims: Claims, parties: Parties, vehicles: Vehicles };

// insured adds to vehicles the policies that insure them.
async function insured(list, ask) {
  const parts = [];
  for (let i = 0; i < list.length; i += AT_ONCE) parts.push(list.slice(i, i + AT_ONCE));
  const all = await Promise.all(parts.map((those) => ask(`/x/search/coverage?${
    those.map(({ id }) => `vehicleId=${id}`).join('&')}&order=newest&limit=50`)));
  return list.map((row) => ({ ...row, policies: all.flat().filter((of) => of.vehicleId === row.id) }));
}

// A character that may be a name by itself.
const WHOLE = /^[\p{sc=Han}\p{sc=Hangul}\p{sc=Hiragana}\p{sc=Katakana}]$/u;

// once returns rows, each once.
const once = (rows) => [...new Map(rows.map((row) => [row.id, row])).values()];

// either returns what paths find together.
const either = async (ask, ...paths) => once((await Promise.all(paths.map(ask))).flat());

// found asks for all that the text may be. Names are sought by their beginnings.
async function found(text, get) {
  const ask = (path) => get(path).then(({ data }) => data);
  const sought = encodeURIComponent(text);
  const upper = encodeURIComponent(text.toUpperCase());
  const of = (list, suffix) => list.map(([resource, field]) => ask(
    `/x/search/${resource}?${field}${suffix}=${sought}&limit=10`)
    .then((rows) => rows.map((row) => ({ ...row, resource }))));
  const [policies, claims, ...others] = await Promise.all([
    either(ask, `/x/search/coverage?policyNumber=${upper}`, `/x/search/coverage?externalReference=${sought}&limit=10`),
    either(ask, `/x/search/claim?claimNumber=${upper}`, `/x/search/claim?externalReference=${sought}&limit=10`),
    ...of(NUMBERS, ''),
    ...of(NAMES.filter(([resource]) => text.length > 1 || resource !== 'vehicle' && WHOLE.test(text)), 'Prefix')]);
  const one = once(others.flat());
  return { of: text, policies, claims, parties: one.filter((row) => row.resource !== 'vehicle'),
    vehicles: await insured(one.filter((row) => row.resource === 'vehicle'), ask) };
}

// openFirst opens the first of what is found for the text that a person has pressed Enter with, once that is shown.
function openFirst(entered) {
  if (entered.current !== document.getElementById('results')?.dataset.of) return;
  entered.current = null;
  document.querySelector('#results [data-row] a')?.click();
}

// Results are what is found for a text.
function Results({ text, entered }) {
  const loaded = useLoaded((get) => found(text, get), [text]);
  useLayoutEffect(() => { if (loaded.data) openFirst(entered); }, [loaded.data]);
  return html`<${Around} of=${loaded} id="results" aria-live="polite" data-of=${loaded.data?.of} show=${(all) => html`
    ${Object.entries(KINDS).map(([name, Kind]) => all[name].length > 0 && html`<${Section} title=${t(name)} key=${name}
      data-part=${name}><${Kind} rows=${all[name]} /><//>`)}
    ${Object.keys(KINDS).every((name) => all[name].length === 0)
      && html`<p class="empty">${t('notFound', all.of)} ${t('whatIsFound')}</p>`}`} />`;
}

export default function Find({ query, again }) {
  const box = useRef();
  const timer = useRef(0);
  const entered = useRef(null);
  const [text, set] = useState((query.get('q') || '').trim());
  const ask = () => {
    const sought = box.current.value.trim();
    history.replaceState(null, '', sought ? `#/find?q=${encodeURIComponent(sought)}` : '#/find');
    set(sought);
  };
  useLayoutEffect(() => {
    box.current.focus();
    return () => clearTimeout(timer.current);
  }, []);
  const typed = () => {
    clearTimeout(timer.current);
    entered.current = null;
    timer.current = setTimeout(ask, PAUSE);
  };
  const open = ({ key }) => {
    if (key !== 'Enter') return;
    clearTimeout(timer.current);
    ask();
    entered.current = box.current.value.trim();
    openFirst(entered);
  };
  return html`<h1>${t('find')}</h1><div class="find"><label for="q" class="unseen">${t('findWhat')}</label>
    <input type="search" id="q" autocomplete="off" spellcheck=${false} placeholder=${t('findWhat')} ref=${box}
      defaultValue=${query.get('q') || ''} onInput=${typed} onKeyDown=${open} />
    ${mayWrite() && html`<a href="#/create" class="button" data-create>${t('createPolicy')}</a>`}</div>
    ${text ? html`<${Results} text=${text} entered=${entered} />` : html`<div id="results" aria-live="polite">
      <${PartPages} title=${t('newest')} path="/x/search/coverage?order=newest&limit=50" show=${(rows) => (
        rows.length === 0 ? html`<${Empty} again=${again} />` : html`<${Policies} rows=${rows} />`)} /></div>`}`;
}
