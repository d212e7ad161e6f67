// Periods of contracts: where what is about one stands, and a list of them.

import { Badge, Instant, Table } from './dom.js';
import { html } from './html.js';
import { label, t } from './words.js';

// Late says by how many days a period is late, whatever its state.
export const Late = ({ of: { daysLate } }) => daysLate > 0 && html` <span class="bad late">
  ${t(daysLate === 1 ? 'dayLate' : 'daysLate', daysLate)}</span>`;

const joined = (...parts) => parts.map(encodeURIComponent).join('/');

export const address = ({ contract, kind, period }) => `/x/bordereau/${joined(contract, kind, period)}`;

// link is the screen of a period, of a version of it (its number), or of a line of that (its id).
export const link = ({ contract, kind, period }, ...more) => `#/desk/${joined(contract, kind, period, ...more)}`;

// last returns the version that decides the state of a period, which is the last one that was not rejected.
export const last = ({ versions }) => versions.findLast((one) => one.state !== 'rejected');

// ErrorsOpen says how many errors of a version nobody has waived.
export const ErrorsOpen = ({ of }) => of?.unwaived > 0
  && html`<span class="bad">${t('errorsOpen', of.unwaived)}</span>`;

// Found says how many findings a version has; the errors that nobody has waived come first.
const Found = ({ of }) => (of.errors + of.warnings === 0 ? t('noFindings') : html`
  ${of.unwaived > 0 && html`<${ErrorsOpen} of=${of} />; `}${t('findingsAre', of.errors, of.warnings)}`);

export const ContractLink = ({ of }) => html`<a href=${`#/desk/${encodeURIComponent(of)}`}>${of}</a>`;

// Periods shows periods one below the other: each opens, and its findings open the version that has them.
export const Periods = ({ caption, rows }) => html`<${Table} caption=${caption} rows=${rows} empty=${t('noPeriods')}
  columns=${[
    { label: label('period'), cell: (row) => html`<a href=${link(row)}>${row.period}</a>` },
    { label: label('contract'), cell: (row) => html`<${ContractLink} of=${row.contract} />` },
    { label: t('kind'), cell: (row) => t(`bordereau ${row.kind}`) },
    { label: t('stateOf'), cell: (row) => html`<${Badge} of=${row.state} /><${Late} of=${row} />` },
    { label: label('due'), cell: (row) => html`<${Instant} at=${row.due} />` },
    { label: t('findings'), cell: (row) => (last(row)
      ? html`<a href=${link(row, last(row).number)}><${Found} of=${last(row)} /></a>` : '–') },
  ]} />`;
