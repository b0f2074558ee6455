/** Translations over HTTP and MCP, from the request to the files. */
import { expect, test } from 'bun:test';
import { packDecision } from '../../server/contract/evident-packs.ts';
import { validator } from '../../server/contract/schema.ts';
import { Translation } from '../../server/contract/translations.ts';
import { StageFailure } from '../../server/contract/failure.ts';
import { DEFAULT_CAPTION_SETTINGS } from '../../server/contract/caption-defaults.ts';
import { buildCaptions } from '../../server/captions/build/build.ts';
import { PROFILE_NAMES } from '../../server/captions/rules/profiles/profiles.ts';
import { createWorkspaceTerminology } from '../../server/learning/learn.ts';
import { createLog } from '../../server/base/log.ts';
import { cancelled } from '../../server/runs/store/cancelled.ts';
import { createComputations } from '../../server/runs/threads/computing.ts';
import { createRunAttempts } from '../../server/runs/store/run-attempts.ts';
import { eraseRun } from '../../server/http/runs/erasure.ts';
import { createRunErasure } from '../../server/runs/run-erasure.ts';
import { beginTranslation } from '../../server/runs/translations.ts';
import { idleTranslations } from '../support/doubles/translations.ts';
import { executeTranslation } from '../../server/runs/threads/translation-execution.ts';
import { loadTermPacks } from '../../server/terminology/packs/packs.ts';
import type { Translator } from '../../server/translation/engines/translator.ts';
import { TMX_END, TMX_HEAD, tmxUnit } from '../../server/translation/tmx.ts';
import { dictionaryOf, honest, TARGETS } from '../support/doubles/translators.ts';
import { randomly, talk as talkOf } from '../support/translated-talk.ts';
import type { Any } from '../support/servers/client.ts';
import { completedRun, spoken } from '../support/servers/completed-run.ts';
import { callTool, mountedApp } from '../support/servers/mounted.ts';

const app = await mountedApp();
const ann = await app.signUp('ann@example.com');
const bob = await app.signUp('bob@example.org');
const eve = await app.signUp('eve@example.net');
const { database, erasure } = app.services;
const log = createLog('silent');
const packs = await loadTermPacks();

const send = async (
  path: string,
  json: object,
  { key }: { key: string } = ann,
  method = 'POST',
  headers: Record<string, string> = {},
) => app.ask(path, { method, key, headers, json });
const read = async (path: string, { key }: { key: string } = ann): Promise<Any> => {
  const answer = await app.ask(path, { key });
  const text = await answer.text();
  return answer.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text;
};
const ofRun = (runId: string) => `/workflows/captioner/${runId}/translations`;
/** Starts a translation, and returns its id. */
async function started(path: string, request: object = { language: 'de' }, who = ann) {
  const answer = await send(path, request, who);
  expect(answer.status).toBe(202);
  return (await answer.json()).id as string;
}

const german = honest(dictionaryOf('de'));

/** Executes a translation as a worker does. */
async function execute(
  id: string,
  translator: Translator = german,
  kept = new Map<string, unknown>(),
  signal = new AbortController().signal,
) {
  const computations = createComputations(createRunAttempts(database), () => {}, log);
  const workspace = createWorkspaceTerminology(database, log);
  const translators = { choose: () => translator };
  const pipeline = { packs };
  const steps = {
    async run(name: string, work: () => Promise<unknown>) {
      if (!kept.has(name)) kept.set(name, JSON.parse(JSON.stringify(await work())));
      return kept.get(name) as never;
    },
  };
  const parts = { database, pipeline, workspace, translators, computations, log };
  await executeTranslation(parts, id, steps, signal, () => {});
}

const talk = spoken(
  'We build small bridges near rivers. People often walk there in winter. GitHub has 1200 pictures of them.',
);

const newRun = async () => (await completedRun(database, ann.organizationId, talk)).runId;

async function translated(runId: string, request?: object): Promise<Any> {
  const id = await started(ofRun(runId), request);
  await execute(id);
  return read(`${ofRun(runId)}/${id}`);
}

