// A version of a bordereau: its lines and findings, what differs from another one, and its sign-off.

import { call, get, mayWrite, parse } from './api.js';
import { badge, h, members, policyLink, replace, table } from './old-dom.js';
import { difference, isDecimal, larger } from './decimal.js';
import { Fields, bodySchema, form, opened } from './old-form.js';
import { lines, source } from './lines.js';
import { address, link } from './periods.js';
import { totals } from './period.js';
import { listed, live, notice, pages, part } from './old-show.js';
import { label, t } from './words.js';

const TEMPLATE = '/x/bordereau/{contract}/{kind}/{period}/versions/{number}';

// act opens a form that sends a digest or a reason.
function act(name, path, template, given, place, again, signal) {
  return opened(place, signal, async () => {
    const fields = new Fields(await bodySchema('POST', template), { form: `${name} ${path}`, all: true, given });
    return form({ id: name, method: 'POST', path, title: t(name), send: t(name), keyless: true, groups: [{ fields }],
      cancel: () => replace(place), done: again });
  });
}

// download reads a file with the token of the person, and gives it to the browser.
async function download(path, name, said, button) {
  button.disabled = true;
  replace(said);
  try {
    const { data } = await call('GET', path, { blob: true });
    const to = h('a', { href: URL.createObjectURL(data), download: name });
    to.click();
    setTimeout(() => URL.revokeObjectURL(to.href), 60000);
  } catch (err) {
    replace(said, notice(err));
  } finally {
    button.disabled = false;
  }
}

function exports_({ contract, kind, period }, number, path) {
  const said = h('div', {});
  const name = `${contract}-${kind}-${period}-${number}`;
  const button = (suffix) => h('button', { type: 'button', 'data-export': suffix, click: (event) => download(
    `${path}/lines.${suffix}`, `${name}.${suffix}`, said, event.currentTarget) },
  t('downloadAs', suffix.toUpperCase()));
  return [...['csv', 'xlsx'].map(button), said];
}

// outcomes shows what each check came to: what was found first, then what could not be checked.
const outcomes = (checks) => h('details', { 'data-part': 'outcomes' }, h('summary', {}, t('outcomes')),
  table(t('outcomes'), [
    { label: label('code'), cell: (row) => h('code', {}, row.code) },
    { label: label('outcome'), cell: (row) => badge(row.outcome) },
    { label: label('reason'), cell: (row) => (row.why ? h('span', { lang: 'en' }, row.why) : '–') },
  ], ['fail', 'not-evaluable', 'pass'].flatMap((of) => checks.filter((one) => one.outcome === of))));

// findings shows what somebody should look at. An error that nobody has waived can be, while the version is pending.
function findings(at, number, path, pending, place, again, signal) {
  const waive = (row) => h('button', { type: 'button', 'data-action': 'waive', click: () => act('waive',
    `${path}/findings/${encodeURIComponent(row.id)}:waive`, `${TEMPLATE}/findings/{finding}:waive`, {}, place, again,
    signal) }, t('waive'));
  const canBe = (row) => pending && row.severity === 'error' && mayWrite();
  const shown = (rows) => table(t('findings'), [
    { label: label('severity'), cell: (row) => badge(row.severity) },
    { label: t('finding'), cell: (row) => [h('span', { lang: 'en' }, row.words), ' ', h('code', {}, row.code)] },
    { label: label('policyNumber'), cell: (row) => (row.policyNumber ? policyLink(row.policyNumber) : '–') },
    { label: t(at.kind === 'claims' ? 'claim' : 'receipt'),
      cell: (row) => (row.lineId ? source(at, number, row.lineId) : '–') },
    { label: t('waived'),
      cell: (row) => (row.waivedBy ? `${row.waivedBy}: ${row.waiver}` : canBe(row) ? waive(row) : '–') },
  ], rows, t('noFindings'));
  const checks = h('div', {});
  const read = async (of) => {
    const page = await get(of, signal);
    if (page.data.checks) replace(checks, outcomes(page.data.checks));
    return page;
  };
  return part(t('findings'), signal, () => pages(`${path}/findings?limit=50`, listed(read, 'findings', 'skip'), shown),
    (list) => [list, checks], { 'data-part': 'findings' });
}

// cell returns what a comparison says about one side: a text for people, and the amount in it.
function cell(text, kind) {
  if (!text) return { shown: '–', amount: '0' };
  const of = parse(text);
  if (isDecimal(of)) return { shown: String(of), amount: of };
  if (typeof of !== 'object') return { shown: String(of), amount: '0' };
  const amount = kind === 'claims' ? of.indemnity?.incurred || of.incurred : of.gross;
  return amount ? { shown: `${label(kind === 'claims' ? 'incurred' : 'gross')} ${amount}`, amount }
    : { shown: members(of), amount: '0' };
}

