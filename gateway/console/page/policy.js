// Policy: the whole of it, and what can be done with it.

import { get, mayWrite } from './api.js';
import { badge, column, h, members, party, policyLink, recordLink, replace, section, table } from './dom.js';
import { Fields, bodySchema, form, opened } from './form.js';
import { accessTo, may, owns, share, sharing } from './sharing.js';
import { live, part } from './show.js';
import { events, history, timeline } from './timeline.js';
import { label, t } from './words.js';

const ACTIONS = ['endorse', 'cancel', 'renew'];
// ADDED are records about the policy that can be created from here, with the fields that come first and the right that
// another organisation needs.
const ADDED = {
  claim: { first: ['lossDate', 'claimType', 'fnol', 'lossCause', 'reserve'], right: 'claims' },
  receipt: { first: [], right: 'premium' },
};

// act opens the form of an action below its button.
function act(action, policy, place, again, signal) {
  const { resource, record, etag, access } = policy;
  const path = `/${resource}/${record.id}`;
  return opened(place, signal, async () => {
    const body = await bodySchema('POST', `/${resource}/{id}:${action}`);
    // The next term begins where this one ends, unless the form says otherwise.
    const given = action === 'endorse' ? record : { ...record, inceptionDate: undefined, expiryDate: undefined };
    const leave = ['id', 'policyNumber', 'status', 'policyStatus', ...(access ? [] : ['keepParticipants'])];
    const fields = new Fields(body, { form: `${action} ${record.id}`, given, changes: action !== 'cancel',
      all: action === 'cancel', first: ['endorsementType', 'expiryDate'], leave });
    const renewed = ({ data }) => replace(place, h('p', { class: 'done', role: 'status' }, t('renewedBy'), ' ',
      policyLink(data.policyNumber)));
    return form({ id: action, method: 'POST', path: `${path}:${action}`, title: t(action), send: t(action), record,
      etag, groups: [{ fields }], cancel: () => replace(place), reread: () => get(path),
      done: action === 'renew' ? renewed : again });
  });
}

// add opens the form of a new record about the policy below the buttons.
const add = (resource, { policyNumber, id }, place, again, signal) => opened(place, signal, async () => {
  const given = { policyNumber };
  const fields = new Fields(await bodySchema('POST', `/${resource}`), { form: `new ${resource} ${id}`,
    first: ADDED[resource].first, leave: ['policyNumber', 'claimNumber', 'documents'] });
  const title = t(`add-${resource}`);
  return form({ id: `new-${resource}`, method: 'POST', path: `/${resource}`, title, send: title, groups: [{ fields }],
    body: () => ({ ...given, ...fields.body() }), cancel: () => replace(place), done: again });
});

// rest is the link to what a part does not show.
const rest = (of) => of?.rest && h('p', { class: 'quiet' }, t('thereIsMore'), ' ', h('code', {}, of.rest));

const TERM = () => ['policyNumber', 'status', 'inceptionDate', 'expiryDate'].map(column);
// opens is a column that leads to the record.
const opens = (resource, name) => ({ ...column(name),
  cell: (row) => recordLink(resource, row.id, column(name).cell(row)) });
// PARTS are the columns of what belongs to a policy.
const PARTS = {
  claims: () => ['claimNumber', 'claimStatus', 'lossDate', 'lossCause', 'reserve'].map(column),
  receipts: () => [opens('receipt', 'receiptDate'), column('receiptType'), column('period'), column('paymentAmount')],
  rows: () => [opens('premiumBordereau', 'period'), column('transactionType'), column('treatyReference'),
    column('grossWrittenPremium'), column('netPremium')],
  renewalsBefore: TERM,
  renewalsAfter: TERM,
};

const missing = (view, name) => (view.unavailable || []).includes(name) || !view[name];

// partOf shows a part of the policy; one whose service did not respond is said to be missing.
function partOf(view, name) {
  return h('section', { 'data-part': name }, h('h2', {}, t(name)), missing(view, name)
    ? h('p', { class: 'bad', 'data-unavailable': name }, t('unavailable'))
    : [table(t(name), PARTS[name](), view[name].records.map((one) => one.record)), rest(view[name])]);
}

