/** `captioner whisper`: the command lines of Whisper's programs, and the files that they write. */
import { afterAll, describe, expect, test } from 'bun:test';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AsrTranscription } from '../../server/contract/openai.ts';
import { validator } from '../../server/contract/schema.ts';
import { UsageError } from '../../scripts/command-line.ts';
import { readWhisperLine, whisperHelp, type WhisperTask } from '../../scripts/whisper-options.ts';
import { whisperRecordings } from '../../scripts/whisper-recordings.ts';
import { completedResult } from '../../server/http/openapi/examples.ts';
import type { CaptionerPayload } from '../../server/contract/payload.ts';
import { chirp } from '../support/servers/pipeline-run.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';
import { listening } from './support.ts';

const read = (line: string) => readWhisperLine(line.split(' ')) as WhisperTask;

describe('a command line', () => {
  test('of PeerTube, Subtitle Edit and scripts means what it means there', () => {
    // PeerTube with whisper-ctranslate2, and with openai-whisper.
    expect(
      read(
        '/tmp/a.mp4 --model small --word_timestamps True --vad_filter true --output_format all --output_dir /tmp/out --language fr',
      ),
    ).toEqual({
      recordings: ['/tmp/a.mp4'],
      folder: '/tmp/out',
      formats: ['txt', 'vtt', 'srt', 'tsv', 'json'],
      task: 'transcribe',
      payload: { language: 'fr' },
      withWords: true,
      isPretty: false,
      prints: true,
      withoutEffect: ['vad_filter'],
    });
    const { payload, ...rest } = read(
      'a.wav -o=x -fsrt --lang German --task=translate --initial_prompt Zeiss,Jena --hotwords Jena --suppress_tokens -1 --max_line_width 37 --max_line_count None --fp16 False --verbose false --pretty_json True --output_f vtt b.wav',
    );
    expect(payload).toEqual({
      language: 'de',
      glossary: ['Jena', 'Zeiss'],
      captions: { maxLineChars: 37 },
    });
    expect(rest).toMatchObject({
      recordings: ['a.wav', 'b.wav'],
      folder: 'x',
      formats: ['vtt'],
      task: 'translate',
      prints: false,
      isPretty: true,
    });
    expect(rest.withoutEffect).toEqual(['suppress_tokens', 'fp16']);
  });

  test.each([
    ['', 'auto', undefined],
    ['--model turbo', 'auto', undefined],
    ['--model large-v3-turbo --language None', 'auto', undefined],
    ['--model small.en', 'en', undefined],
    ['--model whisper-base', 'auto', 'whisper-base'],
  ])('%s hears %s', (line, language, model) => {
    expect(read(`a.mp3 ${line}`.trim()).payload).toEqual({
      language,
      ...(model !== undefined && { transcription: { model } }),
    });
  });

  test.each([
    ['--model gigantic', 'There is no model gigantic'],
    ['--output_format docx', 'takes txt, vtt, srt, tsv, json, all, not docx'],
    ['--word_timestamps yes', 'takes True or False'],
    ['--beam_size five', 'takes a number'],
    ['--language Klingonish-', 'takes a code'],
    ['--nonsense 1', 'There is no option --nonsense'],
    ['-x 1', 'There is no option -x'],
    ['--max 3', '--max_line_width or --max_line_count or --max_words_per_line'],
    ['--language', '--language needs a value'],
    ['--language --task', '--language needs a value'],
    ['--max_line_width 200', 'must be from'],
    ['--max_words_per_line 3', 'not supported'],
    ['--highlight_words True', 'not supported'],
    ['--clip_timestamps 0,10', 'cut the recording first'],
    ['--model_directory /models/ct2', 'cannot be loaded'],
    ['--live_transcribe True', 'not supported'],
  ])('%s is refused with a reason', (line, reason) => {
    expect(() => read(`a.mp3 ${line}`)).toThrow(reason);
    expect(() => read(`a.mp3 ${line}`)).toThrow(UsageError);
  });

  test('without recordings is refused, and its help names every option', () => {
    expect(() => readWhisperLine([])).toThrow('Name the recordings');
    expect([readWhisperLine(['-h']), readWhisperLine(['a', '--version'])]).toEqual([
      'help',
      'version',
    ]);
    const help = whisperHelp('captioner whisper talk.mp4');
    for (const name of ['--output_dir', '--beam_size', '--highlight_words']) {
      expect(help).toContain(name);
    }
  });
});