test('the captions of a run are translated, with the proof, and as files of every kind', async () => {
  const runId = await newRun();
  const done = await translated(runId, { language: 'de', profile: 'netflix' });
  expect(validator(Translation).issues(done)).toEqual([]);
  expect(done).toMatchObject({
    runId,
    state: 'completed',
    progress: 1,
    basis: 'original',
    reviewChanged: false,
    sourceLanguage: 'en',
    provider: 'double',
    profile: 'netflix',
    counts: { sentences: 3, doubts: 0 },
  });
  const translate = dictionaryOf('de');
  expect(done.result.sentences.map(({ text }: Any) => text)).toEqual(
    done.result.sentences.map(({ source }: Any) => translate(source)),
  );
  const base = `/workflows/captioner/${runId}`;
  const { translations } = await read(`${base}/translations`);
  expect(translations).toMatchObject([{ id: done.id }]);
  expect(translations[0]).not.toHaveProperty('result');
  const words = translate('We build small bridges near rivers.');
  const srt = await app.ask(`${base}/captions.srt?language=DE`, { key: ann.key });
  expect(srt.headers.get('content-disposition')).toContain('talk.DE.srt');
  expect((await srt.text()).replaceAll('\n', ' ')).toContain(words);
  expect(await read(`${base}/captions.ttml?language=de`)).toContain('xml:lang="de"');
  const bbc = await read(`${base}/captions.json?language=de&profile=bbc&frameRate=25`);
  expect(bbc.warnings).toBeArray();
  for (const { start } of bbc.cues) expect(Math.abs((start * 25) % 1)).toBeCloseTo(0, 5);
  expect(await read(`${base}/captions.srt?language=fr`)).toMatchObject({
    error: { code: 'translation_not_found' },
  });
  expect(
    (await app.ask(`${base}/captions.srt?language=de&version=original`, { key: ann.key })).status,
  ).toBe(422);
});

test.each(TARGETS)('captions in %s keep to the lines of every publisher', async (language) => {
  const words = talkOf(240, randomly(5));
  const cues = buildCaptions(words, DEFAULT_CAPTION_SETTINGS).map(({ start, end, lines }) => ({
    start,
    end,
    lines,
  }));
  const id = await started('/translations', { language, sourceLanguage: 'en', cues }, eve);
  await execute(id, honest(dictionaryOf(language)));
  const { counts } = await read(`/translations/${id}`, eve);
  expect(counts).toMatchObject({ doubts: 0, mended: 0 });
  for (const profile of PROFILE_NAMES) {
    const made = await read(`/translations/${id}/captions.json?profile=${profile}`, eve);
    const broken = made.warnings.map(({ rule }: Any) => rule);
    expect(made.cues.length).toBeGreaterThan(10);
    for (const rule of ['line_length', 'line_count', 'max_duration', 'gap']) {
      expect([profile, broken]).not.toEqual([profile, expect.arrayContaining([rule])]);
    }
  }
});

test('the reviewed captions are translated, and a later change of the review is told', async () => {
  const runId = await newRun();
  const review = (text: string) => ({
    cues: [{ start: 0, end: 2, lines: [text], speaker: 's1' }],
    speakers: [{ id: 's1', name: 'Ada' }],
  });
  const path = `/workflows/captioner/${runId}/review`;
  expect((await send(path, review('Bridges answer questions.'), ann, 'PUT')).status).toBe(201);
  const { id, basis, result } = await translated(runId);
  expect([basis, result.sentences.length]).toEqual(['reviewed', 1]);
  expect(result.sentences[0].speaker).toBe('Ada');
  const isChanged = async () =>
    (await read(`/workflows/captioner/${runId}/translations/${id}`)).reviewChanged;
  expect(await isChanged()).toBe(false);
  await app.ask(path, { method: 'DELETE', key: ann.key });
  expect(await isChanged()).toBe(true);
});

test('a workspace term is called what it is called in the language', async () => {
  const terms = [{ canonical: 'bridges', translations: { de: 'Brücken' } }];
  expect((await send('/terminology/terms', { terms }, bob, 'PUT')).status).toBe(200);
  expect((await read('/terminology/terms', bob)).terms[0].translations).toEqual({ de: 'Brücken' });
  const { runId } = await completedRun(database, bob.organizationId, talk);
  const path = ofRun(runId);
  const id = await started(path, { language: 'de' }, bob);
  const asked: Any[] = [];
  await execute(id, {
    ...german,
    translate(question, context) {
      asked.push(question);
      return german.translate(question, context);
    },
  });
  expect(asked[0].terms).toEqual([{ term: 'bridges', translation: 'Brücken' }]);
  // The dictionary does not know the term, so the proof doubts its sentence.
  expect((await read(`${path}/${id}`, bob)).result.doubts).toMatchObject([
    { sentence: 1, kind: 'term', message: expect.stringContaining('Brücken') },
  ]);
});

test('the terms of a translation are those of the audit, unless a review does without a pack', async () => {
  const heard = spoken('We add AuthKit to the app.');
  const pack = { id: 'vendors/workos', title: 'WorkOS', heard: ['AuthKit'], corrections: [] };
  const { organizationId } = ann;
  const { runId, cues } = await completedRun(database, organizationId, heard, [], [], [pack]);
  const asked: Any[] = [];
  const termsNow = async (): Promise<string[]> => {
    await execute(await started(ofRun(runId)), {
      ...german,
      translate(question, context) {
        asked.push(question);
        return german.translate(question, context);
      },
    });
    return asked.at(-1).terms.map(({ term }: Any) => term);
  };
  expect(await termsNow()).toContain('AuthKit');
  const review = {
    // What was translated already is not asked again.
    cues: cues.map(({ start, end }) => ({ start, end, text: 'We add AuthKit to an app.' })),
    corrections: [{ id: packDecision(pack), decision: 'rejected' }],
  };
  const path = `/workflows/captioner/${runId}/review`;
  const saved = await send(path, review, ann, 'PUT', { 'if-none-match': '*' });
  expect(saved.status).toBe(201);
  expect(await termsNow()).not.toContain('AuthKit');
});

