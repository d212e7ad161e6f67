// Reconciliation: files of somebody else, and how they were compared with the records.

import { call, mayWrite } from './api.js';
import { Badge, Button, Copied, Disclosed, Instant, Members, Table, curl } from './dom.js';
import { Refused, mediaOf, remarks, takeHeld } from './file.js';
import { Fields, Opened, bodySchema } from './form.js';
import { html, useLayoutEffect, useRef, useState } from './html.js';
import Profile from './profile.js';
import Run from './run.js';
import { Around, Pages, PartPages, Section, listed, useAgain, useLoaded, usePlace } from './show.js';
import { label, reason, t } from './words.js';

const MOST_LOOKS = 60; // at a statement of which no comparison is seen

// Trial shows how the first rows of a file are read: what is read of each column, and which cells cannot be.
function Trial({ rows, more, formulas, notes }) {
  const names = [...new Set(rows.flatMap((row) => [...row.cells, ...(row.wrong || [])].map((one) => one.means)))];
  const cell = (row, means) => {
    const wrong = (row.wrong || []).find((one) => one.means === means);
    return wrong ? html`<del>${wrong.theirs}</del> <span class="bad">${reason(wrong.reason)}</span>`
      : row.cells.find((one) => one.means === means)?.value ?? '–';
  };
  return html`<${Section} title=${t('trial')} data-part="trial">
    <p class="quiet">${t(more ? 'firstRows' : 'allRows', rows.length)} ${remarks({ formulas, notes })}</p>
    <${Table} caption=${t('trial')} rows=${rows} columns=${[
      { label: label('row'), amount: true, cell: (row) => row.row },
      ...names.map((means) => ({ label: means ? label(means) : t('cell'), cell: (row) => cell(row, means) }))]} /><//>`;
}

// Upload shows how the first rows of a file are read by a profile, and sends it as it is. It may take the place of a
// statement.
function Upload({ profiles, title = t('upload'), replaces }) {
  const [profile, file] = [useRef(), useRef()];
  const [{ busy, said }, set] = useState({});
  useLayoutEffect(() => takeHeld(file.current), []);
  const path = (action) => `/x/reconciliation/statement${action}?${new URLSearchParams({ profile: profile.current.value,
    ...(replaces && !action && { replaces }) })}`;
  const AsCurl = useRef(() => {
    const name = file.current.files[0]?.name || 'statement.csv';
    return html`<${Copied} text=${curl('POST', path(''), undefined, { 'Content-Type': mediaOf(name) }, name)} />`;
  }).current;
  const ask = async (action, then) => {
    const [chosen] = file.current.files;
    if (!chosen) {
      set({ said: html`<p class="said">${t('chooseFile')}</p>` });
      file.current.focus();
      return;
    }
    set({ busy: true, said: html`<p>${t('sending')}</p>` });
    try {
      const { data } = await call('POST', path(action), { body: chosen, type: mediaOf(chosen.name) });
      set({ said: then(data) });
    } catch (err) {
      set({ said: html`<${Refused} err=${err} />` });
    }
  };
  const submit = (event) => {
    event.preventDefault();
    ask('', ({ id }) => { location.hash = `#/reconciliation/statement/${id}`; });
  };
  return html`<form class="act" data-form="upload" aria-label=${title} onSubmit=${submit}><h2>${title}</h2>
    <div class="fields"><div class="field"><label for="profile">${label('profile')}</label>
      <select id="profile" ref=${profile}>${profiles.map((one) => html`
        <option value=${one.name}>${one.name}</option>`)}</select></div>
    <div class="field"><label for="file">${t('file')}</label>
      <input type="file" id="file" accept=".csv,.xlsx,.txt" ref=${file} /></div></div>
    <div class="buttons"><${Button} data-try disabled=${Boolean(busy)}
      onClick=${() => ask(':try', (data) => html`<${Trial} ...${data} />`)}>${t('tryFile')}<//>
      <button type="submit" class="primary" disabled=${Boolean(busy)}>${t('send')}</button></div>
    <div class="outcome" aria-live="polite">${said}</div>
    <${Disclosed} class="curl" title=${t('asCurl')}><${AsCurl} /><//></form>`;
}

