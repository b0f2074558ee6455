/** The light or dark theme: the system's, unless the user has chosen one. */
import { signal } from '@preact/signals';
import { storeText, storedText } from './storage/web-storage.ts';

type Theme = 'light' | 'dark';

const KEPT = 'captioner.theme';
const system = matchMedia('(prefers-color-scheme: dark)');
const chosen = storedText('localStorage', KEPT);

/** The current theme. */
export const theme = signal<Theme>(
  chosen === 'light' || chosen === 'dark' ? chosen : systemTheme(),
);

if (chosen !== null) document.documentElement.dataset['theme'] = theme.value;
system.addEventListener('change', () => {
  if (storedText('localStorage', KEPT) === null) theme.value = systemTheme();
});

/** Switches the theme; a switch to the system's own follows the system again. */
export function toggleTheme(): void {
  theme.value = theme.value === 'dark' ? 'light' : 'dark';
  if (theme.value === systemTheme()) {
    storeText('localStorage', KEPT, null);
    delete document.documentElement.dataset['theme'];
  } else {
    storeText('localStorage', KEPT, theme.value);
    document.documentElement.dataset['theme'] = theme.value;
  }
}

function systemTheme(): Theme {
  return system.matches ? 'dark' : 'light';
}
