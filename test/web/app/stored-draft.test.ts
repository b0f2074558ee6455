/** The form of the start page, kept across reloads in the tab. */
import './support/page.ts';
import { beforeEach, expect, test } from 'bun:test';
import { draft, forgetDraft, restoreDraft } from '../../../web/start/draft.ts';

const KEY = 'captioner.draft';
const kept = () => sessionStorage.getItem(KEY);
const keep = (stored: string) => sessionStorage.setItem(KEY, stored);

const values = () => [
  draft.topic.value,
  draft.language.value,
  draft.glossary.value,
  draft.exclude.value,
  draft.maxLineChars.value,
  draft.maxLines.value,
  draft.maxDuration.value,
  draft.minDuration.value,
  [...draft.packs.value],
];
const initial = values();

beforeEach(() => {
  [draft.topic.value, draft.language.value] = [initial[0] as string, initial[1] as string];
  [draft.glossary.value, draft.exclude.value] = ['', ''];
  draft.maxLineChars.value = initial[4] as number;
  draft.maxLines.value = initial[5] as number;
  draft.maxDuration.value = initial[6] as number;
  draft.minDuration.value = initial[7] as number;
  draft.packs.value = new Set();
  sessionStorage.clear();
});

test.each([
  'no JSON',
  'null',
  '"text"',
  '{"topic":1,"language":null,"glossary":[],"maxLines":"2","maxLineChars":null,"packs":"mcp"}',
  '{"packs":["mcp",2]}',
])('%s changes nothing', (stored) => {
  keep(stored);
  restoreDraft();
  expect(values()).toEqual(initial);
});

test('every field is restored, and stored once one changes', () => {
  const stored = {
    topic: 'Auth',
    language: 'de',
    glossary: 'SCIM',
    exclude: 'SAML',
    maxLineChars: 37,
    maxLines: 1,
    maxDuration: 7,
    minDuration: 1,
    packs: ['protocols/mcp'],
  };
  const packed = JSON.stringify(stored);
  keep(packed);
  restoreDraft();
  expect(values()).toEqual(Object.values(stored));
  sessionStorage.clear();
  draft.packs.value = new Set();
  expect(JSON.parse(kept()!)).toEqual({ ...stored, packs: [] });
  draft.topic.value = 'SSO';
  expect(kept()).toContain('"topic":"SSO"');
  forgetDraft();
  expect(kept()).toBeNull();
});

test('a form that was never touched is not stored', () => {
  restoreDraft();
  expect(kept()).toBeNull();
});
