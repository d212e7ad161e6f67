// Forms, made from the interface document: each knows its operation, shows it as curl, and shows a refusal at the
// field that its pointer names.

import { Problem, call, parse, raw } from './api.js';
import { bodySchema, drafted, drafts, resolve } from './form.js';
import { copied, curl, h, replace, value } from './old-dom.js';
import { live, notice } from './old-show.js';
import { label, t } from './words.js';

export { bodySchema, drafted, resolve };


// A control is {element, pointer, read(), changed()}: read returns the value to send, or undefined for none.

function labelled(field, input, of) {
  const id = `f${field.form}${field.pointer}`.replace(/[^\w-]/g, '-');
  set(input, { id, name: field.pointer, 'aria-describedby': `${id}-about ${id}-said`, required: false });
  const said = h('p', { class: 'said', id: `${id}-said` });
  const element = h('div', { class: 'field' }, h('label', { for: id }, of, field.required && h('span', {
    class: 'needed', title: t('required') }, ' *')), input,
  h('p', { class: 'about', lang: 'en', id: `${id}-about` }, field.schema.about), said);
  return { element, said, input };
}

function set(input, attributes) {
  for (const [name, text] of Object.entries(attributes)) if (text) input.setAttribute(name, text);
}

const asInstant = (text) => (text ? text.replace(/(\.\d+)?Z$/, '').slice(0, 19) : '');

function simple(field, given) {
  const { schema } = field;
  const first = given === undefined || given === null ? '' : String(given);
  let input;
  let read = (text) => text;
  if (schema.enum) {
    input = h('select', {}, h('option', { value: '' }, t('choose')),
      schema.enum.map((one) => h('option', { value: String(one) }, String(one))));
    if (schema.type === 'integer') read = Number;
  } else if (schema.type === 'boolean') {
    input = h('select', {}, h('option', { value: '' }, t('choose')), h('option', { value: 'true' }, t('yes')),
      h('option', { value: 'false' }, t('no')));
    read = (text) => text === 'true';
  } else if (schema.format === 'date') {
    input = h('input', { type: 'date' });
  } else if (schema.format === 'date-time') {
    input = h('input', { type: 'datetime-local', step: '1' });
    read = (text) => `${text.length === 16 ? `${text}:00` : text}Z`;
  } else if (schema.type === 'integer' || schema.type === 'number') {
    input = h('input', { type: 'text', inputmode: 'decimal', autocomplete: 'off', class: 'right' });
    // What is no number is sent as it was typed, so that the exchange says what is wrong with it.
    read = (text) => (/^-?(0|[1-9]\d*)(\.\d+)?$/.test(text) ? raw(text) : text);
  } else if (schema.type === 'array') {
    input = h('textarea', { rows: '3' });
    read = (text) => text.split('\n').map((line) => line.trim()).filter(Boolean);
  } else {
    input = h('input', { type: field.pointer.endsWith('ecret') ? 'password' : 'text', autocomplete: 'off' });
  }
  input.value = schema.format === 'date-time' ? asInstant(first)
    : schema.type === 'array' ? (given || []).join('\n') : first;
  const base = input.value;
  const drafted = drafts.get(field.form)?.get(field.pointer);
  if (drafted !== undefined) input.value = drafted;
  const suffix = schema.format === 'date-time' ? ' (UTC)' : '';
  const control = labelled(field, input, [label(field.name), suffix]);
  return [{ ...control, pointer: field.pointer, base: () => base, text: () => input.value,
    read: () => (input.value.trim() === '' ? undefined : read(input.value)), changed: () => input.value !== base }];
}

// several is a group of boxes to tick, for a list of values of a set.
function several(field, given = []) {
  const drafted = drafts.get(field.form)?.get(field.pointer);
  const ticked = drafted === undefined ? given || [] : drafted.split('\n');
  const boxes = field.schema.items.enum.map((one) => {
    const box = h('input', { type: 'checkbox', name: field.pointer, value: one });
    box.checked = ticked.includes(one);
    return box;
  });
  const chosen = () => boxes.filter((box) => box.checked).map((box) => box.value);
  const said = h('p', { class: 'said' });
  const element = h('fieldset', { class: 'field boxes' }, h('legend', {}, label(field.name),
    field.required && h('span', { class: 'needed' }, ' *')), h('div', {}, boxes.map((box) => h('label', {}, box,
    box.value))), said);
  const base = (given || []).join('\n');
  return [{ element, said, input: boxes[0], pointer: field.pointer, text: () => chosen().join('\n'),
    read: () => (chosen().length ? chosen() : undefined), changed: () => chosen().join('\n') !== base }];
}

