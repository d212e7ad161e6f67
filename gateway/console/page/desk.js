// Desk: contracts and their periods as a board. A contract, a period, a version of it and a line of that are screens of
// their own.

import { mayWrite } from './api.js';
import { Board } from './board.js';
import { html } from './html.js';
import { Head, Loaded, Section, later, listed } from './show.js';
import { t } from './words.js';
import Period from './period.js';
import Version from './version.js';

const Contract = later(() => import('./terms.js'));
const Line = later(() => import('./source.js'));
const MOST = 20; // of the policies without a contract that are counted

// ToUnassigned leads to the policies that no contract reports, where there are some.
const ToUnassigned = () => html`<${Loaded} class="inline" load=${(get) => listed('policies', 'after')(get,
  `/x/bordereau/unassigned?limit=${MOST}`)} show=${({ data, next }) => data.length > 0 && html`<a class="button"
  href="#/unassigned" data-part="to-unassigned">${t(data.length === 1 ? 'unassignedOne' : 'unassignedMany',
  `${data.length}${next ? '+' : ''}`)}</a>`} />`;

const Overview = () => html`<${Head} title=${t('desk')} lead=${t('deskIs')}>
    ${mayWrite() && html`<a class="button primary" data-action="new-contract" href="#/contract">
      ${t('newContract')}</a>`}
    <a class="button" href="#/decisions">${t('decisions')}</a><${ToUnassigned} /><//>
  <${Section} title=${t('periods')}><${Board} /><//>`;

export default function Desk(given) {
  const [contract, kind, period, number, lineId] = given.path;
  const at = { contract, kind, period, owner: given.query.get('owner') };
  if (lineId) return html`<${Line} ...${given} at=${at} />`;
  if (number) return html`<${Version} ...${given} at=${at} />`;
  if (period) return html`<${Period} ...${given} at=${at} />`;
  return contract && !kind ? html`<${Contract} at=${at} />` : html`<${Overview} />`;
}
