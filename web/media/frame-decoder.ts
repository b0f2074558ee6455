/** The service's MP3 decoder, as a part of its own that the page loads when it needs it. */
export { createFrameDecoder } from '../../server/mp3/decoder.ts';
/** @public Unless it is exported, Bun's bundler drops this class, but not the library's statement that names it. */
export { MPEGDecoderWebWorker } from 'mpg123-decoder';
