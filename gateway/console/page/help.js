// Help: what the exchange is, the keys, and each request of the console as curl.

import { interfaceDocument } from './api.js';
import { Copied, curl } from './dom.js';
import { html } from './html.js';
import { Part, Section } from './show.js';
import { hint, isForeign, t } from './words.js';

const KEYS = [['/', 'keyFind'], ['j', 'keyDown'], ['k', 'keyUp'], ['Enter', 'keyOpen'], ['?', 'keyHelp']];

const FURTHER = [['/docs', 'docs'], ['/docs/start', 'gettingStarted'], ['/problems', 'problems'],
  ['/docs/register', 'register']];

const PERIOD = '/x/bordereau/{contract}/{kind}/{period}';
const VERSION = `${PERIOD}/versions/{number}`;
// The operations that the console sends, in the order of its screens.
const OPERATIONS = [['GET', '/x/search/coverage'], ['GET', '/x/search/claim'], ['GET', '/x/search/personal'],
  ['GET', '/x/policy/{policyNumber}'], ['GET', '/x/history/motorCoverage/{id}'],
  ['POST', '/motorCoverage/{id}:endorse'], ['POST', '/motorCoverage/{id}:cancel'],
  ['POST', '/motorCoverage/{id}:renew'], ['PUT', '/x/access/{policyNumber}'], ['POST', '/x/batch'],
  ['GET', '/claim/{id}'], ['POST', '/claim'], ['POST', '/receipt'], ['POST', '/claim/{id}/documents'],
  ['POST', '/claim/{id}:settle'], ['POST', '/claim/{id}:reopen'], ['PUT', '/claim/{id}'],
  ['POST', '/x/claim/admissibility'], ['GET', '/x/bordereau'], ['GET', '/x/bordereau/unassigned'],
  ['PUT', '/x/contract/{contract}'], ['PUT', '/x/contract/{contract}/policy/{policyNumber}'],
  ['GET', PERIOD], ['GET', `${PERIOD}/lines`], ['POST', `${PERIOD}:prepare`], ['GET', `${VERSION}/lines`],
  ['POST', `${VERSION}/findings/{finding}:waive`], ['POST', `${VERSION}:approve`],
  ['POST', `${VERSION}:reject`], ['POST', `${VERSION}:acknowledge`], ['GET', '/x/reconciliation/statement'],
  ['GET', '/x/reconciliation/run'], ['POST', '/x/reconciliation/run'],
  ['POST', '/x/reconciliation/run/{runId}/items/{item}:accept'], ['GET', '/x/import'],
  ['POST', '/x/import/{importId}:check'], ['POST', '/x/import/{importId}:apply'], ['GET', '/x/import/{importId}/rows'],
  ['GET', '/x/events'], ['PUT', '/x/webhook/{name}'],
  ['GET', '/x/webhook/{name}/deliveries']];

function Operation({ document, of: [method, path] }) {
  const { summary, description, requestBody, parameters } = document.paths[path][method.toLowerCase()];
  const example = requestBody?.content['application/json'].example;
  const creates = parameters?.some((one) => one.$ref?.endsWith('/IdempotencyKey'));
  const request = curl(method, path, requestBody && JSON.stringify(example ?? {}),
    creates ? { 'Idempotency-Key': 'a-key-of-yours' } : {});
  return html`<details data-operation=${`${method} ${path}`}>
    <summary><code>${`${method} ${path}`}</code> ${hint(summary)}</summary>
    ${!isForeign() && html`<p>${(description || '').split('\n')[0]}</p>`}<${Copied} text=${request} /></details>`;
}

export default function Help() {
  return html`<h1>${t('help')}</h1><p class="lead">${t('whatIsThis')}</p><p>${t('helpForms')}</p>
    <${Section} title=${t('keys')} data-part="keys"><dl>${KEYS.map(([key, does]) => html`<div><dt><kbd>${key}</kbd></dt>
      <dd>${t(does)}</dd></div>`)}</dl><//>
    <${Part} title=${t('operations')} data-part="operations" load=${interfaceDocument} show=${(document) => OPERATIONS
      .map((one) => html`<${Operation} document=${document} of=${one} />`)} />
    <${Section} title=${t('further')}><ul>${FURTHER.map(([path, name]) => html`
      <li><a href=${path}>${t(name)}</a></li>`)}</ul><//>`;
}
