// The frame of the console: what all screens have, which of them is shown, and the keys.

import { asking, clock, keep, mayWrite, offline, session, signOut, unkept, waiting } from './api.js';
import { Button, Instant } from './dom.js';
import { forgetDrafts } from './form.js';
import { html, render, useErrorBoundary, useLayoutEffect, useSignal, useState } from './html.js';
import { signal } from './lib/signals-core.js';
import { Notice, later } from './show.js';
import { SignIn, start } from './signin.js';
import { language, speak, t } from './words.js';
import find from './find.js';
import { Icon } from './icon.js';
import { Search } from './search.js';
import today from './today.js';

const BookList = later(() => import('./booklist.js'));
// listOf is the screen of a list of the book.
const listOf = (name) => (given) => html`<${BookList} ...${given} path=${[name]} />`;
const screens = {
  today, find, policies: listOf('policies'), claims: listOf('claims'), files: later(() => import('./files.js')),
  policy: later(() => import('./policy.js')), claim: later(() => import('./claim.js')),
  desk: later(() => import('./desk.js')), feed: later(() => import('./feed.js')),
  book: later(() => import('./book.js')), import: later(() => import('./imports.js')),
  reconciliation: later(() => import('./reconciliation.js')), help: later(() => import('./help.js')),
  decisions: later(() => import('./decisions.js')), disputed: later(() => import('./disputed.js')),
  create: later(() => import('./create.js')), record: later(() => import('./record.js')),
  contract: later(() => import('./contract.js')), unassigned: later(() => import('./unassigned.js')),
};
const IN_MENU = ['today', 'policies', 'claims', 'desk',
  'files', 'book', 'feed', 'help'];
// UNDER is the entry of the menu that a screen stands under, where it is not its own.
const UNDER = { policy: 'policies', create: 'policies', claim: 'claims', import: 'files', reconciliation: 'files',
  disputed: 'files', decisions: 'desk', contract: 'desk', unassigned: 'desk' };
const DENSITY = 'exchange-density';
const shown = signal({ n: 0 }); // the screen: {n, name, path, query}; n is another one each time that one is shown
let shownTo = null; // whose rights the screen shows
const content = () => document.getElementById('content');

// Elsewhere is shown where it is another tab that is signed in.
const Elsewhere = () => html`<h1>${t('signIn')}</h1><p id="elsewhere">${t('signedInElsewhere')}</p>`;

// Screen shows a screen, or what went wrong with it.
function Screen({ name, ...given }) {
  const [fault] = useErrorBoundary();
  return fault ? html`<${Notice} err=${fault} />` : html`<${screens[name] || Elsewhere} ...${given} again=${again} />`;
}

// Banners are what concerns all screens.
function Banners({ fault }) {
  const [isOffline, waits, spent] = [offline, waiting, unkept].map(useSignal);
  return html`<div id="banners" role="status">
    ${isOffline ? html`<p class="banner bad" id="offline">${t('noResponse')} ${t('goesOn')}</p>`
      : fault ? html`<p class="banner bad">${t('noResponse')}</p>`
        : waits > 0 && html`<p class="banner" id="slow">${t('slow')}</p>`}
    ${spent && html`<p class="banner" id="unkept">${t('unkept')} <${Button} onClick=${keep}>${t('keep')}<//></p>`}
  </div>`;
}

// skip leads to the content; the address names the screen, and so stays.
function skip(event) {
  event.preventDefault();
  content().focus();
}

// under returns the entry of the menu that a screen stands under.
const under = ({ name, path }) => (name === 'book' && IN_MENU.includes(path[0]) ? path[0] : UNDER[name] ?? name);

// Person is who uses the page, and what concerns only that person.
function Person({ speakOther, other }) {
  const { subject, organisation, token } = useSignal(session);
  const [dense, set] = useState(localStorage.getItem(DENSITY) === 'dense');
  useLayoutEffect(() => { document.documentElement.dataset.density = dense ? 'dense' : 'roomy'; }, [dense]);
  const pack = () => {
    localStorage.setItem(DENSITY, dense ? 'roomy' : 'dense');
    set(!dense);
  };
  return html`<span id="who">${subject}${organisation && html` <span class="quiet">${organisation}</span>`}${
    token && !mayWrite() && html` <span class="quiet">(${t('readOnly')})</span>`}</span>
    <${Button} id="density" aria-pressed=${dense ? 'true' : 'false'} onClick=${pack}>${t('dense')}<//>
    <${Button} id="language" lang=${other} onClick=${speakOther}>${other === 'en' ? 'English' : 'Deutsch'}<//>
    <${Button} id="sign-out" onClick=${leaveExchange}>${t('signOut')}<//>`;
}

