/** The tool caption_audio, which captions a recording, and the one that creates a link to upload it. */
import { payloadFor, type ProviderSummary } from '../../contract/providers.ts';
import { closed, dateTime, enumeration, Type } from '../../contract/schema.ts';
import { SpeakerCount } from '../../contract/speakers.ts';
import type { TermPackList } from '../../contract/terminology.ts';
import { watchSummary } from '../../runs/watch.ts';
import type { Runs } from '../../runs/service.ts';
import type { AudioStore } from '../../storage/audio.ts';
import { checkedMp3, checkAudioKey, newAudioKey } from '../uploads/mp3-upload.ts';
import { Problem } from '../problems.ts';
import { checkPayload } from '../runs/run-representation.ts';
import type { RunTexts } from '../runs/run-texts.ts';
import type { WorkPool } from '../work/pool.ts';
import { inlineFile } from './inline-file.ts';
import { RunOutcome, runOutcome } from './run-outcome.ts';
import { type Tool } from './tool.ts';
import { MP3_RECOMMENDATION } from '../../contract/audio.ts';
import type { UploadLinks } from '../uploads/upload-links.ts';
import { UPLOAD } from '../../contract/limits.ts';
import type { CaptionerScope } from '../../contract/registration.ts';
import type { Principal } from '../../identity/provider.ts';

/** The input of the tool: a payload of the contract whose recording is included or already uploaded. */
function inputOf(providers: readonly ProviderSummary[], { packs }: TermPackList) {
  const { audio: uploaded, ...options } = payloadFor(providers).properties;
  const packId = enumeration<string[]>(packs.map(({ id }) => id));
  return closed({
    audio: closed(
      {
        key: Type.Optional(
          Type.String({
            description: 'the key of an earlier upload, or a name for this one; ends in .mp3',
          }),
        ),
        base64: Type.Optional(
          Type.String({
            description: `an MP3 of at most ${UPLOAD.maxInlineSize}, as base64; larger ones: create_upload_link`,
          }),
        ),
        filename: uploaded.properties.filename,
        mediaType: uploaded.properties.mediaType,
      },
      { description: 'the recording: key or base64' },
    ),
    ...options,
    terminology: Type.Optional(
      closed({
        ...options.terminology.properties,
        packs: Type.Optional(Type.Union([packId, Type.Array(packId)])),
      }),
    ),
    speakers: Type.Optional(SpeakerCount),
    wait: Type.Optional(
      Type.Boolean({
        default: true,
        description: 'false: only starts the run; follow it with get_run',
      }),
    ),
  });
}

interface CaptionToolServices {
  runs: Runs;
  texts: RunTexts;
  pool: WorkPool;
  audio: AudioStore;
  providers: readonly ProviderSummary[];
  /** The installed packs, which the input may name. */
  packs: TermPackList;
}

/** Creates the tool. Its calls throw a Problem for an invalid recording or payload. */
export function captionTool({
  runs,
  texts,
  pool,
  audio,
  providers,
  packs,
}: CaptionToolServices): Tool<ReturnType<typeof inputOf>> {
  return {
    name: 'caption_audio',
    title: 'Caption a recording',
    description:
      'Transcribes an MP3, corrects names and terms, and returns SRT captions with a quality report. ' +
      'Pass what you know: topic, glossary (correctly spelled), language. ' +
      'The recording is deleted once it is transcribed. Long recordings take minutes; list_runs finds the run of a call that was cut off.',
    input: inputOf(providers, packs),
    output: RunOutcome,
    scope: 'captioner:caption:run',
    hints: { readOnlyHint: false, destructiveHint: false },
    async run({ audio: source, wait = true, speakers = null, ...rest }, call) {
      const { principal, signal } = call;
      const { organizationId, keyId } = principal;
      const { base64, key = newAudioKey(), ...described } = source;
      if (base64 === undefined && source.key === undefined) throw missingAudio();
      const payload = checkPayload({ audio: { key, ...described }, ...rest });
      if (base64 !== undefined) {
        requireScope(principal, 'captioner:audio:upload');
        await audio.put(
          organizationId,
          checkAudioKey(key),
          checkedMp3([inlineFile(base64, 'audio.base64', LARGER)]),
        );
        // The message may be kept until the run ends, but the recording in it need not be.
        delete source.base64;
      }
      call.releaseBody();
      const runId = await runs.submit({ organizationId, keyId, payload, speakers });
      for await (const run of watchSummary(runs, organizationId, runId, signal)) {
        if (wait && call.followsTasks) return { task: run };
        // A caller that is cut off knows from the first message which run goes on.
        await call.progress(run.progress, `${runId}: ${run.stage ?? run.state}`);
        if (!wait || run.finishedAt !== null) return await runOutcome({ texts, pool }, run, call);
      }
      throw new Error(`the run ${runId} is gone`);
    },
  };
}

/** What to do with a recording that is too large for a message. */
const LARGER = 'upload it through create_upload_link';

const missingAudio = (): Problem =>
  Problem.invalidPayload('There is no recording: pass audio.key or audio.base64.', [
    { path: 'audio', message: 'needs key or base64' },
  ]);

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
      `Returns a URL that accepts one MP3 of at most ${UPLOAD.maxSize} by PUT, once, without a key, for ` +
      `${UPLOAD.linkMinutes} minutes. Then call caption_audio with the key it returns. ` +
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
        maxBytes: UPLOAD.maxBytes,
        command,
      };
      return {
        text: [
          `Upload the MP3 within ${UPLOAD.linkMinutes} minutes:\n${command}\nThen call caption_audio with audio.key ${JSON.stringify(key)}.`,
        ],
        value,
      };
    },
  };
}

/**
 * Refuses a key that lacks a scope.
 * @throws {Problem} 403 `insufficient_scope`
 */
function requireScope({ scopes }: Principal, scope: CaptionerScope): void {
  if (!scopes.includes(scope)) throw Problem.insufficientScope(scope);
}
