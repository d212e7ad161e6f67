// Claim: reserve and payments over time, documents, and what can be done with it.

import { call, get, mayWrite } from './api.js';
import {
  Badge, Button, Instant, Members, PolicyLink, RecordLink, Table, Technical, WebLink, amountText, column, isAddress,
} from './dom.js';
import { Facts, useBookRow } from './facts.js';
import { Fields, Opened, bodySchema } from './form.js';
import { html } from './html.js';
import { accessTo, may } from './sharing.js';
import { Loaded, Part, Section, Tabs, useLoaded, usePlace } from './show.js';
import { Timeline, events, history } from './timeline.js';
import { label, language, note, option, t } from './words.js';

const FORMS = {
  pay: { method: 'POST', before: '/x', suffix: ':pay', states: ['open', 'reopened'] },
  settle: { method: 'POST', suffix: ':settle', states: ['open', 'reopened'],
    first: ['paymentAmount', 'paymentMethod', 'reason'] },
  closeUnpaid: { method: 'POST', suffix: ':settle', states: ['open', 'reopened'], only: ['reason'], first: ['reason'],
    adds: { paymentAmount: 0 } },
  reopen: { method: 'POST', suffix: ':reopen', states: ['closed'] },
  revise: { method: 'PUT', suffix: '', states: ['open', 'closed', 'reopened'],
    only: ['reserve', 'liabilityShare', 'excessAmount', 'lossCause', 'location', 'description'],
    first: ['reserve', 'liabilityShare'] },
  addDocument: { method: 'POST', suffix: '/documents', states: ['open', 'closed', 'reopened'] },
};

// offered returns the forms that a claim has in its state.
const offered = ({ claimStatus }) => Object.keys(FORMS).filter((name) => FORMS[name].states.includes(claimStatus));

// formOf returns a form about a claim.
async function formOf(name, { record, etag }) {
  const { method, before = '', suffix, only, first, adds } = FORMS[name];
  const path = `/claim/${record.id}`;
  const { document, schema } = await bodySchema(method, `${before}/claim/{id}${suffix}`);
  // What a form adds by itself makes the fields that it has required.
  const fields = new Fields({ document, schema: adds ? { ...schema, required: only } : schema }, {
    form: `${name} ${record.id}`, given: only && !adds ? record : {}, only, first, changes: Boolean(only && !adds) });
  return { id: name, method, path: before + path + suffix, title: t(name), send: t(name), record, etag,
    groups: [{ fields }], reread: () => get(path),
    ...adds && { body: () => ({ ...fields.body(), ...adds }) } };
}

// moneyOverTime returns the reserve and the sum of the payments after each event: [{at, reserve, paid}].
function moneyOverTime({ entries }) {
  return entries.filter((entry) => entry.state).map(({ at, state }) => ({ at, reserve: Number(state.reserve || 0),
    paid: (state.payments || []).reduce((sum, one) => sum + Number(one.paymentAmount), 0) }));
}

// Chart draws both as steps over time, with the largest amount and the days at both ends. The figures are in the table
// and the timeline; the picture is for the eye.
function Chart({ points, currency }) {
  const [width, height, left, edge] = [640, 190, 96, 24];
  const most = Math.max(...points.flatMap((one) => [one.reserve, one.paid]), 1);
  const times = points.map(({ at }) => new Date(at).getTime());
  const span = Math.max(times.at(-1) - times[0], 1);
  const x = (i) => (i === points.length ? width - edge
    : left + ((times[i] - times[0]) / span) * (width - left - 2 * edge));
  const y = (of) => height - edge - (of / most) * (height - 2 * edge);
  const steps = (name) => points.map((one, i) => (
    `${i ? 'L' : 'M'}${x(i)},${y(one[name])} L${x(i + 1)},${y(one[name])}`)).join(' ');
  const amount = (of) => (currency ? amountText(of, currency) : String(of));
  const format = new Intl.DateTimeFormat(language(), { dateStyle: 'medium', timeZone: 'UTC' });
  const day = (at) => format.format(new Date(at));
  return html`<figure><svg viewBox=${`0 0 ${width} ${height}`} role="img" aria-label=${t('moneyOverTime')}>
    <path d=${`M${left},${edge} V${height - edge} H${width - edge}`} class="axis" />
    <text x=${left - 8} y=${edge + 4} text-anchor="end">${amount(most)}</text>
    <text x=${left - 8} y=${height - edge} text-anchor="end">0</text>
    <text x=${left} y=${height - 6}>${day(times[0])}</text>
    ${times.at(-1) > times[0] && html`<text x=${width - edge} y=${height - 6} text-anchor="end">
      ${day(times.at(-1))}</text>`}
    <path d=${steps('reserve')} class="reserve" /><path d=${steps('paid')} class="paid" /></svg>
    <figcaption>${['reserve', 'paid'].map((name) => html`<span class=${`key ${name}`}>${label(name)}</span> `)}
    </figcaption></figure>`;
}

// unusual returns the warnings that the creation of such a claim gets. Nothing is written.
async function unusual(record, signal) {
  const names = ['policyNumber', 'fnol', 'lossDate', 'claimType', 'lossCause'];
  const given = names.filter((name) => record[name]).map((name) => [name, record[name]]);
  const body = JSON.stringify(Object.fromEntries(given));
  return (await call('POST', '/x/claim/admissibility', { body, signal })).data.warnings;
}

