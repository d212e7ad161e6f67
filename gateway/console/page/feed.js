// Feed: what happens to records, as it comes, and the webhooks that it is sent to.

import { call, get, mayWrite, passing } from './api.js';
import { Badge, Button, Copied, Disclosed, Instant, PolicyLink, Scroll, Table, Technical } from './dom.js';
import { Fields, Opened, bodySchema } from './form.js';
import { html, useLayoutEffect, useRef, useState } from './html.js';
import { Around, Loaded, Notice, Section, useLoaded, usePlace, words } from './show.js';
import { happening, label, t } from './words.js';

const MOST = 200; // events that are shown, and that are read before somebody asks for more
const PAGE = 100; // events of a request
const WAIT = 20; // seconds that a request for events waits
const PAUSE = 2000; // milliseconds before a request that failed is sent again

const cell = (name, shown) => html`<td data-label=${name}><div>${shown}</div></td>`;

// Type is a type of events in words, and as the filter above and a webhook name it.
const Type = ({ of }) => html`<span data-type=${of}>${happening(of)} <code class="quiet">${of}</code></span>`;

// screenOf is where a record is shown, or a version or a comparison of the desk, by its path.
const screenOf = (source) => (source.startsWith('/x/')
  ? `#${source.slice('/x'.length).replace('/bordereau/', '/desk/').replace('/versions/', '/')}` : `#/record${source}`);

const Event = ({ of }) => html`<tr data-row data-event=${of.id}>
  ${cell(t('instant'), html`<${Instant} at=${of.time} />`)}
  ${cell(t('event'), html`<a href=${screenOf(of.source)}><${Type} of=${of.type} /></a>`)}
  ${cell(label('policyNumber'), of.subject ? html`<${PolicyLink} number=${of.subject} />` : '–')}
  ${cell(label('status'), t(`state ${of.data.status}`) || of.data.status || '–')}
  <td class="right" data-label=${label('version')}>${of.data.version}</td></tr>`;

// follow reads the feed until the signal ends. take(events, said, further) shows what comes. After as many events as
// are shown it waits until further is called, unless those that follow have yet to happen.
async function follow({ from, filter }, signal, take) {
  let [after, read] = [from, 0];
  while (!signal.aborted) {
    const query = new URLSearchParams({ limit: String(PAGE), wait: String(WAIT), ...filter });
    if (after) query.set('after', after);
    try {
      const { data } = await get(`/x/events?${query}`, signal, WAIT);
      after = data.next;
      take(data.events, data.behind.length > 0 ? t('behind', data.behind.join(', '))
        : data.events.length === 0 && t('upToDate'));
      read = data.events.length < PAGE ? 0 : read + PAGE;
      if (read >= MOST) {
        await new Promise((further) => { take([], t('moreEvents'), further); });
        read = 0;
      }
    } catch (err) {
      if (err.name === 'AbortError') return;
      take([], words(err).join(' '));
      if (!passing(err)) return;
      await new Promise((resolve) => { setTimeout(resolve, PAUSE); });
    }
  }
}

function Events() {
  const [asked, ask] = useState({ from: '', filter: {} });
  const [{ events, said, further }, set] = useState({ events: [] });
  useLayoutEffect(() => {
    const under = new AbortController();
    set({ events: [] });
    follow(asked, under.signal, (more, now, goOn) => set((is) => (
      { events: [...more.toReversed(), ...is.events].slice(0, MOST), said: now, further: goOn })));
    return () => under.abort();
  }, [asked]);
  const submit = (event) => {
    event.preventDefault();
    const typed = (id) => event.currentTarget.elements[id].value.trim();
    const filter = Object.entries({ type: typed('feed-type'), policyNumber: typed('feed-policy') });
    ask({ from: typed('feed-from'), filter: Object.fromEntries(filter.filter(([, of]) => of)) });
  };
  const titles = [t('instant'), t('event'), label('policyNumber'), label('status')];
  return html`<form class="filter" onSubmit=${submit}><label for="feed-type">${t('event')}</label>
    <input id="feed-type" autocomplete="off" placeholder="exchange.claim.*" />
    <label for="feed-policy">${label('policyNumber')}</label>
    <input id="feed-policy" autocomplete="off" placeholder="POL-…" /><label for="feed-from">${t('from')}</label>
    <select id="feed-from"><option value="">${t('fromOldest')}</option>
      <option value="now">${t('fromNow')}</option></select><button>${t('show')}</button></form>
    <p class="quiet" aria-live="polite" id="feed-said">${said}</p>
    <button type="button" class="more" hidden=${!further} onClick=${further}>${t('more')}</button>
    <${Scroll} caption=${t('events')} id="events"><thead><tr>${titles.map((name) => html`<th scope="col">${name}</th>`)}
      <th scope="col" class="right">${label('version')}</th></tr></thead>
      <tbody>${events.map((one) => html`<${Event} of=${one} key=${one.id} />`)}</tbody><//>`;
}

