// Terms: the screen of a contract, with what it says in groups, how much of its limits is used, and its periods.

import { mayWrite } from './api.js';
import { Members, Table } from './dom.js';
import { html } from './html.js';
import { columnsOf, limitsOf, writtenBy } from './limits.js';
import { Owner, Periods, address, asked, foreign } from './periods.js';
import { Around, Head, Loaded, Pages, Section, listed, useLoaded } from './show.js';
import { label, t } from './words.js';

// GROUPS are the members of a contract by what they are about. Those that no group names are in that of the term.
const GROUPS = {
  parties: ['uniqueMarketReference', 'agreementNumber', 'coverholderName', 'coverholderPin', 'administratorName',
    'counterparty', 'preview', 'section', 'treatyReference'],
  term: ['inception', 'expiry', 'lines', 'risksFrom', 'risksBefore'],
  money: ['currency', 'amountUnit', 'settlementCurrency', 'originalPerSettlement', 'commissionPercentage',
    'brokeragePercentage', 'taxPercentage', 'numberOfInstalments', 'limits'],
  reporting: ['frequency', 'firstPeriod', 'quarterBegins', 'dueDays', 'claimsBasis', 'signOff', 'timeZone'],
};

// grouped returns the groups of some members: {group, names}.
export function grouped(names) {
  const placed = Object.values(GROUPS).flat();
  return Object.entries(GROUPS).map(([group, of]) => ({ group, names: [...of.filter((name) => names.includes(name)),
    ...group === 'term' ? names.filter((name) => !placed.includes(name)) : []] }));
}

const picked = (record, names) => Object.fromEntries(names.filter((name) => record[name] !== undefined)
  .map((name) => [name, record[name]]));

// Limits are those of a contract, with how much is written of each.
const Limits = ({ of }) => html`<${Section} title=${label('limits')} data-member="limits"><${Loaded} load=${writtenBy}
  show=${(cells) => html`<${Table} caption=${label('limits')} rows=${limitsOf([of], cells)}
    columns=${columnsOf(cells)} />`} /><//>`;

// Whole is what a contract says, and who has set it.
const Whole = ({ of: { contract, warnings = [], ...set } }) => html`<div data-part="contract">
  ${warnings.length > 0 && html`<div class="notice" data-member="warnings">${warnings.map((words) => html`
    <p lang="en">${words}</p>`)}</div>`}
  <div data-member="contract"><div class="columns two">${grouped(Object.keys(contract)).map(({ group, names }) => html`
    <section class="card" data-group=${group}><h2>${t(`terms ${group}`)}</h2>
      <${Members} of=${picked(contract, names.filter((name) => name !== 'limits'))} /></section>`)}</div>
    ${contract.limits?.length > 0 && html`<${Limits} of=${{ ...set, contract }} />`}</div>
  <${Section} title=${t('setLast')}><${Members} of=${set} /><//></div>`;

// latest orders periods, the latest first.
const latest = (a, b) => (a.period < b.period ? 1 : a.period > b.period ? -1 : 0);

export default function Contract({ at }) {
  const loaded = useLoaded((get) => get(address(at)));
  const { data } = loaded.data || {};
  const own = data && !foreign(data);
  return html`<${Head} title=${html`${label('contract')} ${at.contract}<${Owner} of=${at} />`}
      lead=${data?.contract.coverholderName}>${mayWrite() && own && html`<a class="button primary" data-action="change"
        href=${`#/contract/${encodeURIComponent(at.contract)}`}>${t('changeContract')}</a>`}<//>
    <${Around} of=${loaded} show=${({ data: of }) => html`<${Whole} of=${of} />`} />
    <${Section} title=${t('periods')}><div data-part="board"><${Pages} list=${listed('periods', 'after')}
      path=${`/x/bordereau${asked(at, { limit: 200, contract: at.contract })}`}
      show=${(rows) => html`<${Periods} caption=${t('periods')} rows=${rows.toSorted(latest)} />`} /></div><//>`;
}
