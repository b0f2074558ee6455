/** Captions the recordings of the caption command one after the other, and reports each. */
import { type CaptionFormat, type FormatId, FORMATS } from '../server/captions/files/formats.ts';
import { writeCaptions } from '../server/captions/files/read-write.ts';
import type { Loss } from '../server/captions/files/portable-captions.ts';
import { confidenceFigures, scoreAndConfidence } from '../server/contract/confidence.ts';
import type { CaptionerPayload } from '../server/contract/payload.ts';
import { packInWords } from '../server/contract/evident-packs.ts';
import { hearingSentences, warningsInWords } from '../server/contract/hearing.ts';
import { offerInWords, openOffersOf } from '../server/terminology/decide/offers.ts';
import { unheardIn, unheardSentences } from '../server/contract/unheard.ts';
import type { CaptionerCompletedResult, CaptionerResult } from '../server/contract/results.ts';
import {
  type CaptionsMaker,
  captionsMaker,
  type CaptionsQuery,
  karaokeOf,
} from '../server/http/runs/profiled-captions.ts';
import { framesOf } from '../server/http/runs/frames-query.ts';
import { languageOf } from '../server/http/runs/run-representation.ts';
import type { ProfileName } from '../server/captions/rules/profiles/profiles.ts';
import type { TranslationResult } from '../server/contract/translations.ts';
import { asMp3 } from './as-mp3.ts';
import { type Glossary, type Options, type ProfileRules, payloadOf } from './caption-options.ts';
import type { Output } from './caption-outputs.ts';
import { type Recall, writtenBefore } from './translate-files.ts';
import {
  doubtLines,
  heardLanguage,
  translatedIn,
  type TranslationEvent,
  writeTranslation,
} from './written-translation.ts';
import { CommandFailure, UsageError } from './command-line.ts';
import { asTyped, fromHere } from './current-folder.ts';
import { openMemory, similarLines } from './sentence-memory.ts';
import { progressLine, say, STAGE_LABELS } from './terminal.ts';

type MadeCaptions = ReturnType<CaptionsMaker['make']>;

/** The most captions to name for a rule, and the most terms to decide. */
const MAX_NAMED = 10;

/**
 * The rules that captions break, each in its publisher's words and with the captions that break it.
 * @example
 * const broken = { rule: 'min_duration', message: '', sentence: 'A subtitle lasts long.', source: '' };
 * brokenRuleLines([{ cue: 2, ...broken }, { cue: 5, ...broken }]); // => ['- A subtitle lasts long. (cues 2, 5)']
 */
function brokenRuleLines(warnings: ReturnType<NonNullable<MadeCaptions['warnings']>>): string[] {
  const cuesOf = new Map<string, number[]>();
  for (const { sentence, cue } of warnings) {
    const cues = cuesOf.get(sentence);
    if (cues) cues.push(cue);
    else cuesOf.set(sentence, [cue]);
  }
  return [...cuesOf].map(([sentence, cues]) => {
    const named = cues.slice(0, MAX_NAMED).join(', ');
    const more = cues.length - MAX_NAMED;
    return `- ${sentence} (${cues.length === 1 ? 'cue' : 'cues'} ${named}${more > 0 ? ` and ${more} more` : ''})`;
  });
}

/** A server or the local pipeline. */
export interface Work {
  caption(
    mp3: string,
    payload: CaptionerPayload,
    report: (stage: string, progress: number) => void,
    words: (text: string) => void,
  ): Promise<CaptionerResult>;
  /** The name of what translates here. */
  engine?(): string;
  /** Translates the captions of a completed result. @param target its profile is that of the captions */
  translate(
    result: CaptionerCompletedResult,
    payload: CaptionerPayload,
    target: { language: string; profile: ProfileName; recall?: Recall },
    report: (progress: number) => void,
  ): Promise<Pick<TranslationResult, 'sentences' | 'doubts' | 'warnings'>>;
  close?(): Promise<void>;
}

/** Everything that the command has read and checked before any work. */
interface Task {
  recordings: readonly string[];
  options: Options;
  glossary: Glossary;
  rules: ProfileRules;
  outputs: ReadonlyMap<string, readonly Output[]>;
}

/**
 * Captions the recordings. Opens the server or the pipeline once the first one is an MP3, and closes it at the end.
 * @param open is given the payload of that recording
 * @param print prints the lines of --json
 * @throws {CommandFailure} {@link UsageError} if a recording was not captioned; others are captioned nevertheless
 */
