// Forms, made from the interface document: each knows its operation, shows it as curl, and shows a refusal at the
// field that its pointer names.

import { Problem, call, interfaceDocument, parse, passing, raw } from './api.js';
import { moved, typed, written } from './decimal.js';
import { AMOUNTS, Button, Copied, Disclosed, Value, amounts, curl, decimal } from './dom.js';
import { html, useLayoutEffect, useRef, useState } from './html.js';
import { Loaded, Notice, violation } from './show.js';
import { COUNTRIES, hint, isSpelt, label, labelOf, language, option, reason, t } from './words.js';

// drafts are what was typed into forms that were not sent, by form: in which language, and the texts by field.
const drafts = new Map();

export const forgetDrafts = () => drafts.clear();
export const drafted = (form) => drafts.has(form);

// resolve follows references, and leaves out that a member may be null.
export function resolve(document, schema) {
  let found = schema;
  for (;;) {
    if (found.$ref) found = { ...named(document, found.$ref.split('/').pop()), about: schema.description };
    else if (found.anyOf) found = { ...found.anyOf.find((one) => one.type !== 'null'), about: schema.description };
    else return { ...found, about: schema.description || found.description,
      type: Array.isArray(found.type) ? found.type.find((one) => one !== 'null') : found.type };
  }
}

// named returns a schema of the document, with its members in the order of the record that it is about.
function named(document, name) {
  const schema = document.components.schemas[name];
  const of = document.components.schemas[name.replace(/(Input|Endorse|Renew|Changes)$/i, '')] || {};
  return { order: of['x-property-order'] || Object.keys(of.properties || {}), ...schema };
}

// bodySchema returns the schema of the body of an operation. needed are members that the exchange refuses to be
// without although the document does not say so: no body below /x has a required member there.
export async function bodySchema(method, template, needed = []) {
  const document = await interfaceDocument();
  const operation = document.paths[template][method.toLowerCase()];
  const schema = resolve(document, operation.requestBody.content['application/json'].schema);
  return { document, summary: operation.summary,
    schema: { ...schema, required: [...schema.required || [], ...needed] } };
}

const asInstant = (text) => text.replace(/(\.\d+)?Z$/, '').slice(0, 19);
const inLines = (text) => text.split('\n').map((line) => line.trim()).filter(Boolean);

// optionsOf returns what can be chosen of some values, and how each is shown. Countries come by their names.
function optionsOf(values, name) {
  const all = values.filter((one) => !isSpelt(one)).map((one) => [String(one), option(name, String(one))]);
  return COUNTRIES.has(name) ? all.sort(([, a], [, b]) => a.localeCompare(b, language())) : all;
}

// kindOf returns how a value of a schema is typed: in an element (tag, attributes), with options, or in boxes, one for
// each. write makes a text of a value, and read the value to send of a text.
function kindOf(schema, name) {
  const kind = { tag: 'input', attributes: { type: 'text', autocomplete: 'off' }, write: String, read: (text) => text };
  if (schema.enum) {
    return { ...kind, tag: 'select', attributes: {}, 
      options: optionsOf(schema.enum, name),
      read: schema.type === 'integer' ? Number : kind.read };
  }
  if (schema.type === 'boolean') {
    return { ...kind, tag: 'select', attributes: {}, options: [['true', t('yes')], ['false', t('no')]],
      read: (text) => text === 'true' };
  }
  if (schema.type === 'array' && schema.items.enum) {
    const boxes = schema.items.enum.filter((one) => !isSpelt(one));
    return { boxes, shown: (one) => option(name, one), read: inLines,
      write: (all) => boxes.filter((one) => all.includes(one)).join('\n') };
  }
  if (schema.type === 'array') {
    return { tag: 'textarea', attributes: { rows: 3 }, write: (all) => all.join('\n'), read: inLines };
  }
  if (schema.format === 'date') return { ...kind, attributes: { type: 'date' } };
  if (schema.format === 'date-time') {
    return { ...kind, attributes: { type: 'datetime-local', step: '1' }, suffix: ' (UTC)',
      write: (text) => asInstant(String(text)), read: (text) => `${text.length === 16 ? `${text}:00` : text}Z` };
  }
  if (schema.type === 'integer' || schema.type === 'number') return { ...kind, ...numeric(schema, AMOUNTS.has(name)) };
  return name.endsWith('ecret') ? { ...kind, attributes: { ...kind.attributes, type: 'password' } } : kind;
}

