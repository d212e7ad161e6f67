// Sign-in at an identity provider: OpenID Connect, authorization code with PKCE (RFC 7636), as oauth4webapi does it,
// which is loaded once somebody signs in. The token comes in the response to a request of this page, and is kept in
// memory.

import { signIn } from './api.js';
import { t } from './words.js';

const UNDER_WAY = 'exchange-sign-in'; // what the tab that asks keeps until the person is back
const { issuer, client, audience } = document.documentElement.dataset;

// atProvider reports whether an identity provider signs people in.
export const atProvider = Boolean(client);

const others = new BroadcastChannel(UNDER_WAY);
const underWay = () => JSON.parse(sessionStorage.getItem(UNDER_WAY) || 'null');
const home = () => location.origin + location.pathname;

// spoken returns oauth4webapi, its options, and what the identity provider says of itself (OpenID Connect Discovery).
// Requests are not encrypted only where the gateway names a provider without encryption, such as one for a trial.
async function spoken() {
  const oauth = await import('./lib/oauth4webapi.js');
  const options = { [oauth.allowInsecureRequests]: issuer.startsWith('http:'),
    [oauth.customFetch]: (address, given) => fetch(address, { ...given, cache: 'no-store', credentials: 'omit',
      referrerPolicy: 'no-referrer' }) };
  const found = await oauth.discoveryRequest(new URL(issuer), options);
  return { oauth, options, server: await oauth.processDiscoveryResponse(new URL(issuer), found) };
}

// begin leads the person to the identity provider: in this tab, or in another one if this one has something to keep.
export async function begin(inAnotherTab) {
  const { oauth, server } = await spoken();
  const [verifier, state] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState()];
  sessionStorage.setItem(UNDER_WAY, JSON.stringify({ verifier, state, screen: location.hash }));
  const address = new URL(server.authorization_endpoint);
  for (const [name, of] of Object.entries({ response_type: 'code', client_id: client, redirect_uri: home(), state,
    audience, scope: 'openid std.developer std.admin', code_challenge_method: 'S256',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier) })) {
    address.searchParams.set(name, of);
  }
  if (inAnotherTab) window.open(address, '_blank', 'noopener');
  else location.assign(address);
}

// finish exchanges the code that a person has come back with for a token, and signs in.
async function finish(given, { verifier, state }) {
  sessionStorage.removeItem(UNDER_WAY);
  try {
    const { oauth, options, server } = await spoken();
    const by = { client_id: client };
    const granted = oauth.validateAuthResponse(server, by, given, state);
    const response = await oauth.authorizationCodeGrantRequest(server, by, oauth.None(), granted, home(), verifier,
      options);
    const { access_token: token } = await oauth.processAuthorizationCodeResponse(server, by, response);
    if (!signIn(token, false)) throw new Error(t('noToken'));
  } catch (err) {
    throw new Error([err.error, err.error_description].filter(Boolean).join(': ') || err.message, { cause: err });
  }
}

// comeBack handles the address with which a person comes back. It resolves to 'here' if there is no such address, to
// 'elsewhere' if it is for another tab, and to 'done'. failed(err) is called for one that another tab has received.
export async function comeBack(failed) {
  others.onmessage = ({ data }) => {
    const [kept, given] = [underWay(), new URLSearchParams(data)];
    if (kept && kept.state === given.get('state')) finish(given, kept).catch(failed);
  };
  const given = new URLSearchParams(location.search);
  if (!given.get('state')) return 'here';
  const kept = underWay();
  history.replaceState(null, '', home() + (kept?.screen || ''));
  if (kept?.state !== given.get('state')) {
    others.postMessage(String(given));
    return 'elsewhere';
  }
  await finish(given, kept);
  return 'done';
}
