// Any other record: its members, the policies that it belongs to, and what happened to it.

import { get } from './api.js';
import { h, members, party } from './dom.js';
import { policies } from './find.js';
import { live, pages, part } from './show.js';
import { events, history, timeline } from './timeline.js';
import { t } from './words.js';

const PARTIES = ['personal', 'commercial', 'insuranceEntity', 'beneficiary'];
const INSURED = { vehicle: 'vehicleId', business: 'businessId', property: 'propertyId', debtor: 'debtorId',
  pet: 'petId' };

export default function record(root, { path: [resource, id] }, signal) {
  const whole = h('div', {});
  const title = h('h1', {}, t(`kind ${resource}`) || resource);
  root.append(title, whole);
  const by = PARTIES.includes(resource) ? 'policyholderId' : Object.hasOwn(INSURED, resource) && INSURED[resource];
  live(whole, signal, () => get(`/${encodeURIComponent(resource)}/${encodeURIComponent(id)}`, signal), ({ data }) => {
    title.append(` ${party(data)}`);
    return [h('section', { 'data-part': 'record' }, h('h2', {}, t('record')), members(data)),
      by && part(t('policies'), signal, () => pages(`/x/search/coverage?${by}=${encodeURIComponent(id)}&limit=50`,
        (path) => get(path, signal), policies), (shown) => shown, { 'data-part': 'policies' }),
      part(t('timeline'), signal, async () => events(await history(resource, id, signal)), timeline,
        { 'data-part': 'timeline' })];
  });
}
