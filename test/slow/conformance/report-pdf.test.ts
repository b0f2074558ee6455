/** Validates PDFs of reports with veraPDF, against PDF/UA-1 (ISO 14289-1). */
import { afterAll, expect, setDefaultTimeout } from 'bun:test';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { completedRun, spoken } from '../../support/servers/completed-run.ts';
import { mountedApp } from '../../support/servers/mounted.ts';
import { needs } from '../../support/requirements.ts';
import { tool } from '../../support/tool.ts';

setDefaultTimeout(300_000);

const VERAPDF = '1.28.2';
const generated = fileURLToPath(new URL('generated', import.meta.url));
const program = join(generated, `greenfield-apps-${VERAPDF}.jar`);

/** Fetches veraPDF once for this checkout, and says why it cannot. */
async function fetched(): Promise<string> {
  if (existsSync(program)) return '';
  const artifact = `-Dartifact=org.verapdf.apps:greenfield-apps:${VERAPDF}`;
  try {
    await tool(['mvn', '-q', '-B', 'dependency:copy', artifact, `-DoutputDirectory=${generated}`]);
    return '';
  } catch (error) {
    return `veraPDF cannot be fetched with Maven: ${String(error).slice(-300)}`;
  }
}
const reason = await fetched();

const folder = await mkdtemp(join(tmpdir(), 'report-pdf-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

needs(reason === '', reason)(
  'a PDF is valid PDF/UA-1, whatever talks and people are called',
  async () => {
    const app = await mountedApp();
    const ann = await app.signUp('ann@example.com');
    const files: string[] = [];
    for (const [name, person, measurements, language] of [
      ['talk', 'Ann', 0, 'en'],
      ['Q&A <live> ]]> "Łódź" ệ', 'Zoë Żuk & Ǻse', 2, 'pl'],
      ['محاضرة 講演', '山田 花子 ⟨x⟩', 1, 'ja'],
      ['long '.repeat(30), 'Ann '.repeat(20), 3, 'fr'],
    ] as const) {
      const text = 'We signed in with Quilter and then we uploaded the talk. '.repeat(60);
      const { database } = app.services;
      const { runId } = await completedRun(database, ann.organizationId, spoken(text));
      await database.updateTable('runs').set({ name }).where('id', '=', runId).execute();
      const path = `/workflows/captioner/${runId}`;
      for (let at = 0; at < measurements; at += 1) {
        const { id, sample } = await (
          await app.ask(`${path}/measurements`, {
            method: 'POST',
            key: ann.key,
            json: { person: person.trim() },
          })
        ).json();
        for (const { number, shown } of sample.slice(0, 10)) {
          await app.ask(`${path}/measurements/${id}/passages/${number}`, {
            method: 'PUT',
            key: ann.key,
            json: { text: `${shown} ${person} <b>`.trim() },
          });
        }
      }
      const made = await app.ask(`${path}/report.pdf?lang=${language}`, { key: ann.key });
      expect(made.status).toBe(200);
      const file = join(folder, `${files.length}.pdf`);
      await writeFile(file, new Uint8Array(await made.arrayBuffer()));
      files.push(file);
    }
    const command = ['java', '-cp', program, 'org.verapdf.apps.GreenfieldCliWrapper'];
    const said = await tool([...command, '--flavour', 'ua1', '--format', 'text', '-v', ...files]);
    expect(said.trim().split('\n')).toEqual(files.map((file) => `PASS ${file} ua1`));
  },
);