test('captions that are sent are translated without a run', async () => {
  const cues = [
    { start: 0, end: 2, text: 'Bridges answer' },
    { start: 2, end: 4, text: 'questions. <i>Rivers wait.</i>' },
  ];
  const body = { language: 'ja', sourceLanguage: 'en', cues };
  const id = await started('/translations', body);
  const early = await app.ask(`/translations/${id}/captions.srt`, { key: ann.key });
  expect([early.status, early.headers.get('retry-after')]).toEqual([409, '3']);
  await execute(id, honest(dictionaryOf('ja')));
  const { state, basis, result } = await read(`/translations/${id}`);
  expect([state, basis, result.sentences.length]).toEqual(['completed', 'sent', 2]);
  expect(await read(`/translations/${id}/captions.vtt`)).toContain('</i>');
  expect((await read('/translations')).translations).toMatchObject([{ id }]);
  expect((await read(`/translations/${id}`, bob)).error.code).toBe('translation_not_found');
  for (const [wrong, path] of [
    [{ ...body, sourceLanguage: 'ja-JP' }, 'language'],
    [{ ...body, cues: [{ start: 2, end: 1, text: 'x' }] }, 'cues.0.end'],
    [{ ...body, profile: 'mine' }, 'profile'],
    [{ ...body, language: '../x' }, 'language'],
    [{ ...body, language: 'xx-bogus' }, 'language'],
  ] as const) {
    const refused = await send('/translations', wrong);
    expect([refused.status, (await refused.json()).error.details[0].path]).toEqual([422, path]);
  }
  const gone = await app.ask(`/translations/${id}`, { method: 'DELETE', key: ann.key });
  expect(gone.status).toBe(204);
  expect((await read(`/translations/${id}`)).error.code).toBe('translation_not_found');
});

test('a caption file is translated as it is, in any format, and its query says how', async () => {
  const srt = '1\n00:00:00,000 --> 00:00:02,000\nBridges answer\n\n';
  const vtt = 'WEBVTT\n\n00:00.000 --> 00:02.000\n<v Ada>Bridges answer\n';
  const late = '2\n00:00:02,000 --> 00:00:04,000\nquestions.\n\n';
  const query = '?language=de&sourceLanguage=en&topic=Rivers';
  const post = (body: string | Uint8Array<ArrayBuffer>, type: string, more = query) =>
    app.ask(`/translations${more}`, {
      method: 'POST',
      key: ann.key,
      headers: { 'content-type': type },
      body,
    });
  for (const [body, type, format] of [
    [srt + late, 'application/x-subrip', 'srt'],
    [late + srt, 'text/plain; charset=utf-8', 'srt'],
    [vtt, 'application/octet-stream', 'vtt'],
    [new Uint8Array(Buffer.from(`\ufeff${srt}`, 'utf16le')), 'application/x-subrip', 'srt'],
  ] as const) {
    const answer = await post(body, type);
    const { id } = await answer.json();
    await execute(id, honest(dictionaryOf('de')));
    expect(await read(`/translations/${id}`)).toMatchObject({
      language: 'de',
      sourceLanguage: 'en',
    });
    const [, link = ''] = /^<([^>]+)>; rel="alternate"/.exec(answer.headers.get('link')!)!;
    expect(link).toEndWith(`/translations/${id}/captions.${format}`);
    const text = await read(new URL(link).pathname);
    expect(text).toContain('-->');
    expect(text).not.toContain('Bridges');
  }
  const sentAsJson = JSON.stringify({ language: 'de', cues: [{ start: 0, end: 1, text: 'x' }] });
  for (const [status, path, body, type, more] of [
    [422, '', 'no captions', 'text/plain', query],
    [422, 'language', srt, 'application/x-subrip', ''],
    [422, 'language', srt, 'text/plain', '?language=de&sourceLanguage=de'],
    [422, 'nobody', srt, 'text/plain', `${query}&nobody=1`],
    [422, 'language', sentAsJson, 'application/json', query],
    [415, undefined, srt, 'audio/mpeg', query],
    [415, undefined, srt, 'multipart/form-data; boundary=x', query],
  ] as const) {
    const refused = await post(body, type, more);
    const { error } = await refused.json();
    expect([refused.status, error.details?.[0]?.path]).toEqual([status, path]);
  }
});

