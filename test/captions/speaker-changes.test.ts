/** Speaker changes that a recogniser placed a few words away from the end of the sentence. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { buildCaptions, buildProfiled } from '../../server/captions/build.ts';
import { languageOf } from '../../server/captions/language.ts';
import { profileOf } from '../../server/captions/rules/profiles/profiles.ts';
import { alignSpeakerChanges } from '../../server/captions/divide/speaker-changes.ts';
import { DEFAULT_CAPTION_SETTINGS } from '../../server/contract/captions.ts';
import { speak } from './support.ts';
import { soundWords } from './words.ts';

/** Words with their speaker's letter before each turn: “A: Is it open? B: Yes.” */
function spoken(dialogue: string) {
  let speaker = 'A';
  const heard: string[] = [];
  const words: string[] = [];
  for (const word of dialogue.split(' ')) {
    if (/^[A-Z]:$/.test(word)) speaker = word.slice(0, -1);
    else {
      words.push(word);
      heard.push(speaker);
    }
  }
  return speak(words).map((word, at) => ({ ...word, speaker: heard[at]! }));
}

function settled(dialogue: string, language = 'en'): string {
  let last: string | undefined;
  return alignSpeakerChanges(spoken(dialogue), languageOf(language))
    .map(({ text, speaker }) => {
      const said = speaker === last ? text : `${speaker ?? ''}: ${text}`;
      last = speaker;
      return said;
    })
    .join(' ');
}

describe('a change of speaker inside a phrase moves', () => {
  test('back to the start of the phrase', () => {
    expect(settled('A: The hatch is open, and I can B: report it is closed.')).toBe(
      'A: The hatch is open, B: and I can report it is closed.',
    );
  });
  test('forward to its end, if it was placed too early', () => {
    expect(settled('A: We have all been working on the B: hatch. Thank you.')).toBe(
      'A: We have all been working on the hatch. B: Thank you.',
    );
  });
  test('by up to four words in either direction', () => {
    const end = 'report it is closed now for good.';
    expect(settled(`A: It is open, now and I can B: ${end}`)).toBe(
      `A: It is open, B: now and I can ${end}`,
    );
    const far = `A: It is open, so now and I can B: ${end}`;
    expect(settled(far)).toBe(far);
    const start = 'A: We have all been working on the';
    expect(settled(`${start} B: big old red hatch. So.`)).toBe(
      `${start} big old red hatch. B: So.`,
    );
    const long = `${start} B: very big old red hatch. So.`;
    expect(settled(long)).toBe(long);
    // Never over the words of a third speaker.
    const three = `${start} B: big C: hatch. So.`;
    expect(settled(three)).toBe(three);
  });
  test('unless a second of silence confirms it', () => {
    const speakersAfter = (start: number) =>
      alignSpeakerChanges(
        [
          { text: 'the', start: 0, end: 1, speaker: 'A' },
          { text: 'hatch.', start, end: 4, speaker: 'B' },
        ],
        languageOf('en'),
      ).map(({ speaker }) => speaker);
    expect([speakersAfter(1.999), speakersAfter(2)]).toEqual([
      ['A', 'A'],
      ['A', 'B'],
    ]);
  });
  test('according to the small words of the language', () => {
    expect(settled('A: Merci. Je suis B: content de vous voir.', 'fr')).toBe(
      'A: Merci. B: Je suis content de vous voir.',
    );
  });
  test('so that no line of the caption dangles', () => {
    const words = spoken('A: The hatch is open, and I can B: report it is closed.');
    for (const captions of [
      buildCaptions(words, DEFAULT_CAPTION_SETTINGS),
      buildProfiled(words, profileOf('netflix')),
    ]) {
      const lines = captions.flatMap((cue) => cue.lines);
      expect(lines.join('|')).toBe('The hatch is open,|and I can report it is closed.');
    }
  });
});

describe('a change of speaker stays', () => {
  test.each([
    ['after punctuation', 'A: I looked for it, and… B: so did we.'],
    ['before a sentence of its own', 'A: I was going to B: No, you were not.'],
    ['after a word that ends a phrase', 'A: We opened the hatch B: yesterday at noon.'],
    ['far from any punctuation', 'A: Now we all go on and B: see what is behind the next door.'],
    ['beside a third speaker', 'A: Good C: and B: we see it now and then we go on and on.'],
  ])('%s', (_, dialogue) => {
    expect(settled(dialogue)).toBe(dialogue);
  });
  test('after a recognised silence', () => {
    const words = spoken('A: Open, and I can B: report it.');
    const later = words.map((word) =>
      word.speaker === 'B' ? { ...word, start: word.start + 1, end: word.end + 1 } : word,
    );
    expect(alignSpeakerChanges(later, languageOf('en'))).toEqual(later);
  });
  test('if one of the two is unknown', () => {
    const words = spoken('A: Open, and I can B: report it.').map((word) =>
      word.speaker === 'B' ? { ...word, speaker: undefined } : word,
    );
    expect(alignSpeakerChanges(words, languageOf('en'))).toEqual(words);
  });
});

test('for any words: the words stay, and no speaker is added', () => {
  fc.assert(
    fc.property(soundWords, (words) => {
      const given = words.map((word) => ({ speaker: undefined, ...word }));
      const after = alignSpeakerChanges(given, languageOf('en'));
      expect(after.map(({ text, start, end }) => [text, start, end])).toEqual(
        given.map(({ text, start, end }) => [text, start, end]),
      );
      for (const [at, { speaker }] of after.entries()) {
        const near = given.slice(Math.max(0, at - 4), at + 5).map((word) => word.speaker);
        expect(near).toContain(speaker);
      }
    }),
    { numRuns: 100 },
  );
});

test.each(['A', 'B'])('a change from or to somebody unknown stays where it is: %s', (unknown) => {
  const words = spoken('A: The hatch is open, and I can B: report it is closed.').map((word) =>
    word.speaker === unknown ? { ...word, speaker: undefined } : word,
  );
  expect(alignSpeakerChanges(words, languageOf('en'))).toEqual(words);
});
