import { expect, test } from 'bun:test';
import { buildCaptions } from '../../server/captions/build/build.ts';
import type { Caption } from '../../server/captions/cue.ts';
import { withoutItalics } from '../../server/captions/italics.ts';
import { findBrokenRules } from '../../server/captions/rules/check.ts';
import { type ProfileName, profileOf } from '../../server/captions/rules/profiles/profiles.ts';
import { captionsOfSentences } from '../../server/translation/result.ts';
import { namesLostHere, movedTranslations } from '../../server/translation/neighbours.ts';
import { faultsOf } from '../../server/translation/proof.ts';
import { sentencesOf } from '../../server/translation/sentences.ts';
import { fitted } from '../../server/translation/tidy.ts';
import { translateSentences } from '../../server/translation/translate.ts';
import { dictionaryOf, honest, TARGETS, TRICKS } from '../support/doubles/translators.ts';
import { hostileTalk, prove, randomly, talk } from '../support/translated-talk.ts';
import { failureOf } from '../support/failure-of.ts';
import { DEFAULT_CAPTION_SETTINGS } from '../../server/contract/caption-defaults.ts';

const signal = new AbortController().signal;
const USED = { calls: 1, tokens: 0, cached: 0 };

test('sentences hold every word once, end where the speaker, a sound, italics or a pause says so', () => {
  const captions: Caption[] = [
    { start: 0, end: 2, lines: ['We met Dr. Smith', 'in <i>Rome</i>'] },
    { start: 2, end: 4, lines: ['on Monday. It'] },
    { start: 4.1, end: 6, lines: ['rained'] },
    { start: 8, end: 9, lines: ['and then'] },
    { start: 9, end: 10, lines: ['[door slams] we left'] },
    { start: 10, end: 12, lines: ['-Did you?', '-Yes.'] },
    { start: 12, end: 14, lines: ['<i>A voice from far away</i>'] },
    { start: 14, end: 15, lines: ['♪'] },
    { start: 16, end: 17, lines: ['We sat'] },
    { start: 23, end: 24, lines: ['there, and'] },
    { start: 26, end: 27, lines: ['Ada sang.'] },
  ];
  expect(
    sentencesOf(captions, 'en').map(({ text, kind, italic, start, end }) => [
      `${italic ? 'italic ' : ''}${kind}`,
      text,
      start,
      end,
    ]),
  ).toEqual([
    ['speech', 'We met Dr. Smith in <i>Rome</i> on Monday.', 0, 3.636],
    // Who looks for a word goes on with a small letter.
    ['speech', 'It rained and then', 3.636, 9],
    ['sound', '[door slams]', 9, 9.647],
    ['speech', 'we left', 9.647, 10],
    ['speech', 'Did you?', 10, 11.273],
    ['speech', 'Yes.', 11.273, 12],
    ['italic speech', 'A voice from far away', 12, 14],
    ['as_is', '♪', 14, 15],
    ['speech', 'We sat', 16, 17],
    ['speech', 'there, and', 23, 24],
    ['speech', 'Ada sang.', 26, 27],
  ]);
});

test.each([
  ['de', 'Am 3. Oktober war es kalt. Nach dem 2. Weltkrieg nicht.', 2],
  ['de', 'Wir hatten nur 3. Dann gingen wir.', 2],
  ['fi', 'Tulimme 3. lokakuuta. Satoi.', 2],
  ['nb', 'Den 17. mai er vi der. Kom!', 2],
  ['es', 'En los EE. UU. hay de todo. En los EE. UU. Pero no aquí.', 3],
  ['en', 'He asked "why?" and left. Then he came back.', 2],
  ['en', 'We had 3. Then we left.', 2],
  ['en', 'I thought... maybe not. No.', 2],
])('sentences of %s: %s', (language, text, count) => {
  const captions = [{ start: 0, end: 20, lines: [text] }];
  expect(sentencesOf(captions, language).map((one) => one.text)).toHaveLength(count);
});

