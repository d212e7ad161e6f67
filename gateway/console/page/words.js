// Words in the language of the person: English, or German. Each is one file of words.

import en from './en.js';

const KEPT = 'exchange-language';
let words = en;
let code = 'en';

export const language = () => code;

// speak loads a language; without one, that which was chosen last, or that of the browser.
export async function speak(wanted) {
  const chosen = wanted || localStorage.getItem(KEPT) || navigator.language;
  code = chosen.startsWith('de') ? 'de' : 'en';
  words = code === 'de' ? (await import('./de.js')).default : en;
  if (wanted) localStorage.setItem(KEPT, code);
  document.documentElement.lang = code;
}

// t returns a text; {0}, {1} stand for what it is about. It is undefined where the languages have none.
export function t(name, ...about) {
  const text = words[name] ?? en[name];
  return text?.replace(/\{(\d)\}/g, (_, i) => about[i]);
}

// label returns the name of a member of a record: in words, or taken apart.
export function label(name) {
  if (Object.hasOwn(words.members, name)) return words.members[name];
  const apart = name.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2');
  return apart.charAt(0).toUpperCase() + apart.slice(1).toLowerCase().replace(/\bid\b/, 'id');
}
