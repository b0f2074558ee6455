/** Detects whether an upload is MP3, from its bytes as they arrive. */
import { FrameScanner } from './scanner.ts';

/** The unknown bytes allowed before the first frame, since a recorded stream may start in the middle of a frame. */
const MAX_JUNK_BYTES = 64 * 1024;
/** The zeros allowed before the first frame, as padding after a tag. */
const MAX_ZERO_BYTES = 1024 * 1024;

/** The number of bytes examined before the answer is checked again. */
const LOOK_BYTES = 64 * 1024;

/** The signatures of other formats: offset and bytes (Latin-1). */
const OTHER_FORMATS: readonly (readonly [offset: number, mark: string])[] = [
  [0, 'RIFF'], // WAV (also one with MPEG audio inside), AVI, WebP
  [0, 'RF64'],
  [0, 'FORM'], // AIFF
  [0, 'caff'],
  [0, 'OggS'],
  [0, 'fLaC'],
  [0, '#!AMR'],
  [0, '.snd'],
  [0, 'MThd'],
  [0, 'ADIF'],
  [0, '\x0b\x77'], // AC-3
  [4, 'ftyp'], // MP4, M4A, QuickTime, HEIF
  [4, 'moov'],
  [4, 'mdat'],
  [4, 'wide'],
  [0, '\x1a\x45\xdf\xa3'], // Matroska, WebM
  [0, '\x30\x26\xb2\x75'], // ASF, WMA
  [0, 'FLV\x01'],
  [0, '\x00\x00\x01\xba'], // MPEG programme stream
  [0, '\x00\x00\x01\xb3'], // MPEG video
  [0, 'PK\x03\x04'],
  [0, 'Rar!'],
  [0, '7z\xbc\xaf'],
  [0, '\x1f\x8b'],
  [0, 'BZh'],
  [0, '\xfd7zXZ'],
  [0, '\x28\xb5\x2f\xfd'], // Zstandard
  [257, 'ustar'],
  [0, '\x89PNG'],
  [0, 'GIF8'],
  [0, '\xff\xd8\xff'], // JPEG
  [0, 'BM'],
  [0, '%PDF'],
  [0, '\xd0\xcf\x11\xe0'], // old office documents
  [0, '\x7fELF'],
  [0, 'MZ'],
  [0, 'SQLite format 3'],
];

/**
 * Distinguishes MP3 from everything else. Push chunks of any size until the answer is no longer 'unknown'; more may
 * follow. A file is MP3 if, after any ID3v2 or APE tags and zeros, one layer III frame is followed by a consistent
 * second one or by the end of the file; after up to 64 KiB of unknown bytes, two must follow. Holds only a few
 * kilobytes, however large a tag is.
 */
export class Mp3Sniffer {
  private verdict: 'unknown' | 'mp3' | 'not-mp3' = 'unknown';
  private foundInTag = false;
  private readonly scanner = new FrameScanner({
    frame: () => this.decideByFrame(),
    junk: (bytes) => {
      if (isOtherFormat(bytes)) this.decide('not-mp3');
    },
  });
  /** Searches inside tags too, in case a tag's size extends past the end of the file. */
  private readonly distrustful = new FrameScanner({ frame: () => (this.foundInTag = true) }, false);

  /** Takes the next bytes and returns the answer so far. */
  push(chunk: Uint8Array): 'unknown' | 'mp3' | 'not-mp3' {
    // However much arrives at once, no more of it is examined than necessary.
    for (let at = 0; at < chunk.byteLength && this.verdict === 'unknown'; at += LOOK_BYTES) {
      this.look(chunk.subarray(at, at + LOOK_BYTES));
    }
    return this.verdict;
  }

  private look(bytes: Uint8Array): void {
    this.scanner.push(bytes);
    if (this.verdict === 'unknown') this.distrustful.push(bytes);
    // The scanner reports the first frame only once it is complete; here, its header and the next one are enough.
    if (this.tooMuchBefore) this.decide('not-mp3');
    if (this.scanner.reference !== null) this.decide('mp3');
  }

  /** Ends the file and returns the final answer. */
  end(): 'mp3' | 'not-mp3' {
    if (this.verdict === 'unknown') {
      this.scanner.end();
      if (this.scanner.insideTag) {
        this.distrustful.end();
        if (this.foundInTag) this.decide('mp3');
      }
    }
    this.decide('not-mp3');
    return this.verdict === 'mp3' ? 'mp3' : 'not-mp3';
  }

  /**
   * Decides by the position of the first frame. A chunk may contain both too much junk and the first frame, and the
   * result must not depend on chunk sizes.
   */
  private decideByFrame(): void {
    this.decide(this.tooMuchBefore ? 'not-mp3' : 'mp3');
  }

  private get tooMuchBefore(): boolean {
    const { junkBefore, zerosBefore } = this.scanner;
    return junkBefore > MAX_JUNK_BYTES || zerosBefore > MAX_ZERO_BYTES;
  }

  /** Sets the answer; the first one is final. */
  private decide(verdict: 'mp3' | 'not-mp3'): void {
    if (this.verdict === 'unknown') this.verdict = verdict;
  }
}

/** Whether the beginning of a file identifies another format, or text. */
function isOtherFormat(bytes: Uint8Array): boolean {
  const has = ([offset, mark]: readonly [number, string]): boolean => {
    for (let i = 0; i < mark.length; i++) {
      if (bytes[offset + i] !== mark.charCodeAt(i)) return false;
    }
    return true;
  };
  if (OTHER_FORMATS.some(has)) return true;
  // MPEG transport stream: a sync byte every 188.
  if (bytes[0] === 0x47 && bytes[188] === 0x47) return true;
  const start = bytes.subarray(bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0);
  return start
    .subarray(0, 64)
    .every((byte) => (byte >= 32 && byte < 127) || (byte >= 9 && byte <= 13));
}
