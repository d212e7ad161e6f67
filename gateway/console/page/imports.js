// Imports: files whose rows become records, and what is known of how they are read.

import { call, interfaceDocument, mayWrite } from './api.js';
import { Badge, Copied, Disclosed, Instant, Table, curl } from './dom.js';
import { Refused, XLSX, mediaOf, takeHeld } from './file.js';
import { html, useLayoutEffect, useRef, useState } from './html.js';
import Import, { OUTCOMES, begun, formOf, readAs, to } from './import.js';
import Profile from './profile.js';
import { Around, Downloads, Pages, PartPages, Section, listed, useLoaded } from './show.js';
import { kindOf, label, meaning, t } from './words.js';

const PROFILES = '/x/reconciliation/profile?limit=200';
const ofRecords = ({ records = [] }) => records.length > 0;

// ways resolves to the ways in which a file can be read: {forms, profiles, resources}. A profile of the caller stands
// before the form of its name, as it does for the exchange.
async function ways(read) {
  const [{ data: { templates } }, { data: { profiles } }, { paths }] = await Promise.all([read('/x/import/template'),
    read(PROFILES), interfaceDocument()]);
  const own = profiles.filter(ofRecords);
  return { profiles: own, forms: templates.filter(({ name }) => !own.some((one) => one.name === name)),
    resources: Object.entries(paths).filter(([path, { post }]) => /^\/\w+$/.test(path) && post?.responses['201'])
      .map(([path]) => path.slice(1)) };
}

// useDropped puts a file that is dropped anywhere on the page into an input, and returns whether one is held above it.
export function useDropped(input, chosen) {
  const [above, set] = useState(false);
  useLayoutEffect(() => {
    const takes = {
      dragover: (event) => {
        if (!event.dataTransfer.types.includes('Files')) return;
        event.preventDefault();
        set(true);
      },
      dragleave: (event) => { if (!event.relatedTarget) set(false); },
      drop: (event) => {
        const [file] = event.dataTransfer.files;
        if (!file) return;
        event.preventDefault();
        const one = new DataTransfer(); // the first file only
        one.items.add(file);
        input.current.files = one.files;
        set(false);
        chosen();
      },
    };
    for (const [event, take] of Object.entries(takes)) document.addEventListener(event, take);
    return () => {
      for (const [event, take] of Object.entries(takes)) document.removeEventListener(event, take);
    };
  }, []);
  return above;
}

const byName = (nameOf) => (a, b) => nameOf(a).localeCompare(nameOf(b));

// Choice is the choice of what the rows of a file are. Its values are the parameter and its value, parted by a blank.
function Choice({ of: { forms, profiles, resources }, at, chosen, children }) {
  const group = (title, parameter, list) => list.length > 0 && html`<optgroup label=${title}>${list
    .map(([name, words]) => html`<option value=${`${parameter} ${name}`}>${words}</option>`)}</optgroup>`;
  const words = (list, of) => list.map((name) => [name, of(name)]).sort(byName(([, shown]) => shown));
  return html`<div class="field"><label for="rows-are">${t('rowsAre')}</label>
    <select id="rows-are" ref=${at} onInput=${chosen}>
      ${group(t('ownProfiles'), 'profile', profiles.map(({ name }) => [name, name]))}
      ${group(t('forms'), 'profile', words(forms.map(({ name }) => name), formOf))}
      ${group(t('membersOf'), 'resource', words(resources, kindOf))}</select>${children}</div>`;
}

// Means says what a choice comes to, with the workbook of a form.
function Means({ of: { forms, profiles }, chosen: [parameter, name] }) {
  const own = parameter === 'profile' && profiles.find((one) => one.name === name);
  const form = own || (parameter === 'profile' && forms.find((one) => one.name === name));
  const records = form ? form.records : [{ resource: name }];
  return html`<div data-part="means"><p class="about">${t('rowMakes', records.map((one) => kindOf(one.resource))
    .join(', '))} ${t(form ? form.workbook ? 'asWorkbook' : 'asProfile' : 'asMembers')}</p>
    <div class="buttons">${form?.workbook && html`<${Downloads} files=${[{ suffix: 'xlsx', media: XLSX,
      path: form.workbook, name, title: t('workbookOf', formOf(name)) }]} />`}
    ${!own && html`<a class="button" data-action="profile" href=${`#/import/profile?as=${parameter} ${name}`}>${
  t('ownNames')}</a>`}</div></div>`;
}

