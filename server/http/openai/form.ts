/** Reads a form with a recording as it arrives: the fields into memory within limits, the recording into a file. */
import { TERM, UPLOAD } from '../../contract/limits.ts';
import { refusal } from './errors.ts';
import { MAX_CLIP_BYTES, MAX_KNOWN } from './known-speakers.ts';
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import type { Spool, SpooledFile } from '../../storage/spool.ts';
import { headerText, mediaTypeOf } from '../request.ts';

/** The most fields: all terms of a glossary, one each, and the rest. */
const MAX_FIELDS = TERM.maxTerms + 100;
/** The longest value of a field, and of all together, in bytes; a character has at most four. */
const MAX_FIELD_BYTES = 4 * TERM.maxGlossaryChars;
const MAX_FIELDS_BYTES = 8 * MAX_FIELD_BYTES;
/** The most bytes of the small fields of a form, with the heads of its parts. */
const MAX_REST_BYTES = 2 * MAX_FIELDS_BYTES;
/** The longest head of a part, and the most headers in it. */
const MAX_HEAD_BYTES = 8192;
const MAX_HEADERS = 32;

/** A form. */
export interface TranscriptionForm {
  /** The fields in the order in which they arrived. */
  fields: [name: string, value: string][];
  file: SpooledFile & {
    /** As the client names it; empty if it does not. */
    name: string;
  };
}

/** Which recording a form holds. */
export interface FormShape {
  /** The name of its field. */
  field: string;
  /** The most bytes of the recording. */
  maxBytes: number;
  /** A field with large values: its name, and the most of them. */
  large?: { field: string; most: number; maxBytes: number };
  /** What becomes of its bytes as they arrive. */
  through?: (bytes: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;
}

/** The form of OpenAI's API. */
export const OPENAI_FORM: FormShape = {
  field: 'file',
  maxBytes: UPLOAD.maxBytes,
  large: { field: 'known_speaker_references', most: MAX_KNOWN, maxBytes: MAX_CLIP_BYTES },
};

/**
 * Reads the form of a request. If it throws, no file is left.
 * @throws {Problem} 400 for a body that is no form, is incomplete, exceeds a limit or has no file; 413 for a recording
 *   that is too large
 * @throws any error of the body or of the spool
 */
export async function readForm(
  headers: Headers,
  body: AsyncIterable<Uint8Array>,
  spool: Spool,
  shape: FormShape = OPENAI_FORM,
): Promise<TranscriptionForm> {
  const { field, maxBytes, through = (bytes) => bytes } = shape;
  refuseByHeaders(headers, shape);
  const parser = parserOf(headerText(headers, 'content-type'), shape);
  const fields: TranscriptionForm['fields'] = [];
  let file: Promise<TranscriptionForm['file']> | undefined;
  let fieldBytes = 0;
  let largeOnes = 0;
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  const fail = (error: unknown) => {
    failed.reject(error);
    // Whatever reads the recording stops, too.
    current?.destroy(error instanceof Error ? error : new Error(String(error)));
  };
  let current: BusboyFileStream | undefined;

  parser
    .on(
      'field',
      (name: string | undefined, value: string, _nameTruncated: boolean, isCut: boolean) => {
        const bytes = Buffer.byteLength(value);
        const isLarge = shape.large?.field === name?.replace(/\[\d*\]$/, '');
        if (isLarge) largeOnes += 1;
        else fieldBytes += bytes;
        const isTooLong = isLarge
          ? largeOnes > shape.large!.most
          : bytes > MAX_FIELD_BYTES || fieldBytes > MAX_FIELDS_BYTES;
        if (isCut || isTooLong) {
          fail(
            refusal(
              400,
              'string_above_max_length',
              'A field of the form is too long.',
              name ?? null,
            ),
          );
        } else if (name !== undefined && name !== '') fields.push([name, value]);
      },
    )
    .on('file', (name: string | undefined, stream: BusboyFileStream, filename?: string) => {
      // A stream without a listener would end the process.
      stream.on('error', () => {});
      if (name !== field) {
        fail(refusal(400, 'unknown_parameter', `Unexpected file: '${name ?? ''}'.`, name ?? null));
        return;
      }
      current = stream;
      stream.on('limit', () => fail(tooLarge(maxBytes)));
      file = spool.file(through(stream)).then((held) => ({ ...held, name: filename ?? '' }));
      file.catch(fail);
    })
    .on('filesLimit', () => fail(refusal(400, null, 'Send one file.', field)))
    .on('fieldsLimit', () => fail(tooManyParts()))
    .on('partsLimit', () => fail(tooManyParts()));
  const finished = new Promise<void>((resolve, reject) => {
    parser.once('finish', () => resolve()).on('error', () => reject(broken()));
  });
  finished.catch(fail);

  try {
    const most = maxBytes + restOf(shape);
    await Promise.race([failed.promise, feed(parser, body, shape, most, failed.promise)]);
    await Promise.race([failed.promise, finished]);
    const held = await Promise.race([failed.promise, file]);
    if (!held) {
      throw refusal(
        400,
        'missing_required_parameter',
        `Missing required parameter: '${field}'.`,
        field,
      );
    }
    return { fields, file: held };
  } catch (error) {
    fail(error);
    await file?.then(
      ({ drop }) => drop(),
      () => {},
    );
    throw error;
  }
}

/** The bytes parsed at a time: a form of thousands of parts is refused after the first, and holds nobody up. */
const PIECE_BYTES = 32_768;

/** Passes the body to the parser at the speed of the disk. */
async function feed(
  parser: BusboyInstance,
  body: AsyncIterable<Uint8Array>,
  { maxBytes }: FormShape,
  most: number,
  failed: Promise<never>,
): Promise<void> {
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > most) throw tooLarge(maxBytes);
    for (let at = 0; at < chunk.byteLength; at += PIECE_BYTES) {
      const piece = Buffer.from(chunk.subarray(at, at + PIECE_BYTES));
      const written = new Promise<void>((resolve) => {
        parser.write(piece, () => resolve());
      });
      await Promise.race([failed, written]);
    }
  }
  parser.end();
}

