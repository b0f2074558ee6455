/** The calls of a recogniser process to sherpa-onnx to distinguish voices, and the use of the results. */
import { beforeEach, describe, expect, test } from 'bun:test';
import { indexMp3 } from '../../../server/mp3/frames.ts';
import { loadDiarizer, type SpeakerLibrary } from '../../../server/speech/host/speakers/diarize.ts';
import { findVoices } from '../../../server/speech/host/speakers/voices.ts';
import { silentMp3 } from './silent-mp3.ts';

describe('the voices', () => {
  type Turn = [start: number, end: number, speaker: number];
  let configs: object[] = [];
  let waves: number[][] = [];
  let ready = true;
  let print = [3, 4];
  let turns: Turn[] = [];
  let external: boolean[] = [];
  beforeEach(() => {
    [configs, waves, ready, print, external] = [[], [], true, [3, 4], []];
  });
  const speakers = {
    OfflineSpeakerDiarization: class {
      constructor(config: object) {
        configs.push(config);
      }
      process = () => turns.map(([start, end, speaker]) => ({ start, end, speaker }));
    },
    SpeakerEmbeddingExtractor: class {
      constructor(config: object) {
        configs.push(config);
      }
      createStream() {
        const wave: number[] = [];
        waves.push(wave);
        return {
          acceptWaveform: ({
            sampleRate,
            samples: own,
          }: {
            sampleRate: number;
            samples: Float32Array;
          }) => void wave.push(Math.round(own[0]! * 100) / 100, own.length / sampleRate),
          inputFinished: () => void wave.push(-1),
        };
      }
      isReady = () => ready;
      compute(_: unknown, externalBuffer: boolean) {
        external.push(externalBuffer);
        return Float32Array.from(print);
      }
    },
  } as unknown as SpeakerLibrary;

  let models = 0;
  /** The voices in samples whose values are their seconds. */
  function voices(own: Turn[], again = false) {
    turns = own;
    models += again ? 0 : 1;
    const files = { segmentation: `s-${models}`, embedding: 'e' };
    const seconds = Float32Array.from({ length: 100 * 16_000 }, (_, at) => at / 16_000);
    return loadDiarizer(speakers, { kind: 'speakers', files })(seconds);
  }

  test('are found with these settings, loaded once', () => {
    voices([]);
    voices([], true);
    const shared = { numThreads: 1, provider: 'cpu', debug: 0 };
    expect(configs).toEqual([
      {
        segmentation: { pyannote: { model: `s-${models}` }, ...shared },
        embedding: { model: 'e', ...shared },
        clustering: { numClusters: -1, threshold: 0.9 },
        minDurationOn: 0.3,
        minDurationOff: 0.5,
      },
      { model: 'e', ...shared },
    ]);
    voices([]);
    expect(configs).toHaveLength(4);
  });

  test('have turns in order, and a print of length 1 each', () => {
    expect(
      voices([
        [5, 8, 1],
        [0, 4, 0],
      ]),
    ).toEqual({
      turns: [
        { start: 0, end: 4, voice: 0 },
        { start: 5, end: 8, voice: 1 },
      ],
      prints: [
        [0.6, 0.8],
        [0.6, 0.8],
      ],
    });
    expect(waves).toEqual([
      [0, 4, -1],
      [5, 3, -1],
    ]);
    expect(external).toEqual([false, false]);
    expect(voices([])).toEqual({ turns: [], prints: [] });
  });

  test('have prints of the parts in which they speak alone, the longest first', () => {
    voices([
      [0, 10, 0],
      [2, 3, 1],
      [12, 13, 0],
    ]);
    expect(waves[0]).toEqual([3, 7, 0, 2, 12, 1, -1]);
    // The other speaks only while the first does.
    expect(
      voices([
        [0, 10, 0],
        [2, 3, 1],
      ]).prints[1],
    ).toBeNull();
    // Turns that only touch are alone.
    voices([
      [0, 2, 0],
      [2, 4, 1],
    ]);
    expect(waves.slice(-2)).toEqual([
      [0, 2, -1],
      [2, 2, -1],
    ]);
  });

  test('have prints of half a minute at most, and of half a second at least', () => {
    voices([
      [0, 20, 0],
      [30, 60, 0],
    ]);
    expect(waves[0]).toEqual([30, 30, -1]);
    voices([
      [0, 20, 0],
      [30, 45, 0],
    ]);
    expect(waves[1]).toEqual([0, 20, 30, 10, -1]);
    expect(voices([[0, 0.5, 0]]).prints).toEqual([[0.6, 0.8]]);
    expect(voices([[0, 0.49, 0]]).prints).toEqual([null]);
  });

  test('have no print if the model gives none', () => {
    ready = false;
    expect(voices([[0, 4, 0]]).prints).toEqual([null]);
    ready = true;
    for (const bad of [
      [0, 0],
      [Number.NaN, 1],
      [Infinity, 1],
    ]) {
      print = bad;
      expect(voices([[0, 4, 0]]).prints).toEqual([null]);
    }
    print = [1 / 3, 1];
    expect(voices([[0, 4, 0]]).prints).toEqual([[0.3162, 0.9487]]);
  });
});

test('a stretch that fails has a reason without folders, unless the run has ended', async () => {
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
