/** Opens a server, or the pipeline of this machine, for the commands that caption recordings. */
import { readConfig } from '../server/config/config.ts';
import { resolvePayload, type CaptionerPayload } from '../server/contract/payload.ts';
import type { SpeakersSetting } from '../server/remote/service-settings.ts';
import { isAuto } from '../server/models/registry.ts';
import { TRANSLATION_ENGINE } from '../server/models/translation-models.ts';
import { languagesOf, type Options, speakersOf } from './caption-options.ts';
import { connect } from './remote-captions.ts';
import { serverAddress, serverKey } from './server-requests.ts';
import type { Work } from './caption-recordings.ts';
import { say } from './terminal.ts';

/** Opens a server or the local pipeline for captioning. */
export async function openWork(options: Options, first: CaptionerPayload): Promise<Work> {
  if (options.server !== undefined) {
    const address = serverAddress(options.server);
    const speakers = Number(speakersOf(options) ?? 0);
    return connect(address, serverKey(address), { engine: options.translator, speakers });
  }
  return openHere(first, languagesOf(options), options.translator, speakersOf(options));
}

/** The setting for what is told of speakers; one voice has no labels. */
function settingOf(told?: number | 'auto'): SpeakersSetting | undefined {
  if (told === 'auto') return 'on';
  return told === 1 ? 'off' : told;
}

/** Opens it once for many recordings, so that the recogniser stays loaded between them. */
export function keptWork() {
  let work: Work | null = null;
  return {
    /** Opens it, or returns what is open; whoever asks does not close it. */
    async open(...given: Parameters<typeof openWork>): Promise<Work> {
      work ??= await openWork(...given);
      const { caption, translate } = work;
      return { caption, translate };
    },
    close: async (): Promise<void> => work?.close?.(),
  };
}

/**
 * Opens the pipeline.
 * @param first the payload of the first recording, whose model is fetched
 * @param languages those that will be translated into
 * @param engine what translates; default: the first that is configured
 * @param told the number of speakers, or auto; default: as configured
 */
export async function openHere(
  first: CaptionerPayload,
  languages: readonly string[],
  engine?: string,
  told?: number | 'auto',
): Promise<Work> {
  const read = readConfig({ ...process.env, LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'error' });
  const speakers = settingOf(told);
  const config = speakers ? { ...read, speech: { ...read.speech, speakers } } : read;
  // The rest takes a second to load, and is not needed for help or errors.
  const { prepareSpeech, prepareTranslation } = await import('./speech-engine.ts');
  await prepareSpeech(config, resolvePayload(first));
  const { openTranscriber } = await import('./transcribe.ts');
  const transcriber = await openTranscriber(config, engine);
  /** Prepares for the languages that are known only once a recording was heard. */
  let prepareHeard = async (_heard: unknown, _to: string): Promise<void> => {};
  if (languages.length > 0) {
    // Said, or refused, before any work.
    const { provider, model, isHere } = transcriber.translator();
    const needsModels = isHere && model === TRANSLATION_ENGINE;
    if (needsModels) {
      const { language } = resolvePayload(first);
      for (const to of languages) await prepareTranslation(config, language, to);
      prepareHeard = async (heard, to) => {
        if (typeof heard === 'string') await prepareTranslation(config, heard, to);
      };
    }
    const later =
      needsModels && isAuto(resolvePayload(first).language)
        ? ' If another language than English is spoken, its model is downloaded then.'
        : '';
    say(
      isHere
        ? `The text will be translated on this machine (${model}).${later}`
        : `The text will be sent to ${provider} (${model}) for translation.`,
    );
  }
  return {
    engine: () => {
      const { provider, model } = transcriber.translator();
      return `${provider} ${model}`;
    },
    caption: (mp3, payload, report, words) =>
      transcriber.caption(
        mp3,
        { ...resolvePayload(payload), storage: { retainSourceAudio: true } },
        report,
        words,
      ),
    async translate(result, payload, target, report) {
      await prepareHeard(result.transcript.metadata['language'], target.language);
      return transcriber.translate(result, resolvePayload(payload), target, report);
    },
    close: transcriber.close,
  };
}
