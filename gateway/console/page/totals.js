// Totals: the sums of a period or of a version, and what they come to.

import { AmountOf, Table } from './dom.js';
import { isDecimal, sum } from './decimal.js';
import { html } from './html.js';
import { CLAIM_FIGURES, stated } from './lines.js';
import { label, t } from './words.js';

const FIGURES = ['gross', 'commission', 'brokerage', 'taxes', 'net'];

// Totals are sums as the exchange has them: of premiums by section and currency, of claims by currency. opens puts a
// figure into what leads to its lines.
export function Totals({ caption, premiums = [], claims = [], opens }) {
  const amount = (name, of) => ({ label: label(name), amount: true,
    cell: (row) => opens(html`<${AmountOf} ...${of(row)} />`) });
  const lines = { label: label('lines'), amount: true, cell: (row) => opens(row.lines) };
  return html`
    ${premiums.length > 0 && html`<${Table} caption=${caption} rows=${premiums} columns=${[
      { label: label('section'), cell: (row) => t(`section ${row.section}`) || row.section }, lines,
      ...FIGURES.filter(stated(premiums)).map((name) => amount(name, (row) => (
        { amount: row[name], currency: row.currency }))),
      amount('settled', (row) => ({ amount: row.settled, currency: row.settlementCurrency }))]} />`}
    ${claims.length > 0 && html`<${Table} caption=${caption} rows=${claims} columns=${[lines,
      ...CLAIM_FIGURES.map((name) => amount(name, (row) => (
        { amount: row.indemnity[name], currency: row.currency }))),
      amount('settledIncurred', (row) => ({ amount: row.settledIncurred, currency: row.settlementCurrency }))]} />`}
    ${premiums.length + claims.length === 0 && html`<p class="empty">${t('noLines')}</p>`}`;
}

// moved reports whether sums have a line or an amount at all.
export const moved = (row) => Object.values({ ...row, ...row.indemnity })
  .some((of) => isDecimal(of) && Number(of) !== 0);

// worth returns what a version comes to, by currency: the net premium of it, or what is incurred.
export function worth(kind, { totals = [], claims = [] }) {
  const rows = kind === 'claims' ? (claims || []).map((row) => [row.currency, row.indemnity.incurred])
    : (totals || []).filter((row) => row.section === 'premium').map((row) => [row.currency, row.net]);
  return [...Map.groupBy(rows, ([currency]) => currency)]
    .map(([currency, of]) => ({ currency, amount: sum(...of.map(([, amount]) => amount)) }));
}