// numeric returns how a number is typed: as the language writes it, and an amount as it is shown. What is no number is
// sent as it was typed, so that the exchange says what is wrong with it. retyped writes what was typed in another
// language in this one.
function numeric({ type }, isAmount) {
  const { currency, digits } = isAmount ? amounts : { digits: 0 };
  const read = (text) => {
    const of = moved(typed(text, language()), digits);
    return /^-?(0|[1-9]\d*)(\.\d+)?$/.test(of) ? raw(of) : text;
  };
  const rule = type === 'integer' && digits === 0 ? t('wholeAmount', decimal('1000'))
    : t('anyAmount', decimal('1000.5', { minimumFractionDigits: 2 }));
  return { attributes: { type: 'text', autocomplete: 'off', inputmode: 'decimal', class: 'right' }, read,
    write: (of) => written(moved(of, -digits), language()),
    retyped: (text, from) => written(typed(text, from), language()), suffix: currency && ` (${currency})`,
    rule: isAmount && rule };
}

// controlOf returns a control: what has been typed for a member (text), at first that of the present record (base) or
// what was typed before, and what is wrong with it (said). input is its element.
function controlOf(field, given) {
  const kind = kindOf(field.schema, field.name);
  const base = given === undefined || given === null ? '' : kind.write(given);
  const kept = drafts.get(field.form);
  const before = kept?.texts.get(field.pointer);
  const draft = before && kind.retyped ? kind.retyped(before, kept.language) : before;
  const gone = draft && kind.options?.every(([value]) => value !== draft);
  return { ...field, kind, base, text: gone ? base : draft ?? base, said: [], input: null,
    id: `f${field.form}${field.pointer}`.replace(/[^\w-]/g, '-') };
}

// controlsOf returns the controls of the members of an object; that of an object in it is {name, inner}.
function controlsOf(document, schema, at, given, options) {
  const names = Object.keys(schema.properties || {}).filter((name) => !(options.leave || []).includes(name)
    && !/^Another name of/.test(schema.properties[name].description || ''));
  const needed = schema.required || [];
  // What is required comes first, what has members of its own at the end, and the caller's own reference last.
  const hasMembers = (name) => schema.properties[name].$ref && resolve(document, schema.properties[name]).properties;
  const place = (name) => (hasMembers(name) ? 2000 : 0)
    + (needed.includes(name) ? 0 : 1000) + (name === 'externalReference' ? 100000 : 0)
    + (schema.order?.indexOf(name) ?? 0);
  names.sort((a, b) => place(a) - place(b));
  return names.flatMap((name) => {
    const field = { name, pointer: `${at}/${name}`, form: options.form, required: needed.includes(name),
      fixed: options.fixed?.[name], schema: resolve(document, schema.properties[name]) };
    if (field.schema.type === 'object' && field.schema.properties) {
      const inner = controlsOf(document, field.schema, field.pointer, given?.[name] || {}, { ...options, leave: [] });
      return inner.length > 0 ? { ...field, inner } : [];
    }
    if (field.schema.type === 'array') {
      field.schema.items = resolve(document, field.schema.items || {});
      if (field.schema.items.type !== 'string' && !field.schema.items.enum) return [];
    }
    return field.schema.type ? controlOf(field, given?.[name]) : [];
  });
}

// put puts a value into a body at a pointer.
function put(body, pointer, of) {
  const path = pointer.split('/').slice(1);
  let to = body;
  for (const name of path.slice(0, -1)) to = to[name] ??= {};
  to[path.at(-1)] = of;
}

// leaves returns the controls of a control, or of the members of an object.
const leaves = (one) => (one.inner ? one.inner.flatMap(leaves) : [one]);

