// Sign-off: what is signed, in words and money, and who may do so.

import { session } from './api.js';
import { amountText } from './dom.js';
import { html } from './html.js';
import { worth } from './totals.js';
import { t } from './words.js';

// The exchange names a person by the subject of the token, and where organisations share it by the organisation and
// the issuer before that.
const OF_ORGANISATION = /^(\S+) "(?:[^"\\]|\\.)*" (.*)$/;

const personOf = (key) => OF_ORGANISATION.exec(key)?.[2] ?? key;

// hasPrepared reports whether it is the person who uses the page that has prepared a version.
export function hasPrepared({ preparedBy }) {
  const { subject, organisation } = session.value;
  const [, of, name] = OF_ORGANISATION.exec(preparedBy) || [];
  return of === undefined ? preparedBy === subject : name === subject && (of === '!' || of === organisation);
}

// Signs is what somebody signs with a version (of: its period): how many lines, what they come to, and whose work.
export function Signs({ of, version }) {
  const { lines, preparedBy } = version;
  const comes = worth(of.kind, version).map(({ amount, currency }) => amountText(amount, currency)).join(' + ');
  return t(lines === 0 ? 'signsNone' : lines === 1 ? 'signsOne' : 'signsMany', lines,
    comes && t(`comes ${of.kind}`, comes), personOf(preparedBy));
}

// Ways says who may approve a version under its contract, whoever reads it.
function Ways({ version, contract: { signOff } }) {
  if (signOff !== 'two') return t('oneSigns');
  if (!hasPrepared(version)) return t('twoSign', personOf(version.preparedBy));
  // Without an identity provider, the tokens are those of the machine.
  const own = document.documentElement.dataset.issuer === undefined;
  return html`<strong>${t('youPrepared')}</strong>${own && html` ${t('otherToken')}${' '}
    <code>exchange token --subject NAME</code>`}`;
}

// SignOff says, before somebody approves a version, what that signs, who may, and what is in the way.
export const SignOff = ({ of, version, contract }) => html`<div class="card" data-part="sign-off">
  <p><strong><${Signs} of=${of} version=${version} /></strong></p>
  <p id="who-signs"><${Ways} version=${version} contract=${contract} /></p>
  ${version.unwaived > 0 && html`<p class="bad">${t(version.unwaived === 1 ? 'waiveOneFirst' : 'waiveFirst',
    version.unwaived)}</p>`}</div>`;
