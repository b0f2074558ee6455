/** A clip whose words are known, for testing a recogniser before it is trusted. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { distance } from 'fastest-levenshtein';
import type { TranscriptWord } from '../../contract/transcript.ts';
import type { Hearing } from '../../models/machine-notes.ts';
import { decodeMono16k } from '../../mp3/decode.ts';
import { indexMp3 } from '../../mp3/frames.ts';
import { SPEECH_RATE } from '../../mp3/resample.ts';
import type { RecognizeWindow } from './recognise.ts';

const SAMPLE = fileURLToPath(new URL('../../../sample/agent-registration.mp3', import.meta.url));
/** The place of the clip in the sample, in seconds. */
const RANGE = { start: 4.1, end: 9.85 };
const WORDS =
  'tonight i want to show you how an agent can sign up for a service on its own the agent reads one page'.split(
    ' ',
  );

/** Lets a recogniser hear the clip. Rejects with its error, or with the signal's reason. */
export async function hearClip(
  recognize: RecognizeWindow,
  signal: AbortSignal,
): Promise<Pick<Hearing, 'words' | 'wrong' | 'timed'>> {
  const samples = await clip(signal);
  const end = samples.length / SPEECH_RATE;
  const heard = await recognize(samples, { start: 0, end }, signal);
  return { words: WORDS.length, wrong: wrongWords(heard), timed: areTimed(heard, end) };
}

async function clip(signal: AbortSignal): Promise<Float32Array> {
  const bytes = await readFile(SAMPLE, { signal });
  const audio = {
    size: bytes.length,
    async *read({ start, end } = { start: 0, end: bytes.length }) {
      yield await Promise.resolve(bytes.subarray(start, end));
    },
  };
  const index = await indexMp3(audio, signal);
  const samples = new Float32Array(Math.round((RANGE.end - RANGE.start) * SPEECH_RATE));
  let at = 0;
  for await (const block of decodeMono16k(audio, index, RANGE, signal)) {
    samples.set(block, at);
    at += block.length;
  }
  return samples;
}

/** The number of words to replace, insert or remove. Every different word becomes a letter, since letters are compared. */
function wrongWords(heard: readonly TranscriptWord[]): number {
  const letters = new Map<string, string>();
  const spelled = (words: readonly string[]): string =>
    words
      .map((word) => {
        const letter = letters.get(word) ?? String.fromCharCode(0x4e00 + letters.size);
        letters.set(word, letter);
        return letter;
      })
      .join('');
  const words = heard.map(({ text }) => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, ''));
  return distance(spelled(WORDS), spelled(words.filter((word) => word !== '')));
}

/** Whether most words begin at times of their own, over at least half of the clip. */
function areTimed(heard: readonly TranscriptWord[], end: number): boolean {
  const starts = new Set(heard.map(({ start }) => start).filter(Number.isFinite));
  const span = Math.max(...starts) - Math.min(...starts);
  return starts.size > heard.length / 2 && span >= end / 2;
}
