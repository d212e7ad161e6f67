// Pictures of figures: bars by month, and a strip in a cell. The figures themselves stand in the table beside.

import { AmountOf, Numeral, amountText } from './dom.js';
import { html } from './html.js';
import { label } from './words.js';

// listAt is the screen of a list of the book.
export const listAt = (path) => path?.replace('/x/', '#/');

// Figure is an amount of a currency, if that is known, which opens a list of the book.
export function Figure({ amount, currency, to }) {
  const shown = currency ? html`<${AmountOf} amount=${amount} currency=${currency} />`
    : html`<${Numeral} of=${amount} />`;
  return to ? html`<a href=${listAt(to)}>${shown}</a>` : shown;
}

// Strip is a bar in a cell, as long as its share of the most, which leads to where its figure does.
export function Strip({ of, most, to, bad }) {
  const width = most > 0 ? Math.max(0, Math.min(100, (Number(of) / most) * 100)) : 0;
  const bar = html`<svg class="strip" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
    <rect class=${bad ? 'strip bad' : 'strip'} x="0" y="0" width=${width} height="6" /></svg>`;
  return to ? html`<a class="strip" href=${to} tabindex="-1" aria-hidden="true">${bar}</a>` : bar;
}

// Months draws members of rows, one group of bars a month: {month, figures, policies, claims}. lists says for each
// member in which list its bar opens.
export function Months({ rows, lists, currency, caption }) {
  const names = Object.keys(lists);
  const [width, height, left, edge] = [Math.max(640, rows.length * 64 + 160), 220, 130, 26];
  const values = rows.flatMap(({ figures }) => names.map((name) => Number(figures[name])));
  const most = Math.max(1, ...values);
  const least = Math.min(0, ...values);
  const y = (of) => edge + ((most - of) / (most - least)) * (height - 2 * edge);
  const group = (width - left - edge) / rows.length;
  const bar = Math.min(24, (group - 10) / names.length);
  return html`<figure><svg viewBox=${`0 0 ${width} ${height}`} role="group" aria-label=${caption}>
    <path d=${`M${left},${y(0)} H${width - edge}`} class="axis" /><path d=${`M${left},${edge} V${height - edge}`}
      class="axis" />
    <text x=${left - 8} y=${edge + 4} text-anchor="end">${amountText(Math.round(most), currency)}</text>
    <text x=${left - 8} y=${y(0) + 4} text-anchor="end">0</text>
    ${rows.map((row, i) => html`<text x=${left + group * (i + 0.5)} y=${height - 6} text-anchor="middle">
      ${row.month}</text>${names.map((name, n) => {
      const of = Number(row.figures[name]);
      const shown = html`<rect class=${`bar of-${n}`} x=${left + group * i + (group - bar * names.length) / 2 + bar * n}
        y=${Math.min(y(of), y(0))} width=${bar - 2} height=${Math.max(1, Math.abs(y(0) - y(of)))} />`;
      const says = `${label(name)} ${row.month}: ${amountText(row.figures[name], currency)}`;
      const to = row[lists[name]];
      return to ? html`<a href=${to.replace('/x/', '#/')} aria-label=${says} data-bar=${name}><title>${says}</title>
        ${shown}</a>` : shown;
    })}`)}</svg>
    <figcaption>${names.map((name, n) => html`<span class=${`key of-${n}`}>${label(name)}</span> `)}</figcaption>
  </figure>`;
}

const HEATS = 6;

// heat returns how much of the most an amount is, from 0 to HEATS, for the colour of its cell.
export const heat = (of, most) => (most > 0 && Number(of) > 0 ? Math.ceil((Number(of) / most) * HEATS) : 0);
