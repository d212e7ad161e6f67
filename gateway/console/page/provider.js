// Sign-in at an identity provider: OpenID Connect, authorization code with PKCE (RFC 7636). The token comes in the
// response to a request of this page, and is kept in memory.

import { signIn } from './api.js';
import { t } from './words.js';

const UNDER_WAY = 'exchange-sign-in'; // what the tab that asks keeps until the person is back
const { issuer, client, audience } = document.documentElement.dataset;

// atProvider reports whether an identity provider signs people in.
export const atProvider = Boolean(client);

const others = new BroadcastChannel(UNDER_WAY);
const underWay = () => JSON.parse(sessionStorage.getItem(UNDER_WAY) || 'null');
const home = () => location.origin + location.pathname;
const text64 = (bytes) => btoa(String.fromCharCode(...bytes)).replaceAll('+', '-').replaceAll('/', '_')
  .replaceAll('=', '');
const random = () => text64(crypto.getRandomValues(new Uint8Array(32)));

// ask sends a request to the identity provider and returns the JSON of the response.
async function ask(address, body) {
  const response = await fetch(address, { method: body ? 'POST' : 'GET', body, cache: 'no-store', credentials: 'omit',
    referrerPolicy: 'no-referrer' });
  const data = await response.json();
  if (!response.ok) throw new Error([data.error, data.error_description].filter(Boolean).join(': ')
    || `HTTP ${response.status}`);
  return data;
}

// metadata returns what the identity provider says of itself (OpenID Connect Discovery).
async function metadata() {
  const found = await ask(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
  if (found.issuer !== issuer) throw new Error(`issuer ${found.issuer}`);
  return found;
}

// begin leads the person to the identity provider: in this tab, or in another one if this one has something to keep.
export async function begin(inAnotherTab) {
  const { authorization_endpoint: at } = await metadata();
  const [verifier, state] = [random(), random()];
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  sessionStorage.setItem(UNDER_WAY, JSON.stringify({ verifier, state, screen: location.hash }));
  const address = new URL(at);
  for (const [name, of] of Object.entries({ response_type: 'code', client_id: client, redirect_uri: home(), state,
    audience, scope: 'openid std.developer std.admin', code_challenge: text64(new Uint8Array(digest)),
    code_challenge_method: 'S256' })) {
    address.searchParams.set(name, of);
  }
  if (inAnotherTab) window.open(address, '_blank', 'noopener');
  else location.assign(address);
}

// finish exchanges the code that a person has come back with for a token, and signs in.
async function finish({ code, iss, error, error_description: why }, { verifier }) {
  sessionStorage.removeItem(UNDER_WAY);
  if (error) throw new Error([error, why].filter(Boolean).join(': '));
  if (iss && iss !== issuer) throw new Error(`issuer ${iss}`);
  const { token_endpoint: at } = await metadata();
  const { access_token: token } = await ask(at, new URLSearchParams({ grant_type: 'authorization_code', code,
    client_id: client, redirect_uri: home(), code_verifier: verifier }));
  if (!signIn(String(token), false)) throw new Error(t('noToken'));
}

// comeBack handles the address with which a person comes back. It resolves to 'here' if there is no such address, to
// 'elsewhere' if it is for another tab, and to 'done'. failed(err) is called for one that another tab has received.
export async function comeBack(failed) {
  others.onmessage = ({ data }) => {
    const kept = underWay();
    if (kept?.state === data.state) finish(data, kept).catch(failed);
  };
  const given = Object.fromEntries(new URLSearchParams(location.search));
  if (!given.state) return 'here';
  const kept = underWay();
  history.replaceState(null, '', home() + (kept?.screen || ''));
  if (kept?.state !== given.state) {
    others.postMessage(given);
    return 'elsewhere';
  }
  await finish(given, kept);
  return 'done';
}
