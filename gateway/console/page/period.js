// A period of a contract: what it has now, its versions, and why it is not as the one before.

import { get, mayWrite } from './api.js';
import { amountOf, badge, h, instant, policyLink, replace, svg, table } from './old-dom.js';
import { difference, isDecimal, larger, sum } from './decimal.js';
import { Fields, bodySchema, form, opened } from './old-form.js';
import { CLAIM_FIGURES, lines, source, stated } from './lines.js';
import { address, link } from './periods.js';
import { live, part } from './old-show.js';
import { label, t } from './words.js';

const MOST_BARS = 12;
const MOST_PAGES = 5; // of 200 lines, of each version that is compared

const FIGURES = ['gross', 'commission', 'brokerage', 'taxes', 'net'];

// totals shows sums as the exchange has them: of premiums by section and currency, of claims by currency. opens puts
// a figure into what leads to its lines.
export function totals(caption, premiums, claims, opens = (shown) => shown) {
  const amount = (name, of) => ({ label: label(name), amount: true, cell: (row) => opens(amountOf(...of(row))) });
  const lines = { label: label('lines'), amount: true, cell: (row) => opens(row.lines) };
  const none = !(premiums?.length > 0 || claims?.length > 0);
  return [
    premiums?.length > 0 && table(caption, [
      { label: label('section'), cell: (row) => t(`section ${row.section}`) || row.section }, lines,
      ...FIGURES.filter(stated(premiums)).map((name) => amount(name, (row) => [row[name], row.currency])),
      amount('settled', (row) => [row.settled, row.settlementCurrency])], premiums),
    claims?.length > 0 && table(caption, [lines,
      ...CLAIM_FIGURES.map((name) => amount(name, (row) => [row.indemnity[name], row.currency])),
      amount('settledIncurred', (row) => [row.settledIncurred, row.settlementCurrency])], claims),
    none && h('p', { class: 'empty' }, t('noLines'))];
}

// moved reports whether sums have a line or an amount at all.
const moved = (row) => Object.values({ ...row, ...row.indemnity }).some((of) => isDecimal(of) && Number(of) !== 0);

// standing returns the versions of a period that count: what is approved from the last correction on, or else what is
// pending.
export function standing({ versions }) {
  const approved = versions.filter((one) => one.state === 'approved');
  if (approved.length === 0) return versions.filter((one) => one.state === 'pending');
  return approved.slice(Math.max(0, approved.findLastIndex((one) => one.type === 'correction')));
}

// figure returns the amount that a period is known by, {amount, currency, now}: its premium, or what is incurred.
// Without a version it is what the period would have now, where that is known.
function figure(one) {
  const of = one.kind === 'claims' ? ({ claims }) => (claims || []).map((row) => [row.indemnity.incurred, row.currency])
    : (version) => version.totals.filter((row) => row.section === 'premium').map((row) => [row.gross, row.currency]);
  const counted = standing(one);
  const now = counted.length === 0 && one.live !== undefined;
  const rows = (now ? [{ totals: one.live, claims: one.liveClaims }] : counted).flatMap(of);
  return { amount: sum('0', ...rows.map(([amount]) => amount)), currency: rows[0]?.[1], now };
}

// bars draws a period each, from the axis up or down. Each bar opens its period.
function bars(all) {
  const [width, height, edge] = [640, 190, 24];
  const figures = all.map(figure);
  const most = Math.max(...figures.map(({ amount }) => Math.abs(Number(amount))), 1);
  const below = figures.some(({ amount }) => Number(amount) < 0);
  const axis = below ? height / 2 : height - edge;
  const step = width / MOST_BARS;
  const bar = (one, i) => {
    const { amount, currency, now } = figures[i];
    const tall = (Math.abs(Number(amount)) / most) * (axis - 10);
    const said = currency ? amountOf(amount, currency).textContent : t('noLines');
    return svg('a', { href: link(one), 'data-bar': one.period, 'data-figure': amount },
      svg('title', {}, `${one.period}: ${said}${now ? ` (${t('asItIsNow')})` : ''}`),
      svg('rect', { x: i * step + 6, width: step - 12, y: Number(amount) < 0 ? axis : axis - tall,
        height: Math.max(tall, 1), class: `bar ${one.state}${now ? ' now' : ''}` }),
      svg('text', { x: (i + 0.5) * step, y: height - 6, 'text-anchor': 'middle' }, one.period.slice(2)));
  };
  return h('figure', {}, svg('svg',
    { viewBox: `0 0 ${width} ${height}`, role: 'group', 'aria-label': t('lastPeriods') },
    svg('path', { d: `M0,${axis} H${width}`, class: 'axis' }), all.map(bar)),
  h('figcaption', { class: 'quiet' }, t(`barsAre ${all[0].kind}`),
    all.filter((_, i) => figures[i].now).map(({ period: of }) => ` ${t('barIsNow', of)}`)));
}

