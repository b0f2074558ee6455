/** The reasons a file could not be converted to MP3, or its audio could not be read. */

/**
 * `no_audio`: a video without sound. `unreadable`: not media, or damaged before any sound.
 * `codec_unsupported`: this browser cannot decode the sound. `too_large`: the MP3 would be larger
 * than an upload may be. `failed`: anything else.
 */
type ConversionReason = 'no_audio' | 'unreadable' | 'codec_unsupported' | 'too_large' | 'failed';

interface ConversionErrorOptions extends ErrorOptions {
  codec?: string | undefined;
}

/** An error with a reason for which the page has its own message. */
export class ConversionError extends Error {
  readonly reason: ConversionReason;
  /** The codec, as its container names it; for `codec_unsupported`. */
  readonly codec: string | undefined;

  constructor(
    reason: ConversionReason,
    message: string,
    { codec, ...options }: ConversionErrorOptions = {},
  ) {
    super(message, options);
    this.name = 'ConversionError';
    this.reason = reason;
    this.codec = codec;
  }
}
