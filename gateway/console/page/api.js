// The public interface, called with the token of the person who uses the page. The token is kept in memory, and in the
// session storage of this tab only if the person says so.

import { signal } from './lib/signals-core.js';
import { loadHints, t } from './words.js';

const KEPT = 'exchange-token';
const AGAIN_AFTER = 2000; // milliseconds after which an exchange that did not respond is asked again
const SLOW = 10000; // milliseconds without a response after which the page says that it waits

const NOBODY = { token: '', subject: '', organisation: '', scopes: [] };

// session has who uses the page: another object each time that somebody signs in or out.
export const session = signal(NOBODY);
// asking is {why} while somebody must sign in, for the reason if there is one; else null.
export const asking = signal(null);
// clock is the instant of the test clock, if the exchange goes by one.
export const clock = signal('');
// offline is true while the exchange does not respond, and waiting counts the requests that it lets wait.
export const offline = signal(false);
export const waiting = signal(0);
// unkept is true while the token came by a link that is spent, and nothing keeps it.
export const unkept = signal(false);

// mayWrite reports whether the token opens what writes.
export const mayWrite = () => session.value.scopes.includes('std.admin');

// signIn takes a token. It returns whether the text has the form of one.
export function signIn(token, keep) {
  let claims;
  try {
    const part = token.split('.')[1].replaceAll('-', '+').replaceAll('_', '/');
    claims = JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(part), (c) => c.charCodeAt(0))));
  } catch {
    return false;
  }
  const scopes = claims.scope || claims.scp || claims.roles || [];
  if (keep) sessionStorage.setItem(KEPT, token);
  const { organisation } = document.documentElement.dataset; // the claim that names it
  session.value = { token, subject: String(claims.sub || ''), organisation: String(claims[organisation] || ''),
    scopes: Array.isArray(scopes) ? scopes : String(scopes).split(' ') };
  asking.value = null;
  return true;
}

// keep keeps the token of a link, until the tab is closed.
export function keep() {
  sessionStorage.setItem(KEPT, session.value.token);
  unkept.value = false;
}

export function signOut() {
  unkept.value = false;
  sessionStorage.removeItem(KEPT);
  session.value = NOBODY;
}

export const kept = () => sessionStorage.getItem(KEPT) || '';

// Problem is a refusal: a problem document.
export class Problem extends Error {
  constructor(status, document) {
    super(document.detail || document.title || `HTTP ${status}`);
    Object.assign(this, { status, title: document.title || `HTTP ${status}`, detail: document.detail || '',
      errors: document.errors || [], document });
  }
}

// Offline is a request to which there was no response. What it asked for may have been done.
export class Offline extends Error {}

// passing reports whether an error may go by itself: no response, too much to do, or a service that is away.
export const passing = (err) => err instanceof Offline || [429, 502, 503, 504].includes(err.status);

// parse reads JSON. A number that a float cannot hold becomes an object that keeps its digits.
export function parse(text) {
  return JSON.parse(text, (name, read, context) => {
    if (typeof read !== 'number' || !context || String(read) === context.source) return read;
    if (Number.isSafeInteger(read) && Number(context.source) === read && !/[eE]/.test(context.source)
      && context.source.length < 16) return read;
    return { digits: context.source, toString: () => context.source, toJSON: () => raw(context.source) };
  });
}

// raw stands for a number with exactly these digits in JSON.
export const raw = (digits) => (JSON.rawJSON ? JSON.rawJSON(digits) : Number(digits));

// signedIn resolves once somebody has signed in.
function signedIn() {
  asking.value ??= { why: session.value.token && t('tokenEnded') };
  return new Promise((resolve) => {
    const end = asking.subscribe((is) => is || queueMicrotask(() => { end(); resolve(); }));
  });
}

function online(is) {
  if (offline.value === !is) return;
  offline.value = !is;
  if (!is) setTimeout(comeBack, AGAIN_AFTER);
}

