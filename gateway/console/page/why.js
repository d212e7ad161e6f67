// Why: what a period has differently from the one before, and the last periods as bars.

import { AmountOf, PolicyLink, Table, amountText, decimal } from './dom.js';
import { difference, larger, sum } from './decimal.js';
import { html, useLayoutEffect, useRef } from './html.js';
import { SourceLink } from './lines.js';
import { address, link } from './periods.js';
import { Part } from './show.js';
import { label, option, t } from './words.js';

export const MOST_BARS = 12;
const MOST_PAGES = 5; // of 200 lines, of each version that is compared
const MOST_ROWS = 50;
const MOST_SOURCES = 5;

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

const COMPACT = 1e7; // from which on an amount is written as 12M

// amountAt returns the amount of a bar, in whole units, as it stands at it; the bar itself says it to the last digit.
const amountAt = (amount) => decimal(String(amount), Math.abs(Number(amount)) < COMPACT ? { maximumFractionDigits: 0 }
  : { notation: 'compact', maximumSignificantDigits: 3 });

// Bars are a period each, from the axis up or down. Each bar opens its period.
export function Bars({ of: all }) {
  const [width, height, edge, above] = [960, 130, 18, 16];
  const figures = all.map(figure);
  const sizes = figures.map(({ amount }) => Number(amount));
  const [most, least] = [Math.max(...sizes, 0), Math.min(...sizes, 0)];
  const scale = (height - edge - above - (least < 0 ? above : 0)) / Math.max(most - least, 1);
  const axis = above + most * scale;
  const step = width / MOST_BARS;
  const scroll = useRef();
  useLayoutEffect(() => { scroll.current.scrollLeft = scroll.current.scrollWidth; }, []); // the last one is in sight
  const bar = (one, i) => {
    const { amount, currency, now } = figures[i];
    const tall = Math.abs(sizes[i]) * scale;
    const [x, down] = [(i + 0.5) * step, sizes[i] < 0];
    const said = currency ? amountText(amount, currency) : t('noLines');
    return html`<a href=${link(one)} data-bar=${one.period} data-figure=${amount}>
      <title>${one.period}: ${said}${now && ` (${t('asItIsNow')})`}</title>
      <rect x=${i * step + 10} width=${step - 20} y=${down ? axis : axis - tall}
        height=${Math.max(tall, 1)} class=${`bar ${one.state}${now ? ' now' : ''}`} />
      ${currency && html`<text x=${x} y=${down ? axis + tall + 11 : axis - tall - 4} text-anchor="middle">
        ${amountAt(amount)}</text>`}
      <text x=${x} y=${height - 4} text-anchor="middle" class="quiet">${one.period.slice(2)}</text></a>`;
  };
  const currencies = [...new Set(figures.map(({ currency }) => currency).filter(Boolean))].join(', ');
  return html`<figure><div class="scroll" ref=${scroll} tabindex="0" role="region"
    aria-label=${t('lastPeriods')}><svg class="bars" viewBox=${`0 0 ${width} ${height}`} role="group"
      aria-label=${t('lastPeriods')}>
    <path d=${`M0,${axis} H${width}`} class="axis" />${all.map(bar)}</svg></div>
    <figcaption class="quiet">${t(`barsAre ${all[0].kind}`)}${currencies && `, ${currencies}`}.${
  all.filter((_, i) => figures[i].now).map(({ period: of }) => ` ${t('barIsNow', of)}`)}</figcaption></figure>`;
}

// linesOf reads the lines of the versions of a period that count, each with its period (of) and the number of its
// version; without one, those that it would have now.
async function linesOf(one, read) {
  const all = [];
  let more = false;
  const versions = standing(one);
  for (const { number } of versions.length > 0 ? versions : [{}]) {
    const path = (skip) => address(one, number ? `/versions/${number}/lines` : '/lines', { limit: 200, skip });
    let skip = 0;
    for (let page = 0; page < MOST_PAGES && skip !== undefined; page += 1) {
      const { data } = await read(path(skip));
      const lines = one.kind === 'claims' ? data.claims || [] : data.lines;
      all.push(...lines.map((line) => ({ ...line, of: one, number })));
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
  const now = new Set(after.map((line) => line.claimNumber));
  // A claim that is closed and no longer reported has not changed by what it came to.
  const left = (row) => kind === 'claims' && !now.has(row.what);
  return [...rows.values()]
    .map((row) => ({ ...row, change: difference(row.before, row.after), left: left(row) }))
    .filter((row) => !/^-?0(\.0+)?$/.test(row.change)).sort((a, b) => larger(a.change, b.change));
}

// Sources opens the lines of a row, of which it shows the first.
const Sources = ({ lines }) => html`${lines.slice(0, MOST_SOURCES).map(({ of, number, lineId }, i) => html`
  ${i > 0 && ', '}<${SourceLink} of=${of} number=${number} id=${lineId} />`)}
  ${lines.length > MOST_SOURCES && ` … ${lines.length}`}`;

// Why shows why a period is not as the one before.
export function Why({ of: one, before }) {
  const title = t('whyDifferent', one.period, before.period);
  const claims = one.kind === 'claims';
  const amount = (name, of) => ({ label: of, amount: true,
    cell: (row) => html`<${AmountOf} amount=${row[name]} currency=${row.currency} />` });
  const columns = [
    { label: label('policyNumber'), cell: (row) => html`<${PolicyLink} number=${row.policyNumber} />` },
    { label: claims ? t('claim') : label('transactionType'),
      cell: (row) => (claims ? row.what : option('receiptType', row.what)) },
    amount('before', before.period), amount('after', one.period),
    { ...amount('change', t('change')), cell: (row) => (row.left ? html`<span class="quiet">${t('leftList')}</span>`
      : html`<${AmountOf} amount=${row.change} currency=${row.currency} />`) },
    { label: t(claims ? 'claim' : 'receipts'), cell: (row) => html`<${Sources} lines=${row.lines} />` }];
  const load = async (read) => {
    const [then, now] = [await linesOf(before, read), await linesOf(one, read)];
    return { rows: compared(then.lines, now.lines, one.kind), more: then.more || now.more };
  };
  return html`<${Part} title=${title} data-part="why" load=${load} show=${({ rows, more }) => html`
    ${[one, before].filter((of) => standing(of).length === 0).map(({ period: of }) => html`
      <p class="quiet">${t('comparedNow', of)}</p>`)}
    ${more && html`<p class="quiet">${t('firstLinesOnly', MOST_PAGES * 200)}</p>`}
    ${rows.length > MOST_ROWS && html`<p class="quiet">${t('largestOnly', MOST_ROWS, rows.length)}</p>`}
    <${Table} caption=${title} columns=${columns} rows=${rows.slice(0, MOST_ROWS)} empty=${t('sameAsBefore')} />`} />`;
}