export async function captionRecordings(
  { recordings, options, glossary, rules, outputs }: Task,
  open: (first: CaptionerPayload) => Promise<Work>,
  print: (line: string) => void,
): Promise<void> {
  const { query, house } = rules;
  const printEvent = (event: string, recording: string, more: object) => {
    if (options.json === undefined) return;
    print(`${JSON.stringify({ event, recording, ...more })}\n`);
  };
  const line = progressLine();
  const memory =
    options.memory === undefined ? undefined : await openMemory(fromHere(options.memory));
  let work: Work | null = null;
  let failed = 0;
  let incomplete = 0;
  /** Captions one recording; `count` is its position among all, for the progress line. */
  const one = async (recording: string, count: string): Promise<void> => {
    const name = asTyped(recording);
    const payload = payloadOf(recording, options, glossary);
    let printed = -1;
    const report = (stage: string, progress: number) => {
      line.show(`${count}${STAGE_LABELS[stage] ?? stage}`, progress, count ? name : '');
      // Report whole percents: a long recording has thousands of steps.
      if (Math.floor(progress * 100) <= printed) return;
      printed = Math.floor(progress * 100);
      printEvent('progress', recording, { stage, progress });
    };
    const mp3 = await asMp3(recording);
    try {
      work ??= await open(payload);
      const words = (text: string) => {
        if (options.json === undefined) line.words(text);
      };
      const result = completed(await work.caption(mp3.path, payload, report, words));
      const files = outputs.get(recording) ?? [];
      const made = madeFrom(result, captionsMaker(payload, query, house));
      const own = files.filter(({ language }) => language === undefined);
      const languages = new Set(files.flatMap(({ language }) => language ?? []));
      const found: string[] = [];
      for (const { format, write } of own) {
        const losses: Loss[] = [];
        await write(await contentIn(format, result, made, query, losses));
        found.push(...lossLines(format, losses));
      }
      const translations: TranslationEvent[] = [];
      const written = [...own];
      for (const language of languages) {
        const wanted = files.filter((file) => file.language === language);
        // Nobody but this command knows a profile from a file; sentences are translated by the one that it is based on.
        const target = { language, profile: query.profile ?? house?.base ?? ('default' as const) };
        const pair = { from: heardLanguage(result), to: language };
        const engine = work.engine?.() ?? '';
        const before = memory ? await writtenBefore(wanted) : [];
        const recall: Recall | undefined =
          memory && ((sentences) => memory.recall(sentences, pair, engine, before));
        const translated = await work.translate(
          result,
          payload,
          { ...target, ...(recall && { recall }) },
          (progress) => report(`translation into ${language}`, progress),
        );
        const similar = memory?.similar(translated.sentences, pair) ?? [];
        memory?.take(translated.sentences, pair, engine);
        await memory?.save();
        const made = await writeTranslation(language, translated, wanted, target, rules);
        written.push(...made.places);
        translations.push(made);
        const { warnings } = house
          ? JSON.parse(
              new TextDecoder().decode(
                await translatedIn('json', JSON.stringify(translated), target, rules),
              ),
            )
          : translated;
        found.push(...doubtLines(language, { ...translated, warnings }));
        found.push(...similarLines(language, similar));
      }
      line.end();
      conclude(result, written, count ? `${name}: ` : '');
      for (const each of found) say(each);
      const warnings = made.warnings?.();
      if (warnings) {
        say(`By ${options.profile}: ${made.cues.length} cues, ${warnings.length} warnings.`);
        for (const each of brokenRuleLines(warnings)) say(each);
      }
      const profile = warnings ? { profile: { cues: made.cues.length, warnings } } : {};
      printEvent('completed', recording, {
        ...outcomeOf(result, written),
        ...profile,
        ...(translations.length > 0 && {
          translations: translations.map(({ places: _places, ...event }) => event),
        }),
      });
      if (translations.some(({ missing }) => missing > 0)) incomplete += 1;
    } finally {
      line.end();
      await mp3.remove();
    }
  };
  try {
    for (const [at, recording] of recordings.entries()) {
      try {
        await one(recording, recordings.length > 1 ? `${at + 1}/${recordings.length} ` : '');
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        printEvent('failed', recording, { message });
        // Wrong usage, or a failure of the only recording, ends the command.
        if (error instanceof UsageError || recordings.length === 1) throw error;
        failed += 1;
        say(`${asTyped(recording)}: ${message}`);
      }
    }
  } finally {
    await (work as Work | null)?.close?.();
  }
  if (failed > 0) throw new CommandFailure(`${failed} of ${recordings.length} were not captioned.`);
  if (incomplete > 0) {
    throw new CommandFailure(
      'Not every sentence is translated; the same command translates these again.',
    );
  }
}

