// A version of a bordereau: its lines and findings, what differs from another one, and its sign-off.

import { mayWrite, parse } from './api.js';
import { Badge, Button, Members, PolicyLink, Table, Technical } from './dom.js';
import { difference, isDecimal, larger } from './decimal.js';
import { Fields, Form, Opened, bodySchema } from './form.js';
import { html, useRef, useState } from './html.js';
import { Lines, SourceLink } from './lines.js';
import { Owner, address, link } from './periods.js';
import { Around, Downloads, Head, Loaded, Pages, Section, listed, useLoaded, usePlace } from './show.js';
import { SignOff, Signs, hasPrepared } from './signoff.js';
import { Totals } from './totals.js';
import { finding, isForeign, label, t } from './words.js';

const TEMPLATE = '/x/bordereau/{contract}/{kind}/{period}/versions/{number}';

// reasoned returns a form that sends a reason.
async function reasoned(name, path, template) {
  const fields = new Fields(await bodySchema('POST', template, ['reason']), { form: `${name} ${path}`, all: true });
  return { id: name, method: 'POST', path, title: t(name), send: t(name), keyless: true, groups: [{ fields }] };
}

// signed returns a form that signs what a version has: it says that in words, and sends the digest.
const signed = (name, path, of, version) => ({ id: name, method: 'POST', path, title: t(name), send: t(name),
  keyless: true, groups: [], before: html`<p data-signs><${Signs} of=${of} version=${version} /></p>`,
  body: () => ({ digest: version.digest }) });

// Exports are the files of a version.
const Exports = ({ of: { contract, kind, period }, number, at }) => html`<${Downloads} files=${['csv', 'xlsx']
  .map((suffix) => ({ suffix, path: at(`/lines.${suffix}`), name: `${contract}-${kind}-${period}-${number}` }))} />`;

// Outcomes are what each check came to: what was found first, then what could not be checked.
const Outcomes = ({ checks }) => html`<details data-part="outcomes"><summary>${t('outcomes')}</summary>
  <${Table} caption=${t('outcomes')} columns=${[
    { label: label('code'), cell: (row) => html`<code>${row.code}</code>` },
    { label: label('outcome'), cell: (row) => html`<${Badge} of=${row.outcome} />` },
    { label: label('reason'), cell: (row) => (row.why ? html`<${Technical} of=${row.why} />` : '–') },
  ]} rows=${['fail', 'not-evaluable', 'pass'].flatMap((of) => checks.filter((one) => one.outcome === of))} />
</details>`;

// Findings are what somebody should look at. An error that nobody has waived can be, while the version is pending.
function Findings({ of, number, at, pending, act }) {
  const [checks, set] = useState(null);
  const waive = (row) => html`<${Button} data-action="waive" onClick=${() => act('waive',
    at(`/findings/${encodeURIComponent(row.id)}:waive`), `${TEMPLATE}/findings/{finding}:waive`)}>${t('waive')}<//>`;
  const waived = (row) => {
    if (row.waivedBy) return `${row.waivedBy}: ${row.waiver}`;
    return pending && row.severity === 'error' && mayWrite() ? waive(row) : '–';
  };
  const columns = [
    { label: label('severity'), cell: (row) => html`<${Badge} of=${row.severity} />` },
    { label: t('finding'), cell: (row) => html`${finding(row)} <code>${row.code}</code>
      ${isForeign() && html`<${Technical} of=${row.words} />`}` },
    { label: label('policyNumber'),
      cell: (row) => (row.policyNumber ? html`<${PolicyLink} number=${row.policyNumber} />` : '–') },
    { label: t(of.kind === 'claims' ? 'claim' : 'receipt'),
      cell: (row) => (row.lineId ? html`<${SourceLink} of=${of} number=${number} id=${row.lineId} />` : '–') },
    { label: t('waived'), cell: waived }];
  const list = (read, path) => listed('findings', 'skip')(async (...asked) => {
    const page = await read(...asked);
    if (page.data.checks) set(page.data.checks);
    return page;
  }, path);
  return html`<${Section} title=${t('findings')} data-part="findings">
    <${Pages} path=${at('/findings', { limit: 50 })} list=${list} first=${html`<p class="empty">${t('loading')}</p>`}
      show=${(rows) => html`<${Table} caption=${t('findings')} columns=${columns} rows=${rows}
        empty=${t('noFindings')} />`} />
    ${checks && html`<${Outcomes} checks=${checks} />`}<//>`;
}

// cell returns what a comparison says about one side: a text for people, and the amount in it.
function cell(text, kind) {
  if (!text) return { shown: '–', amount: '0' };
  const of = parse(text);
  if (isDecimal(of)) return { shown: String(of), amount: of };
  if (typeof of !== 'object') return { shown: String(of), amount: '0' };
  const amount = kind === 'claims' ? of.indemnity?.incurred || of.incurred : of.gross;
  return amount ? { shown: `${label(kind === 'claims' ? 'incurred' : 'gross')} ${amount}`, amount }
    : { shown: html`<${Members} of=${of} />`, amount: '0' };
}

// differing returns the cells that differ, the largest first.
const differing = (cells, kind) => cells
  .map((one) => ({ ...one, added: !one.from, from: cell(one.from, kind), to: cell(one.to, kind) }))
  .map((one) => ({ ...one, change: difference(one.from.amount, one.to.amount) }))
  .sort((a, b) => larger(a.change, b.change));

