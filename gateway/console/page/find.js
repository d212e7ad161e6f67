// Find: all that a text finds, or the newest policies without one. The text stands in the box of the header.

import { mayWrite } from './api.js';
import { PolicyLink, RecordLink, Table, column, party } from './dom.js';
import { html } from './html.js';
import { lineOf, seek } from './seek.js';
import { Around, Head, PartPages, Section, useLoaded } from './show.js';
import { label, option, t } from './words.js';
import { Empty } from './empty.js';

const CLAIM = ['claimNumber', 'policyNumber', 'claimStatus', 'lossDate', 'reserve'];

// own returns the column of the caller's own references, where there are any.
const own = (rows) => (rows.some((row) => row.externalReference) ? [column('externalReference')] : []);

// insuredOf and objectOf return the name of the holder of a policy, and what it insures, as far as the row says it.
export const insuredOf = (row) => row.insured ?? (row.policyholder ? party(row.policyholder) : '');
export const objectOf = (row) => row.object ?? row.vehicle?.plateNumber ?? '';

// named returns columns of what rows say by themselves, where any does.
const named = (rows) => [['insured', insuredOf], ['object', objectOf]].filter(([, of]) => rows.some(of))
  .map(([name, of]) => ({ label: label(name), cell: (row) => of(row) || '–' }));

export const Policies = ({ rows, title = t('policies') }) => html`<${Table} caption=${title} rows=${rows} columns=${[
  column('policyNumber'), ...named(rows), { label: t('line'), cell: (row) => t(`line ${lineOf(row)}`) },
  ...['status', 'inceptionDate', 'expiryDate'].map(column), ...own(rows)]} />`;

const Theirs = ({ rows }) => html`<${Policies} rows=${rows} title=${t('belonging')} />`;

const Claims = ({ rows }) => html`<${Table} caption=${t('claims')} columns=${[...CLAIM.map(column), ...own(rows)]}
  rows=${rows.map((row) => ({ claimStatus: row.status, ...row }))} />`;

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

// KINDS are the kinds of what is found, in the order in which they are shown.
const KINDS = { policies: Policies, claims: Claims, parties: Parties, vehicles: Vehicles, belonging: Theirs };

// Results are what is found for a text.
function Results({ text }) {
  const loaded = useLoaded((get) => seek(text, get), [text]);
  return html`<${Around} of=${loaded} id="results" aria-live="polite" data-of=${loaded.data?.of} show=${(all) => html`
    ${Object.entries(KINDS).map(([name, Kind]) => all[name].length > 0 && html`<${Section} title=${t(name)} key=${name}
      data-part=${name}><${Kind} rows=${all[name]} /><//>`)}
    ${Object.keys(KINDS).every((name) => all[name].length === 0)
      && html`<p class="empty">${t('notFound', all.of)} ${t('whatIsFound')}</p>`}`} />`;
}

export default function Find({ query, again }) {
  const text = (query.get('q') || '').trim();
  return html`<${Head} title=${text ? t('foundFor', text) : t('find')}>${mayWrite() && html`<a href="#/create"
    class="button primary" data-create>${t('createPolicy')}</a>`}<//>
    ${text ? html`<${Results} text=${text} />` : html`<div id="results" aria-live="polite">
      <${PartPages} title=${t('newest')} path="/x/search/coverage?order=newest&limit=50&expand=policyholder,vehicle"
        show=${(rows) => (rows.length === 0 ? html`<${Empty} again=${again} />`
    : html`<${Policies} rows=${rows} />`)} /></div>`}`;
}
