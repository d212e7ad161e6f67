// What is read is shown, and what prevents that is said, with the words of the exchange.

import { Offline, Problem, passing } from './api.js';
import { html, useLayoutEffect, useRef } from './html.js';
import { h, replace } from './old-dom.js';
import { t } from './words.js';

const AGAIN_AFTER = 2000; // milliseconds

// words returns what an error says, for people.
export function words(err) {
  if (err instanceof Offline) return [t('noResponse')];
  if (err instanceof Problem) {
    return [err.title, err.detail, ...err.errors.filter((one) => one.parameter)
      .map((one) => `${one.parameter} ${one.reason}`)]
      .filter((text, i, all) => text && all.indexOf(text) === i);
  }
  return [t('fault'), String(err.message || err)];
}

// notice returns a box that says what happened.
export const notice = (err, ...more) => h('div', { class: 'notice', role: 'alert' },
  words(err).map((text, i) => h('p', { class: i === 0 && 'first' }, text)), more);

// live loads something and shows it in an element. While the exchange does not respond, it tries again by itself.
export async function live(element, signal, load, show) {
  element.setAttribute('aria-busy', 'true');
  try {
    const shown = show(await load());
    if (!signal.aborted) replace(element, shown);
  } catch (err) {
    if (signal.aborted || err.name === 'AbortError') return;
    const again = () => { clearTimeout(timer); return live(element, signal, load, show); };
    const timer = passing(err) ? setTimeout(again, AGAIN_AFTER) : 0;
    signal.addEventListener('abort', () => clearTimeout(timer));
    replace(element, notice(err, h('button', { type: 'button', click: again }, t('again'))));
  } finally {
    element.removeAttribute('aria-busy');
  }
}

// part is a section whose content is loaded by itself, so that one that fails leaves the others.
export function part(title, signal, load, show, attributes) {
  const inside = h('div', {}, h('p', { class: 'empty' }, t('loading')));
  live(inside, signal, load, show);
  return h('section', attributes, h('h2', {}, title), inside);
}

// later returns a screen whose file is loaded once somebody goes to it.
export const later = (load) => (root, given, signal) => live(root, signal, load, ({ default: screen }) => {
  const whole = h('div', {});
  screen(whole, given, signal);
  return whole;
});

// pages shows the rows of a list page by page. load(path) resolves to {data, next}; shown(rows, next) returns an
// element.
export async function pages(path, load, shown) {
  const first = await load(path);
  const all = [...first.data];
  const list = h('div', {}, shown(all, first.next));
  const said = h('div', {});
  const more = h('button', { type: 'button', class: 'more' }, t('more'));
  let next = first.next;
  more.addEventListener('click', async () => {
    more.disabled = true;
    replace(said);
    try {
      const page = await load(next);
      all.push(...page.data);
      next = page.next;
      replace(list, shown(all, next));
      more.hidden = !next;
    } catch (err) {
      replace(said, notice(err));
    } finally {
      more.disabled = false;
    }
  });
  more.hidden = !next;
  return h('div', {}, list, said, more);
}

// listed returns what loads the pages of a list whose page names, as its next, the value of a parameter for the next
// one.
export const listed = (load, member, parameter) => async (path) => {
  const { data } = await load(path);
  const address = new URL(path, location.href);
  address.searchParams.set(parameter, data.next);
  return { data: data[member] || [], next: data.next ? address.pathname + address.search : '' };
};

// old is what a file with a screen that is no component yet has, with a component that shows it.
export const old = ({ default: screen }) => ({ default: (given) => {
  const root = useRef();
  useLayoutEffect(() => {
    const leave = new AbortController();
    screen(root.current, given, leave.signal);
    return () => leave.abort();
  }, []);
  return html`<div ref=${root} />`;
} });
