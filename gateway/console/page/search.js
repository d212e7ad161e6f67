// The box of the header: what a text finds, below it, as one types. Enter opens what the text in the box finds.

import { Badge, party } from './dom.js';
import { html, useLayoutEffect, useRef, useState } from './html.js';
import { insuredOf, objectOf } from './find.js';
import { lineOf, seek } from './seek.js';
import { useLoaded, words } from './show.js';
import { t } from './words.js';

const PAUSE = 150; // milliseconds without a key before the exchange is asked
const EACH = 6; // of a kind, below the box

const one = (name, of) => (of ? `#/${name}/${encodeURIComponent(of)}` : '');
const record = (row) => `#/record/${row.resource}/${encodeURIComponent(row.id)}`;
const joined = (...parts) => parts.filter(Boolean).join(' · ');
const policy = (row) => ({ to: one('policy', row.policyNumber), is: row.policyNumber, state: row.status,
  more: joined(insuredOf(row), objectOf(row), t(`line ${lineOf(row)}`)) });

// OPTIONS make of a row what is shown of it: {to, is, more, state}.
const OPTIONS = {
  policies: policy,
  claims: (row) => ({ to: one('claim', row.claimNumber), is: row.claimNumber, state: row.claimStatus ?? row.status,
    more: joined(row.insured, row.policyNumber) }),
  parties: (row) => ({ to: record(row), is: party(row), more: joined(t(`kind ${row.resource}`),
    row.address?.city ?? row.registeredAddress?.city) }),
  vehicles: (row) => ({ to: record(row), is: party(row), more: joined(t('kind vehicle'), row.vin) }),
  belonging: policy,
};

// shownOf returns the groups of options below the box: [{name, options}]. Each option has its place among all.
function shownOf(all) {
  let at = 0;
  return Object.keys(OPTIONS).map((name) => ({ name, options: all[name].slice(0, EACH)
    .map((row) => ({ ...OPTIONS[name](row), at: at++ })) })).filter(({ options }) => options.length > 0);
}

const Option = ({ of: { to, is, more, state, at }, chosen }) => html`<a role="option" tabindex="-1" id=${`option-${at}`}
  href=${to} aria-selected=${chosen === at ? 'true' : 'false'}><b>${is}</b> <span class="quiet">${more}</span>
  ${state && html` <${Badge} of=${state} />`}</a>`;

// Below is what stands below the box.
function Below({ groups, chosen, said, all, count }) {
  return html`<div class="below"><div role="listbox" id="found" aria-label=${t('foundHere')}>
    ${groups.map(({ name, options }) => html`<div role="group" aria-labelledby=${`found-${name}`} data-group=${name}
      key=${name}><p id=${`found-${name}`} class="quiet">${t(name)}</p>${options.map((of) => html`<${Option} of=${of}
      chosen=${chosen} />`)}</div>`)}
    ${count > 0 && html`<${Option} of=${{ to: all, is: t('allFound'), at: count }} chosen=${chosen} />`}</div>
    <p role="status" class=${said ? 'empty' : 'unseen'}>${said}</p></div>`;
}

// Search is the box. given is its text where the screen is that of all results; n is another one with each screen.
export function Search({ given, n }) {
  const [box, around, timer, entered] = [useRef(), useRef(), useRef(0), useRef(null)];
  const [text, ask] = useState('');
  const [open, show] = useState(false);
  const [chosen, choose] = useState(-1);
  const loaded = useLoaded(async (get) => (text ? seek(text, get) : null), [text]);
  const current = loaded.data?.of === text && text ? loaded.data : null;
  const groups = current ? shownOf(current) : [];
  const options = groups.flatMap((group) => group.options);
  const all = `#/find?q=${encodeURIComponent(text)}`;
  const typed = () => box.current.value.trim();
  const leave = () => {
    clearTimeout(timer.current);
    entered.current = null;
    choose(-1);
    show(false);
  };
  const go = (to) => {
    leave();
    if (location.hash === to) document.getElementById('content').focus();
    else location.hash = to;
  };
  // What was opened leaves the box empty, but for the screen that shows what its text finds.
  useLayoutEffect(() => {
    box.current.value = given;
    ask('');
    leave();
  }, [n]);
  useLayoutEffect(() => choose(-1), [current]);
  // Who has pressed Enter goes to the first of what that text finds, once this is there.
  useLayoutEffect(() => {
    if (!current || entered.current !== current.of) return;
    entered.current = null;
    if (options.length > 0) go(options[0].to);
  }, [current]);
  const input = () => {
    clearTimeout(timer.current);
    entered.current = null;
    show(true);
    timer.current = setTimeout(() => ask(typed()), PAUSE);
  };
  const enter = () => {
    const sought = typed();
    if (!sought) return;
    if (chosen >= 0 && sought === text) {
      go(chosen < options.length ? options[chosen].to : all);
    } else if (sought === current?.of) {
      if (options.length > 0) go(options[0].to);
    } else {
      clearTimeout(timer.current);
      entered.current = sought;
      show(true);
      ask(sought);
    }
  };
  const move = (by) => {
    show(true);
    const places = options.length > 0 ? options.length + 1 : 0;
    if (places > 0) choose((chosen + by + places + (chosen < 0 && by < 0 ? 1 : 0)) % places);
  };
  const keys = (event) => {
    const does = { Enter: enter, ArrowDown: () => move(1), ArrowUp: () => move(-1),
      Escape: open ? leave : undefined }[event.key];
    if (!does) return;
    event.preventDefault();
    does();
  };
  const blurred = ({ relatedTarget: to }) => { if (!around.current.contains(to)) leave(); };
  const pressed = ({ target }) => { if (target.closest('a')) leave(); };
  const said = loaded.err ? words(loaded.err).join(' ') : !current ? t('seeking')
    : options.length === 0 ? `${t('notFound', current.of)} ${t('whatIsFound')}` : '';
  const below = open && Boolean(text || entered.current);
  useLayoutEffect(() => {
    document.getElementById(`option-${chosen}`)?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);
  return html`<search ref=${around} onfocusout=${blurred} onClick=${pressed}>
    <label for="q" class="unseen">${t('findWhat')}</label>
    <input type="search" id="q" role="combobox" aria-expanded=${below ? 'true' : 'false'} aria-controls="found"
      aria-autocomplete="list" aria-activedescendant=${below && chosen >= 0 ? `option-${chosen}` : undefined}
      autocomplete="off" spellcheck=${false} placeholder=${t('findShort')} title=${t('findWhat')} ref=${box}
      onInput=${input} onKeyDown=${keys} onFocus=${() => show(Boolean(typed()) && !given)} />
    <kbd aria-hidden="true">/</kbd>
    ${below ? html`<${Below} groups=${groups} chosen=${chosen} said=${said} all=${all} count=${options.length} />`
    : html`<div role="listbox" id="found" aria-label=${t('foundHere')} hidden></div>`}</search>`;
}
