// Contract: the form in which a contract is made and changed. Each change is a version of it.

import { get, mayWrite } from './api.js';
import { Button } from './dom.js';
import { Fields, Form, bodySchema, resolve } from './form.js';
import { html, useLayoutEffect, useRef, useState } from './html.js';
import { address, link } from './periods.js';
import { Head, Loaded } from './show.js';
import { grouped } from './terms.js';
import { label, t } from './words.js';

const TEMPLATE = '/x/contract/{contract}';
const REQUIRED = ['coverholderName', 'inception', 'expiry', 'lines', 'currency', 'amountUnit', 'frequency',
  'firstPeriod'];
// FIRST are the members that are shown at once; the others open below them.
const FIRST = ['uniqueMarketReference', 'agreementNumber', 'counterparty', 'settlementCurrency',
  'originalPerSettlement', 'commissionPercentage', 'quarterBegins', 'dueDays', 'claimsBasis', 'signOff', 'timeZone'];
// STAYING are the members that stay once a bordereau of the contract is approved.
const STAYING = ['currency', 'amountUnit', 'frequency', 'timeZone', 'quarterBegins'];
// VALUES are those of the members that have few.
const VALUES = { amountUnit: ['major', 'minor'], frequency: ['month', 'quarter'], signOff: ['two', 'one'],
  quarterBegins: ['calendar', 'inception'], claimsBasis: ['open', 'all'] };
const LINE = /^\/(\w+Coverage)$/;

// schemas returns those of a contract, with what can be chosen, of one of its limits and of its reference.
async function schemas() {
  const { document, schema } = await bodySchema('PUT', TEMPLATE, REQUIRED);
  const properties = { ...schema.properties };
  for (const [name, values] of Object.entries(VALUES)) {
    properties[name] = { ...resolve(document, properties[name]), enum: values };
  }
  const lines = Object.keys(document.paths).map((path) => LINE.exec(path)?.[1]).filter(Boolean);
  properties.lines = { ...resolve(document, properties.lines), items: { type: 'string', enum: lines } };
  const limit = resolve(document, properties.limits.items
    ?? resolve(document, properties.limits).items);
  const { description, schema: reference } = document.components.parameters.contract;
  return { terms: { document, schema: { ...schema, properties } },
    limit: { document, schema: { ...limit, required: ['name', 'amount', 'currency'] } },
    reference: { document, schema: { required: ['contract'],
      properties: { contract: { ...reference, description } } } } };
}

// used says how far a contract is used: whether a version of it waits or is approved, and whether one is approved. The
// first page has the oldest periods, which are approved first.
async function usesOf(reference) {
  const { data: { periods } } = await get(`/x/bordereau?limit=200&contract=${encodeURIComponent(reference)}`);
  const states = new Set(periods.flatMap(({ versions }) => versions.map(({ state }) => state)));
  return { approved: states.has('approved'), reported: states.has('approved') || states.has('pending') };
}

const flat = (of) => JSON.stringify(of)?.replaceAll('"', '');

// Terms is the form itself. Its groups are those of the screen of a contract, and each limit.
function Terms({ schemas: { terms, limit, reference }, name, present, uses }) {
  const formOf = (part) => `contract ${name || ''} ${present?.etag || ''} ${part}`;
  const given = present?.data.contract || {};
  const fixed = uses?.approved ? Object.fromEntries(STAYING.map((of) => [of, t('staysApproved')])) : {};
  const limitOf = (of, n) => ({ n, fields: new Fields(limit, { form: formOf(`limit ${n}`), given: of, all: true }) });
  const added = useRef(null);
  const [named] = useState(() => !name && new Fields(reference, { form: formOf('reference') }));
  const [parts] = useState(() => grouped(Object.keys(terms.schema.properties)).map(({ group, names }) => ({ group,
    fields: new Fields({ ...terms, schema: { ...terms.schema, order: names } }, { form: formOf(group), given, fixed,
      first: FIRST, only: names.filter((of) => of !== 'limits') }) })));
  const [limits, set] = useState(() => (given.limits || []).map(limitOf));
  useLayoutEffect(() => {
    added.current?.fields.controls[0].input.focus();
    added.current = null;
  });
  const add = () => {
    added.current = limitOf({}, Math.max(-1, ...limits.map(({ n }) => n)) + 1);
    set([...limits, added.current]);
  };
  const remove = (one) => set(limits.filter((other) => other !== one));
  const about = { term: uses?.reported && html`<p class="quiet" data-taken>${t('mustStillTake')}</p>`,
    money: html`<div class="buttons"><${Button} data-add onClick=${add}>${t('addLimit')}<//></div>` };
  const groups = parts.flatMap(({ group, fields }) => [
    { fields, title: t(`terms ${group}`), attributes: { 'data-group': group }, more: about[group] },
    ...group === 'money' ? limits.map((one, i) => ({ fields: one.fields, at: `/limits/${i}`, title: t('limitOf', i + 1),
      attributes: { 'data-limit': i }, more: html`<${Button} data-remove onClick=${() => remove(one)}>${
  t('remove')}<//>` })) : []]);
  const body = () => ({ ...Object.assign({}, ...parts.map(({ fields }) => fields.body())),
    ...limits.length > 0 && { limits: limits.map(({ fields }) => fields.body()) } });
  const to = () => ({ contract: name || named.body().contract || '' });
  return html`<${Form} id="contract" method="PUT" title=${t('terms')}
    send=${t(name ? 'keepContract' : 'makeContract')} path=${() => address(to())} body=${body}
    groups=${named ? [{ fields: named }, ...groups] : groups} absent=${!present} taken=${!present && t('contractTaken')}
    etag=${present?.etag} record=${present?.data.contract} done=${() => { location.hash = link(to()); }}
    isDone=${(now) => Object.entries(body()).every(([of, is]) => flat(now[of]) === flat(is))}
    reread=${async () => {
      const { data, etag } = await get(address(to()));
      return { data: data.contract, etag };
    }} cancel=${() => { location.hash = name ? link(to()) : '#/desk'; }} />`;
}

// load reads what the form needs: what can be chosen and, of a contract that is changed, what it says and how far it is
// used.
async function load(name) {
  const [of, present, uses] = await Promise.all([schemas(), name && get(address({ contract: name })),
    name && usesOf(name)]);
  return { schemas: of, present, uses };
}

export default function Contract({ path: [name] }) {
  return html`<${Head} title=${name ? `${label('contract')} ${name}` : t('newContract')}
      lead=${t(name ? 'changeContractIs' : 'newContractIs')} />
    ${mayWrite() ? html`<${Loaded} load=${() => load(name)} show=${(of) => html`<${Terms} ...${of} name=${name} />`} />`
    : html`<p class="empty">${t('mayNotWrite')}</p>`}`;
}
