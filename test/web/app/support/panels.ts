/** The panels next to the captions. */
import { profiles } from '../../../../web/texts/profiles-and-rebuilding.ts';
import { all, one, until } from './app.ts';
import { choose, click } from './hands.ts';

/** The tab of a panel. */
export const tab = (name: string) => one(`[data-tab=${name}]`);

/** The text of the open panel. */
export const panel = () => one('[role=tabpanel]').textContent ?? '';

/** Opens a panel. */
export async function open(name: string): Promise<void> {
  await click(tab(name));
  await until(
    `the panel ${name}`,
    () => tab(name).getAttribute('aria-selected') === 'true' && panel() !== '',
  );
}

/** Checks the captions by a profile. */
export async function checkBy(profile: string): Promise<void> {
  await open('warnings');
  await until('the choice', () => document.querySelector('.profile-choice select'));
  await choose(all('.profile-choice select')[0] as HTMLSelectElement, profile);
  await until('the check', () => all('section.rule').length > 0 || panel().includes(profiles.none));
}
