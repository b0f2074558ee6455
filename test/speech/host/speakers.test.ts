/** Speakers by their voices: voices joined into speakers, and the speaker of each word. */
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { indexMp3 } from '../../../server/mp3/frames.ts';
import type { VoiceTurn } from '../../../server/speech/host/engine-messages.ts';
import { source } from '../../mp3/support.ts';
import { writeTinySpeakers } from '../../support/doubles/tiny-speakers.ts';
import { needsShared, shared } from '../../support/requirements.ts';
import { removeFolder, temporaryFolder } from '../../support/servers/server-process.ts';
import type { TranscriptionRequest } from '../../../server/speech/provider.ts';
import { transcribed } from '../../support/transcribed.ts';
import {
  encodedMp3,
  hostSpeech,
  type HostSpeechOptions,
  silentMp3,
  tinyModelFolder,
  withFfmpeg,
} from './engine-support.ts';
import fc from 'fast-check';
import { similarityOf } from '../../../server/voices/voiceprints.ts';
import { findVoices } from '../../../server/speech/host/find-voices.ts';
import {
  withSpeakerConfidence,
  withSpeakerNote,
} from '../../../server/speech/host/speaker-notes.ts';
import { speakersOfWords, withSpeakers } from '../../../server/speech/host/speakers-of-words.ts';
import {
  joinVoices,
  type SpeakerTurn,
  type VoiceStretch,
} from '../../../server/speech/host/voices.ts';

