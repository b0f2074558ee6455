/** The terms of a workspace, which are empty before each test. */
import { beforeEach, expect, test } from 'bun:test';
import { termsText } from '../../../web/texts/terms.ts';
import { all, has, one, openApp, until, visit, control, input, pageText } from './support/app.ts';
import { choose, click, giveFiles, submit, type } from './support/hands.ts';
import { saved } from './support/page.ts';

const ann = await openApp();

/** The terms on the service. */
const stored = async () => {
  const answer = await ann.service.ask('/terminology/terms', { key: ann.key });
  return (await answer.json()).terms as { canonical: string; mishears?: string[] }[];
};

const change = (patch: object) =>
  ann.service.ask('/terminology/terms', {
    method: 'PATCH',
    key: ann.key,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(patch),
  });

/** Begins each test at the page, without terms and with a service that answers. */
beforeEach(async () => {
  ann.interrupt(null);
  for (const { canonical } of await stored()) {
    await change({ remove: [canonical] });
  }
  await visit('#/', 'Caption a talk');
  await visit('#/terms', termsText.title);
  await until('the terms', () => has(termsText.add));
});

/** The field for files to import. */
const fileField = () => one('.rule-actions input[type=file]');

/** The terms in the page. */
const shown = () => all('.runs strong').map(({ textContent }) => textContent);

test('files are imported according to their type, and the page confirms it', async () => {
  const sent: [string | null, string][] = [];
  ann.interrupt((request) => {
    if (request.method !== 'PATCH') return null;
    return request
      .clone()
      .text()
      .then((words) => {
        sent.push([request.headers.get('content-type'), words]);
        return null;
      });
  });
  await giveFiles(fileField(), []);
  await giveFiles(fileField(), [new File(['Okta\n'], 'terms.txt')]);
  await until('the term', () => shown().includes('Okta'));
  expect(pageText()).toContain(termsText.imported(1));
  await click(termsText.exportYaml);
  await until('the file', () => saved.has('terms.yaml'));
  const yaml = await saved.get('terms.yaml')!.text();
  expect(yaml).toContain('Okta');
  await giveFiles(fileField(), [new File([yaml.replace('Okta', 'Vercel')], 'terms.YML')]);
  await until('the other', () => shown().length === 2);
  await giveFiles(fileField(), [new File(['Fly.io\n'], 'terms.yaml.txt')]);
  await until('the third', () => shown().length === 3);
  expect(sent.map(([kind]) => kind)).toEqual(['text/plain', 'application/yaml', 'text/plain']);
  expect(has(termsText.find)).toBe(false);
});

test('a term is edited with all its fields, unfolded if any of them is filled', async () => {
  await click(termsText.add);
  const details = () => one('.term-form details') as HTMLDetailsElement;
  expect(details().open).toBe(false);
  await type(input(termsText.canonical), ' SCIM ');
  await type(input(termsText.mishears), 'skim, skim , s c i m');
  await type(input(termsText.risky), 'skim');
  await type(input(termsText.nearWords), 'directory');
  await type(input(termsText.aliases), 'System for Cross-domain');
  await type(input(termsText.say), 'skim');
  await type(input(termsText.note), 'Not the milk.');
  await type(all('.field.number input[type=number]')[0] as HTMLInputElement, '99', { enter: true });
  await submit(one('.term-form'));
  await until('the term', () => shown().includes('SCIM'));
  const [term] = await stored();
  expect(term).toMatchObject({
    canonical: 'SCIM',
    mishears: ['skim', 's c i m'],
    risky: ['skim'],
    near: ['directory'],
    aliases: ['System for Cross-domain'],
    say: 'skim',
    note: 'Not the milk.',
  });
  // A weight is at most ten.
  expect(term).toHaveProperty('weight', 10);
  await click(termsText.edit('SCIM'));
  expect([
    details().open,
    input(termsText.risky).value,
    input(termsText.nearWords).value,
    input(termsText.aliases).value,
    input(termsText.say).value,
    input(termsText.note).value,
  ]).toEqual([true, 'skim', 'directory', 'System for Cross-domain', 'skim', 'Not the milk.']);
  await choose(control(termsText.kind) as HTMLSelectElement, 'acronym');
  await submit(one('.term-form'));
  await until('the form is gone', () => !document.querySelector('.term-form'));
  // It is changed, not renamed.
  expect((await stored()).map(({ canonical }) => canonical)).toEqual(['SCIM']);
});

test('learned rules are fetched again when the terms change, and the terms when a rule is decided', async () => {
  await until('the rules', () => pageText().includes(termsText.learnedTitle));
  const asked = (path: string) => ann.requests.filter((each) => each === `GET ${path}`).length;
  const [terms, rules] = [asked('/terminology/terms'), asked('/terminology/rules')];
  await giveFiles(fileField(), [new File(['Okta'], 'terms.txt')]);
  await until('the rules again', () => asked('/terminology/rules') === rules + 1);
  expect(asked('/terminology/terms')).toBe(terms);
  await click(termsText.remove('Okta'));
  await until('the rules again', () => asked('/terminology/rules') === rules + 2);
  expect(shown()).toEqual([]);
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
  await click(termsText.edit('Okta'));
  await type(input(termsText.canonical), 'Okta 2');
  await submit(one('.term-form'));
  await until('the new name', () => has(termsText.edit('Okta 2')));
  expect(bodies.at(-1)).toMatchObject({ remove: ['Okta'] });
  expect((await stored()).map(({ canonical }) => canonical)).toEqual(['Okta 2']);
});

test('learning is switched off', async () => {
  const box = () =>
    all('label.check input').find((each) =>
      each.parentElement?.textContent?.includes(termsText.switch),
    ) as HTMLInputElement;
  await until('the switch', box);
  await choose(box(), false);
  await until('the answer', () => ann.requests.some((each) => each.startsWith('PUT ')));
  await until('it is off', () => !box().checked);
});

test('an ordinary word is a mishear, and no longer a confirmed one if it was removed; the rest is kept', async () => {
  const scim = {
    canonical: 'SCIM',
    kind: 'acronym',
    mishears: ['skim', 's c i m'],
    risky: ['skim'],
  };
  const term = { ...scim, near: ['directory'], confirmed: ['skim'], keyterm: false };
  await change({ terms: [term] });
  await visit('#/', 'Caption a talk');
  await visit('#/terms', termsText.title);
  const save = async () => {
    await submit(one('.term-form'));
    await until('the end', () => has(termsText.edit('SCIM')) && has(termsText.add));
    return (await stored())[0];
  };
  await until('the term', () => has(termsText.edit('SCIM')));
  await click(termsText.edit('SCIM'));
  expect(await save()).toMatchObject(term);
  await click(termsText.edit('SCIM'));
  await type(input(termsText.mishears), 's c i m');
  await type(input(termsText.risky), 'scheme');
  const changed = await save();
  expect(changed).toMatchObject({ mishears: ['s c i m', 'scheme'], risky: ['scheme'] });
  expect(changed).not.toHaveProperty('confirmed');
});
