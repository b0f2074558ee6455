/** Transcribes the recordings of `captioner whisper`, and writes the files that Whisper's programs write. */
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { writeCaptions } from '../server/captions/files/read-write.ts';
import type { CaptionerPayload } from '../server/contract/payload.ts';
import type { CaptionerCompletedResult, CaptionerResult } from '../server/contract/results.ts';
import type { TranslationResult } from '../server/contract/translations.ts';
import { languageOf } from '../server/http/runs/run-representation.ts';
import { type AnswerFormat } from '../server/http/openai/asked.ts';
import { openAiAnswer } from '../server/http/openai/answers.ts';
import { primarySubtag } from '../server/models/registry.ts';
import { asMp3 } from './as-mp3.ts';
import { completed, type Work } from './caption-recordings.ts';
import { CommandFailure } from './command-line.ts';
import { asTyped, fromHere } from './current-folder.ts';
import { progressLine, say, STAGE_LABELS } from './terminal.ts';
import type { WhisperTask } from './whisper-options.ts';
import { translatedIn } from './written-translation.ts';

type Format = WhisperTask['formats'][number];

/** What writes the formats without captions. */
const WRITTEN: Record<Exclude<Format, 'srt' | 'vtt'>, AnswerFormat> = {
  txt: 'lines',
  tsv: 'tsv',
  json: 'segments',
};

/** English, by the service's own rules. */
const ENGLISH = { language: 'en', profile: 'default' } as const;

/**
 * Transcribes the recordings one after the other.
 * @param open is given the payload of the first
 * @param print prints the text
 * @throws {CommandFailure} a recording was not transcribed; others are nevertheless
 */
export async function whisperRecordings(
  task: WhisperTask,
  open: (first: CaptionerPayload) => Promise<Work>,
  print: (text: string) => void,
): Promise<void> {
  const folder = fromHere(task.folder);
  await mkdir(folder, { recursive: true });
  if (task.withoutEffect.length > 0) {
    say(`Without effect here: ${task.withoutEffect.map((name) => `--${name}`).join(', ')}.`);
  }
  const line = progressLine();
  let work: Work | null = null;
  const failed: string[] = [];
  const one = async (path: string): Promise<void> => {
    const mp3 = await asMp3(path);
    try {
      const payload = { ...task.payload, audio: { key: basename(path) } };
      work ??= await open(payload);
      const report = (stage: string, progress: number) =>
        line.show(STAGE_LABELS[stage] ?? stage, progress);
      const heard = completed(await work.caption(mp3.path, payload, report, () => {}));
      const isForeign = primarySubtag(languageOf(heard)) !== 'en';
      const translation =
        task.task === 'translate' && isForeign
          ? await work.translate(heard, payload, ENGLISH, (progress) =>
              report('translation into English', progress),
            )
          : null;
      line.end();
      const lost = translation?.sentences.filter(({ state }) => state === 'missing').length ?? 0;
      if (lost > 0) throw new CommandFailure(`${lost} sentences could not be translated.`);
      if (task.prints) print(spoken(heard, translation, task.payload.language === 'auto'));
      const stem = basename(path, extname(path));
      for (const format of task.formats) {
        const content = await contentIn(format, task, heard, translation);
        await writeFile(join(folder, `${stem}.${format}`), content);
      }
    } finally {
      line.end();
      await mp3.remove();
    }
  };
  try {
    for (const recording of task.recordings) {
      await one(fromHere(recording)).catch((error: unknown) => {
        if (task.recordings.length === 1) throw error;
        const reason = error instanceof Error ? error.message : String(error);
        failed.push(recording);
        say(`Skipping ${asTyped(fromHere(recording))}: ${reason}`);
      });
    }
  } finally {
    await (work as Work | null)?.close?.();
  }
  if (failed.length > 0) {
    throw new CommandFailure(`${failed.length} of ${task.recordings.length} were not transcribed.`);
  }
}

type Translated = Pick<TranslationResult, 'sentences' | 'doubts' | 'warnings'>;

async function contentIn(
  format: Format,
  { task, withWords, isPretty }: WhisperTask,
  result: CaptionerCompletedResult,
  translation: Translated | null,
): Promise<string | Uint8Array> {
  if (format === 'srt' || format === 'vtt') {
    return translation
      ? translatedIn(format, JSON.stringify(translation), ENGLISH, { query: {} })
      : writeCaptions(format, result.captions.cues, { language: languageOf(result) });
  }
  const answer = { task, model: '', temperature: 0, segments: true, logprobs: false };
  const { text } = openAiAnswer({
    result: JSON.stringify(result),
    translation: translation && JSON.stringify(translation),
    answer: { ...answer, words: withWords, format: WRITTEN[format] },
    events: false,
  });
  return format === 'json' && isPretty ? `${JSON.stringify(JSON.parse(text), null, 2)}\n` : text;
}

/** The text as Whisper's programs print it, a segment in each line. */
function spoken(
  result: CaptionerResult & { status: 'completed' },
  translation: Translated | null,
  isDetected: boolean,
): string {
  const { text } = openAiAnswer({
    result: JSON.stringify(result),
    translation: translation && JSON.stringify(translation),
    answer: {
      task: 'transcribe',
      model: '',
      temperature: 0,
      segments: true,
      words: false,
      logprobs: false,
      format: 'segments',
    },
    events: false,
  });
  const { segments, language } = JSON.parse(text) as {
    segments: { start: number; end: number; text: string }[];
    language: string;
  };
  const name = new Intl.DisplayNames(['en'], { type: 'language' }).of(language) ?? language;
  return [
    ...(isDetected ? [`Detected language: ${name}`] : []),
    ...segments.map(({ start, end, text: said }) => `[${clock(start)} --> ${clock(end)}] ${said}`),
    '',
  ].join('\n');
}

/** A time as Whisper's programs print it, with hours where there are any. */
function clock(seconds: number): string {
  const ms = Math.round(seconds * 1000);
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  const hours = ms >= 3_600_000 ? `${two(ms / 3_600_000)}:` : '';
  const thousandths = String(ms % 1000).padStart(3, '0');
  return `${hours}${two((ms / 60_000) % 60)}:${two((ms / 1000) % 60)}.${thousandths}`;
}
