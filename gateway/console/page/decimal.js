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

// moved moves the point of a decimal by some digits: to the right, or to the left where they are below 0.
export function moved(of, digits) {
  const [, sign, whole, part = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(String(of)) || [];
  if (whole === undefined || digits === 0) return String(of);
  const all = whole.padStart(Math.max(0, -digits) + 1, '0') + part.padEnd(Math.max(0, digits), '0');
  const at = Math.max(whole.length, Math.max(0, -digits) + 1) + digits;
  return `${sign}${all.slice(0, at).replace(/^0+(?=\d)/, '')}${at < all.length ? `.${all.slice(at)}` : ''}`;
}

// MARKS are the mark of thousands and that of decimals, by language.
const MARKS = { en: [',', '.'], de: ['.', ','] };

// typed returns the decimal that a text means in a language, such as 1.000,50 in German. The point of a decimal is
// taken in each, where it cannot be a mark of thousands. A text that is no decimal stays as it is.
export function typed(text, language) {
  const [thousands, point] = MARKS[language];
  const is = text.trim();
  const grouped = new RegExp(`^-?[1-9]\\d{0,2}(\\${thousands}\\d{3})+(\\${point}\\d+)?$`);
  if (grouped.test(is)) return is.replaceAll(thousands, '').replace(point, '.');
  return new RegExp(`^-?\\d+\\${point}\\d+$`).test(is) ? is.replace(point, '.') : is;
}

// written returns a decimal as typed takes it.
export const written = (of, language) => (isDecimal(of) ? String(of).replace('.', MARKS[language][1]) : String(of));
