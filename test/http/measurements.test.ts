/** Measurements of how accurate captions are, over HTTP. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { extractText, getDocumentProxy } from 'unpdf';
import {
  JudgementReceipt,
  Measurement,
  MeasurementList,
  TalkEvidenceList,
} from '../../server/contract/evidence.ts';
import { MEASUREMENT } from '../../server/contract/limits.ts';
import { validator } from '../../server/contract/schema.ts';
import { verifyReport } from '../../server/evidence/signature.ts';
import { callTool, mountedApp } from '../support/servers/mounted.ts';
import { completedRun, keptBytesOf, spoken } from '../support/servers/completed-run.ts';
import { escapeHtml } from '../../server/http/documents/html.ts';
import { LANGUAGE_TAGS, textsIn } from '../../server/texts/languages.ts';
import { told, type Any } from '../support/servers/client.ts';

setDefaultTimeout(300_000);

const app = await mountedApp();
const SENTENCE = 'We signed in with Quilter and then we uploaded the talk.';
const { database } = app.services;
const ann = await app.signUp('ann@example.com');
const ben = await app.signUp('ben@example.org');

async function measuredRun(sentences = 60) {
  const text = Array.from({ length: sentences }, () => SENTENCE).join(' ');
  const { runId } = await completedRun(database, ann.organizationId, spoken(text));
  const at = (part = '') => `/workflows/captioner/${runId}${part}`;
  const send = (method: string, part: string, json?: object, key = ann.key) =>
    app.ask(at(`/measurements${part}`), { method, key, ...(json && { json }) });
  const start = async (input: object = {}): Promise<Any> => {
    const made = await send('POST', '', { person: 'Ann', ...input });
    expect(made.status).toBe(201);
    return made.json();
  };
  const judge = async (id: string, number: number, json: object): Promise<Any> => {
    const judged = await send('PUT', `/${id}/passages/${number}`, json);
    expect(judged.status).toBe(200);
    return judged.json();
  };
  return { runId, at, send, start, judge };
}

describe('a measurement', () => {
  test('is of the captions as they are, with passages a second longer on both sides', async () => {
    const { at, start } = await measuredRun();
    const made = await start({ seed: 'one' });
    expect(validator(Measurement).issues(made)).toEqual([]);
    expect(made).toMatchObject({ seed: 'one', seedBy: 'person', goal: 0.99 });
    expect(made.sample).toHaveLength(50);
    const [first] = made.sample;
    expect(SENTENCE.repeat(3).replaceAll('.W', '. W')).toContain(first.shown);
    expect(first.playTo - first.playFrom).toBeCloseTo(
      first.end - first.start + 1 + Math.min(1, first.start),
      6,
    );
    const srt = await (await app.ask(at('/captions.srt'), { key: ann.key })).text();
    expect(made.captions).toBe(createHash('sha256').update(srt).digest('hex'));
    const kept = await app.ask(at(`/measurements/${made.id}/captions.srt`), { key: ann.key });
    expect(await kept.text()).toBe(srt);
    const again = await start({ seed: 'one' });
    expect(again.sample).toEqual(made.sample);
    expect((await start()).sample).not.toEqual(made.sample);
  });

  test('gives passages only up to the next look, and stops on one side of the goal', async () => {
    const { runId, send, start, judge } = await measuredRun();
    const webhook = { url: 'https://hooks.example.com/', events: ['accuracy.measured'] };
    await app.ask('/webhooks', { method: 'POST', key: ann.key, json: webhook });
    const eventsOfRun = async () =>
      (
        await database
          .selectFrom('webhook_deliveries')
          .select('event')
          .where('run_id', '=', runId)
          .execute()
      ).map(({ event }) => event);
    const { id, sample } = await start();
    expect((await send('PUT', `/${id}/passages/51`, { text: '' })).status).toBe(200);
    let last: Any;
    for (const { number, shown } of sample) last = await judge(id, number, { text: shown });
    expect(validator(JudgementReceipt).issues(last)).toEqual([]);
    expect(last.figures).toMatchObject({ counted: 50, state: 'open', next: 49 });
    expect(last.figures.accuracy.value).toBe(1);
    expect(last.figures.accuracy.low).toBeLessThan(0.99);
    expect(await eventsOfRun()).toEqual([]);
    for (const { number } of sample) last = await judge(id, number, { text: 'something else' });
    expect(await eventsOfRun()).toEqual(['accuracy.measured']);
    expect(last.figures).toMatchObject({ state: 'below', next: 0 });
    const refused = send('PUT', `/${id}/passages/60`, { text: '' });
    expect(await told(refused)).toBe('404 measurement_not_found');
  });

  test('finds errors and their classes by the difference of the texts', async () => {
    const { start, judge } = await measuredRun();
    const { id, sample } = await start();
    const named = sample.find(({ shown }: Any) => /Quilter \w/.test(shown));
    const wrong = {
      text: named.shown.replace('Quilter', 'Quinter'),
      names: ['Quinter'],
      late: true,
    };
    const { passage, figures } = await judge(id, named.number, wrong);
    expect(passage.errors.map((error: Any) => error.class)).toEqual(['name', 'time']);
    expect(figures).toMatchObject({ names: { said: 1, right: 0 }, errors: { name: 1, time: 1 } });
    const mended = await judge(id, named.number, { text: named.shown });
    expect(mended.figures.errors).toMatchObject({ name: 0, time: 0 });
  });

  test('by a second person of the same sample gives their agreement', async () => {
    const { send, start, judge } = await measuredRun();
    const [one, other] = [await start({ seed: 's' }), await start({ seed: 's', person: 'Ben' })];
    for (const { number, shown } of one.sample.slice(0, 4)) {
      await judge(one.id, number, { text: shown });
      await judge(other.id, number, { text: number === 1 ? shown.replace(/\S+$/, 'no') : shown });
    }
    const list = await (await send('GET', '')).json();
    expect(validator(MeasurementList).issues(list)).toEqual([]);
    expect(list.agreement).toMatchObject({ people: ['Ann', 'Ben'], passages: 4 });
    expect(list.agreement.share).toBeLessThan(1);
  });

  test('is of nobody else, is bounded, and goes with its run', async () => {
    const { runId, at, send, start } = await measuredRun(2);
    const before = await keptBytesOf(database, runId);
    const { id } = await start();
    expect(await told(send('GET', `/${id}`, undefined, ben.key))).toBe('404 run_not_found');
    expect(await told(send('POST', '', { person: ' ' }))).toBe('422 invalid_payload');
    expect(await told(send('GET', '/mea_no'))).toBe('404 measurement_not_found');
    for (let more = 1; more < MEASUREMENT.most; more += 1) await start();
    expect(await told(send('POST', '', { person: 'Ann' }))).toBe('409 too_many_measurements');
    const { measurements } = await (await send('GET', '')).json();
    for (const each of measurements.slice(1)) {
      expect((await send('DELETE', `/${each.id}`)).status).toBe(204);
    }
    expect(await keptBytesOf(database, runId)).toBeGreaterThan(before);
    expect((await app.ask(at('/data'), { method: 'DELETE', key: ann.key })).status).toBe(200);
    const left = await database
      .selectFrom('measured_passages')
      .innerJoin('measurements', 'id', 'measurement_id')
      .select('run_id')
      .where('run_id', '=', runId)
      .execute();
    expect(left).toEqual([]);
  });
});

describe('a report', () => {
  const reportOf = async (address: string, key?: string): Promise<Any> => {
    const response = await app.ask(address, { ...(key && { key }) });
    expect(response.status).toBe(200);
    const verified = await verifyReport(await response.text());
    expect(verified.outcome).toBe('signed');
    return verified;
  };

  test('is signed with the published key, and says that nobody looked', async () => {
    const { at } = await measuredRun(2);
    const { publicKey, report } = await reportOf(at('/report.json'), ann.key);
    const { keys } = await (await app.ask('/.well-known/captioner-report-keys.json', {})).json();
    expect(keys).toMatchObject([{ kid: publicKey, crv: 'Ed25519' }]);
    const statuses = report.points.map(({ status }: Any) => status);
    expect(new Set(statuses)).toEqual(new Set(['not checked']));
    expect(report.heard.words).toBe(0);
    const netflix = report.rules.find(({ profile }: Any) => profile === 'netflix');
    expect(netflix).toMatchObject({ score: expect.any(Number), captions: expect.any(Number) });
    expect(report.unheardSeconds === null).toBe(report.unheard === null);
    for (const { format, sha256 } of report.files) {
      const file = await (await app.ask(at(`/captions.${format}`), { key: ann.key })).text();
      expect(createHash('sha256').update(file).digest('hex')).toBe(sha256);
    }
  });

  test('counts a measurement for these captions, until more is changed than it found', async () => {
    const { at, start, judge } = await measuredRun(1);
    const { id, sample } = await start({ goal: 0.9 });
    for (const { number, shown } of sample) await judge(id, number, { text: shown });
    const dcmp = async (): Promise<string> => {
      const { report } = await reportOf(at('/report.json'), ann.key);
      return report.points.find(({ point }: Any) => point === 'Accurate: 99 %').status;
    };
    expect(await dcmp()).toBe('met');
    const { report } = await reportOf(at('/report.json'), ann.key);
    expect(report.heard.share).toBe(1);
    const cues = [{ start: 0, end: 2, lines: ['Something else altogether.'] }];
    await app.ask(at('/review'), { method: 'PUT', key: ann.key, json: { cues } });
    expect(await dcmp()).toBe('not checked');
  });

  test('names who changed what in each session, and whoever is not of the workspace by a number', async () => {
    const { at } = await measuredRun(1);
    const save = async (text: string, key: string) => {
      const json = { cues: [{ start: 0, end: 2, lines: [text] }] };
      const headers = { 'if-match': '*' };
      const saved = await app.ask(at('/review'), { method: 'PUT', key, headers, json });
      expect(saved.ok).toBe(true);
    };
    const first = { cues: [{ start: 0, end: 2, lines: ['Hello word.'] }] };
    await app.ask(at('/review'), { method: 'PUT', key: ann.key, json: first });
    const made = await app.ask(at('/links'), {
      method: 'POST',
      key: ann.key,
      json: { right: 'edit', name: 'For Zoë' },
    });
    const { id, token } = await made.json();
    await save('Hello world.', token);
    const own = await reportOf(at('/report.json'), ann.key);
    expect(own.report.sessions).toMatchObject([
      { person: 'ann@example.com', guest: false, changes: { words: expect.any(Number) } },
      {
        person: 'For Zoë',
        guest: true,
        changes: { words: 1, listed: [{ before: 'word.', after: 'world.' }] },
      },
    ]);
    const { url } = await (await app.ask(at(`/links/${id}/report`), { key: ann.key })).json();
    const path = new URL(url).pathname;
    for (const [address, key] of [[`${path}/report.json`], [at('/report.json'), token]] as const) {
      const { report } = await reportOf(address, key);
      expect(report.sessions[0].person).toBe('person 1');
      expect(JSON.stringify(report)).not.toMatch(/@example\.com|For Zoë/);
    }
    const page = await (await app.ask(path, {})).text();
    expect(page).toContain('Who changed what');
    expect(page).not.toContain('@example.com');
  });

  test('has an address for everybody, which ends with its link and shows nothing else', async () => {
    const { at } = await measuredRun(2);
    const made = await app.ask(at('/links'), {
      method: 'POST',
      key: ann.key,
      json: { right: 'view' },
    });
    const { id, token } = await made.json();
    const { url } = await (await app.ask(at(`/links/${id}/report`), { key: ann.key })).json();
    const path = new URL(url).pathname;
    const page = await (await app.ask(path, {})).text();
    expect(page).toContain('This is no legal advice');
    expect(page).not.toContain(token);
    await reportOf(`${path}/report.json`);
    expect((await app.ask(`${path}/report.pdf`, {})).status).toBe(200);
    expect(await told(app.ask(`${path}/sound`, {}))).toBe('404 report_not_found');
    expect(await told(app.ask(`/reports/${id}.0`, {}))).toBe('404 report_not_found');
    expect((await app.ask(at('/report.json'), { key: token })).status).toBe(200);
    await app.ask(at(`/links/${id}`), { method: 'DELETE', key: ann.key });
    expect(await told(app.ask(path, {}))).toBe('404 report_not_found');
  });

  test('is read in the language of the reader, rules in that of their publishers; what is signed stays English', async () => {
    const { at, start, judge } = await measuredRun(1);
    const { id, sample } = await start({ goal: 0.9 });
    for (const { number, shown } of sample) await judge(id, number, { text: shown });
    const get = async (path: string, language: string) =>
      app.ask(path, { key: ann.key, headers: { 'accept-language': language } });
    const { report: facts } = await reportOf(at('/report.json'), ann.key);
    const broken = new Set<string>(facts.rules.flatMap((each: Any) => Object.keys(each.broken)));
    expect(broken.size).toBeGreaterThan(0);
    for (const tag of LANGUAGE_TAGS) {
      const answer = await get(at('/report.html'), tag);
      expect(answer.headers.get('vary')?.toLowerCase()).toContain('accept-language');
      const page = await answer.text();
      const { report } = textsIn(tag);
      expect(page).toContain(`<html lang="${tag}"`);
      for (const name of ['unheard', 'intervalNote', 'personJudges']) {
        expect(page).toContain(escapeHtml(report[name] ?? name));
      }
      for (const rule of broken) expect(page).toContain(escapeHtml(report[`rule-${rule}`] ?? '?'));
      expect(page.includes('Nobody')).toBe(tag === 'en');
      expect(page.includes('<a lang="en" dir="ltr" href="https://www.w3.org/')).toBe(tag !== 'en');
      expect(page).not.toContain('{{');
      const statement = await (await get('/workspace/statement.html', tag)).text();
      expect(statement).toContain(escapeHtml(report['playerDecidesThis'] ?? ''));
      expect(statement.includes('<td lang="en" dir="ltr">[Supports')).toBe(tag !== 'en');
    }
    const signed = await (await get(at('/report.json'), 'de')).json();
    expect(JSON.stringify(signed)).toContain('Nobody has looked at what the picture shows.');
    // Its fonts have the letters of German, and not those of Japanese.
    for (const [asked, is] of [
      ['de', 'de'],
      ['ja', 'en'],
    ] as const) {
      const pdf = await (await get(at(`/report.pdf?lang=${asked}`), 'en')).text();
      expect(pdf).toContain(`/Lang (${is})`);
    }
  });

  test('shows what people wrote as it is', async () => {
    const { at, start, judge } = await measuredRun(1);
    const person = '<img src=x onerror=alert(1)> [a](javascript:alert(1)) | `b`';
    const { id } = await start({ person });
    await judge(id, 1, { text: '</td><script>alert(1)</script>' });
    const page = await (await app.ask(at('/report.html'), { key: ann.key })).text();
    expect(page).not.toMatch(/<img src=x|href="javascript|<script>alert/);
    expect(page.replaceAll(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))).toContain(
      'onerror=alert(1)',
    );
  });

  test('is a tagged PDF too, read here by pdf.js', async () => {
    const { at, start, judge } = await measuredRun(1);
    const { id } = await start({ person: 'Zoë Żuk 東京 <b>' });
    await judge(id, 1, { text: SENTENCE });
    const answered = await app.ask(at('/report.pdf'), { key: ann.key });
    expect(answered.headers.get('content-type')).toBe('application/pdf');
    const bytes = new Uint8Array(await answered.arrayBuffer());
    expect(Buffer.from(bytes).toString('latin1')).toContain('<pdfuaid:part>1</pdfuaid:part>');
    const pdf = await getDocumentProxy(bytes);
    const { info } = (await pdf.getMetadata()) as { info: Any };
    expect([info.Title, info.Language]).toEqual([
      expect.stringContaining('Report on the captions of'),
      'en',
    ]);
    const { text } = await extractText(pdf, { mergePages: true });
    expect(text).toContain('By Zoë Żuk [other script] <b>');
    expect(text).toContain('Words in others stand as');
    const tree = JSON.stringify(await (await pdf.getPage(1)).getStructTree());
    for (const role of ['H1', 'H2', 'P', 'Table', 'TR', 'TH', 'TD']) {
      expect(tree).toContain(`"role":"${role}"`);
    }
  });
});

describe('the talks of a workspace', () => {
  const cara = app.signUp('cara@example.net');
  const talk = async (sentences: number): Promise<(json: object) => Promise<string>> => {
    const { organizationId, key } = await cara;
    const text = Array.from({ length: sentences }, () => SENTENCE).join(' ');
    const { runId } = await completedRun(database, organizationId, spoken(text));
    return async (judgement) => {
      const path = `/workflows/captioner/${runId}/measurements`;
      const json = { person: 'Cara', goal: 0.9 };
      const { id, sample } = await (await app.ask(path, { method: 'POST', key, json })).json();
      for (const { number, shown } of sample) {
        const sent = { json: { text: shown, ...judgement }, method: 'PUT', key };
        await app.ask(`${path}/${id}/passages/${number}`, sent);
      }
      return runId;
    };
  };

  test('are listed with their figures, in the table the worst first, and to nobody else', async () => {
    const { key } = await cara;
    const [good, unmeasured, bad] = [await talk(12), await talk(3), await talk(12)];
    const goodRun = await good({});
    const badRun = await bad({ text: 'something else' });
    expect(unmeasured).toBeFunction();
    const list = await (await app.ask('/workspace/evidence', { key })).json();
    expect(validator(TalkEvidenceList).issues(list)).toEqual([]);
    const states = list.talks.map(({ measured }: Any) => measured?.state ?? null);
    expect(new Set(states)).toEqual(new Set(['above', 'below', null]));
    const figures = await (
      await app.ask(`/workflows/captioner/${goodRun}/measurements`, { key })
    ).json();
    const shown = list.talks.find(({ runId }: Any) => runId === goodRun);
    expect(shown.measured.accuracy).toEqual(figures.measurements[0].figures.accuracy);
    await app.ask(`/workflows/captioner/${goodRun}/review`, {
      method: 'PUT',
      key,
      json: { cues: [{ start: 0, end: 2, lines: ['Hello.'] }], finished: true },
    });
    const csv = await (await app.ask('/workspace/evidence.csv', { key })).text();
    const rows = csv.trim().split('\r\n').slice(1);
    expect(rows).toHaveLength(3);
    expect(rows[0]).toContain(badRun);
    expect(rows.at(-1)).toContain(goodRun);
    const page = await (await app.ask('/workspace/statement.html', { key })).text();
    expect(page).toContain('Of 3 talks in this workspace, 3 have captions');
    expect(page).toContain('Supports / Partially Supports');
    const answer = await callTool(app, await cara, 'list_evidence', {});
    expect(answer.structuredContent).toEqual(
      await (await app.ask('/workspace/evidence', { key })).json(),
    );
    expect(answer.content[0].text).toMatch(/accuracy 100\.0 % \(\d.*measured by Cara/);
    for (const address of ['evidence', 'evidence.csv', 'statement.html']) {
      const other = await (await app.ask(`/workspace/${address}`, { key: ben.key })).text();
      expect(other).not.toContain(badRun);
    }
  });
});