describe('the files', async () => {
  const folder = await temporaryFolder();
  afterAll(() => removeFolder(folder));
  const said = listening();
  const words = [
    { text: 'Guten', start: 0, end: 0.4, confidence: 0.9 },
    { text: 'Tag.', start: 0.5, end: 1, confidence: 0.9 },
    { text: 'Danke.', start: 3700.25, end: 3701 },
  ];
  const transcript = {
    ...completedResult.transcript,
    text: 'Guten Tag. Danke.',
    words,
    utterances: [],
    metadata: { provider: 'edge', language: 'de' },
  };
  const english = { profile: 'default', language: 'en', cues: [], doubts: [], warnings: [] };
  const sentence = (id: number, text: string, start: number) => ({
    id,
    text,
    start,
    end: start + 1,
    state: 'translated',
  });
  const asked: CaptionerPayload[] = [];
  const work = {
    async caption(_mp3: string, payload: CaptionerPayload) {
      asked.push(payload);
      return { ...completedResult, transcript } as never;
    },
    async translate() {
      const sentences = [sentence(1, 'Good day.', 0), sentence(2, 'Thanks.', 3700.25)];
      return { ...english, sentences } as never;
    },
  };
  const run = async (line: string) => {
    let printed = '';
    const task = read(line);
    await whisperRecordings(
      task,
      async () => work,
      (text) => (printed += text),
    );
    return printed;
  };
  const recording = join(folder, 'Mein Film.v2.mp3').replace(' ', '_');
  await writeFile(recording, chirp);
  const fileIn = (out: string, name: string) => readFile(join(out, name), 'utf8');

  test('are named and shaped as those of Whisper’s programs', async () => {
    const out = join(folder, 'out');
    const printed = await run(
      `${recording} --output_dir ${out} --word_timestamps True --beam_size 5`,
    );
    const stem = 'Mein_Film.v2';
    expect((await readdir(out)).sort()).toEqual(
      ['json', 'srt', 'tsv', 'txt', 'vtt'].map((ending) => `${stem}.${ending}`),
    );
    expect(await fileIn(out, `${stem}.txt`)).toBe('Guten Tag.\nDanke.\n');
    expect(await fileIn(out, `${stem}.tsv`)).toBe(
      'start\tend\ttext\n0\t1000\tGuten Tag.\n3700250\t3701000\tDanke.\n',
    );
    const json = JSON.parse(await fileIn(out, `${stem}.json`));
    expect(validator(AsrTranscription).issues(json)).toEqual([]);
    expect([json.language, json.segments[0].words[1].word]).toEqual(['de', ' Tag.']);
    expect(await fileIn(out, `${stem}.srt`)).toStartWith('1\n00:00:0');
    expect(await fileIn(out, `${stem}.vtt`)).toStartWith('WEBVTT\n');
    expect(printed).toBe(
      'Detected language: German\n[00:00.000 --> 00:01.000]  Guten Tag.\n[01:01:40.250 --> 01:01:41.000]  Danke.\n',
    );
    expect(said()).toContain('Without effect here: --beam_size.');
    expect(asked.at(-1)).toEqual({ language: 'auto', audio: { key: 'Mein_Film.v2.mp3' } });
  });

  test('of a translation are in English; one that is no recording is skipped, and said', async () => {
    const out = join(folder, 'english');
    const wrong = join(folder, 'wrong.mp3');
    await writeFile(wrong, 'no sound');
    const line = `${wrong} ${recording} -o ${out} -f txt --task translate --verbose False`;
    await expect(run(line)).rejects.toThrow('1 of 2 were not transcribed.');
    expect(await readdir(out)).toEqual(['Mein_Film.v2.txt']);
    expect(await fileIn(out, 'Mein_Film.v2.txt')).toBe('Good day.\nThanks.\n');
    expect(said()).toContain('Skipping ');
  });
});
