/** The names that a client may give for `model`, and the recognisers that they mean. */
import type { SpeechSettings } from '../../remote/service-settings.ts';
import type { ProviderSummary } from '../../contract/providers.ts';
import type { Static } from '../../contract/schema.ts';
import {
  recognises,
  modelFor,
  MODELS,
  SPEAKER_EMBEDDING,
  SPEAKER_SEGMENTATION,
} from '../../models/registry.ts';
import { refusal } from './errors.ts';
import { OpenAiModel } from '../../contract/openai.ts';
import { findModel } from '../../models/installed.ts';

/** The names of OpenAI's own models. They mean the default recogniser of this service. */
const OPENAI_NAMES = [
  'whisper-1',
  'gpt-transcribe',
  'gpt-4o-transcribe',
  'gpt-4o-mini-transcribe',
  'gpt-4o-mini-transcribe-2025-12-15',
  'gpt-4o-transcribe-diarize',
];

/** The names that other servers and converters give to Whisper; they mean the default recogniser too. */
export const OTHERS_WHISPER =
  /^(?:[\w.-]+\/)?(?:faster-|ggml-|distil-)*(?:whisper(?:-[\w.-]+)?|(?:tiny|base|small|medium|large|turbo)(?:[.-](?:en|v\d|turbo|ct2|int8|q\d))*)$/i;

/** The recogniser that a name means. */
export interface ChosenModel {
  provider: string;
  model?: string;
  /** The language if the client names none: `auto` where it can be detected. */
  language: string;
}

/** The names that this service knows. */
export type ModelNames = Awaited<ReturnType<typeof modelNames>>;

/** The time at which the service got these names, in seconds since 1970. */
const CREATED = 1_795_651_200;

/** The models that detect a language well, best first; smaller ones are poor in most languages. */
const DETECTING = ['small', 'turbo', 'medium'].map((size) => `whisper-${size}`);

export interface ModelServices {
  providers: readonly ProviderSummary[];
  speech: Pick<SpeechSettings, 'engine' | 'model' | 'modelsDir' | 'speakers'>;
}

/** Poor at writing most languages down, but it knows which one it hears. */
const SMALL_DETECTOR = 'whisper-base';

/** The models that recognise speech on this host. */
const HOST_MODELS = MODELS.filter(({ kind }) => recognises(kind));

/**
 * Looks up the models of a service.
 * @example
 * (await modelNames(services)).choose('whisper-1'); // => { provider: 'edge', language: 'en' }
 */
export async function modelNames({ providers, speech }: ModelServices) {
  const speaking = providers.filter(
    ({ stage, configured }) => stage === 'transcription' && configured,
  );
  const edge = speaking.find(({ name }) => name === 'edge');
  const onHost = edge?.engine === 'host' && speech.engine !== 'pocketsphinx';
  const standard = speaking.find(({ isDefault }) => isDefault)?.name ?? 'edge';
  const detecting = onHost && standard === 'edge' ? await detector(speech) : null;
  const models = new Map<string, ChosenModel>();
  for (const name of OPENAI_NAMES) {
    models.set(name, { provider: standard, language: 'en', ...detecting });
  }
  for (const { name } of speaking) {
    models.set(name, { provider: name, language: 'en', ...(name === 'edge' && detecting) });
  }
  if (onHost) {
    for (const { name, kind, languages } of HOST_MODELS) {
      const [first = 'en'] = languages.includes('en') ? ['en'] : languages;
      const language = kind === 'whisper' && languages.length > 1 ? 'auto' : first;
      models.set(name, { provider: 'edge', model: name, language });
    }
  }
  const shown = (id: string): Static<typeof OpenAiModel> => ({
    id,
    object: 'model',
    created: CREATED,
    owned_by: 'captioner',
  });
  const choose = (name: string): ChosenModel => {
    const known = name.length <= 200 && OTHERS_WHISPER.test(name) ? 'whisper-1' : name;
    const chosen = models.get(name) ?? models.get(known);
    if (chosen) return chosen;
    const message = `The model '${name.slice(0, 100)}' does not exist or you do not have access to it. GET /v1/models lists those of this service.`;
    throw refusal(404, 'model_not_found', message, 'model');
  };
  const knowsVoices = onHost && (await tellsVoicesApart(speech));
  return {
    /** A recogniser on this host that tells languages apart well enough to name one; absent if it has to be fetched. */
    detector: onHost ? (detecting?.model ?? (await smallDetector(speech))) : undefined,
    /** Whether voices are told apart on this host, so that a known one can be recognised. */
    knowsVoices,
    list: (): Static<typeof OpenAiModel>[] => [...models.keys()].map(shown),
    /** @throws {Problem} 404 */
    describe(name: string): Static<typeof OpenAiModel> {
      choose(name);
      return shown(name);
    },
    /** @throws {Problem} 404 */
    choose,
  };
}

async function tellsVoicesApart({
  speakers,
  modelsDir,
}: ModelServices['speech']): Promise<boolean> {
  if (speakers === 'off') return false;
  for (const model of [SPEAKER_SEGMENTATION, SPEAKER_EMBEDDING]) {
    if (!(await findModel(modelsDir, model).catch(() => null))) return false;
  }
  return true;
}

/**
 * The model that detects the language on this host if a client names none. One that would first have to be downloaded
 * does not count: most recordings are English, and half a gigabyte is not fetched for them.
 */
async function detector({
  model: setting,
  modelsDir,
}: ModelServices['speech']): Promise<{ language: 'auto'; model?: string } | null> {
  if (setting !== 'auto') return modelFor('auto', setting) === null ? null : { language: 'auto' };
  for (const model of DETECTING) {
    if (await findModel(modelsDir, model).catch(() => null)) return { language: 'auto', model };
  }
  return null;
}

async function smallDetector({
  model,
  modelsDir,
}: ModelServices['speech']): Promise<string | undefined> {
  if (model !== 'auto') return undefined;
  const found = await findModel(modelsDir, SMALL_DETECTOR).catch(() => null);
  return found ? SMALL_DETECTOR : undefined;
}
