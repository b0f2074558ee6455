/** Finds layer III frames in bytes that arrive in chunks of any size, with constant memory. */
import { type FrameHeader, parseFrameHeader } from './header.ts';

/** Receives the scanner's findings. */
interface FrameListener {
  /** A whole frame, up to but not including `end`. */
  frame(offset: number, header: FrameHeader, end: number): void;
  /** Up to 512 bytes, if the file or the data after a tag does not start with a frame. */
  junk?(bytes: Uint8Array): void;
}

/** The longest free-format frame that is searched for: 640 kbit/s (LAME's maximum) at 8 kHz. */
const MAX_FREE_LENGTH = 5_760;
/** The shortest free-format frame: a header and the smallest side information. */
export const MIN_FREE_LENGTH = 24;
/** The number of unknown bytes passed to the listener. */
const JUNK_SAMPLE_BYTES = 512;

type Answer = 'yes' | 'no' | 'more';

/**
 * Finds frames: push chunks, then call end(). The first frame must be followed by a second consistent header (and,
 * after junk, by a third), or by the end of the file. When synchronised, each header leads to the next. After an error,
 * the search starts inside the last frame, since bytes of it may be missing.
 */
export class FrameScanner {
  /** The header with which all frames must agree: that of the first frame. */
  reference: FrameHeader | null = null;
  /** The bytes of a free-format frame without padding. */
  freeLength: number | null = null;
  /** The bytes before the first frame that are neither a tag nor zeros. */
  junkBefore = 0;
  /** The zero bytes before the first frame. */
  zerosBefore = 0;
  /** The bytes after the first frame that are neither a tag nor a frame. */
  junkBetween = 0;
  /** The offset after all leading tags and zeros. */
  tagsEnd = 0;

  private readonly listener: FrameListener;
  private readonly trustTags: boolean;
  private readonly window = new ByteWindow();
  private cursor = 0;
  private inStep = false;
  /** Whether the cursor is at the start of the file or directly after a tag. */
  private fresh = true;
  private last: { offset: number; end: number; header: FrameHeader; sent: boolean } | null = null;

  /** If `trustTags` is false, the scanner also searches inside ID3v2 tags, whose size may be wrong. */
  constructor(listener: FrameListener, trustTags = true) {
    this.listener = listener;
    this.trustTags = trustTags;
  }

  /** Whether the tag being skipped extends past the received data. If so at the end, its size was wrong. */
  get insideTag(): boolean {
    return this.cursor > this.window.received && this.last === null;
  }

  /** Takes the next bytes of the file. */
  push(chunk: Uint8Array): void {
    this.window.push(chunk, this.last?.offset ?? this.cursor);
    while (this.step(false));
  }

  /** Ends the file; an incomplete last frame is left out. */
  end(): void {
    while (this.step(true));
  }

  /** Advances by a frame, a tag or a byte; false if more bytes are needed. */
  private step(ended: boolean): boolean {
    this.announceLast();
    const available = this.window.received - this.cursor;
    if (available <= 0 || (available < TAG_HEADER_BYTES && !ended)) return false;
    if (this.inStep) return this.stepInStep();
    return this.search(ended);
  }

  /** Reports the last frame to the listener once it is complete. */
  private announceLast(): void {
    const last = this.last;
    if (!last || last.sent || last.end > this.window.received) return;
    last.sent = true;
    this.listener.frame(last.offset, last.header, last.end);
  }

  /** The bytes of the frame being reported; only valid during that call. */
  bytesOf(offset: number, end: number): Uint8Array {
    return this.window.bytes.subarray(offset - this.window.base, end - this.window.base);
  }

  private stepInStep(): boolean {
    const header = this.headerAt(this.cursor);
    if (header) {
      const end = this.cursor + this.lengthOf(header);
      this.last = { offset: this.cursor, end, header, sent: false };
      this.cursor = end;
    } else if (!this.skipTag()) {
      this.inStep = false;
      if (this.last) this.cursor = this.last.offset + 1;
    }
    return true;
  }

  /** Searches for a frame when not synchronised; advances one byte if there is none here. */
  private search(ended: boolean): boolean {
    if (this.last && this.cursor >= this.last.end) this.last = null;
    if (!this.last && (this.passJunk() || this.skipTag())) return true;
    const answer = this.chain(ended);
    if (answer === 'more') return false;
    if (answer === 'yes') {
      this.reference ??= this.headerAt(this.cursor);
      this.inStep = true;
      return true;
    }
    if (this.reference === null && !this.countJunk(ended)) return false;
    if (this.reference !== null && !this.last) this.junkBetween++;
    this.cursor++;
    return true;
  }

