// The frame of the console: sign-in, the screens and the keys.

import { kept, mayWrite, session, signIn, signOut, state } from './api.js';
import { h, instant, replace } from './dom.js';
import { forgetDrafts } from './form.js';
import { atProvider, begin, comeBack } from './provider.js';
import { language, speak, t } from './words.js';
import claim from './claim.js';
import desk from './desk.js';
import feed from './feed.js';
import find from './find.js';
import help from './help.js';
import create from './create.js';
import policy from './policy.js';
import record from './record.js';
import { later } from './show.js';
import today from './today.js';

const reconciliation = later(() => import('./reconciliation.js'));
const screens = { today, find, policy, claim, desk, reconciliation, feed, help, create, record };
const IN_MENU = ['today', 'find', 'desk', 'reconciliation', 'feed', 'help'];
const app = document.getElementById('app');
let leave = new AbortController(); // ends what the screen that is left had under way
let content;
let shownTo = null; // whose rights the screen shows

// frame builds what all screens have.
function frame() {
  document.title = t('product');
  content = h('main', { id: 'content', tabindex: '-1' });
  replace(app,
    h('a', { class: 'skip', href: '#content', click: (event) => { event.preventDefault(); content.focus(); } },
      t('skip')),
    h('header', {}, h('nav', { 'aria-label': t('screens') }, h('span', { class: 'product' }, t('product')),
      IN_MENU.map((name) => h('a', { href: `#/${name}`, 'data-screen': name }, t(name))),
      h('span', { class: 'apart' }, h('span', { id: 'who' }),
        h('button', { type: 'button', id: 'language', lang: language() === 'de' ? 'en' : 'de',
          click: changeLanguage },
        language() === 'de' ? 'English' : 'Deutsch'),
        h('button', { type: 'button', id: 'sign-out', click: leaveExchange }, t('signOut'))))),
    h('div', { id: 'banners', role: 'status' }), content,
    h('footer', {}, h('p', {}, t('footer'), ' ', h('a', { href: '/docs' }, '/docs'))));
  banners();
  who();
}

// leaveExchange signs out, and leaves nothing of the person for the next one.
function leaveExchange() {
  signOut();
  leave.abort();
  forgetDrafts();
  shownTo = null;
  replace(content);
  who();
  askToken();
}

// changeLanguage shows the screen in the other language, if its words can be loaded.
async function changeLanguage() {
  try {
    await speak(language() === 'de' ? 'en' : 'de');
  } catch {
    replace(document.getElementById('banners'), h('p', { class: 'banner bad' }, t('noResponse')));
    return;
  }
  frame();
  go();
}

function who() {
  replace(document.getElementById('who'), session.subject, session.token && !mayWrite() && ` (${t('readOnly')})`);
}

// banners says what concerns all screens.
function banners() {
  const shown = document.getElementById('banners');
  if (!shown) return;
  replace(shown, session.clock && h('p', { class: 'banner', id: 'clock' }, t('testClock'), ' ', instant(session.clock)),
    session.offline ? h('p', { class: 'banner bad', id: 'offline' }, t('noResponse'), ' ', t('goesOn'))
      : session.waiting > 0 && h('p', { class: 'banner', id: 'slow' }, t('slow')));
}

// go shows the screen that the address names.
function go() {
  const address = location.hash.slice(1);
  if (address.startsWith('sign-in=')) {
    start();
    return;
  }
  const [path, query] = address.split('?');
  const [, name, ...rest] = path.split('/');
  leave.abort();
  leave = new AbortController();
  const shown = Object.hasOwn(screens, name) ? name : 'today';
  for (const link of app.querySelectorAll('nav a[data-screen]')) {
    link.toggleAttribute('aria-current', link.dataset.screen === shown);
    if (link.hasAttribute('aria-current')) link.setAttribute('aria-current', 'page');
  }
  replace(content);
  content.dataset.screen = shown;
  const parameters = new URLSearchParams(query || '');
  screens[shown](content, { path: rest.map(decoded), query: parameters, again, who }, leave.signal);
}