// linesOf reads the lines of the versions of a period that count, each with its period (of) and the number of its
// version; without one, those that it would have now.
async function linesOf(one, signal) {
  const all = [];
  let more = false;
  const versions = standing(one);
  for (const { number } of versions.length > 0 ? versions : [{}]) {
    const path = `${address(one)}${number ? `/versions/${number}` : ''}/lines`;
    let skip = 0;
    for (let page = 0; page < MOST_PAGES && skip !== undefined; page += 1) {
      const { data } = await get(`${path}?limit=200&skip=${skip}`, signal);
      const read = one.kind === 'claims' ? data.claims || [] : data.lines;
      all.push(...read.map((line) => ({ ...line, of: one, number })));
      skip = data.next;
    }
    more ||= skip !== undefined;
  }
  return { lines: all, more };
}

// compared returns what two periods have differently, by policy and transaction or by claim, the largest first.
export function compared(before, after, kind) {
  const rows = new Map();
  const add = (lines, name) => {
    for (const line of lines) {
      const { policyNumber, currency } = line;
      const what = kind === 'claims' ? line.claimNumber : line.transactionType || line.receiptType;
      const key = JSON.stringify([policyNumber, what, currency]);
      const row = rows.get(key) || { policyNumber, what, currency, before: '0', after: '0', lines: [] };
      row[name] = sum(row[name], kind === 'claims' ? line.indemnity.incurred : line.gross);
      row.lines.push(line);
      rows.set(key, row);
    }
  };
  add(before, 'before');
  add(after, 'after');
  return [...rows.values()].map((row) => ({ ...row, change: difference(row.before, row.after) }))
    .filter((row) => !/^-?0(\.0+)?$/.test(row.change)).sort((a, b) => larger(a.change, b.change));
}

const MOST_ROWS = 50;
const MOST_SOURCES = 5;

// sources opens the lines of a row, of which it shows the first.
const sources = ({ lines }) => [
  lines.slice(0, MOST_SOURCES).map(({ of, number, lineId }, i) => [i > 0 && ', ', source(of, number, lineId)]),
  lines.length > MOST_SOURCES && ` … ${lines.length}`];

// whyDifferent shows why a period is not as the one before.
function whyDifferent(one, before, signal) {
  const title = t('whyDifferent', one.period, before.period);
  const claims = one.kind === 'claims';
  const amount = (name, of) => ({ label: of, amount: true, cell: (row) => amountOf(row[name], row.currency) });
  const columns = [
    { label: label('policyNumber'), cell: (row) => policyLink(row.policyNumber) },
    { label: claims ? t('claim') : label('transactionType'), cell: (row) => row.what },
    amount('before', before.period), amount('after', one.period), amount('change', t('change')),
    { label: t(claims ? 'claim' : 'receipts'), cell: sources }];
  return part(title, signal, async () => {
    const [then, now] = [await linesOf(before, signal), await linesOf(one, signal)];
    return { rows: compared(then.lines, now.lines, one.kind), more: then.more || now.more };
  }, (found) => [
    [one, before].filter((of) => standing(of).length === 0).map(({ period: of }) => h('p', { class: 'quiet' },
      t('comparedNow', of))),
    found.more && h('p', { class: 'quiet' }, t('firstLinesOnly', MOST_PAGES * 200)),
    found.rows.length > MOST_ROWS && h('p', { class: 'quiet' }, t('largestOnly', MOST_ROWS, found.rows.length)),
    table(title, columns, found.rows.slice(0, MOST_ROWS), t('sameAsBefore'))], { 'data-part': 'why' });
}