describe('distinguishing speakers by voice', async () => {
  setDefaultTimeout(120_000);

  const root = await temporaryFolder();
  afterAll(() => removeFolder(root));
  await writeTinySpeakers(root);
  const { folder: withoutSpeakers, tiny } = await tinyModelFolder();

  /**
   * An MP3 of tones with bursts of hiss, which the recogniser detects, each three seconds long
   * between seconds of silence.
   */
  function tones(hertz: readonly number[]): Uint8Array {
    const pitch = hertz
      .map(
        (value, at) =>
          `between(t,${4 * at + 1},${4 * at + 4})*(0.3*sin(2*PI*${value}*t)+0.1*lt(mod(t,0.8),0.4)*(random(0)-0.5))`,
      )
      .join('+');
    return encodedMp3(`aevalsrc='${pitch}':s=16000:d=${4 * hertz.length + 1}`, '-b:a 32k');
  }

  const PIECE = 5_242_880;

  async function transcribe(
    bytes: Uint8Array,
    modelsDir = root,
    chunkBytes = PIECE,
    options: Partial<HostSpeechOptions> = {},
    request: Partial<TranscriptionRequest> = {},
  ) {
    const speech = hostSpeech(modelsDir, { speechModel: tiny, speakers: 'on', ...options });
    return transcribed(speech, source(bytes), { chunkBytes, ...request }).finally(() =>
      speech.close?.(),
    );
  }

  /** The speakers in each tone, by the words that begin in it. */
  const inTones = (words: readonly { start: number; speaker?: string }[], count: number) =>
    Array.from({ length: count }, (_, at) => [
      ...new Set(
        words
          .filter(({ start }) => start > 4 * at + 0.5 && start < 4 * at + 4.5)
          .map(({ speaker }) => speaker),
      ),
    ]);

  withFfmpeg(
    'speakers by voice each word has the speaker whose voice it is, also across pieces',
    async () => {
      const recording = tones([3000, 200, 3000, 200, 200, 3000]);
      for (const chunkBytes of [PIECE, 20_000]) {
        const { plan, transcript } = await transcribe(recording, root, chunkBytes);
        expect(plan.pieces.length > 1).toBe(chunkBytes === 20_000);
        expect(plan.engine).toMatchObject({ speakers: 'by voice' });
        const expected = ['0', '1', '0', '1', '1', '0'];
        const heard = inTones(transcript.words, 6);
        // The tiny recogniser returns no words for some tones.
        expect(heard).toEqual(
          heard.map((speakers, at) => (speakers.length > 0 ? [expected[at]] : [])),
        );
        expect(heard.filter((speakers) => speakers.length > 0).length).toBeGreaterThanOrEqual(4);
        expect(new Set(transcript.utterances.map(({ speaker }) => speaker))).toEqual(
          new Set(['0', '1']),
        );
        expect(transcript.metadata?.['speakersNote']).toBeUndefined();
      }
    },
  );

  withFfmpeg('a run may say how many people speak, unless that is switched off', async () => {
    const recording = tones([3000, 200, 3000]);
    const heard = async (speakers: number, options: Partial<HostSpeechOptions> = {}) => {
      const { transcript } = await transcribe(recording, root, PIECE, options, { speakers });
      const names = new Set(transcript.words.map(({ speaker }) => speaker));
      return { names, note: transcript.metadata?.['speakersNote'] };
    };
    expect(await heard(1)).toEqual({ names: new Set([undefined]), note: undefined });
    expect((await heard(2, { speakers: 'auto' })).names).toEqual(new Set(['0', '1']));
    const { names, note } = await heard(2, { speakers: 'off' });
    expect(names).toEqual(new Set([undefined]));
    expect(note).toContain('EDGE_SPEAKERS');
  });

  withFfmpeg('the voices of two channels are known only if they are kept', async () => {
    const turn = (hertz: number, at: number) =>
      `between(t,${4 * at + 1},${4 * at + 4})*(0.3*sin(2*PI*${hertz}*t)+0.1*lt(mod(t,0.8),0.4)*(random(${at})-0.5))`;
    const sides = [`${turn(3000, 0)}+${turn(3000, 2)}`, `${turn(200, 1)}+${turn(200, 3)}`];
    const stereo = encodedMp3(
      `aevalsrc='${sides.join('|')}':s=16000:d=17`,
      '-b:a 64k -joint_stereo 0',
    );
    const voicesOf = async (keepsVoices: boolean) => {
      const speech = hostSpeech(root, { speechModel: tiny, speakers: 'on' });
      const request = { chunkBytes: PIECE, keepsVoices };
      const { plan, pieces } = await transcribed(speech, source(stereo), request);
      speech.close?.();
      expect(plan.engine).toMatchObject({ channels: 2 });
      return speech.voices!(plan, pieces, { ...request, language: 'en' } as TranscriptionRequest);
    };
    expect(await voicesOf(false)).toBeNull();
    const [one, other] = (await voicesOf(true))!.voices;
    expect([one!.speaker, other!.speaker]).toEqual(['0', '1']);
    expect(similarityOf(one!.print, other!.print)).toBeLessThan(0.5);
  });

  withFfmpeg(
    'unless they are asked for, no models are used or fetched, and nobody is named',
    async () => {
      const asked: string[] = [];
      const fetch = ({ url }: Request) => {
        if (/segmentation|speaker/.test(url)) asked.push(url);
        return new Response('', { status: 404 });
      };
      const host = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch });
      try {
        const modelsBaseUrl = host.url.href.replace(/\/$/, '');
        const bytes = tones([200, 3000]);
        for (const modelsDir of [root, withoutSpeakers]) {
          const off = { speakers: 'off' as const, modelsBaseUrl };
          const { plan, pieces, transcript } = await transcribe(bytes, modelsDir, PIECE, off);
          expect(Object.keys(plan.engine).filter((key) => key.startsWith('speakers'))).toEqual([]);
          expect(transcript.words.length).toBeGreaterThan(1);
          expect(transcript.words.filter(({ speaker }) => speaker !== undefined)).toEqual([]);
          for (const piece of pieces) expect(piece).not.toHaveProperty('voices');
        }
        expect(asked).toEqual([]);
        // The same run with speakers asks this host.
        await transcribe(bytes, withoutSpeakers, PIECE, { modelsBaseUrl });
        expect(asked).not.toEqual([]);
      } finally {
        await host.stop(true);
      }
    },
  );

  withFfmpeg(
    'speakers by voice without the models, the run continues without speakers and says so',
    async () => {
      const { plan, transcript } = await transcribe(tones([200, 3000]), withoutSpeakers);
      expect(String(plan.engine['speakersNote'])).toContain('Speakers are not distinguished: ');
      expect(plan.engine).not.toHaveProperty('speakers');
      expect(transcript.words.length).toBeGreaterThan(1);
      expect(transcript.words.filter(({ speaker }) => speaker !== undefined)).toEqual([]);
    },
  );

  test('a long piece is heard in stretches of at most five minutes', async () => {
    const audio = silentMp3(16, 640);
    const index = await indexMp3(audio);
    const lengths: number[] = [];
    const stop = new AbortController();
    const asked = {
      audio,
      index,
      range: { start: 2, end: 638 },
      signal: stop.signal,
    };
    const tell = (samples: Float32Array) => {
      lengths.push(samples.length / 16_000);
      const turns = [{ start: 1, end: 2, voice: 0 }];
      return Promise.resolve({ turns, prints: [[1]] });
    };
    const stretches = await findVoices(tell, asked);
    expect(lengths).toEqual([212, 212, 212]);
    expect(stretches.map(({ turns: [turn] }) => turn?.start)).toEqual([3, 215, 427]);

    // After a cancellation, nothing more is recognised.
    const reason = new Error('cancelled');
    const stopped = findVoices((samples) => {
      stop.abort(reason);
      return tell(samples);
    }, asked);
    await expect(stopped).rejects.toBe(reason);
    expect(lengths.length).toBeLessThan(6);
  });
});

