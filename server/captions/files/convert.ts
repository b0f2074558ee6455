/** Converts caption files without their sound: reads any format, moves the times, and writes another one. */
import { cutOut, fitted, joined, shifted, stretched } from '../retime.ts';
import { frameRateOf, secondsAtFrame } from '../timestamps.ts';
import { frameCountOf, frameOfTimeCode } from '../time-code.ts';
import { languageByLetters } from './direction.ts';
import type { Encoding } from './encodings.ts';
import { type FormatId } from './formats.ts';
import { readCaptionFile, type ReadFile, writeCaptionFile } from './read-write.ts';
import { readLooseTime } from './loose-times.ts';
import type { CaptionFileOptions, Loss, ReadCue, UnreadLine } from './portable-captions.ts';

/** What to do with caption files, in the words that people give. Times are seconds, clocks or time code. */
export interface Conversion {
  to: FormatId;
  /** `txt` for plain text, whose lines become captions; other formats are told by the content. */
  from?: 'txt' | undefined;
  /** How the text was encoded, if not as it was detected. */
  encoding?: Encoding | undefined;
  /** Frames a second: of a file that does not say, of time code in these fields, and of what is written. */
  rate?: string | undefined;
  /** Whether time code of 29.97 and 59.94 frames a second drops numbers. */
  dropFrame?: boolean | undefined;
  /** The frames a second of what is written, if it is another picture. */
  toRate?: string | undefined;
  /** Added to all times; negative with a minus. */
  offset?: string | undefined;
  /** Two rates, `25:23.976`: the picture was made for the first, and is played at the second. */
  stretch?: string | undefined;
  /** Two points, `00:00:10=00:00:12,00:50:00=00:50:05`. */
  points?: string | undefined;
  /** A stretch to cut out, `00:10:00-00:12:30`. */
  cut?: string | undefined;
  /** The time code at which the written programme begins: `10:00:00:00`. */
  start?: string | undefined;
  /** BCP 47. */
  language?: string | undefined;
}

/** A converted file, and all that should be known of it. */
export interface Converted {
  file: Uint8Array;
  /** The format, and the encoding of the text, in which the first file was read. */
  from: FormatId;
  encoding: Encoding | null;
  captions: number;
  unread: UnreadLine[];
  lost: Loss[];
}

/** A conversion that cannot be done: a field, and what it must be. */
export class WrongConversion extends Error {
  override readonly name = 'WrongConversion';
  /** The field of the conversion; empty for the file. */
  readonly field: string;
  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}

/** The most losses that are listed. */
const MOST_LOSSES = 10_000;

/**
 * Converts caption files, in this order: each is read and cut, the parts are joined, stretched and shifted.
 * @param files the bytes of one file or of parts that follow one another, each beginning where the one before it ended
 * @throws {WrongConversion} for a file without captions, and for a field that cannot be read
 */
export async function convertCaptions(
  files: readonly Uint8Array[],
  conversion: Conversion,
): Promise<Converted> {
  const { rate, toRate, dropFrame, encoding, from: said } = conversion;
  const frameRate = rate === undefined ? undefined : rateOf('rate', rate);
  const read: ReadFile[] = [];
  for (const bytes of files) {
    const one = await readCaptionFile(bytes, {
      ...(encoding && { encoding }),
      isText: said === 'txt',
      ...(frameRate !== undefined && { frameRate }),
    });
    if (!one) throw new WrongConversion('', 'contains no captions that can be read');
    read.push(one);
  }
  const [first] = read as [ReadFile];
  const clock = {
    rate: frameRate ?? first.details.frameRate ?? DEFAULT_RATE,
    dropFrame: dropFrame ?? first.details.dropFrame ?? false,
  };
  const captions = retimed(read, conversion, clock);
  const unread = read.flatMap((one) => one.unread);
  const kept = captions.flatMap((cue) => {
    if (cue.end > 0 || cue.start >= 0) return [{ ...cue, start: Math.max(0, cue.start) }];
    unread.push({ line: 0, text: cue.lines.join(' '), reason: 'it is over before the beginning' });
    return [];
  });
  const lost: Loss[] = [];
  const language = conversion.language ?? first.details.language ?? languageByLetters(kept);
  const written = toRate === undefined ? clock.rate : rateOf('toRate', toRate);
  const isInFrames =
    toRate !== undefined || frameRate !== undefined || first.details.frameRate !== undefined;
  const options: CaptionFileOptions = {
    language,
    ...(isInFrames && { frameRate: written }),
    ...(conversion.dropFrame !== undefined && { dropFrame: conversion.dropFrame }),
    ...(conversion.start !== undefined && {
      firstFrame: frameOf('start', conversion.start, { ...clock, rate: written }),
    }),
    lost: (loss) => {
      if (lost.length < MOST_LOSSES) lost.push(loss);
    },
  };
  const file = await writeCaptionFile(conversion.to, kept, options);
  const { format: from, encoding: was } = first;
  return { file, from, encoding: was, captions: kept.length, unread, lost };
}