// holder shows the policyholder.
const holder = ({ policyholder, unavailable }, linked) => (policyholder
  ? [h('p', {}, linked(policyholder)), members(policyholder.record, ['id', 'name', 'firstName', 'lastName'])]
  : h('p', { class: 'empty' }, t((unavailable || []).includes('policyholder') ? 'unavailable' : 'nothing')));

// besides returns the members that name only what stands beside the terms: the policyholder and what is insured.
function besides(view, record) {
  const shown = [view.policyholder, ...(view.insured?.records || [])].map((one) => one?.record.id);
  return Object.keys(record).filter((name) => {
    const all = [record[name]].flat();
    return all.length > 0 && all.every((of) => typeof of === 'string' && shown.includes(of));
  });
}

// story is the whole timeline: versions, claims and receipts.
async function story(view, resource, record, signal) {
  const own = events(await history(resource, record.id, signal));
  const claims = (view.claims?.records || []).map(({ record: one }) => ({ at: one.fnol,
    what: `${t('claim')} ${one.claimNumber}`, href: `#/claim/${one.claimNumber}` }));
  const receipts = (view.receipts?.records || []).map(({ record: one }) => ({ at: one.recordedAt,
    what: `${t('receipt')}: ${one.receiptType}`, href: `#/record/receipt/${one.id}`,
    more: h('p', {}, column('paymentAmount').cell(one)) }));
  return [...own, ...claims, ...receipts];
}

export default function policy(root, { path: [number], again }, signal) {
  const whole = h('div', {});
  root.append(h('h1', {}, `${t('policy')} ${number}`), whole);
  live(whole, signal, async () => {
    const [{ data: view }, access] = await Promise.all([get(`/x/policy/${encodeURIComponent(number)}`, signal),
      accessTo(number, signal)]);
    // The record with its ETag is what a person sees, and what a change of theirs is a change of.
    const { data: record, etag } = await get(view.coverage.link, signal);
    return { view, record, etag, access, resource: view.coverage.resource };
  }, ({ view, record, etag, access, resource }) => {
    const place = h('div', { id: 'act' });
    const offered = ACTIONS.filter((action) => owns(access) && (action !== 'renew' || resource !== 'travelCoverage'));
    const button = (name, click) => h('button', { type: 'button', 'data-action': name, click }, t(name));
    // Parties and what is insured are their owner's alone; others see them here.
    const linked = (one) => (owns(access) ? h('a', { href: `#/record${one.link}` }, party(one.record))
      : party(one.record));
    return [
      h('p', { class: 'lead' }, t(`line ${resource}`), ' ', badge(record.status)),
      mayWrite() && h('div', { class: 'buttons' },
        offered.map((action) => button(action,
          () => act(action, { resource, record, etag, access }, place, again, signal))),
        Object.keys(ADDED).filter((one) => may(access, ADDED[one].right)).map((one) => button(`add-${one}`,
          () => add(one, record, place, again, signal))),
        access && owns(access) && button('share', () => share(number, access, place, again, signal))),
      place,
      h('div', { class: 'columns' },
        h('section', { 'data-part': 'record' }, h('h2', {}, t('terms')),
          members(record, ['id', 'policyNumber', 'status', ...besides(view, record)], owns(access))),
        h('section', { 'data-part': 'policyholder' }, h('h2', {}, label('policyholder')), holder(view, linked))),
      section(t('insured'), h('div', { class: 'columns' }, (view.insured?.records || []).map((one) => h('div',
        { class: 'card' }, h('h3', {}, linked(one)), members(one.record, ['id']))))),
      access && sharing(access),
      ['claims', 'receipts', 'rows'].map((name) => partOf(view, name)),
      ['renewalsBefore', 'renewalsAfter'].map((name) => view[name]?.records.length > 0 && partOf(view, name)),
      part(t('timeline'), signal, () => story(view, resource, record, signal), timeline, { 'data-part': 'timeline' }),
    ];
  });
}
