// Files that people send: what kind of file each is, and what is said of one that was read or refused.

import { html } from './html.js';
import { Notice, violation } from './show.js';
import { t } from './words.js';

export const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

// mediaOf returns the media type of a file by its name.
export const mediaOf = (name) => (/\.xlsx$/i.test(name) ? XLSX : 'text/csv');

// tables are the files as which the exchange returns a table, for Downloads.
export const tables = (of) => [['csv', 'text/csv'], ['xlsx', XLSX]]
  .map(([suffix, media]) => ({ suffix, media, ...of }));

// remarks says what was read of a file in a way of its own, or left out.
export const remarks = ({ formulas, notes = [] }) => [formulas > 0 && t('formulasTaken', formulas),
  ...notes.map(({ kind, count, places = [] }) => t(kind, count,
    places.join(', ') + (count > places.length ? ' …' : '')))].filter(Boolean).join(' ');

// Refused says why a file is not taken, with each part that is wrong.
export function Refused({ err }) {
  const parts = (err.errors || []).filter((one) => !one.parameter); // Notice says what is wrong with a parameter
  return html`<${Notice} err=${err}>${parts.length > 0 && html`<ul>${parts.map((one) => html`
    <li>${violation(one)}</li>`)}</ul>`}<//>`;
}

let held = null; // a file that somebody has chosen before the screen that takes it

// hold keeps a file for the next screen with an input for one, and takeHeld puts it in there.
export function hold(file) {
  held = file;
}

export function takeHeld(input) {
  if (!held) return;
  const one = new DataTransfer();
  one.items.add(held);
  input.files = one.files;
  held = null;
}
