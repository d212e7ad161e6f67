// Reconciliation: files of somebody else, and how they were compared with the records.

import { call, get, mayWrite } from './api.js';
import { badge, copied, curl, h, instant, members, policyLink, recordLink, replace, table } from './old-dom.js';
import { Fields, bodySchema, form, opened } from './old-form.js';
import { link } from './periods.js';
import { listed, live, notice, pages, part } from './old-show.js';
import { label, t } from './words.js';

const OUTCOMES = ['mismatch', 'missingHere', 'missingThere', 'duplicate', 'ambiguous', 'quarantined',
  'withinTolerance', 'matched'];
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

// trial shows how the first rows of a file are read: what is read of each column, and which cells cannot be.
function trial({ rows, more }) {
  const names = [...new Set(rows.flatMap((row) => [...row.cells, ...(row.wrong || [])].map((one) => one.means)))];
  const cell = (row, means) => {
    const wrong = (row.wrong || []).find((one) => one.means === means);
    return wrong ? [h('del', {}, wrong.theirs), ' ', h('span', { class: 'bad', lang: 'en' }, wrong.reason)]
      : row.cells.find((one) => one.means === means)?.value ?? '–';
  };
  return h('section', { 'data-part': 'trial' }, h('h2', {}, t('trial')),
    h('p', { class: 'quiet' }, t(more ? 'firstRows' : 'allRows', rows.length)),
    table(t('trial'), [{ label: label('row'), amount: true, cell: (row) => row.row },
      ...names.map((means) => ({ label: label(means), cell: (row) => cell(row, means) }))], rows));
}

// upload shows how the first rows of a file are read by a profile, and sends it as it is.
function upload(profiles) {
  const profile = h('select', { id: 'profile' }, profiles.map((one) => h('option', { value: one.name }, one.name)));
  const file = h('input', { type: 'file', id: 'file', accept: '.csv,.xlsx,.txt' });
  const said = h('div', { class: 'outcome', 'aria-live': 'polite' });
  const send = h('button', { type: 'submit', class: 'primary' }, t('send'));
  const path = (action) => `/x/reconciliation/statement${action}?profile=${encodeURIComponent(profile.value)}`;
  const type = (name) => (/\.xlsx$/i.test(name) ? XLSX : 'text/csv');
  const preview = h('div', {});
  const details = h('details', { class: 'curl', toggle: () => {
    const name = file.files[0]?.name || 'statement.csv';
    replace(preview, details.open && copied(curl('POST', path(''), undefined, { 'Content-Type': type(name) }, name)));
  } }, h('summary', {}, t('asCurl')), preview);
  const first = h('button', { type: 'button', 'data-try': true,
    click: () => ask(':try', (data) => replace(said, trial(data))) }, t('tryFile'));
  async function ask(action, then) {
    const [chosen] = file.files;
    if (!chosen) {
      replace(said, h('p', { class: 'said' }, t('chooseFile')));
      file.focus();
      return;
    }
    send.disabled = true;
    first.disabled = true;
    replace(said, h('p', {}, t('sending')));
    try {
      const { data } = await call('POST', path(action), { body: chosen, type: type(chosen.name) });
      then(data);
    } catch (err) {
      replace(said, notice(err, err.errors?.length > 0 && h('ul', {}, err.errors.map((one) => h('li', {},
        [one.pointer || one.parameter, one.reason].filter(Boolean).join(' '))))));
    } finally {
      send.disabled = false;
      first.disabled = false;
    }
  }
  const submit = (event) => {
    event.preventDefault();
    ask('', ({ id }) => { location.hash = `#/reconciliation/statement/${id}`; });
  };
  const field = (input, of) => h('div', { class: 'field' }, h('label', { for: input.id }, of), input);
  return h('form', { class: 'act', 'data-form': 'upload', 'aria-label': t('upload'), submit },
    h('h2', {}, t('upload')), h('div', { class: 'fields' }, field(profile, label('profile')), field(file, t('file'))),
    h('div', { class: 'buttons' }, first, send), said, details);
}

// newest shows a list of which the exchange returns the newest first.
function newest(what, title, columns, none, signal) {
  const list = listed((path) => get(path, signal), `${what}s`, 'cursor');
  return part(title, signal, () => pages(`/x/reconciliation/${what}?limit=20`, list,
    (rows) => table(title, columns, rows, none)), (all) => all, { 'data-part': `${what}s` });
}