// Fields are the fields of one object, and what was typed into them. options: form (what drafts are kept under), given
// (the present record), leave (names that have no field), only (names that have one), changes (only what was changed is
// sent), first (names that are shown first, with what is required), all (true to show all first), open (true to show
// the others as well), fixed (why members cannot be changed, by their names).
export class Fields {
  constructor({ document, schema }, options) {
    const leave = options.only
      ? Object.keys(schema.properties).filter((name) => !options.only.includes(name)) : options.leave;
    this.options = options;
    const all = controlsOf(document, schema, '', options.given || {}, { ...options, leave });
    const isFirst = ({ name }) => options.all || (schema.required || []).includes(name)
      || (options.first || []).includes(name);
    this.first = all.filter(isFirst);
    this.rest = all.filter((one) => !isFirst(one));
    this.open = this.first.length === 0 || Boolean(options.open);
    this.controls = [...this.first, ...this.rest].flatMap(leaves);
  }

  keep() {
    drafts.set(this.options.form,
      { language: language(), texts: new Map(this.controls.map((one) => [one.pointer, one.text])) });
  }

  // body returns what is to be sent.
  body() {
    const body = {};
    for (const { kind, pointer, text, base } of this.controls) {
      if (text.trim() !== '' && (!this.options.changes || text !== base)) put(body, pointer, kind.read(text));
    }
    return body;
  }

  // say notes what is wrong at a pointer, and returns the control of it, if there is one.
  say(pointer, text) {
    const at = this.controls.find((one) => pointer === one.pointer || pointer.startsWith(`${one.pointer}/`)
      || (pointer !== '' && one.pointer.startsWith(`${pointer}/`)));
    at?.said.push(text);
    this.open ||= Boolean(at) && this.rest.some((one) => at.pointer.startsWith(one.pointer));
    return at;
  }

  // lacks returns what is required and was not given.
  lacks() {
    return [...this.first, ...this.rest].filter((one) => one.required
      && leaves(one).every(({ text }) => text.trim() === ''));
  }

  forget() {
    drafts.delete(this.options.form);
  }

  clear() {
    for (const one of this.controls) one.said = [];
  }
}

// Control shows a control, or a group of them.
function Control({ of }) {
  const { boxes, tag, attributes, options, suffix, shown } = of.kind || {};
  if (of.inner) {
    return html`<fieldset class="group"><legend>${label(of.name)}</legend><div class="fields">
      ${of.inner.map((one) => html`<${Control} of=${one} />`)}</div></fieldset>`;
  }
  const needed = of.required && html`<span class="needed" title=${t('required')}> *</span>`;
  const said = html`<p class="said" id=${`${of.id}-said`}>${of.said.map((text) => html`<span>${text}</span>`)}</p>`;
  const wrong = of.said.length > 0 || undefined;
  if (boxes) {
    const chosen = of.kind.read(of.text);
    const tick = ({ target }) => {
      const ticked = of.kind.read(of.text).filter((one) => one !== target.value);
      of.text = of.kind.write(target.checked ? [...ticked, target.value] : ticked);
    };
    return html`<fieldset class="field boxes"><legend>${labelOf(of.name, boxes)}${needed}</legend><div>
      ${boxes.map((one, i) => html`<label><input type="checkbox" name=${of.pointer} value=${one} onInput=${tick}
        checked=${chosen.includes(one)} aria-invalid=${i === 0 ? wrong : undefined}
        ref=${i === 0 && ((input) => { of.input = input; })} />${shown(one)}</label>`)}</div>${said}</fieldset>`;
  }
  return html`<div class="field"><label for=${of.id}>${label(of.name)}${suffix}${needed}</label>
    <${tag} ...${attributes} id=${of.id} name=${of.pointer} aria-describedby=${`${of.id}-about ${of.id}-said`}
      aria-invalid=${wrong} disabled=${Boolean(of.fixed)} value=${of.text}
      onInput=${({ target }) => { of.text = target.value; }}
      ref=${(input) => { of.input = input; }}>${options && [['', t('choose')], ...options].map(([value, words]) => html`
        <option value=${value}>${words}</option>`)}<//>
    <p class="about" id=${`${of.id}-about`}>${of.fixed ? html`<span data-fixed>${of.fixed}</span>`
  : hint(of.schema.about)}
      ${of.kind.rule && html` <span data-rule>${of.kind.rule}</span>`}</p>${said}</div>`;
}

