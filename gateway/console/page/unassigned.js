// Unassigned: the policies that no contract reports, which are given to one, several at a time.

import { Problem, call, mayWrite, passing } from './api.js';
import { Button, PolicyLink, Table, Technical, column } from './dom.js';
import { html, useLayoutEffect, useRef, useState } from './html.js';
import { address, foreign } from './periods.js';
import { Head, Loaded, Pages, listed, words } from './show.js';
import { isForeign, label, t } from './words.js';

const MOST_PAGES = 10; // of contracts to choose from; with more, the reference is typed
const PAGE = 50;
const contracts = listed('contracts', 'after');

// references returns the references of the contracts to which the person assigns policies, which are those of the own
// organisation; null where there are too many to choose from.
async function references(read) {
  const all = [];
  let next = '/x/contract?limit=200';
  for (let pages = 0; next; pages += 1) {
    if (pages === MOST_PAGES) return null;
    const page = await contracts(read, next);
    all.push(...page.data.filter((one) => !foreign(one)).map(({ reference }) => reference));
    next = page.next;
  }
  return all;
}

// Chosen is the control in which a contract is chosen, or its reference typed where there are too many.
const Chosen = ({ known, value, put, off }) => html`<label for="to-contract">${label('contract')}</label> ${known
  ? html`<select id="to-contract" value=${value} disabled=${off} onChange=${({ target }) => put(target.value)}>
    <option value="">${t('choose')}</option>${known.map((one) => html`<option value=${one}>${one}</option>`)}</select>`
  : html`<input id="to-contract" value=${value} disabled=${off} autocomplete="off"
    onInput=${({ target }) => put(target.value.trim())} />`}`;

// Outcome is what became of the policies that were to be assigned: {contract, done, refused: [{number, err}], left}.
const Outcome = ({ of: { contract, done, refused, left } }) => html`<div data-part="assigned" role="status">
  <p class=${done > 0 && 'done'}>${t(done === 1 ? 'assignedOne' : 'assignedMany', done, contract)}${
  left > 0 && ` ${t(left === 1 ? 'leftOne' : 'leftMany', left)}`}</p>
  ${refused.length > 0 && html`<div class="notice" role="alert"><p class="first">${t('refusedOf', refused.length)}</p>
    <ul>${refused.map(({ number, err }) => html`<li data-refused=${number}><${PolicyLink} number=${number} />:
      ${` ${words(err).join(' ')}`}${isForeign() && html` <${Technical} of=${err.detail} />`}</li>`)}</ul>
  </div>`}</div>`;

// useAssignment returns what assigns policies to a contract, one after the other: {run, to(numbers, contract), stop()}.
// run has how far that has come, and ends with the outcome. It stops where the exchange does not respond.
function useAssignment(ended) {
  const [run, set] = useState(null);
  const is = useRef({ stops: false });
  const stop = () => { is.current.stops = true; };
  useLayoutEffect(() => stop, []);
  const to = async (numbers, contract) => {
    is.current.stops = false;
    const refused = [];
    let n = 0;
    for (; n < numbers.length && !is.current.stops; n += 1) {
      set({ at: n, of: numbers.length });
      try {
        await call('PUT', address({ contract }, `/policy/${encodeURIComponent(numbers[n])}`));
      } catch (err) {
        if (err.name === 'AbortError') return; // somebody else has signed in
        refused.push({ number: numbers[n], err });
        if (passing(err) || !(err instanceof Problem)) stop();
      }
    }
    set({ contract, refused, done: n - refused.length, left: numbers.length - n });
    ended();
  };
  return { run, to, stop };
}

// Rows are the policies that are shown, with a box for each and one for all.
function Rows({ rows, ticked, tick, off }) {
  const numbers = rows.map(({ policyNumber }) => policyNumber);
  const box = (of, says) => html`<input type="checkbox" aria-label=${says} disabled=${off}
    checked=${of.every((number) => ticked.has(number))} onChange=${({ target }) => tick(of, target.checked)} />`;
  const columns = [column('policyNumber'), { label: t('line'), cell: (row) => t(`line ${row.line}`) || row.line },
    ...['inceptionDate', 'firstReceiptAt', 'firstClaimAt'].map(column)];
  if (mayWrite()) {
    columns.unshift({ label: t('chooseRow'), cell: ({ policyNumber: of }) => box([of], t('choosePolicy', of)) });
  }
  return html`${mayWrite() && rows.length > 0 && html`<label class="check" data-all>${box(numbers)}
      ${t('allShown')}</label>`}
    <${Table} caption=${t('unassigned')} rows=${rows} columns=${columns} empty=${t('noUnassigned')} />`;
}

// Assigning is the table with what is done with the rows that are ticked.
function Assigning({ known }) {
  const [ticked, set] = useState(new Set());
  const [contract, put] = useState('');
  const [n, again] = useState(0);
  const { run, to, stop } = useAssignment(() => { set(new Set()); again((was) => was + 1); });
  const busy = run?.of !== undefined;
  const tick = (numbers, on) => set((was) => (on ? was.union(new Set(numbers)) : was.difference(new Set(numbers))));
  const none = known?.length === 0;
  const count = ticked.size;
  return html`${mayWrite() && html`<div class="filter bulk">
      ${none ? html`<p class="empty">${t('noPeriods')}</p>` : html`<${Chosen} known=${known} value=${contract}
        put=${put} off=${busy} />
      <${Button} class="primary" data-action="assign" disabled=${busy || count === 0 || !contract}
        onClick=${() => to([...ticked], contract)}>${t(count === 1 ? 'assignOne' : 'assignMany', count)}<//>`}
      ${busy && html`<progress max=${run.of} value=${run.at} aria-label=${t('assigning', run.at, run.of)} />
        <span>${t('assigning', run.at, run.of)}</span><${Button} data-action="stop" onClick=${stop}>${t('stop')}<//>`}
    </div>`}
    ${run && !busy && html`<${Outcome} of=${run} />`}
    <${Pages} key=${n} path=${`/x/bordereau/unassigned?limit=${PAGE}`} list=${listed('policies', 'after')}
      show=${(rows) => html`<${Rows} rows=${rows} ticked=${ticked} tick=${tick} off=${busy} />`} />`;
}

export default function Unassigned() {
  return html`<${Head} title=${t('unassigned')} lead=${t(mayWrite() ? 'unassignedAre' : 'unassignedRead')} />
    <div data-part="unassigned">${mayWrite()
      ? html`<${Loaded} load=${references} show=${(known) => html`<${Assigning} known=${known} />`} />`
      : html`<${Assigning} />`}</div>`;
}
