// What happened to a record, newest first, with what each version changed.

import { Instant, Members } from './dom.js';
import { Changed } from './form.js';
import { html } from './html.js';
import { label, t } from './words.js';

const MOST_COMPARED = 20; // versions of which each cell is shown

// history reads what happened to a record, and the record as it was after each event.
export async function history(get, resource, id) {
  const of = `${encodeURIComponent(resource)}/${encodeURIComponent(id)}`;
  const { data, next } = await get(`/x/history/${of}?limit=100`);
  const entries = data.history;
  const from = Math.max(0, entries.length - MOST_COMPARED - 1);
  const states = await Promise.all(entries.slice(from).map((entry) => get(
    `/x/asof/${of}?at=${encodeURIComponent(entry.at)}`).then((read) => read.data)));
  // Of several events of one instant, only the record after the last of them can be read. What it was after the others
  // follows from what it was before, and what each has changed.
  const status = resource === 'claim' ? 'claimStatus' : 'status';
  const known = [];
  entries.forEach(({ at, to, change = {} }, i) => {
    const read = states[i - from];
    const changed = read && Object.entries(change).filter(([name]) => name in read);
    known[i] = at !== entries[i + 1]?.at ? read : known[i - 1] && read && { ...known[i - 1],
      ...Object.fromEntries(changed), ...(to ? { [status]: to } : {}) };
  });
  return { entries: entries.map((entry, i) => {
    const was = entries[i - 1]?.to;
    return { ...entry, state: known[i], before: known[i - 1],
      moved: { before: { [status]: was }, after: { [status]: entry.to ?? was } } };
  }), next };
}

// Moved shows the state that an event has set, and what it has said, where the record before it is not known.
const Moved = ({ of: { moved, change } }) => html`${moved.before.status !== moved.after.status
  && html`<${Changed} ...${moved} />`}${change && Object.keys(change).length > 0 && html`<${Members} of=${change} />`}`;

// events returns the events of a history for the timeline.
export const events = ({ entries }) => entries.map((entry) => ({ at: entry.at, what: t(`event ${entry.event}`)
  || entry.event, by: entry.by, version: entry.number, more: entry.before && entry.state
  ? html`<${Changed} before=${entry.before} after=${entry.state} leave=${['id']} />`
  : entry.number > 1 && html`<${Moved} of=${entry} />` }));

const FOLDED = 3; // events that are alike, one after the other, from which on they are folded

// Event is an event of the timeline.
const Event = ({ of: one }) => html`<li data-version=${one.version}>
  <p><${Instant} at=${one.at} /> ${one.href ? html`<a href=${one.href}>${one.what}</a>`
  : html`<strong>${one.what}</strong>`}${one.version
    && html`<span class="quiet"> ${label('version')} ${one.version}</span>`}${one.by
    && html`<span class="quiet"> ${t('by')} ${one.by}</span>`}</p>${one.more}</li>`;

// Timeline shows events, the newest first: {at, what, by, version, more, href, alike}. Events that are alike, and
// follow each other, are folded; alike is what they are together.
export function Timeline({ of }) {
  const groups = [];
  for (const one of of.toReversed().toSorted((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0))) {
    const last = groups.at(-1);
    if (last && one.alike && last[0].alike === one.alike) last.push(one);
    else groups.push([one]);
  }
  const list = (all) => all.map((one) => html`<${Event} of=${one} />`);
  return html`<ol class="timeline">${groups.map((all) => (all.length < FOLDED ? list(all)
    : html`<li class="folded"><details><summary>${all[0].alike}: ${all.length}, <${Instant} at=${all.at(-1).at} />
      – <${Instant} at=${all[0].at} /></summary><ol class="timeline">${list(all)}</ol></details></li>`))}</ol>`;
}