test('what people change keeps the proof: every sentence stays in its place, and is checked again', async () => {
  const runId = await newRun();
  const done = await translated(runId);
  const path = `${ofRun(runId)}/${done.id}`;
  const put = async (sentences: object[], headers: Record<string, string>) => {
    const answer = await send(`${path}/edits`, { sentences }, ann, 'PUT', headers);
    const tag = answer.headers.get('etag') ?? '';
    return { status: answer.status, tag, body: await answer.json() };
  };
  const long = 'Wir bauen sehr viele kleine Brücken an den Flüssen, die man gut kennt.';
  const none = { 'if-none-match': '*' };
  const changes = [
    { sentence: 3, text: 'GitHub hat viele\n Bilder.' },
    { sentence: 1, text: long },
  ];
  const first = await put(changes, none);
  expect(first.status).toBe(200);
  expect(validator(Translation).issues(first.body)).toEqual([]);
  const { result, counts } = first.body;
  expect(counts).toMatchObject({ sentences: 3, edited: 2, doubts: 1 });
  expect(result.doubts).toMatchObject([{ sentence: 3, kind: 'number' }]);
  expect(result.sentences[0]).toMatchObject({ text: long, edited: done.result.sentences[0].text });
  expect(result.sentences[1]).toMatchObject({ text: done.result.sentences[1].text });
  const shown = result.cues.flatMap(({ lines }: Any) => lines).join(' ');
  expect(shown).toBe(result.sentences.map(({ text }: Any) => text).join(' '));
  // The files and lists have what was changed.
  const text = await read(`/workflows/captioner/${runId}/captions.txt?language=de`);
  expect(text.replace(/\s+/g, ' ')).toContain('sehr viele kleine');
  const [listed] = (await read(ofRun(runId))).translations;
  expect(listed).toMatchObject({ editedAt: expect.any(String), counts: { edited: 2 } });
  // Nobody's work is lost: neither by a save that knows of none, nor by one of an older version.
  expect((await put([], none)).status).toBe(412);
  expect((await put([], {})).status).toBe(428);
  const sure = { sentence: 3, text: 'GitHub hat viele Bilder.', confirmed: true };
  const confirmed = await put([sure], { 'if-match': first.tag });
  expect(confirmed.body.counts.doubts).toBe(0);
  expect(confirmed.body.result.sentences[2].confirmed).toBe(true);
  expect((await put([], { 'if-match': first.tag })).status).toBe(412);
  const back = await put([], { 'if-match': confirmed.tag });
  expect(back.body.result).toEqual(done.result);
  for (const [wrong, at] of [
    [[{ sentence: 4, text: 'x' }], 'sentences.0.sentence'],
    [[{ sentence: 1 }, { sentence: 1 }], 'sentences.1.sentence'],
    [[{ sentence: 1, text: ' ' }], 'sentences.0.text'],
  ] as const) {
    const refused = await put([...wrong], { 'if-match': back.tag });
    expect([refused.status, refused.body.error.details[0].path]).toEqual([422, at]);
  }
  expect((await app.ask(path, { method: 'DELETE', key: ann.key })).status).toBe(204);
  expect(await database.selectFrom('translation_edits').selectAll().execute()).toEqual([]);
  expect((await put([], none)).status).toBe(404);
});

test('a term takes the translation that people have given it twice, unless it has one', async () => {
  const cat = await app.signUp('cat@example.net');
  const terms = [{ canonical: 'bridges' }, { canonical: 'rivers', translations: { de: 'Ströme' } }];
  expect((await send('/terminology/terms', { terms }, cat, 'PUT')).status).toBe(200);
  const keeping = honest((source) =>
    source.replace('We saw', 'Wir sahen').replace('rivers', 'Ströme').replace('and', 'und'),
  );
  const cues = [
    { start: 0, end: 3, text: 'We saw bridges and rivers.' },
    { start: 3, end: 6, text: 'We saw rivers and bridges.' },
  ];
  const id = await started('/translations', { language: 'de', sourceLanguage: 'en', cues }, cat);
  await execute(id, keeping);
  const put = async (sentences: object[], headers: Record<string, string>) => {
    const answer = await send(`/translations/${id}/edits`, { sentences }, cat, 'PUT', headers);
    expect(answer.status).toBe(200);
    return { 'if-match': answer.headers.get('etag')! };
  };
  const learned = async (): Promise<Any> => {
    const { terms } = await read('/terminology/terms', cat);
    return Object.fromEntries(terms.map((term: Any) => [term.canonical, term.translations]));
  };
  const first = { sentence: 1, text: 'Wir sahen Brücken und Ströme.' };
  const one = await put([first], { 'if-none-match': '*' });
  // Once may be a matter of taste.
  expect((await learned())['bridges']).toBeUndefined();
  const second = { sentence: 2, text: 'Wir sahen Ströme und Brücken.' };
  const two = await put([first, second], one);
  expect(await learned()).toEqual({ bridges: { de: 'Brücken' }, rivers: { de: 'Ströme' } });
  // Who takes it away is not taught again by the same changes.
  expect((await send('/terminology/terms', { terms }, cat, 'PUT')).status).toBe(200);
  await put([first, { ...second, confirmed: true }], two);
  expect((await learned())['bridges']).toBeUndefined();
});

