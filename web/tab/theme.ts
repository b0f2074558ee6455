/** The light or dark theme: the system's, unless the user has chosen one. */
import { computed, effect, signal } from '@preact/signals';
import { storeText, storedText } from '../storage/web-storage.ts';

type Theme = 'light' | 'dark';
/** What the user has chosen. */
type ThemeChoice = Theme | 'system';

const KEPT = 'captioner.theme';
const system = matchMedia('(prefers-color-scheme: dark)');
const systemTheme = signal<Theme>(themeOf(system));
const kept = storedText('localStorage', KEPT);

/** The choice; the system's theme if there is none. */
export const themeChoice = signal<ThemeChoice>(
  kept === 'light' || kept === 'dark' ? kept : 'system',
);

/** The current theme. */
export const theme = computed<Theme>(() =>
  themeChoice.value === 'system' ? systemTheme.value : themeChoice.value,
);

system.addEventListener('change', () => (systemTheme.value = themeOf(system)));
effect(() => {
  const { dataset } = document.documentElement;
  if (themeChoice.value === 'system') delete dataset['theme'];
  else dataset['theme'] = themeChoice.value;
});

/** Chooses a theme, in this browser. */
export function chooseTheme(choice: ThemeChoice): void {
  themeChoice.value = choice;
  storeText('localStorage', KEPT, choice === 'system' ? null : choice);
}

/** Switches the theme; a switch to the system's own follows the system again. */
export function toggleTheme(): void {
  const other = theme.value === 'dark' ? 'light' : 'dark';
  chooseTheme(other === systemTheme.value ? 'system' : other);
}

function themeOf({ matches }: MediaQueryList): Theme {
  return matches ? 'dark' : 'light';
}
