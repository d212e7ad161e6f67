// A comparison of a file with the records: what came of each row and record, and what people decide about them.

import { get, mayWrite } from './api.js';
import { Badge, Button, Instant, PolicyLink, RecordLink, Table, decimal } from './dom.js';
import { difference, isDecimal } from './decimal.js';
import { tables } from './file.js';
import { Fields, Opened, bodySchema } from './form.js';
import { html } from './html.js';
import { link } from './periods.js';
import { Downloads, Loaded, PartPages, Section, listed, usePlace } from './show.js';
import { label, option, reason, t } from './words.js';

const OUTCOMES = ['mismatch', 'missingHere', 'missingThere', 'duplicate', 'ambiguous', 'quarantined',
  'withinTolerance', 'matched'];
const PAIRED = ['withinTolerance', 'matched'];
const BULK = ['accept', 'dispute'];
const MOST_RECORDS = 200; // to choose from when a row is paired by hand

const to = (id, outcome) => `#/reconciliation/run/${encodeURIComponent(id)}${outcome ? `?outcome=${outcome}` : ''}`;
const column = (name, amount, of = label(name)) => ({ label: of, amount, cell: (row) => row[name] ?? '–' });

// apart is what the file has more than the record, where both have an amount.
const apart = ({ theirs, ours }) => (isDecimal(theirs) && isDecimal(ours)
  ? decimal(difference(ours, theirs), { minimumFractionDigits: 2, signDisplay: 'exceptZero' }) : '–');

// shownAs is a value of a cell, a type of receipts in words.
const shownAs = (means, of) => (of ? means === 'type' ? option('receiptType', of) : of : '–');

// Cells shows what the file and the record have, side by side, and by what they differ. Neither of them is right.
function Cells({ of: { cells } }) {
  if (!cells?.length) return '–';
  const names = [t('cell'), t('theirs'), t('ours'), t('differsBy')];
  const [of, theirs, ours, by] = names;
  return html`<table class="beside"><thead><tr>${names.map((name) => html`
    <th scope="col">${name}</th>`)}</tr></thead><tbody>${cells.map((one) => html`<tr>
      <td data-label=${of}>${`${label(one.means)} ${one.cell}`}</td>
      <td data-label=${theirs} data-side="theirs">${shownAs(one.means, one.theirs)}</td>
      <td data-label=${ours} data-side="ours">${one.reason ? reason(one.reason) : shownAs(one.means, one.ours)}</td>
      <td data-label=${by} class="right">${apart(one)}</td></tr>`)}</tbody></table>`;
}

// Proposed is the group of records, or of rows, that together come to the amount of an item.
const Proposed = ({ of: { together, rows } }) => (together || rows?.length > 0) && html`
  <p class="quiet" data-proposed>${together ? t('recordsTogether') : t('rowsTogether', rows.join(', '))}</p>`;

// offered returns what can be decided about an item, by what became of it.
function offered({ decision, outcome, key, row, paired }) {
  if (decision) return [];
  return [row && ['missingHere', 'ambiguous'].includes(outcome) && 'pair', outcome !== 'matched' && 'accept',
    outcome !== 'matched' && 'dispute', paired ? 'unpair' : key && 'unmatch'].filter(Boolean);
}

// decisionOf returns the form of a decision about an item.
async function decisionOf(name, path) {
  const body = await bodySchema('POST', `/x/reconciliation/run/{runId}/items/{item}:${name}`, ['reason']);
  return { id: name, method: 'POST', path: `${path}:${name}`, title: t(name), send: t(name), keyless: true,
    groups: [{ fields: new Fields(body, { form: `${name} ${path}`, all: true }) }] };
}

// bulkOf returns the form of a decision about all items of an outcome that nobody has decided on.
async function bulkOf(name, path, outcome) {
  const body = await bodySchema('POST', `/x/reconciliation/run/{runId}:${name}`, ['reason']);
  const fields = new Fields(body, { form: `${name} all ${path} ${outcome}`, only: ['reason'] });
  return { id: `${name}-all`, method: 'POST', path: `${path}:${name}`, title: t(`${name}All`, t(`state ${outcome}`)),
    send: t(name), keyless: true, groups: [{ fields }], body: () => ({ ...fields.body(), where: { outcome } }) };
}

// said returns a record that no row has in one line: its number in the comparison, its policy, and what it has.
const said = ({ number, policyNumber, cells = [] }) => [`${number}: ${policyNumber}`, ...cells.map((one) => one.ours)]
  .join(', ');

// pairOf returns the form that pairs the row of an item with a record that no row has, those of its policy first.
async function pairOf(path, { number, row, policyNumber }) {
  const { document, schema } = await bodySchema('POST', '/x/reconciliation/run/{runId}:pair');
  const { data: { items } } = await get(`${path}/items?outcome=missingThere&limit=${MOST_RECORDS}`);
  const alone = items.filter((one) => !one.decision)
    .toSorted((a, b) => (b.policyNumber === policyNumber) - (a.policyNumber === policyNumber));
  const item = { type: 'string', enum: alone.map(said), description: '' };
  const fields = new Fields({ document, schema: { required: ['item', 'reason'],
    properties: { item, reason: schema.properties.reason } } }, { form: `pair ${path} ${number}`, all: true });
  return { id: 'pair', method: 'POST', path: `${path}:pair`, title: t('pairRow', row), send: t('pair'), keyless: true,
    before: alone.length === 0 && html`<p class="empty">${t('noneToPair')}</p>`, groups: [{ fields }], body: () => {
      const { item: chosen = '', ...more } = fields.body();
      return { ...more, items: [number, Number.parseInt(chosen, 10) || 0] };
    } };
}