  /**
   * Skips all bytes here that start neither a frame nor a tag, since there may be megabytes of them. False if there are
   * none.
   */
  private passJunk(): boolean {
    const { bytes, base, received } = this.window;
    const isBefore = this.reference === null;
    const isPadding = isBefore && this.junkBefore === 0;
    // The first bytes are passed to the listener.
    if (isPadding && this.fresh) return false;
    let at = this.cursor - base;
    const most = received - TAG_HEADER_BYTES - base;
    if (isPadding) while (at <= most && bytes[at] === 0) at++;
    else while (at <= most && !startsFrameOrTag(bytes[at] ?? 0)) at++;
    const passed = at + base - this.cursor;
    if (passed <= 0) return false;
    this.cursor += passed;
    if (isPadding) {
      this.zerosBefore += passed;
      this.tagsEnd = this.cursor;
    } else if (isBefore) this.junkBefore += passed;
    else this.junkBetween += passed;
    return true;
  }

  /** Counts a byte before the first frame; false if more data is needed to judge it. */
  private countJunk(ended: boolean): boolean {
    const padding = this.byteAt(this.cursor) === 0 && this.junkBefore === 0;
    if (this.junkBefore === 0 && (this.fresh || !padding)) {
      if (this.window.received - this.cursor < JUNK_SAMPLE_BYTES && !ended) return false;
      const start = this.cursor - this.window.base;
      this.listener.junk?.(this.window.bytes.subarray(start, start + JUNK_SAMPLE_BYTES));
      this.fresh = false;
    }
    if (padding) {
      this.zerosBefore++;
      this.tagsEnd = this.cursor + 1;
    } else {
      this.junkBefore++;
    }
    return true;
  }

  /** Skips a tag at the cursor; false if there is none. */
  private skipTag(): boolean {
    const length = tagLength(this.window.bytes, this.cursor - this.window.base);
    if (length === 0) return false;
    const isId3v2 = this.byteAt(this.cursor) === 0x49;
    if (!this.trustTags && isId3v2) {
      this.cursor += 10;
      this.junkBefore++;
    } else {
      this.cursor += length;
      if (this.reference === null && this.junkBefore === 0) this.tagsEnd = this.cursor;
    }
    this.last = null;
    this.fresh = true;
    return true;
  }

  /** Whether a run of consistent frames starts at the cursor. */
  private chain(ended: boolean): Answer {
    const first = this.headerAt(this.cursor);
    if (!first) return 'no';
    if (first.bitrate === 0 && this.freeLength === null) return this.freeChain(first, ended);
    const headers = this.reference === null && this.junkBefore > 0 ? 3 : 2;
    let offset = this.cursor;
    for (let found = 0; found < headers; found++) {
      if (offset + 4 > this.window.received) {
        if (!ended) return 'more';
        return found >= headers - 1 && offset <= this.window.received ? 'yes' : 'no';
      }
      const header = this.headerAt(offset);
      if (!header || !consistent(first, header)) {
        const tagged =
          found >= headers - 1 && tagLength(this.window.bytes, offset - this.window.base) > 0;
        return tagged ? 'yes' : 'no';
      }
      offset += this.lengthOf(header);
    }
    return 'yes';
  }

  /**
   * Whether free-format frames start here: the size is the distance to the next header, and a third one must follow at
   * the same distance.
   */
  private freeChain(first: FrameHeader, ended: boolean): Answer {
    if (this.junkBefore > 0) return 'no';
    for (let distance = MIN_FREE_LENGTH; distance <= MAX_FREE_LENGTH; distance++) {
      const second = this.headerAt(this.cursor + distance);
      if (!second || !consistent(first, second)) continue;
      const bare = distance - first.padding;
      const third = this.headerAt(this.cursor + distance + bare + second.padding);
      if (!third || !consistent(first, third)) continue;
      this.freeLength = bare;
      return 'yes';
    }
    const complete = this.window.received - this.cursor >= 2 * MAX_FREE_LENGTH + 8;
    return ended || complete ? 'no' : 'more';
  }

  /** The layer III header at an offset, if it agrees with the first frame's. */
  private headerAt(offset: number): FrameHeader | null {
    const header = parseFrameHeader(this.window.bytes, offset - this.window.base);
    if (!header || header.layer !== 3) return null;
    return this.reference === null || consistent(this.reference, header) ? header : null;
  }

  private lengthOf(header: FrameHeader): number {
    return header.length ?? this.freeLength! + header.padding;
  }

