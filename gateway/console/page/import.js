// An import: how its file was understood, what became of each row or would, and how its records are made.

import { call, mayWrite, passing } from './api.js';
import {
  Badge, Button, ClaimLink, Copied, Disclosed, Instant, None, PolicyLink, RecordLink, Table, Technical, curl,
} from './dom.js';
import { Refused, remarks, tables } from './file.js';
import { html, useLayoutEffect, useRef, useState } from './html.js';
import { Around, Downloads, PartPages, Section, listed, useAgain, useLoaded, usePlace } from './show.js';
import { isForeign, kindOf, label, meaning, note, reason, recordOf, t } from './words.js';

// OUTCOMES are those of rows, the first of them those that ask for something.
export const OUTCOMES = ['partial', 'refused', 'there', 'ready', 'made'];
const ASKING = ['partial', 'refused'];
const ANY = 'any';
// GOES_ON are the states in which an action is asked for again.
const GOES_ON = { check: 'checking', apply: 'applying' };
const BEGUN = 3; // cells of a row by which a person knows it again

// begun are the imports that this page has sent: their check goes on by itself.
export const begun = new Set();

export const to = (id, outcome) => `#/import/${encodeURIComponent(id)}${outcome ? `?outcome=${outcome}` : ''}`;

// formOf and readAs return the names of a form that is shipped, and of how an import is read.
export const formOf = (name) => t(`line ${name}Coverage`) ?? kindOf(name);
export const readAs = ({ resource, profile, profileVersion }) => (!profile ? kindOf(resource)
  : profileVersion > 0 ? profile : formOf(profile));

// letters returns the letters of a column, whose number counts from 0.
const letters = (n) => (n < 26 ? '' : letters(Math.floor(n / 26) - 1)) + String.fromCharCode(65 + (n % 26));

// valueOf returns what was read of a cell, as a text.
const valueOf = (of) => (Array.isArray(of) ? of.join(', ') : of === true || of === false ? t(of ? 'yes' : 'no')
  : typeof of === 'object' && !of?.digits ? JSON.stringify(of) : String(of));

// Said is what the exchange says of a row, with its own words where there are none in the language.
const Said = ({ of }) => html`<span class="bad">${reason(of)}</span>${isForeign() && reason(of) === t('notTaken')
  && html`<${Technical} of=${of} />`}`;

// Wrong is what is wrong with a row: where, what the file has there, and why it cannot be taken.
function Wrong({ of: { wrong = [], cells }, columns }) {
  return wrong.length === 0 ? html`<${None} />` : html`<ul class="plain">${wrong.map((one) => {
    const letter = one.cell?.replace(/\d+$/, '');
    const at = cells.findIndex((_, i) => letters(i) === letter);
    const place = one.record ? one.record + (one.pointer || '').replaceAll('/', '.')
      : columns.find(({ column }) => column === letter)?.means;
    const means = place && (place === one.record ? recordOf(place) : meaning(place));
    const whole = !one.record && /^begins a row/.test(one.reason); // the cell only says which row
    return html`<li>${one.cell && html`<code>${one.cell}</code> `}${means && !whole && `${means}: `}${
      cells[at] && !whole && html`<del>${cells[at]}</del> `}<${Said} of=${one.reason} /></li>`;
  })}</ul>`;
}

// Record leads to a record of a row: a policy or a claim by its number.
function Record({ of: { name, resource, id, policyNumber, claimNumber } }) {
  const shown = t(`record ${name}`) ?? kindOf(resource);
  if (resource === 'claim' && claimNumber) return html`${shown} <${ClaimLink} number=${claimNumber} />`;
  if (policyNumber && t(`line ${resource}`)) return html`${shown} <${PolicyLink} number=${policyNumber} />`;
  return html`<${RecordLink} resource=${resource} id=${id}>${shown}<//>`;
}

const Records = ({ of: { records = [], warnings = [] } }) => (records.length === 0 ? html`<${None} />` : html`
  <ul class="plain">${records.map((one) => html`<li data-record=${one.name}><${Record} of=${one} /></li>`)}
    ${warnings.map((one) => html`<li class="quiet">${note(one)}</li>`)}</ul>`);

// Cells are those of a row as they were sent, under the names of their columns.
function Cells({ of: { cells }, columns }) {
  const given = cells.map((text, i) => ({ text, letter: letters(i) })).filter(({ text }) => text !== '');
  if (given.length === 0) return html`<${None} />`;
  const nameOf = (letter) => columns.find(({ column }) => column === letter)?.name || letter;
  return html`<${Disclosed} class="sent" title=${given.slice(0, BEGUN).map(({ text }) => text).join(', ')
    + (given.length > BEGUN ? ' …' : '')}><dl>${given.map(({ text, letter }) => html`<div><dt>${nameOf(letter)}</dt>
      <dd>${text}</dd></div>`)}</dl><//>`;
}

