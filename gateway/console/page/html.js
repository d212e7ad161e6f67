// Elements and components: Preact with its hooks and htm. Texts become text nodes, so that nothing stored can become
// markup.

import { html, render, useErrorBoundary, useLayoutEffect, useRef, useState } from './lib/htm.js';

export { html, render, useErrorBoundary, useLayoutEffect, useRef, useState };

// useSignal returns what a signal has, and shows the component anew when that changes.
export function useSignal(signal) {
  const [, set] = useState(signal.value);
  useLayoutEffect(() => signal.subscribe((now) => set(() => now)), [signal]);
  return signal.value;
}
