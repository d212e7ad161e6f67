// A new policy with its policyholder and what it insures, in one request.

import { mayWrite } from './api.js';
import { PolicyLink } from './dom.js';
import { Fields, Opened, bodySchema } from './form.js';
import { html, useState } from './html.js';
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

// formOf returns the form of a line.
async function formOf(line, holder, done) {
  const insured = Object.entries(LINES[line]);
  const groups = [];
  const operations = [];
  const policyAt = `/operations/${insured.length + 1}/body`;
  const adds = async (ref, resource, options, names) => {
    const fields = new Fields(await bodySchema('POST', `/${resource}`),
      { form: `new ${line} ${resource}`, ...options });
    groups.push({ fields, title: t(`kind ${resource}`) || t(`line ${resource}`), names: names && `${policyAt}/${names}`,
      at: `/operations/${operations.length}/body` });
    operations.push({ ref, resource, fields });
  };
  await adds('holder', holder, { open: true }, 'policyholderId');
  for (const [member, resource] of insured) await adds(member, [resource].flat()[0], { all: true }, member);
  await adds('policy', line, { leave: [...NOT_TYPED, ...Object.keys(LINES[line])], first: FIRST });
  const named = () => Object.fromEntries(insured.map(
    ([member, of]) => [member, Array.isArray(of) ? [`@${member}.id`] : `@${member}.id`]));
  const bodyOf = ({ ref, fields }) => (ref !== 'policy' ? fields.body()
    : { ...fields.body(), policyholderId: '@holder.id', ...named() });
  const body = () => ({ operations: operations.map((one) => (
    { ref: one.ref, method: 'POST', path: `/${one.resource}`, body: bodyOf(one) })) });
  return { id: 'create', method: 'POST', path: '/x/batch', title: t(`line ${line}`), send: t('createPolicy'), groups,
    body, done, unfocused: true };
}

// Choice is a choice of what the form is for, which stands in the address.
const Choice = ({ id, title, names, of, chosen }) => html`<div class="field"><label for=${id}>${title}</label>
  <select id=${id} value=${chosen}>${names.map((name) => html`
    <option value=${name}>${t(`${of} ${name}`)}</option>`)}</select></div>`;

export default function Create({ query }) {
  const [made, set] = useState('');
  if (!mayWrite()) return html`<h1>${t('createPolicy')}</h1><p class="empty">${t('mayNotWrite')}</p>`;
  const line = Object.hasOwn(LINES, query.get('line')) ? query.get('line') : 'motorCoverage';
  const holder = HOLDERS.includes(query.get('holder')) ? query.get('holder') : 'personal';
  const chosenIn = (id) => document.getElementById(id).value;
  const choose = () => { location.hash = `#/create?line=${chosenIn('line')}&holder=${chosenIn('holder')}`; };
  const done = ({ data }) => set(data.completed.at(-1).policyNumber);
  return html`<h1>${t('createPolicy')}</h1><div class="filter" onChange=${choose}>
    <${Choice} id="line" title=${t('line')} names=${Object.keys(LINES)} of="line" chosen=${line} />
    <${Choice} id="holder" title=${label('policyholder')} names=${HOLDERS} of="kind" chosen=${holder} /></div>
    <div id="act">${made ? html`<p class="done" role="status" data-created=${made}>${t('created')} <${PolicyLink}
      number=${made} /></p>` : html`<${Opened} make=${() => formOf(line, holder, done)} />`}</div>`;
}
