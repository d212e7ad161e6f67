// What happened to a record, oldest first, with what each version changed.

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
  // Of several events of one instant, only the record after the last of them can be read.
  const state = (i) => (entries[i]?.at === entries[i + 1]?.at ? undefined : states[i - from]);
  return { entries: entries.map((entry, i) => ({ ...entry, state: state(i), before: state(i - 1) })), next };
}

// events returns the events of a history for the timeline.
export const events = ({ entries }) => entries.map((entry) => ({ at: entry.at, what: t(`event ${entry.event}`)
  || entry.event, by: entry.by, version: entry.number, more: entry.before && entry.state
  ? html`<${Changed} before=${entry.before} after=${entry.state} leave=${['id']} />`
  : entry.change && Object.keys(entry.change).length > 0 && html`<${Members} of=${entry.change} />` }));

// Timeline shows events: {at, what, by, version, more, href}.
export const Timeline = ({ of }) => html`<ol class="timeline">
  ${of.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)).map((one) => html`<li data-version=${one.version}>
    <p><${Instant} at=${one.at} /> ${one.href ? html`<a href=${one.href}>${one.what}</a>`
  : html`<strong>${one.what}</strong>`}${one.version
    && html`<span class="quiet"> ${label('version')} ${one.version}</span>`}${one.by
    && html`<span class="quiet"> ${t('by')} ${one.by}</span>`}</p>${one.more}</li>`)}</ol>`;