const leads = (what) => (id, ...shown) => h('a', { href: `#/reconciliation/${what}/${encodeURIComponent(id)}` }, shown);
const toRun = leads('run');
const toStatement = leads('statement');
const toPeriod = ({ contract, kind, period }) => h('a', { href: link({ contract, kind, period }) },
  `${contract} ${period}`);

// text and number are columns of a member as it is; a number stands at the right.
const text = (name, of = label(name)) => ({ label: of, cell: (row) => row[name] ?? '–' });
const number = (name, of = label(name)) => ({ ...text(name, of), amount: true });

const open = ({ ageing }) => ageing.reduce((all, one) => all + one.items, 0);

const runs = (signal) => newest('run', t('runs'), [
  { label: label('madeAt'), cell: (row) => toRun(row.id, instant(row.madeAt)) },
  { label: label('against'), cell: ({ against }) => `${against.contract} ${against.period}` },
  { label: t('stateOf'), cell: (row) => badge(row.state) },
  { label: t('openItems'), amount: true, cell: open },
  number('items', t('items')), text('madeBy')], t('noRuns'), signal);

const statements = (signal) => newest('statement', t('statements'), [
  { label: label('sentAt'), cell: (row) => toStatement(row.id, instant(row.sentAt)) },
  text('profile'), number('rows'), number('quarantined'), text('sentBy')], t('noStatements'), signal);

const columnsOf = ({ columns }) => columns.map((one, i) => [i > 0 && ', ', one.column, ' → ', one.means]);

function start(root, signal) {
  const place = h('div', {});
  root.append(h('h1', {}, t('reconciliation')), h('p', { class: 'lead' }, t('reconciliationIs')), place, runs(signal),
    statements(signal));
  const columns = [text('name', t('name')), number('version'), text('format'),
    { label: label('columns'), cell: columnsOf }];
  root.append(part(t('profiles'), signal, async () => {
    const list = listed((path) => get(path, signal), 'profiles', 'after');
    const { data } = await list('/x/reconciliation/profile?limit=200');
    return { all: data, shown: await pages('/x/reconciliation/profile?limit=50', list,
      (rows) => table(t('profiles'), columns, rows, t('noProfiles'))) };
  }, ({ all, shown }) => {
    replace(place, mayWrite() && all.length > 0 && upload(all));
    return shown;
  }, { 'data-part': 'profiles' }));
}

// compare opens the form that compares a statement with a period.
function compare(statement, place, signal) {
  return opened(place, signal, async () => {
    const fields = new Fields(await bodySchema('POST', '/x/reconciliation/run'), { form: `run ${statement}`, open: true,
      given: { statement, against: { kind: 'premium' }, tolerance: '0' }, first: ['against'], leave: ['statement'] });
    return form({ id: 'run', method: 'POST', path: '/x/reconciliation/run', title: t('compare'), send: t('compare'),
      groups: [{ fields }], body: () => ({ ...fields.body(), statement }), cancel: () => replace(place),
      done: ({ data }) => { location.hash = `#/reconciliation/run/${data.id}`; } });
  });
}

function statement(root, id, signal) {
  const whole = h('div', {});
  root.append(h('h1', {}, t('statement')), whole);
  live(whole, signal, () => get(`/x/reconciliation/statement/${encodeURIComponent(id)}`, signal), ({ data }) => {
    const place = h('div', { id: 'act' });
    const columns = [text('cell', t('cell')), text('means'), number('stated'), number('sum'),
      { label: label('agrees'), cell: (row) => t(row.agrees ? 'yes' : 'no') }];
    return [
      h('p', { class: 'lead' }, h('a', { href: '#/reconciliation' }, t('reconciliation')), ' ',
        t('rowsRead', data.rows, data.quarantined)),
      mayWrite() && h('div', { class: 'buttons' }, h('button', { type: 'button', 'data-action': 'compare',
        click: () => compare(id, place, signal) }, t('compare'))), place,
      h('section', { 'data-part': 'record' }, h('h2', {}, t('record')), members(data, ['totals'])),
      h('section', { 'data-part': 'totals' }, h('h2', {}, t('totals')), table(t('totals'), columns, data.totals))];
  });
}