// Newest shows a list of which the exchange returns the newest first.
const Newest = ({ what, title, columns, none }) => html`<${PartPages} title=${title} data-part=${`${what}s`}
  path=${`/x/reconciliation/${what}?limit=20`} list=${listed(`${what}s`, 'cursor')}
  show=${(rows) => html`<${Table} caption=${title} columns=${columns} rows=${rows} empty=${none} />`} />`;

const To = ({ what, id, children }) => html`<a
  href=${`#/reconciliation/${what}/${encodeURIComponent(id)}`}>${children}</a>`;

// text and number are columns of a member as it is; a number stands at the right.
const text = (name, of = label(name)) => ({ label: of, cell: (row) => row[name] ?? '–' });
const number = (name, of = label(name)) => ({ ...text(name, of), amount: true });

const open = ({ ageing }) => ageing.reduce((all, one) => all + one.items, 0);

const runColumns = () => [
  { label: label('madeAt'), cell: (row) => html`<${To} what="run" id=${row.id}><${Instant} at=${row.madeAt} /><//>` },
  { label: label('against'), cell: ({ against }) => `${against.contract} ${against.period}` },
  { label: t('stateOf'), cell: (row) => html`<${Badge} of=${row.state} />` },
  { label: t('openItems'), amount: true, cell: open },
  number('items', t('items')), text('madeBy')];

const statementColumns = () => [
  { label: label('sentAt'),
    cell: (row) => html`<${To} what="statement" id=${row.id}><${Instant} at=${row.sentAt} /><//>` },
  text('profile'), number('rows'), number('quarantined'), text('sentBy')];

// ComparedFiles are the comparisons and the statements, the newest first.
export const ComparedFiles = () => html`
  <${Newest} what="run" title=${t('runs')} columns=${runColumns()} none=${t('noRuns')} />
  <${Newest} what="statement" title=${t('statements')} columns=${statementColumns()} none=${t('noStatements')} />`;

const ofStatements = ({ records = [] }) => records.length === 0;

const columnsOf = ({ columns }) => columns.map((one, i) => html`${i > 0 && ', '}<code>${one.column}</code> → ${
  label(one.means)}`);

function Start() {
  const profiles = async (read, path) => {
    const page = await listed('profiles', 'after')(read, path);
    return { ...page, data: page.data.filter(ofStatements) };
  };
  const all = useLoaded((read) => profiles(read, '/x/reconciliation/profile?limit=200'));
  const columns = [{ label: t('name'), cell: (row) => (mayWrite()
    ? html`<${To} what="profile" id=${row.name}>${row.name}<//>` : row.name) }, number('version'), text('format'),
    { label: label('columns'), cell: columnsOf }];
  return html`<h1>${t('reconciliation')}</h1><p class="lead">${t('reconciliationIs')}</p>
    <div>${mayWrite() && all.data?.data.length > 0 && html`<${Upload} profiles=${all.data.data} />`}</div>
    <${ComparedFiles} />
    <${Section} title=${t('profiles')} data-part="profiles"><${Around} of=${all}
      first=${html`<p class="empty">${t('loading')}</p>`} show=${() => html`<${Pages} list=${profiles}
        path="/x/reconciliation/profile?limit=50" show=${(rows) => html`<${Table} caption=${t('profiles')}
          columns=${columns} rows=${rows} empty=${t('noProfiles')} />`} />`} />
      ${mayWrite() && html`<p><a class="button" data-action="profile" href="#/reconciliation/profile">${
  t('newProfile')}</a></p>`}<//>`;
}

// comparisonOf returns the form that compares a statement with a period.
async function comparisonOf(statement) {
  const fields = new Fields(await bodySchema('POST', '/x/reconciliation/run'), { form: `run ${statement}`, open: true,
    given: { statement, against: { kind: 'premium' }, tolerance: '0' }, first: ['against'], leave: ['statement'] });
  return { id: 'run', method: 'POST', path: '/x/reconciliation/run', title: t('compare'), send: t('compare'),
    groups: [{ fields }], body: () => ({ ...fields.body(), statement }),
    done: ({ data }) => { location.hash = `#/reconciliation/run/${data.id}`; } };
}

// Comparing is how far a comparison has come.
const Comparing = ({ of: { askedBy, read, of, made } }) => html`<p class="quiet" data-part="comparing">
  ${t(of ? 'comparingOf' : 'comparing', askedBy, made, read, of)}</p>`;

