/** The page of the terms of a workspace, which are empty before each test. */
import { beforeEach } from 'bun:test';
import { termsText } from '../../../../web/texts/terms.ts';
import { all, has, one, openApp, until, visit } from './app.ts';

export const ann = await openApp();

/** The terms on the service. */
export const stored = async () => {
  const answer = await ann.service.ask('/terminology/terms', { key: ann.key });
  return (await answer.json()).terms as { canonical: string; mishears?: string[] }[];
};

/** Begins each test at the page, without terms and with a service that answers. */
export function useTerms(): void {
  beforeEach(async () => {
    ann.interrupt(null);
    for (const { canonical } of await stored()) {
      await ann.service.ask('/terminology/terms', {
        method: 'PATCH',
        key: ann.key,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ remove: [canonical] }),
      });
    }
    await visit('#/', 'Caption a talk');
    await visit('#/terms', termsText.title);
    await until('the terms', () => has(termsText.add));
  });
}

/** The field for files to import. */
export const fileField = () => one('.rule-actions input[type=file]');

/** The terms in the page. */
export const shown = () => all('.runs strong').map(({ textContent }) => textContent);
