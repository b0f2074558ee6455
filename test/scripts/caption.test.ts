/** The caption command: its options, the recordings it finds, what it writes, and what it prints. */
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  spyOn,
  test,
} from 'bun:test';
import { existsSync } from 'node:fs';
import {
  link,
  mkdir,
  open,
  readdir,
  readFile,
  realpath,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { asMp3 } from '../../scripts/as-mp3.ts';
import {
  type Options,
  checkPacks,
  formatsOf,
  glossaryOf,
  payloadOf,
  profileOptions,
  namesOf,
  withNames,
} from '../../scripts/caption-options.ts';
import { profileOf } from '../../server/captions/rules/profiles/profiles.ts';
import { translatedResult } from '../../server/translation/result.ts';
import { sentencesOf } from '../../server/translation/sentences.ts';
import { translateSentences } from '../../server/translation/translate.ts';
import { dictionaryOf, honest } from '../support/doubles/translators.ts';
import { type Output, planOutputs } from '../../scripts/caption-outputs.ts';
import { isTranslated } from '../../scripts/translate-files.ts';
import { TMX_END, TMX_HEAD, tmxUnit } from '../../server/translation/tmx.ts';
import { captionRecordings, type Work } from '../../scripts/caption-recordings.ts';
import { CommandFailure, UsageError } from '../../scripts/command-line.ts';
import { fileAudio, notAnMp3, requireReadable } from '../../scripts/recording.ts';
import { findRecordings } from '../../scripts/recordings.ts';
import { prepareSpeech } from '../../scripts/speech-engine.ts';
import { progressLine } from '../../scripts/terminal.ts';
import { openTranscriber } from '../../scripts/transcribe.ts';
import { readConfig } from '../../server/config/config.ts';
import { resolvePayload } from '../../server/contract/payload.ts';
import type { CaptionerResult } from '../../server/contract/results.ts';
import { indexMp3 } from '../../server/mp3/frames.ts';
import { parseFrameHeader } from '../../server/mp3/header.ts';
import { wavFile } from '../../server/speech/host/pocketsphinx.ts';
import { type HttpDouble, startHttpDouble } from '../support/doubles/http-double.ts';
import { DEEPGRAM_KEY } from '../support/doubles/provider-keys.ts';
import { deepgramAnswer, deepgramWire, TALK } from '../support/doubles/speech-doubles.ts';
import { writeTinyModel } from '../support/doubles/tiny-model.ts';
import type { Any } from '../support/servers/client.ts';
import { chirp } from '../support/servers/pipeline-run.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';
import * as examples from '../../server/http/openapi/examples.ts';
import {
  HOUSE_PROFILE_FORMAT,
  houseProfileFrom,
} from '../../server/captions/rules/profiles/house-profile.ts';
import { listening, restoring } from './support.ts';

type Task = Parameters<typeof captionRecordings>[0];

type Wanted = Parameters<typeof planOutputs>[0];

describe('the options of the caption command', async () => {
  const folder = await temporaryFolder();
  afterAll(() => removeFolder(folder));
  const file = (name: string) => join(folder, name);

  describe('the formats', () => {
    test.each([
      [{}, ['srt']],
      [{ output: 'made.v2/' }, ['srt']],
      [{ output: 'made/talk.VTT' }, ['vtt']],
      [{ output: 'talk.txt', format: 'srt' }, ['srt']],
      [{ format: ' SRT, vtt,,srt ' }, ['srt', 'vtt']],
    ])('of %j are %j', (options, formats) => {
      expect(formatsOf(options)).toEqual(formats);
    });

    test.each([
      [{ format: 'srt,doc' }, 'not doc.'],
      [{ format: ',' }, 'not ,.'],
      [{ output: 'talk.doc' }, '.doc is not a caption format'],
    ])('of %j are refused: %s', (options, says) => {
      expect(() => formatsOf(options)).toThrow(UsageError);
      expect(() => formatsOf(options)).toThrow(says);
    });
  });

  test.each<[Options, string]>([
    [{ width: 'wide' }, '--width must be'],
    [{ lines: '9' }, '--lines must be'],
    [{ packs: 'identity-auth,no-such-pack' }, 'must be among identity-auth, not no-such-pack.'],
  ])('%j is incorrect usage: %s', (more, says) => {
    const options = { language: 'en', provider: 'edge', ...more };
    const check = () => {
      checkPacks(options, ['identity-auth']);
      payloadOf('talk.mp3', options, undefined);
    };
    expect(check).toThrow(UsageError);
    expect(check).toThrow(says);
  });

  test.each([
    ['talk.de.srt', true],
    ['talk.DE.incomplete.vtt', true],
    ['talk.pt-BR.srt', true],
    ['talk.en.srt', false],
    ['made.srt', false],
  ])('%s is a translation into German or Portuguese: %p', (path, is) => {
    expect(isTranslated(path, ['de', 'pt-BR'])).toBe(is);
  });

  test('a glossary is the text itself, or that of a file', async () => {
    await writeFile(file('terms.txt'), 'AuthKit\nSCIM\n');
    const read = (glossary?: string) => glossaryOf(glossary ? { glossary } : {});
    expect(await read()).toBeUndefined();
    expect(await read('AuthKit, ann@example.com')).toBe('AuthKit, ann@example.com');
    expect(await read(`@${file('terms.txt')}`)).toBe('AuthKit\nSCIM\n');
    await expect(read('@none.txt')).rejects.toThrow('The glossary none.txt cannot be read');
  });

  test('names are those of files, after the terms of the glossary', async () => {
    await writeFile(file('list.csv'), 'Name,Company\nJosé Pérez,"Acme, Inc"\n');
    await writeFile(file('note.txt'), 'We use OktaBridge and kubectl with José Pérez.');
    const names = await namesOf({
      names: `${file('list.csv')}, ${file('note.txt')}`,
    });
    expect(names).toEqual(['Acme, Inc', 'José Pérez', 'OktaBridge']);
    const glossary = withNames('SCIM, OktaBridge', names);
    expect(glossary).toEqual(['SCIM', 'OktaBridge', 'Acme, Inc', 'José Pérez']);
    expect(payloadOf('a.mp3', { names: 'x' }, glossary)).toMatchObject({ glossary });
    expect(withNames('SCIM', [])).toBe('SCIM');
    await writeFile(file('picture.png'), new Uint8Array([0x89, 0x50, 0, 0]));
    const refused = namesOf({ names: file('picture.png') });
    await expect(refused).rejects.toThrow('This is not a file with text');
    await expect(namesOf({ names: 'none.pdf' })).rejects.toThrow('cannot be read');
  });

  describe('a profile', () => {
    beforeAll(async () => {
      const house = {
        format: 'captioner-profile-1',
        name: 'Narrow',
        base: 'bbc',
        maxLineChars: 18,
      };
      await writeFile(file('narrow.json'), JSON.stringify(house));
      await writeFile(file('broken.json'), '{');
      await writeFile(file('shots.txt'), '2\n3.5, 4\n');
    });

    test('is named, with the frame rate and the shots of a list or a file', async () => {
      expect(await profileOptions({ profile: 'netflix' })).toEqual({
        query: { profile: 'netflix' },
      });
      expect(
        await profileOptions({
          profile: 'netflix',
          'frame-rate': '25',
          shots: ' 1.5,2  3,',
        }),
      ).toEqual({ query: { profile: 'netflix', frameRate: '25', shots: '1.5,2,3' } });
      const { query } = await profileOptions({
        profile: 'bbc',
        shots: `@${file('shots.txt')}`,
      });
      expect(query.shots).toBe('2,3.5,4');
    });

    test('is not needed for formats that count frames', async () => {
      const { query } = await profileOptions({
        format: 'stl,vtt',
        'frame-rate': '29.97',
        'drop-frame': 'true',
        start: '10:00:00;00',
        karaoke: 'true',
      });
      expect(query as unknown).toEqual({
        frameRate: '29.97',
        dropFrame: 'true',
        start: '10:00:00;00',
        karaoke: 'true',
      });
    });

    test('may be a file, with the frame rate of the video', async () => {
      const { query, house } = await profileOptions({
        profile: file('narrow.json'),
        'frame-rate': '25',
      });
      expect(query as unknown).toEqual({ frameRate: '25' });
      expect(house).toMatchObject({ name: 'Narrow' });
    });

    test.each<[Options, string]>([
      [{ 'frame-rate': '25' }, 'need --profile, or a format that counts frames'],
      [{ start: '10:00:00:00', format: 'srt' }, 'need --profile, or a format that counts frames'],
      [{ start: '10:00:00:30', format: 'stl' }, '--start must be time code'],
      [{ karaoke: 'true', format: 'srt' }, '--karaoke needs a format'],
      [{ shots: '1' }, '--shots needs --profile.'],
      [{ profile: 'netflix', shots: 'one' }, '--shots must be seconds'],
      [{ profile: 'netflix', shots: ' , ' }, '--shots must be seconds'],
      [{ profile: 'netflix', shots: '1,-2' }, '--shots must be seconds'],
      [{ profile: 'netflix', shots: '1,2s' }, '--shots must be seconds'],
      [{ profile: file('none.json') }, `or a file that can be read, not ${file('none.json')}.`],
      [{ profile: file('broken.json') }, `The profile ${file('broken.json')} cannot be used:\n`],
    ])('%j is incorrect usage: %s', async (options, says) => {
      await expect(profileOptions(options)).rejects.toThrow(UsageError);
      await expect(profileOptions(options)).rejects.toThrow(says);
    });
  });
});

describe('where captions go', async () => {
  let folder = '';
  const at = (name: string) => join(folder, name);
  const content = (name: string) => readFile(at(name), 'utf8');
  beforeEach(async () => {
    folder = await realpath(await temporaryFolder());
    await mkdir(at('sub'));
    for (const name of ['talk.mp3', 'talk.m4a', 'other.mp3'])
      await writeFile(at(name), 'recording');
  });
  afterEach(() => removeFolder(folder));

  const planned = (wanted: Partial<Wanted>) =>
    planOutputs({
      recordings: [at('talk.mp3')],
      formats: ['srt'],
      overwrite: false,
      filesOnly: false,
      ...wanted,
    });

  describe('the file of captions', () => {
    const captionsFile = async (name: string) =>
      (await planned({ output: at(name) })).get(at('talk.mp3'))![0]!;

    test('is replaced as a whole, and not before the captions are there', async () => {
      await writeFile(at('talk.srt'), 'before');
      const file = await captionsFile('talk.srt');
      expect(await content('talk.srt')).toBe('before');
      await file.write('captions');
      expect(await content('talk.srt')).toBe('captions');
      expect((await readdir(folder)).filter((name) => name.includes('.part'))).toEqual([]);
    });

    test('is the one that a link leads to, and the link stays', async () => {
      await symlink('sub/first.srt', at('talk.srt'));
      await symlink('real.srt', at('sub/first.srt'));
      await (await captionsFile('talk.srt')).write('captions');
      expect(await realpath(at('talk.srt'))).toBe(at('sub/real.srt'));
      expect(await content('sub/real.srt')).toBe('captions');
    });

    test('may be a pipe, which is written and not replaced', async () => {
      Bun.spawnSync(['mkfifo', at('pipe')]);
      // Open at both ends, so that nothing waits for the other.
      const pipe = await open(at('pipe'), 'r+');
      await (await captionsFile('pipe')).write('captions');
      expect((await stat(at('pipe'))).isFIFO()).toBe(true);
      const { bytesRead, buffer } = await pipe.read(Buffer.alloc(100), 0, 100);
      expect(buffer.toString('utf8', 0, bytesRead)).toBe('captions');
      await pipe.close();
    });

    test('may not be the recording, under whatever name, and needs a place; a refusal leaves nothing behind', async () => {
      await link(at('talk.mp3'), at('hard.srt'));
      await symlink('talk.mp3', at('soft.srt'));
      await symlink('circle', at('circle'));
      const names = async () => [await readdir(folder), await readdir(at('sub'))];
      const before = await names();
      const isRecording = 'is the recording: captions would overwrite it.';
      for (const [name, says] of [
        ['talk.mp3', isRecording],
        ['hard.srt', isRecording],
        ['soft.srt', isRecording],
        ['none/v.srt', 'there is no folder'],
        ['circle', 'is a link to itself'],
        ...(existsSync('/proc/self')
          ? [['../../../../../proc/v.srt', 'Nothing can be written']]
          : []),
      ] as const) {
        const refused = captionsFile(name);
        await expect(refused).rejects.toThrow(CommandFailure);
        await expect(refused).rejects.toThrow(says);
      }
      expect(await names()).toEqual(before);
      expect(await content('talk.mp3')).toBe('recording');
    });

    test('that cannot be put in place leaves nothing behind', async () => {
      const file = await captionsFile('talk.srt');
      await mkdir(at('talk.srt'));
      await writeFile(at('talk.srt/mine.txt'), '');
      await expect(file.write('captions')).rejects.toThrow(
        `${at('talk.srt')} could not be written: `,
      );
      expect((await readdir(folder)).filter((name) => name.includes('.part'))).toEqual([]);
    });
  });

  describe('the outputs of a command', () => {
    const plan = async (wanted: Partial<Wanted>): Promise<unknown[][]> =>
      [...(await planned(wanted))].map(([recording, outputs]) => [
        recording,
        outputs.map(({ format, path }) => [format, path]),
      ]);

    test('of translations lie beside the file that is named, and replace nothing unasked', async () => {
      const languages = ['de', 'pt-BR'];
      const [[, outputs] = []] = await plan({ output: at('sub/talk.vtt'), languages });
      expect(outputs).toEqual([
        ['srt', at('sub/talk.vtt')],
        ['srt', at('sub/talk.de.vtt')],
        ['srt', at('sub/talk.pt-BR.vtt')],
      ]);
      await expect(plan({ output: '-', languages })).rejects.toThrow('Standard output takes one');
      await expect(plan({ output: '-', filesOnly: true })).rejects.toThrow('takes no captions');
      const [[, inFolder] = []] = await plan({ output: at('sub/'), formats: ['srt'], languages });
      expect(inFolder).toEqual([
        ['srt', at('sub/talk.srt')],
        ['srt', at('sub/talk.de.srt')],
        ['srt', at('sub/talk.pt-BR.srt')],
      ]);
      await writeFile(at('sub/talk.de.vtt'), '');
      const taken = plan({ output: at('sub/talk.vtt'), languages });
      await expect(taken).rejects.toThrow('--overwrite replaces it');
    });

    test('on standard output are complete once it has taken them', async () => {
      const output = (await planned({})).get(at('talk.mp3'))?.[0];
      const taken = (error?: Error) =>
        spyOn(process.stdout, 'write').mockImplementation((_, after) => {
          setImmediate(after as (error?: Error) => void, error);
          return true;
        });
      const whole = taken();
      await output?.write('captions');
      expect(whole.mock.calls[0]?.[0]).toBe('captions');
      whole.mockRestore();
      const broken = taken(new Error('the reader is gone'));
      const failed = await output?.write('captions').catch(String);
      broken.mockRestore();
      expect(failed).toContain('the reader is gone');
    });

    test('of several are named after the recordings, in a folder that is made', async () => {
      const recordings = [at('talk.mp3'), at('talk.m4a'), at('other.mp3')];
      expect(await plan({ recordings, formats: ['srt', 'vtt'], output: at('new/made') })).toEqual(
        ['talk.mp3', 'talk.m4a', 'other'].map((name, index) => [
          recordings[index],
          [
            ['srt', at(`new/made/${name}.srt`)],
            ['vtt', at(`new/made/${name}.vtt`)],
          ],
        ]),
      );
      expect(await readdir(at('new/made'))).toEqual([]);
    });

    test('of several recordings need a folder, and names that differ', async () => {
      await mkdir(at('more'));
      await writeFile(at('more/talk.mp3'), 'recording');
      const recordings = [at('talk.mp3'), at('more/talk.mp3')];
      await expect(plan({ recordings, output: at('other.mp3') })).rejects.toThrow(UsageError);
      await expect(plan({ recordings, output: at('sub') })).rejects.toThrow(
        'Several recordings are called talk.mp3: caption their folders one by one.',
      );
      await expect(plan({ formats: ['srt', 'vtt'], output: at('other.mp3/x') })).rejects.toThrow(
        `The folder ${at('other.mp3/x')} cannot be created: `,
      );
    });
  });
});

describe('recordings captioned one after the other', async () => {
  const folder = await temporaryFolder();
  const [one, two] = [join(folder, 'one.mp3'), join(folder, 'two.mp3')];
  await writeFile(one, chirp);
  await writeFile(two, chirp);
  restoring('TMPDIR', 'PATH');
  afterAll(() => removeFolder(folder));
  const said = listening();

  /** The files written by the last captioning, in order. */
  let written: [string | null, string][] = [];
  const output = (format: string, path: string | null): Output => ({
    format,
    path,
    async write(content) {
      await nextTurn();
      written.push([path, Buffer.from(content).toString()]);
    },
  });

  /** Captions recordings whose work ends in the given results. */
  function captioning(results: (CaptionerResult | Error)[], more: Partial<Task> = {}) {
    written = [];
    const printed: string[] = [];
    const asked: [string, unknown][] = [];
    const counts = { opened: 0, closed: 0 };
    const recordings = more.recordings ?? [one];
    const work: Work = {
      engine: () => 'double honest',
      async caption(mp3, payload, report, words) {
        asked.push([mp3, payload]);
        report('payload', 0);
        report('transcription', 0.101);
        report('transcription', 0.109);
        report('captioning', 0.9);
        words('some words');
        const result = results.shift() ?? examples.completedResult;
        if (result instanceof Error) throw result;
        return result;
      },
      async translate({ captions }, _payload, target, report) {
        asked.push(['translate', target]);
        report(0.5);
        const sentences = sentencesOf(captions.cues, 'en');
        const job = {
          sentences,
          from: 'en',
          to: target.language,
          terms: [],
          profile: profileOf(target.profile, target.language),
          ...(target.recall && { known: target.recall(sentences) }),
        };
        const translator = honest(dictionaryOf(target.language));
        const { signal } = new AbortController();
        const translated = await translateSentences(job, translator, { signal });
        return translatedResult(sentences, translated, job.profile).result;
      },
      close: async () => void (counts.closed += 1),
    };
    const task: Task = {
      recordings,
      options: { language: 'en', provider: 'edge' },
      glossary: undefined,
      rules: { query: {} },
      outputs: new Map(
        recordings.map((name) => [name, [output('srt', `${name}.srt`), output('json', null)]]),
      ),
      ...more,
    };
    const done = captionRecordings(
      task,
      async (first) => {
        counts.opened += 1;
        asked.push(['open', first]);
        return work;
      },
      (line) => printed.push(line),
    );
    const events = () => printed.map((line): unknown => JSON.parse(line));
    return { done, printed, events, asked, counts };
  }

  test('captions are written in each format, and their figures are printed', async () => {
    const { done, printed, asked, counts } = captioning([examples.completedResult]);
    await done;
    expect(written).toEqual([
      [
        `${one}.srt`,
        expect.stringMatching(/^1\n00:00:00,200 --> .*\nThey signed in with AuthKit\./),
      ],
      [null, `${JSON.stringify(examples.completedResult, null, 2)}\n`],
    ]);
    expect(asked).toEqual([
      ['open', expect.objectContaining({ language: 'en' })],
      [one, expect.objectContaining({ audio: { key: 'one.mp3', filename: 'one.mp3' } })],
    ]);
    expect(counts).toEqual({ opened: 1, closed: 1 });
    expect(printed).toEqual([]);
    expect(said()).toMatch(/^Preparing\nTranscribing\nMaking captions\n1 cues, 0 warnings\. /);
    expect(said()).not.toContain('→');
  });

  test('what was heard in another language counts among the warnings, and is named', async () => {
    const { transcript } = examples.completedResult;
    const otherLanguages = [{ language: 'de', start: 31, end: 60 }];
    const metadata = { ...transcript.metadata, otherLanguages };
    const result = { ...examples.completedResult, transcript: { ...transcript, metadata } };
    await captioning([result]).done;
    expect(said()).toContain('1 cues, 0 warnings of format, 1 of hearing. ');
    expect(said()).toContain('German is spoken from 0:31 to 1:00, and was recognised as that.');
  });

  test('translations are written beside them, by the same profile, with what is doubtful', async () => {
    const files = [output('srt', 'a.srt'), { ...output('vtt', 'a.de.vtt'), language: 'de' }];
    const { done, asked } = captioning([examples.completedResult], {
      rules: { query: { profile: 'netflix' } },
      outputs: new Map([[one, files]]),
    });
    await done;
    expect(asked.at(-1)).toEqual(['translate', { language: 'de', profile: 'netflix' }]);
    expect(written.map(([path]) => path)).toEqual(['a.srt', 'a.de.vtt']);
    const translated = dictionaryOf('de')('They signed in with AuthKit.');
    expect(written[1]![1].replaceAll('\n', ' ')).toContain(translated);
    expect(said()).toContain('de: 1 sentence, 0 doubts');
  });

  test('a memory has what was translated, also of recordings, and tells what is like a sentence', async () => {
    const memory = join(folder, 'talks.tmx');
    const unit = (source: string, text: string) =>
      tmxUnit({ from: 'en', to: 'de', source, text }, 'person');
    const files = [{ ...output('srt', join(folder, 'a.de.srt')), language: 'de' }];
    const translated = (body: string) =>
      writeFile(memory, `${TMX_HEAD}${body}${TMX_END}`).then(() => {
        const { done } = captioning([examples.completedResult], {
          options: { language: 'en', provider: 'edge', translate: 'de', memory },
          outputs: new Map([[one, files]]),
        });
        return done;
      });
    await translated(
      unit('They signed in with a key.', 'Sie meldeten sich mit einem Schlüssel an.'),
    );
    expect(said()).toContain('Sentence 1 is like “They signed in with a key.” (82 %)');
    expect(await readFile(memory, 'utf8')).toContain('<tu creationid="double honest">');
    await translated(unit('They signed in with AuthKit.', 'AuthKit ließ sie ein.'));
    expect(written[0]![1]).toContain('AuthKit ließ sie ein.');
  });

  test('translations follow a profile of one’s own, too', async () => {
    const house = houseProfileFrom({
      format: HOUSE_PROFILE_FORMAT,
      name: 'Ours',
      base: 'netflix',
      maxLineChars: 20,
    });
    const { done, asked } = captioning([examples.completedResult], {
      rules: { query: {}, house },
      outputs: new Map([[one, [{ ...output('srt', 'a.de.srt'), language: 'de' }]]]),
    });
    await done;
    expect(asked.at(-1)).toEqual(['translate', { language: 'de', profile: 'netflix' }]);
    const lines = written[0]![1].split('\n').filter((line) => /[a-z]/i.test(line));
    expect(lines.length).toBeGreaterThan(1);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(20);
  });

  test('with --json each whole percent and the outcome are lines of JSON', async () => {
    const { metadata } = examples.completedResult;
    const { done, events } = captioning(
      [
        {
          ...examples.completedResult,
          metadata: { ...metadata, duration: 2.4 },
        } as CaptionerResult,
      ],
      { options: { language: 'en', provider: 'edge', json: 'json' } },
    );
    await done;
    expect(events()).toEqual([
      { event: 'progress', recording: one, stage: 'payload', progress: 0 },
      { event: 'progress', recording: one, stage: 'transcription', progress: 0.101 },
      { event: 'progress', recording: one, stage: 'captioning', progress: 0.9 },
      expect.objectContaining({
        event: 'completed',
        recording: one,
        files: [`${one}.srt`, null],
        duration: 2.4,
        cues: 1,
        warnings: 0,
        words: 5,
        score: examples.completedResult.quality.captions.score,
      }),
    ]);
    expect(Object.keys(events().at(-1) as object)).not.toContain('profile');
  });

  test('of several recordings, those that fail are named, and the others captioned', async () => {
    const { done, events, counts } = captioning([examples.failedResult, examples.completedResult], {
      recordings: [one, two],
      options: { language: 'en', provider: 'edge', json: 'json' },
    });
    await expect(done).rejects.toThrow(CommandFailure);
    await expect(done).rejects.toThrow('1 of 2 were not captioned.');
    expect(written.map(([path]) => path)).toEqual([`${two}.srt`, null]);
    expect(counts).toEqual({ opened: 1, closed: 1 });
    expect(said()).toContain('1/2 Transcribing\n');
    expect(said()).toContain('2/2 Transcribing\n');
    expect(said()).toContain(`${one}: ${examples.failedResult.error.message}\n`);
    expect(said()).toMatch(new RegExp(`\n${two}: 1 cues, .* → ${two}\\.srt\n$`));
    expect(events()).toContainEqual({
      event: 'failed',
      recording: one,
      message: expect.stringContaining(examples.failedResult.error.message),
    });
  });

  test('a failure of the only recording has its suggestions; wrong usage ends the command', async () => {
    const only = captioning([examples.failedResult]);
    const { message, suggestions } = examples.failedResult.error;
    await expect(only.done).rejects.toThrow(`${message}\n- ${suggestions[0]?.label}`);
    expect(only.counts.closed).toBe(1);
    const usage = captioning([new UsageError('No such model.')], { recordings: [one, two] });
    await expect(usage.done).rejects.toThrow(UsageError);
    expect(usage.asked.map(([path]) => path)).toEqual(['open', one]);
  });

  test('a recording that moderation blocked has no captions', async () => {
    const { done } = captioning([examples.blockedResult]);
    await expect(done).rejects.toThrow(
      'Moderation blocked this recording, so no captions were made.',
    );
    expect(written).toEqual([]);
  });

  test('the temporary MP3 of a recording is removed, even if it fails', async () => {
    const wav = join(folder, 'tone.wav');
    await writeFile(wav, wavFile(new Float32Array(1600), 8000));
    const temporary = await temporaryFolder();
    Object.assign(process.env, { PATH: folder, TMPDIR: temporary });
    const { done, asked } = captioning([examples.failedResult], { recordings: [wav] });
    await expect(done).rejects.toThrow(CommandFailure);
    expect(asked[1]?.[0]).toStartWith(join(temporary, 'captioner-'));
    expect(await readdir(temporary)).toEqual([]);
    await removeFolder(temporary);
  });
});

describe('the recordings of the caption command', async () => {
  const folder = await temporaryFolder();
  afterAll(() => removeFolder(folder));
  const at = (name: string) => join(folder, name);
  const made = async (...names: string[]) => {
    for (const name of names) {
      await mkdir(join(at(name), '..'), { recursive: true });
      await writeFile(at(name), 'recording');
    }
  };

  describe('recordings', () => {
    test('in a folder and its subfolders are found, sorted by name', async () => {
      await made('talks/b.mp3', 'talks/a/z.MOV', 'talks/a.wav', 'talks/notes.txt', 'talks/.a.mp3');
      await made('talks/mp3', 'talks/c.mp3.part');
      await mkdir(at('talks/folder.mp4'));
      expect(await findRecordings([at('talks')])).toEqual(
        ['a.wav', 'a/z.MOV', 'b.mp3'].map((name) => at(`talks/${name}`)),
      );
    });

    test('need to be files with something in them', async () => {
      await made('fine.mp3');
      await writeFile(at('empty.mp3'), '');
      await mkdir(at('folder'));
      await requireReadable(at('fine.mp3'));
      for (const [name, says] of [
        ['missing.mp3', 'There is no file '],
        ['empty.mp3', ' is empty.'],
        ['folder', ' contains no recording.'],
      ] as const) {
        await expect(requireReadable(at(name))).rejects.toThrow(CommandFailure);
        await expect(requireReadable(at(name))).rejects.toThrow(says);
        await expect(asMp3(at(name))).rejects.toThrow(says);
      }
    });
  });

  describe('an MP3', () => {
    test('is read whole or in part, and never deleted', async () => {
      await writeFile(at('digits.mp3'), '0123456789');
      const audio = await fileAudio(at('digits.mp3'));
      const opened = await audio.open();
      const read = async (range?: { start: number; end: number }) => {
        const chunks: Uint8Array[] = [];
        for await (const chunk of opened?.source.read(range) ?? []) chunks.push(chunk);
        return Buffer.concat(chunks).toString();
      };
      expect([audio.key, opened?.source.size]).toEqual(['digits.mp3', 10]);
      expect(await read()).toBe('0123456789');
      expect(await read({ start: 2, end: 5 })).toBe('234');
      expect(await read({ start: 5, end: 5 })).toBe('');
      expect(await audio.delete('file')).toBe(false);
      await requireReadable(at('digits.mp3'));
    });
  });

  describe('with FFmpeg', () => {
    restoring('PATH', 'TMPDIR');

    test('a recording, whatever its name, becomes a temporary MP3', async () => {
      await made('bin/-film.mp4');
      await mkdir(at('bin/temporary'), { recursive: true });
      const script = `#!/bin/sh\nfor last; do :; done\necho "$@" > "\${last#file:}"\n`;
      await writeFile(at('bin/ffmpeg'), script, { mode: 0o755 });
      Object.assign(process.env, { PATH: at('bin'), TMPDIR: at('bin/temporary') });
      const mp3 = await asMp3(at('bin/-film.mp4'));
      expect(mp3.path).toStartWith(at('bin/temporary/captioner-'));
      const words = await readFile(mp3.path, 'utf8');
      expect(words).toContain(` -i file:${at('bin/-film.mp4')} -map 0:a:0 -vn -ac 1 `);
      await mp3.remove();
      expect(await readdir(at('bin/temporary'))).toEqual([]);
    });

    test.each([
      ['Stream map matches no streams.', 'it has no audio'],
      ['Invalid data', 'FFmpeg cannot read it as a recording'],
    ])('what it cannot convert leaves no file: %s', async (says, reason) => {
      await made('bin/film.mp4');
      await mkdir(at('bin/temporary'), { recursive: true });
      // It writes the beginning of its output, and fails.
      const script = `#!/bin/sh\nfor last; do :; done\necho > "\${last#file:}"\necho '${says}' >&2\nexit 1\n`;
      await writeFile(at('bin/ffmpeg'), script, { mode: 0o755 });
      Object.assign(process.env, { PATH: at('bin'), TMPDIR: at('bin/temporary') });
      await expect(asMp3(at('bin/film.mp4'))).rejects.toThrow(
        `${at('bin/film.mp4')} cannot be captioned: ${reason}.`,
      );
      expect(await readdir(at('bin/temporary'))).toEqual([]);
    });
  });

  describe('without FFmpeg', () => {
    restoring('PATH', 'TMPDIR');
    beforeEach(async () => {
      await mkdir(at('temporary'), { recursive: true });
      Object.assign(process.env, { PATH: folder, TMPDIR: at('temporary') });
    });

    test('the command that makes an MP3 is printed, which overwrites nothing', async () => {
      await made("it's a talk.mp4", "it's a talk.mp3", "it's a talk-2.mp3", 'film.mp4');
      const { message } = notAnMp3(at('film.mp4'));
      expect(message).toContain(`\n  ffmpeg -i ${at('film.mp4')} `);
      expect(message).toContain(` ${at('film.mp3')}\nThen:\n`);
      expect(message).toEndWith(` ${at('film.mp3')}`);
      const other = `'${folder}/it'\\''s a talk`;
      expect(notAnMp3(at("it's a talk.mp4")).message).toContain(`${other}.mp4' `);
      expect(notAnMp3(at("it's a talk.mp4")).message).toContain(`${other}-3.mp3'\n`);
    });

    test('a WAV becomes a temporary MP3 for speech', async () => {
      const wav = wavFile(new Float32Array(44_100), 44_100);
      // In stereo.
      const view = new DataView(wav.buffer);
      view.setUint16(22, 2, true);
      view.setUint32(28, 4 * 44_100, true);
      view.setUint16(32, 4, true);
      await writeFile(at('tone.wav'), wav);
      const mp3 = await asMp3(at('tone.wav'));
      expect(mp3.path).toStartWith(at('temporary/captioner-'));
      const opened = await (await fileAudio(mp3.path)).open();
      const { sampleRate, channels, audioStart } = await indexMp3(opened!.source);
      const header = parseFrameHeader(await readFile(mp3.path), audioStart);
      expect([sampleRate, channels, header?.bitrate]).toEqual([16_000, 1, 32]);
      await mp3.remove();
      expect(await readdir(at('temporary'))).toEqual([]);
    });
  });
});

describe('the pipeline of the caption command', async () => {
  const folder = await temporaryFolder();
  const temporary = join(folder, 'temporary');
  const mp3 = join(folder, 'talk.mp3');
  await mkdir(temporary);
  await writeFile(mp3, chirp);
  const deepgram = await startHttpDouble(deepgramWire(deepgramAnswer(TALK)));
  restoring('TMPDIR');
  beforeEach(() => void (process.env['TMPDIR'] = temporary));
  afterEach(() => deepgram.behave(null));
  afterAll(async () => {
    await deepgram.close();
    await removeFolder(folder);
  });

  const config = readConfig({
    DEEPGRAM_API_KEY: DEEPGRAM_KEY,
    DEEPGRAM_BASE_URL: deepgram.origin,
    MODELS_DIR: join(folder, 'models'),
    LOG_LEVEL: 'error',
  });
  const request = resolvePayload({
    audio: { key: 'talk.mp3' },
    transcription: { provider: 'deepgram' },
  });

  test('a recording is captioned and stays; its stages and words are reported', async () => {
    const transcriber = await openTranscriber(config);
    expect(await readdir(temporary)).toHaveLength(1);
    const stages = new Set<string>();
    const words: string[] = [];
    const began = Date.now();
    const results = [];
    for (let count = 0; count < 2; count += 1) {
      results.push(
        await transcriber.caption(
          mp3,
          request,
          (stage, progress) => {
            stages.add(stage);
            expect(progress).toBeWithin(0, 1.001);
          },
          (text) => words.push(text),
        ),
      );
    }
    await transcriber.close();
    const [first, second]: Any[] = results;
    expect(first).toMatchObject({
      status: 'completed',
      transcript: { text: expect.stringContaining('Welcome to') },
      input: { source: { key: 'talk.mp3' } },
    });
    expect(first.id).toMatch(/^run_/);
    expect(second.id).not.toBe(first.id);
    expect(first.metadata.timingsMs.total).toBeWithin(0, Date.now() - began + 1);
    expect([...stages]).toEqual(expect.arrayContaining(['payload', 'transcription', 'captioning']));
    expect(words.join(' ')).toContain('Thank you.');
    expect(Buffer.compare(await readFile(mp3), chirp)).toBe(0);
    expect(await readdir(temporary)).toEqual([]);
  });

  test.each(['SIGINT', 'SIGTERM'] as const)(
    '%s cancels the recording under way',
    async (signal) => {
      deepgram.behave(() => ({ fault: 'hang' }));
      const sent = deepgram.requests.length;
      const transcriber = await openTranscriber(config);
      const done = transcriber.caption(
        mp3,
        request,
        () => {},
        () => {},
      );
      while (deepgram.requests.length === sent)
        await new Promise((resolve) => setImmediate(resolve));
      process.emit(signal);
      expect(await done).toMatchObject({
        status: 'failed',
        error: { code: 'cancelled', message: 'Cancelled.', retryable: false },
      });
      await transcriber.close();
    },
  );
});

describe('what the shell checks before it captions on this machine', async () => {
  let folder = '';
  let host: HttpDouble;
  const said = listening();
  restoring('PATH');
  beforeEach(async () => {
    folder = await temporaryFolder();
    host = await startHttpDouble(() => new Response('', { status: 404 }));
    process.env['PATH'] = '/dev/null';
  });
  afterEach(async () => {
    await host.close();
    await removeFolder(folder);
  });

  const prepare = (
    {
      provider = 'edge',
      model,
      language = 'en',
    }: { provider?: string; model?: string; language?: string },
    env: Record<string, string> = {},
  ) =>
    prepareSpeech(readConfig({ MODELS_DIR: folder, MODELS_BASE_URL: host.origin, ...env }), {
      language,
      transcription: { provider, ...(model && { model }) },
    } as Parameters<typeof prepareSpeech>[1]);
  const asked = () => host.requests.map(({ url }) => url.pathname);

  describe('nothing is downloaded', () => {
    afterEach(() => expect(asked()).toEqual([]));

    test.each([
      [{ provider: 'deepgram' }, { DEEPGRAM_API_KEY: 'key' }],
      [{ model: 'any', language: 'xx' }, { EDGE_SPEECH_URL: 'http://speech.example' }],
    ])('for a service that is configured: %j', async (wanted, env) => {
      await prepare(wanted, env);
    });

    test.each([
      [
        { model: 'nope' },
        'There is no model nope: --model must be one of parakeet-110m-transducer,',
      ],
      [{ model: 'silero-vad' }, 'There is no model silero-vad: '],
      [{ language: 'xx' }, 'No model here supports the language "xx".'],
      [
        { language: 'de', model: 'parakeet-110m' },
        'The model parakeet-110m does not support the language "de".',
      ],
    ])('for incorrect usage: %j', async (wanted, says) => {
      await expect(prepare(wanted)).rejects.toThrow(UsageError);
      await expect(prepare(wanted)).rejects.toThrow(says);
    });
  });

  test('if a model cannot be downloaded, the command that fetches it is printed', async () => {
    const refused = prepare({ language: 'de' });
    await expect(refused).rejects.toThrow(CommandFailure);
    const says = await refused.catch(({ message }: Error) => message);
    expect(says).toStartWith('The speech model for the language "de", parakeet-v3, is not on this');
    expect(says).toMatch(/fetch parakeet-v3 {6}\(where/);
    expect(says).toContain(`copy its folder to ${folder}, or name a mirror in MODELS_BASE_URL.`);
    expect(asked()).toEqual([
      '/sherpa-onnx-nemo-parakeet-tdt-0.6b-v3-int8.tar.bz2',
      '/sherpa-onnx-whisper-small.tar.bz2',
    ]);
    expect(said()).toContain('The model could not be downloaded: ');
  });

  test('a model that is installed is not downloaded, and nothing is printed', async () => {
    await mkdir(join(folder, 'parakeet-110m'));
    await writeTinyModel(join(folder, 'parakeet-110m'));
    await prepare({ model: 'parakeet-110m' });
    expect([asked(), said()]).toEqual([[], '']);
  });

  describe('pocketsphinx', () => {
    const PROGRAM = 'pocketsphinx_continuous';
    let tools = '';
    beforeEach(async () => {
      tools = join(folder, 'tools');
      await mkdir(tools);
      await symlink('/bin/sh', join(tools, 'sh'));
      process.env['PATH'] = tools;
    });
    const tool = (name: string, script = '') =>
      writeFile(join(tools, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });

    test('is used if an English model cannot be downloaded', async () => {
      await tool(PROGRAM);
      await prepare({ language: 'en-GB' });
      expect(asked()).not.toEqual([]);
      expect(said()).toEndWith(
        'Using pocketsphinx as a fallback: expect many recognition errors.\n',
      );
      await expect(prepare({ language: 'de' })).rejects.toThrow('fetch parakeet-v3');
    });

    test.each([
      [{ model: 'pocketsphinx-en-us' }, {}],
      [{}, { EDGE_SPEECH: 'pocketsphinx' }],
    ])('is used without a download if it was chosen: %j %j', async (wanted, env) => {
      await tool(PROGRAM);
      await prepare(wanted, env);
      expect(asked()).toEqual([]);
      await expect(prepare({ ...wanted, language: 'de' }, env)).rejects.toThrow(CommandFailure);
    });

    test('is never installed for the user, who gets the commands', async () => {
      await tool('apt-get', `echo "$@" >> ${join(folder, 'calls')}`);
      const refused = prepare({}, { EDGE_SPEECH: 'pocketsphinx' });
      await expect(refused).rejects.toThrow(CommandFailure);
      await expect(refused).rejects.toThrow(
        /fetch parakeet-110m-transducer {6}\(108 MB, good\)\n.*fetch moonshine-base {6}\(73 MB, good, from npm\)\n {2}sudo apt-get install -y pocketsphinx pocketsphinx-en-us {6}/,
      );
      expect(existsSync(join(folder, 'calls'))).toBe(false);
    });
  });
});

describe('progress and recognised words, on a terminal and in a log', () => {
  function printed(isTTY: boolean) {
    const written: string[] = [];
    const out = { isTTY, write: (text: string | Uint8Array) => written.push(String(text)) > 0 };
    return { line: progressLine(out), taken: () => written.splice(0).join('') };
  }
  const CLEARED = '\r\u001b[K';

  test('words are above the line, which stays, and cannot control the terminal', () => {
    const { line, taken } = printed(true);
    const words = (text: string) => `${CLEARED}\u001b[2m${text}\u001b[22m\n`;
    line.words('hello');
    expect(taken()).toBe(words('hello'));
    line.show('Transcribing', 0.5);
    const bar = taken().slice(CLEARED.length);
    line.words('a\u001b[2Jb\r\nc\u009bd');
    expect(taken()).toBe(`${words('a [2Jb c d')}${bar}`);
    line.end();
    line.words('bye');
    expect(taken()).toBe(`\n${words('bye')}`);
  });
});
