// The lines of a period, and what a line is made of.

import { get } from './api.js';
import { amountOf, badge, claimLink, h, instant, policyLink, recordLink, table } from './old-dom.js';
import { link } from './periods.js';
import { listed, pages, part } from './old-show.js';
import { label, t } from './words.js';

// source opens a line: what it was made of in a version, or the record that it is of now, which has no number.
export function source(at, number, id, ...shown) {
  const of = at.kind === 'claims' ? 'claim' : 'receipt';
  const inside = shown.length > 0 ? shown : t(of);
  return number ? h('a', { href: link(at, number, id) }, inside) : recordLink(of, id, inside);
}

export const CLAIM_FIGURES = ['paid', 'previouslyPaid', 'outstanding', 'incurred', 'changeOfIncurred'];
// stated reports whether rows have a member: taxes are absent where the contract states none.
export const stated = (rows) => (name) => rows.some((row) => row[name] !== undefined);

// columns of the lines of a version. Each amount opens its line.
function columns(at, number, rows) {
  const money = (name, of) => ({ label: label(name), amount: true,
    cell: (row) => source(at, number, row.lineId, amountOf(...of(row))) });
  const late = { label: t('late'), cell: (row) => row.late?.recordedPeriod || '–' };
  const policy = { label: label('policyNumber'), cell: (row) => policyLink(row.policyNumber) };
  if (at.kind === 'claims') {
    return [
      { label: label('claimNumber'), cell: (row) => claimLink(row.claimNumber) }, policy,
      { label: label('claimStatus'), cell: (row) => badge(row.claimStatus) }, late,
      ...CLAIM_FIGURES.map((name) => money(name, (row) => [row.indemnity[name], row.currency]))];
  }
  return [
    policy,
    { label: label('insured'), cell: (row) => row.insured || '–' },
    { label: label('section'), cell: (row) => t(`section ${row.section}`) || row.section },
    { label: label('transactionType'), cell: (row) => row.transactionType || row.receiptType },
    { label: label('effectiveDate'), cell: (row) => instant(row.effectiveDate) }, late,
    ...['gross', 'commission', 'taxes', 'net'].filter(stated(rows))
      .map((name) => money(name, (row) => [row[name], row.currency])),
    money('settled', (row) => [row.settled, row.settlementCurrency])];
}

// lines shows the lines at a path: those of a version, or of now if there is no number.
export function lines(at, number, path, signal) {
  const shown = (rows) => table(label('lines'), columns(at, number, rows), rows, t('noLines'));
  const list = listed((of) => get(of, signal), at.kind === 'claims' ? 'claims' : 'lines', 'skip');
  return part(label('lines'), signal, () => pages(`${path}/lines?limit=50`, list, shown), (all) => all,
    { 'data-part': 'lines', tabindex: '-1' });
}
