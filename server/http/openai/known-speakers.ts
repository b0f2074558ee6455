/** Reads the known speakers of a transcription form: names, and clips of their voices as data URLs. */
import type { Database } from '../../storage/database.ts';
import type { Spool } from '../../storage/spool.ts';
import { ConversionFailure } from '../../media/conversion-failure.ts';
import type { WithMp3 } from '../../media/to-mp3.ts';
import { indexMp3, sourceOfBytes } from '../../mp3/frames.ts';
import { keepKnownSpeakers, type KnownSpeaker } from '../../voices/known-speakers.ts';
import { refusal } from './errors.ts';

/** The most speakers, as in OpenAI's API. */
export const MAX_KNOWN = 4;
/** The longest clip as it is sent, in bytes: ten seconds as a WAV file of 48 kHz in stereo, in base64. */
export const MAX_CLIP_BYTES = 3 * 2 ** 20;
const MAX_NAME_CHARS = 100;
/** The length of a clip in seconds, as in OpenAI's API, with some tolerance for the frames of encoders. */
const SHORTEST = 1.9;
const LONGEST = 10.2;
/** Such a clip as MP3 is much smaller. */
const MAX_MP3_BYTES = 2 ** 20;

/** A known speaker of a form. */
export interface SentSpeaker {
  name: string;
  /** The clip as it was sent. */
  clip: Uint8Array<ArrayBuffer>;
}

const NAMES = 'known_speaker_names';
const CLIPS = 'known_speaker_references';

/**
 * The known speakers of a form.
 * @param isAble whether voices can be recognised here
 * @throws {Problem} 400 if they cannot be used
 */
export function sentSpeakers(
  names: readonly string[],
  clips: readonly string[],
  isAble: boolean,
): SentSpeaker[] {
  if (names.length === 0 && clips.length === 0) return [];
  if (!isAble) {
    const message =
      'Known speakers need the models that tell voices apart, on this server: the operator installs speaker-segmentation and speaker-embedding, and the recogniser has to run on the server too.';
    throw refusal(400, 'unsupported_parameter', message, NAMES);
  }
  if (names.length !== clips.length) {
    const message = `Send a reference for each name: there are ${names.length} names and ${clips.length} references.`;
    throw refusal(400, 'invalid_value', message, CLIPS);
  }
  if (names.length > MAX_KNOWN) {
    const message = `Invalid '${NAMES}': at most ${MAX_KNOWN} speakers can be known.`;
    throw refusal(400, 'array_above_max_length', message, NAMES);
  }
  const trimmed = names.map((name) => name.trim());
  const isNamed = trimmed.every((name) => name !== '' && name.length <= MAX_NAME_CHARS);
  if (!isNamed || new Set(trimmed).size < names.length) {
    const message = `Invalid '${NAMES}': each needs a name of its own, of at most ${MAX_NAME_CHARS} characters.`;
    throw refusal(400, 'invalid_value', message, NAMES);
  }
  return trimmed.map((name, at) => ({ name, clip: clipOf(clips[at]!, at) }));
}

/** The bytes of a data URL with sound. */
function clipOf(url: string, at: number): Uint8Array<ArrayBuffer> {
  const [head = '', ...rest] = url.slice(0, 200).split(',');
  const isClip =
    /^data:(?:audio|video|application)\/[\w.+-]{1,60}(?:;[\w.+="-]{1,60}){0,3};base64$/i;
  const body = rest.length > 0 ? url.slice(head.length + 1) : '';
  if (!isClip.test(head) || body === '' || /[^A-Za-z0-9+/=\s]/.test(body)) {
    const message = `Invalid '${CLIPS}[${at}]': it must be a data URL with sound, such as data:audio/wav;base64,….`;
    throw refusal(400, 'invalid_value', message, CLIPS);
  }
  return new Uint8Array(Buffer.from(body, 'base64'));
}

/**
 * Keeps the clips of a form for the run of its recording.
 * @throws {Problem} 400 for a clip that is no sound, or too short or too long
 */
export async function keepSpeakers(
  { database, spool, withMp3 }: { database: Database; spool: Spool; withMp3: WithMp3 },
  recording: { organizationId: string; key: string },
  speakers: readonly SentSpeaker[],
  signal: AbortSignal,
): Promise<void> {
  const known: KnownSpeaker[] = [];
  for (const [at, { name, clip }] of speakers.entries()) {
    const file = await spool.file(
      (async function* () {
        yield clip;
      })(),
    );
    const asking = { workspace: recording.organizationId, signal };
    try {
      const mp3 = await withMp3(file.path, asking, (bytes) => collected(bytes, at));
      const { duration } = await indexMp3(sourceOfBytes(mp3), signal).catch(() => ({
        duration: 0,
      }));
      if (duration < SHORTEST || duration > LONGEST) throw wrongLength(at);
      known.push({ name, mp3 });
    } catch (error) {
      if (!(error instanceof ConversionFailure)) throw error;
      const message = `Invalid '${CLIPS}[${at}]': this server cannot read its sound. MP3 and WAV can always be read.`;
      throw refusal(400, 'invalid_value', message, CLIPS);
    } finally {
      await file.drop();
    }
  }
  await keepKnownSpeakers(database, recording, known);
}

const wrongLength = (at: number) =>
  refusal(
    400,
    'invalid_value',
    `Invalid '${CLIPS}[${at}]': a reference must be between 2 and 10 seconds long.`,
    CLIPS,
  );

async function collected(
  bytes: AsyncIterable<Uint8Array>,
  at: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of bytes) {
    size += part.length;
    if (size > MAX_MP3_BYTES) throw wrongLength(at);
    parts.push(part);
  }
  return new Uint8Array(Buffer.concat(parts));
}