// controlsOf returns the controls of the members of an object.
function controlsOf(document, schema, at, given, options) {
  const names = Object.keys(schema.properties || {}).filter((name) => !(options.leave || []).includes(name)
    && !/^Another name of/.test(schema.properties[name].description || ''));
  const needed = schema.required || [];
  // What is required comes first, and what has members of its own last.
  const hasMembers = (name) => schema.properties[name].$ref && resolve(document, schema.properties[name]).properties;
  const place = (name) => (hasMembers(name) ? 2000 : 0)
    + (needed.includes(name) ? 0 : 1000) + (schema.order?.indexOf(name) ?? 0);
  names.sort((a, b) => place(a) - place(b));
  return names.flatMap((name) => {
    const field = { name, pointer: `${at}/${name}`, form: options.form, required: needed.includes(name),
      schema: resolve(document, schema.properties[name]) };
    if (field.schema.type === 'object' && field.schema.properties) {
      const inner = controlsOf(document, field.schema, field.pointer, given?.[name] || {}, { ...options, leave: [] });
      const element = h('fieldset', { class: 'group' }, h('legend', {}, label(name)), h('div', { class: 'fields' },
        inner.map((one) => one.element)));
      return inner.map((one, i) => ({ ...one, element: i === 0 ? element : null }));
    }
    if (field.schema.type === 'array') {
      field.schema.items = resolve(document, field.schema.items || {});
      if (field.schema.items.enum) return several(field, given?.[name]);
      return field.schema.items.type === 'string' ? simple(field, given?.[name]) : [];
    }
    return field.schema.type ? simple(field, given?.[name]) : [];
  });
}

// put puts a value into a body at a pointer.
function put(body, pointer, of) {
  const path = pointer.split('/').slice(1);
  let to = body;
  for (const name of path.slice(0, -1)) to = to[name] ??= {};
  to[path.at(-1)] = of;
}

// Fields are the fields of one object. options: form (what drafts are kept under), given (the present record), leave
// (names that have no field), only (names that have one), changes (only what was changed is sent).
export class Fields {
  constructor({ document, schema }, options) {
    const leave = options.only
      ? Object.keys(schema.properties).filter((name) => !options.only.includes(name)) : options.leave;
    this.options = options;
    this.controls = controlsOf(document, schema, '', options.given || {}, { ...options, leave });
    const isNeeded = (one) => options.all || (schema.required || []).includes(one.pointer.split('/')[1])
      || (options.first || []).includes(one.pointer.split('/')[1]);
    const rest = this.controls.filter((one) => !isNeeded(one)).map((one) => one.element).filter(Boolean);
    this.element = h('div', { class: 'fields' }, this.controls.filter(isNeeded).map((one) => one.element),
      rest.length > 0 && h('details', { open: rest.length === this.controls.length || options.open },
        h('summary', {}, t('furtherFields')), h('div', { class: 'fields' }, rest)));
    this.element.addEventListener('input', () => this.keep());
  }

  keep() {
    drafts.set(this.options.form, new Map(this.controls.map((one) => [one.pointer, one.text()])));
  }

  // body returns what is to be sent.
  body() {
    const body = {};
    for (const one of this.controls) {
      const of = one.read();
      if (of !== undefined && (!this.options.changes || one.changed())) put(body, one.pointer, of);
    }
    return body;
  }

  // say shows what is wrong at a pointer, and reports whether there is a field for it.
  say(pointer, text) {
    const at = this.controls.filter((one) => pointer === one.pointer || pointer.startsWith(`${one.pointer}/`)
      || (pointer !== '' && one.pointer.startsWith(`${pointer}/`)))[0];
    if (!at) return null;
    at.said.append(h('span', {}, text));
    at.input.setAttribute('aria-invalid', 'true');
    for (let up = at.input.closest('details'); up; up = up.parentElement.closest('details')) up.open = true;
    return at.input;
  }

  clear() {
    for (const one of this.controls) {
      one.said.replaceChildren();
      one.input?.removeAttribute('aria-invalid');
    }
  }
}

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

// differences lists the members in which two records differ.
export const differences = (before, after) => [...new Set([...Object.keys(before), ...Object.keys(after)])]
  .filter((name) => !same(before[name], after[name]));

// changed shows the differences of two records, cell by cell.
export function changed(before, after, leave = []) {
  const names = differences(before, after).filter((name) => !leave.includes(name));
  return names.length > 0 && h('dl', { class: 'changes' }, names.map((name) => h('div', { 'data-member': name },
    h('dt', {}, label(name)), h('dd', {}, h('del', {}, value(name, before[name])), ' → ',
      h('ins', {}, value(name, after[name]))))));
}

