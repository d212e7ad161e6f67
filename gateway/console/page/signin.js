// Sign-in: the dialog that asks for it, and the ways to come by a token.

import { asking, kept, session, signIn, unkept } from './api.js';
import { Button } from './dom.js';
import { html, useLayoutEffect, useRef, useState } from './html.js';
import { atProvider, begin, comeBack } from './provider.js';
import { t } from './words.js';

// ByToken is the form into which a token is pasted.
function ByToken({ say }) {
  const submit = (event) => {
    event.preventDefault();
    const { token, keep } = event.currentTarget.elements;
    if (!signIn(token.value.trim(), keep.checked)) say(t('noToken'));
  };
  return html`<form onSubmit=${submit}>${document.documentElement.dataset.seed && html`<p>${t('linkHow')}</p>
    <pre><code>exchange link</code></pre>`}<p>${t('signInHow')}</p><pre><code>exchange token</code></pre>
    <label for="token">${t('token')}</label>
    <input type="password" id="token" autocomplete="off" spellcheck=${false} />
    <label class="check"><input type="checkbox" id="keep" />${t('keepToken')}</label>
    <button class="primary">${t('signIn')}</button></form>`;
}

// ByProvider is the button that leads to the identity provider. A page that shows something stays as it is.
function ByProvider({ say }) {
  const lead = () => {
    say('');
    begin(Boolean(session.value.token)).catch((err) => say(t('noSignIn', err.message)));
  };
  return html`<p>${t('signInProvider')}</p><${Button} class="primary" onClick=${lead}>${t('signIn')}<//>`;
}

// SignIn asks for a sign-in over the screen, which stays as it is.
export function SignIn({ why }) {
  const [said, say] = useState(why);
  const dialog = useRef();
  useLayoutEffect(() => {
    const { current: shown } = dialog;
    shown.showModal();
    return () => shown.close();
  }, []);
  return html`<dialog id="sign-in" aria-labelledby="sign-in-title" ref=${dialog}
    onCancel=${(event) => event.preventDefault()}><h2 id="sign-in-title">${t('signIn')}</h2>
    <${atProvider ? ByProvider : ByToken} say=${say} />
    <div>${said && html`<p class="notice" role="alert">${said}</p>`}</div></dialog>`;
}

// byLink exchanges the code of the link that the start of the exchange prints for a token.
async function byLink(code) {
  try {
    const response = await fetch('/console/sign-in', { method: 'POST', body: code, cache: 'no-store' });
    const answer = await response.json();
    unkept.value = response.ok && signIn(answer.token, false);
    if (!unkept.value) asking.value = { why: t('linkSpent') };
  } catch {
    asking.value = { why: t('noResponse') };
  }
}

// start signs in by the link, by the identity provider or by the token that was kept, or asks for a sign-in. ready()
// shows the page, and elsewhere() that it is another tab that is signed in.
export async function start(ready, elsewhere) {
  const [, code] = /^#sign-in=(.+)$/.exec(location.hash) || [];
  if (code) history.replaceState(null, '', '#/today');
  const failed = (err) => { asking.value = { why: t('noSignIn', err.message) }; };
  try {
    const back = atProvider ? await comeBack(failed) : 'here';
    if (back === 'done') return;
    ready();
    if (back === 'elsewhere') elsewhere();
    else if (!code && !(kept() && signIn(kept(), true))) asking.value = {};
  } catch (err) {
    ready();
    failed(err);
  }
  if (code) await byLink(code);
}