test.each([
  ['ja', ['今日はとても', '良い天気です。'], '今日はとても良い天気です。'],
  ['zh', ['我们去河边', '散步吧。'], '我们去河边散步吧。'],
  ['ja', ['これは GitHub', 'です。'], 'これは GitHub です。'],
  ['en', ['We <b>all</b> went', '<font color="red">home</font>.'], 'We all went home.'],
])('lines of %s become one sentence: %s', (language, lines, text) => {
  expect(sentencesOf([{ start: 0, end: 4, lines }], language)).toMatchObject([{ text }]);
});

test('with the words of the recogniser, the times inside captions are theirs', () => {
  const words = [
    { text: 'Yes.', start: 1, end: 1.2, speaker: 'Ada' },
    { text: 'We', start: 2.9, end: 3, speaker: 'Ada' },
    { text: 'go.', start: 3, end: 3.4, speaker: 'Ada' },
  ];
  const captions = [{ start: 1, end: 4, lines: ['Yes. We go.'] }];
  expect(sentencesOf(captions, 'en', words)).toMatchObject([
    { text: 'Yes.', start: 1, end: 1.2, speaker: 'Ada' },
    { text: 'We go.', start: 2.9, end: 4, speaker: 'Ada' },
  ]);
});

test.each<[string, string, string, string[], (string | null)?]>([
  ['de', 'We have 1,200 seats.', 'Wir haben 1.200 Plätze.', []],
  ['de', 'We have 1,200 seats.', 'Wir haben viele Plätze.', ['number']],
  ['ar', 'We have 35 seats here.', 'لدينا ٣٥ مقعدا هنا.', []],
  ['de', 'We have many seats here.', 'Wir haben hier 47 Plätze.', ['number']],
  ['ja', 'We were all there for a while.', 'しばらく47人がそこにいました。', ['number']],
  ['de', 'Two of us came on the third of May.', 'Am 3. 5. kamen 2 von uns.', []],
  ['de', 'Back in the ’90s we met at 9 p.m.', 'In den 1990ern trafen wir uns um 21 Uhr.', []],
  ['ja', 'He saw a dog in World War II.', '彼は第2次世界大戦で1匹の犬を見た。', []],
  ['de', 'Ask GitHub at github.com.', 'Frag GitHub unter github.com.', []],
  ['de', 'Ask GitHub at github.com.', 'Frag dort.', ['name', 'name']],
  ['de', 'We were there and it was good.', 'We were there and it was good.', ['source_language']],
  ['de', 'We were there and it was good.', 'Wir waren da and it was good.', ['source_language']],
  ['de', 'We were there and it was good.', 'Nous étions là et c’était bien.', ['wrong_language']],
  ['ja', 'We were there and it was good.', 'Wir waren da und es war gut.', ['wrong_language']],
  ['ja', 'We were there and it was good.', '我们在那里而且一切都非常好。', ['wrong_language']],
  ['de', 'At 3:30 we met Jo Smith in San Jose.', 'Um 15:30 traf Jo Smith in San Jose ein.', []],
  ['ja', 'It costs 20,000 yen.', '2万円です。', []],
  ['ca', 'He goes to the house of the king.', 'Va a la casa del rei.', []],
  ['pl', 'We were there and it was good.', 'We were all there and it is good.', ['wrong_language']],
  ['de', 'Use the keyring.', 'Benutze den Schlüsselbund.', []],
  ['de', 'Use the keyrings.', 'Benutze die Schlüsselbünde.', []],
  ['de', 'Use the keyring.', 'Benutze den Ring.', ['term']],
  ['pl', 'Ask AuthKit about that.', 'Zapytaj o to AuthKita.', []],
  ['de', 'Go <i>now</i>, please.', 'Geh jetzt, bitte.', ['italics']],
  ['de', 'Good morning.', 'Guten Morgen. (Note: informal)', ['note']],
  ['de', 'Good morning.', 'Translation: Guten Morgen.', ['note']],
  ['de', 'Good morning.', '…', ['missing']],
  ['de', 'We talked about it for a very long time, all of us.', 'Ja, klar.', ['too_short']],
  ['de', 'See you all there.', 'Wir sehen uns dort. Wir sehen uns dort.', ['repeated']],
  ['de', 'Run it with GPT4.', 'Führ es damit aus.', ['number', 'name']],
  ['de', 'Ask Ada Lovelace about it.', 'Frag sie danach.', ['term']],
  // In other letters a person may have another name, and a short answer may be a name.
  ['ja', 'Ask Ada Lovelace about it.', '彼女に聞いてください。', []],
  ['ja', 'Ask Jo.', 'Jo Smith', []],
  ['ja', 'Use the keyring.', '鍵束を使います。', []],
  ['ja', 'Use the keyring.', 'リングを使います。', ['term']],
  ['sr', 'We were there and it was good.', 'Bili smo tamo i bilo je dobro.', []],
  [
    'sr-Latn',
    'We were there and it was good.',
    'Били смо тамо и било је добро.',
    ['wrong_language'],
  ],
  ['sr-Latn', 'We were there and it was good.', 'Bili smo tamo i bilo je dobro.', []],
  ['zh-Hant', 'We were there and it was good.', '我们都在那里，而且这很好。', ['wrong_language']],
  ['zh-Hant', 'We were there and it was good.', '我們都在那裡，而且這很好。', []],
  ['zh-TW', 'We were there and it was good.', '我们都在那里，而且这很好。', ['wrong_language']],
  ['zh-Hans', 'We were there and it was good.', '我們都在那裡，而且這很好。', ['wrong_language']],
  ['zh', 'We were there and it was good.', '我們都在那裡，而且這很好。', []],
  ['nb', 'We were there and it was good.', 'Det var hvad vi blev glade for.', ['wrong_language']],
  ['nb', 'We were there and it was good.', 'Det var hva vi ble glade for.', []],
  ['da', 'We were there and it was good.', 'Det var hva vi ble glade for.', ['wrong_language']],
  // Titles are kept in their letters.
  ['ja', 'I love The Lord of the Rings.', 'The Lord of the Rings が大好きです。', []],
  ['zh', 'We saw Blade Runner at Warner.', '我们看了 Blade Runner。', []],
  ['ko', 'We saw Blade Runner at home.', '우리는 Blade Runner 봤다.', []],
  ['ja', 'We were there and it was good.', 'We were there and 良い', ['wrong_language']],
  [
    'zh',
    'We were there and it was good.',
    '私たちはそこにいました。とても良かった。',
    ['wrong_language'],
  ],
  ['es', 'Who is there?', 'Quién está ahí?', ['punctuation']],
  ['es-MX', 'Who is there?', 'Pero ¿quién está ahí?', []],
  ['es', 'Who is there!', '¿Quién está ahí!', ['punctuation']],
  ['pt', 'Who is there?', 'Quem está aí?', []],
  ['de', 'It grew by 40%.', 'Es wuchs um 40 Prozent.', []],
  ['de', 'It grew by 40%.', 'Es wuchs um 40.', ['number']],
  ['ja', 'It costs $5.', '5ドルです。', []],
  ['fr', 'It costs 5 €.', 'Cela coûte 5.', ['number']],
  ['de', 'It is 60 miles to the sea.', 'Es sind 60 Kilometer bis ans Meer.', ['number']],
  ['de', 'It is 60 miles to the sea.', 'Es sind 97 Kilometer bis ans Meer.', ['number']],
  ['de', 'It is 60 miles to the sea.', 'Es sind 60 Meilen bis ans Meer.', []],
  ['es', 'It is 60 miles, or 97 kilometres.', 'Son 60 millas, o 97 kilómetros.', []],
  ['fr', 'He is 6 feet tall.', 'Il mesure 6 mètres.', ['number']],
  ['ja', 'It weighs 20 pounds.', '重さは20キログラムです。', ['number']],
  ['ja', 'It is 20 kilometres away.', '20キロ離れています。', []],
  ['zh', 'It was 30 °C in the shade.', '阴凉处有 30 华氏度。', ['number']],
  ['ru', 'We walked 5 miles.', 'Мы прошли 5 миль.', []],
  ['eu', 'It grew by 40%.', 'Ehuneko 40 hazi zen.', []],
  [
    'de',
    'We were there and it was good.',
    'Wir waren da and it was good.',
    ['source_language'],
    null,
  ],
  // Words of a third language, with and without letters of its own.
  [
    'de',
    'We were there and it was good.',
    'Byliśmy tam, co się działo było dobre.',
    ['wrong_language'],
  ],
  [
    'fr',
    'We were there and it was good.',
    'Vi var där när det hände och var bra.',
    ['wrong_language'],
  ],
  [
    'es',
    'We were there and it was good.',
    'Olimme siellä, kun se oli niin hyvä.',
    ['wrong_language'],
  ],
  [
    'pl',
    'We were there and it was good.',
    'Estábamos todos ahí, y para nosotros era bueno.',
    ['wrong_language'],
  ],
  [
    'de',
    'We were there and it was good.',
    'Orada çok iyi ve güzel bir gün oldu.',
    ['wrong_language'],
  ],
  ['de', 'She drank a café au lait in Zürich.', 'Sie trank in Zürich einen Café au Lait.', []],
  [
    'de',
    'We will go home after the talk.',
    'Vortrag. dem nach Hause nach gehen Wir',
    ['punctuation'],
  ],
  [
    'fr',
    'The houses of the town were old.',
    'vieilles étaient ville la de maisons Les.',
    ['punctuation'],
  ],
  ['de', 'I would like to thank you.', 'Herzlich danken möchte ich Ihnen.', []],
  ['en', 'Ayer vimos la película Trust Me.', 'Yesterday we saw the film Trust Me.', [], 'es'],
  ['en', 'Мы долго были там.', 'We were there for 47 days.', ['number'], 'ru'],
  ['en', 'Двое из нас пришли в мае.', '2 of us came in 5.', [], 'ru'],
  ['en', 'Byliśmy tam długo.', 'We were there for 47 days.', ['number'], 'pl'],
  ['en', 'Przyszło dwoje z nas.', '2 of us came.', [], 'pl'],
  ['en', 'そこにいました。', 'There were 47 of us.', ['number'], 'ja'],
  ['en', '三人で来ました。', 'The 3 of us came.', [], 'ja'],
  ['en', '我们在那里很久。', 'We were there for 47 days.', ['number'], 'zh'],
  ['en', '我们三个人来了。', '3 of us came.', [], 'zh'],
  ['en', '우리는 거기에 있었다.', 'There were 47 of us.', ['number'], 'ko'],
  ['en', '우리 세 명이 왔다.', '3 of us came.', [], 'ko'],
  ['en', 'كنا هناك لفترة طويلة.', 'We were there for 47 days.', ['number'], 'ar'],
  ['en', 'جاء ثلاثة منا.', '3 of us came.', [], 'ar'],
])('the proof of %s: %s → %s', (to, text, translation, kinds, from: string | null = 'en') => {
  const keyring = { de: 'Schlüsselbund', ja: '鍵束' }[to];
  const terms = [
    { canonical: 'AuthKit' },
    { canonical: 'Ada Lovelace', isPerson: true },
    { canonical: 'keyring', ...(keyring && { translation: keyring }) },
  ];
  const faults = faultsOf({ text }, translation, { from, to, terms });
  expect(faults.map(({ kind }) => kind) as string[]).toEqual(kinds);
});