const TYPES = ['original', 'additional', 'correction', 'nil'];

// prepare opens the form that makes a version.
function prepare(one, place, again, signal) {
  const approved = one.versions.some((of) => of.state === 'approved');
  const first = one.liveLines > 0 ? 'original' : 'nil';
  return opened(place, signal, async () => {
    const body = await bodySchema('POST', '/x/bordereau/{contract}/{kind}/{period}:prepare');
    const { properties } = body.schema;
    const type = { ...properties.type, type: 'string', enum: TYPES };
    const fields = new Fields({ ...body, schema: { ...body.schema, properties: { ...properties, type } } },
      { form: `prepare ${address(one)}`, all: true, given: { type: approved ? 'additional' : first } });
    const done = ({ data }) => { location.hash = link(one, data.number); again(); };
    return form({ id: 'prepare', method: 'POST', path: `${address(one)}:prepare`, title: t('prepare'),
      send: t('prepare'), groups: [{ fields }], cancel: () => replace(place), done });
  });
}

const toVersion = (one, row, ...shown) => h('a', { href: link(one, row.number) }, shown);

const versions = (one) => table(t('versions'), [
  { label: label('version'), cell: (row) => toVersion(one, row, row.number) },
  { label: label('type'), cell: (row) => t(`type ${row.type}`) || row.type },
  { label: t('stateOf'), cell: (row) => badge(row.state) },
  { label: label('lines'), amount: true, cell: (row) => toVersion(one, row, row.lines) },
  { label: label('preparedBy'), cell: (row) => [row.preparedBy, ' ', instant(row.preparedAt)] },
  { label: label('decidedBy'), cell: (row) => (row.decidedBy ? [row.decidedBy, ' ', instant(row.decidedAt)] : '–') },
  { label: label('reason'), cell: (row) => row.reason || '–' },
  { label: t('findings'), cell: (row) => toVersion(one, row, t('findingsAre', row.errors, row.warnings)) }],
one.versions, t('noVersions'));

export default function period(root, { path: [contract, kind, of], again }, signal) {
  const whole = h('div', {});
  root.append(h('h1', {}, `${t(`bordereau ${kind}`) || kind} ${of}`), whole);
  live(whole, signal, async () => {
    const { data: one } = await get(address({ contract, kind, period: of }), signal);
    const list = `/x/bordereau?contract=${encodeURIComponent(contract)}&kind=${kind}&limit=200`;
    const { data: { periods } } = await get(list, signal);
    return { one, until: periods.filter((other) => other.period <= of).slice(-MOST_BARS)
      .map((other) => (other.period === of ? one : other)) };
  }, ({ one, until }) => {
    const place = h('div', { id: 'act' });
    const before = until.at(-2);
    const { drift = [], driftClaims = [] } = one;
    // The lines of a figure are shown below it. What differs from a version is shown there.
    const below = h('div', {});
    const toLines = (shown) => h('a', { href: link(one), click: (event) => {
      event.preventDefault();
      if (!below.firstChild) below.append(lines(one, undefined, address(one), signal));
      below.firstChild.focus();
    } }, shown);
    const toDrift = (shown) => toVersion(one, standing(one).at(-1), shown);
    return [
      h('p', { class: 'lead' }, h('a', { href: `#/desk/${encodeURIComponent(contract)}` }, contract), ' ',
        badge(one.state), ' ', label('due'), ' ', instant(one.due)),
      mayWrite() && h('div', { class: 'buttons' }, h('button', { type: 'button', 'data-action': 'prepare',
        click: () => prepare(one, place, again, signal) }, t('prepare'))), place,
      h('section', { 'data-part': 'live' }, h('h2', {}, t('asItIsNow')),
        totals(t('asItIsNow'), one.live, one.liveClaims, toLines), below),
      [...drift, ...driftClaims].some(moved) && h('section', { 'data-part': 'drift' }, h('h2', {}, t('drift')),
        totals(t('drift'), drift, driftClaims, toDrift)),
      before && whyDifferent(one, before, signal),
      until.length > 0 && h('section', { 'data-part': 'bars' }, h('h2', {}, t('lastPeriods')), bars(until)),
      h('section', { 'data-part': 'versions' }, h('h2', {}, t('versions')), versions(one)),
    ];
  });
}
