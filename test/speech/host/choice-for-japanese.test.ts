/** The choice of a model for Japanese, which has several: SenseVoice, a large Whisper, and a small one. */
import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'bun:test';
import { hearingOf } from '../../../server/models/machine-notes.ts';
import { realTime } from '../../../server/waiting.ts';
import { until } from '../../support/servers/client.ts';
import { modelStore } from '../../models/support.ts';
import { choosingEngines } from './choosing-engines.ts';

const store = modelStore();
const { senseVoice, whisper, library, transducer, engines } = choosingEngines(store);

describe('Japanese', () => {
  beforeEach(async () => {
    await senseVoice();
    await library();
  });

  test.each(['turbo', 'medium'])(
    'is transcribed by a large Whisper if %s is installed',
    async (size) => {
      await whisper(size);
      const { choose } = await engines();
      expect(await choose('ja')).toEqual({
        engine: 'whisper',
        model: `whisper-${size}`,
        acceptsTerms: true,
      });
      // That model does not know Cantonese.
      expect(await choose('yue')).toEqual({ engine: 'sherpa-onnx', model: 'sense-voice' });
    },
  );

  test('is transcribed by the requested model, or the one that the operator named', async () => {
    await whisper('turbo');
    const sense = { engine: 'sherpa-onnx', model: 'sense-voice' } as const;
    expect(await (await engines()).choose('ja', 'sense-voice')).toEqual(sense);
    expect(await (await engines({ speechModel: 'sense-voice' })).choose('ja')).toEqual(sense);
    await whisper('small');
    expect(await (await engines()).choose('ja', 'whisper-small')).toMatchObject({
      model: 'whisper-small',
    });
  });

  test('is transcribed by another model if its own does not work, which is tested once', async () => {
    await whisper('small');
    const { choose, tested } = await engines({}, () => {
      throw new Error('it crashes');
    });
    for (let at = 0; at < 2; at += 1) {
      expect(await choose('ja')).toEqual({
        engine: 'whisper',
        model: 'whisper-small',
        acceptsTerms: true,
        note: 'whisper-small is used instead of sense-voice: it crashes.',
      });
    }
    // The run itself shows whether the last one works.
    expect(tested).toEqual(['sense-voice', 'whisper-small']);
  });

  test('has its model tested once by all processes together, whoever chose it', async () => {
    const working = await engines();
    for (const language of ['ja', 'ko', 'yue', 'ja']) await working.choose(language);
    expect(working.tested).toEqual(['sense-voice']);
    const other = await engines();
    await other.choose('ja', 'sense-voice');
    expect(other.tested).toEqual([]);
    // Another version of the model is tested again.
    await senseVoice();
    await utimes(join(store.path, 'sense-voice', 'model.onnx'), 1, 1);
    await other.choose('ja', 'sense-voice');
    expect(other.tested).toEqual(['sense-voice']);
  });

  test.each([
    [{ wrong: 6 }, 'sense-voice got 6 of 20 words of a known recording wrong'],
    [{ timed: false }, 'sense-voice gave no times for the words of a known recording'],
  ])('is not transcribed by a model that hears so badly: %j', async (heard, doubt) => {
    const hear = (name: string) => (name === 'sense-voice' ? heard : {});
    const alone = await engines({}, hear);
    expect(await alone.choose('ja')).toMatchObject({
      model: 'sense-voice',
      note: `Expect wrong words: ${doubt}.`,
    });
    await whisper('small');
    const { choose, tested } = await engines({}, hear);
    const replaced = { model: 'whisper-small', note: expect.stringContaining(doubt) };
    for (let at = 0; at < 2; at += 1) expect(await choose('ja')).toMatchObject(replaced);
    // The first engines have noted the result; a model that was asked for is used in spite of it.
    expect(tested).toEqual(['whisper-small']);
    expect(await choose('ja', 'sense-voice')).toMatchObject({
      model: 'sense-voice',
      note: `Expect wrong words: ${doubt}.`,
    });
  });

  test('does not wait longer than ten seconds for the test, which goes on', async () => {
    const finish = Promise.withResolvers<void>();
    const waited: number[] = [];
    const pause = async (ms: number) => void waited.push(ms);
    const { choose } = await engines({}, () => ({ wrong: 20 }), {
      waiting: { ...realTime, pause },
      until: finish.promise,
    });
    await whisper('small');
    for (let at = 0; at < 2; at += 1) {
      expect(await choose('ja')).toEqual({ engine: 'sherpa-onnx', model: 'sense-voice' });
    }
    expect(waited).toEqual([10_000]);
    finish.resolve();
    await until(async () => (await hearingOf(store.path, 'sense-voice')) !== null);
    expect(await choose('ja')).toMatchObject({ model: 'whisper-small' });
  });

  test('has its model tested again if the run was cancelled meanwhile', async () => {
    const cancel = new AbortController();
    const { choose, tested } = await engines({}, () => {
      if (cancel.signal.aborted) return;
      cancel.abort(new Error('cancelled'));
      throw new Error('killed');
    });
    await expect(choose('ja', undefined, cancel.signal)).rejects.toThrow('cancelled');
    expect(await choose('ja')).toEqual({ engine: 'sherpa-onnx', model: 'sense-voice' });
    expect(tested).toEqual(['sense-voice', 'sense-voice']);
  });
});

test('a large Whisper is used for no language that has another model', async () => {
  await whisper('turbo');
  await transducer('parakeet-v3');
  expect(await (await engines()).choose('de')).toMatchObject({ model: 'parakeet-v3' });
});
