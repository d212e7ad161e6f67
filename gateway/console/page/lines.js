// The lines of a period, and what a line is made of.

import { AmountOf, Badge, ClaimLink, Instant, PolicyLink, RecordLink, Table } from './dom.js';
import { html } from './html.js';
import { address, link } from './periods.js';
import { PartPages, listed } from './show.js';
import { label, option, t } from './words.js';

// SourceLink opens a line of a period (of): what it was made of in a version, or the record that it is of now, where
// there is no number.
export function SourceLink({ of, number, id, children }) {
  const resource = of.kind === 'claims' ? 'claim' : 'receipt';
  const inside = children || t(resource);
  return number ? html`<a href=${link(of, number, id)}>${inside}</a>`
    : html`<${RecordLink} resource=${resource} id=${id}>${inside}<//>`;
}

export const CLAIM_FIGURES = ['paid', 'previouslyPaid', 'outstanding', 'incurred', 'changeOfIncurred'];
// stated reports whether rows have a member: taxes are absent where the contract states none.
export const stated = (rows) => (name) => rows.some((row) => row[name] !== undefined);

// columns of the lines of a version. Each amount opens its line.
function columns(of, number, rows) {
  const money = (name, amount) => ({ label: label(name), amount: true, cell: (row) => html`<${SourceLink} of=${of}
    number=${number} id=${row.lineId}><${AmountOf} ...${amount(row)} /><//>` });
  const late = { label: t('late'), cell: (row) => row.late?.recordedPeriod || '–' };
  const policy = { label: label('policyNumber'), cell: (row) => html`<${PolicyLink} number=${row.policyNumber} />` };
  if (of.kind === 'claims') {
    return [
      { label: label('claimNumber'), cell: (row) => html`<${ClaimLink} number=${row.claimNumber} />` }, policy,
      { label: label('claimStatus'), cell: (row) => html`<${Badge} of=${row.claimStatus} />` }, late,
      ...CLAIM_FIGURES.map((name) => money(name, (row) => (
        { amount: row.indemnity[name], currency: row.currency })))];
  }
  return [
    policy,
    { label: label('insured'), cell: (row) => row.insured || '–' },
    { label: label('section'), cell: (row) => t(`section ${row.section}`) || row.section },
    { label: label('transactionType'), cell: (row) => option('receiptType', row.transactionType || row.receiptType) },
    { label: label('effectiveDate'), cell: (row) => html`<${Instant} at=${row.effectiveDate} />` }, late,
    ...['gross', 'commission', 'taxes', 'net'].filter(stated(rows))
      .map((name) => money(name, (row) => ({ amount: row[name], currency: row.currency }))),
    money('settled', (row) => ({ amount: row.settled, currency: row.settlementCurrency }))];
}

// Lines are those of a version of a period (of), or of now if there is no number. at is a ref to the section.
export const Lines = ({ of, number, at }) => html`<${PartPages} title=${label('lines')} data-part="lines"
  tabindex="-1" at=${at} path=${address(of, number ? `/versions/${number}/lines` : '/lines', { limit: 50 })}
  list=${listed(of.kind === 'claims' ? 'claims' : 'lines', 'skip')} show=${(rows) => html`<${Table}
    caption=${label('lines')} columns=${columns(of, number, rows)} rows=${rows} empty=${t('noLines')} />`} />`;