describe('joining voices into speakers, and assigning words to their turns', () => {
  const SIZE = 16;

  /** Pseudo-random numbers from -1 to 1. */
  function random(seed: number): () => number {
    let state = (seed % 2_147_483_646) + 1;
    return () => (state = (state * 16_807) % 2_147_483_647) / 1_073_741_823.5 - 1;
  }

  /** A person's voice embedding, slightly different each time. */
  function printOf(person: number, noise: () => number): number[] {
    const print = Array.from({ length: SIZE }, (_, at) => (at === person ? 1 : 0) + 0.12 * noise());
    const length = Math.hypot(...print);
    return print.map((value) => value / length);
  }

  /**
   * People's turns as stretches of a recording, each with its voices numbered in a different order.
   */
  function heardAs(turns: readonly SpeakerTurn[], length: number, seed: number): VoiceStretch[] {
    const noise = random(seed);
    const end = Math.max(0, ...turns.map((turn) => turn.end));
    return Array.from({ length: Math.max(1, Math.ceil(end / length)) }, (_, at) => {
      const from = at * length;
      const own = turns
        .map((turn) => ({
          ...turn,
          start: Math.max(turn.start, from),
          end: Math.min(turn.end, from + length),
        }))
        .filter((turn) => turn.end - turn.start > 0);
      const people = [...new Set(own.map(({ speaker }) => speaker))];
      if (noise() > 0) people.reverse();
      return {
        start: from,
        end: from + length,
        turns: own.map(({ start, end: until, speaker }): VoiceTurn => ({
          start,
          end: until,
          voice: people.indexOf(speaker),
        })),
        prints: people.map((person) => printOf(Number(person), noise)),
      };
    });
  }

  /** People with turns of seven to twenty seconds. */
  const talk = fc
    .array(fc.record({ who: fc.nat(4), length: fc.integer({ min: 7, max: 20 }) }), {
      minLength: 1,
      maxLength: 25,
    })
    .map((turns) => {
      let at = 0;
      return turns.map(({ who, length }): SpeakerTurn => {
        const start = at;
        at += length + 0.5;
        return { start, end: start + length, speaker: String(who) };
      });
    });

  /** Speakers numbered in the order of their first turns. */
  function inOrder(speakers: readonly string[]): string[] {
    const order = [...new Set(speakers)];
    return speakers.map((speaker) => String(order.indexOf(speaker)));
  }

  const wordsIn = (turns: readonly SpeakerTurn[]) =>
    turns.flatMap(({ start, end }) =>
      Array.from({ length: Math.floor((end - start) / 0.5) }, (_, at) => ({
        text: 'word',
        start: start + at * 0.5 + 0.05,
        end: start + at * 0.5 + 0.4,
      })),
    );

  test('one person is one speaker in all stretches, however the stretches number voices', () => {
    fc.assert(
      fc.property(talk, fc.integer({ min: 30, max: 300 }), fc.nat(), (turns, length, seed) => {
        const joined = joinVoices(heardAs(turns, length, seed));
        const whole = joinVoices(heardAs(turns, 10_000, seed));
        const at = (all: readonly SpeakerTurn[], time: number) =>
          all.find(({ start, end }) => time >= start && time <= end)?.speaker;
        const middles = turns.map(({ start }) => start + 0.01);
        expect(middles.map((time) => at(joined, time))).toEqual(
          inOrder(turns.map(({ speaker }) => speaker)),
        );
        expect(middles.map((time) => at(whole, time))).toEqual(
          middles.map((time) => at(joined, time)),
        );
      }),
    );
  });

  test('a voice that speaks only briefly counts as the most similar speaker, unless nobody speaks longer', () => {
    const noise = random(5);
    const long = { start: 0, end: 60, voice: 0 };
    const short = { start: 61, end: 61.6, voice: 1 };
    const prints = [printOf(0, noise), printOf(1, noise)];
    const names = (turns: VoiceTurn[]) =>
      joinVoices([{ start: 0, end: 70, turns, prints }]).map(({ speaker }) => speaker);
    expect(names([long, short])).toEqual(['0', '0']);
    expect(names([{ ...long, end: 1 }, short])).toEqual(['0', '1']);
    expect(names([long, { ...short, end: 65 }])).toEqual(['0', '1']);
  });

  test('a voice without a voiceprint counts as the nearest speaker; without any voiceprint there is one speaker', () => {
    const turns = [
      { start: 0, end: 5, voice: 0 },
      { start: 5.1, end: 5.4, voice: 2 },
      { start: 9, end: 15, voice: 1 },
    ];
    const stretch = { start: 0, end: 20, turns };
    const noise = random(1);
    const prints = [printOf(0, noise), printOf(1, noise), null];
    const names = (all: VoiceStretch['prints']) =>
      joinVoices([{ ...stretch, prints: all }]).map(({ speaker }) => speaker);
    expect(names(prints)).toEqual(['0', '0', '1']);
    expect(names([null, null, null])).toEqual(['0', '0', '0']);
    expect(joinVoices([])).toEqual([]);
  });

  test('thousands of noisy voices take hardly any time, and yield a limited number of speakers', () => {
    const noise = random(3);
    const stretches = Array.from({ length: 700 }, (_, at): VoiceStretch => {
      const start = at * 60;
      const prints = Array.from({ length: 3 }, () => {
        const print = Array.from({ length: 192 }, noise);
        const length = Math.hypot(...print);
        return print.map((value) => value / length);
      });
      const turns = prints.map((_print, voice) => ({
        start: start + voice * 20,
        end: start + voice * 20 + 19,
        voice,
      }));
      return { start, end: start + 60, turns, prints };
    });
    const before = process.cpuUsage().user;
    const joined = joinVoices(stretches);
    expect(new Set(joined.map(({ speaker }) => speaker)).size).toBeLessThanOrEqual(40);
    // At most half a second on the slowest machine; a run's computation may take twenty.
    expect((process.cpuUsage().user - before) / 1e6).toBeLessThan(10);
  });

  test('where two speak at once, a word is of whoever spoke before', () => {
    const turn = (start: number, end: number, speaker: string) => ({ start, end, speaker });
    const words = [0, 1.1, 3.1, 5].map((start) => ({ start, end: start + 0.5, text: 'so' }));
    const turns = [
      turn(0, 3, '0'),
      turn(1, 1.8, '1'),
      turn(3, 4, '1'),
      turn(3, 4, '0'),
      turn(5, 6, '1'),
    ];
    expect(speakersOfWords(words as never, turns).map(({ speaker }) => speaker)).toEqual([
      '0',
      '0',
      '0',
      '1',
    ]);
  });

  test('words keep their text, times and order, and each has the speaker of the turn with most of it', () => {
    fc.assert(
      fc.property(
        talk,
        fc.array(fc.integer({ min: -2, max: 2 }), { minLength: 1, maxLength: 9 }),
        (turns, jitter) => {
          const words = wordsIn(turns);
          // A change of speaker is detected up to 0.1 s away from the true one.
          const heard = turns.map((turn, at) => ({
            ...turn,
            start: turn.start + (jitter[at % jitter.length] ?? 0) / 20,
            end: turn.end + (jitter[(at + 1) % jitter.length] ?? 0) / 20,
          }));
          const spoken = speakersOfWords(words, heard);
          expect(spoken.map(({ text, start, end }) => ({ text, start, end }))).toEqual(words);
          const truth = turns.flatMap((turn) => wordsIn([turn]).map(() => turn.speaker));
          expect(spoken.map(({ speaker }) => speaker)).toEqual(truth);
        },
      ),
    );
  });

  test('a word far from all turns has the speaker of the word before, the first ones that of the nearest turn', () => {
    const turns = [
      { start: 10, end: 12, speaker: '1' },
      { start: 60, end: 62, speaker: '0' },
    ];
    const word = (start: number) => ({ text: 'a', start, end: start + 0.3 });
    const spoken = speakersOfWords([1, 10.5, 11.9, 30, 40, 61].map(word), turns);
    expect(spoken.map(({ speaker }) => speaker)).toEqual(['1', '1', '1', '1', '1', '0']);
    expect(speakersOfWords([word(1)], [])).toEqual([word(1)]);
  });

  test('pieces without voices are unchanged, and failed stretches are reported', () => {
    const pieces = [{ words: [{ text: 'a', start: 0, end: 1 }] }];
    expect(withSpeakers(pieces)).toBe(pieces);
    const transcript = { metadata: { a: 1 } } as unknown as Parameters<typeof withSpeakerNote>[0];
    expect(withSpeakerNote(transcript, pieces)).toBe(transcript);
    const voices: VoiceStretch[] = [
      { start: 0, end: 5, turns: [], prints: [], failed: 'lost' },
      { start: 5, end: 9, turns: [], prints: [] },
    ];
    expect(withSpeakerNote(transcript, [{ words: [], voices }]).metadata).toEqual({
      a: 1,
      speakersNote: 'Speakers could not be distinguished in 1 of 2 stretches: lost',
    });
  });

  needsShared('audio/speech/references.json')(
    'the speakers of real conversations are found again from their turns, heard in short stretches',
    () => {
      const { speakers } = JSON.parse(
        readFileSync(shared('audio/speech/references.json'), 'utf8'),
      ) as {
        speakers: {
          'three-speakers-a.mp3': { words: { text: string; speaker: number }[] };
          'three-speakers-b.mp3': { segments: { start: number; end: number; speaker: number }[] };
        };
      };
      const a = speakers['three-speakers-a.mp3'].words.map((word, at) => ({
        start: at * 0.5,
        end: at * 0.5 + 0.5,
        speaker: String(word.speaker),
      }));
      const b = speakers['three-speakers-b.mp3'].segments.map((segment) => ({
        ...segment,
        speaker: String(segment.speaker),
      }));
      for (const turns of [a, b]) {
        for (const length of [4, 7, 300]) {
          const words = wordsIn(turns);
          const found = speakersOfWords(words, joinVoices(heardAs(turns, length, length)));
          const truth = turns.flatMap((turn) => wordsIn([turn]).map(() => turn.speaker));
          expect(found.map(({ speaker }) => speaker)).toEqual(inOrder(truth));
        }
      }
    },
  );
});