// Compared is what a version has differently from another one, or from what would be now.
function Compared({ of, number, at, versions }) {
  const [to, set] = useState('live');
  const version = (one) => `${label('version')} ${one}`;
  // A line is opened where it is: a whole line may be in one of the two only, and what is only in what would be now is
  // the record itself.
  const opens = ({ lineId, member, added }) => html`<${SourceLink} of=${of} id=${lineId}
    number=${member || !added ? number : to !== 'live' && to} />`;
  const columns = [
    { label: label('policyNumber'), cell: (row) => html`<${PolicyLink} number=${row.policyNumber} />` },
    { label: t(of.kind === 'claims' ? 'claim' : 'receipt'), cell: opens },
    { label: t('cell'), cell: (row) => (row.member ? label(row.member) : t('wholeLine')) },
    { label: version(number), cell: (row) => row.from.shown },
    { label: to === 'live' ? t('asItIsNow') : version(to), cell: (row) => row.to.shown }];
  return html`<${Section} title=${t('differences')} data-part="differences"><div class="filter">
      <label for="compare-to">${t('comparedWith')}</label>
      <select id="compare-to" value=${to} onChange=${({ target }) => set(target.value)}>
        <option value="live">${t('asItIsNow')}</option>
        ${versions.filter((one) => one.number !== number).map((one) => html`
          <option value=${one.number}>${version(one.number)}</option>`)}</select></div>
    <${Loaded} key=${to} load=${(read) => read(at('/diff', { to }))} show=${({ data }) => html`
      ${data.more && html`<p class="quiet">${t('firstLinesOnly', data.differences.length)}</p>`}
      <${Table} caption=${t('differences')} columns=${columns} rows=${differing(data.differences, of.kind)}
        empty=${t('noDifferences')} />`} /><//>`;
}

// OFFERED are what can be done with a version, and how the buttons of it look.
const OFFERED = { approve: 'primary', acknowledge: 'primary', reject: 'danger' };

// offered returns what can be done with a version in its state.
function offered({ state, acknowledgedBy }) {
  if (state === 'pending') return ['approve', 'reject'];
  return state === 'approved' && !acknowledgedBy ? ['acknowledge'] : [];
}

function Whole({ of, one, versions, contract, again, at, place, put }) {
  const lines = useRef();
  const { number } = one;
  const status = versions.find((other) => other.number === number);
  const act = (name, path, template) => put(html`<${Opened} make=${async () => ({
    ...await reasoned(name, path, template), cancel: () => put(null), done: again })} />`);
  const sign = (name) => put(html`<${Form} ...${signed(name, at(`:${name}`), of, status)} cancel=${() => put(null)}
    done=${again} />`);
  const begin = (name) => (name === 'reject' ? act(name, at(':reject'), `${TEMPLATE}:reject`) : sign(name));
  const barred = status.state === 'pending' && hasPrepared(status) && contract.signOff === 'two';
  // The lines of a figure stand below it.
  const toLines = (event) => {
    event.preventDefault();
    lines.current.focus();
  };
  const more = { ...status, note: one.note, contractVersion: one.contractVersion, previous: one.previous };
  return html`<${Head} title=${titleOf(of, number)}>
      ${mayWrite() && offered(status).map((name) => html`<${Button} data-action=${name} class=${OFFERED[name]}
        disabled=${name === 'approve' && barred} aria-describedby=${name === 'approve' ? 'who-signs' : undefined}
        onClick=${() => begin(name)}>${t(name)}<//>`)}
      <${Exports} of=${of} number=${number} at=${at} /><//>
    <p class="lead"><a href=${link(of)}>${of.contract} ${of.period}</a><${Owner} of=${of} />
      ${' '}<${Badge} of=${status.state} />${` ${t(`type ${one.type}`)}`}</p>
    ${status.state === 'pending' && html`<${SignOff} of=${of} version=${status} contract=${contract} />`}${place}
    <${Section} title=${t('totals')} data-part="totals"><${Totals} caption=${t('totals')} premiums=${one.totals}
      claims=${one.claims} opens=${(shown) => html`<a href=${link(of, number)} onClick=${toLines}>${shown}</a>`} /><//>
    <${Findings} of=${of} number=${number} at=${at} pending=${status.state === 'pending'} act=${act} />
    <${Lines} of=${of} number=${number} at=${lines} />
    <${Compared} of=${of} number=${number} at=${at} versions=${versions} />
    <${Section} title=${t('record')} data-part="record"><${Members} of=${more}
      leave=${['totals', 'claims', 'number', 'type', 'state']} /><//>`;
}

const titleOf = (of, number) => `${t(`bordereau ${of.kind}`) || of.kind} ${of.period}, ${label('version')} ${number}`;

export default function Version({ at: of, path: [, , , number], again }) {
  const [place, put] = usePlace('act');
  const at = (more, query) => address(of, `/versions/${encodeURIComponent(number)}${more}`, query);
  const loaded = useLoaded(async (read) => {
    const [{ data: one }, { data: { versions } }, { data: { contract } }] = await Promise.all([read(at('')),
      read(address(of)), read(address({ contract: of.contract, owner: of.owner }))]);
    return { one, versions, contract };
  });
  return html`${!loaded.data && html`<${Head} title=${titleOf(of, number)} />`}
    <${Around} of=${loaded} show=${(shown) => html`<${Whole} of=${of} at=${at} again=${again} place=${place} put=${put}
      ...${shown} />`} />`;
}
