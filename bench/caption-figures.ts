/**
 * Measures the quality of cues, ours and others': faults on real word times, and agreement with the
 * breaks that people made, on the shared test material if it is available.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import type { CaptionWord } from '../server/captions/build.ts';
import { assessCaptions } from '../server/captions/quality.ts';
import { readVtt } from '../server/captions/vtt.ts';
import {
  DEFAULT_CAPTION_SETTINGS,
  type CaptionCue,
  type CaptionQualityFlag,
} from '../server/contract/captions.ts';
import { shared, sharedFolder } from '../test/support/requirements.ts';
import { deepgram, greedy, ours, type Builder } from './builders.ts';

/** A talk that people captioned: its words, and after each nothing, a new line or a new cue. */
interface Captioned {
  words: CaptionWord[];
  breaks: number[];
}

const NEW_LINE = 1;
const NEW_CUE = 2;

interface HeardWord {
  word: string;
  punctuated_word?: string;
  start: number;
  end: number;
  speaker?: number;
}

/** The words of each real answer of a speech service. */
function realWords(): CaptionWord[][] {
  const folder = shared('fixtures/deepgram');
  return readdirSync(folder)
    .filter((name) => name.startsWith('py'))
    .map((name) => {
      const { results } = JSON.parse(readFileSync(`${folder}/${name}`, 'utf8'));
      const heard: HeardWord[] = results.channels[0].alternatives[0].words;
      return heard.map(({ word, punctuated_word, start, end, speaker }) => ({
        text: punctuated_word ?? word,
        start,
        end,
        ...(speaker === undefined ? {} : { speaker: String(speaker) }),
      }));
    });
}

/** English captions made by people; each word's time is its share of the cue's, by its letters. */
function captioned(): Captioned[] {
  return ['blocks4all_captions_en', 'itaccess_captions_en', 'wwa_captions_en'].map((name) => {
    const talk: Captioned = { words: [], breaks: [] };
    for (const { start, end, lines } of readVtt(
      readFileSync(shared(`reference/ableplayer/${name}.vtt`), 'utf8'),
    )) {
      const each = (end - start) / lines.join(' ').length;
      let at = start;
      for (const [index, line] of lines.entries()) {
        const words = line.trim().split(/\s+/);
        for (const [place, text] of words.entries()) {
          talk.words.push({ text, start: at, end: (at += each * (text.length + 1)) });
          const lineEnds = place === words.length - 1;
          talk.breaks.push(lineEnds ? (index === lines.length - 1 ? NEW_CUE : NEW_LINE) : 0);
        }
      }
    }
    return talk;
  });
}

const breaksOf = (cues: readonly CaptionCue[]): number[] =>
  cues.flatMap(({ lines }) =>
    lines.flatMap((line, index) => {
      const inside = line
        .split(' ')
        .slice(1)
        .fill('')
        .map(() => 0);
      return [...inside, index === lines.length - 1 ? NEW_CUE : NEW_LINE];
    }),
  );

/** F1 of the places where both break. */
function agreement(build: Builder, talks: readonly Captioned[], counts: (kind: number) => boolean) {
  let both = 0;
  let either = 0;
  for (const { words, breaks } of talks) {
    const made = breaksOf(build(words));
    // The end of a talk is no choice.
    for (let at = 0; at < breaks.length - 1; at += 1) {
      const [theirs, mine] = [counts(breaks[at] ?? 0), counts(made[at] ?? 0)];
      if (theirs && mine) both += 1;
      either += Number(theirs) + Number(mine);
    }
  }
  return (2 * both) / either;
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
    `${((100 * (flags[flag] ?? 0)) / cues).toFixed(1)} %`;
  return {
    'line over 42': percent('line_length_above_maximum'),
    'over 20 CPS': percent('reading_speed_high'),
    'under 0.8 s': percent('duration_below_minimum'),
    'over 6 s': percent('duration_above_maximum'),
    dangling: percent('dangling_line_break'),
    score: (score / cues).toFixed(3),
  };
}

/** One row for each builder; none where the shared material is missing. */
export function captionFigures(): object[] {
  if (!existsSync(sharedFolder)) return [];
  const [real, human] = [realWords(), captioned()];
  return Object.entries({ ours, '@deepgram/captions': deepgram, greedy }).map(
    ([builder, build]) => ({
      builder,
      ...faults(build, real),
      'F1 any break': agreement(build, human, (kind) => kind > 0).toFixed(3),
      'F1 line break': agreement(build, human, (kind) => kind === NEW_LINE).toFixed(3),
    }),
  );
}