// Group shows fields: what comes first, and the others where they are opened.
const Group = ({ fields }) => html`<div class="fields" onInput=${() => fields.keep()}>
  ${fields.first.map((one) => html`<${Control} of=${one} />`)}${fields.rest.length > 0 && html`
  <details open=${fields.open} onToggle=${({ target }) => { fields.open = target.open; }}>
    <summary>${t('furtherFields')}</summary><div class="fields">
      ${fields.rest.map((one) => html`<${Control} of=${one} />`)}</div></details>`}</div>`;

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

// differences lists the members in which two records differ.
export const differences = (before, after, leave = []) => [...new Set([...Object.keys(before), ...Object.keys(after)])]
  .filter((name) => !leave.includes(name) && !same(before[name], after[name]));

// Changed shows the differences of two records, cell by cell.
export function Changed({ before, after, leave, none }) {
  const names = differences(before, after, leave);
  return names.length === 0 ? none : html`<dl class="changes">${names.map((name) => html`<div data-member=${name}>
    <dt>${label(name)}</dt><dd><del><${Value} name=${name} of=${before[name]} /></del> → <ins>
      <${Value} name=${name} of=${after[name]} /></ins></dd></div>`)}</dl>`;
}

const AsCurl = ({ of }) => html`<${Copied} text=${of()} />`;