test('a name that a translation keeps elsewhere is missed where it is not, with any ending', () => {
  const lost = (pairs: [string, string][], from = 'en') =>
    Array.from(namesLostHere(pairs, from), ([at, faults]) => [at, faults.length]);
  const talk: [string, string][] = [
    ['Yesterday we met Sarah in Germany.', 'Gestern trafen wir Sarah in Deutschland.'],
    ['Then our friend Sarah left Germany.', 'Dann verließ unsere Freundin das Land.'],
    ['Everybody likes Sarah and her maps.', 'Alle mögen Sarahs Karten.'],
  ];
  expect(lost(talk)).toEqual([[1, 1]]);
  expect(lost(talk.with(1, ['Then our friend left.', 'Dann ging sie.']))).toEqual([]);
  expect(lost(talk.map(([source]) => [source, 'サラはここにいる。']))).toEqual([]);
  expect(lost(talk, 'de')).toEqual([]);
});

test('a translation with words of the sentence beside it, and none of its own, is another one’s', () => {
  const pairs = [
    ['The presentation of the results begins now.', 'La presentación de los resultados empieza.'],
    ['All of us thank you.', 'Todos os damos las gracias.'],
    [
      'Our company was robust in those presentations.',
      'Nuestra empresa fue robusta en esas presentaciones.',
    ],
  ] as const;
  expect(movedTranslations(pairs)).toEqual([]);
  const [a, b, c] = pairs;
  const moved = [a, [b[0], c[1]], [c[0], null]] as const;
  expect(movedTranslations(moved)).toEqual([1]);
});

