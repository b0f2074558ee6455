/** Reads the number of samples that an MP3's encoder added before the sound, which players skip. */
import { parseFrameHeader } from '../../server/mp3/header.ts';
import { parseInfoFrame } from '../../server/mp3/info.ts';
import { TAG_HEADER_BYTES, tagLength } from '../../server/mp3/tags.ts';
import { readBytes } from './mp3.ts';

/** Samples that every decoder adds to the encoder's delay. */
const DECODER_DELAY = 529;
/** Longer than any information frame. */
const FRAME_BYTES = 1500;

/**
 * The delay of an MP3's sound when every frame is decoded, in seconds; 0 if the file does not say.
 */
export async function readEncoderDelay(mp3: Blob): Promise<number> {
  const bytes = await readBytes(mp3, await afterTags(mp3), FRAME_BYTES);
  const header = parseFrameHeader(bytes, 0);
  const delay = header && parseInfoFrame(header, bytes)?.encoderDelay;
  return delay == null || !header ? 0 : (delay + DECODER_DELAY) / header.sampleRate;
}

/** The offset after the tags at the start of a file; past its end if a tag's size is wrong. */
async function afterTags(file: Blob): Promise<number> {
  let offset = 0;
  while (offset < file.size) {
    const length = tagLength(await readBytes(file, offset, TAG_HEADER_BYTES), 0);
    if (length === 0) break;
    offset += length;
  }
  return offset;
}
