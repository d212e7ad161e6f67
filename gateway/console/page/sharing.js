// Sharing: with which organisations a policy is shared, where organisations share the exchange.

import { about, get } from './api.js';
import { h, instant, replace, table } from './dom.js';
import { Fields, bodySchema, drafted, form, opened, resolve } from './form.js';
import { label, t } from './words.js';

const RIGHTS = ['read', 'claims', 'premium'];
const pathOf = (number) => `/x/access/${encodeURIComponent(number)}`;

// accessTo reads the access list of a policy, {data, etag}; null where organisations do not share the exchange.
export const accessTo = async (number, signal) => ((await about()).organisations ? get(pathOf(number), signal) : null);

// owns reports whether the person acts for the owner of the policy, who alone sees how often its list was changed.
export const owns = (access) => !access || access.data.version !== undefined;

// may reports whether the person may do what a right opens.
export const may = (access, right) => owns(access)
  || access.data.participants.some((one) => one.rights.includes(right));

// sharing shows the list: all of it for the owner, and for a participant its own entry.
export const sharing = (access) => h('section', { 'data-part': 'sharing' },
  h('h2', {}, t(owns(access) ? 'sharedWith' : 'sharedWithYou')),
  access.data.unfinished && h('p', { class: 'bad' }, t('sharingUnfinished')),
  table(t('sharedWith'), [{ label: label('organisation'), cell: (row) => row.organisation },
    { label: label('rights'), cell: (row) => row.rights.map((one) => t(`right ${one}`) || one).join(', ') }],
      access.data.participants, t('notShared')),
  access.data.setBy && h('p', { class: 'quiet' }, t('sharedLast'), ' ', instant(access.data.setAt),
    ` ${t('by')} ${access.data.setBy}`));

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
const entryOf = (list, name) => list.find((one) => one.organisation === name);

// rebased returns the list of a person after another person has changed it: what the person has left alone is as the
// other one has it.
export const rebased = (seen, mine, now) => [
  ...mine.map((one) => (same(one, entryOf(seen, one.organisation)) ? entryOf(now, one.organisation) : one))
    .filter(Boolean),
  ...now.filter(({ organisation: of }) => !entryOf(mine, of) && !entryOf(seen, of))];

// share opens the form that changes the list.
export const share = (number, access, place, again, signal) => opened(place, signal, async () => {
  const { document, schema: list } = await bodySchema('PUT', '/x/access/{policyNumber}');
  const entry = resolve(document, list.properties.participants.items);
  const schema = { ...entry, properties: { ...entry.properties,
    rights: { ...entry.properties.rights, items: { type: 'string', enum: RIGHTS } } } };
  const path = pathOf(number);
  const groups = []; // the participants, in the order of the request
  const shown = h('div', {});
  const adds = h('button', { type: 'button', 'data-add': true,
    click: () => append({}).querySelector('input').focus() }, t('addOrganisation'));
  let seen = access;
  let count = 0;
  // What was typed about one state of the list is not shown in a form about a later one.
  const draftOf = (n) => `share ${number} ${seen.etag} ${n}`;
  const inOrder = () => groups.forEach((group, i) => { group.at = `/participants/${i}`; });
  function append(given) {
    const group = { fields: new Fields({ document, schema }, { form: draftOf(count), given, all: true }) };
    count += 1;
    const element = h('fieldset', { class: 'group', 'data-participant': given.organisation || '' },
      h('legend', {}, given.organisation || t('anotherOrganisation')), group.fields.element,
      h('button', { type: 'button', 'data-remove': true, click: () => {
        groups.splice(groups.indexOf(group), 1);
        inOrder();
        element.remove();
        adds.focus();
      } }, t('remove')));
    groups.push(group);
    inOrder();
    shown.append(element);
    return element;
  }
  function fill(participants) {
    groups.length = 0;
    count = 0;
    replace(shown);
    participants.forEach(append);
    while (drafted(draftOf(count))) append({});
    if (groups.length === 0) append({});
  }
  const mine = () => groups.map(({ fields }) => fields.body());
  const byName = (all) => all.toSorted((a, b) => (a.organisation < b.organisation ? -1 : 1));
  const made = form({ id: 'share', method: 'PUT', path, title: t('share'), send: t('share'), record: access.data,
    etag: access.etag, groups,
    more: [h('p', { class: 'about' }, t('rightsAre')), shown, h('div', { class: 'buttons' }, adds)],
    body: () => ({ participants: mine() }), cancel: () => replace(place), reread: () => get(path),
    isDone: ({ participants }) => same(byName(mine()), participants),
    rebase: (now) => {
      const list_ = rebased(seen.data.participants, mine(), now.data.participants);
      seen = now;
      fill(list_);
    }, done: again });
  fill(access.data.participants);
  return made;
});
