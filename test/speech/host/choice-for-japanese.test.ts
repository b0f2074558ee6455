/** The choice of a model for Japanese, which has several: SenseVoice, a large Whisper, and a small one. */
import { beforeEach, describe, expect, test } from 'bun:test';
import { modelStore } from '../../models/support.ts';
import { choosingEngines } from './choosing-engines.ts';

const { senseVoice, whisper, library, transducer, engines } = choosingEngines(modelStore());

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
        note: 'whisper-small is used instead of sense-voice: it crashes',
      });
    }
    expect(tested).toEqual(['sense-voice']);
  });

  test('has its model tested once, and only if another one may stand in', async () => {
    const working = await engines();
    for (const language of ['ja', 'ko', 'yue', 'ja']) await working.choose(language);
    expect(working.tested).toEqual(['sense-voice']);
    const named = await engines();
    await named.choose('ja', 'sense-voice');
    expect(named.tested).toEqual([]);
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
