/** The caption builders to compare with ours. */
import { DeepgramConverter, srt } from '@deepgram/captions';
import { buildCues } from '../server/captions/build/build.ts';
import { makeCue } from '../server/captions/cue.ts';
import { readSrt } from '../server/captions/files/srt.ts';
import { type CaptionCue } from '../server/contract/captions.ts';
import type { CaptionWord } from '../server/captions/divide/fix-word-times.ts';
import { DEFAULT_CAPTION_SETTINGS } from '../server/contract/caption-defaults.ts';

export type Builder = (words: readonly CaptionWord[]) => CaptionCue[];

/** The service's own builder, with the default settings. */
export const ours: Builder = (words) => buildCues(words, DEFAULT_CAPTION_SETTINGS);

type DeepgramResponse = ConstructorParameters<typeof DeepgramConverter>[0];

/** Words in the part of Deepgram's format that @deepgram/captions reads. */
export const deepgramResponse = (words: readonly CaptionWord[]): DeepgramResponse => {
  const heard = words.map(({ text, start, end, speaker }) => ({
    word: text,
    punctuated_word: text,
    start,
    end,
    confidence: 1,
    ...(speaker === undefined ? {} : { speaker: Number(speaker) }),
  }));
  const results = { channels: [{ alternatives: [{ words: heard }] }] };
  return { results } as unknown as DeepgramResponse;
};

/** The SRT that @deepgram/captions makes with its defaults. */
export const deepgramSrt = (response: DeepgramResponse): string =>
  srt(new DeepgramConverter(response));

/** The captions of @deepgram/captions, read back from its SRT: times to the millisecond. */
export const deepgram: Builder = (words) =>
  readSrt(deepgramSrt(deepgramResponse(words))).map(({ start, end, lines }, at) =>
    makeCue(at + 1, start, end, lines),
  );

/** Fills two lines of 42 characters with words: the simplest possible builder. */
export const greedy: Builder = (words) => {
  const { maxLineChars, maxLines } = DEFAULT_CAPTION_SETTINGS;
  const cues: CaptionCue[] = [];
  let lines: string[] = [];
  let start = 0;
  let end = 0;
  const finish = () => {
    if (lines.length === 0) return;
    cues.push(makeCue(cues.length + 1, start, end, lines));
    lines = [];
  };
  for (const word of words) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.text.length <= maxLineChars) {
      lines[lines.length - 1] = `${last} ${word.text}`;
    } else {
      if (lines.length === maxLines) finish();
      if (lines.length === 0) start = word.start;
      lines.push(word.text);
    }
    end = word.end;
  }
  finish();
  return cues;
};
