/** Routes for the voices that a workspace remembers: switch that on or off, list people, rename, merge and forget them. */
import { Elysia } from 'elysia';
import { PersonName, RememberedVoices, VoiceSettings } from '../../contract/voices.ts';
import type { Database } from '../../storage/database.ts';
import { forgetDeleted } from '../../storage/secure-delete.ts';
import { createVoiceStore } from '../../voices/voice-store.ts';
import { answer, bodyExample, detail } from '../openapi/detail.ts';
import { response } from '../openapi/responses.ts';
import { Problem } from '../problems.ts';
import { createBodyBudget } from '../bodies/body-budget.ts';
import { jsonBodies } from '../bodies/json-bodies.ts';
import type { Guard } from '../identity/guard.ts';
import { wireAnswer, wireInput } from '../wire.ts';

const MAX_BYTES = 4096;

/** The routes. */
export function voiceRoutes({ guard, database }: { guard: Guard; database: Database }) {
  const voices = createVoiceStore(database);
  const scope = 'captioner:caption:run';
  const json = { maxBytes: MAX_BYTES, budget: createBodyBudget(64 * MAX_BYTES) };
  return new Elysia()
    .use(guard)
    .use(jsonBodies)
    .get(
      '/workspace/voices',
      async ({ sender }) => Response.json(await voices.list(sender.organizationId)),
      {
        scope,
        response: { 200: wireAnswer(RememberedVoices) },
        detail: detail({
          operationId: 'listVoices',
          summary: 'List the people whose voices the workspace remembers',
          description: `Off unless somebody has switched it on. Then a voiceprint of each speaker is kept with each run (${KEPT}), and names that people give to speakers are proposed when the voice speaks in another run.`,
          tags: ['Captioning'],
          responses: { 200: answer('The people.', example) },
        }),
      },
    )
    .put(
      '/workspace/voices',
      async ({ body, sender }) => {
        await voices.switch(sender.organizationId, body.remember);
        if (!body.remember) await forgetDeleted(database);
        return Response.json(await voices.list(sender.organizationId));
      },
      {
        scope,
        json,
        body: wireInput(VoiceSettings),
        response: { 200: wireAnswer(RememberedVoices) },
        detail: detail({
          operationId: 'rememberVoices',
          summary: 'Remember voices, or forget all of them',
          description: `Voiceprints are biometric data: switch this on only with the consent of those who speak. ${KEPT_SENTENCE} Switched off, all of them are erased at once.`,
          tags: ['Captioning'],
          requestBody: bodyExample({ remember: true }),
          responses: { 200: answer('The setting, and the people.', example) },
        }),
      },
    )
    .patch(
      '/workspace/voices/:personId',
      async ({ params, body, sender }) => {
        const { organizationId } = sender;
        if (!(await voices.rename(organizationId, params.personId, body.name))) throw unknown();
        return Response.json(await voices.list(organizationId));
      },
      {
        scope,
        json,
        body: wireInput(PersonName),
        response: { 200: wireAnswer(RememberedVoices) },
        detail: detail({
          operationId: 'renamePerson',
          summary: 'Rename a person, or merge two',
          description:
            'With the name of another person, both are one from then on. Names in captions stay as they are.',
          tags: ['Captioning'],
          requestBody: bodyExample({ name: 'Ada Lovelace' }),
          responses: { 200: answer('The people.', example), 404: response('Problem') },
        }),
      },
    )
    .delete(
      '/workspace/voices/:personId',
      async ({ params, sender }) => {
        const { organizationId } = sender;
        if (!(await voices.forget(organizationId, params.personId))) throw unknown();
        await forgetDeleted(database);
        return Response.json(await voices.list(organizationId));
      },
      {
        scope,
        response: { 200: wireAnswer(RememberedVoices) },
        detail: detail({
          operationId: 'forgetPerson',
          summary: 'Forget a person and all of their voiceprints',
          description:
            'Erases them at once, from the files of the database too. Names in captions stay as they are.',
          tags: ['Captioning'],
          responses: { 200: answer('The people who are left.', example), 404: response('Problem') },
        }),
      },
    );
}

const KEPT = '192 numbers and the version of the model that made them, never sound';
const KEPT_SENTENCE = `What is kept is a voiceprint of each speaker (${KEPT}) and the names that people give; it is erased with the run, the person or the workspace, and belongs to its export.`;

const example = {
  remember: true,
  people: [
    {
      personId: 'person_7f0c',
      name: 'Ada',
      runs: 2,
      seconds: 184.5,
      since: '2026-11-29T09:00:00.000Z',
    },
  ],
};

const unknown = (): Problem =>
  new Problem(404, 'person_unknown', 'The workspace remembers no such person.');