test('a request that is sent again with its key starts one translation', async () => {
  const runId = await newRun();
  const cues = [{ start: 0, end: 2, text: 'Bridges answer.' }];
  const more = [...cues, { start: 3, end: 4, text: 'No.' }];
  const sends = async (to: string, body: object, key: string) => {
    const answer = await send(to, body, ann, 'POST', { 'idempotency-key': key });
    const { id, error } = await answer.json();
    return [answer.status, id ?? error.code];
  };
  for (const [to, body, other] of [
    [ofRun(runId), { language: 'de' }, { language: 'fr' }],
    ['/translations', { language: 'de', cues }, { language: 'de', cues: more }],
  ] as const) {
    const key = `key-${to.length}`;
    const first = await sends(to, body, key);
    expect(first[0]).toBe(202);
    expect(await sends(to, body, key)).toEqual(first);
    expect(await sends(to, other, key)).toEqual([409, 'idempotency_conflict']);
    expect((await read(to)).translations.filter(({ id }: Any) => id === first[1])).toHaveLength(1);
  }
});

test('who waits for a translation is answered when it has ended', async () => {
  const runId = await newRun();
  const path = ofRun(runId);
  const id = await started(path);
  const waiting = read(`${path}/${id}?wait=result`);
  await execute(id);
  const done = await waiting;
  expect([done.state, done.result.sentences.length]).toEqual(['completed', 3]);
  expect(done).toEqual(await read(`${path}/${id}`));
  expect((await app.ask(`${path}/${id}?wait=x`, { key: ann.key })).status).toBe(422);
});

test('a translation that is taken again asks nothing twice', async () => {
  const unknown = spoken('We sail between small islands. Nobody often swims there in summer.');
  const { runId } = await completedRun(database, ann.organizationId, unknown);
  const id = await started(ofRun(runId));
  const kept = new Map<string, unknown>();
  let calls = 0;
  const counted: Translator = {
    ...german,
    translate(...asked) {
      calls += 1;
      return german.translate(...asked);
    },
  };
  await execute(id, counted, kept);
  const first = calls;
  // As if the process had died before the end was stored.
  const died = { state: 'running', finished_at: null } as const;
  await database.updateTable('translations').set(died).where('id', '=', id).execute();
  await execute(id, counted, kept);
  expect([first > 0, calls]).toEqual([true, first]);
});

test('unchanged sentences are not asked again, and a person’s come first', async () => {
  const dan = await app.signUp('dan@example.com');
  const lines = ['Bridges answer questions.', 'Rivers wait for us.', 'People walk at night.'];
  const asked: string[] = [];
  const counted: Translator = {
    ...german,
    translate(question, context) {
      asked.push(...question.tasks.map(({ text }) => text));
      return german.translate(question, context);
    },
  };
  const translate = async (sent: string[], translator = counted, more: object = {}) => {
    const cues = sent.map((text, at) => ({ start: at * 4, end: at * 4 + 3, text }));
    const body = { language: 'de', sourceLanguage: 'en', cues, ...more };
    const id = await started('/translations', body, dan);
    asked.length = 0;
    await execute(id, translator);
    return read(`/translations/${id}`, dan);
  };
  const first = await translate(lines);
  expect(asked).toEqual(lines);
  const ours = { sentence: 1, text: 'Brücken geben uns Antwort.' };
  const edits = `/translations/${first.id}/edits`;
  const saved = await send(edits, { sentences: [ours] }, dan, 'PUT', { 'if-none-match': '*' });
  const changed = [lines[0]!, lines[1]!, 'People walk in the morning.'];
  const second = await translate(changed);
  expect(asked).toEqual([changed[2]!]);
  expect(second.counts).toMatchObject({ remembered: 2, missing: 0 });
  expect(second.result.sentences).toMatchObject([
    { text: ours.text, remembered: 'person', state: 'translated' },
    { text: first.result.sentences[1].text, remembered: 'engine' },
    { state: 'translated' },
  ]);
  // Another engine, another tone and another workspace know what the person wrote at most.
  await translate(changed, { ...counted, model: 'other' });
  expect(asked).toEqual(changed.slice(1));
  await translate(changed, counted, { formality: 'formal' });
  expect(asked).toEqual(changed.slice(1));
  const id = await started(
    '/translations',
    { language: 'de', sourceLanguage: 'en', cues: [{ start: 0, end: 3, text: lines[0] }] },
    eve,
  );
  asked.length = 0;
  await execute(id, counted);
  expect(asked).toEqual([lines[0]!]);
  // Who takes a change back does not find it again.
  const tag = { 'if-match': saved.headers.get('etag')! };
  expect((await send(edits, { sentences: [] }, dan, 'PUT', tag)).status).toBe(200);
  const third = await translate(changed);
  expect([third.result.sentences[0].text, asked]).toEqual([first.result.sentences[0].text, []]);
});