/** The most bytes of a form besides its recording. */
const restOf = ({ large }: FormShape): number =>
  MAX_REST_BYTES + (large ? large.most * large.maxBytes : 0);

function refuseByHeaders(headers: Headers, shape: FormShape): void {
  const { field, maxBytes } = shape;
  if (mediaTypeOf(headers) !== 'multipart/form-data') {
    const message = `Send the recording as multipart/form-data, in the field \`${field}\`.`;
    throw refusal(400, null, message);
  }
  const announced = Number(headers.get('content-length'));
  if (announced > maxBytes + restOf(shape)) throw tooLarge(maxBytes, announced);
}

function parserOf(type: string, { field, maxBytes, large }: FormShape): BusboyInstance {
  try {
    return new Busboy({
      headers: { 'content-type': type },
      limits: {
        fieldSize: Math.max(MAX_FIELD_BYTES, large?.maxBytes ?? 0),
        fields: MAX_FIELDS,
        fileSize: maxBytes,
        files: 1,
        parts: MAX_FIELDS + 1,
        headerPairs: MAX_HEADERS,
        headerSize: MAX_HEAD_BYTES,
      },
      // Programs give their fields a type, and their recording no name.
      isPartAFile: (name, _type, fileName) => name === field || fileName !== undefined,
    });
  } catch {
    throw refusal(400, null, 'The Content-Type of the form has no valid boundary.');
  }
}

const broken = () => refusal(400, null, 'The form is incomplete or malformed.');
const tooManyParts = () => refusal(400, null, 'The form has too many fields.');
const tooLarge = (maxBytes: number, bytes?: number) =>
  refusal(
    413,
    null,
    `Maximum content size limit (${maxBytes}) exceeded${bytes === undefined ? '' : ` (${bytes} bytes read)`}. ` +
      'Send the sound alone, as mono MP3 at 16 kHz and 32 kbit/s: 100 MiB then hold 7 hours.',
    'file',
  );
