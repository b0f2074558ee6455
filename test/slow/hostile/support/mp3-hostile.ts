/** Files that are not MP3, or differ from what their headers say. */
import { ascii, fixture, id3, join, junk } from '../../../mp3/support.ts';
import {
  apeTag,
  clip,
  framesOf,
  id3v1,
  madeFrame,
  mono8k,
  speech,
  stereo48k,
} from './mp3-parts.ts';

function repeated(count: number, ...parts: Uint8Array[]): Uint8Array {
  const once = join(...parts);
  const bytes = new Uint8Array(count * once.length);
  for (let at = 0; at < bytes.length; at += once.length) bytes.set(once, at);
  return bytes;
}

/** `speech` with false values in its first frame, which is an Info frame. */
function lyingInfo(change: (frame: Uint8Array, mark: number) => void): Uint8Array {
  const [info = new Uint8Array(), ...frames] = framesOf(speech);
  const lie = info.slice();
  change(lie, Buffer.from(lie).indexOf('Info'));
  return join(lie, ...frames.slice(0, 40));
}

/** A VBRI frame of MPEG 2.5 with a false number of frames, before a few others. */
function vbri(frames: number): Uint8Array {
  const frame = madeFrame([0xff, 0xe3, 0x48, 0xc4]);
  frame.set(ascii('VBRI'), 36);
  new DataView(frame.buffer).setUint32(50, frames);
  return join(frame, repeated(30, madeFrame([0xff, 0xe3, 0x48, 0xc4])));
}

/** A tag with flags and an invalid size, which is not in seven bits per byte. */
const rawTag = (flags: number, size: readonly number[]): Uint8Array =>
  new Uint8Array([...ascii('ID3'), 4, 0, flags, ...size]);

/** Another kind of file that contains frames, or similar bytes. */
const around = (start: string | number[], padding = 60): Uint8Array =>
  join(
    typeof start === 'string'
      ? new Uint8Array(Buffer.from(start, 'latin1'))
      : new Uint8Array(start),
    junk(padding),
    repeated(5, new Uint8Array([0xff, 0xfb, 0x92, 0xc4]), junk(40)),
    clip(1),
  );