// Form sends a request. given: id, method, path (or what returns it), title, send (what its button says), groups
// ([{fields, at, names, title, attributes, more}]: Fields, the pointer of their object in the body, that of the member
// that names the object if the form gives it, and what is around them),
// before and after (what stands around the groups), body() (the body; of the only group if it is left out), record and
// etag (what the person has seen, for If-Match), absent (true if the record must not be there yet), keyless (true if
// the request takes no key), inPath (true if the fields are in the path: a refusal that names no field is about the
// first one), taken (what is said at the first field where absent does not hold), reread() (reads the record anew:
// {data, etag}), isDone(record) (reports whether the record has all that a replacement would give it), rebase(result)
// (shows in the fields what another person has changed), done(result), cancel(), unfocused (true if it does not take
// the focus).
export function Form(given) {
  const { id, method, title, groups } = given;
  const [{ busy, said }, set] = useState({});
  // A request that is sent again has the same key, so that it is done once.
  const { current: is } = useRef({ busy: false, text: '', key: '', etag: given.etag, record: given.record });
  const element = useRef();
  useLayoutEffect(() => {
    const field = element.current.querySelector(':is(input, select, textarea):not(:disabled)');
    if (!given.unfocused) (field ?? element.current.querySelector('[type=submit]')).focus();
  }, []);
  useLayoutEffect(() => { // on the first field with a fault, once its words are there
    is.focus?.input.focus();
    is.focus = null;
  });
  const path = () => (typeof given.path === 'function' ? given.path() : given.path);
  const text = () => JSON.stringify(given.body ? given.body() : groups[0].fields.body());
  const isDone = given.isDone || ((now) => Object.entries(parse(text())).every(([name, of]) => same(now[name], of)));
  const keyed = method === 'POST' && !given.keyless;
  const headers = () => ({ ...(keyed ? { 'Idempotency-Key': is.key || 'KEY' } : {}),
    ...(is.etag ? { 'If-Match': is.etag } : {}), ...(given.absent ? { 'If-None-Match': '*' } : {}) });

  async function submit(event) {
    event.preventDefault();
    if (is.busy) return;
    for (const group of groups) {
      group.fields.clear();
      group.said = [];
    }
    const lacking = groups.flatMap(({ fields }) => fields.lacks());
    if (lacking.length > 0) {
      const first = lacking.map((one) => leaves(one)[0]);
      for (const one of first) one.said.push(t('required'));
      [is.focus] = first;
      set({ said: html`<div class="notice" role="alert"><p class="first">${t('lacking',
        lacking.map(({ name, kind }) => labelOf(name, kind?.boxes)).join(', '))}</p></div>` });
      return;
    }
    is.busy = true;
    set({ busy: true, said: html`<p>${t('sending')}</p>` });
    const body = text();
    if (body !== is.text) Object.assign(is, { text: body, key: crypto.randomUUID() });
    await call(method, path(), { body, match: is.etag, absent: given.absent, key: keyed ? is.key : undefined })
      .then(finish).catch(refused);
    is.busy = false;
  }

  function finish(result) {
    for (const { fields } of groups) fields.forget();
    Object.assign(is, { text: '', key: '' });
    set({ said: html`<p class="done">${t('done')}</p>` });
    given.done(result);
  }

  async function refused(err) {
    if (err instanceof Problem && err.status === 412 && given.reread) {
      const now = await given.reread().catch(() => null);
      // A replacement whose response was lost has been made: the record is at another version, and has all of it.
      if (now && method === 'PUT' && isDone(now.data)) {
        finish(now);
        return;
      }
      if (given.taken) {
        [is.focus] = groups[0].fields.controls;
        is.focus.said.push(given.taken);
        set({ said: html`<${Notice} err=${err} />` });
        return;
      }
      set({ said: html`<${Notice} err=${err}>${now && html`<div><p>${t('changedMeanwhile')}</p><${Changed}
        before=${is.record} after=${now.data} none=${html`<p>${t('onlyVersion')}</p>`} /></div>`}<//>` });
      if (now) {
        Object.assign(is, { etag: now.etag, record: now.data, text: '', key: '' });
        given.rebase?.(now);
      }
      return;
    }
    const elsewhere = [];
    const wrong = (err instanceof Problem && err.errors) || [];
    const atFirst = given.inPath && err instanceof Problem && wrong.length === 0 && !passing(err)
      && [{ pointer: groups[0].fields.controls[0].pointer, reason: err.detail || err.title }];
    for (const one of atFirst || wrong) {
      const pointer = one.pointer ?? (one.parameter ? `/${one.parameter}` : '');
      const named = groups.find(({ names }) => names && (pointer === names || pointer.startsWith(`${names}/`)));
      if (named) { // what the form itself has given names the record of a group
        named.said.push(reason(one.reason));
        is.focus ??= named.fields.controls[0];
        continue;
      }
      let at;
      for (const group of groups.toSorted((a, b) => (b.at || '').length - (a.at || '').length)) {
        const inside = pointer === group.at || pointer.startsWith(`${group.at || ''}/`);
        if (inside) at ??= group.fields.say(pointer.slice((group.at || '').length), reason(one.reason));
      }
      if (at) is.focus ??= at;
      else elsewhere.push(violation(one));
    }
    set({ said: html`<${Notice} err=${err}>${elsewhere.length > 0 && html`<ul>${elsewhere.map((one) => html`
      <li>${one}</li>`)}</ul>`}${!(err instanceof Problem) && html`<p>${t('sendAgainSafely')}</p>`}<//>` });
  }

  return html`<form class="act" novalidate onSubmit=${submit} data-form=${id} aria-label=${title} ref=${element}>
    <h2>${title}</h2>${given.before}
    ${groups.map(({ fields, names, said: wrong = [], title: of, attributes, more }) => (of ? html`<fieldset
      class="group" ...${attributes} key=${fields.options.form} data-names=${names}
      data-wrong=${wrong.length > 0 || undefined}>
      <legend>${of}</legend>${wrong.map((text) => html`<p class="said">${text}</p>`)}
      <${Group} fields=${fields} />${more}</fieldset>`
      : html`<${Group} fields=${fields} />`))}
    ${given.after}<div class="buttons"><button type="submit" class="primary" disabled=${Boolean(busy)}>
      ${given.send || t('send')}</button>
      ${given.cancel && html`<${Button} onClick=${given.cancel}>${t('close')}<//>`}</div>
    <div class="outcome" aria-live="polite">${said}</div>
    <${Disclosed} class="curl" title=${t('asCurl')}>
      <${AsCurl} of=${() => curl(method, path(), text(), headers())} /><//></form>`;
}

// Opened is a form once make() resolves to what it is given.
export const Opened = ({ make }) => html`<${Loaded} load=${make} show=${(given) => html`<${Form} ...${given} />`} />`;
