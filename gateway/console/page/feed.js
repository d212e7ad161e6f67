// Feed: what happens to records, as it comes, and the webhooks that it is sent to.

import { call, get, mayWrite, passing } from './api.js';
import { badge, copied, h, instant, policyLink, replace, table } from './dom.js';
import { Fields, bodySchema, form, opened } from './form.js';
import { live, notice, words } from './show.js';
import { label, t } from './words.js';

const MOST = 200; // events that are shown
const WAIT = 20; // seconds that a request for events waits
const PAUSE = 2000; // milliseconds before a request that failed is sent again

const cell = (name, ...shown) => h('td', { 'data-label': name }, h('div', {}, shown));

const row = (event) => h('tr', { 'data-row': true, 'data-event': event.id },
  cell(t('instant'), instant(event.time)),
  cell(t('event'), h('a', { href: `#/record${event.source}` }, event.type)),
  cell(label('policyNumber'), event.subject ? policyLink(event.subject) : '–'),
  cell(label('status'), event.data.status || '–'),
  h('td', { class: 'right', 'data-label': label('version') }, event.data.version));

// follow reads the feed into a table until the signal ends.
async function follow(body, said, from, filter, signal) {
  let after = from;
  while (!signal.aborted) {
    const query = new URLSearchParams({ limit: '100', wait: String(WAIT), ...filter });
    if (after) query.set('after', after);
    try {
      const { data } = await get(`/x/events?${query}`, signal, WAIT);
      after = data.next;
      for (const event of data.events) body.prepend(row(event));
      while (body.children.length > MOST) body.lastChild.remove();
      replace(said, data.behind.length > 0 ? t('behind', data.behind.join(', '))
        : data.events.length === 0 && t('upToDate'));
    } catch (err) {
      if (err.name === 'AbortError') return;
      replace(said, words(err).join(' '));
      if (!passing(err)) return;
      await new Promise((resolve) => { setTimeout(resolve, PAUSE); });
    }
  }
}

function events(root, signal) {
  const body = h('tbody', {});
  const said = h('p', { class: 'quiet', 'aria-live': 'polite', id: 'feed-said' });
  const type = h('input', { id: 'feed-type', autocomplete: 'off', placeholder: 'exchange.claim.*' });
  const number = h('input', { id: 'feed-policy', autocomplete: 'off', placeholder: 'POL-…' });
  const start = h('select', { id: 'feed-from' }, h('option', { value: '' }, t('fromOldest')),
    h('option', { value: 'now' }, t('fromNow')));
  let under = new AbortController();
  signal.addEventListener('abort', () => under.abort());
  const begin = (event) => {
    event?.preventDefault();
    under.abort();
    under = new AbortController();
    replace(body);
    const filter = {};
    if (type.value.trim()) filter.type = type.value.trim();
    if (number.value.trim()) filter.policyNumber = number.value.trim();
    follow(body, said, start.value, filter, under.signal);
  };
  const titles = [t('instant'), t('event'), label('policyNumber'), label('status')];
  root.append(h('form', { class: 'filter', submit: begin },
    h('label', { for: 'feed-type' }, t('event')), type,
    h('label', { for: 'feed-policy' }, label('policyNumber')), number,
    h('label', { for: 'feed-from' }, t('from')), start,
    h('button', {}, t('show'))), said,
  h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': t('events') }, h('table', { id: 'events' },
    h('caption', { class: 'unseen' }, t('events')),
    h('thead', {}, h('tr', {}, titles.map((name) => h('th', { scope: 'col' }, name)),
      h('th', { scope: 'col', class: 'right' }, label('version')))), body)));
  begin();
}

const DELIVERY = () => [
  { label: t('instant'), cell: (one) => instant(one.at) },
  { label: t('event'), cell: (one) => one.type },
  { label: label('status'), cell: (one) => one.status || one.fault },
  { label: t('response'), cell: (one) => one.response || '–' },
];

// hook shows a webhook with what can be done with it.
function hook(one, again, signal) {
  const place = h('div', {});
  const path = `/x/webhook/${encodeURIComponent(one.name)}`;
  const act = (action) => h('button', { type: 'button', 'data-action': action, click: async (event) => {
    event.target.disabled = true;
    try {
      const { data } = await call('POST', `${path}:${action}`, { key: crypto.randomUUID() });
      if (action === 'test') replace(place, h('p', { role: 'status' }, t('delivered', data.status ?? '')));
      else again();
    } catch (err) {
      replace(place, notice(err));
    }
    event.target.disabled = false;
  } }, t(action));
  const deliveries = h('details', { toggle: () => deliveries.open && live(inside, signal,
    () => get(`${path}/deliveries`), ({ data }) => table(t('deliveries'), DELIVERY(), data.deliveries)) },
  h('summary', {}, t('deliveries')));
  const inside = h('div', {});
  deliveries.append(inside);
  const replay = () => opened(place, signal, async () => {
    const fields = new Fields(await bodySchema('POST', '/x/webhook/{name}:replay'),
      { form: `replay ${one.name}`, all: true });
    return form({ id: 'replay', method: 'POST', path: `${path}:replay`, title: t('replay'), send: t('replay'),
      groups: [{ fields }], cancel: () => replace(place), done: again });
  });
  return h('div', { class: 'card', 'data-webhook': one.name }, h('h3', {}, one.name),
    h('p', {}, one.url, ' ', badge(one.state)), one.why && h('p', { class: 'bad' }, one.why),
    h('p', { class: 'quiet' }, one.types.length > 0 ? one.types.join(', ') : t('allEvents')),
    mayWrite() && h('div', { class: 'buttons' }, act(one.state === 'paused' ? 'resume' : 'pause'), act('test'),
      h('button', { type: 'button', 'data-action': 'replay', click: replay }, t('replay'))), place, deliveries);
}

// adding returns the form of a new webhook.
async function adding(place, again) {
  const fields = new Fields(await bodySchema('PUT', '/x/webhook/{name}'), { form: 'webhook', all: true });
  const name = h('input', { id: 'hook-name', autocomplete: 'off' });
  const done = ({ data }) => {
    again();
    if (data.secret) replace(place, h('p', { role: 'status' }, t('secretOnce')), copied(data.secret));
  };
  const shown = form({ id: 'webhook', method: 'PUT', title: t('addWebhook'), send: t('addWebhook'),
    groups: [{ fields }], cancel: () => replace(place), done, absent: true,
    get path() { return `/x/webhook/${encodeURIComponent(name.value.trim())}`; } });
  shown.querySelector('h2').after(h('div', { class: 'field' }, h('label', { for: 'hook-name' }, t('name')), name));
  return shown;
}

function webhooks(root, signal) {
  const list = h('div', { id: 'webhooks' });
  const place = h('div', { id: 'act' });
  const again = () => live(list, signal, () => get('/x/webhook', signal), ({ data }) => (data.webhooks.length === 0
    ? h('p', { class: 'empty' }, t('noWebhooks')) : data.webhooks.map((one) => hook(one, again, signal))));
  root.append(list, mayWrite() && h('button', { type: 'button', 'data-action': 'webhook',
    click: () => opened(place, signal, () => adding(place, again)) }, t('addWebhook')) || '', place);
  again();
}

export default function feed(root, _, signal) {
  const parts = [h('section', { 'data-part': 'events' }, h('h2', {}, t('events'))),
    h('section', { 'data-part': 'webhooks' }, h('h2', {}, t('webhooks')))];
  root.append(h('h1', {}, t('feed')), h('p', { class: 'lead' }, t('feedIs')), ...parts);
  events(parts[0], signal);
  webhooks(parts[1], signal);
}
