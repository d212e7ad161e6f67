// Sharing: with which organisations a policy is shared, where organisations share the exchange.

import { about, get } from './api.js';
import { Button, Instant, Table } from './dom.js';
import { Fields, Form, bodySchema, drafted, resolve } from './form.js';
import { html, useLayoutEffect, useRef, useState } from './html.js';
import { Loaded, Section } from './show.js';
import { label, option, t } from './words.js';

const RIGHTS = ['read', 'claims', 'premium'];
const pathOf = (number) => `/x/access/${encodeURIComponent(number)}`;

// accessTo reads the access list of a policy, {data, etag}; null where organisations do not share the exchange.
export const accessTo = async (read, number) => ((await about()).organisations ? read(pathOf(number)) : null);

// owns reports whether the person acts for the owner of the policy, who alone sees how often its list was changed.
export const owns = (access) => !access || access.data.version !== undefined;

// may reports whether the person may do what a right opens.
export const may = (access, right) => owns(access)
  || access.data.participants.some((one) => one.rights.includes(right));

// Sharing shows the list: all of it for the owner, and for a participant its own entry.
export const Sharing = ({ access }) => html`<${Section} data-part="sharing"
  title=${t(owns(access) ? 'sharedWith' : 'sharedWithYou')}>
  ${access.data.unfinished && html`<p class="bad">${t('sharingUnfinished')}</p>`}
  <${Table} caption=${t('sharedWith')} rows=${access.data.participants} empty=${t('notShared')} columns=${[
    { label: label('organisation'), cell: (row) => row.organisation },
    { label: label('rights'), cell: (row) => row.rights.map((one) => option('rights', one)).join(', ') }]} />
  ${access.data.setBy && html`<p class="quiet">${t('sharedLast')} <${Instant} at=${access.data.setAt} />
    ${` ${t('by')} ${access.data.setBy}`}</p>`}<//>`;

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
const entryOf = (list, name) => list.find((one) => one.organisation === name);

// rebased returns the list of a person after another person has changed it: what the person has left alone is as the
// other one has it.
const rebased = (seen, mine, now) => [
  ...mine.map((one) => (same(one, entryOf(seen, one.organisation)) ? entryOf(now, one.organisation) : one))
    .filter(Boolean),
  ...now.filter(({ organisation: of }) => !entryOf(mine, of) && !entryOf(seen, of))];

const byName = (all) => all.toSorted((a, b) => (a.organisation < b.organisation ? -1 : 1));

// entrySchema returns the schema of an entry of the list.
async function entrySchema() {
  const { document, schema } = await bodySchema('PUT', '/x/access/{policyNumber}');
  const entry = resolve(document, schema.properties.participants.items);
  return { document, schema: { ...entry, properties: { ...entry.properties,
    rights: { ...entry.properties.rights, items: { type: 'string', enum: RIGHTS } } } } };
}

// List is the form itself; its groups are the participants, in the order of the request.
function List({ schema, number, access, cancel, done }) {
  const { current: is } = useRef({ seen: access, adds: null, added: null });
  // What was typed about one state of the list is not shown in a form about a later one.
  const draftOf = (n) => `share ${number} ${is.seen.etag} ${n}`;
  const groupOf = (given, n) => ({ n, of: given.organisation || '',
    fields: new Fields(schema, { form: draftOf(n), given, all: true }) });
  const filled = (participants) => {
    const all = participants.map(groupOf);
    while (all.length === 0 || drafted(draftOf(all.length))) all.push(groupOf({}, all.length));
    return all;
  };
  const [groups, set] = useState(() => filled(access.data.participants));
  useLayoutEffect(() => { // on what was added
    is.added?.fields.controls[0].input.focus();
    is.added = null;
  });
  const add = () => {
    is.added = groupOf({}, Math.max(-1, ...groups.map(({ n }) => n)) + 1);
    set([...groups, is.added]);
  };
  const remove = (group) => {
    set(groups.filter((one) => one !== group));
    is.adds.focus();
  };
  const mine = () => groups.map(({ fields }) => fields.body());
  const rebase = (now) => {
    const list = rebased(is.seen.data.participants, mine(), now.data.participants);
    is.seen = now;
    set(filled(list));
  };
  return html`<${Form} id="share" method="PUT" path=${pathOf(number)} title=${t('share')} send=${t('share')}
    record=${access.data} etag=${access.etag} body=${() => ({ participants: mine() })} cancel=${cancel} done=${done}
    reread=${() => get(pathOf(number))} rebase=${rebase}
    isDone=${({ participants }) => same(byName(mine()), participants)}
    groups=${groups.map((one, i) => ({ fields: one.fields, at: `/participants/${i}`,
      title: one.of || t('anotherOrganisation'), attributes: { 'data-participant': one.of },
      more: html`<${Button} data-remove onClick=${() => remove(one)}>${t('remove')}<//>` }))}
    before=${html`<p class="about">${t('rightsAre')}</p>`}
    after=${html`<div class="buttons"><button type="button" data-add onClick=${add}
      ref=${(button) => { is.adds = button; }}>${t('addOrganisation')}</button></div>`} />`;
}

// Share is the form that changes the list.
export const Share = (given) => html`<${Loaded} load=${entrySchema}
  show=${(schema) => html`<${List} schema=${schema} ...${given} />`} />`;