const DELIVERY = () => [
  { label: t('instant'), cell: (one) => html`<${Instant} at=${one.at} />` },
  { label: t('event'), cell: (one) => html`<${Type} of=${one.type} />` },
  { label: label('status'), cell: (one) => one.status || html`<${Technical} of=${one.fault} />` },
  { label: t('response'), cell: (one) => one.response || '–' },
];

// replayOf returns the form that sends what has happened again.
async function replayOf(name, path) {
  const fields = new Fields(await bodySchema('POST', '/x/webhook/{name}:replay', ['after']),
    { form: `replay ${name}`, all: true });
  return { id: 'replay', method: 'POST', path: `${path}:replay`, title: t('replay'), send: t('replay'),
    groups: [{ fields }] };
}

// Hook is a webhook with what can be done with it. again reads the webhooks anew. The types that it is sent stand as a
// program reads them, and as they are typed into the form: they may end with a star, which has no words.
function Hook({ of, again }) {
  const [place, put] = usePlace();
  const [busy, setBusy] = useState('');
  const path = `/x/webhook/${encodeURIComponent(of.name)}`;
  const act = async (action) => {
    setBusy(action);
    try {
      const { data } = await call('POST', `${path}:${action}`, { key: crypto.randomUUID() });
      put(action === 'test' && html`<p role="status">${t('delivered', data.status ?? '')}</p>`);
      if (action !== 'test') again();
    } catch (err) {
      put(html`<${Notice} err=${err} />`);
    }
    setBusy('');
  };
  const cancel = () => put(null);
  const done = () => { put(null); again(); };
  const replay = () => put(html`<${Opened}
    make=${async () => ({ ...await replayOf(of.name, path), cancel, done })} />`);
  const button = (action) => html`<${Button} data-action=${action} disabled=${busy === action}
    onClick=${() => act(action)}>${t(action)}<//>`;
  return html`<div class="card" data-webhook=${of.name}><h3>${of.name}</h3><p>${of.url} <${Badge} of=${of.state} /></p>
    ${of.why && html`<p class="bad"><${Technical} of=${of.why} /></p>`}
    <p class="quiet">${of.types.length > 0 ? of.types.join(', ') : t('allEvents')}</p>
    ${mayWrite() && html`<div class="buttons">${button(of.state === 'paused' ? 'resume' : 'pause')}${button('test')}
      <${Button} data-action="replay" onClick=${replay}>${t('replay')}<//></div>`}${place}
    <${Disclosed} title=${t('deliveries')}><${Loaded} load=${(read) => read(`${path}/deliveries`)}
      show=${({ data: { deliveries } }) => html`<${Table} caption=${t('deliveries')} columns=${DELIVERY()}
        rows=${deliveries} />`} /><//></div>`;
}

// Adding is the form of a new webhook.
function Adding({ put, again }) {
  const name = useRef();
  const done = ({ data }) => {
    again();
    put(data.secret && html`<p role="status">${t('secretOnce')}</p><${Copied} text=${data.secret} />`);
  };
  const make = async () => ({ id: 'webhook', method: 'PUT', title: t('addWebhook'), send: t('addWebhook'), absent: true,
    groups: [{ fields: new Fields(await bodySchema('PUT', '/x/webhook/{name}', ['url']),
      { form: 'webhook', all: true }) }],
    path: () => `/x/webhook/${encodeURIComponent(name.current.value.trim())}`, cancel: () => put(null), done,
    before: html`<div class="field"><label for="hook-name">${t('name')}</label>
      <input id="hook-name" autocomplete="off" ref=${name} /></div>` });
  return html`<${Opened} make=${make} />`;
}

function Webhooks() {
  const loaded = useLoaded((read) => read('/x/webhook'));
  const [place, put] = usePlace('act');
  const add = () => put(html`<${Adding} put=${put} again=${loaded.again} />`);
  return html`<${Around} of=${loaded} id="webhooks" show=${({ data }) => (data.webhooks.length === 0
    ? html`<p class="empty">${t('noWebhooks')}</p>`
    : data.webhooks.map((one) => html`<${Hook} of=${one} key=${one.name} again=${loaded.again} />`))} />
    ${mayWrite() && html`<${Button} data-action="webhook" onClick=${add}>${t('addWebhook')}<//>`}${place}`;
}

export default function Feed() {
  return html`<h1>${t('feed')}</h1><p class="lead">${t('feedIs')}</p>
    <${Section} title=${t('events')} data-part="events"><${Events} /><//>
    <${Section} title=${t('webhooks')} data-part="webhooks"><${Webhooks} /><//>`;
}
