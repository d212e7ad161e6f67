// The icons of the menu: lines on a square of 16.

import { html } from './html.js';

const PATHS = {
  today: 'M2.5 4.5h11v9h-11zM2.5 7.5h11M5.5 2.5v3M10.5 2.5v3',
  policies: 'M4 2.5h6l2.5 2.5v8.5H4zM6.5 7.5h4M6.5 10h4',
  claims: 'M8 2.5l6 11H2zM8 7v3M8 11.5v.5',
  desk: 'M2.5 2.5h4v4h-4zM9.5 2.5h4v4h-4zM2.5 9.5h4v4h-4zM9.5 9.5h4v4h-4z',
  files: 'M2.5 12.5v-9h4l1.5 2h5.5v7z',
  book: 'M3 13.5v-5M8 13.5v-11M13 13.5v-7',
  feed: 'M2 8h3l2-4.5 2.5 9L11.5 8H14',
  help: 'M6 6a2 2 0 1 1 2.6 1.9c-.5.2-.6.6-.6 1.6M8 11.6v.6M8 1.8a6.2 6.2 0 1 1 0 12.4A6.2 6.2 0 0 1 8 1.8z',
};

export const Icon = ({ of }) => html`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
  <path d=${PATHS[of]} /></svg>`;