test('a sentence without an end is divided at the comma, caption or word nearest to its middle', () => {
  const captionsOf = (words: string[]): Caption[] =>
    Array.from({ length: words.length / 10 }, (_, at) => ({
      start: at,
      end: at + 1,
      lines: [words.slice(10 * at, 10 * at + 10).join(' ')],
    }));
  const words = Array.from({ length: 80 }, (_, at) => `word${at}`);
  const dividedAt = (from: string[]) => {
    const parts = sentencesOf(captionsOf(from), 'en').map(({ text }) => text);
    expect(parts.join(' ')).toBe(from.join(' '));
    return parts[0]!.split(' ').at(-1);
  };
  expect(dividedAt(words)).toBe('word39');
  expect(dividedAt(words.with(33, 'word33,'))).toBe('word33,');
});

test.each([
  ['sound', '[music]', 'Musik', '[Musik]'],
  ['sound', '(music)', '(Musik)', '(Musik)'],
  ['sound', '(noise)', 'Es blubbert sehr, sehr lange', '[Es blubbert sehr, sehr lange]'],
  ['sound', '[music]', '', ''],
  ['speech', 'Go <i>now</i>.', 'Geh <i>jetzt</i>.', 'Geh <i>jetzt</i>.'],
  ['speech', 'Go <i>now</i>.', 'Geh <i>jetzt.', 'Geh jetzt.'],
  ['speech', 'Go.', 'Geh\n<i>jetzt</i>.', 'Geh jetzt.'],
  ['speech', 'Go.', 'Geh. '.repeat(10_000), ''],
] as const)('of %s %p, the answer %p is taken as %p', (kind, text, answer, taken) => {
  expect(fitted({ kind, text, italic: false }, answer)).toBe(taken);
});

