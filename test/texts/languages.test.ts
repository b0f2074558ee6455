/** What people read outside the app: every language has every text, of the same values, and mails are made of them. */
import { describe, expect, test } from 'bun:test';
import { markdownToHtml } from '../../server/http/documents/html.ts';
import { codeMail, invitationMail, secondCodeMail } from '../../server/identity/mail-texts.ts';
import { LANGUAGE_TAGS, textsIn } from '../../server/texts/languages.ts';
import { LANGUAGES } from '../../web/texts/languages/languages.ts';

const valuesOf = (text: string): string[] => [...new Set(text.match(/\{\{[^{}]+\}\}/g))].toSorted();

/** The texts of a language by their places; the guide apart. */
function textsOf(tag: string): Map<string, string> {
  const { guide: _, ...parts } = textsIn(tag);
  return new Map(
    Object.entries(parts).flatMap(([part, texts]) =>
      // In these parts a language may have more than English, which stands in the code.
      typeof texts === 'object' && part !== 'messages' && part !== 'formats'
        ? Object.entries(texts).map(([name, text]): [string, string] => [`${part}.${name}`, text])
        : [],
    ),
  );
}

const english = textsOf('en');
/** Words that are the same in some languages. */
const ALIKE = new Set([
  'links./',
  'links./guide',
  'links./privacy',
  'front.privacy',
  'report.said',
  'report.file',
  'report.notes',
  'report.point',
  'report.score',
  'report.status',
]);

test('the app speaks each of these languages', () => {
  expect(['en', ...Object.keys(LANGUAGES)]).toEqual(expect.arrayContaining([...LANGUAGE_TAGS]));
});

describe.each(LANGUAGE_TAGS.filter((tag) => tag !== 'en'))('%s', (tag) => {
  const own = textsOf(tag);

  test('has every text, of the same values, in its own words', () => {
    expect([...own.keys()].toSorted()).toEqual([...english.keys()].toSorted());
    const left = [...english].filter(
      ([place, text]) => own.get(place) === text && !ALIKE.has(place),
    );
    expect(left).toEqual([]);
    // The links of an error lead elsewhere than the English ones.
    const values = [...english].filter(([place]) => place !== 'errors.links');
    expect(values.map(([place]) => [place, valuesOf(own.get(place)!)])).toEqual(
      values.map(([place, text]) => [place, valuesOf(text)]),
    );
    for (const part of ['messages', 'formats'] as const) {
      expect(Object.keys(textsIn(tag)[part])).toEqual(Object.keys(textsIn('de')[part]));
    }
  });

  test('has a guide with the parts and the values of the English one', () => {
    const [guide, model] = [textsIn(tag).guide, textsIn('en').guide];
    expect(guide.match(/^## /gm)).toHaveLength(model.match(/^## /gm)!.length);
    expect(valuesOf(guide)).toEqual(valuesOf(model));
    // A mark between a full stop and a letter marks nothing, and would be read as an asterisk.
    const { body } = markdownToHtml(guide);
    expect(body.replace(/<(pre|code)>.*?<\/\1>/gs, '').match(/.{0,20}\*.{0,20}/g)).toBeNull();
  });

  test('has mails with their code and how long it is valid', () => {
    const request = {
      email: 'ann@example.com',
      code: '482915',
      scopes: ['captioner:caption:run'],
      registrationId: 'reg_1',
      minutes: 10,
      language: tag,
    };
    const invitation = {
      id: 'i',
      email: 'ann@example.com',
      role: 'editor' as const,
      invitedBy: 'bob@example.com',
      createdAt: 0,
      expiresAt: 0,
      code: 'ABCDE-FGHJK',
    };
    const mails = [
      codeMail({ ...request, clientAddress: '192.0.2.1', userAgent: 'curl' }),
      secondCodeMail(request),
      invitationMail(invitation, 'https://captioner.example', tag),
    ];
    expect(mails.map(({ text }) => /482915|ABCDE-FGHJK/.exec(text)?.[0])).toEqual([
      '482915',
      '482915',
      'ABCDE-FGHJK',
    ]);
    for (const { subject, text } of mails) {
      expect(`${subject}${text}`).not.toMatch(/\{\{|undefined/);
      expect(text).toMatch(/10|7/);
    }
    expect(mails[2]!.text).toContain('https://captioner.example/app');
  });
});