test('a person’s sentence is kept while somebody changes the original, and files say that they are older', async () => {
  const runId = await newRun();
  const base = `/workflows/captioner/${runId}`;
  const texts = [
    'We build bridges.',
    'Rivers wait for us.',
    'People walk at night.',
    'The boats are small.',
    'Nobody waits for rain.',
  ];
  const review = (lines: readonly string[]) => ({
    cues: lines.map((text, at) => ({ start: at * 4, end: at * 4 + 3, lines: [text] })),
    speakers: [],
  });
  const saved = await send(`${base}/review`, review(texts), ann, 'PUT');
  const first = await translated(runId);
  const own = { sentence: 5, text: 'Auf Regen wartet hier niemand.' };
  const edits = `${ofRun(runId)}/${first.id}/edits`;
  await send(edits, { sentences: [own] }, ann, 'PUT', { 'if-none-match': '*' });
  const changed = texts.with(1, 'Rivers wait for nobody.');
  const tag = { 'if-match': saved.headers.get('etag')! };
  expect((await send(`${base}/review`, review(changed), ann, 'PUT', tag)).status).toBe(200);
  const file = () => app.ask(`${base}/captions.srt?language=de`, { key: ann.key });
  const said = async (name: string, more: object): Promise<string> =>
    (await callTool(app, ann, name, { runId, ...more })).words;
  expect((await file()).headers.get('captioner-translation')).toBe('older-than-original');
  const get = { action: 'get', translationId: first.id };
  expect(await said('translations', get)).toContain('older than the original');
  expect(await said('get_captions', { language: 'de' })).toContain('older than the original');
  const second = await translated(runId);
  expect(second.result.sentences[4]).toMatchObject({ text: own.text, remembered: 'person' });
  expect(second.result.sentences[1].text).toBe(dictionaryOf('de')(changed[1]!));
  const newer = await file();
  expect(newer.headers.get('captioner-translation')).toBeNull();
  expect(await newer.text()).toContain(own.text);
  expect(await said('get_captions', { language: 'de' })).not.toContain('older');
});

test('some sentences are translated anew by another engine, and all others stay', async () => {
  const runId = await newRun();
  const path = ofRun(runId);
  const first = await started(path);
  await execute(first);
  const before = await read(`${path}/${first}`);
  const ours = { sentence: 1, text: 'Das haben Menschen geschrieben.' };
  await send(`${path}/${first}/edits`, { sentences: [ours] }, ann, 'PUT', { 'if-none-match': '*' });
  const asked: string[] = [];
  const other: Translator = {
    ...german,
    model: 'other',
    translate(question) {
      asked.push(...question.tasks.map(({ text }) => text));
      const answers = question.tasks.map(({ id }) => ({ id, text: 'Eine andere Fassung davon.' }));
      return Promise.resolve({ answers, usage: { calls: 1, tokens: 1, cached: 0 } });
    },
  };
  const anew = { of: first, sentences: [2] };
  const second = await started(path, { language: 'de', anew });
  await execute(second, other);
  const now = await read(`${path}/${second}`);
  const [, source] = before.result.sentences;
  expect([new Set(asked), now.model]).toEqual([new Set([source.source]), 'other']);
  expect(now.result.sentences.map(({ text }: Any) => text)).toEqual([
    ours.text,
    'Eine andere Fassung davon.',
    ...before.result.sentences.slice(2).map(({ text }: Any) => text),
  ]);
  expect(now.result.sentences[0].remembered).toBe('person');

  for (const [body, key, status] of [
    [{ language: 'de', anew: { of: first, sentences: [99] } }, ann, 422],
    [{ language: 'fr', anew }, ann, 422],
    [{ language: 'de', anew: { ...anew, sentences: [] } }, ann, 422],
    [{ language: 'de', anew: { of: `${first.slice(0, -1)}x`, sentences: [1] } }, ann, 422],
    [
      { language: 'de', anew: { of: `translation_${crypto.randomUUID()}`, sentences: [1] } },
      ann,
      404,
    ],
    [{ language: 'de', anew, cues: [{ start: 0, end: 2, text: 'Rivers wait.' }] }, ann, 404],
  ] as const) {
    const to = 'cues' in body ? '/translations' : path;
    expect((await send(to, body, key)).status).toBe(status);
  }
});