  private byteAt(offset: number): number {
    return this.window.bytes[offset - this.window.base] ?? 0;
  }
}

const startsFrameOrTag = (byte: number): boolean => byte === 0xff || startsTag(byte);

/** The part of a stream that is still needed, addressed by stream offset. */
class ByteWindow {
  /** The current bytes; bytes[0] is at offset `base`. Valid until the next push. */
  bytes: Uint8Array = new Uint8Array(0);
  base = 0;
  /** The number of bytes received since the start. */
  received = 0;

  /** One buffer for all pushes: a recording is thousands of times larger than the part held. */
  private buffer = new Uint8Array(0);

  /** Takes the next bytes and drops those before offset `from` (which may lie ahead). */
  push(chunk: Uint8Array, from: number): void {
    const old = this.bytes.subarray(Math.min(this.bytes.length, from - this.base));
    const fresh = chunk.subarray(Math.min(chunk.length, Math.max(0, from - this.received)));
    const length = old.length + fresh.length;
    const buffer = length > this.buffer.length ? new Uint8Array(2 * length) : this.buffer;
    // set() handles overlapping ranges within one buffer correctly.
    buffer.set(old);
    buffer.set(fresh, old.length);
    this.buffer = buffer;
    this.received += chunk.length;
    this.base = this.received - length;
    this.bytes = buffer.subarray(0, length);
  }
}

/** The bytes in which the size of a tag is found. */
export const TAG_HEADER_BYTES = 32;

/** Whether four bytes at `offset` spell `text` (ASCII). */
const spells = (bytes: Uint8Array, offset: number, text: string): boolean => {
  for (let i = 0; i < text.length; i++) {
    if (bytes[offset + i] !== text.charCodeAt(i)) return false;
  }
  return true;
};

/** Whether a byte may start a tag: the I, A or T of the marks that `tagLength` knows. */
const startsTag = (byte: number): boolean => byte === 0x49 || byte === 0x41 || byte === 0x54;

/**
 * The bytes of the tag that starts at `offset`, or 0 if there is none. The size is the tag's own claim and may be
 * wrong. Pass TAG_HEADER_BYTES from `offset`, or whatever is left of the file.
 */
export function tagLength(bytes: Uint8Array, offset: number): number {
  if (spells(bytes, offset, 'ID3')) return id3v2Length(bytes, offset);
  if (spells(bytes, offset, 'APETAGEX')) return apeLength(bytes, offset);
  if (spells(bytes, offset, 'TAG+')) return 227;
  if (spells(bytes, offset, 'TAG')) return 128;
  return 0;
}

/**
 * The size of an ID3v2.2–2.4 tag: 10 bytes, then a size of four bytes with seven bits each, then a footer of 10 bytes
 * if flagged.
 */
function id3v2Length(bytes: Uint8Array, offset: number): number {
  if (offset + 10 > bytes.length) return 0;
  const view = new DataView(bytes.buffer, bytes.byteOffset + offset, 10);
  // No version and no revision is 255.
  if (view.getUint8(3) === 0xff || view.getUint8(4) === 0xff) return 0;
  const parts = bytes.subarray(offset + 6, offset + 10);
  // Some encoders ignore the seven-bit rule; a byte above 127 reveals it.
  const radix = parts.some((part) => part > 0x7f) ? 256 : 128;
  const size = parts.reduce((sum, part) => sum * radix + part, 0);
  const footer = (view.getUint8(5) & 0x10) !== 0 ? 10 : 0;
  return 10 + size + footer;
}

/**
 * The size of an APEv1/2 tag: 32 bytes plus a size that excludes the header. A footer found alone ends a tag that is
 * already behind.
 */
function apeLength(bytes: Uint8Array, offset: number): number {
  if (offset + TAG_HEADER_BYTES > bytes.length) return 0;
  const view = new DataView(bytes.buffer, bytes.byteOffset + offset, TAG_HEADER_BYTES);
  const isHeader = (view.getUint32(20, true) & 0x2000_0000) !== 0;
  return isHeader ? TAG_HEADER_BYTES + view.getUint32(12, true) : TAG_HEADER_BYTES;
}

/**
 * Whether two headers can belong to one stream, judged by the fields that must not change between frames. Bitrate,
 * padding and channel mode may change.
 */
const consistent = (a: FrameHeader, b: FrameHeader): boolean =>
  a.version === b.version &&
  a.layer === b.layer &&
  a.sampleRate === b.sampleRate &&
  (a.bitrate === 0) === (b.bitrate === 0);
