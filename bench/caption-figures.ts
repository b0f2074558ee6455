/**
 * Measures the quality of our cues and others': problems with real word times, and agreement with
 * the breaks that people made, on the shared test material if it is available.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { buildCues } from '../server/captions/build/build.ts';
import type { TimedLines } from '../server/captions/cue.ts';
import { assessCaptions } from '../server/captions/rules/quality.ts';
import { readVtt } from '../server/captions/files/vtt.ts';
import { type CaptionQualityFlag } from '../server/contract/captions.ts';
import { shared, sharedFolder } from '../test/support/requirements.ts';
import { breakF1, NEW_CUE, NEW_LINE, NO_BREAK, pk, sigma, windowDiff } from './break-agreement.ts';
import { deepgram, greedy, ours, type Builder } from './builders.ts';
import { timeFigures } from './caption-times.ts';
import { subtitleEdits } from './subtitle-edits.ts';
import type { CaptionWord } from '../server/captions/divide/fix-word-times.ts';
import { DEFAULT_CAPTION_SETTINGS } from '../server/contract/caption-defaults.ts';

/** A talk captioned by people: its cues, its words, and the break after each word. */
interface Captioned {
  cues: readonly TimedLines[];
  words: CaptionWord[];
  breaks: number[];
}

interface RecognisedWord {
  word: string;
  punctuated_word?: string;
  start: number;
  end: number;
  speaker?: number;
}

/** The words of each real response of a speech service. */
function realWords(): CaptionWord[][] {
  const folder = shared('fixtures/deepgram');
  return readdirSync(folder)
    .filter((name) => name.startsWith('py'))
    .map((name) => {
      const { results } = JSON.parse(readFileSync(`${folder}/${name}`, 'utf8'));
      const heard: RecognisedWord[] = results.channels[0].alternatives[0].words;
      return heard.map(({ word, punctuated_word, start, end, speaker }) => ({
        text: punctuated_word ?? word,
        start,
        end,
        ...(speaker === undefined ? {} : { speaker: String(speaker) }),
      }));
    });
}

/** Captions made by people, by language: mostly English, a few in others. */
const HUMAN: Record<string, string[]> = {
  en: ['blocks4all_captions_en', 'itaccess_captions_en', 'wwa_captions_en', 'paulallen_en'],
  es: ['itaccess_subtitles_es'],
  de: ['wwa_captions_de'],
  fr: ['frenchsong_captions_fr'],
};

/** Captions made by people; a word's time is its share of the cue's, by its characters. */
const captioned = (language: string): Captioned[] =>
  (HUMAN[language] ?? []).map((name) => {
    const text = readFileSync(shared(`reference/ableplayer/${name}.vtt`), 'utf8');
    const cues = readVtt(text).filter(({ lines }) => lines.length > 0);
    const talk: Captioned = { cues, words: [], breaks: [] };
    for (const { start, end, lines } of cues) {
      const each = (end - start) / lines.join(' ').length;
      let at = start;
      for (const [index, line] of lines.entries()) {
        const words = line.trim().split(/\s+/);
        for (const [place, word] of words.entries()) {
          talk.words.push({ text: word, start: at, end: (at += each * (word.length + 1)) });
          const lineEnds = place === words.length - 1;
          talk.breaks.push(lineEnds ? (index === lines.length - 1 ? NEW_CUE : NEW_LINE) : NO_BREAK);
        }
      }
    }
    return talk;
  });

const breaksOf = (cues: readonly TimedLines[]): number[] =>
  cues.flatMap(({ lines }) =>
    lines.flatMap((line, index) => [
      ...line
        .split(' ')
        .slice(1)
        .map(() => NO_BREAK),
      index === lines.length - 1 ? NEW_CUE : NEW_LINE,
    ]),
  );

/**
 * Agreement with people: of all breaks, of line breaks, and by the measures of EvalSubtitle and
 * SubER.
 */
function agreement(build: Builder, talks: readonly Captioned[]) {
  const made = talks.map(({ words }) => build(words));
  const compared = talks.map(({ words, breaks }, at) => ({
    words: words.map(({ text }) => text),
    theirs: breaks,
    ours: breaksOf(made[at]!),
  }));
  const total = { edits: 0, tokens: 0 };
  for (const [at, { cues }] of talks.entries()) {
    const { edits, tokens } = subtitleEdits(made[at]!, cues);
    total.edits += edits;
    total.tokens += tokens;
  }
  return {
    'F1 any break': breakF1(compared, (kind) => kind !== NO_BREAK).toFixed(3),
    'F1 line break': breakF1(compared, (kind) => kind === NEW_LINE).toFixed(3),
    Sigma: sigma(compared).toFixed(1),
    Pk: pk(compared).toFixed(3),
    WindowDiff: windowDiff(compared).toFixed(3),
    SubER: ((100 * total.edits) / total.tokens).toFixed(1),
  };
}

function faults(build: Builder, talks: readonly CaptionWord[][]) {
  let cues = 0;
  let score = 0;
  const flags: Partial<Record<CaptionQualityFlag, number>> = {};
  for (const words of talks) {
    const report = assessCaptions(build(words), DEFAULT_CAPTION_SETTINGS);
    cues += report.cues.length;
    score += report.score * report.cues.length;
    for (const { flag } of report.warnings) flags[flag] = (flags[flag] ?? 0) + 1;
  }
  const percent = (flag: CaptionQualityFlag) =>
    `${((100 * (flags[flag] ?? 0)) / cues).toFixed(1)}%`;
  return {
    'line over 42': percent('line_length_above_maximum'),
    'over 20 CPS': percent('reading_speed_high'),
    'under 0.8 s': percent('duration_below_minimum'),
    'over 6 s': percent('duration_above_maximum'),
    dangling: percent('dangling_line_break'),
    score: (score / cues).toFixed(3),
  };
}

/**
 * One row for each builder, and for ours in other languages; empty if the shared material is
 * missing.
 */
export function captionFigures(): object[] {
  if (!existsSync(sharedFolder)) return [];
  const real = realWords();
  const english = captioned('en');
  return [
    ...Object.entries({ ours, '@deepgram/captions': deepgram, greedy }).map(([builder, build]) => ({
      builder,
      ...faults(build, real),
      ...agreement(build, english),
      ...timeFigures(
        build,
        english.flatMap(({ words }) => words.map(({ text }) => text)),
      ),
    })),
    ...Object.keys(HUMAN)
      .filter((language) => language !== 'en')
      .map((language) => ({
        builder: `ours, ${language}`,
        ...agreement(
          (words) => buildCues(words, DEFAULT_CAPTION_SETTINGS, language),
          captioned(language),
        ),
      })),
  ];
}