test('sentences that are like one that was translated are found, in this workspace alone', async () => {
  const [hal, ida] = [await app.signUp('hal@example.com'), await app.signUp('ida@example.com')];
  const lines = ['Rivers wait for all of us.', 'Bridges answer.', 'Rivers wait for all of them.'];
  const cues = lines.map((text, at) => ({ start: at * 4, end: at * 4 + 3, text }));
  const body = { language: 'de', sourceLanguage: 'en', cues };
  const id = await started('/translations', body, hal);
  await execute(id);
  const { sentences } = (await read(`/translations/${id}`, hal)).result;
  const ours = { sentence: 3, text: 'Auf sie alle warten Flüsse.' };
  await send(`/translations/${id}/edits`, { sentences: [ours] }, hal, 'PUT', {
    'if-none-match': '*',
  });
  const similar = async (source: string, who = hal, language = 'de') => {
    const asked = { source, sourceLanguage: 'en', language };
    const answer = await send('/translations/memory/similar', asked, who);
    return (await answer.json()).matches;
  };
  const found = await similar('Rivers wait for all of them!');
  expect(found.map(({ text, who }: Any) => [text, who])).toEqual([
    [ours.text, 'person'],
    [sentences[2].text, 'double honest'],
    [sentences[0].text, 'double honest'],
  ]);
  expect(await similar(lines[1]!)).toMatchObject([{ text: sentences[1].text, likeness: 1 }]);
  expect(await similar('Nothing of the kind was ever said.')).toEqual([]);
  expect(await similar(lines[1]!, ida)).toEqual([]);
  expect(await similar(lines[1]!, hal, 'fr')).toEqual([]);
});

test('what was translated before a failure is not asked again', async () => {
  const fay = await app.signUp('fay@example.com');
  const cues = Array.from({ length: 40 }, (_, at) => ({
    start: at * 4,
    end: at * 4 + 3,
    text: `People ${'really '.repeat(at % 4)}walk along ${at + 10} rivers.`,
  }));
  const body = { language: 'de', sourceLanguage: 'en', cues };
  const path = await started('/translations', body, fay);
  let calls = 0;
  const failing: Translator = {
    ...german,
    async translate(question, context) {
      calls += 1;
      if (calls > 1)
        throw new StageFailure({
          code: 'provider_unavailable',
          message: 'Gone.',
          retryable: false,
          suggestions: [],
        });
      return german.translate(question, context);
    },
  };
  await execute(path, failing);
  expect((await read(`/translations/${path}`, fay)).state).toBe('failed');
  const again = await started('/translations', body, fay);
  await execute(again);
  const { counts, state } = await read(`/translations/${again}`, fay);
  expect([state, counts.remembered]).toEqual(['completed', 10]);
});

test('the memory of a workspace goes out and comes in as TMX, and is erased with it', async () => {
  const gil = await app.signUp('gil@example.com');
  const unit = (variants: string[][]) =>
    `<tu>${variants.map(([tag, text]) => `<tuv xml:lang="${tag}"><seg>${text}</seg></tuv>`).join('')}</tu>`;
  const document = `<?xml version="1.0"?><!DOCTYPE tmx [<!ENTITY x "boom">]><tmx version="1.4"><header srclang="en"/><body>${[
    unit([
      ['en', 'Bridges &amp; rivers.'],
      ['de', 'Brücken &amp; Flüsse.'],
      ['fr', 'Ponts et rivières.'],
    ]),
    unit([
      ['de', 'Flüsse &x;'],
      ['en', '<ph>{0}</ph>Rivers wait.'],
    ]),
    unit([['en', 'Alone.']]),
  ].join('')}</body></tmx>`;
  const put = (body: string, type = 'application/xml') =>
    app.ask('/translations/memory.tmx', {
      method: 'PUT',
      key: gil.key,
      headers: { 'content-type': type },
      body,
    });
  const answer = await put(document);
  expect([answer.status, await answer.json()]).toEqual([200, { remembered: 3, skipped: 1 }]);
  expect((await put('{}', 'application/json')).status).toBe(415);
  expect((await put('<tmx>')).status).toBe(422);
  const cues = [{ start: 0, end: 3, text: 'Bridges & rivers.' }];
  const id = await started('/translations', { language: 'de', sourceLanguage: 'en', cues }, gil);
  await execute(id);
  const { result } = await read(`/translations/${id}`, gil);
  expect(result.sentences).toMatchObject([{ text: 'Brücken & Flüsse.', remembered: 'person' }]);
  const out = await app.ask('/translations/memory.tmx', { key: gil.key });
  expect(out.headers.get('content-type')).toContain('xml');
  const text = await out.text();
  expect(text).toContain('<seg>Brücken &amp; Flüsse.</seg>');
  expect(text.match(/<tu /g)).toHaveLength(3);
  expect((await put(text)).status).toBe(200);
  // What an engine has made stays the engine's, also in another workspace.
  const engines = `${TMX_HEAD}${tmxUnit({ from: 'en', to: 'de', source: 'Rain.', text: 'Regen.' }, 'edge gemma')}${TMX_END}`;
  expect((await put(engines)).status).toBe(200);
  const kept = database.selectFrom('translation_memory').select(['who', 'text']);
  expect(
    await kept
      .where('organization_id', '=', gil.organizationId)
      .where('source', '=', 'Rain.')
      .execute(),
  ).toEqual([{ who: 'edge gemma', text: 'Regen.' }]);
  const erased = await app.ask(`/workspace/data?confirm=${gil.organizationId}`, {
    method: 'DELETE',
    key: gil.key,
  });
  expect(erased.status).toBeLessThan(300);
  const left = database.selectFrom('translation_memory').select('who');
  expect(await left.where('organization_id', '=', gil.organizationId).execute()).toEqual([]);
});

