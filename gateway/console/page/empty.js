// What an empty exchange offers.

import { mayWrite, session } from './api.js';
import { copied, h, replace } from './dom.js';
import { t } from './words.js';

// empty says how an exchange without records gets some. again shows the screen anew.
export function empty(again) {
  const said = h('p', { 'aria-live': 'polite' });
  const button = h('button', { type: 'button', class: 'primary', 'data-seed': true, click: async () => {
    button.disabled = true;
    replace(said, t('seeding'));
    try {
      const response = await fetch('/console/seed',
        { method: 'POST', headers: { Authorization: `Bearer ${session.token}` } });
      if (!response.ok) throw new Error((await response.json()).detail);
      again();
    } catch (err) {
      replace(said, err instanceof TypeError ? t('noResponse') : err.message);
      button.disabled = false;
    }
  } }, t('seed'));
  return h('section', { class: 'notice', 'data-part': 'empty' }, h('h2', {}, t('emptyExchange')), h('p', {},
    t('seedHow')), copied('exchange seed'), mayWrite() && document.documentElement.dataset.seed && button, said);
}
