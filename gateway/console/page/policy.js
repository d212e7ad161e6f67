// Policy: the whole of it, and what can be done with it.

import { Problem, get, mayWrite } from './api.js';
import { Button, Instant, Members, PolicyLink, RecordLink, Status, Table, amountText, column, party } from './dom.js';
import { Facts, useBookRow } from './facts.js';
import { Fields, Opened, bodySchema } from './form.js';
import { html } from './html.js';
import { Share, Sharing, accessTo, may, owns } from './sharing.js';
import { Loaded, Part, Section, Tabs, usePlace } from './show.js';
import { Timeline, events, history } from './timeline.js';
import { label, option, t } from './words.js';

// ACTIONS are those on a policy, with the states in which it has them.
const ACTIONS = { endorse: ['in force'], cancel: ['in force'], renew: ['in force', 'extended'] };
// ADDED are records about the policy that can be created from here, with the fields that come first and the right that
// another organisation needs.
const ADDED = {
  claim: { first: ['lossDate', 'claimType', 'fnol', 'lossCause', 'reserve'], right: 'claims' },
  receipt: { first: [], right: 'premium' },
};

// actionOf returns the form of an action.
async function actionOf(action, { resource, record, etag, access }) {
  const path = `/${resource}/${record.id}`;
  // The next term begins where this one ends, unless the form says otherwise.
  const given = action === 'endorse' ? record : { ...record, inceptionDate: undefined, expiryDate: undefined };
  const leave = ['id', 'policyNumber', 'status', 'policyStatus', ...(access ? [] : ['keepParticipants'])];
  const fields = new Fields(await bodySchema('POST', `/${resource}/{id}:${action}`), { form: `${action} ${record.id}`,
    given, changes: action !== 'cancel', all: action === 'cancel', leave,
    first: ['endorsementType', 'effectiveDate', 'expiryDate'] });
  return { id: action, method: 'POST', path: `${path}:${action}`, title: t(action), send: t(action), record, etag,
    groups: [{ fields }], reread: () => get(path) };
}

// additionOf returns the form of a new record about the policy.
async function additionOf(resource, { policyNumber, id }) {
  const fields = new Fields(await bodySchema('POST', `/${resource}`), { form: `new ${resource} ${id}`,
    first: ADDED[resource].first, leave: ['policyNumber', 'claimNumber', 'documents'] });
  const title = t(`add-${resource}`);
  return { id: `new-${resource}`, method: 'POST', path: `/${resource}`, title, send: title, groups: [{ fields }],
    body: () => ({ policyNumber, ...fields.body() }) };
}

const TERM = () => ['policyNumber', 'status', 'inceptionDate', 'expiryDate'].map(column);
// opens is a column that leads to the record.
const opens = (resource, name) => ({ ...column(name),
  cell: (row) => html`<${RecordLink} resource=${resource} id=${row.id}>${column(name).cell(row)}<//>` });
// PARTS are the columns of what belongs to a policy.
const PARTS = {
  claims: () => ['claimNumber', 'claimStatus', 'lossDate', 'lossCause', 'reserve'].map(column),
  receipts: () => [opens('receipt', 'receiptDate'), ...['receiptType', 'period', 'paymentAmount', 'left'].map(column)],
  rows: () => [opens('premiumBordereau', 'period'),
    ...['transactionType', 'treatyReference', 'grossWrittenPremium', 'netPremium'].map(column)],
  renewalsBefore: TERM,
  renewalsAfter: TERM,
};

const missing = (view, name) => (view.unavailable || []).includes(name) || !view[name];

// PartOf is a part of the policy; one whose service did not respond is said to be missing.
const PartOf = ({ view, name }) => html`<${Section} title=${t(name)} data-part=${name}>${missing(view, name)
  ? html`<p class="bad" data-unavailable=${name}>${t('unavailable')}</p>`
  : html`<${Table} caption=${t(name)} columns=${PARTS[name]()}
      rows=${view[name].records.map(({ record, left }) => ({ ...record, left }))} />
    ${view[name].rest && html`<p class="quiet">${t('thereIsMore')} <code>${view[name].rest}</code></p>`}`}<//>`;

