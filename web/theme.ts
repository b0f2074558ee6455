/** The light or dark theme: the system's, unless the user has chosen one. */
import { signal } from '@preact/signals';
import { keepText, keptText } from './storage/kept-text.ts';

type Theme = 'light' | 'dark';

const KEPT = 'captioner.theme';
const system = matchMedia('(prefers-color-scheme: dark)');
const chosen = keptText('localStorage', KEPT);

/** The current theme. */
export const theme = signal<Theme>(
  chosen === 'light' || chosen === 'dark' ? chosen : systemTheme(),
);

if (chosen !== null) document.documentElement.dataset['theme'] = theme.value;
system.addEventListener('change', () => {
  if (keptText('localStorage', KEPT) === null) theme.value = systemTheme();
});

/** Switches the theme; a switch to the system's own follows the system again. */
export function toggleTheme(): void {
  theme.value = theme.value === 'dark' ? 'light' : 'dark';
  if (theme.value === systemTheme()) {
    keepText('localStorage', KEPT, null);
    delete document.documentElement.dataset['theme'];
  } else {
    keepText('localStorage', KEPT, theme.value);
    document.documentElement.dataset['theme'] = theme.value;
  }
}

function systemTheme(): Theme {
  return system.matches ? 'dark' : 'light';
}