// form returns a form that sends a request. given: id, method, path, title, groups ([{fields, at}]: Fields and the
// pointer of their object in the body), body() (the body; of the only group if it is left out), record and etag (what
// the person has seen, for If-Match), absent (true if the record must not be there yet), reread() (reads the record
// anew: {data, etag}), isDone(record) (reports whether the record has all that a replacement would give it),
// rebase(result) (shows in the fields what another person has changed), done(result).
export function form(given) {
  let last = { text: '', key: '' }; // a request that is sent again has the same key, so that it is done once
  let { etag, record } = given;
  let busy = false;
  const said = h('div', { class: 'outcome', 'aria-live': 'polite' });
  const send = h('button', { type: 'submit', class: 'primary' }, given.send || t('send'));
  const preview = h('div', {});
  const text = () => JSON.stringify(given.body ? given.body() : given.groups[0].fields.body());
  const isDone = given.isDone || ((now) => Object.entries(parse(text())).every(([name, of]) => same(now[name], of)));
  const keyed = given.method === 'POST' && !given.keyless;
  const headers = () => ({ ...(keyed ? { 'Idempotency-Key': last.key || 'KEY' } : {}),
    ...(etag ? { 'If-Match': etag } : {}), ...(given.absent ? { 'If-None-Match': '*' } : {}) });
  const details = h('details', { class: 'curl', toggle: () => details.open
    && replace(preview, copied(curl(given.method, given.path, text(), headers()))) },
  h('summary', {}, t('asCurl')), preview);

  async function submit(event) {
    event.preventDefault();
    if (busy) return;
    busy = true;
    send.disabled = true;
    for (const { fields } of given.groups) fields.clear();
    replace(said, h('p', {}, t('sending')));
    const body = text();
    if (body !== last.text) last = { text: body, key: crypto.randomUUID() };
    try {
      const result = await call(given.method, given.path, { body, match: etag, absent: given.absent,
        key: keyed ? last.key : undefined });
      finish(result);
    } catch (err) {
      await refused(err);
    } finally {
      busy = false;
      send.disabled = false;
    }
  }

  function finish(result) {
    for (const { fields } of given.groups) drafts.delete(fields.options.form);
    replace(said, h('p', { class: 'done' }, t('done')));
    last = { text: '', key: '' };
    given.done(result);
  }

  async function refused(err) {
    if (err instanceof Problem && err.status === 412 && given.reread) {
      const now = await given.reread().catch(() => null);
      // A replacement whose response was lost has been made: the record is at another version, and has all of it.
      if (now && given.method === 'PUT' && isDone(now.data)) {
        finish(now);
        return;
      }
      replace(said, notice(err, now && h('div', {}, h('p', {}, t('changedMeanwhile')),
        changed(record, now.data) || h('p', {}, t('onlyVersion')))));
      if (now) {
        ({ etag } = now);
        record = now.data;
        last = { text: '', key: '' };
        given.rebase?.(now);
      }
      return;
    }
    const elsewhere = [];
    let focus = null;
    for (const one of (err instanceof Problem && err.errors) || []) {
      const pointer = one.pointer ?? '';
      const group = given.groups.find(({ at }) => pointer === at || pointer.startsWith(`${at || ''}/`));
      const input = one.pointer !== undefined && group?.fields.say(pointer.slice((group.at || '').length), one.reason);
      if (input) focus ??= input;
      else elsewhere.push([one.pointer || one.parameter, one.reason].filter(Boolean).join(' '));
    }
    replace(said, notice(err, elsewhere.length > 0 && h('ul', {}, elsewhere.map((one) => h('li', {}, one))),
      !(err instanceof Problem) && h('p', {}, t('sendAgainSafely'))));
    focus?.focus();
  }

  return h('form', { class: 'act', novalidate: true, submit, 'data-form': given.id, 'aria-label': given.title },
    h('h2', {}, given.title), given.groups.map(({ fields, title }) => (title
      ? h('fieldset', { class: 'group' }, h('legend', {}, title), fields.element) : fields.element)),
    given.more, h('div', { class: 'buttons' }, send, given.cancel
      && h('button', { type: 'button', click: given.cancel }, t('close'))), said, details);
}


// opened shows a form in a place once made() has it, and puts the focus into it.
export async function opened(place, signal, made) {
  await live(place, signal, made, (shown) => shown);
  place.querySelector('input, select, textarea')?.focus();
}
