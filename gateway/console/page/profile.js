// A profile: how the files of somebody are read. It is made and changed here, and each change is a version of it.

import { get } from './api.js';
import { Button } from './dom.js';
import { Fields, Form, bodySchema, resolve } from './form.js';
import { html, useLayoutEffect, useRef, useState } from './html.js';
import { Loaded } from './show.js';
import { t } from './words.js';

// CHARACTERS are those that cannot be seen, or hardly, by the names under which they are chosen.
const CHARACTERS = { comma: ',', semicolon: ';', tab: '\t', bar: '|', point: '.', apostrophe: "'", space: ' ' };
const MARKS = ['delimiter', 'decimalMark', 'groupingMark'];
// VALUES are those of the members that have few.
const VALUES = {
  format: ['csv', 'xlsx'], delimiter: ['comma', 'semicolon', 'tab', 'bar'], decimalMark: ['point', 'comma'],
  groupingMark: ['point', 'comma', 'apostrophe', 'space'], dateOrder: ['ymd', 'dmy', 'mdy'], timeOfDay: ['cut'],
  encoding: ['utf-8', 'windows-1252', 'utf-16', 'utf-16le', 'utf-16be'], hiddenRows: ['read', 'skip', 'refuse'],
  sign: ['minus', 'trailingMinus', 'parentheses', 'debit', 'credit'], amountBasis: ['gross', 'net', 'settled'],
};
const RULES = ['none', 'last', 'marked'];
const MEANINGS = ['policyNumber', 'lineId', 'claimNumber', 'type', 'date', 'currency', 'gross', 'commission',
  'brokerage', 'net', 'settled', 'amount', 'paid', 'previouslyPaid', 'outstanding', 'incurred', 'changeOfIncurred',
  'totalIncurred'];
const FIRST = ['format', 'delimiter', 'encoding', 'headerRow', 'findHeader', 'decimalMark', 'groupingMark', 'dateOrder',
  'sign', 'currency', 'types'];
const NEW = { format: 'csv', delimiter: ',', encoding: 'utf-8', headerRow: 1, decimalMark: '.', sign: 'minus',
  totals: { rule: 'none' }, columns: [{ means: 'policyNumber' }, { means: 'gross' }] };
const LINE = ' = '; // between a word of types and its type

const chosen = (of, values) => ({ ...of, enum: values });
const nameOf = (character) => Object.keys(CHARACTERS).find((name) => CHARACTERS[name] === character);

// schemas returns those of a file and of one of its columns, with what can be chosen.
async function schemas() {
  const { document, schema } = await bodySchema('PUT', '/x/reconciliation/profile/{profile}', ['format', 'sign']);
  const column = resolve(document, schema.properties.columns.items);
  const properties = { ...schema.properties };
  for (const [name, values] of Object.entries(VALUES)) {
    properties[name] = chosen(resolve(document, properties[name]), values);
  }
  const totals = resolve(document, properties.totals);
  properties.totals = { ...totals, properties: { ...totals.properties, rule: chosen(totals.properties.rule, RULES) } };
  properties.types = { type: 'array', items: { type: 'string' }, description: properties.types.description };
  return { file: { document, schema: { ...schema, properties, order: FIRST } }, column: { document, schema: { ...column,
    required: ['column', 'means'],
    // What can be chosen says what a column can mean.
    properties: { ...column.properties, means: { type: 'string', enum: MEANINGS } } } } };
}

// typed returns what a form shows of a profile, and sent what a profile is that a form shows.
const typed = (of) => ({ ...of, types: Object.entries(of.types || {}).map((pair) => pair.join(LINE)),
  ...Object.fromEntries(MARKS.filter((name) => of[name]).map((name) => [name, nameOf(of[name])])) });
const sent = ({ types = [], ...of }, columns) => ({ ...of, columns,
  ...(types.length > 0 ? { types: Object.fromEntries(types.map((line) => line.split('=').map((part) => part.trim()))) }
    : {}), ...Object.fromEntries(MARKS.filter((name) => of[name]).map((name) => [name, CHARACTERS[of[name]]])) });

// Terms is the form itself; its groups are the file and its columns.
function Terms({ schemas: { file, column }, name, present, done }) {
  const given = present?.data || NEW;
  const formOf = (part) => `profile ${name || ''} ${present?.etag || ''} ${part}`;
  const groupOf = (of, n) => ({ n, fields: new Fields(column,
    { form: formOf(n), given: of, first: ['column', 'means'] }) });
  const named = useRef();
  const added = useRef(null);
  const [terms] = useState(() => new Fields(file, { form: formOf('file'), given: typed(given), leave: ['columns'],
    first: FIRST }));
  const [columns, set] = useState(() => given.columns.map(groupOf));
  useLayoutEffect(() => {
    added.current?.fields.controls[0].input.focus();
    added.current = null;
  });
  const add = () => {
    added.current = groupOf({}, Math.max(-1, ...columns.map(({ n }) => n)) + 1);
    set([...columns, added.current]);
  };
  const remove = (one) => set(columns.filter((other) => other !== one));
  return html`<${Form} id="profile" method="PUT" title=${name || t('newProfile')} send=${t('keepProfile')}
    path=${() => `/x/reconciliation/profile/${encodeURIComponent(name || named.current.value.trim())}`}
    etag=${present?.etag} record=${present?.data} absent=${!present} done=${done}
    body=${() => sent(terms.body(), columns.map(({ fields }) => fields.body()))}
    groups=${[{ fields: terms, title: t('file') }, ...columns.map((one, i) => ({ fields: one.fields,
      at: `/columns/${i}`, title: t('columnOf', i + 1), attributes: { 'data-column': i },
      more: columns.length > 1 && html`<${Button} data-remove onClick=${() => remove(one)}>${t('remove')}<//>` }))]}
    before=${!name && html`<div class="field"><label for="profile-name">${t('name')}</label>
      <input id="profile-name" autocomplete="off" ref=${named} /></div>`}
    after=${html`<div class="buttons"><button type="button" data-add onClick=${add}>${
  t('addColumn')}</button></div>`} />`;
}

// Profile is the screen of a profile, or of a new one.
export default function Profile({ name }) {
  const load = async () => ({ schemas: await schemas(),
    present: name && await get(`/x/reconciliation/profile/${encodeURIComponent(name)}`) });
  const done = () => { location.hash = '#/reconciliation'; };
  return html`<h1>${t('profile')}</h1><p class="lead"><a href="#/reconciliation">${t('reconciliation')}</a></p>
    <${Loaded} load=${load} show=${(of) => html`<${Terms} ...${of} name=${name} done=${done} />`} />`;
}
