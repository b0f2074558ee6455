/**
 * The routes for clients that send a recording and wait for the text: those of OpenAI's API, and those of
 * whisper-asr-webservice.
 */
import { Elysia } from 'elysia';
import { createConversions } from '../../media/to-mp3.ts';
import type { Guard } from '../identity/guard.ts';
import { type AskedTask, readAsked } from './asked.ts';
import { createAsr, type AsrServices } from './asr.ts';
import {
  ASR_DETAIL,
  DETECT_LANGUAGE_DETAIL,
  MODEL_DETAIL,
  MODELS_DETAIL,
  TRANSCRIPTION_DETAIL,
  TRANSLATION_DETAIL,
} from './details.ts';
import { OPENAI_FORM } from './form.ts';
import { modelNames } from './models.ts';
import { type Reading, transcribe } from './transcriptions.ts';

/** The routes. */
export function openAiRoutes({ guard, ...given }: Omit<AsrServices, 'withMp3'> & { guard: Guard }) {
  const services: AsrServices = { ...given, withMp3: createConversions() };
  const asr = createAsr(services);
  const scope = ['captioner:audio:upload', 'captioner:caption:run'] as const;
  const addressed = { keys: scope, addressed: true } as const;
  const reading = (task: AskedTask): Reading => ({
    shape: OPENAI_FORM,
    asked: (form, key, known) => readAsked(form, key, known, task),
  });
  // The router adds to the details of a route, so each one gets its own.
  return new Elysia()
    .use(guard)
    .post(
      '/v1/audio/transcriptions',
      ({ request, sender }) => transcribe(services, request, sender, reading('transcribe')),
      { scope, detail: { ...TRANSCRIPTION_DETAIL } },
    )
    .post(
      '/v1/audio/translations',
      ({ request, sender }) => transcribe(services, request, sender, reading('translate')),
      { scope, detail: { ...TRANSLATION_DETAIL } },
    )
    .post('/asr', ({ request, sender }) => asr.transcribe(request, sender), {
      scope: addressed,
      detail: { ...ASR_DETAIL },
    })
    .post('/detect-language', ({ request, sender }) => asr.detectLanguage(request, sender), {
      scope: addressed,
      detail: { ...DETECT_LANGUAGE_DETAIL },
    })
    .get(
      '/v1/models',
      async () => Response.json({ object: 'list', data: (await modelNames(services)).list() }),
      { scope: 'captioner:caption:run', detail: { ...MODELS_DETAIL } },
    )
    .get(
      '/v1/models/:model',
      async ({ params }) => Response.json((await modelNames(services)).describe(params.model)),
      { scope: 'captioner:caption:run', detail: { ...MODEL_DETAIL } },
    );
}
