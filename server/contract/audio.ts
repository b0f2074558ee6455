/**
 * Upload receipts and errors, and the advice for making an MP3 from a video. Contract 2.5 and 2.7.
 */
import { closed, Type, type Static, dateTime } from './schema.ts';
import { UPLOAD } from './limits.ts';

/** The response to a stored upload; `size` in bytes. Contract 2.5. */
export const AudioObjectReceipt = closed({
  ok: Type.Boolean(),
  key: Type.String(),
  size: Type.Optional(Type.Integer({ minimum: 0 })),
  mediaType: Type.Optional(Type.String()),
});

/**
 * The smallest MP3 that is recognised as well as any other. The second bitrate is for voices that sound damaged at the
 * first.
 */
export const SPEECH_MP3 = { sampleRateHz: 16000, bitrate: '32k', fallbackBitrate: '48k' } as const;

/** The number of whole hours of such an MP3 that fit into one upload. */
export const MAX_UPLOAD_HOURS = Math.floor(
  (UPLOAD.maxBytes * 8) / (Number.parseInt(SPEECH_MP3.bitrate) * 1000) / 3600,
);

/** Advice for making an MP3 from a video on the user's own machine, with commands. Contract 2.7. */
export const VideoExtractionRecommendation = closed({
  policy: Type.Literal('mp3-only'),
  message: Type.String(),
  recommendedAudio: closed({
    container: Type.Literal('mp3'),
    codec: Type.Literal('mp3'),
    channels: Type.Literal(1),
    sampleRateHz: Type.Literal(SPEECH_MP3.sampleRateHz),
    bitrate: Type.Literal(SPEECH_MP3.bitrate),
    rationale: Type.String(),
  }),
  command: Type.String(),
  fallbackCommand: Type.String(),
  notes: Type.Array(Type.String()),
});

const extraction = (bitrate: string): string =>
  `ffmpeg -i input.mp4 -map 0:a:0 -vn -ac 1 -ar ${SPEECH_MP3.sampleRateHz} -c:a libmp3lame -b:a ${bitrate} output.mp3`;

/** The recommended small MP3, which is recognised as well as a larger one. */
export const MP3_RECOMMENDATION: Static<typeof VideoExtractionRecommendation> = {
  policy: 'mp3-only',
  message: 'Only MP3 is accepted. Extract the audio on your machine and upload that.',
  recommendedAudio: {
    container: 'mp3',
    codec: 'mp3',
    channels: 1,
    sampleRateHz: SPEECH_MP3.sampleRateHz,
    bitrate: SPEECH_MP3.bitrate,
    rationale:
      'Speech is recognised at 16 kHz mono; higher quality only makes the upload larger. An hour is about 14 MB.',
  },
  command: extraction(SPEECH_MP3.bitrate),
  fallbackCommand: extraction(SPEECH_MP3.fallbackBitrate),
  notes: [
    'This uses the first audio stream of the video; select another with -map 0:a:1.',
    'Use the fallback if voices are faint or there is music.',
    `An upload may have at most ${UPLOAD.maxSize}: about ${MAX_UPLOAD_HOURS} hours at ${SPEECH_MP3.bitrate}.`,
  ],
};

/** The body of a 415 response. Contract 2.7. */
export const Mp3RequiredError = closed({
  error: closed({
    code: Type.Literal('mp3_required'),
    message: Type.String(),
    required: closed({
      extension: Type.Literal('mp3'),
      mediaType: Type.Literal('audio/mpeg'),
    }),
    recommendation: VideoExtractionRecommendation,
  }),
});

/** The body of an upload's 413 response. Contract 2.7. */
export const Mp3TooLargeError = closed({
  error: closed({
    code: Type.Literal('upload_too_large'),
    message: Type.String(),
    maxBytes: Type.Literal(UPLOAD.maxBytes),
    maxSize: Type.Literal(UPLOAD.maxSize),
    recommendation: VideoExtractionRecommendation,
  }),
});

/**
 * Creates the body of a 415 response.
 * @example
 * mp3Required('The key must end in .mp3.').error.code; // => 'mp3_required'
 */
export const mp3Required = (message: string): Static<typeof Mp3RequiredError> => ({
  error: {
    code: 'mp3_required',
    message,
    required: { extension: 'mp3', mediaType: 'audio/mpeg' },
    recommendation: MP3_RECOMMENDATION,
  },
});

/**
 * Creates the body of an upload's 413 response.
 * @example
 * mp3TooLarge().error.maxSize; // => '100 MiB'
 */
export const mp3TooLarge = (): Static<typeof Mp3TooLargeError> => ({
  error: {
    code: 'upload_too_large',
    message: `The upload is larger than ${UPLOAD.maxSize}.`,
    maxBytes: UPLOAD.maxBytes,
    maxSize: UPLOAD.maxSize,
    recommendation: MP3_RECOMMENDATION,
  },
});

/** The progress of an upload, as in the headers of the protocol. */
export const ResumableUploadState = closed({
  key: Type.String({ description: 'the key of the recording once it is complete' }),
  offset: Type.Integer({ minimum: 0, description: 'the number of bytes received' }),
  length: Type.Integer({ minimum: 1, description: 'the size of the whole recording in bytes' }),
  complete: Type.Boolean({ description: 'whether the recording is stored under its key' }),
  expiresAt: dateTime(),
});
