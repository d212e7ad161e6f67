// Any other record: its members, the policies that it belongs to, and what happened to it. A receipt can be refunded.

import { get, mayWrite } from './api.js';
import { Button, Members, RecordLink, party } from './dom.js';
import { Policies } from './find.js';
import { Fields, Opened, bodySchema } from './form.js';
import { html } from './html.js';
import { accessTo, may } from './sharing.js';
import { Around, Part, PartPages, Section, useLoaded, usePlace } from './show.js';
import { Timeline, events, history } from './timeline.js';
import { t } from './words.js';

const PARTIES = ['personal', 'commercial', 'insuranceEntity', 'beneficiary'];
const INSURED = { vehicle: 'vehicleId', business: 'businessId', property: 'propertyId', debtor: 'debtorId',
  pet: 'petId' };

// refundOf returns the form of a refund.
async function refundOf({ record, etag }) {
  const path = `/receipt/${record.id}`;
  const fields = new Fields(await bodySchema('POST', '/receipt/{id}:refund'), { form: `refund ${record.id}`,
    first: ['paymentAmount', 'receiptType'] });
  return { id: 'refund', method: 'POST', path: `${path}:refund`, title: t('refund'), send: t('refund'), record, etag,
    groups: [{ fields }], reread: () => get(path) };
}

// Refund offers the refund of a receipt, which stays as it is: what comes of it is another one.
function Refund({ of }) {
  const [place, put] = usePlace('act');
  const done = ({ data }) => put(html`<p class="done" role="status">${t('refundedBy')} <${RecordLink} resource="receipt"
    id=${data.id}>${data.id}<//></p>`);
  const make = async () => ({ ...await refundOf(of), cancel: () => put(null), done });
  return html`<div class="buttons"><${Button} data-action="refund"
    onClick=${() => put(html`<${Opened} make=${make} />`)}>${t('refund')}<//></div>${place}`;
}

// read reads a record, and of a receipt the access list of its policy.
async function read(ask, resource, id) {
  const found = await ask(`/${encodeURIComponent(resource)}/${encodeURIComponent(id)}`);
  const refunds = resource === 'receipt' && !found.data.reverses && mayWrite();
  return { record: found.data, etag: found.etag,
    refunds: refunds && may(await accessTo(ask, found.data.policyNumber), 'premium') };
}

export default function Record({ path: [resource, id] }) {
  const loaded = useLoaded((ask) => read(ask, resource, id));
  const by = PARTIES.includes(resource) ? 'policyholderId' : Object.hasOwn(INSURED, resource) && INSURED[resource];
  return html`<h1>${t(`kind ${resource}`) || resource}${loaded.data && ` ${party(loaded.data.record)}`}</h1>
    <${Around} of=${loaded} show=${(of) => html`${of.refunds && html`<${Refund} of=${of} />`}
      <${Section} title=${t('record')} data-part="record"><${Members} of=${of.record} /><//>
      ${by && html`<${PartPages} title=${t('policies')} data-part="policies"
        path=${`/x/search/coverage?${by}=${encodeURIComponent(id)}&limit=50`}
        show=${(rows) => html`<${Policies} rows=${rows} />`} />`}
      <${Part} title=${t('timeline')} data-part="timeline"
        load=${async (ask) => events(await history(ask, resource, id))}
        show=${(all) => html`<${Timeline} of=${all} />`} />`} />`;
}