test.each([
  ['says nothing', '', 'honest translated none of the sentences.'],
  ['refuses', 'I cannot\u0007 translate this.', 'It answered: “I cannot translate this.”'],
  ['says much', 'No! '.repeat(900), `${'No! '.repeat(50)}…”`],
])('a model that %s is asked a few times, and the translation fails', async (_what, said, told) => {
  const captions = buildCaptions(talk(150, randomly(3)), DEFAULT_CAPTION_SETTINGS);
  const sentences = sentencesOf(captions, 'en');
  let calls = 0;
  const translate = async () => {
    calls += 1;
    return { answers: [], usage: USED, said };
  };
  const job = { sentences, from: 'en', to: 'de', terms: [], profile: profileOf('default', 'de') };
  const silent = { ...honest(String), translate };
  const asked = translateSentences({ ...job, topic: 'Keys', formality: 'formal' }, silent, {
    signal,
  });
  expect(await failureOf(asked)).toMatchObject({
    code: 'provider_bad_response',
    message: expect.stringContaining(told),
  });
  expect(calls).toBeLessThan(8);
});

test.each([
  ['the sentences themselves', (text: string) => text],
  ['another language', () => 'Мы все здесь, чтобы вы это знали.'],
])('a model that answers with %s has translated nothing', async (_what, text) => {
  const captions = buildCaptions(talk(150, randomly(3)), DEFAULT_CAPTION_SETTINGS);
  const sentences = sentencesOf(captions, 'en');
  const job = { sentences, from: 'en', to: 'de', terms: [], profile: profileOf('default', 'de') };
  const failed = await failureOf(translateSentences(job, honest(text), { signal }));
  expect(failed.code).toBe('provider_bad_response');
});