// again shows the screen anew. What had the focus is gone, so that keys and readers begin at the top of the screen.
function again() {
  content.focus({ preventScroll: true });
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

// saying shows why something about the sign-in has failed.
const saying = (why) => why && h('p', { class: 'notice', role: 'alert' }, why);

// byToken returns the form into which a token is pasted.
function byToken(said) {
  const token = h('input', { type: 'password', id: 'token', autocomplete: 'off', spellcheck: 'false' });
  const keep = h('input', { type: 'checkbox', id: 'keep' });
  return h('form', { submit: (event) => {
    event.preventDefault();
    if (!signIn(token.value.trim(), keep.checked)) replace(said, saying(t('noToken')));
  } }, h('p', {}, t('signInHow')), h('pre', {}, h('code', {}, 'exchange token')),
  h('label', { for: 'token' }, t('token')), token,
  h('label', { class: 'check' }, keep, t('keepToken')), h('button', { class: 'primary' }, t('signIn')));
}

// byProvider returns the button that leads to the identity provider. A page that shows something stays as it is.
const byProvider = (said) => [
  h('p', {}, t('signInProvider')),
  h('button', { type: 'button', class: 'primary', click: () => {
    replace(said);
    begin(Boolean(session.token)).catch((err) => replace(said, saying(t('noSignIn', err.message))));
  } }, t('signIn'))];

// askToken asks for a sign-in over the screen, which stays as it is.
function askToken(why) {
  document.getElementById('sign-in')?.remove();
  const said = h('div', {}, saying(why));
  const dialog = h('dialog', { id: 'sign-in', 'aria-labelledby': 'sign-in-title',
    cancel: (event) => event.preventDefault() }, h('h2', { id: 'sign-in-title' }, t('signIn')),
  atProvider ? byProvider(said) : byToken(said), said);
  state.addEventListener('signed-in', () => { dialog.close(); dialog.remove(); }, { once: true });
  app.append(dialog);
  dialog.showModal();
}

// start signs in by the link, by the identity provider or by the token that was kept, or asks for a sign-in.
async function start() {
  const link = /^#sign-in=(.+)$/.exec(location.hash);
  if (link) history.replaceState(null, '', '#/today');
  const failed = (err) => askToken(t('noSignIn', err.message));
  try {
    const back = atProvider ? await comeBack(failed) : 'here';
    if (back === 'done') return;
    frame();
    if (back === 'elsewhere') {
      replace(content, h('h1', {}, t('signIn')), h('p', { id: 'elsewhere' }, t('signedInElsewhere')));
    } else if (!link && !(kept() && signIn(kept(), true))) askToken();
  } catch (err) {
    frame();
    failed(err);
  }
  if (!link) return;
  try {
    const response = await fetch('/console/sign-in', { method: 'POST', body: link[1], cache: 'no-store' });
    const answer = await response.json();
    if (response.ok && signIn(answer.token, false)) return;
    askToken(answer.detail);
  } catch {
    askToken(t('noResponse'));
  }
}

// move moves the focus among the rows of the screen.
function move(by) {
  const rows = [...content.querySelectorAll('[data-row]')].filter((row) => row.querySelector('a, button'));
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  const to = rows[Math.min(Math.max(at + by, 0), rows.length - 1)];
  to?.querySelector('a, button').focus();
}

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || /INPUT|TEXTAREA|SELECT/.test(event.target.tagName)) return;
  const does = {
    '/': () => {
      if (content.dataset.screen === 'find') document.getElementById('q').focus();
      else location.hash = '#/find';
    },
    j: () => move(1), k: () => move(-1), '?': () => { location.hash = '#/help'; },
  }[event.key];
  if (!does || document.querySelector('dialog[open]')) return;
  event.preventDefault();
  does();
});

state.addEventListener('sign-in-needed', () => askToken(session.token && t('tokenEnded')));
state.addEventListener('clock', banners);
state.addEventListener('connection', banners);
state.addEventListener('signed-in', () => {
  if (!content) frame();
  const is = `${session.subject} ${session.scopes}`;
  who();
  if (is !== shownTo) go();
  shownTo = is;
});
// A screen that a person goes to has the focus, so that keys and readers begin at its top.
window.addEventListener('hashchange', () => { content?.focus(); go(); });

await speak();
start();
