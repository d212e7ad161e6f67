// Source: what a line of a version was made of: its receipt or claim, the policy and its holder, as they were.

import { AmountOf, Instant, Members, Table } from './dom.js';
import { html } from './html.js';
import { CLAIM_FIGURES } from './lines.js';
import { address, asked, link } from './periods.js';
import { Loaded, Section } from './show.js';
import { label, t } from './words.js';

// Then is a record as it was, with the number of its version.
const Then = ({ name, title, of, version = of?.version }) => of && html`<${Section} data-part=${name} title=${title}>
  <p class="quiet">${version && `${label('version')} ${version} `}${of.at && html`<${Instant} at=${of.at} />`}</p>
  <${Members} of=${of.record} /><//>`;

// Before is what was reported of a claim for the period before, and leads to the version that has it. at is the period.
const toVersion = (href, at) => href.replace('/x/bordereau/', '#/desk/').replace('/versions/', '/') + asked(at);
const Before = ({ at, of }) => of && html`<${Section} data-part="before" title=${html`<a
  href=${toVersion(of.href, at)}>${t('reportedBefore')}</a>`}>
  <${Table} caption=${t('reportedBefore')} rows=${[of]} columns=${CLAIM_FIGURES.map((name) => ({ label: label(name),
    amount: true, cell: (row) => html`<${AmountOf} amount=${row.indemnity[name]} currency=${row.currency} />` }))} />
<//>`;

export default function Source({ at, path: [, , , number, lineId] }) {
  const path = address(at,
    `/versions/${encodeURIComponent(number)}/lines/${encodeURIComponent(lineId)}/source`);
  return html`<h1>${t('madeOf')}</h1><p class="lead"><a href=${link(at, number)}>
    ${t(`bordereau ${at.kind}`) || at.kind} ${at.period}, ${label('version')} ${number}</a></p>
    <${Loaded} load=${(get) => get(path)} show=${({ data: { claim, ...data } }) => html`
      <${Then} name="receipt" title=${t('receipt')} of=${data.receipt} />
      <${Then} name="reversed" title=${label('reverses')} of=${data.reversed} />
      <${Then} name="claim" title=${t('claim')} of=${claim} version="" />
      ${claim && html`<p>${t('reservedAfter', claim.reservedAfter)}</p>`}
      ${claim?.supplement && html`<${Then} name="supplement" title=${t('supplement')}
        of=${{ record: claim.supplement }} />`}
      <${Before} at=${at} of=${claim?.before} />
      <${Then} name="policy" title=${t('policy')} of=${data.policy} />
      <${Then} name="policyholder" title=${label('policyholder')} of=${data.policyholder} />
      <${Then} name="contract" title=${label('contract')}
        of=${{ record: data.contract.contract, at: data.contract.setAt, version: data.contract.version }} />`} />`;
}