test('a failure is told with its suggestions, a cancel ends the translation, and both are events', async () => {
  const runId = await newRun();
  await send('/webhooks', { url: 'https://hooks.example.com/x' });
  const path = ofRun(runId);
  const first = await started(path);
  const failure = {
    code: 'provider_unauthorized' as const,
    message: 'No.',
    retryable: false,
    suggestions: [{ label: 'Translate with groq', payloadPatch: { provider: 'groq' } }],
  };
  const translate = () => Promise.reject(new StageFailure(failure));
  await execute(first, { ...german, model: 'failing', translate });
  expect(await read(`${path}/${first}`)).toMatchObject({
    state: 'failed',
    error: { code: 'provider_unauthorized', suggestions: [{ label: 'Translate with groq' }] },
  });
  const second = await started(path, { language: 'fr' });
  const asked = await app.ask(`${path}/${second}`, { method: 'DELETE', key: ann.key });
  expect([asked.status, (await asked.json()).state]).toEqual([202, 'cancelled']);
  const third = await started(path, { language: 'es' });
  await execute(third, german, new Map(), AbortSignal.abort(cancelled()));
  expect((await read(`${path}/${third}`)).state).toBe('cancelled');
  const fourth = await started(path);
  await execute(fourth);
  const bodies = await database
    .selectFrom('webhook_deliveries')
    .select(['event', 'body'])
    .where('run_id', '=', runId)
    .orderBy('position')
    .execute();
  expect(bodies.map(({ event, body }) => [event, JSON.parse(body).data])).toMatchObject([
    ['translation.failed', { runId, translationId: first, code: 'provider_unauthorized' }],
    ['translation.failed', { translationId: second, code: 'cancelled', language: 'fr' }],
    ['translation.failed', { translationId: third, code: 'cancelled' }],
    ['translation.completed', { translationId: fourth, result: `${path}/${fourth}` }],
  ]);
});

test('an erased run takes its translations with it, and an export has them before', async () => {
  const runId = await newRun();
  const { id } = await translated(runId);
  const waiting = await started(ofRun(runId), { language: 'fr' });
  const archive = await app.ask('/workspace/export', { key: ann.key });
  const text = new TextDecoder().decode(Bun.gunzipSync(await archive.bytes()));
  // A long name is stored in two parts.
  expect(text.includes(`translations/${id}.result.json`)).toBe(true);
  expect(text).toContain('translation-memory/1.tmx');
  const run = (await app.services.runs.summary(ann.organizationId, runId))!;
  expect(await erasure.erase(run)).not.toBeNull();
  const rows = database.selectFrom('translations').select('id');
  const left = await rows.where('id', 'in', [id, waiting]).execute();
  expect(left).toEqual([]);
});

test('a run whose translation does not end at once is not erased yet', async () => {
  const runId = await newRun();
  const id = await started(ofRun(runId));
  await beginTranslation(database, id);
  const run = (await app.services.runs.summary(ann.organizationId, runId))!;
  const translations = idleTranslations(database);
  const { audio } = app.services;
  const queue = { forget: async () => 0, forgetDeleted: async () => {} };
  const events = { publish() {} };
  const waiting = createRunErasure({ database, queue, audio, translations, events, log });
  await expect(eraseRun(waiting, run)).rejects.toMatchObject({
    status: 409,
    code: 'run_not_ended',
  });
  await execute(id, german, new Map(), AbortSignal.abort(cancelled()));
  expect(await eraseRun(waiting, run)).toMatchObject({ erased: { result: true } });
});

test('agents translate with one tool, and fetch the captions', async () => {
  const runId = await newRun();
  const tool = (action: string, more: object = {}) =>
    callTool(app, ann, 'translations', { action, runId, ...more });
  const { id } = (await tool('start', { language: 'de' })).structuredContent.translation;
  await execute(id);
  const seen = await tool('get', { translationId: id });
  expect(seen.words).toContain('de, completed: 3 sentences');
  const fetched = await callTool(app, ann, 'get_captions', { runId, language: 'de' });
  expect(fetched.words).toContain('-->');
  expect((await tool('start')).words).toContain('language is required to start');
  await tool('delete', { translationId: id });
  expect((await tool('list')).words).toBe('There are no translations.');
});
