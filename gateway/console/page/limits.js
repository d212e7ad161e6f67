// Limits of contracts: how much of each is written.

import { Problem } from './api.js';
import { Figure, Strip, listAt } from './charts.js';
import { AmountOf, Percent } from './dom.js';
import { html } from './html.js';
import { label, t } from './words.js';

const NEARLY = 90; // per cent of a limit, from which on it is nearly used up

// writtenBy reads what is written under each contract; nothing where the exchange has no book.
export const writtenBy = (get) => get('/x/book/summary?by=contract').then(({ data: { cells } }) => cells, (err) => {
  if (err instanceof Problem) return undefined;
  throw err;
});

// limitsOf returns the limits of contracts with what is written of each (cells), that which is used most first.
export const limitsOf = (contracts, cells) => contracts.flatMap(({ reference, contract }) => (contract.limits || [])
  .map((limit) => {
    const cell = cells?.find((one) => one.contract === reference && one.currency === limit.currency);
    const written = cell?.figures.written ?? 0;
    return { reference, limit, written, to: cell?.policies,
      used: Number(limit.amount) > 0 ? Math.round((Number(written) / Number(limit.amount)) * 1000) / 10 : 0 };
  })).sort((a, b) => b.used - a.used);

// columnsOf returns the columns of limits, of which the book has the last two.
export const columnsOf = (hasBook) => [
  { label: t('limit'), cell: ({ limit }) => limit.name },
  { label: t('limitIs'), amount: true, cell: ({ limit: { amount, currency } }) => html`<${AmountOf} amount=${amount}
    currency=${currency} />` },
  { label: label('written'), amount: true, cell: ({ written, limit, to }) => html`<${Figure} amount=${written}
    currency=${limit.currency} to=${to} />` },
  { label: t('used'), amount: true, cell: ({ used, to }) => html`<${Percent} of=${used} /> <${Strip} of=${used}
    most=${100} to=${listAt(to)} bad=${used >= NEARLY} />` }].slice(0, hasBook ? undefined : 2);