// Compared leads to what a comparison came to.
const Compared = ({ of: { id, madeAt, against, state } }) => html`<p data-part="compared">${t('run')} <${To} what="run"
  id=${id}>${against.contract} ${against.period}<//> <${Badge} of=${state} /> <${Instant} at=${madeAt} /></p>`;

// useComparison reads a statement and its newest comparison, if that is among the newest of all, and looks again while
// one is under way; some time before as well, until there is another comparison. watch() begins that time anew.
function useComparison(id) {
  const { current: looks } = useRef({ left: MOST_LOOKS });
  const loaded = useLoaded(async (read) => {
    const { data } = await read(`/x/reconciliation/statement/${encodeURIComponent(id)}`);
    const { data: { runs } } = await read('/x/reconciliation/run?limit=20');
    const run = runs.find(({ statement }) => statement === id);
    looks.before ??= run?.id ?? '';
    if (!data.comparing) looks.left -= 1;
    return { data, run, looking: data.comparing || (looks.left > 0 && (run?.id ?? '') === looks.before) };
  });
  useAgain(loaded, loaded.data?.looking);
  const watch = () => {
    Object.assign(looks, { left: MOST_LOOKS, before: undefined });
    loaded.again();
  };
  return [loaded, watch];
}

// Changes are what differs between a file and the one whose place it has taken.
function Changes({ of: { id, replaces } }) {
  const side = (text) => (text ? html`<bdi>${text}</bdi>` : '–');
  const columns = [{ label: t('change'), cell: (row) => html`<${Badge} of=${row.kind} />` }, number('row'),
    number('formerRow'),
    { label: t('record'), cell: (row) => row.policyNumber || row.claimNumber || row.lineId || '–' },
    { label: label('changes'), cell: (row) => row.cells.map(({ means, was, is }) => html`<div>${label(means)}: ${
      side(was)} → ${side(is)}</div>`) }];
  return html`<${PartPages} title=${t('changesOf')} data-part="changes" list=${listed('changes', 'skip')}
    path=${`/x/reconciliation/statement/${id}/changes?limit=50`} show=${(rows) => html`<p><${To} what="statement"
      id=${replaces}>${t('formerFile')}<//></p><${Table} caption=${t('changesOf')} columns=${columns} rows=${rows}
      empty=${t('noChanges')} />`} />`;
}

function Statement({ id }) {
  const [loaded, watch] = useComparison(id);
  const [place, put] = usePlace('act');
  const compare = () => {
    watch();
    put(html`<${Opened} make=${async () => ({ ...await comparisonOf(id), cancel: () => put(null) })} />`);
  };
  const columns = [text('cell', t('cell')),
    { label: label('means'), cell: (row) => label(row.means) }, number('stated'), number('sum'),
    { label: label('agrees'), cell: (row) => t(row.agrees ? 'yes' : 'no') }];
  return html`<h1>${t('statement')}</h1><${Around} of=${loaded} show=${({ data, run }) => html`
      <p class="lead"><a href="#/reconciliation">${t('reconciliation')}</a> ${t('rowsRead', data.rows,
    data.quarantined)} ${remarks(data)}</p>
      <div role="status">${data.comparing ? html`<${Comparing} of=${data.comparing} />`
    : run && html`<${Compared} of=${run} />`}</div>
      ${mayWrite() && html`<div class="buttons"><${Button} data-action="compare" onClick=${compare}>
        ${t('compare')}<//>${!data.replacedBy && html`<${Button} data-action="correct"
          onClick=${() => put(html`<${Upload} profiles=${[{ name: data.profile }]} title=${t('correct')}
            replaces=${id} />`)}>${t('correct')}<//>`}
      </div>`}${place}
      ${data.replaces && html`<${Changes} of=${data} />`}
      <${Section} title=${t('record')} data-part="record"><${Members} of=${data}
        leave=${['totals', 'comparing', 'formulas', 'notes']} /><//>
      <${Section} title=${t('totals')} data-part="totals"><${Table} caption=${t('totals')} columns=${columns}
        rows=${data.totals} /><//>`} />`;
}

export default function Reconciliation({ path: [what, id], query, again }) {
  if (what === 'statement' && id) return html`<${Statement} id=${id} />`;
  if (what === 'profile') return html`<${Profile} name=${id} />`;
  if (what === 'run' && id) return html`<${Run} id=${id} query=${query} again=${again} />`;
  return html`<${Start} />`;
}
