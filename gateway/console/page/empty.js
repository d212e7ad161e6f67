// What an empty exchange offers.

import { Problem, mayWrite, session } from './api.js';
import { Button, Copied } from './dom.js';
import { html, useState } from './html.js';
import { words } from './show.js';
import { t } from './words.js';

// Empty says how an exchange without records gets some. again shows the screen anew.
export function Empty({ again }) {
  const [{ busy, said }, set] = useState({});
  const seed = async () => {
    set({ busy: true, said: t('seeding') });
    try {
      const response = await fetch('/console/seed',
        { method: 'POST', headers: { Authorization: `Bearer ${session.value.token}` } });
      if (!response.ok) throw new Problem(response.status, await response.json());
      again();
    } catch (err) {
      set({ said: err instanceof TypeError ? t('noResponse') : words(err).join(' ') });
    }
  };
  return html`<section class="notice" data-part="empty"><h2>${t('emptyExchange')}</h2><p>${t('seedHow')}</p>
    <${Copied} text="exchange seed" />${mayWrite() && document.documentElement.dataset.seed && html`<${Button}
      class="primary" data-seed disabled=${Boolean(busy)} onClick=${seed}>${t('seed')}<//>`}
    <p aria-live="polite">${said}</p><p class="quiet">${t('demoHow')}</p></section>`;
}
