// Decimals: texts, or numbers that keep their digits (see parse in api.js). A float would change them.

const digitsOf = (of) => (String(of).split('.')[1] || '').length;

// scaled returns a decimal as an integer, in units of its last digit.
function scaled(of, digits) {
  const [whole, part = ''] = String(of).split('.');
  return BigInt(whole + part.padEnd(digits, '0'));
}

const most = (all) => Math.max(0, ...all.map(digitsOf));

// sum adds decimals.
export function sum(...all) {
  const digits = most(all);
  const total = all.reduce((so, one) => so + scaled(one, digits), 0n);
  const shown = String(total < 0n ? -total : total).padStart(digits + 1, '0');
  return `${total < 0n ? '-' : ''}${digits ? `${shown.slice(0, -digits)}.${shown.slice(-digits)}` : shown}`;
}

// difference returns what a decimal exceeds another one by.
export const difference = (from, to) => sum(to, String(from).startsWith('-') ? String(from).slice(1) : `-${from}`);

const size = (one, digits) => { const of = scaled(one, digits); return of < 0n ? -of : of; };

// larger orders decimals by size, whatever their sign: the largest first.
export function larger(a, b) {
  const digits = most([a, b]);
  const [of, than] = [size(a, digits), size(b, digits)];
  return of > than ? -1 : of < than ? 1 : 0;
}

export const isDecimal = (of) => /^-?\d+(\.\d+)?$/.test(String(of));
