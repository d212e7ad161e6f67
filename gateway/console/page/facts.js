// What the book says of one policy or claim, for the top of its screen.

import { Problem } from './api.js';
import { html, useRef } from './html.js';
import { useAgain, useLoaded } from './show.js';
import { label } from './words.js';
import { Cell, isAmount } from './bookrow.js';

// MOST_LOOKS is how often the book is asked for a record that it does not have yet.
const MOST_LOOKS = 5;

// useBookRow returns the row of a list of the book whose column has a value; undefined where there is none. The book
// follows what was written just now within a second or two, so that it is asked again once.
export function useBookRow(list, column, is) {
  const looks = useRef(0);
  const loaded = useLoaded(async (get) => {
    looks.current += 1;
    try {
      const { data } = await get(`/x/book/${list}?${column}=${encodeURIComponent(is)}&limit=1`);
      return { row: data.rows[0] };
    } catch (err) {
      if (err instanceof Problem) return {}; // an exchange without a book has its records all the same
      throw err;
    }
  });
  const { row } = loaded.data || {};
  useAgain(loaded, looks.current < (row ? 2 : MOST_LOOKS));
  return row;
}

// Facts are members of a row of the book, each with its name, the amounts before the others.
export const Facts = ({ row, names }) => row && html`<dl class="facts" data-part="facts">
  ${names.filter((name) => row[name] !== undefined).map((name) => html`<div data-fact=${name}
    class=${isAmount(name) && 'amounts'}><dt>${label(name)}</dt><dd><${Cell} name=${name} row=${row} /></dd></div>`)}
</dl>`;