// differing returns the cells that differ, the largest first.
export const differing = (cells, kind) => cells
  .map((one) => ({ ...one, from: cell(one.from, kind), to: cell(one.to, kind) }))
  .map((one) => ({ ...one, change: difference(one.from.amount, one.to.amount) }))
  .sort((a, b) => larger(a.change, b.change));

function compare(at, number, path, versions, signal) {
  const place = h('div', {});
  const claims = at.kind === 'claims';
  const option = (one) => h('option', { value: one.number }, `${label('version')} ${one.number}`);
  const to = h('select', { id: 'compare-to' }, h('option', { value: 'live' }, t('asItIsNow')),
    versions.filter((one) => one.number !== number).map(option));
  // A line is opened where it is: a whole line may be in one of the two only, and what is only in what would be now is
  // the record itself.
  const opens = ({ lineId, member, from }) => (member || from ? source(at, number, lineId)
    : source(at, to.value === 'live' ? undefined : to.value, lineId));
  const show = () => live(place, signal, () => get(`${path}/diff?to=${to.value}`, signal), ({ data }) => [
    data.more && h('p', { class: 'quiet' }, t('firstLinesOnly', data.differences.length)),
    table(t('differences'), [
      { label: label('policyNumber'), cell: (row) => policyLink(row.policyNumber) },
      { label: t(claims ? 'claim' : 'receipt'), cell: (row) => row.opens },
      { label: t('cell'), cell: (row) => (row.member ? label(row.member) : t('wholeLine')) },
      { label: `${label('version')} ${number}`, cell: (row) => row.from.shown },
      { label: to.selectedOptions[0].textContent, cell: (row) => row.to.shown },
    ], differing(data.differences.map((one) => ({ ...one, opens: opens(one) })), at.kind), t('noDifferences'))]);
  to.addEventListener('change', show);
  show();
  return h('section', { 'data-part': 'differences' }, h('h2', {}, t('differences')), h('div', { class: 'filter' },
    h('label', { for: 'compare-to' }, t('comparedWith')), to), place);
}

// signOff returns the buttons that a version has in its state.
function signOff(status, path, place, again, signal) {
  const offered = status.state === 'pending' ? ['approve', 'reject']
    : status.state === 'approved' && !status.acknowledgedBy ? ['acknowledge'] : [];
  return mayWrite() && offered.map((name) => h('button', { type: 'button', 'data-action': name, click: () => act(name,
    `${path}:${name}`, `${TEMPLATE}:${name}`, { digest: status.digest }, place, again, signal) }, t(name)));
}

export default function version(root, { path: [contract, kind, of, number], again }, signal) {
  const at = { contract, kind, period: of };
  const path = `${address(at)}/versions/${encodeURIComponent(number)}`;
  const whole = h('div', {});
  root.append(h('h1', {}, `${t(`bordereau ${kind}`) || kind} ${of}, ${label('version')} ${number}`), whole);
  live(whole, signal, async () => {
    const [read, period] = [await get(path, signal), await get(address(at), signal)];
    return { one: read.data, versions: period.data.versions };
  }, ({ one, versions }) => {
    const status = versions.find((other) => other.number === one.number);
    const place = h('div', { id: 'act' });
    const below = lines(at, one.number, path, signal);
    // The lines of a figure stand below it.
    const toLines = (shown) => h('a', { href: link(at, number), click: (event) => {
      event.preventDefault();
      below.focus();
    } }, shown);
    const more = { ...status, note: one.note, contractVersion: one.contractVersion, previous: one.previous };
    return [
      h('p', { class: 'lead' }, h('a', { href: link(at) }, `${contract} ${of}`), ' ', badge(status.state), ' ',
        t(`type ${one.type}`)),
      h('div', { class: 'buttons' }, signOff(status, path, place, again, signal), exports_(at, number, path)), place,
      h('section', { 'data-part': 'totals' }, h('h2', {}, t('totals')),
        totals(t('totals'), one.totals, one.claims, toLines)),
      findings(at, one.number, path, status.state === 'pending', place, again, signal),
      below,
      compare(at, one.number, path, versions, signal),
      h('section', { 'data-part': 'record' }, h('h2', {}, t('record')),
        members(more, ['totals', 'claims', 'number', 'type', 'state'])),
    ];
  });
}