/** The captions in a format; JSON is the result itself. */
async function contentIn(
  format: string,
  result: CaptionerCompletedResult,
  { cues, options }: MadeCaptions,
  query: CaptionsQuery,
  losses: Loss[],
): Promise<string | Uint8Array> {
  if (format === 'json') return `${JSON.stringify(result, null, 2)}\n`;
  const { keeps }: CaptionFormat = FORMATS[format as FormatId];
  const isKaraoke = query.karaoke === 'true' && keeps.includes('words');
  return writeCaptions(format as FormatId, isKaraoke ? karaokeOf(result, cues) : cues, {
    ...options,
    ...framesOf(query),
    lost: (loss) => losses.push(loss),
  });
}

/** What a file does not hold, for the terminal. */
function lossLines(format: string, losses: readonly Loss[]): string[] {
  const lines = losses
    .slice(0, MAX_NAMED)
    .map(({ cue, message }) => `${format}: ${cue > 0 ? `caption ${cue}: ` : ''}${message}`);
  const more = losses.length - MAX_NAMED;
  return more > 0 ? [...lines, `${format}: and ${more} more losses`] : lines;
}

/** The captions of a result, by the rules of a profile if there is one. */
const madeFrom = (
  result: CaptionerCompletedResult,
  maker: CaptionsMaker | undefined,
): MadeCaptions =>
  maker?.make(result) ?? {
    cues: result.captions.cues,
    options: { language: languageOf(result) },
  };

/**
 * The result of a completed run.
 * @throws {CommandFailure} with the reason if there are no captions
 */
export function completed(result: CaptionerResult): CaptionerCompletedResult {
  if (result.status === 'completed') return result;
  if (result.status === 'blocked')
    throw new CommandFailure('Moderation blocked this recording, so no captions were made.');
  const { message, suggestions } = result.error;
  throw new CommandFailure([message, ...suggestions.map(({ label }) => `- ${label}`)].join('\n'));
}

/** The output of --json for a finished recording. */
const outcomeOf = (result: CaptionerCompletedResult, files: readonly Output[]) => ({
  files: files.map(({ path }) => path),
  duration: Reflect.get(result.metadata, 'duration') as number,
  cues: result.quality.captions.summary.cueCount,
  warnings: result.quality.captions.summary.warningCount,
  score: result.quality.captions.score,
  words: result.transcript.words.length,
  ...confidenceFigures(result.transcript.words),
  unheard: unheardIn(result.transcript.metadata),
  droppedWords: result.transcript.metadata['droppedWords'] ?? 0,
  doubts: hearingSentences(result.transcript.metadata),
  offers: openOffersOf(result.audit.corrections).map(({ heard, meant, places }) => ({
    heard,
    meant,
    places: places.map(({ id, start, end }) => ({ id, start, end })),
  })),
});

function conclude(result: CaptionerCompletedResult, files: readonly Output[], name: string): void {
  const { score, summary } = result.quality.captions;
  const { metadata, words } = result.transcript;
  const heard = hearingSentences(metadata);
  const cues = `${summary.cueCount} cues, ${warningsInWords(summary.warningCount, heard)}. ${scoreAndConfidence(score, metadata, words.length)}`;
  const written = files.flatMap(({ path }) => (path === null ? [] : asTyped(path)));
  say(`${name}${cues}${name && written.length > 0 ? ` → ${written.join(', ')}` : ''}`);
  const notes = (result.input['notes'] ?? []) as string[];
  const packs = result.audit.evidentPacks ?? [];
  const doubts = [...heard, ...packs.map(packInWords), ...unheardSentences(metadata), ...notes];
  for (const sentence of doubts) say(`${name}${sentence}`);
  const offers = openOffersOf(result.audit.corrections);
  for (const offer of offers.slice(0, MAX_NAMED)) say(`${name}Perhaps ${offerInWords(offer)}`);
  if (offers.length > MAX_NAMED)
    say(`${name}and ${offers.length - MAX_NAMED} more terms to decide`);
}