// Named is the name of a party or of what is insured. These are their owner's alone to open; others see them here.
const Named = ({ of, access }) => (owns(access) ? html`<a href=${`#/record${of.link}`}>${party(of.record)}</a>`
  : party(of.record));

const Holder = ({ view: { policyholder, unavailable }, access }) => (policyholder ? html`<p><${Named} of=${policyholder}
  access=${access} /></p><${Members} of=${policyholder.record} leave=${['id', 'name', 'firstName', 'lastName']} />`
  : html`<p class="empty">${t((unavailable || []).includes('policyholder') ? 'unavailable' : 'nothing')}</p>`);

// besides returns the members that name only what stands beside the terms: the policyholder and what is insured.
function besides(view, record) {
  const shown = [view.policyholder, ...(view.insured?.records || [])].map((one) => one?.record.id);
  return Object.keys(record).filter((name) => {
    const all = [record[name]].flat();
    return all.length > 0 && all.every((of) => typeof of === 'string' && shown.includes(of));
  });
}

// beside returns what the view says of the policy beside its record: since when the terms count, when cover ends, and
// what replaces it.
const beside = (view) => Object.fromEntries(['effectiveDate', 'coverEnds', 'replacedBy'].filter((name) => view[name])
  .map((name) => [name, view[name]]));

// story is the whole timeline: versions, claims and receipts.
async function story(read, { view, resource, record }) {
  const own = events(await history(read, resource, record.id));
  const claims = (view.claims?.records || []).map(({ record: one }) => ({ at: one.fnol,
    what: `${t('claim')} ${one.claimNumber}`, href: `#/claim/${one.claimNumber}` }));
  const receipts = (view.receipts?.records || []).map(({ record: one }) => ({ at: one.recordedAt, alike: t('receipts'),
    what: `${t('receipt')}: ${option('receiptType', one.receiptType)}`, href: `#/record/receipt/${one.id}`,
    more: html`<p>${column('paymentAmount').cell(one)}</p>` }));
  return [...own, ...claims, ...receipts];
}

// Buttons offers what the person may do with the policy; put shows its form.
function Buttons({ of, number, again, put }) {
  const { record, access, resource } = of;
  const cancel = () => put(null);
  const renewed = ({ data }) => put(html`<p class="done" role="status">${t('renewedBy')} <${PolicyLink}
    number=${data.policyNumber} /></p>`);
  const open = (make, done) => put(html`<${Opened} make=${async () => ({ ...await make(), cancel, done })} />`);
  const button = (name, click, first) => html`<${Button} data-action=${name} class=${first && 'primary'}
    onClick=${click}>${t(name)}<//>`;
  const actions = Object.keys(ACTIONS).filter((action) => owns(access) && ACTIONS[action].includes(record.status)
    && (action !== 'renew' || resource !== 'travelCoverage'));
  return html`<div class="buttons">${actions.map((action) => button(action,
    () => open(() => actionOf(action, of), action === 'renew' ? renewed : again), action === 'endorse'))}
    ${Object.keys(ADDED).filter((one) => may(access, ADDED[one].right)).map((one) => button(`add-${one}`,
    () => open(() => additionOf(one, record), again)))}
    ${access && owns(access) && button('share', () => put(html`<${Share} number=${number} access=${access}
      cancel=${cancel} done=${again} />`))}</div>`;
}

// FACTS are what the book says of the policy at its top.
const FACTS = ['written', 'received', 'open', 'paid', 'outstanding', 'incurred', 'lossRatio'];

