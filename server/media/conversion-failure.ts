/** Why a recording cannot be converted, and whether it need be: an MP3 need not. */
import { createReadStream } from 'node:fs';
import { Mp3Sniffer } from '../mp3/sniff.ts';

/** The reason why a recording cannot be converted. */
type NotConvertible =
  /** No package here reads its container or decodes its sound. */
  | 'unknown_format'
  /** Such as that, where FFmpeg, which may know it, is not installed. */
  | 'no_ffmpeg'
  /** It has pictures and no sound. */
  | 'no_audio'
  /** As an MP3 it would be larger than an upload may be. */
  | 'too_long'
  /** It claims a sample rate or a number of channels that no recording has. */
  | 'implausible';

/** Thrown for a recording that cannot be converted. */
export class ConversionFailure extends Error {
  override readonly name = 'ConversionFailure';
  readonly reason: NotConvertible;

  constructor(reason: NotConvertible, options?: ErrorOptions) {
    super(`The recording cannot be converted: ${reason}.`, options);
    this.reason = reason;
  }
}

/** Thrown if others convert so much that a recording has waited too long for its turn. */
export class ConversionsBusy extends Error {
  override readonly name = 'ConversionsBusy';
}

/** The reasons that the process of a conversion tells, in the order of its exit codes. */
const REASONS: readonly NotConvertible[] = [
  'unknown_format',
  'no_audio',
  'too_long',
  'implausible',
];
/** The exit code of the first reason; runtimes use lower ones. */
const EXIT_BASE = 40;

/** The exit code for an error of a conversion. */
export const exitCodeOf = (error: unknown): number =>
  EXIT_BASE + (error instanceof ConversionFailure ? REASONS.indexOf(error.reason) : 0);

/** The reason for an exit code; a process that crashed could not read the recording. */
export const reasonOf = (exitCode: number | null): NotConvertible =>
  REASONS[Number(exitCode) - EXIT_BASE] ?? 'unknown_format';

/** The sample rates and the most channels of recordings; two MiB of 1 Hz would last for twelve days. */
const RATES = { lowest: 2000, highest: 768_000 };
const MAX_CHANNELS = 32;

/** Whether a recording may have this sample rate and number of channels. */
export const isPlausible = (rate: number, channels: number): boolean =>
  rate >= RATES.lowest && rate <= RATES.highest && channels >= 1 && channels <= MAX_CHANNELS;

/** Whether a file is an MP3, by its bytes. */
export async function isMp3(path: string): Promise<boolean> {
  const sniffer = new Mp3Sniffer();
  for await (const chunk of createReadStream(path)) {
    const verdict = sniffer.push(chunk as Uint8Array);
    if (verdict !== 'unknown') return verdict === 'mp3';
  }
  return sniffer.end() === 'mp3';
}
