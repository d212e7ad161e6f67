// Source: what a line of a version was made of: its receipt or claim, the policy and its holder, as they were.

import { get } from './api.js';
import { amountOf, h, instant, members, table } from './old-dom.js';
import { CLAIM_FIGURES } from './lines.js';
import { address, link } from './periods.js';
import { live } from './old-show.js';
import { label, t } from './words.js';

// then shows a record as it was, with the number of its version.
const then = (name, title, of, version) => of && h('section', { 'data-part': name }, h('h2', {}, title),
  h('p', { class: 'quiet' }, version && `${label('version')} ${version} `, of.at && instant(of.at)),
  members(of.record));

// before shows what was reported of a claim for the period before, and leads to the version that has it.
const before = (of) => of && h('section', { 'data-part': 'before' }, h('h2', {},
  h('a', { href: of.href.replace('/x/bordereau/', '#/desk/').replace('/versions/', '/') }, t('reportedBefore'))),
table(t('reportedBefore'), CLAIM_FIGURES.map((name) => ({ label: label(name), amount: true,
  cell: (row) => amountOf(row.indemnity[name], row.currency) })), [of]));

export default function source(root, { path: [contract, kind, period, number, lineId] }, signal) {
  const at = { contract, kind, period };
  const whole = h('div', {});
  root.append(h('h1', {}, t('madeOf')), h('p', { class: 'lead' }, h('a', { href: link(at, number) },
    `${t(`bordereau ${kind}`) || kind} ${period}, ${label('version')} ${number}`)), whole);
  const path = `${address(at)}/versions/${encodeURIComponent(number)}/lines/${encodeURIComponent(lineId)}/source`;
  live(whole, signal, () => get(path, signal), ({ data }) => [
    then('receipt', t('receipt'), data.receipt, data.receipt?.version),
    then('reversed', label('reverses'), data.reversed, data.reversed?.version),
    then('claim', t('claim'), data.claim),
    data.claim && h('p', {}, t('reservedAfter', data.claim.reservedAfter)),
    data.claim?.supplement && then('supplement', t('supplement'), { record: data.claim.supplement }),
    before(data.claim?.before),
    then('policy', t('policy'), data.policy, data.policy?.version),
    then('policyholder', label('policyholder'), data.policyholder, data.policyholder?.version),
    then('contract', label('contract'), { record: data.contract.contract, at: data.contract.setAt },
      data.contract.version),
  ]);
}