// Rows are those of an import with an outcome. A page without any is passed over, and so is a column in which nothing
// stands.
function Rows({ path, columns, outcome, state }) {
  const list = async (read, from) => {
    let page = { data: [], next: from };
    while (page.data.length === 0 && page.next) page = await listed('rows', 'after')(read, page.next);
    return page;
  };
  const shown = (rows) => [
    { label: label('row'), amount: true, cell: ({ row }) => row },
    { label: label('outcome'), cell: (row) => (row.outcome ? html`<${Badge} of=${row.outcome} />` : '–') },
    rows.some(({ wrong }) => wrong) && { label: t('wrong'),
      cell: (row) => html`<${Wrong} of=${row} columns=${columns} />` },
    rows.some(({ records }) => records) && { label: label('records'), cell: (row) => html`<${Records} of=${row} />` },
    { label: t('cellsSent'), cell: (row) => html`<${Cells} of=${row} columns=${columns} />` }].filter(Boolean);
  return html`<${PartPages} title=${outcome === ANY ? t('allRowsOf') : `${label('rows')}: ${t(`state ${outcome}`)}`}
    data-part="rows" key=${`${state} ${outcome}`} list=${list}
    path=${`${path}/rows?limit=50${outcome === ANY ? '' : `&outcome=${outcome}`}`} show=${(rows) => html`<${Table}
      caption=${label('rows')} rows=${rows} empty=${t('noRowsOf')} columns=${shown(rows)} />`} />`;
}

// Understood says how each column was read, with some of its cells before and after.
const Understood = ({ columns }) => html`<${Section} title=${t('understood')} data-part="columns">
  <${Table} caption=${t('understood')} rows=${columns} columns=${[
    { label: t('column'), cell: ({ column, name }) => html`<code>${column}</code> ${name}` },
    { label: label('means'), cell: ({ means }) => meaning(means) },
    { label: label('form'), cell: ({ form }) => t(`form ${form}`) ?? form },
    { label: label('examples'), cell: ({ examples }) => (examples.length === 0 ? html`<${None} />` : html`
      <ul class="examples">${examples.map((one) => html`<li><code>${one.cell}</code> ${one.sent}${
        valueOf(one.read) !== one.sent && html` → <ins>${valueOf(one.read)}</ins>`}</li>`)}</ul>`) }]} /><//>`;

// Outcomes are how many rows have each outcome, and what it comes to.
const Outcomes = ({ of: { id, outcomes }, outcome }) => html`<${Section} title=${t('outcomes')} data-part="outcomes">
  <${Table} caption=${t('outcomes')} rows=${OUTCOMES.filter((name) => outcomes[name] > 0)} empty=${t('noOutcomes')}
    columns=${[
    { label: label('outcome'), cell: (name) => html`<a href=${to(id, name)}
      aria-current=${name === outcome ? 'true' : undefined}>${t(`state ${name}`)}</a>` },
    { label: label('rows'), amount: true, cell: (name) => outcomes[name] },
    { label: t('comesTo'), cell: (name) => t(`outcomeIs ${name}`) }]} />
  ${outcome !== ANY && html`<p><a href=${to(id, ANY)}>${t('allRowsOf')}</a></p>`}<//>`;

// useWork has the exchange go on with an import, request by request, until its state is another one: {head, busy, err,
// go(action, body)}. head is the import as the last response has it. It ends with the screen, and when it is cancelled.
function useWork(path, again) {
  const [{ head, busy, err }, set] = useState({});
  const { current: is } = useRef({ here: true });
  useLayoutEffect(() => () => { is.here = false; }, []);
  const go = async (action, body) => {
    is.ends = action === 'cancel';
    set((was) => ({ head: was.head, busy: action }));
    try {
      let now;
      do {
        ({ data: now } = await call('POST', `${path}:${action}`, { body: body && JSON.stringify(body) }));
        set({ head: now, busy: action });
      } while (is.here && !is.ends && now.state === GOES_ON[action]);
      set({ head: now });
    } catch (why) {
      if (is.ends && action !== 'cancel') return;
      set((was) => ({ head: passing(why) ? was.head : undefined, err: why.name === 'AbortError' ? undefined : why }));
      if (is.here && !passing(why)) again(); // it is not as the screen has it
    }
  };
  return { head, busy, err, go };
}

// Progress says how far an import has come, while there is more to do.
function Progress({ of: { state, rows, checked, done }, busy, at }) {
  const [count, name] = state === 'checking' ? [checked, 'checkedOf'] : [done, 'doneOf'];
  const works = state === 'checking' || state === 'applying';
  return html`<div data-part="progress" aria-live="polite" tabindex="-1" ref=${at}>${works && html`
    <p>${t(name, count, rows)} ${t(busy ? state === 'applying' ? 'stayHere' : 'working' : 'notUnderWay')}</p>
    <progress max=${Math.max(rows, 1)} value=${count} aria-label=${t(`import ${state}`)}></progress>`}</div>`;
}

