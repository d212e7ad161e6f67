// Periods of contracts: where what is about one stands, and a list of them.

import { session } from './api.js';
import { Badge, Instant, Table } from './dom.js';
import { html } from './html.js';
import { label, t } from './words.js';

// Late says by how many days a period is late, whatever its state.
export const Late = ({ of: { daysLate } }) => daysLate > 0 && html` <span class="bad late">
  ${t(daysLate === 1 ? 'dayLate' : 'daysLate', daysLate)}</span>`;

const joined = (...parts) => parts.map(encodeURIComponent).join('/');

// foreign returns the owner of a contract where that is another organisation than the person's. A reference is its
// owner's, so that several may have a contract of it: requests and addresses then say whose is meant.
export const foreign = ({ owner }) => (owner && owner !== session.value.organisation ? owner : undefined);

// asked returns the query of a request, or of an address, about a contract (of) or what is reported under it.
export function asked(of, more) {
  const all = new URLSearchParams(more);
  if (foreign(of)) all.set('owner', foreign(of));
  const query = String(all);
  return query && `?${query}`;
}

// address is the path of a request about a contract or a period of it, with what more names of that, and a query.
export const address = (of, more = '', query = {}) => (of.period
  ? `/x/bordereau/${joined(of.contract, of.kind, of.period)}` : `/x/contract/${joined(of.contract)}`)
  + more + asked(of, query);

// link is the screen of a contract or of a period, of a version of that (its number), or of a line of that (its id).
export const link = (of, ...more) => `#/desk/${joined(of.contract, ...of.period ? [of.kind, of.period] : [], ...more)}${
  asked(of)}`;

// Owner says whose a contract is, where it is not that of the person's organisation.
export const Owner = ({ of }) => foreign(of) && html` <span class="quiet">${t('ofOwner', foreign(of))}</span>`;

// last returns the version that decides the state of a period, which is the last one that was not rejected.
export const last = ({ versions }) => versions.findLast((one) => one.state !== 'rejected');

// ErrorsOpen says how many errors of a version nobody has waived.
export const ErrorsOpen = ({ of }) => of?.unwaived > 0
  && html`<span class="bad">${t('errorsOpen', of.unwaived)}</span>`;

// Found says how many findings a version has; the errors that nobody has waived come first.
const Found = ({ of }) => (of.errors + of.warnings === 0 ? t('noFindings') : html`
  ${of.unwaived > 0 && html`<${ErrorsOpen} of=${of} />; `}${t('findingsAre', of.errors, of.warnings)}`);

export const ContractLink = ({ of: { contract, owner } }) => html`<a href=${link({ contract, owner })}>${contract}</a>
  <${Owner} of=${{ owner }} />`;

// Periods shows periods one below the other: each opens, and its findings open the version that has them.
export const Periods = ({ caption, rows }) => html`<${Table} caption=${caption} rows=${rows} empty=${t('noPeriods')}
  columns=${[
    { label: label('period'), cell: (row) => html`<a href=${link(row)}>${row.period}</a>` },
    { label: label('contract'), cell: (row) => html`<${ContractLink} of=${row} />` },
    { label: t('kind'), cell: (row) => t(`bordereau ${row.kind}`) },
    { label: t('stateOf'), cell: (row) => html`<${Badge} of=${row.state} /><${Late} of=${row} />` },
    { label: label('due'), cell: (row) => html`<${Instant} at=${row.due} />` },
    { label: t('findings'), cell: (row) => (last(row)
      ? html`<a href=${link(row, last(row).number)}><${Found} of=${last(row)} /></a>` : '–') },
  ]} />`;
