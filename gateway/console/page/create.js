// A new policy with its policyholder and what it insures, in one request.

import { mayWrite } from './api.js';
import { h, policyLink, replace } from './dom.js';
import { Fields, bodySchema, form } from './form.js';
import { live } from './show.js';
import { label, t } from './words.js';

// LINES are the members of each line that name what it insures, and the resource of each; one in brackets is a list.
const LINES = {
  motorCoverage: { vehicleId: 'vehicle', driverId: 'driver' },
  cyberLiabilityCoverage: { businessId: 'business' },
  propertyCoverage: { propertyId: 'property' },
  travelCoverage: { travellerIds: ['traveller'] },
  tradeCreditCoverage: { debtorId: 'debtor' },
  businessInterruptionCoverage: { propertyRef: 'property' },
  petCoverage: { petId: 'pet' },
};
const NOT_TYPED = ['policyholderId', 'propertyIds', 'propertyId', 'deductibles'];
const FIRST = ['inceptionDate', 'expiryDate', 'perils', 'scope', 'benefits', 'grossWrittenPremium',
  'indemnityLimitPolicy'];
const HOLDERS = ['personal', 'commercial'];

// fieldsOf returns the fields of the creation of a resource.
async function fieldsOf(resource, options = {}) {
  const kept = `new ${options.line || ''} ${resource}`;
  return new Fields(await bodySchema('POST', `/${resource}`), { form: kept, ...options });
}

// forLine returns the form of a line. What it creates is said in the root.
async function forLine(line, holder, root) {
  const insured = Object.entries(LINES[line]);
  const groups = [];
  const operations = [];
  const adds = async (ref, resource, options) => {
    const fields = await fieldsOf(resource, { line, ...options });
    groups.push({ fields, title: t(`kind ${resource}`) || t(`line ${resource}`),
      at: `/operations/${operations.length}/body` });
    operations.push({ ref, resource, fields });
  };
  await adds('holder', holder, { open: true });
  for (const [member, resource] of insured) await adds(member, [resource].flat()[0], { all: true });
  await adds('policy', line, { leave: [...NOT_TYPED, ...Object.keys(LINES[line])], first: FIRST });
  const named = () => Object.fromEntries(insured.map(
    ([member, of]) => [member, Array.isArray(of) ? [`@${member}.id`] : `@${member}.id`]));
  const bodyOf = ({ ref, fields }) => (ref !== 'policy' ? fields.body()
    : { ...fields.body(), policyholderId: '@holder.id', ...named() });
  const body = () => ({ operations: operations.map((one) => (
    { ref: one.ref, method: 'POST', path: `/${one.resource}`, body: bodyOf(one) })) });
  return form({ id: 'create', method: 'POST', path: '/x/batch', title: t(`line ${line}`), send: t('createPolicy'),
    groups, body,
    done: ({ data }) => {
      const made = data.completed.at(-1);
      replace(root, h('p', { class: 'done', role: 'status', 'data-created': made.policyNumber }, t('created'), ' ',
        policyLink(made.policyNumber)));
    } });
}

export default function create(root, { query }, signal) {
  if (!mayWrite()) {
    root.append(h('h1', {}, t('createPolicy')), h('p', { class: 'empty' }, t('mayNotWrite')));
    return;
  }
  const place = h('div', { id: 'act' });
  const choose = (id, of, names, chosen) => {
    const select = h('select', { id }, names.map((name) => h('option', { value: name }, t(`${of} ${name}`))));
    select.value = chosen;
    return h('div', { class: 'field' }, h('label', { for: id }, of === 'line' ? t('line') : label('policyholder')),
      select);
  };
  const line = Object.hasOwn(LINES, query.get('line')) ? query.get('line') : 'motorCoverage';
  const holder = HOLDERS.includes(query.get('holder')) ? query.get('holder') : 'personal';
  const chosenIn = (id) => document.getElementById(id).value;
  const chosen = h('div', { class: 'filter', change: () => {
    location.hash = `#/create?line=${chosenIn('line')}&holder=${chosenIn('holder')}`;
  } }, choose('line', 'line', Object.keys(LINES), line), choose('holder', 'kind', HOLDERS, holder));
  root.append(h('h1', {}, t('createPolicy')), chosen, place);
  live(place, signal, () => forLine(line, holder, place), (shown) => shown);
}