// Sending is the form that sends a file, which is checked.
function Sending({ of }) {
  const [file, rows, batch] = [useRef(), useRef(), useRef()];
  const [{ busy, said }, set] = useState({});
  const [chosen, choose] = useState(null);
  const above = useDropped(file, () => set({}));
  useLayoutEffect(() => {
    takeHeld(file.current);
    choose(rows.current.value.split(' '));
  }, []);
  const path = () => {
    const [parameter, name] = rows.current.value.split(' ');
    const parted = batch.current.value.trim();
    return `/x/import?${new URLSearchParams({ [parameter]: name, ...(parted && { batch: parted }) })}`;
  };
  const AsCurl = useRef(() => {
    const name = file.current.files[0]?.name || 'rows.csv';
    return html`<${Copied} text=${curl('POST', path(), undefined, { 'Content-Type': mediaOf(name) }, name)} />`;
  }).current;
  const submit = async (event) => {
    event.preventDefault();
    const [sent] = file.current.files;
    if (!sent) {
      set({ said: html`<p class="said">${t('chooseFile')}</p>` });
      file.current.focus();
      return;
    }
    set({ busy: true, said: html`<p>${t('checkingFile')}</p>` });
    try {
      const { data } = await call('POST', path(), { body: sent, type: mediaOf(sent.name) });
      begun.add(data.id);
      location.hash = to(data.id);
    } catch (err) {
      set({ said: html`<${Refused} err=${err} />` });
    }
  };
  return html`<form class="act" data-form="import" data-above=${above || undefined} aria-label=${t('importFile')}
    onSubmit=${submit}><h2>${t('importFile')}</h2>
    <div class="fields"><${Choice} of=${of} at=${rows} chosen=${() => choose(rows.current.value.split(' '))}>
        ${chosen && html`<${Means} of=${of} chosen=${chosen} />`}<//>
      <div class="field"><label for="file">${t('file')}</label>
        <input type="file" id="file" accept=".csv,.xlsx,.txt" aria-describedby="file-about" ref=${file} />
        <p class="about" id="file-about">${t('dropFile')}</p></div>
      <div class="field"><label for="batch">${label('batch')}</label>
        <input id="batch" autocomplete="off" aria-describedby="batch-about" ref=${batch} />
        <p class="about" id="batch-about">${t('batchIs')}</p></div></div>
    <div class="buttons"><button type="submit" class="primary" disabled=${Boolean(busy)}>
      ${t('checkFile')}</button></div>
    <div class="outcome" aria-live="polite">${said}</div>
    <${Disclosed} class="curl" title=${t('asCurl')}><${AsCurl} /><//></form>`;
}

const counted = ({ outcomes }) => OUTCOMES.filter((name) => outcomes[name] > 0)
  .map((name) => `${outcomes[name]} ${t(`state ${name}`)}`).join(', ') || '–';

const columns = () => [
  { label: label('sentAt'), cell: (row) => html`<a href=${to(row.id)}><${Instant} at=${row.sentAt} /></a>` },
  { label: t('rowsAre'), cell: readAs }, { label: label('batch'), cell: (row) => row.batch || '–' },
  { label: t('stateOf'), cell: (row) => html`<${Badge} of=${row.state} as="import" />` },
  { label: label('rows'), amount: true, cell: (row) => row.rows }, { label: t('outcomes'), cell: counted },
  { label: label('sentBy'), cell: (row) => row.sentBy }];

const profileColumns = () => [
  { label: t('name'), cell: ({ name }) => (mayWrite()
    ? html`<a href=${`#/import/profile/${encodeURIComponent(name)}`}>${name}</a>` : name) },
  { label: label('version'), amount: true, cell: (row) => row.version },
  { label: label('records'), cell: (row) => row.records.map((one) => kindOf(one.resource)).join(', ') },
  { label: label('columns'), cell: (row) => row.columns.map(({ column, means }, i) => html`${i > 0 && ', '}<code>${
    column}</code>${` → ${meaning(means)}`}`) }];

// ImportList are the imports, the newest first.
export const ImportList = () => html`<${PartPages} title=${t('imports')} data-part="imports" path="/x/import?limit=20"
  list=${listed('imports', 'cursor')} show=${(rows) => html`<${Table} caption=${t('imports')} columns=${columns()}
    rows=${rows} empty=${t('noImports')} />`} />`;

function Start() {
  const profiles = async (read, path) => {
    const page = await listed('profiles', 'after')(read, path);
    return { ...page, data: page.data.filter(ofRecords) };
  };
  const all = useLoaded(async (read) => mayWrite() && ways(read));
  return html`<h1>${t('import')}</h1><p class="lead">${t('importIs')}</p>
    <${Around} of=${all} first=${mayWrite() && html`<p class="empty">${t('loading')}</p>`}
      show=${(of) => of && html`<${Sending} of=${of} />`} />
    <${ImportList} />
    <${Section} title=${t('profiles')} data-part="profiles"><${Pages} list=${profiles}
      path="/x/reconciliation/profile?limit=50" show=${(rows) => html`<${Table} caption=${t('profiles')}
        columns=${profileColumns()} rows=${rows} empty=${t('noImportProfiles')} />`} /><//>`;
}

export default function Imports({ path: [id, name], query }) {
  if (id === 'profile') return html`<${Profile} name=${name} as=${query.get('as') || ''} />`;
  return id ? html`<${Import} id=${id} query=${query} />` : html`<${Start} />`;
}
