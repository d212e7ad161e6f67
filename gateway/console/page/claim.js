// Claim: reserve and payments over time, documents, and what can be done with it.

import { call, get, mayWrite } from './api.js';
import { badge, column, h, members, policyLink, recordLink, replace, section, svg, table } from './dom.js';
import { Fields, bodySchema, form, opened } from './form.js';
import { accessTo, may } from './sharing.js';
import { live, part } from './show.js';
import { events, history, timeline } from './timeline.js';
import { label, t } from './words.js';

const FORMS = {
  settle: { method: 'POST', suffix: ':settle', states: ['open', 'reopened'] },
  reopen: { method: 'POST', suffix: ':reopen', states: ['closed'] },
  revise: { method: 'PUT', suffix: '', states: ['open', 'closed', 'reopened'],
    only: ['reserve', 'liabilityShare', 'excessAmount', 'lossCause', 'location', 'description'],
    first: ['reserve', 'liabilityShare'] },
  addDocument: { method: 'POST', suffix: '/documents', states: ['open', 'closed', 'reopened'] },
};

// offered returns the forms that a claim has in its state.
const offered = ({ claimStatus }) => Object.keys(FORMS).filter((name) => FORMS[name].states.includes(claimStatus));

function act(name, { record, etag }, place, again, signal) {
  const kind = FORMS[name];
  const path = `/claim/${record.id}`;
  return opened(place, signal, async () => {
    const body = await bodySchema(kind.method, `/claim/{id}${kind.suffix}`);
    const fields = new Fields(body, { form: `${name} ${record.id}`, given: kind.only ? record : {}, only: kind.only,
      first: kind.first, changes: Boolean(kind.only) });
    return form({ id: name, method: kind.method, path: path + kind.suffix, title: t(name), send: t(name), record, etag,
      groups: [{ fields }], cancel: () => replace(place), reread: () => get(path), done: again });
  });
}

// moneyOverTime returns the reserve and the sum of the payments after each event: [{at, reserve, paid}].
function moneyOverTime({ entries }) {
  return entries.filter((entry) => entry.state).map(({ at, state }) => ({ at, reserve: Number(state.reserve || 0),
    paid: (state.payments || []).reduce((sum, one) => sum + Number(one.paymentAmount), 0) }));
}

// chart draws both as steps. The figures are in the table and the timeline; the picture is for the eye.
function chart(points) {
  const [width, height, edge] = [640, 160, 8];
  const most = Math.max(...points.flatMap((one) => [one.reserve, one.paid]), 1);
  const x = (i) => edge + (i / points.length) * (width - 2 * edge);
  const y = (of) => height - edge - (of / most) * (height - 2 * edge);
  const steps = (name) => points.map((one, i) => (
    `${i ? 'L' : 'M'}${x(i)},${y(one[name])} L${x(i + 1)},${y(one[name])}`)).join(' ');
  return h('figure', {}, svg('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img',
    'aria-label': t('moneyOverTime') },
    svg('path', { d: `M${edge},${height - edge} H${width - edge}`, class: 'axis' }),
    svg('path', { d: steps('reserve'), class: 'reserve' }), svg('path', { d: steps('paid'), class: 'paid' })),
  h('figcaption', {}, ['reserve', 'paid'].map((name) => [h('span', { class: `key ${name}` }, label(name)), ' '])));
}

// unusual returns the warnings that the creation of such a claim gets. Nothing is written.
async function unusual(record, signal) {
  const names = ['policyNumber', 'fnol', 'lossDate', 'claimType', 'lossCause'];
  const given = names.filter((name) => record[name]).map((name) => [name, record[name]]);
  const body = JSON.stringify(Object.fromEntries(given));
  return (await call('POST', '/x/claim/admissibility', { body, signal })).data.warnings;
}

// stored are the documents of a claim: links where they are addresses of the web.
const stored = (record) => table(t('documents'), [{ label: t('address'), cell: (row) => (/^https?:\/\//.test(row.url)
  ? h('a', { href: row.url, rel: 'noreferrer noopener', target: '_blank' }, row.url) : row.url) },
{ label: t('kind'), cell: (row) => row.type || '–' }],
(record.documents || []).map((url, i) => ({ url, type: record.documentTypes?.[i] })));

// warned shows warnings.
const warned = (warnings) => (warnings.length === 0 ? h('p', { class: 'empty' }, t('noWarnings'))
  : h('ul', {}, warnings.map((one) => h('li', {}, h('strong', {}, one.title), ' ', one.detail))));

// BESIDE are the members of a claim that are shown beside its record.
const BESIDE = ['id', 'claimNumber', 'policyNumber', 'claimStatus', 'payments', 'documents', 'documentTypes',
  'warnings'];

const RECEIPT = () => [
  { ...column('receiptDate'), cell: (row) => recordLink('receipt', row.id, column('receiptDate').cell(row)) },
  column('receiptType'), column('paymentAmount')];

export default function claim(root, { path: [number], again }, signal) {
  const whole = h('div', {});
  root.append(h('h1', {}, `${t('claim')} ${number}`), whole);
  live(whole, signal, async () => {
    const { data } = await get(`/claim?claimNumber=${encodeURIComponent(number)}`, signal);
    if (data.length === 0) return null;
    const [{ data: record, etag }, access] = await Promise.all([get(`/claim/${data[0].id}`, signal),
      accessTo(data[0].policyNumber, signal)]);
    return { record, etag, access };
  }, (found) => {
    if (!found) return h('p', { class: 'empty' }, t('notFound', number));
    const { record, etag } = found;
    const place = h('div', { id: 'act' });
    const button = (name) => h('button', { type: 'button', 'data-action': name,
      click: () => act(name, found, place, again, signal) }, t(name));
    const past = history('claim', record.id, signal);
    return [
      h('p', { class: 'lead' }, policyLink(record.policyNumber), ' ', badge(record.claimStatus)),
      mayWrite() && may(found.access, 'claims') && h('div', { class: 'buttons' }, offered(record).map(button)), place,
      h('div', { class: 'columns' },
        h('section', { 'data-part': 'record' }, h('h2', {}, t('record')), members(record, BESIDE)),
        h('div', {},
          part(t('moneyOverTime'), signal, () => past, (read) => chart(moneyOverTime(read)), { 'data-part': 'chart' }),
          h('section', { 'data-part': 'payments' }, h('h2', {}, t('payments')), table(t('payments'),
            [column('paidAt'), column('paymentMethod'), column('paymentAmount')], record.payments || [])))),
      section(t('documents'), stored(record)),
      part(t('warnings'), signal, () => unusual(record, signal), warned, { 'data-part': 'warnings' }),
      part(t('receipts'), signal, () => get(`/receipt?claimNumber=${encodeURIComponent(number)}`, signal),
        ({ data }) => table(t('receipts'), RECEIPT(), data), { 'data-part': 'receipts' }),
      part(t('timeline'), signal, () => past, (read) => timeline(events(read)), { 'data-part': 'timeline' }),
    ];
  });
}