// Clock is what the test clock shows, if the exchange goes by one.
function Clock() {
  const at = useSignal(clock);
  return at && html`<span id="clock" title=${t('testClock')}>${t('byTestClock')} <${Instant} at=${at} /></span>`;
}

function App() {
  const [is, asks] = [useSignal(shown), useSignal(asking)];
  const [fault, setFault] = useState(false);
  const [open, setOpen] = useState(false); // the menu of a phone
  const other = language() === 'de' ? 'en' : 'de';
  useLayoutEffect(() => { document.title = t('product'); });
  useLayoutEffect(() => setOpen(false), [is.n]);
  // The screen is shown in the other language, if its words can be loaded.
  const speakOther = async () => {
    const spoken = await speak(other).then(() => true, () => false);
    setFault(!spoken);
    if (spoken && is.name) go();
  };
  return html`<div class="frame" data-open=${open || undefined}>
    <a class="skip" href="#content" onClick=${skip}>${t('skip')}</a>
    <header><${Button} id="menu" aria-expanded=${open ? 'true' : 'false'} aria-controls="rail"
        onClick=${() => setOpen(!open)}>${t('menu')}<//>
      <${Search} n=${is.n} given=${is.name === 'find' ? is.query.get('q') || '' : ''} />
      <${Clock} /><div class="apart"><${Person} other=${other} speakOther=${speakOther} /></div></header>
    <nav id="rail" aria-label=${t('screens')}><span class="product">${t('product')}</span>
      ${IN_MENU.map((name) => html`<a href=${`#/${name}`} data-screen=${name}
        aria-current=${is.name && under(is) === name ? is.name === name ? 'page' : 'true' : undefined}>
        <${Icon} of=${name} />${t(name)}</a>`)}</nav>
    <div class="page"><${Banners} fault=${fault} />
      <main id="content" tabindex="-1" data-screen=${is.name}>
        ${is.name && html`<${Screen} key=${is.n} ...${is} />`}</main>
      <footer><p>${t('footer')} <a href="/docs">/docs</a></p></footer></div></div>
    ${asks && html`<${SignIn} key=${asks.why} why=${asks.why} />`}`;
}

// frame shows what all screens have.
function frame() {
  const app = document.getElementById('app');
  if (!content()) app.textContent = '';
  render(html`<${App} />`, app);
}

const begin = () => start(frame, () => show('elsewhere'));

function show(name, path = [], query = new URLSearchParams()) {
  shown.value = { n: shown.value.n + 1, name, path, query };
}

// leaveExchange signs out, and leaves nothing of the person for the next one.
function leaveExchange() {
  signOut();
  forgetDrafts();
  shownTo = null;
  show(null);
  asking.value = {};
}

// go shows the screen that the address names.
function go() {
  const address = location.hash.slice(1);
  if (address.startsWith('sign-in=')) {
    begin();
    return;
  }
  const [path, query] = address.split('?');
  const [, name, ...rest] = path.split('/');
  show(Object.hasOwn(screens, name) ? name : 'today', rest.map(decoded), new URLSearchParams(query || ''));
}

// again shows the screen anew. What had the focus is gone, so that keys and readers begin at the top of the screen.
function again() {
  content().focus({ preventScroll: true });
  go();
}

// decoded returns a part of an address, also one that somebody has typed.
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

// move moves the focus among the rows of the screen.
function move(by) {
  const rows = [...content().querySelectorAll('[data-row]')].filter((row) => row.querySelector('a, button'));
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  const to = rows[Math.min(Math.max(at + by, 0), rows.length - 1)];
  to?.querySelector('a, button').focus();
}

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || /INPUT|TEXTAREA|SELECT/.test(event.target.tagName)) return;
  const does = {
    '/': () => {
      document.getElementById('q').focus();
      document.getElementById('q').select();
    },
    j: () => move(1), k: () => move(-1), '?': () => { location.hash = '#/help'; },
  }[event.key];
  if (!does || !content() || document.querySelector('dialog[open]')) return;
  event.preventDefault();
  does();
});

session.subscribe(({ token, subject, scopes }) => {
  if (!token) return;
  if (!content()) frame();
  const is = `${subject} ${scopes}`;
  if (is !== shownTo) go();
  shownTo = is;
});
// A screen that a person goes to has the focus, so that keys and readers begin at its top.
window.addEventListener('hashchange', () => { content()?.focus(); go(); });

await speak();
begin();
