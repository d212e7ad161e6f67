// A period of a contract: what it has now, its versions, and why it is not as the one before.

import { mayWrite } from './api.js';
import { Badge, Button, Instant, Table } from './dom.js';
import { Fields, Opened, bodySchema } from './form.js';
import { html, useLayoutEffect, useRef, useState } from './html.js';
import { Lines } from './lines.js';
import { ContractLink, Late, address, asked, link } from './periods.js';
import { Around, Head, Section, useAgain, useLoaded, usePlace } from './show.js';
import { Totals, moved } from './totals.js';
import { Bars, MOST_BARS, Why, standing } from './why.js';
import { label, t } from './words.js';

// preparable returns which types of a version can be prepared of a period, and else why none can. all are the periods
// of the contract and kind, the earliest first.
function preparable(one, all) {
  const isApproved = ({ versions }) => versions.some((of) => of.state === 'approved');
  const later = all.find((other) => other.period > one.period && isApproved(other));
  const before = all.find((other) => other.period < one.period && !isApproved(other));
  const waits = [one, ...all].find(({ versions }) => versions.some((of) => of.state === 'pending'));
  if (one.state === 'scheduled' || one.state === 'open') return { types: [], why: t('notOver', one.period) };
  if (waits) return { types: [], why: t('waitsFirst', waits.period, waits.versions.at(-1).number) };
  if (before) return { types: [], why: t('approveFirst', before.period) };
  if (!isApproved(one)) return { types: [one.liveLines > 0 ? 'original' : 'nil'] };
  return later ? { types: [], why: t('goesOnFrom', later.period) } : { types: ['additional', 'correction'] };
}

// preparation returns the form that makes a version, of one of some types.
async function preparation(one, types) {
  const body = await bodySchema('POST', '/x/bordereau/{contract}/{kind}/{period}:prepare', ['type']);
  const { properties } = body.schema;
  const type = { ...properties.type, type: 'string', enum: types };
  const fields = new Fields({ ...body, schema: { ...body.schema, properties: { ...properties, type } } },
    { form: `prepare ${address(one)}`, all: true, given: { type: types[0] } });
  return { id: 'prepare', method: 'POST', path: address(one, ':prepare'), title: t('prepare'), send: t('prepare'),
    groups: [{ fields }] };
}

const ToVersion = ({ of, row, children }) => html`<a href=${link(of, row.number)}>${children}</a>`;

// By is a person and an instant.
const By = ({ who, at }) => (who ? html`${who} <${Instant} at=${at} />` : '–');

const Versions = ({ of: one }) => html`<${Table} caption=${t('versions')} rows=${one.versions} empty=${t('noVersions')}
  columns=${[
    { label: label('version'), cell: (row) => html`<${ToVersion} of=${one} row=${row}>${row.number}<//>` },
    { label: label('type'), cell: (row) => t(`type ${row.type}`) || row.type },
    { label: t('stateOf'), cell: (row) => html`<${Badge} of=${row.state} />` },
    { label: label('lines'), amount: true, cell: (row) => html`<${ToVersion} of=${one} row=${row}>${row.lines}<//>` },
    { label: label('preparedBy'), cell: (row) => html`<${By} who=${row.preparedBy} at=${row.preparedAt} />` },
    { label: label('decidedBy'), cell: (row) => html`<${By} who=${row.decidedBy} at=${row.decidedAt} />` },
    { label: label('reason'), cell: (row) => row.reason || '–' },
    { label: t('findings'), cell: (row) => html`<${ToVersion} of=${one} row=${row}>
      ${t('findingsAre', row.errors, row.warnings)}<//>` }]} />`;

// Live is what the period has now. The lines of a figure are shown below it.
function Live({ of: one }) {
  const [opened, set] = useState(0);
  const lines = useRef();
  useLayoutEffect(() => lines.current?.focus(), [opened]);
  const open = (event) => {
    event.preventDefault();
    set(opened + 1);
  };
  return html`<${Section} title=${t('asItIsNow')} data-part="live"><${Totals} caption=${t('asItIsNow')}
    premiums=${one.live} claims=${one.liveClaims}
    opens=${(shown) => html`<a href=${link(one)} onClick=${open}>${shown}</a>`} />
    ${opened > 0 && html`<${Lines} of=${one} at=${lines} />`}<//>`;
}

function Whole({ of: { one, until }, place }) {
  const before = until.at(-2);
  const { drift = [], driftClaims = [], preparing } = one;
  // What differs from a version is shown there.
  const toDrift = (shown) => html`<${ToVersion} of=${one} row=${standing(one).at(-1)}>${shown}<//>`;
  return html`<p class="lead"><${ContractLink} of=${one} /> <${Badge} of=${one.state} /><${Late} of=${one} />
      ${` ${label('due')} `}<${Instant} at=${one.due} /></p>
    <div role="status">${preparing && html`<p class="quiet" data-part="preparing">
      ${t('preparing', preparing.askedBy, preparing.read)}</p>`}</div>${place}
    <${Live} of=${one} />
    ${[...drift, ...driftClaims].some(moved) && html`<${Section} title=${t('drift')} data-part="drift"><${Totals}
      caption=${t('drift')} premiums=${drift} claims=${driftClaims} opens=${toDrift} /><//>`}
    ${before && html`<${Why} of=${one} before=${before} />`}
    ${until.length > 0 && html`<${Section} title=${t('lastPeriods')} data-part="bars"><${Bars} of=${until} /><//>`}
    <${Section} title=${t('versions')} data-part="versions"><${Versions} of=${one} /><//>`;
}

// Prepare is the button that begins a version, or says why none can be. What is approved stays so, so that it is no
// longer what the screen is for.
function Prepare({ of: { one, all }, put, again }) {
  const { types, why } = preparable(one, all);
  const done = ({ data }) => { location.hash = link(one, data.number); again(); };
  const begin = () => put(html`<${Opened} make=${async () => ({ ...await preparation(one, types), done,
    cancel: () => put(null) })} />`);
  return html`${why && html`<span class="quiet" id="why-not" data-part="why-not">${why}</span>`}<${Button}
    data-action="prepare" disabled=${types.length === 0} aria-describedby=${why ? 'why-not' : undefined}
    class=${standing(one).length === 0 && 'primary'} onClick=${begin}>${t('prepare')}<//>`;
}

export default function Period({ at, again }) {
  const [place, put] = usePlace('act');
  const { contract, kind, period: of } = at;
  const loaded = useLoaded(async (read) => {
    const { data: one } = await read(address(at));
    const { data: { periods: all } } = await read(`/x/bordereau${asked(at, { contract, kind, limit: 200 })}`);
    return { one, all, until: all.filter((other) => other.period <= of).slice(-MOST_BARS)
      .map((other) => (other.period === of ? one : other)) };
  });
  useAgain(loaded, loaded.data?.one.preparing);
  return html`<${Head} title=${`${t(`bordereau ${kind}`) || kind} ${of}`}>${mayWrite() && loaded.data
    && html`<${Prepare} of=${loaded.data} put=${put} again=${again} />`}<//>
    <${Around} of=${loaded} show=${(shown) => html`<${Whole} of=${shown} place=${place} />`} />`;
}