test('captions of two speakers, and those whose times overlap, hold their sentences', () => {
  const captions: Caption[] = [
    { start: 0, end: 3, lines: ['-Did you go?', '-Yes, I did.'], speakers: ['Ada', 'Ben'] },
    { start: 3, end: 8, lines: ['We all went home after that.'], speakers: ['Ben'] },
    { start: 4, end: 5, lines: ['[door slams]'] },
  ];
  const sentences = sentencesOf(captions, 'en');
  const texts = ['Bist du gegangen?', 'Ja.', 'Danach gingen wir alle nach Hause.', '[Tür knallt]'];
  for (const name of [...PROFILES, 'youtube'] as ProfileName[]) {
    const built = captionsOfSentences(sentences, texts, profileOf(name, 'de'));
    const said = withoutItalics(built.flatMap(({ lines }) => lines)).join(' ');
    expect(
      said
        .replaceAll(/^-\s?| -\s?/g, ' ')
        .trim()
        .split(/\s+/),
    ).toEqual(texts.join(' ').split(' '));
    for (const { start, end } of built) expect(end).toBeGreaterThan(start);
  }
  expect(() =>
    captionsOfSentences(sentences.slice(0, 1), ['Ja.', 'Nein.'], profileOf('default', 'de')),
  ).toThrow();
});

const PROFILES: ProfileName[] = ['default', 'netflix', 'bbc'];

test.each(TARGETS)('captions in %s keep the lines and times of their profiles', async (to) => {
  const captions = buildCaptions(talk(500, randomly(7)), DEFAULT_CAPTION_SETTINGS);
  const sentences = sentencesOf(captions, 'en');
  for (const name of PROFILES) {
    const profile = profileOf(name, to);
    const job = { sentences, from: 'en', to, terms: [], profile };
    const done = await translateSentences(job, honest(dictionaryOf(to)), { signal });
    expect(done.sentences.flatMap(({ faults }) => faults)).toEqual([]);
    const texts = done.sentences.map(({ text }) => text);
    const built = captionsOfSentences(sentences, texts, profile);
    const gap = Math.max(profile.gapFrames, 1) / (profile.frameRate ?? 24);
    prove(built, sentences, texts, Math.max(gap, profile.closedGap));
    const broken: string[] = findBrokenRules(built, profile).map(({ rule }) => rule);
    const kept = ['line_length', 'line_count', 'max_duration', 'gap', 'small_gap', 'on_frames'];
    for (const rule of kept) {
      expect(broken).not.toContain(rule);
    }
  }
});

test('a caption ends with its sentence, to the millisecond, where a profile leaves no gap', () => {
  const sentence = { start: 2.5, end: 4, italic: false, beats: [[17, 2.5, 4] as const] };
  const text = 'Wir treffen uns am 3. Oktober.';
  const [cue] = captionsOfSentences([sentence], [text], profileOf('default', 'de'));
  expect(cue).toMatchObject({ start: 2.5, end: 4 });
});

test.each([
  ['ja', '今日は <i>とても良い</i>天気ですから、<i>「散歩」</i>に行きましょう。'],
  ['zh', '今天天气<i>很好</i>，我们去<i>河边散步吧。</i>'],
  ['th', 'นี่คือ<i>ข้อความ</i>ที่แปลแล้ว'],
  ['de', 'Heute ist es <i>wirklich schön</i>, also gehen wir.'],
])('marks of italics inside a sentence in %s stay whole', (language, text) => {
  const times = { start: 0, end: 6, italic: false, beats: [[40, 0, 6] as const] };
  const profile = { ...profileOf('default', language), maxLineChars: 12 };
  const cues = captionsOfSentences([times], [text], profile);
  const shown = cues.flatMap(({ lines }) => lines).join('');
  const bare = (from: string) => from.replaceAll(/<\/?i>|\s/g, '');
  expect(bare(shown)).toBe(bare(text));
  expect(withoutItalics(cues.flatMap(({ lines }) => lines)).join('')).not.toContain('<');
  for (const [, marked = ''] of text.matchAll(/<i>(.+?)<\/i>/g)) {
    expect(shown.replaceAll(/<\/i>\s*<i>|\s/g, '')).toContain(
      `<i>${marked.replaceAll(' ', '')}</i>`,
    );
  }
});

