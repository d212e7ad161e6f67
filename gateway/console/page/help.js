// Help: what the exchange is, the keys, and each request of the console as curl.

import { interfaceDocument } from './api.js';
import { copied, curl, h } from './dom.js';
import { part } from './show.js';
import { t } from './words.js';

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
  ['POST', '/x/claim/admissibility'], ['GET', '/x/bordereau'],
  ['GET', '/x/bordereau/unassigned'], ['GET', PERIOD], ['GET', `${PERIOD}/lines`], ['POST', `${PERIOD}:prepare`],
  ['GET', `${VERSION}/lines`], ['POST', `${VERSION}/findings/{finding}:waive`], ['POST', `${VERSION}:approve`],
  ['POST', `${VERSION}:reject`], ['POST', `${VERSION}:acknowledge`], ['GET', '/x/reconciliation/statement'],
  ['GET', '/x/reconciliation/run'], ['POST', '/x/reconciliation/run'],
  ['POST', '/x/reconciliation/run/{runId}/items/{item}:accept'], ['GET', '/x/events'], ['PUT', '/x/webhook/{name}'],
  ['GET', '/x/webhook/{name}/deliveries']];

function operation(document, [method, path]) {
  const { summary, description, requestBody, parameters } = document.paths[path][method.toLowerCase()];
  const example = requestBody?.content['application/json'].example;
  const creates = parameters?.some((one) => one.$ref?.endsWith('/IdempotencyKey'));
  return h('details', { 'data-operation': `${method} ${path}` },
    h('summary', {}, h('code', {}, `${method} ${path}`), ' ', summary),
    h('p', {}, (description || '').split('\n')[0]), copied(curl(method, path,
      requestBody && JSON.stringify(example ?? {}), creates ? { 'Idempotency-Key': 'a-key-of-yours' } : {})));
}

export default function help(root, _, signal) {
  root.append(h('h1', {}, t('help')), h('p', { class: 'lead' }, t('whatIsThis')), h('p', {}, t('helpForms')),
    h('section', { 'data-part': 'keys' }, h('h2', {}, t('keys')), h('dl', {}, KEYS.map(([key, does]) => h('div', {},
      h('dt', {}, h('kbd', {}, key)), h('dd', {}, t(does)))))),
    part(t('operations'), signal, interfaceDocument, (document) => OPERATIONS.map((one) => operation(document, one)),
      { 'data-part': 'operations' }),
    h('section', {}, h('h2', {}, t('further')), h('ul', {}, FURTHER.map(([path, name]) => h('li', {},
      h('a', { href: path }, t(name)))))));
}