/** The rate of time code where nothing else says one: that of European television. */
const DEFAULT_RATE = 25;

interface Clock {
  rate: number;
  dropFrame: boolean;
}

function retimed(read: readonly ReadFile[], conversion: Conversion, clock: Clock): ReadCue[] {
  const { cut, stretch, points, offset } = conversion;
  const stretches = (cut ?? '').split(',').flatMap((each) => {
    if (each === '') return [];
    const [from = '', to = '', more] = each.split('-');
    const [begins, ends] = [timeOf('cut', from, clock), timeOf('cut', to, clock)];
    if (more !== undefined || ends <= begins) {
      throw new WrongConversion(
        'cut',
        'must be two times with a hyphen between them, the later one last',
      );
    }
    return [[begins, ends] as const];
  });
  let begins = 0;
  const parts = read.map(({ cues }) => {
    const part = { captions: cues, begins };
    begins += cues.reduce((end, cue) => Math.max(end, cue.end), 0);
    return part;
  });
  let captions = parts.length === 1 ? parts[0]!.captions : joined(parts);
  // The last first, so that the times of the others stay.
  for (const [from, to] of stretches.toSorted((one, other) => other[0] - one[0])) {
    captions = cutOut(captions, from, to);
  }
  if (stretch !== undefined) {
    const [from = '', to = ''] = stretch.split(':');
    const rates = [from, to].map((each) => frameRateOf(rateOf('stretch', each)).rate);
    captions = stretched(captions, rates[0]!, rates[1]!);
  }
  if (points !== undefined) captions = fittedTo(captions, points, clock);
  if (offset !== undefined) captions = shifted(captions, timeOf('offset', offset, clock));
  return captions;
}

function fittedTo(captions: ReadCue[], points: string, clock: Clock): ReadCue[] {
  const read = points.split(',').map((each) => {
    const [is = '', shall = ''] = each.split('=');
    return { is: timeOf('points', is, clock), shall: timeOf('points', shall, clock) };
  });
  const [one, other, ...more] = read;
  try {
    if (one && other && more.length === 0) return fitted(captions, [one, other]);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  throw new WrongConversion(
    'points',
    'must be two pairs of times in the same order, as in 0:10=0:12,50:00=50:05',
  );
}

function rateOf(field: string, text: string): number {
  const rate = Number(text);
  if (/^\d{1,3}(?:\.\d{1,6})?$/.test(text) && rate >= 1 && rate <= 240) return rate;
  throw new WrongConversion(field, 'must be frames a second from 1 to 240');
}

/** The frame of a time code, which begins with a minus if it is negative. */
function frameOf(field: string, text: string, { rate, dropFrame }: Clock): number {
  const frame = frameOfTimeCode(text, frameCountOf(rate, dropFrame));
  if (frame !== null) return frame;
  throw new WrongConversion(
    field,
    `must be time code of ${rate} frames a second, as in 10:00:00:00`,
  );
}

/** The seconds of a time: a number of seconds, a clock, or time code. */
function timeOf(field: string, text: string, clock: Clock): number {
  const sign = /^\s*[-−]/.test(text) ? -1 : 1;
  const plain = text.trim().replace(/^[-−+]/, '');
  if (/^\d{1,7}(?:\.\d{1,6})?$/.test(plain)) return sign * Number(plain);
  const { rate } = frameCountOf(clock.rate, clock.dropFrame);
  const frame = frameOfTimeCode(
    plain,
    frameCountOf(clock.rate, clock.dropFrame || plain.includes(';')),
  );
  if (frame !== null) return sign * secondsAtFrame(frame, rate);
  const seconds = /^\d+:\d\d:\d\d[:;]\d+$/.test(plain) ? null : readLooseTime(plain);
  if (seconds !== null) return sign * seconds;
  throw new WrongConversion(
    field,
    'must be seconds, a clock such as 0:01:02.5, or time code such as 10:00:00:00',
  );
}