// cells shows what the file and the record have, side by side.
function cells(row) {
  if (!row.cells?.length) return '–';
  const [of, theirs, ours] = [t('cell'), t('theirs'), t('ours')];
  return h('table', { class: 'beside' },
    h('thead', {}, h('tr', {}, [of, theirs, ours].map((name) => h('th', { scope: 'col' }, name)))),
    h('tbody', {}, row.cells.map((one) => h('tr', {},
      h('td', { 'data-label': of }, `${one.means} ${one.cell}`),
      h('td', { 'data-label': theirs }, h('del', {}, one.theirs)),
      h('td', { 'data-label': ours }, one.reason ? h('span', { lang: 'en' }, one.reason)
        : h('ins', {}, one.ours ?? '–'))))));
}

// DECISIONS are what can be decided about an item, by what became of it.
const DECISIONS = ['accept', 'dispute', 'unmatch'];
const offered = (row) => (row.decision ? []
  : DECISIONS.filter((name) => (name === 'unmatch' ? row.key : row.outcome !== 'matched')));

function decide(name, path, place, again, signal) {
  return opened(place, signal, async () => {
    const body = await bodySchema('POST', `/x/reconciliation/run/{runId}/items/{item}:${name}`);
    const fields = new Fields(body, { form: `${name} ${path}`, all: true });
    return form({ id: name, method: 'POST', path: `${path}:${name}`, title: t(name), send: t(name), keyless: true,
      groups: [{ fields }], cancel: () => replace(place), done: again });
  });
}

function items(path, kind, outcome, place, again, signal) {
  const button = (row, name) => h('button', { type: 'button', 'data-action': name,
    click: () => decide(name, `${path}/items/${row.number}`, place, again, signal) }, t(name));
  const decision = (row) => (row.decision ? [badge(row.decision), ` ${row.decidedBy}: ${row.reason}`]
    : mayWrite() ? h('div', { class: 'buttons' }, offered(row).map((name) => button(row, name))) : '–');
  const resource = kind === 'claims' ? 'claim' : 'receipt'; // that a line is made of
  const record = (id) => [recordLink(resource, id, t(resource)), ' '];
  const columns = [
    { label: label('outcome'), cell: (row) => badge(row.outcome) }, number('row'),
    { label: label('policyNumber'), cell: (row) => (row.policyNumber ? policyLink(row.policyNumber) : '–') },
    { label: t(resource), cell: (row) => (row.lineId ? record(row.lineId) : (row.candidates || []).map(record)) },
    number('days'), { label: t('sideBySide'), cell: cells }, { label: label('decision'), cell: decision }];
  const list = listed((of) => get(of, signal), 'items', 'skip');
  const of = outcome ? `&outcome=${encodeURIComponent(outcome)}` : '';
  return part(t('items'), signal, () => pages(`${path}/items?limit=50${of}`, list,
    (rows) => table(t('items'), columns, rows)), (all) => all, { 'data-part': 'items' });
}

function run(root, id, { query, again }, signal) {
  const path = `/x/reconciliation/run/${encodeURIComponent(id)}`;
  const whole = h('div', {});
  root.append(h('h1', {}, t('run')), whole);
  const to = (outcome) => `#/reconciliation/run/${encodeURIComponent(id)}${outcome ? `?outcome=${outcome}` : ''}`;
  live(whole, signal, () => get(path, signal), ({ data }) => {
    const place = h('div', { id: 'act' });
    const outcomes = [
      { label: label('outcome'), cell: (name) => h('a', { href: to(name) }, t(`state ${name}`) || name) },
      { label: t('items'), amount: true, cell: (name) => data.outcomes[name] }];
    const ageing = [text('month'), number('months'), number('items', t('items'))];
    return [
      h('p', { class: 'lead' }, toStatement(data.statement, t('statement')), ' – ', toPeriod(data.against), ' ',
        badge(data.state), ' ', t('by'), ` ${data.madeBy} `, instant(data.madeAt)),
      h('div', { class: 'columns' },
        h('section', { 'data-part': 'outcomes' }, h('h2', {}, t('outcomes')),
          table(t('outcomes'), outcomes, OUTCOMES.filter((name) => data.outcomes[name] > 0)),
          query.get('outcome') && h('p', {}, h('a', { href: to('') }, t('allItems')))),
        h('section', { 'data-part': 'ageing' }, h('h2', {}, t('ageing')),
          table(t('ageing'), ageing, data.ageing, t('nothingOpen')))),
      place, items(path, data.against.kind, query.get('outcome'), place, again, signal)];
  });
}

export default function reconciliation(root, given, signal) {
  const [what, id] = given.path;
  if (what === 'statement' && id) statement(root, id, signal);
  else if (what === 'run' && id) run(root, id, given, signal);
  else start(root, signal);
}
