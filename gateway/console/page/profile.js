// A profile: how the files of somebody are read. It is made and changed here, and each change is a version of it. One
// for files that are imported has records, which are those of a form or a resource, and stay as they are.

import { get, interfaceDocument } from './api.js';
import { Button } from './dom.js';
import { Fields, Form, bodySchema, resolve } from './form.js';
import { html, useLayoutEffect, useRef, useState } from './html.js';
import { Loaded } from './show.js';
import { kindOf, t } from './words.js';

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
const LINE = ' = '; // between a word and what it means
// Members that only one of both kinds of profiles has: those of statements, and those of imports.
const OF_STATEMENTS = ['types', 'amountBasis'];
const OF_IMPORTS = ['optional', 'values'];

const chosen = (of, values) => ({ ...of, enum: values });
const nameOf = (character) => Object.keys(CHARACTERS).find((name) => CHARACTERS[name] === character);

// inLines returns the words of a map as lines, and ofLines the map of lines.
const inLines = (words = {}) => Object.entries(words).map((pair) => pair.join(LINE));
const ofLines = (lines) => Object.fromEntries(lines.map((line) => {
  const [word, ...means] = line.split('=');
  return [word.trim(), means.join('=').trim()];
}));
const lines = ({ description }) => ({ type: 'array', items: { type: 'string' }, description });

// membersOf returns the members that a column can give of a record: {means, needed}. Of an object that is needed, and
// of which no member is, the first stands for it.
function membersOf(document, { name, resource, values = {} }) {
  const inside = (schema, at, needed) => Object.entries(schema.properties).flatMap(([member, of]) => {
    const [path, is] = [[...at, member], resolve(document, of)];
    const required = needed && (schema.required || []).includes(member);
    if (/^Another name of/.test(of.description || '') || Object.hasOwn(values, path.join('.')) || !is.type) return [];
    if (!is.properties) return [{ means: [name, ...path].join('.'), needed: required }];
    const inner = inside(is, path, required);
    return inner.map((one, i) => ({ ...one, needed: one.needed
      || (required && i === 0 && inner.every((other) => !other.needed)) }));
  });
  return inside(resolve(document, document.paths[`/${resource}`].post.requestBody.content['application/json'].schema),
    [], true);
}

// recordsAs returns the records of a new profile: those of a shipped form, or one of a resource. as is the parameter
// that names it and its value, parted by a blank.
async function recordsAs(as) {
  const [parameter, name] = as.split(' ');
  if (parameter === 'resource') return [{ name, resource: name }];
  const { data: { templates } } = await get('/x/import/template');
  return templates.find((one) => one.name === name)?.records;
}

// schemas returns those of a file and of one of its columns, with what can be chosen.
async function schemas(means) {
  const { document, schema } = await bodySchema('PUT', '/x/reconciliation/profile/{profile}', ['format', 'sign']);
  const column = resolve(document, schema.properties.columns.items);
  const properties = { ...schema.properties };
  for (const [name, values] of Object.entries(VALUES)) {
    properties[name] = chosen(resolve(document, properties[name]), values);
  }
  const totals = resolve(document, properties.totals);
  properties.totals = { ...totals, properties: { ...totals.properties, rule: chosen(totals.properties.rule, RULES) } };
  properties.types = lines(properties.types);
  return { file: { document, schema: { ...schema, properties, order: FIRST } }, column: { document, schema: { ...column,
    required: ['column', 'means'],
    // What can be chosen says what a column can mean.
    properties: { ...column.properties, values: lines(column.properties.values),
      means: { type: 'string', enum: means } } } } };
}

// typed returns what a form shows of a profile, and sent what a profile is that a form shows.
const typed = (of) => ({ ...of, types: inLines(of.types),
  ...Object.fromEntries(MARKS.filter((name) => of[name]).map((name) => [name, nameOf(of[name])])) });
const sent = ({ types = [], ...of }, columns, records) => ({ ...of, records,
  columns: columns.map(({ values, ...one }) => ({ ...one, ...(values && { values: ofLines(values) }) })),
  ...(types.length > 0 && { types: ofLines(types) }), ...Object.fromEntries(MARKS.filter((name) => of[name])
    .map((name) => [name, CHARACTERS[of[name]]])) });

// Terms is the form itself; its groups are the file and its columns.
function Terms({ schemas: { file, column }, name, present, given, done }) {
  const { records } = given;
  const formOf = (part) => `profile ${name || ''} ${present?.etag || ''} ${part}`;
  const groupOf = (of, n) => ({ n, fields: new Fields(column,
    { form: formOf(n), given: { ...of, values: inLines(of.values) }, first: ['column', 'means'],
      leave: records ? ['less'] : OF_IMPORTS }) });
  const named = useRef();
  const added = useRef(null);
  const [terms] = useState(() => new Fields(file, { form: formOf('file'), given: typed(given),
    leave: ['columns', 'records', ...(records ? OF_STATEMENTS : [])],
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
    body=${() => sent(terms.body(), columns.map(({ fields }) => fields.body()), records)}
    groups=${[{ fields: terms, title: t('file') }, ...columns.map((one, i) => ({ fields: one.fields,
      at: `/columns/${i}`, title: t('columnOf', i + 1), attributes: { 'data-column': i },
      more: columns.length > 1 && html`<${Button} data-remove onClick=${() => remove(one)}>${t('remove')}<//>` }))]}
    before=${html`${!name && html`<div class="field"><label for="profile-name">${t('name')}</label>
      <input id="profile-name" autocomplete="off" ref=${named} /></div>`}${records && html`<p data-part="records">${
  t('rowMakes', records.map((one) => kindOf(one.resource)).join(', '))}</p>`}`}
    after=${html`<div class="buttons"><button type="button" data-add onClick=${add}>${
  t('addColumn')}</button></div>`} />`;
}

// load reads what the form of a profile needs: the profile, or of a new one what it begins with.
async function load(name, as) {
  const present = name && await get(`/x/reconciliation/profile/${encodeURIComponent(name)}`);
  const records = present ? present.data.records : as && await recordsAs(as);
  if (!records) return { schemas: await schemas(MEANINGS), present, given: present?.data || NEW };
  const document = await interfaceDocument();
  const members = records.flatMap((record) => membersOf(document, record));
  const means = members.map((one) => one.means);
  const needed = members.filter((one) => one.needed);
  const first = (needed.length > 0 ? needed : members.slice(0, 1)).map((one) => ({ means: one.means }));
  return { present, given: present?.data || { ...NEW, records, columns: first },
    schemas: await schemas([...new Set([...means, ...(present?.data.columns || []).map((one) => one.means)])]) };
}

// Profile is the screen of a profile, or of a new one; as says whose records it has, if it is for imports.
export default function Profile({ name, as }) {
  return html`<h1>${t('profile')}</h1><${Loaded} load=${() => load(name, as)} show=${(of) => {
    const screen = of.given.records ? 'import' : 'reconciliation';
    return html`<p class="lead"><a href=${`#/${screen}`}>${t(screen)}</a></p><${Terms} ...${of} name=${name}
      done=${() => { location.hash = `#/${screen}`; }} />`;
  }} />`;
}