// unpairOf returns the form that parts a pair that was made by hand.
async function unpairOf(path, { number, paired }) {
  const body = await bodySchema('POST', '/x/reconciliation/run/{runId}:unpair', ['reason']);
  const fields = new Fields(body, { form: `unpair ${path} ${number}`, only: ['reason'] });
  return { id: 'unpair', method: 'POST', path: `${path}:unpair`, title: t('unpair'), send: t('unpair'), keyless: true,
    groups: [{ fields }], body: () => ({ ...fields.body(), items: [number, paired.with] }) };
}

const formOf = (name, path, item) => (name === 'pair' ? pairOf(path, item) : name === 'unpair' ? unpairOf(path, item)
  : decisionOf(name, `${path}/items/${item.number}`));

// Items are those of a run, without those that agree unless they are asked for; act(name, item) opens the form of what
// is done with one.
function Items({ path, kind, outcome, act }) {
  const decision = (row) => html`${row.paired && html`<p class="quiet" data-paired>${
    t('pairedBy', row.paired.by, row.paired.reason)}</p>`}${row.decision
    ? html`<${Badge} of=${row.decision} />${` ${row.decidedBy}: ${row.reason}`}` : mayWrite() ? html`
      <div class="buttons">${offered(row).map((name) => html`<${Button} data-action=${name}
        onClick=${() => act(name, row)}>${t(name)}<//>`)}</div>` : '–'}`;
  const resource = kind === 'claims' ? 'claim' : 'receipt'; // that a line is made of
  const record = (id) => html`<${RecordLink} resource=${resource} id=${id}>${t(resource)}<//> `;
  const columns = [
    { label: label('outcome'), cell: (row) => html`<${Badge} of=${row.outcome} />` }, column('row', true),
    { label: label('policyNumber'),
      cell: (row) => (row.policyNumber ? html`<${PolicyLink} number=${row.policyNumber} />` : '–') },
    { label: t(resource), cell: (row) => html`${row.lineId ? record(row.lineId) : (row.candidates || []).map(record)}
      <${Proposed} of=${row} />` },
    column('days', true), { label: t('sideBySide'), cell: (row) => html`<${Cells} of=${row} />` },
    { label: label('decision'), cell: decision }];
  const of = outcome ? `&outcome=${encodeURIComponent(outcome)}` : '';
  const differ = (rows) => rows.filter((row) => outcome || row.outcome !== 'matched');
  return html`<${PartPages} title=${t('items')} data-part="items" path=${`${path}/items?limit=50${of}`}
    list=${listed('items', 'skip')} show=${(rows) => html`<${Table} caption=${t('items')} columns=${columns}
      rows=${differ(rows)} empty=${t('onlyMatches')} />`} />`;
}

// Run is the screen of a comparison.
export default function Run({ id, query, again }) {
  const path = `/x/reconciliation/run/${encodeURIComponent(id)}`;
  const outcome = query.get('outcome');
  const [place, put] = usePlace('act');
  const opens = (make) => put(html`<${Opened}
    make=${async () => ({ ...await make(), cancel: () => put(null), done: again })} />`);
  const ageing = [column('month'), column('months', true), column('items', true, t('items'))];
  const all = (name) => html`<${Button} data-action=${`${name}-all`}
    onClick=${() => opens(() => bulkOf(name, path, outcome))}>${t(`${name}All`, t(`state ${outcome}`))}<//>`;
  const bulk = mayWrite() && outcome && !PAIRED.includes(outcome)
    && html`<div class="buttons">${BULK.map(all)}</div>`;
  return html`<h1>${t('run')}</h1><${Loaded} load=${(read) => read(path)} show=${({ data }) => html`<p class="lead">
    <a href=${`#/reconciliation/statement/${encodeURIComponent(data.statement)}`}>${t('statement')}</a> – <a
      href=${link(data.against)}>${`${data.against.contract} ${data.against.period}`}</a> <${Badge} of=${data.state} />
      ${` ${t('by')} ${data.madeBy} `}<${Instant} at=${data.madeAt} /></p>
    <div class="columns"><${Section} title=${t('outcomes')} data-part="outcomes"><${Table} caption=${t('outcomes')}
      rows=${OUTCOMES.filter((name) => data.outcomes[name] > 0)} columns=${[
    { label: label('outcome'), cell: (name) => html`<a href=${to(id, name)}>${t(`state ${name}`) || name}</a>` },
    { label: t('items'), amount: true, cell: (name) => data.outcomes[name] }]} />
      ${outcome && html`<p><a href=${to(id)}>${t('allItems')}</a></p>`}${bulk}<//>
    <${Section} title=${t('ageing')} data-part="ageing"><${Table} caption=${t('ageing')} columns=${ageing}
      rows=${data.ageing} empty=${t('nothingOpen')} /><//></div>
    <div class="buttons"><${Downloads} files=${tables({ path: `${path}/items${outcome ? `?outcome=${outcome}` : ''}`,
    name: `${data.against.contract}-${data.against.period}-differences` })} /></div>
    ${place}<${Items} path=${path} kind=${data.against.kind} outcome=${outcome}
      act=${(name, item) => opens(() => formOf(name, path, item))} />`} />`;
}
