// Today: what waits for a person. It opens with five figures, each of which is a filter of what is below, or opens the
// list of the book that it is the sum of.

import { Problem, clock, mayWrite, now } from './api.js';
import { sum } from './decimal.js';
import { AmountOf, ClaimLink, Instant, Money, None, Numeral, PolicyLink, Status, Table } from './dom.js';
import { insuredOf, objectOf } from './find.js';
import { html } from './html.js';
import { Periods, last } from './periods.js';
import { booked, covered, holding, lineOf } from './seek.js';
import { Around, Head, Loaded, Notice, Pages, PartPages, Section, listed, useAgain, useLoaded } from './show.js';
import { label, t } from './words.js';
import { Empty } from './empty.js';

const DAYS = 30;
const LATER = 30000; // milliseconds until the health is read again, while all services respond
const MOST = 200; // of a page: what is more than that is not counted
const SOME = 10; // rows of a list that is one of several
const PAGE = 50; // rows of a list by itself
const DAY = 86400000; // milliseconds
const IN_FORCE = 'status=in%20force&status=extended';
const inDays = (days) => new Date(now().getTime() + days * DAY).toISOString().replace(/\.\d+Z$/, 'Z');
const dayIn = (days) => inDays(days).slice(0, 10);
const first = (get) => get('/x/search/coverage?limit=1');
const byKey = (rows, key) => new Map(rows.map((row) => [row[key], row]));

// SHOWN are the parts of the screen that each figure is a filter for.
const SHOWN = { overdue: ['overdue'], prepared: ['prepared'], findings: ['findings'], outstanding: ['reopened', 'open'],
  ending: ['ending'] };

// Health says which services do not respond, and looks again by itself. While all do, it says nothing.
function Health() {
  const loaded = useLoaded((get) => get('/x/events?after=now&limit=1'));
  const { data, err, again } = loaded;
  const behind = data?.data.behind ?? [];
  useAgain(loaded, data, behind.length > 0 ? undefined : LATER);
  if (err) {
    return html`<div data-part="health"><${Notice} err=${err}><button type="button" onClick=${again}>
      ${t('again')}</button><//></div>`;
  }
  return behind.length > 0 && html`<p class="banner bad" data-part="health">${t('behind', behind.join(', '))}</p>`;
}

const found = (row) => (last(row) ? last(row).unwaived + last(row).warnings : 0);
const counted = (n, more) => (more ? `${n}+` : String(n));

// Figure is one of the figures: how many there are of what it is a filter for.
function Figure({ name, of, tone, only, children }) {
  const is = only === name;
  return html`<a class="figure" data-figure=${name} data-count=${of} data-tone=${of && of !== '0' ? tone : undefined}
    href=${is ? '#/today' : `#/today?only=${name}`} aria-current=${is ? 'true' : undefined}>
    <span>${t(`figure ${name}`)}</span> <strong>${of ?? '–'}</strong> <small>${children}</small></a>`;
}

// countOf returns how many rows are loaded, as a text, or nothing while it is not known.
const countOf = ({ data }, of = (rows) => rows.length) => data && counted(of(data.data), data.next);

// Outstanding is what claims still come to, by currency, as the book adds it up.
function Outstanding({ only }) {
  const loaded = useLoaded(async (get) => {
    const { data: { ages } } = await get('/x/book/aging?of=claims');
    const sums = new Map();
    for (const { currency, open } of ages) sums.set(currency, [...sums.get(currency) ?? [], open]);
    return [...sums].map(([currency, all]) => ({ currency, open: sum(...all) }));
  });
  const { data, err } = loaded;
  const missing = err instanceof Problem && (err.status === 404 ? 'noBook' : 'bookAway');
  const to = (currency) => `#/claims?${currency ? `currency=${currency}&` : ''}outstandingFrom=0.01&sort=-outstanding`;
  return html`<div class="figure" data-figure="outstanding"><a href=${only === 'outstanding' ? '#/today'
    : '#/today?only=outstanding'} aria-current=${only === 'outstanding' ? 'true' : undefined}>
    ${t('figure outstanding')}</a>
    ${data?.length > 0 ? data.map(({ currency, open }) => html` <strong><a href=${to(currency)}>${currency
    ? html`<${AmountOf} amount=${open} currency=${currency} />` : html`<${Numeral} of=${open} />`}</a></strong>`)
    : html` <strong>${data ? '0' : '–'}</strong>`}
    <small>${missing ? t(missing) : t('outstandingIs')}</small></div>`;
}

// Late or near says how far away the end of a term is.
function Away({ at }) {
  const days = Math.floor((new Date(at) - now()) / DAY);
  const past = Math.ceil((now() - new Date(at)) / DAY);
  return days < 0 ? html`<span class="bad late">${t(past === 1 ? 'dayAgo' : 'daysAgo', past)}</span>`
    : html`<span class="late">${days === 0 ? t('withinDay') : t(days === 1 ? 'inDay' : 'inDays', days)}</span>`;
}