test.each(Object.keys(TRICKS))('a model that %s once is found out, and mended', async (trick) => {
  const sentences = sentencesOf(
    buildCaptions(talk(150, randomly(3)), DEFAULT_CAPTION_SETTINGS),
    'en',
  );
  const translate = dictionaryOf('de');
  const inner = honest(translate);
  let asked = 0;
  const tricky = {
    ...inner,
    async translate(...given: Parameters<typeof inner.translate>) {
      const { answers, usage } = await inner.translate(...given);
      const isFirst = (asked += 1) === 1;
      return {
        answers: isFirst ? TRICKS[trick]!([...answers], () => 0.4, given[0]) : answers,
        usage,
      };
    },
  };
  const job = { sentences, from: 'en', to: 'de', terms: [], profile: profileOf('default', 'de') };
  const done = await translateSentences(job, tricky, { signal });
  expect(done.sentences.map(({ text }) => text)).toEqual(
    sentences.map(({ text, kind }) => (kind === 'as_is' ? text : translate(text))),
  );
  expect(done.sentences.flatMap(({ faults }) => faults)).toEqual([]);
});

test('a translation that is too long for its time is asked for once more, with the number of characters', async () => {
  const captions = [{ start: 0, end: 2, lines: ['We will see each other later today.'] }];
  const sentences = sentencesOf(captions, 'en');
  const limits: (number | undefined)[] = [];
  const job = { sentences, from: 'en', to: 'de', terms: [], profile: profileOf('default', 'de') };
  const done = await translateSentences(
    job,
    {
      provider: 'double',
      model: 'wordy',
      async translate({ tasks: [task] }) {
        limits.push(task!.maxCharacters);
        const text = task!.maxCharacters
          ? 'Wir sehen uns später.'
          : 'Wir werden einander heute zu einem späteren Zeitpunkt sehen.';
        const answers = [{ id: task!.id, source: task!.text, text }];
        return { answers, usage: { calls: 1, tokens: 0, cached: 0 } };
      },
    },
    { signal },
  );
  expect(limits).toEqual([undefined, 40]);
  expect(done.sentences).toMatchObject([{ text: 'Wir sehen uns später.', shortened: true }]);
});

test('a model whose answers are cut off is asked about a few sentences at a time', async () => {
  const sentences = sentencesOf(
    buildCaptions(talk(400, randomly(4)), DEFAULT_CAPTION_SETTINGS),
    'en',
  );
  const translate = dictionaryOf('de');
  const inner = honest(translate);
  const short = {
    ...inner,
    async translate(...given: Parameters<typeof inner.translate>) {
      const { answers, usage } = await inner.translate(...given);
      return { answers: answers.length > 8 ? [] : answers, usage };
    },
  };
  const job = { sentences, from: 'en', to: 'de', terms: [], profile: profileOf('default', 'de') };
  const done = await translateSentences(job, short, { signal });
  expect(done.sentences.map(({ text }) => text)).toEqual(
    sentences.map(({ text, kind }) => (kind === 'as_is' ? text : translate(text))),
  );
  // One question for all, then one for each few.
  expect(done.usage.calls).toBeLessThan(sentences.length / 3);
});

test('whatever a hostile model does, nothing is shifted, dropped or merged unseen', async () => {
  const { wrong, mended } = await hostileTalk(4000, 11, 0.7);
  expect({ wrong, isMended: mended > 5 }).toEqual({ wrong: 0, isMended: true });
});
