/** The terms of a workspace: what the service refuses, and what the user leaves out. */
import { expect, test } from 'bun:test';
import { termsText } from '../../../web/texts/terms.ts';
import { text } from '../../support/browser/words.ts';
import {
  all,
  control,
  drawn,
  has,
  input,
  one,
  pageText,
  refusal,
  until,
  visit,
} from './support/app.ts';
import { choose, click, giveFiles, submit, type } from './support/hands.ts';
import { saved } from './support/page.ts';
import { ann, fileField, shown, stored, useTerms } from './support/terms.ts';

useTerms();

test('a refused file is reported, and the terms stay', async () => {
  await giveFiles(fileField(), [new File(['terms: ['], 'broken.yaml')]);
  await until('the reason', () => document.querySelector('.notice.error'));
  expect(pageText()).toContain(termsText.none);
  expect(pageText()).not.toContain(termsText.noneFound);
  // The next request removes the message.
  await giveFiles(fileField(), [new File(['Okta'], 'terms.csv')]);
  await until('the term', () => shown().includes('Okta'));
  expect(document.querySelector('.notice.error')).toBeNull();
});

test('the form stays open for a refused term', async () => {
  ann.interrupt((request) =>
    request.method === 'PATCH' ? refusal(422, 'invalid_terms', 'Too long.') : null,
  );
  await click(termsText.add);
  await type(input(termsText.canonical), 'Okta');
  await submit(one('.term-form'));
  await until('the reason', () => pageText().includes(termsText.refused('Too long.')));
  expect(input(termsText.canonical).value).toBe('Okta');
  await click(termsText.cancel);
  expect(document.querySelector('.term-form')).toBeNull();
  ann.interrupt(null);
  expect(await stored()).toEqual([]);
});

test('the rules stay if they cannot be read again', async () => {
  await until('the rules', () => pageText().includes(termsText.learnedTitle));
  ann.interrupt((request) =>
    request.url.endsWith('/terminology/rules') ? refusal(403, 'forbidden', 'Not these.') : null,
  );
  await giveFiles(fileField(), [new File(['Okta'], 'terms.txt')]);
  await until('the reason', () => pageText().includes('Not these.'));
  expect([shown(), pageText().includes(termsText.learnedTitle)]).toEqual([['Okta'], true]);
});

test('a failure to load terms or rules is reported', async () => {
  await visit('#/', 'Caption a talk');
  ann.interrupt((request) =>
    request.url.includes('/terminology/') ? refusal(403, 'forbidden', 'Not for you.') : null,
  );
  location.hash = '#/terms';
  await until('the reason', () => pageText().includes(termsText.refused('Not for you.')));
  expect([has(termsText.add), pageText().includes(termsText.learnedTitle)]).toEqual([false, false]);
});

test('a refused import or export says nothing else, and saves no file', async () => {
  await giveFiles(fileField(), [new File(['Okta'], 'terms.txt')]);
  await until('the term', () => has(termsText.exportYaml));
  ann.interrupt((request) =>
    request.url.includes('/terminology/') ? refusal(422, 'invalid', 'Not this.') : null,
  );
  const said = () => one('p[role=status]').textContent;
  expect(said()).toBe(termsText.imported(1));
  saved.clear();
  await click(termsText.exportYaml);
  await until('the refusal', () => pageText().includes('Not this.'));
  expect(saved.size).toBe(0);
  ann.interrupt(null);
  await visit('#/', 'Caption a talk');
  await visit('#/terms', termsText.title);
  await until('the terms', () => has(termsText.add));
  ann.interrupt((request) =>
    request.url.includes('/terminology/') ? refusal(422, 'invalid', 'Not this.') : null,
  );
  await giveFiles(fileField(), [new File(['Zod'], 'terms.txt')]);
  await until('the refusal', () => pageText().includes('Not this.'));
  expect(said()).toBe('');
});

test('a term needs a name, and is only removed under another one if it was renamed', async () => {
  await click(termsText.add);
  await type(input(termsText.canonical), '  ');
  await submit(one('.term-form'));
  expect(one('.term-form [role=alert]').textContent).toBe(termsText.needsTerm);
  await type(input(termsText.canonical), 'Okta');
  await type(input(termsText.aliases), 'Okta Inc');
  const bodies: object[] = [];
  ann.interrupt((request) => {
    if (request.method !== 'PATCH') return null;
    return request
      .clone()
      .json()
      .then((body: object) => (bodies.push(body), null));
  });
  await submit(one('.term-form'));
  await until('the term', () => has(termsText.edit('Okta')));
  await click(termsText.edit('Okta'));
  // Its other names are unfolded.
  expect((one('.term-form details') as HTMLDetailsElement).open).toBe(true);
  await type(input(termsText.note), 'A company.');
  await submit(one('.term-form'));
  await until('the end', () => has(termsText.add));
  expect(bodies.map((body) => Object.keys(body))).toEqual([['terms'], ['terms']]);
});

test('the switch for learning keeps its new place once the service has it', async () => {
  await until('the rules', () => pageText().includes(termsText.learnedTitle));
  const box = () => control(`${termsText.switch}${termsText.switchHint}`) as HTMLInputElement;
  const reads = () => ann.requests.filter((each) => each === 'GET /terminology/rules').length;
  const [isOn, before] = [box().checked, reads()];
  await choose(box(), !isOn);
  await until('the rules again', () => reads() === before + 1);
  await drawn();
  expect(box().checked).toBe(!isOn);
  await choose(box(), isOn);
  await until('the rules again', () => reads() === before + 2);
});

test('declining to sign in again is no error', async () => {
  ann.interrupt((request) =>
    request.url.includes('/terminology/') ? refusal(401, 'invalid_api_key', 'No.') : null,
  );
  await click(termsText.add);
  await type(input(termsText.canonical), 'Okta');
  await submit(one('.term-form'));
  await until('the card', () => has(text.signIn.email));
  await click(control(text.cancel, one('.sign-in')));
  await until('no card', () => !has(text.signIn.email));
  await drawn();
  expect(pageText()).toContain(termsText.signIn);
  expect(all('.notice.error')).toEqual([]);
});
