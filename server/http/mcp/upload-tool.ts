/** The tool create_upload_link, for recordings that are too large for a call. */
import { MAX_UPLOAD_BYTES, MAX_UPLOAD_SIZE, UPLOAD_LINK_MINUTES } from '../../contract/limits.ts';
import { MP3_RECOMMENDATION } from '../../contract/audio.ts';
import { closed, dateTime, Type } from '../../contract/schema.ts';
import { checkAudioKey, newAudioKey } from '../uploads/audio-key.ts';
import type { UploadLinks } from '../uploads/upload-links.ts';
import type { Tool } from './tool.ts';

const Input = closed({
  key: Type.Optional(
    Type.String({ description: 'a name for the recording; ends in .mp3, may contain slashes' }),
  ),
});

const Output = closed({
  url: Type.String({ format: 'uri' }),
  method: Type.Literal('PUT'),
  headers: closed({ 'Content-Type': Type.Literal('audio/mpeg') }),
  /** The value for `audio.key` of caption_audio. */
  key: Type.String(),
  expiresAt: dateTime(),
  maxBytes: Type.Integer(),
  /** A shell command that uploads recording.mp3. */
  command: Type.String(),
});

/** Creates the tool. */
export function uploadTool(links: UploadLinks): Tool<typeof Input> {
  return {
    name: 'create_upload_link',
    title: 'Get a link to upload a recording',
    description:
      `Returns a URL that accepts one MP3 of at most ${MAX_UPLOAD_SIZE} by PUT, once, without a key, for ` +
      `${UPLOAD_LINK_MINUTES} minutes. Then call caption_audio with the key it returns. ` +
      `For video, extract the audio first: ${MP3_RECOMMENDATION.command}`,
    input: Input,
    output: Output,
    scope: 'captioner:audio:upload',
    hints: { readOnlyHint: false, destructiveHint: false },
    async run(input, { principal, baseUrl }) {
      const key = checkAudioKey(input.key ?? newAudioKey());
      const { url, expiresAt } = links.create({ ...principal, key }, baseUrl);
      const command = `curl -sS --fail-with-body -X PUT '${url}' -H 'Content-Type: audio/mpeg' --data-binary @recording.mp3`;
      const value = {
        url,
        method: 'PUT',
        headers: { 'Content-Type': 'audio/mpeg' },
        key,
        expiresAt: new Date(expiresAt).toISOString(),
        maxBytes: MAX_UPLOAD_BYTES,
        command,
      };
      return {
        text: [
          `Upload the MP3 within ${UPLOAD_LINK_MINUTES} minutes:\n${command}\nThen call caption_audio with audio.key ${JSON.stringify(key)}.`,
        ],
        value,
      };
    },
  };
}