// Day is the day of an instant, where its time of day says nothing.
const Day = ({ at }) => (at ? html`<span title=${at}><${Instant} at=${at.slice(0, 10)} /></span>` : html`<${None} />`);

const text = (name, of) => ({ label: label(name), cell: (row) => of(row) || html`<${None} />` });
const columns = {
  contract: () => text('contract', (row) => row.contract && html`<a
    href=${`#/desk/${encodeURIComponent(row.contract)}`}>${row.contract}</a>`),
  line: () => text('line', (row) => lineOf(row) && t(`line ${lineOf(row)}`)),
  insured: () => text('insured', insuredOf),
  policy: () => text('policyNumber', (row) => html`<${PolicyLink} number=${row.policyNumber} />`),
};
const of = (...names) => names.map((name) => columns[name]());

// claims returns a page of claims in a state. Who is insured, the contract and what is outstanding is what the book
// says; of claims that it does not have, who is insured is what their policies say.
async function claims(get, path, status) {
  const [page, { rows }] = await Promise.all([get(path),
    booked(get, `/x/book/claims?status=${status}&sort=-fnol&limit=${MOST}`)]);
  const known = byKey(rows, 'claimNumber');
  const lacks = page.data.filter(({ claimNumber }) => !known.has(claimNumber)).map(({ policyNumber }) => policyNumber);
  const policies = byKey(await holding(get, 'policyNumber', lacks, '&expand=policyholder,vehicle'), 'policyNumber');
  return { ...page, data: page.data.map((row) => {
    const policy = policies.get(row.policyNumber);
    return { ...row, ...(policy ? { insured: insuredOf(policy), line: lineOf(policy) } : {}),
      ...known.get(row.claimNumber) };
  }) };
}

const claimColumns = (rows) => [
  text('claimNumber', (row) => html`<${ClaimLink} number=${row.claimNumber} />`),
  ...of('insured', 'line', 'contract', 'policy'), text('lossDate', (row) => html`<${Day} at=${row.lossDate} />`),
  { ...text('reserve', (row) => (row.currency ? html`<${AmountOf} amount=${row.reserve} currency=${row.currency} />`
    : html`<${Money} of=${row.reserve} />`)), amount: true },
  // Only the book says the last one.
  { ...text('outstanding', (row) => row.currency && html`<${AmountOf} amount=${row.outstanding}
    currency=${row.currency} />`), amount: true }].slice(0, rows.some((row) => row.currency) ? undefined : -1);

const Claims = ({ status, limit }) => html`<${PartPages} title=${t(`claims ${status}`)} data-part=${status}
  path=${`/x/search/claim?claimStatus=${status}&fnolFrom=0001-01-01T00:00:00Z&order=newest&limit=${limit}`}
  list=${(get, path) => claims(get, path, status)} show=${(rows) => html`<${Table} caption=${t(`claims ${status}`)}
    columns=${claimColumns(rows)} rows=${rows} empty=${t('noClaims')} />`} />`;

// Reports are the periods in a state (of, which is loaded), the latest first. They are shown only where there are any;
// where they are not all, the figure of them leads to all.
const Reports = ({ name, of, all }) => html`<${Around} of=${of} data-part=${name} show=${({ data, next }) => {
  const rows = data.toSorted((a, b) => b.daysLate - a.daysLate);
  const some = all ? rows : rows.slice(0, SOME);
  return (rows.length > 0 || all) && html`<${Section} title=${t(`periods ${name}`)}>
    <${Periods} caption=${t(`periods ${name}`)} rows=${some} />
    ${!all && some.length < rows.length && html`<p><a href=${`#/today?only=${name}`}>${t('showAll',
    counted(rows.length, next))}</a></p>`}${all && next && html`<p class="quiet">${t('moreAtDesk', MOST)} <a
    href="#/desk">${t('desk')}</a></p>`}<//>`;
}} />`;

// Due are the periods that are due and not late.
const Due = () => html`<${Pages} data-part="due" path=${`/x/bordereau?state=due&limit=${SOME}`}
  list=${listed('periods', 'after')} show=${(rows) => rows.length > 0 && html`
    <${Section} title=${t('periods due')}><${Periods} caption=${t('periods due')} rows=${rows} /><//>`} />`;

// between is the list of the policies in force whose terms end between two days, which are counted from today.
const between = (from, to, more) => `/x/search/coverage?expiryDateFrom=${inDays(from)}&expiryDateTo=${inDays(to)
}&${IN_FORCE}${more}`;

// ending returns a page of that list, with what the book says of each.
async function ending(get, path, from, to, limit = SOME) {
  if (!clock.value) await first(get); // the clock of the exchange is known with any response
  const [page, { rows }] = await Promise.all([
    get(path || between(from, to, `&limit=${limit}&expand=policyholder,vehicle`)),
    booked(get, `/x/book/policies?expiryDateFrom=${dayIn(from - 1)}&expiryDateTo=${dayIn(to + 1)}&${IN_FORCE
    }&sort=expiryDate&limit=${MOST}`)]);
  const known = byKey(rows, 'policyNumber');
  return { ...page, data: page.data.map((row) => ({ ...known.get(row.policyNumber), ...row })) };
}

// ended returns the list of the policies that have ended, but for those whose cover goes on: another policy of the
// holder covers the same and has not ended, as a renewal does. Travel policies cover one travel, and are not renewed.
async function ended(get, path) {
  const page = await ending(get, path, -DAYS, 0);
  const over = page.data.filter((one) => lineOf(one) !== 'travelCoverage');
  const later = await holding(get, 'policyholderId', over.map((one) => one.policyholderId),
    `&expiryDateFrom=${inDays(0)}&${IN_FORCE}&limit=${MOST}`);
  const goesOn = (one) => later.some((other) => other.id !== one.id && other.policyholderId === one.policyholderId
    && lineOf(other) === lineOf(one) && covered(other).some((id) => covered(one).includes(id)));
  return { ...page, data: over.filter((one) => !goesOn(one)) };
}

const termColumns = () => [...of('policy', 'insured'), text('object', objectOf), ...of('line', 'contract'),
  text('status', (row) => html`<${Status} of=${row} />`),
  text('expiryDate', (row) => html`<${Instant} at=${row.expiryDate} /> <${Away} at=${row.expiryDate} />`)];

// Terms are policies whose terms end or have ended. Where a page has none and there are more, nothing is said of none.
const Terms = ({ part, list, none }) => html`<${PartPages} title=${t(part, DAYS)} data-part=${part} list=${list}
  show=${(rows, next) => (rows.length > 0 || !next) && html`<${Table} caption=${t(part, DAYS)}
    columns=${termColumns()} rows=${rows} empty=${t(none, DAYS)} />`} />`;

const periods = (state) => async (get) => listed('periods', 'after')(get, `/x/bordereau?state=${state}&limit=${MOST}`);

export default function Today({ query, again }) {
  const only = Object.hasOwn(SHOWN, query.get('only') || '') ? query.get('only') : '';
  const [overdue, prepared] = [useLoaded(periods('overdue')), useLoaded(periods('prepared'))];
  const soon = useLoaded(async (get) => {
    if (!clock.value) await first(get);
    return get(between(0, DAYS, `&limit=${MOST}&fields=policyNumber`));
  });
  const withFindings = { ...prepared, data: prepared.data
    && { ...prepared.data, data: prepared.data.data.filter((row) => found(row) > 0) } };
  const open = (rows) => rows.reduce((sum, row) => sum + (last(row)?.unwaived ?? 0), 0);
  const shows = (part) => (only ? SHOWN[only].includes(part) : part !== 'findings');
  return html`<${Head} title=${t('today')}>${mayWrite() && html`<a class="button primary" data-create
    href="#/create">${t('createPolicy')}</a>`}<//>
    <${Loaded} load=${first} show=${({ data }) => data.length === 0 && html`<p class="lead">${t('whatIsThis')}</p>
      <${Empty} again=${again} />`} />
    <${Health} />
    <div class="figures" role="group" aria-label=${t('figures')}>
      <${Figure} name="overdue" only=${only} tone="bad" of=${countOf(overdue)}>${t('overdueIs')}<//>
      <${Figure} name="prepared" only=${only} tone="warm" of=${countOf(prepared)}>${t('preparedIs')}<//>
      <${Figure} name="findings" only=${only} of=${countOf(prepared, (rows) => rows.reduce((sum, row) => sum
    + found(row), 0))}>${prepared.data && t('errorsOpen', open(prepared.data.data))}<//>
      <${Outstanding} only=${only} />
      <${Figure} name="ending" only=${only} of=${countOf(soon)}>${t('endingIs', DAYS)}<//></div>
    ${only && html`<p><a class="button" href="#/today" data-filter=${only} title=${t('filterAway')}>
      ${t(`figure ${only}`)} ×</a></p>`}
    ${shows('overdue') && html`<${Reports} name="overdue" of=${overdue} all=${only} />`}
    ${shows('due') && html`<${Due} />`}
    ${shows('prepared') && html`<${Reports} name="prepared" of=${prepared} all=${only} />`}
    ${shows('findings') && html`<${Reports} name="findings" of=${withFindings} all=${only} />`}
    ${['reopened', 'open'].map((status) => shows(status) && html`<${Claims} key=${status} status=${status}
      limit=${only ? PAGE : SOME} />`)}
    ${shows('ended') && html`<${Terms} key="ended" part="ended" list=${ended} none="noneEnded" />`}
    ${shows('ending') && html`<${Terms} key="ending" part="ending" none="noneEnds"
      list=${(get, path) => ending(get, path, 0, DAYS, only ? PAGE : SOME)} />`}`;
}
