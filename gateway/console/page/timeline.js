// What happened to a record, oldest first, with what each version changed.

import { get } from './api.js';
import { h, instant, members } from './dom.js';
import { changed } from './form.js';
import { label, t } from './words.js';

const MOST_COMPARED = 20; // versions of which each cell is shown

// history reads what happened to a record, and the record as it was after each event.
export async function history(resource, id, signal) {
  const of = `${encodeURIComponent(resource)}/${encodeURIComponent(id)}`;
  const { data, next } = await get(`/x/history/${of}?limit=100`, signal);
  const entries = data.history;
  const from = Math.max(0, entries.length - MOST_COMPARED - 1);
  const states = await Promise.all(entries.slice(from).map((entry) => get(
    `/x/asof/${of}?at=${encodeURIComponent(entry.at)}`, signal).then((read) => read.data)));
  // Of several events of one instant, only the record after the last of them can be read.
  const state = (i) => (entries[i]?.at === entries[i + 1]?.at ? undefined : states[i - from]);
  return { entries: entries.map((entry, i) => ({ ...entry, state: state(i), before: state(i - 1) })), next };
}

// events returns the events of a history for the timeline.
export const events = ({ entries }) => entries.map((entry) => ({ at: entry.at, what: t(`event ${entry.event}`)
  || entry.event, by: entry.by, version: entry.number, more: entry.before && entry.state
  ? changed(entry.before, entry.state, ['id'])
  : entry.change && Object.keys(entry.change).length > 0 && members(entry.change) }));

// timeline shows events: {at, what, by, version, more, href}.
export function timeline(all) {
  const sorted = all.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  return h('ol', { class: 'timeline' }, sorted.map((one) => h('li', { 'data-version': one.version },
    h('p', {}, instant(one.at), ' ', one.href ? h('a', { href: one.href }, one.what) : h('strong', {}, one.what),
      one.version && h('span', { class: 'quiet' }, ` ${label('version')} ${one.version}`),
      one.by && h('span', { class: 'quiet' }, ` ${t('by')} ${one.by}`)), one.more)));
}
