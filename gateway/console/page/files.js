// Files: what comes as a file. Its rows become records, or are compared with the records.

import { mayWrite } from './api.js';
import { Button } from './dom.js';
import { hold } from './file.js';
import { html, useRef, useState } from './html.js';
import { ImportList, useDropped } from './imports.js';
import { ComparedFiles } from './reconciliation.js';
import { Head } from './show.js';
import { t } from './words.js';

// WAYS are what can be done with a file, with the screens that do it.
const WAYS = [['import', 'toImport'], ['reconciliation', 'toCompare']];

// Drop takes a file, and asks what is to become of it.
function Drop() {
  const input = useRef();
  const [name, set] = useState('');
  const chosen = () => set(input.current.files[0]?.name ?? '');
  const above = useDropped(input, chosen);
  const lead = (screen) => {
    hold(input.current.files[0]);
    location.hash = `#/${screen}`;
  };
  return html`<div class="drop" data-part="drop" data-above=${above || undefined}>
    <label for="dropped" class="unseen">${t('chooseAFile')}</label>
    <input type="file" id="dropped" accept=".csv,.xlsx,.txt" tabindex="-1" class="unseen" ref=${input}
      onInput=${chosen} />
    <p>${name ? html`<strong>${name}</strong>` : t('dropHere')}</p>
    <div class="buttons">${name ? WAYS.map(([screen, what], i) => html`<${Button} class=${i === 0 && 'primary'}
      data-to=${screen} onClick=${() => lead(screen)}>${t(what)}<//>`) : html`<${Button} class="primary"
      data-choose onClick=${() => input.current.click()}>${t('chooseAFile')}<//>`}
      ${name && html`<${Button} onClick=${() => input.current.click()}>${t('anotherFile')}<//>`}</div></div>`;
}

export default function Files() {
  return html`<${Head} title=${t('files')} lead=${t('filesAre')}>${WAYS.map(([screen]) => html`<a class="button"
    href=${`#/${screen}`} data-lead=${screen}>${t(screen)}</a>`)}
    <a class="button" href="#/disputed">${t('disputedItems')}</a><//>
    ${mayWrite() && html`<${Drop} />`}
    <${ImportList} /><${ComparedFiles} />`;
}