// Sure asks whether something is to be done that cannot be taken back, and does it.
function Sure({ id, title, send, path, body, does, close, children }) {
  const button = useRef();
  useLayoutEffect(() => button.current.focus(), []);
  const submit = (event) => {
    event.preventDefault();
    close();
    does();
  };
  return html`<form class="act" data-form=${id} aria-label=${title} onSubmit=${submit}><h2>${title}</h2>${children}
    <div class="buttons"><button type="submit" class="primary" ref=${button}>${send}</button>
      <${Button} onClick=${close}>${t('close')}<//></div>
    <${Disclosed} class="curl" title=${t('asCurl')}>
      <${Copied} text=${curl('POST', path, body && JSON.stringify(body))} /><//></form>`;
}

const rowsIn = (name, n) => t(n === 1 ? `${name} one` : name, n);

// Actions are what can be done with an import in its state.
function Actions({ of, path, work, put, focus }) {
  const { state, digest, outcomes: { ready = 0, there = 0, refused = 0 } } = of;
  const close = () => put(null);
  const done = (action, body) => {
    focus();
    work.go(action, body);
  };
  const apply = () => put(html`<${Sure} id="apply" title=${rowsIn('makeRows', ready)} send=${t('makeThem')}
    path=${`${path}:apply`} body=${{ digest }} close=${close} does=${() => done('apply', { digest })}>
    <p>${rowsIn('makes', ready)} ${there > 0 && rowsIn('leavesThere', there)} ${refused > 0
      && rowsIn('leavesRefused', refused)} ${t('notTakenBack')}</p><//>`);
  const cancel = () => put(html`<${Sure} id="cancel" title=${t('cancelImport')} send=${t('cancelImport')}
    path=${`${path}:cancel`} close=${close} does=${() => done('cancel')}><p>${t('cancelIs')}</p><//>`);
  const goOn = (action, body) => !work.busy && html`<${Button} class="primary" data-action=${action}
    onClick=${() => work.go(action, body)}>${t(action === 'check' ? 'checkOn' : 'goOn')}<//>`;
  return html`<div class="buttons">${state === 'checking' && goOn('check')}
    ${state === 'applying' && goOn('apply', { digest })}
    ${state === 'checked' && ready > 0 && html`<${Button} class="primary" data-action="apply" onClick=${apply}>
      ${rowsIn('makeRows', ready)} …<//>`}
    ${['checking', 'checked', 'applying'].includes(state) && html`<${Button} data-action="cancel" onClick=${cancel}>
      ${t('cancelImport')} …<//>`}</div>`;
}

function Whole({ of, path, work, query }) {
  const [place, put] = usePlace('act');
  const progress = useRef();
  const { id, outcomes, columns } = of;
  const state = GOES_ON[work.busy] ?? of.state; // it goes on before the first response says so
  const asked = query.get('outcome');
  const outcome = [...OUTCOMES, ANY].includes(asked) ? asked : ASKING.find((name) => outcomes[name] > 0) || ANY;
  useLayoutEffect(() => { if (begun.delete(id) && state === 'checking') work.go('check'); }, []);
  return html`<p class="lead"><a href="#/import">${t('imports')}</a> <${Badge} of=${state} as="import" />
      ${` ${of.batch ? `${of.batch}, ` : ''}${label('sentBy')} ${of.sentBy} `}<${Instant} at=${of.sentAt} />${
  of.appliedBy && html` · ${`${label('appliedBy')} ${of.appliedBy} `}<${Instant} at=${of.appliedAt} />`}</p>
    <${Progress} of=${{ ...of, state }} busy=${work.busy} at=${progress} />
    <div>${work.err && html`<${Refused} err=${work.err} />`}</div>
    ${mayWrite() && html`<${Actions} of=${{ ...of, state }} path=${path} work=${work} put=${put}
      focus=${() => progress.current.focus()} />`}${place}
    <${Outcomes} of=${of} outcome=${outcome} />
    <p data-part="notes">${remarks(of)}</p>
    <div class="buttons"><${Downloads} files=${tables({ name: `import-${id}${outcome === ANY ? '' : `-${outcome}`}`,
    path: `${path}/rows${outcome === ANY ? '' : `?outcome=${outcome}`}` })} /></div>
    <${Rows} path=${path} columns=${columns} outcome=${outcome} state=${of.state} />
    <${Understood} columns=${columns} />`;
}

export default function Import({ id, query }) {
  const path = `/x/import/${encodeURIComponent(id)}`;
  const loaded = useLoaded(async (read) => (await read(path)).data);
  const work = useWork(path, loaded.again);
  const of = work.head || loaded.data;
  // Somebody else may be at it.
  useAgain(loaded, !work.busy && !work.head && Object.values(GOES_ON).includes(loaded.data?.state));
  return html`<h1>${t('importOne')}${of && `: ${readAs(of)}`}</h1>
    <${Around} of=${{ ...loaded, data: of }} show=${(shown) => html`<${Whole} of=${shown} path=${path} work=${work}
      query=${query} />`} />`;
}