/** All kinds of files that are not recordings, or not what they claim to be. */
export const HOSTILE: readonly (readonly [name: string, bytes: Uint8Array])[] = [
  ['all 0xff', new Uint8Array(10_000_000).fill(0xff)],
  ['all 0x00', new Uint8Array(10_000_000)],
  ['10 MB of sync words', repeated(2_500_000, new Uint8Array([0xff, 0xfb, 0x92, 0xc4]))],
  ['3 MB of headers that overlap', repeated(1_000_000, new Uint8Array([0xff, 0xfb, 0x94]))],
  ['10 MB of 0xff behind a frame', join(clip(1), new Uint8Array(10_000_000).fill(0xff))],
  ['10 MB of 0xff in a tag', join(id3(10, 250_000_000), new Uint8Array(10_000_000).fill(0xff))],
  ['a tag of 256 MB in a few bytes', id3(100, 268_435_455)],
  ['a tag of 256 MB before frames', join(id3(100, 268_435_455), clip(1))],
  ['a tag with every bit of its size set', join(rawTag(0, [255, 255, 255, 255]), clip(1))],
  ['a million tags', join(repeated(1_000_000, id3(0)), clip(1))],
  ['tags in tags', join(repeated(3000, rawTag(0, [0, 1, 127, 127])), clip(1))],
  ['unsynchronised, extended, with a footer', join(rawTag(0xf0, [0, 0, 0, 0]), clip(1))],
  ['a tag with a footer that is not there', join(id3(50).fill(0x10, 5, 6), clip(1))],
  ['tags at the end', join(clip(1), apeTag(64), id3v1, ascii('TAG+'), new Uint8Array(223), id3v1)],
  ['an APE tag of 4 GB first', join(apeTag(0xffff_ffff), clip(1))],
  ['an APE tag of 4 GB in the middle', join(clip(1), apeTag(0xffff_ffff), clip(1))],
  ['an ID3v1 tag alone', id3v1],
  ['free format, no frame ends', join(new Uint8Array([0xff, 0xfb, 0x00, 0xc4]), junk(20_000))],
  ['free format of 24 bytes', repeated(500, new Uint8Array([0xff, 0xe3, 0x08, 0xc4]), junk(20))],
  ['free format that was real', fixture('free-format.mp3')],
  ['the reserved bitrate', repeated(50, madeFrame([0xff, 0xfb, 0xf0, 0xc4]))],
  ['the reserved sample rate', repeated(50, madeFrame([0xff, 0xfb, 0x9c, 0xc4]))],
  ['the reserved layer', repeated(50, madeFrame([0xff, 0xf9, 0x90, 0xc4]))],
  ['the reserved version', repeated(50, madeFrame([0xff, 0xeb, 0x90, 0xc4]))],
  ['layer I', repeated(50, madeFrame([0xff, 0xff, 0xc0, 0x04]))],
  ['layer II', repeated(50, madeFrame([0xff, 0xfd, 0x84, 0x04]))],
  ['frames with nothing in them', repeated(50, madeFrame([0xff, 0xf3, 0x48, 0xc4]))],
  ['frames full of 0xff', repeated(50, madeFrame([0xff, 0xf3, 0x48, 0xc4], 0xff))],
  ['one frame', madeFrame([0xff, 0xf3, 0x48, 0xc4])],
  ['an Info frame alone', framesOf(speech)[0] ?? new Uint8Array()],
  [
    'an Info frame of 4 billion frames',
    lyingInfo((frame, mark) => frame.fill(255, mark + 8, mark + 12)),
  ],
  ['an Info frame of no frames', lyingInfo((frame, mark) => frame.fill(0, mark + 8, mark + 12))],
  [
    'an Info frame with every flag',
    lyingInfo((frame, mark) => frame.fill(255, mark + 4, mark + 8)),
  ],
  [
    'LAME: 4,095 samples before and after',
    lyingInfo((frame, mark) => frame.fill(255, mark + 141, mark + 144)),
  ],
  [
    'LAME: more padding than sound',
    join(
      ...framesOf(
        lyingInfo((frame, mark) => {
          frame.set([0, 0, 0, 2], mark + 8);
          frame.fill(255, mark + 141, mark + 144);
        }),
      ).slice(0, 3),
    ),
  ],
  ['VBRI of 4 billion frames', vbri(0xffff_ffff)],
  ['VBRI of none', vbri(0)],
  [
    'MPEG 2.5 and MPEG 1 by turns',
    join(...stereo48k.slice(0, 20).flatMap((frame) => [frame, mono8k.slice(0, 72)])),
  ],
  ['MPEG 2.5, then MPEG 1', join(mono8k.slice(0, 72 * 30), ...stereo48k.slice(0, 5))],
  [
    'mono and stereo by turns',
    repeated(20, madeFrame([0xff, 0xf3, 0x48, 0xc4]), madeFrame([0xff, 0xf3, 0x48, 0x04])),
  ],
  [
    'bitrates by turns',
    repeated(20, madeFrame([0xff, 0xf3, 0x18, 0xc4]), madeFrame([0xff, 0xf3, 0xe8, 0xc4])),
  ],
  ['a ZIP', around('PK\x03\x04')],
  ['a PDF', around('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n')],
  ['HTML', around('<!doctype html><script>alert(1)</script>'.repeat(20), 0)],
  ['a WAV', around('RIFF\xff\xff\xff\xffWAVEfmt ')],
  ['an MP4', around('\0\0\0\x18ftypisom\0\0\0\0isom')],
  ['a JPEG', around([0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49, 0x46])],
  ['a ZIP behind a tag', join(id3(20), around('PK\x03\x04'))],
  ['an unknown file with a talk in it', around([1, 2, 3], 50_000)],
];
