// What is read is shown, and what prevents that is said, with the words of the exchange.

import { Offline, Problem, call, get, passing } from './api.js';
import { html, useErrorBoundary, useLayoutEffect, useRef, useState } from './html.js';
import { Button, Technical } from './dom.js';
import { isForeign, label, reason, t, title } from './words.js';

const AGAIN_AFTER = 2000; // milliseconds

// violation is what is wrong with a part of a request, as a text.
export const violation = ({ pointer, parameter, reason: why }) => [isForeign()
  ? label((pointer || parameter || '').split('/').pop()) : pointer || parameter, reason(why)].filter(Boolean).join(' ');

// words returns what an error says, for people.
export function words(err) {
  if (err instanceof Offline) return [t('noResponse')];
  if (err instanceof Problem) {
    return [title(err), !isForeign() && err.detail, ...err.errors.filter((one) => one.parameter).map(violation)]
      .filter((text, i, all) => text && all.indexOf(text) === i);
  }
  return [t('fault'), String(err.message || err)];
}

// inEnglish is what a problem document says.
const inEnglish = ({ detail, errors }) => [detail, ...errors.map((one) => `${one.pointer ?? one.parameter ?? ''} ${
  one.reason}`)].join('; ');

// Notice is a box that says what happened, with what more is to be said.
export const Notice = ({ err, children }) => html`<div class="notice" role="alert">${words(err).map((text, i) => html`
  <p class=${i === 0 && 'first'}>${text}</p>`)}${children}${err instanceof Problem && isForeign()
    && html`<${Technical} of=${inEnglish(err)} />`}</div>`;

// useLoaded reads something while the component is there, and anew when one of the values in deps changes. load(get,
// signal) resolves to it; get(path, wait) is a request that ends with the component, as does one with the signal. While
// the exchange does not respond, it tries again by itself. It returns {data, err, busy, again(), get}.
export function useLoaded(load, deps = []) {
  const [state, set] = useState({ busy: true });
  const asks = useRef({});
  useLayoutEffect(() => {
    const under = new AbortController();
    const { signal } = under;
    let timer = 0;
    asks.current.get = (path, wait) => get(path, signal, wait);
    asks.current.again = async () => {
      clearTimeout(timer);
      set((is) => ({ ...is, busy: true }));
      try {
        const data = await load(asks.current.get, signal);
        if (!signal.aborted) set({ data });
      } catch (err) {
        if (signal.aborted) return;
        set((is) => (err.name === 'AbortError' ? { ...is, busy: false } : { err }));
        if (passing(err)) timer = setTimeout(asks.current.again, AGAIN_AFTER);
      }
    };
    asks.current.again();
    return () => { under.abort(); clearTimeout(timer); };
  }, deps);
  return { ...state, again: () => asks.current.again(), get: (...of) => asks.current.get(...of) };
}

// useAgain reads what useLoaded has returned anew, some milliseconds after it was read, where there is reason to.
export function useAgain(loaded, reason, after = AGAIN_AFTER) {
  useLayoutEffect(() => {
    if (!reason) return undefined;
    const timer = setTimeout(loaded.again, after);
    return () => clearTimeout(timer);
  }, [loaded.data]);
}

const Shown = ({ data, show }) => show(data);

// Around is the element around what useLoaded returns (of): show(data), what prevents it, or before it is there, first.
export function Around({ of: { data, err, busy, again }, show, first, ...attributes }) {
  const [fault, forget] = useErrorBoundary();
  const wrong = fault || err;
  const anew = () => { forget(); again(); };
  return html`<div ...${attributes} aria-busy=${busy ? 'true' : undefined}>${wrong
    ? html`<${Notice} err=${wrong}><button type="button" onClick=${anew}>${t('again')}</button><//>`
    : data === undefined ? first : html`<${Shown} data=${data} show=${show} />`}</div>`;
}

// Loaded shows what load reads; see useLoaded and Around.
export const Loaded = ({ load, deps, ...more }) => html`<${Around} of=${useLoaded(load, deps)} ...${more} />`;

// Head begins a screen: its title, what it is about, and at the right what one does there, the primary action first.
export const Head = ({ title, lead, children }) => html`<div class="head"><h1>${title}</h1>
  <div class="buttons">${children}</div></div>${lead && html`<p class="lead">${lead}</p>`}`;

const loading = () => html`<p class="empty">${t('loading')}</p>`;

// Section is a section with its title. at is a ref to it.
export const Section = ({ title, at, children, ...attributes }) => html`<section ref=${at} ...${attributes}>
  <h2>${title}</h2>${children}</section>`;

// Tabs shows one of several parts of a screen: {name, title, content}. Those that are not shown are there all the same,
// so that what they read is there once somebody turns to them. The arrow keys move between them.
export function Tabs({ of }) {
  const shown = of.filter(Boolean);
  const [at, turn] = useState(shown[0].name);
  const moves = (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const i = shown.findIndex(({ name }) => name === at) + by + shown.length;
    const { name } = shown[i % shown.length];
    turn(name);
    event.currentTarget.querySelector(`[data-tab="${name}"]`).focus();
  };
  return html`<div class="tabs" role="tablist" onKeyDown=${moves}>${shown.map(({ name, title }) => html`<button
    type="button" role="tab" id=${`tab-${name}`} data-tab=${name} aria-controls=${`panel-${name}`}
    aria-selected=${at === name ? 'true' : 'false'} tabindex=${at === name ? 0 : -1} onClick=${() => turn(name)}>
      ${title}</button>`)}</div>
    ${shown.map(({ name, content }) => html`<div role="tabpanel" id=${`panel-${name}`} key=${name}
      aria-labelledby=${`tab-${name}`} hidden=${at !== name}>${content}</div>`)}`;
}

// Part is a section whose content is loaded by itself, so that one that fails leaves the others. of is what useLoaded
// has returned, where it is not load that is to be read.
export const Part = ({ of, load, deps, show, ...more }) => html`<${Section} ...${more}>${of
  ? html`<${Around} of=${of} show=${show} first=${loading()} />`
  : html`<${Loaded} load=${load} deps=${deps} show=${show} first=${loading()} />`}<//>`;