// Lead says in a line what the policy is: its line and status, who and what is insured, for which term, and under which
// contract it is reported.
function Lead({ of: { view, record, access, resource }, row }) {
  const insured = (view.insured?.records || []).map((one) => party(one.record));
  const parts = [html`${t(`line ${resource}`)} <${Status} of=${record} />`,
    view.policyholder && html`<${Named} of=${view.policyholder} access=${access} />`,
    row?.object || insured.join(', '),
    record.inceptionDate && html`<${Instant} at=${record.inceptionDate} /> – <${Instant} at=${record.expiryDate} />`,
    row?.contract && html`<a href=${`#/desk/${encodeURIComponent(row.contract)}`}>${row.contract}</a>`];
  return html`<p class="lead wide">${parts.filter(Boolean).map((part, i) => html`${i > 0 && ' · '}${part}`)}</p>`;
}

// counted returns the title of a tab: how many records there are, and what they come to where the book says it.
function counted(view, name, sum, row) {
  if (missing(view, name)) return t(name);
  const { records, rest } = view[name];
  const amount = records.length > 0 && row?.currency && row[sum] !== undefined
    && ` · ${amountText(row[sum], row.currency)}`;
  return html`${t(name)} <span class="count">${records.length}${rest && '+'}${amount}</span>`;
}

function Whole({ of, number, again }) {
  const { view, record, access, resource } = of;
  const [place, put] = usePlace('act');
  const row = useBookRow('policies', 'policyNumber', number);
  const part = (name) => html`<${PartOf} view=${view} name=${name} />`;
  const renewals = ['renewalsBefore', 'renewalsAfter'].filter((name) => view[name]?.records.length > 0);
  return html`<${Lead} of=${of} row=${row} /><${Facts} row=${row} names=${FACTS} />
    ${mayWrite() && html`<${Buttons} of=${of} number=${number} again=${again} put=${put} />`}${place}
    <${Tabs} of=${[{ name: 'overview', title: t('overview'), content: html`
      <div class="columns"><${Section} title=${t('terms')} data-part="record">
        <${Members} of=${{ ...record, ...beside(view) }}
          leave=${['id', 'policyNumber', 'status', ...besides(view, record)]} linked=${owns(access)} /><//>
        <${Section} title=${label('policyholder')} data-part="policyholder">
          <${Holder} view=${view} access=${access} /><//></div>
      <${Section} title=${t('insured')}><div class="columns">${(view.insured?.records || []).map((one) => html`
        <div class="card"><h3><${Named} of=${one} access=${access} /></h3>
          <${Members} of=${one.record} leave=${['id']} /></div>`)}</div><//>
      ${access && html`<${Sharing} access=${access} />`}` },
    { name: 'claims', title: counted(view, 'claims', 'incurred', row), content: part('claims') },
    { name: 'receipts', title: counted(view, 'receipts', 'received', row), content: part('receipts') },
    { name: 'rows', title: counted(view, 'rows'), content: part('rows') },
    renewals.length > 0 && { name: 'renewals', title: t('renewals'), content: renewals.map(part) },
    { name: 'timeline', title: t('timeline'), content: html`<${Part} title=${t('timeline')} data-part="timeline"
      load=${(read) => story(read, of)} show=${(all) => html`<${Timeline} of=${all} />`} />` }]} />`;
}

// whole reads a policy. The record with its ETag is what a person sees, and what a change of theirs is a change of.
async function whole(read, number) {
  const [{ data: view }, access] = await Promise.all([read(`/x/policy/${encodeURIComponent(number)}`),
    accessTo(read, number)]);
  if (!view.coverage) throw new Problem(503, { title: t('unavailable') }); // its claims are known without it
  const { data: record, etag } = await read(view.coverage.link);
  return { view, record, etag, access, resource: view.coverage.resource };
}

export default function Policy({ path: [number], again }) {
  return html`<h1>${t('policy')} ${number}</h1><${Loaded} load=${(read) => whole(read, number)}
    show=${(of) => html`<${Whole} of=${of} number=${number} again=${again} />`} />`;
}