// Documents are those of a claim: links where they are addresses of the web.
const Documents = ({ of }) => html`<${Table} caption=${t('documents')} columns=${[
  { label: t('address'), cell: (row) => (isAddress(row.url) ? html`<${WebLink} to=${row.url} />` : row.url) },
  { label: t('kind'), cell: (row) => row.type || '–' }]}
  rows=${(of.documents || []).map((url, i) => ({ url, type: of.documentTypes?.[i] }))} />`;

const Warnings = ({ of }) => (of.length === 0 ? html`<p class="empty">${t('noWarnings')}</p>`
  : html`<ul>${of.map((one) => html`<li><strong>${note(one)}</strong> <${Technical}
    of=${one.detail} /></li>`)}</ul>`);

// BESIDE are the members of a claim that are shown beside its record.
const BESIDE = ['id', 'claimNumber', 'policyNumber', 'claimStatus', 'payments', 'documents', 'documentTypes',
  'warnings'];
const PAYMENT = ['paidAt', 'recordedAt', 'paymentMethod', 'paymentAmount'];
const receiptColumns = () => [{ ...column('receiptDate'), cell: (row) => html`<${RecordLink} resource="receipt"
  id=${row.id}>${column('receiptDate').cell(row)}<//>` }, column('receiptType'), column('paymentAmount')];

// FACTS are the figures of a claim, as the book has them.
const FACTS = ['reserve', 'paid', 'outstanding', 'incurred'];

// Lead says in a line what the claim is: its state and policy, who and what is insured, what happened and when.
const Lead = ({ record, row }) => html`<p class="lead wide"><${Badge} of=${record.claimStatus} />${[
  html`<${PolicyLink} number=${record.policyNumber} />`, row?.insured, row?.line && t(`line ${row.line}`),
  record.lossCause && option('lossCause', record.lossCause), html`<${Instant} at=${record.lossDate} />`]
  .filter(Boolean).map((part, i) => html`${i > 0 ? ' · ' : ' '}${part}`)}</p>`;

function Whole({ record, etag, access, again }) {
  const past = useLoaded((read) => history(read, 'claim', record.id));
  const row = useBookRow('claims', 'claimNumber', record.claimNumber);
  const [place, put] = usePlace('act');
  const make = async (name) => ({ ...await formOf(name, { record, etag }), cancel: () => put(null), done: again });
  return html`<${Lead} record=${record} row=${row} /><${Facts} row=${row} names=${FACTS} />
    ${mayWrite() && may(access, 'claims') && html`<div class="buttons">${offered(record).map((name, i) => html`
      <${Button} data-action=${name} class=${i === 0 && 'primary'}
      onClick=${() => put(html`<${Opened} make=${() => make(name)} />`)}>${t(name)}<//>`)}</div>`}
    ${place}
    <div class="columns">
      <${Section} title=${t('record')} data-part="record"><${Members} of=${record} leave=${BESIDE} /><//>
      <div><${Part} title=${t('moneyOverTime')} data-part="chart" of=${past}
          show=${(read) => html`<${Chart} points=${moneyOverTime(read)} currency=${row?.currency} />`} />
        <${Section} title=${t('payments')} data-part="payments"><${Table} caption=${t('payments')}
          columns=${PAYMENT.map(column)} rows=${record.payments || []} /><//></div></div>
    <${Tabs} of=${[{ name: 'timeline', title: t('timeline'), content: html`<${Part} title=${t('timeline')}
      data-part="timeline" of=${past} show=${(read) => html`<${Timeline} of=${events(read)} />`} />` },
    { name: 'documents', title: html`${t('documents')} <span class="count">${(record.documents || []).length}</span>`,
      content: html`<${Section} title=${t('documents')}><${Documents} of=${record} /><//>` },
    { name: 'receipts', title: t('receipts'), content: html`<${Part} title=${t('receipts')} data-part="receipts"
      load=${(read) => read(`/receipt?claimNumber=${encodeURIComponent(record.claimNumber)}`)}
      show=${({ data }) => html`<${Table} caption=${t('receipts')} columns=${receiptColumns()} rows=${data} />`} />` },
    { name: 'warnings', title: t('warnings'), content: html`<${Part} title=${t('warnings')} data-part="warnings"
      load=${(_, signal) => unusual(record, signal)} show=${(of) => html`<${Warnings} of=${of} />`} />` }]} />`;
}

// whole reads a claim. The record with its ETag is what a person sees, and what a change of theirs is a change of.
async function whole(read, number) {
  const { data } = await read(`/claim?claimNumber=${encodeURIComponent(number)}`);
  if (data.length === 0) return null;
  const [{ data: record, etag }, access] = await Promise.all([read(`/claim/${data[0].id}`),
    accessTo(read, data[0].policyNumber)]);
  return { record, etag, access };
}

export default function Claim({ path: [number], again }) {
  return html`<h1>${t('claim')} ${number}</h1><${Loaded} load=${(read) => whole(read, number)} show=${(found) => (found
    ? html`<${Whole} ...${found} again=${again} />` : html`<p class="empty">${t('notFound', number)}</p>`)} />`;
}
