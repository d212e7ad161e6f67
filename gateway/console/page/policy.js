// Policy: the whole of it, and what can be done with it.

import { get, mayWrite } from './api.js';
import { badge, claimLink, column, h, members, party, policyLink, replace, section, table } from './dom.js';
import { Fields, bodySchema, form, opened } from './form.js';
import { live, part } from './show.js';
import { events, history, timeline } from './timeline.js';
import { label, t } from './words.js';

const ACTIONS = ['endorse', 'cancel', 'renew'];
// ADDED are records about the policy that can be created from here, with the fields that come first.
const ADDED = { claim: ['lossDate', 'claimType', 'fnol', 'lossCause', 'reserve'], receipt: [] };

// act opens the form of an action below its button.
function act(action, policy, place, again, signal) {
  const { resource, record, etag } = policy;
  const path = `/${resource}/${record.id}`;
  return opened(place, signal, async () => {
    const body = await bodySchema('POST', `/${resource}/{id}:${action}`);
    // The next term begins where this one ends, unless the form says otherwise.
    const given = action === 'endorse' ? record : { ...record, inceptionDate: undefined, expiryDate: undefined };
    const fields = new Fields(body, { form: `${action} ${record.id}`, given, changes: action !== 'cancel',
      all: action === 'cancel', first: ['endorsementType', 'expiryDate'], leave: ['id', 'policyNumber', 'status', 'policyStatus'] });
    return form({ id: action, method: 'POST', path: `${path}:${action}`, title: t(action), send: t(action), record, etag,
      groups: [{ fields }], cancel: () => replace(place), reread: () => get(path),
      done: ({ data }) => (action === 'renew' ? replace(place, h('p', { class: 'done', role: 'status' }, t('renewedBy'), ' ',
        policyLink(data.policyNumber))) : again()) });
  });
}

// add opens the form of a new record about the policy below the buttons.
const add = (resource, { policyNumber, id }, place, again, signal) => opened(place, signal, async () => {
  const given = { policyNumber };
  const fields = new Fields(await bodySchema('POST', `/${resource}`), { form: `new ${resource} ${id}`, first: ADDED[resource],
    leave: ['policyNumber', 'claimNumber', 'documents'] });
  return form({ id: `new-${resource}`, method: 'POST', path: `/${resource}`, title: t(`add ${resource}`), send: t(`add ${resource}`),
    groups: [{ fields }], body: () => ({ ...given, ...fields.body() }), cancel: () => replace(place), done: again });
});

// rest is the link to what a part does not show.
const rest = (of) => of?.rest && h('p', { class: 'quiet' }, t('thereIsMore'), ' ', h('code', {}, of.rest));

// partOf shows a part of the policy; one whose service did not respond is said to be missing.
function partOf(view, name, shown) {
  return section(t(name), (view.unavailable || []).includes(name) || !view[name]
    ? h('p', { class: 'bad', 'data-unavailable': name }, t('unavailable')) : [shown(view[name].records.map((one) => one.record)), rest(view[name])]);
}

const policiesOf = (rows) => table(t('policies'), [{ ...column('policyNumber'), cell: (row) => policyLink(row.policyNumber) },
  column('status'), column('inceptionDate'), column('expiryDate')], rows);

// story is the whole timeline: versions, claims and receipts.
async function story(view, resource, record, signal) {
  const own = events(await history(resource, record.id, signal));
  const claims = (view.claims?.records || []).map(({ record: one }) => ({ at: one.fnol, what: `${t('claim')} ${one.claimNumber}`,
    href: `#/claim/${one.claimNumber}` }));
  const receipts = (view.receipts?.records || []).map(({ record: one }) => ({ at: one.recordedAt, what: `${t('receipt')}: ${
    one.receiptType}`, href: `#/record/receipt/${one.id}`, more: h('p', {}, column('paymentAmount').cell(one)) }));
  return [...own, ...claims, ...receipts];
}

export default function policy(root, { path: [number], again }, signal) {
  const whole = h('div', {});
  root.append(h('h1', {}, `${t('policy')} ${number}`), whole);
  live(whole, signal, async () => {
    const { data: view } = await get(`/x/policy/${encodeURIComponent(number)}`, signal);
    // The record with its ETag is what a person sees, and what a change of theirs is a change of.
    const { data: record, etag } = await get(view.coverage.link, signal);
    return { view, record, etag, resource: view.coverage.resource };
  }, ({ view, record, etag, resource }) => {
    const place = h('div', { id: 'act' });
    const offered = ACTIONS.filter((action) => action !== 'renew' || resource !== 'travelCoverage');
    return [
      h('p', { class: 'lead' }, t(`line ${resource}`), ' ', badge(record.status)),
      mayWrite() && h('div', { class: 'buttons' }, offered.map((action) => h('button', { type: 'button', 'data-action': action,
        click: () => act(action, { resource, record, etag }, place, again, signal) }, t(action))), Object.keys(ADDED).map((one) => h(
        'button', { type: 'button', 'data-action': `add-${one}`, click: () => add(one, record, place, again, signal) }, t(`add ${one}`)))),
      place,
      h('div', { class: 'columns' },
        h('section', { 'data-part': 'record' }, h('h2', {}, t('terms')), members(record, ['id', 'policyNumber', 'status'])),
        h('section', { 'data-part': 'policyholder' }, h('h2', {}, label('policyholder')), view.policyholder
          ? [h('p', {}, h('a', { href: `#/record${view.policyholder.link}` }, party(view.policyholder.record))),
            members(view.policyholder.record, ['id', 'name', 'firstName', 'lastName'])]
          : h('p', { class: 'empty' }, t((view.unavailable || []).includes('policyholder') ? 'unavailable' : 'nothing')))),
      section(t('insured'), h('div', { class: 'columns' }, (view.insured?.records || []).map((one) => h('div', { class: 'card' },
        h('h3', {}, h('a', { href: `#/record${one.link}` }, party(one.record))), members(one.record, ['id']))))),
      partOf(view, 'claims', (rows) => table(t('claims'), [{ ...column('claimNumber'), cell: (row) => claimLink(row.claimNumber) },
        column('claimStatus'), column('lossDate'), column('lossCause'), column('reserve')], rows)),
      partOf(view, 'receipts', (rows) => table(t('receipts'), [{ ...column('receiptDate'), cell: (row) => h('a', {
        href: `#/record/receipt/${row.id}` }, column('receiptDate').cell(row)) }, column('receiptType'), column('period'),
      column('paymentAmount')], rows)),
      partOf(view, 'rows', (rows) => table(t('rows'), [{ ...column('period'), cell: (row) => h('a', {
        href: `#/record/premiumBordereau/${row.id}` }, row.period || '–') }, column('transactionType'), column('treatyReference'),
      column('grossWrittenPremium'), column('netPremium')], rows)),
      [['renewalsBefore'], ['renewalsAfter']].map(([name]) => view[name]?.records.length > 0 && partOf(view, name, policiesOf)),
      part(t('timeline'), signal, () => story(view, resource, record, signal), timeline, { 'data-part': 'timeline' }),
    ];
  });
}