test('a stretch whose voices cannot be distinguished has a reason without folders, unless the run has ended', async () => {
  const audio = silentMp3(16, 2);
  const stop = new AbortController();
  const { signal } = stop;
  const asked = { audio, index: await indexMp3(audio), range: { start: 0, end: 2 }, signal };
  const fail = () => Promise.reject(new Error('no /srv/models/voices.onnx'));
  expect(await findVoices(fail, asked)).toEqual([
    { start: 0, end: 2, turns: [], prints: [], failed: 'no voices.onnx' },
  ]);
  const reason = new Error('cancelled');
  const stopped = findVoices(() => {
    stop.abort(reason);
    return fail();
  }, asked);
  await expect(stopped).rejects.toBe(reason);
});

test('a voice between two is a doubt: its turns are listed, and its speaker is less sure', () => {
  const turn = (start: number, voice: number) => ({ start, end: start + 10, voice });
  const stretch = {
    start: 0,
    end: 50,
    turns: [0, 1, 2, 3, 4].map((voice) => turn(10 * voice, voice)),
    prints: [[1, 0], [0, 1], [1, 0.05], [0.7, 0.68], null],
  };
  const heard = { words: [], language: 'en', duration: 50, utterances: [], paragraphs: [] };
  const transcript = { ...heard, text: '' } as unknown as Parameters<
    typeof withSpeakerConfidence
  >[0];
  const found = withSpeakerConfidence(transcript, [{ words: [], voices: [stretch] }]);
  // Two that follow each other are one.
  expect(found.metadata?.['doubtfulTurns']).toEqual([{ start: 30, end: 50 }]);
  expect(found.metadata?.['speakerConfidence']).toMatchObject({ 1: 1 });
  const both = { ...stretch, turns: [...stretch.turns, { start: 12, end: 13, voice: 4 }] };
  const atOnce = withSpeakerConfidence(transcript, [{ words: [], voices: [both] }]);
  expect([found, atOnce].map(({ metadata }) => metadata?.['speechAtOnce'])).toEqual([
    [],
    [{ start: 12, end: 13 }],
  ]);
  const one = { ...stretch, prints: stretch.prints.map(() => [1, 0]) };
  expect(withSpeakerConfidence(transcript, [{ words: [], voices: [one] }])).toBe(transcript);
  // Somebody so quiet that no voice is heard; a word at the edge of a turn is no such turn.
  const said = [49.9, 53, 53.5, 54].map((start) => ({ text: 'yes', start, end: start + 0.4 }));
  const words = { ...transcript, words: said };
  const quiet = withSpeakerConfidence(words, [{ words: [], voices: [stretch] }]);
  expect(quiet.metadata?.['doubtfulTurns']).toEqual([
    { start: 30, end: 50 },
    { start: 53, end: 54.4 },
  ]);
});
