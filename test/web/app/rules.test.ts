/** The rules that a workspace has learned: their texts, and the decisions on them. */
import { expect, test } from 'bun:test';
import type { RulePatch } from '../../../server/contract/workspace-terms.ts';
import { termsText } from '../../../web/texts/terms.ts';
import { text } from '../../support/browser/words.ts';
import { all, has, input, one, openApp, pageText, refusal, until, visit } from './support/app.ts';
import { choose, click, submit, type } from './support/hands.ts';
import { ruleOf } from './support/talks.ts';

const place = { runId: 'run_1', start: 61.5, before: 'skim', after: 'SCIM', correctionId: 'c1' };
const RULES = [
  ruleOf('risky', { kind: 'risky_word', near: ['directory', 'sync'] }),
  ruleOf('new', { kind: 'new_term', surface: null, canonical: 'Elysia' }),
  ruleOf('never', {
    kind: 'never',
    surface: 'bun',
    canonical: 'Bun',
    state: 'applied',
    automatic: true,
  }),
  ruleOf('used', { state: 'applied', surface: 'off kit', canonical: 'AuthKit', changed: [place] }),
  ruleOf('undone', { state: 'undone', surface: 'okta', canonical: 'Okta' }),
];

const sent: { id: string; patch: RulePatch }[] = [];
const ann = await openApp();
ann.interrupt((request) => {
  const { pathname } = new URL(request.url);
  if (!pathname.startsWith('/terminology/rules')) return null;
  if (request.method === 'GET') return Response.json({ automatic: true, rules: RULES });
  const id = pathname.split('/').at(-1) ?? '';
  return request.json().then((patch: RulePatch) => {
    sent.push({ id, patch });
    const state = patch.state ?? 'proposed';
    return Response.json({ ...RULES.find((each) => each.id === id)!, ...patch, state });
  });
});
await visit('#/terms', termsText.learnedTitle);
await until('the rules', () => all('.rule').length === RULES.length);

const item = (at: number) => all('.rule')[at]!;
/** The button of a rule with this text. */
const button = (at: number, label: string) =>
  [...item(at).querySelectorAll('button')].find((one) => one.textContent === label)!;
const buttons = (at: number) =>
  [...item(at).querySelectorAll('button')].map((one) => one.textContent);

test('each rule shows its effect, its state and its evidence', () => {
  const says = all('.rule strong').map(({ textContent }) => textContent);
  expect(says).toEqual([
    termsText.change('skim', 'SCIM'),
    termsText.newTerm('Elysia'),
    termsText.never('bun', 'Bun'),
    termsText.change('off kit', 'AuthKit'),
    termsText.change('okta', 'Okta'),
  ]);
  expect(item(0).textContent).toContain(termsText.near(['directory', 'sync']));
  expect(item(1).textContent).not.toContain(termsText.near([]));
  expect(item(2).textContent).toContain(termsText.automatic);
  expect(item(3).textContent).not.toContain(termsText.automatic);
  expect(item(4).textContent).toContain(termsText.states['undone']);
  for (const [at, { id }] of RULES.entries()) expect(item(at).textContent).toContain(`of ${id}`);
});

test('the captions that a rule changed are listed with their places, and the buttons match its state', () => {
  const link = one('details a', item(3)) as HTMLAnchorElement;
  expect([link.getAttribute('href'), link.textContent]).toEqual(['#/runs/run_1', '01:01.5']);
  expect(one('summary', item(3)).textContent).toBe(termsText.changed(1));
  expect(all('details', item(0))).toEqual([]);
  expect([0, 2, 4].map((at) => buttons(at).join())).toEqual([
    `${termsText.yes},${termsText.no},${termsText.editRule}`,
    `${termsText.undo},${termsText.editRule}`,
    termsText.yes,
  ]);
});

test('a rule can be changed before it is accepted, with its near words', async () => {
  await click(button(0, termsText.editRule));
  expect(input(termsText.surface).value).toBe('skim');
  expect(input(termsText.nearLabel).value).toBe('directory, sync');
  await click(text.cancel);
  expect(has(termsText.surface)).toBe(false);
  await click(button(0, termsText.editRule));
  await type(input(termsText.surface), ' skimmed ');
  await type(input(termsText.meant), ' SCIM 2 ');
  await type(input(termsText.nearLabel), 'directory, , users');
  await submit(one('.rule form'));
  await until('the answer', () => item(0).textContent?.includes(termsText.states['applied']));
  const near = ['directory', 'users'];
  const patch = { state: 'applied', canonical: 'SCIM 2', surface: 'skimmed', near } as const;
  expect(sent).toEqual([{ id: 'risky', patch }]);
  expect(one('strong', item(0)).textContent).toBe(termsText.change('skimmed', 'SCIM 2'));
});

test('a rule that only adds a term has no phrase and no near words', async () => {
  await click(button(1, termsText.editRule));
  expect([has(termsText.surface), has(termsText.nearLabel)]).toEqual([false, false]);
  await type(input(termsText.meant), 'Elysia.js');
  await submit(one('.rule form'));
  await until('the answer', () => item(1).textContent?.includes(termsText.states['applied']));
  expect(sent.at(-1)).toEqual({ id: 'new', patch: { state: 'applied', canonical: 'Elysia.js' } });
});

test('rules are dismissed, undone and accepted', async () => {
  const name = (label: string, says: string) => termsText.ruleLabel(label, says);
  await click(name(termsText.undo, termsText.never('bun', 'Bun')));
  await click(name(termsText.yes, termsText.change('okta', 'Okta')));
  await until('the answers', () => sent.length === 4);
  expect(sent.slice(2).map(({ id, patch }) => [id, patch.state])).toEqual([
    ['never', 'undone'],
    ['undone', 'applied'],
  ]);
  await until('the state', () => item(2).textContent?.includes(termsText.states['undone']));
});

test('a refused decision is reported, and the rule stays as it was', async () => {
  ann.interrupt((request) =>
    request.method === 'PATCH' ? refusal(409, 'conflict', 'A colleague was faster.') : null,
  );
  const before = item(3).textContent;
  await click(termsText.ruleLabel(termsText.undo, termsText.change('off kit', 'AuthKit')));
  await until('the reason', () => pageText().includes('A colleague was faster.'));
  expect(item(3).textContent).toBe(before);
});

test('a switch that could not be changed stays as it was, with the reason', async () => {
  ann.interrupt((request) =>
    request.method === 'PUT'
      ? refusal(403, 'forbidden', 'Ask Bea.')
      : request.url.endsWith('/rules')
        ? Response.json({ automatic: true, rules: RULES })
        : null,
  );
  const box = one('label.check input') as HTMLInputElement;
  await choose(box, false);
  await until('the reason', () => pageText().includes('Ask Bea.'));
  await until('the switch', () => (one('label.check input') as HTMLInputElement).checked);
});
