/** An additional term pack, tested in its own process because schemas are compiled once per process. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

setDefaultTimeout(300_000);

/** The output of a script in a process of its own. */
const outputOf = (script: string): string =>
  spawnSync(process.execPath, ['-e', script], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    env: { ...process.env, BUN_TEST: '' },
  })
    .stdout.toString()
    .trim();

const added = `
import { addTermPackIds, TermPackId } from './server/contract/terminology.ts';
import { CaptionerPayload } from './server/contract/payload.ts';
import { CompiledTerminology } from './server/contract/terminology.ts';
import { validator } from './server/contract/schema.ts';
addTermPackIds(['vendors/added', 'protocols/mcp']);
const payload = (packs) => validator(CaptionerPayload).check({ audio: { key: 'a.mp3' }, terminology: { packs } });
const lists = { injectedKeyterms: [], auditTerms: [], omittedKeyterms: [], explicitTerms: [] };
const packs = { requestedPacks: ['vendors/added'], selectedPacks: ['vendors/added'], availablePacks: [] };
console.log(JSON.stringify([
  payload('vendors/added'), payload(['vendors/added', 'protocols/mcp']), payload('vendors/other'),
  validator(CompiledTerminology).check({ ...lists, ...packs }), TermPackId.enum.slice(6),
]));`;

test('an added pack is listed wherever the seven built-in ones are, after them', () => {
  expect(outputOf(added)).toBe('[true,true,false,true,["identity-auth","vendors/added"]]');
});

const installed = `
import { TermPackId } from './server/contract/terminology.ts';
import { loadTermPacks } from './server/terminology/packs/packs.ts';
TermPackId.enum.length = 0;
const packs = await loadTermPacks();
console.log(JSON.stringify([TermPackId.enum, packs.map(({ id }) => id)]));`;

test('the packs of the installation are listed once they are loaded', () => {
  const [listed, ids] = JSON.parse(outputOf(installed)) as string[][];
  expect(ids).toContain('protocols/mcp');
  expect(listed).toEqual(ids);
});
