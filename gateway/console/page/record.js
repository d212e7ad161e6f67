// Any other record: its members, the policies that it belongs to, and what happened to it.

import { Members, party } from './dom.js';
import { Policies } from './find.js';
import { html } from './html.js';
import { Around, Part, PartPages, Section, useLoaded } from './show.js';
import { Timeline, events, history } from './timeline.js';
import { t } from './words.js';

const PARTIES = ['personal', 'commercial', 'insuranceEntity', 'beneficiary'];
const INSURED = { vehicle: 'vehicleId', business: 'businessId', property: 'propertyId', debtor: 'debtorId',
  pet: 'petId' };

export default function Record({ path: [resource, id] }) {
  const loaded = useLoaded((get) => get(`/${encodeURIComponent(resource)}/${encodeURIComponent(id)}`));
  const by = PARTIES.includes(resource) ? 'policyholderId' : Object.hasOwn(INSURED, resource) && INSURED[resource];
  return html`<h1>${t(`kind ${resource}`) || resource}${loaded.data && ` ${party(loaded.data.data)}`}</h1>
    <${Around} of=${loaded} show=${({ data }) => html`
      <${Section} title=${t('record')} data-part="record"><${Members} of=${data} /><//>
      ${by && html`<${PartPages} title=${t('policies')} data-part="policies"
        path=${`/x/search/coverage?${by}=${encodeURIComponent(id)}&limit=50`}
        show=${(rows) => html`<${Policies} rows=${rows} />`} />`}
      <${Part} title=${t('timeline')} data-part="timeline"
        load=${async (get) => events(await history(get, resource, id))}
        show=${(all) => html`<${Timeline} of=${all} />`} />`} />`;
}