// comeBack asks until the exchange responds, so that the page says so when it does, whether or not anything is read.
async function comeBack() {
  if (!offline.value) return;
  await fetch('/console', { method: 'HEAD', cache: 'no-store', credentials: 'omit' }).then(() => online(true),
    () => setTimeout(comeBack, AGAIN_AFTER));
}

// waited counts a request as slow while it has no response, and returns the function that ends that.
function waited(patience) {
  let counted = 0;
  const timer = setTimeout(() => { counted = 1; waiting.value += 1; }, patience);
  return () => { clearTimeout(timer); waiting.value -= counted; };
}

// call sends a request. options: body (a JSON text), key (the Idempotency-Key), match (the ETag that the record must
// have), absent (true if there must be no record), signal, wait (the seconds that the exchange may wait with its
// response), type (the media type of a body that is no JSON), blob (true for a response that is a file, or the media
// type of one). It resolves to
// {data, etag, next, replayed}. Errors: Problem, Offline, AbortError. A token that has ended is asked for anew, and the
// request is sent again, unless it is somebody else who has signed in.
export async function call(method, path, options = {}) {
  // The token goes to this exchange only, whatever an address that somebody was given makes of a path.
  if (new URL(path, location.href).origin !== location.origin) throw new Error(path);
  const headers = { Accept: options.blob === true ? '*/*' : options.blob || 'application/json',
    Authorization: `Bearer ${session.value.token}` };
  if (options.body !== undefined) headers['Content-Type'] = options.type || 'application/json';
  if (options.key) headers['Idempotency-Key'] = options.key;
  if (options.match) headers['If-Match'] = options.match;
  if (options.absent) headers['If-None-Match'] = '*';
  const { subject } = session.value;
  const responded = waited(SLOW + 1000 * (options.wait || 0));
  let response;
  let text;
  try {
    response = await fetch(path, { method, headers, body: options.body, signal: options.signal, cache: 'no-store',
      credentials: 'omit', redirect: 'error', referrerPolicy: 'no-referrer' });
    text = await (options.blob && response.ok ? response.blob() : response.text());
  } catch (err) {
    if (err.name === 'AbortError') throw err;
    online(false);
    throw new Offline(err.message);
  } finally {
    responded();
  }
  online(true);
  clock.value = response.headers.get('Exchange-Test-Clock') || '';
  let data = null;
  try {
    data = text instanceof Blob ? text : text ? parse(text) : null;
  } catch {
    data = {};
  }
  if (response.status === 401 && !insufficient(response)) {
    await signedIn();
    options.signal?.throwIfAborted();
    if (session.value.subject !== subject) throw new DOMException('somebody else has signed in', 'AbortError');
    return call(method, path, options);
  }
  if (!response.ok) throw new Problem(response.status, data || {});
  const next = /<([^>]+)>;\s*rel="next"/.exec(response.headers.get('Link') || '');
  return { data, etag: response.headers.get('ETag') || '', next: next ? next[1] : '',
    replayed: response.headers.get('Idempotency-Replayed') === 'true' };
}

// insufficient reports whether the token is good and only lacks the scope.
const insufficient = (response) => /insufficient_scope/.test(response.headers.get('WWW-Authenticate') || '');

export const get = (path, signal, wait) => call('GET', path, { signal, wait });

// now is the present instant of the exchange: that of its test clock, if it has one.
export const now = () => (clock.value ? new Date(clock.value) : new Date());

const known = new Map();

// once reads what stays the same while the page is open.
function once(path) {
  if (!known.has(path)) {
    known.set(path, get(path).then(({ data }) => data).catch((err) => { known.delete(path); throw err; }));
  }
  return known.get(path);
}

// interfaceDocument returns the OpenAPI document, which names the fields of every form and the value sets in force.
export const interfaceDocument = async () => {
  await loadHints();
  return once('/openapi.json');
};

// about returns what the exchange says about itself, such as whether organisations share it.
export const about = () => once('/x/about');