// Pages shows the rows of a list page by page. list(get, path) resolves to {data, next}; show(rows, next) returns what
// is shown of them.
export function Pages({ path, list = (read, of) => read(of), show, ...attributes }) {
  const [further, set] = useState(null); // the rows of more than the first page
  const loaded = useLoaded(async (read) => {
    const page = await list(read, path);
    set(null);
    return { rows: page.data, next: page.next };
  }, [path]);
  return html`<${Around} of=${loaded} ...${attributes} show=${(first) => {
    const { rows, next, busy, err } = further || first;
    const more = async () => {
      set({ rows, next, busy: true });
      try {
        const page = await list(loaded.get, next);
        set({ rows: [...rows, ...page.data], next: page.next });
      } catch (why) {
        set({ rows, next, err: why });
      }
    };
    return html`<div>${show(rows, next)}</div><div>${err && html`<${Notice} err=${err} />`}</div>
      <button type="button" class="more" disabled=${Boolean(busy)} hidden=${!next} onClick=${more}>
        ${t('more')}</button>`;
  }} />`;
}

// PartPages is a section with the rows of a list; see Pages.
export const PartPages = ({ path, list, show, ...more }) => html`<${Section} ...${more}>
  <${Pages} path=${path} list=${list} show=${show} first=${loading()} /><//>`;

// listed returns the list of Pages whose page names, as its next, the value of a parameter for the next one.
export const listed = (member, parameter) => async (read, path) => {
  const { data } = await read(path);
  const address = new URL(path, location.href);
  address.searchParams.set(parameter, data.next);
  return { data: data[member] || [], next: data.next ? address.pathname + address.search : '' };
};

// usePlace is a place for one form at a time, or what it came to: [place, put(content)].
export function usePlace(id) {
  const [{ content, n }, set] = useState({ n: 0 });
  const put = (now) => set((is) => ({ content: now, n: is.n + 1 }));
  return [html`<div id=${id} key="place"><${Kept} key=${n} content=${content} /></div>`, put];
}

const Kept = ({ content }) => content;

// Downloads are buttons for files: [{suffix, path, name, media, title}]. One is read with the token of the person, and
// given to the browser.
export function Downloads({ files }) {
  const [{ busy, err }, set] = useState({});
  const download = async ({ suffix, path, name, media }) => {
    set({ busy: suffix });
    try {
      const { data } = await call('GET', path, { blob: media || true });
      const to = document.createElement('a');
      to.href = URL.createObjectURL(data);
      to.download = `${name}.${suffix}`;
      to.click();
      setTimeout(() => URL.revokeObjectURL(to.href), 60000);
      set({});
    } catch (why) {
      set({ err: why });
    }
  };
  return html`${files.map((one) => html`<${Button} data-export=${one.suffix} disabled=${busy === one.suffix}
    onClick=${() => download(one)}>${one.title || t('downloadAs', one.suffix.toUpperCase())}<//>`)}
    <div>${err && html`<${Notice} err=${err} />`}</div>`;
}

// later is a screen whose file is loaded once somebody goes to it.
export const later = (load) => (given) => html`<${Loaded}
  show=${({ default: Screen }) => html`<${Screen} ...${given} />`}
  load=${() => load().catch((err) => { throw new Offline(err.message); })} />`;
