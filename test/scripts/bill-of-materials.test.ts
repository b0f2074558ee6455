/** The bill of materials against the lock file, and what OpenSSF's Scorecard can see in a checkout. */
import { expect, test } from 'bun:test';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { writeBillOfMaterials } from '../../scripts/bill-of-materials.ts';
import { MODELS, ONNXRUNTIME_PACKAGES } from '../../server/models/registry.ts';
import { root } from '../support/checkout.ts';
import type { Any } from '../support/servers/client.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';

const text = (name: string): string => readFileSync(join(root, name), 'utf8');
const lock: Any = JSON.parse(text('package-lock.json'));
/** Licences whose packages may be installed with ours. */
const ALLOWED =
  /^\(?(?:MIT|MIT-0|ISC|BSD-[23]-Clause|0BSD|Apache-2\.0|MPL-2\.0|PSF-2\.0|Unlicense|CC0-1\.0|BlueOak-1\.0\.0|OFL-1\.1)(?: OR .*)?\)?$/;

test('the bill has each package that users get, as it is in the lock file, and no other', async () => {
  const expected = Object.entries<Any>(lock.packages)
    .filter(
      ([path, { dev, devOptional, link }]) =>
        path.includes('node_modules/') && !dev && !devOptional && !link,
    )
    .map(([path, { version, integrity, license: declared }]) => {
      const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
      // Its manifest names none, its file LICENSE is that of MIT.
      const license = name === 'png-js' ? 'MIT' : declared;
      expect([name, license]).toEqual([name, expect.stringMatching(ALLOWED)]);
      return `${name}@${version} ${license} ${integrity}`;
    });
  const folder = await temporaryFolder();
  writeBillOfMaterials(folder);
  const bill: Any = JSON.parse(readFileSync(join(folder, 'sbom.cdx.json'), 'utf8'));
  const { components } = bill;
  const notice = readFileSync(join(folder, 'NOTICE'), 'utf8');
  await removeFolder(folder);
  const listed = components.flatMap((each: Any) =>
    each.type === 'library' && each.scope !== 'optional'
      ? [
          `${each.name}@${each.version} ${each.licenses[0].expression} sha512-${Buffer.from(each.hashes[0].content, 'hex').toString('base64')}`,
        ]
      : [],
  );
  expect(listed.toSorted()).toEqual([...new Set(expected)].toSorted());
  expect(new Set(components.map((each: Any) => each['bom-ref'])).size).toBe(components.length);
  for (const { name, attribution } of MODELS) {
    expect(components.some((each: Any) => each['bom-ref'] === `model:${name}`)).toBe(true);
    expect(notice).toContain(attribution);
  }
  for (const each of expected)
    expect(notice).toContain(each.split('@').at(-2)?.split('/').at(-1) ?? '');
});

test('the bill has what npm does not install: the libraries that are downloaded, and models with their hashes', async () => {
  const [bill, again]: Any[] = [await billAt('1700000000'), await billAt('1700000001')];
  expect(bill.metadata.timestamp).toBe('2023-11-14T22:13:20.000Z');
  expect(bill.serialNumber).toMatch(
    /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  );
  expect(bill.serialNumber).toBe((await billAt('1700000000')).serialNumber);
  expect(bill.serialNumber).not.toBe(again.serialNumber);
  // The service runs in it, although its own programs do not import it.
  expect(bill.components.some((each: Any) => each.name === 'bun')).toBe(true);
  const packages = [...ONNXRUNTIME_PACKAGES, ...MODELS.flatMap((model) => model.packages ?? [])];
  expect(packages.length).toBeGreaterThan(5);
  for (const { name, version, integrity } of packages) {
    const found = bill.components.find((each: Any) => each.name === name);
    const content = Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex');
    expect(found).toMatchObject({
      type: 'library',
      version,
      scope: 'optional',
      licenses: [{ expression: expect.stringMatching(ALLOWED) }],
      hashes: [{ alg: 'SHA-512', content }],
    });
  }
  for (const { name, files, sums } of MODELS) {
    const { components } = bill.components.find((each: Any) => each['bom-ref'] === `model:${name}`);
    expect(components.map((each: Any) => [each.name, each.hashes?.[0].content])).toEqual(
      files.map((file) => [file, sums?.[file]]),
    );
  }
});

async function billAt(epoch: string): Promise<Any> {
  const folder = await temporaryFolder();
  process.env['SOURCE_DATE_EPOCH'] = epoch;
  try {
    writeBillOfMaterials(folder);
    return JSON.parse(readFileSync(join(folder, 'sbom.cdx.json'), 'utf8'));
  } finally {
    delete process.env['SOURCE_DATE_EPOCH'];
    await removeFolder(folder);
  }
}

test('each package of the lock has a hash, and none that users get runs a script or reports its installation', () => {
  for (const [path, each] of Object.entries<Any>(lock.packages)) {
    if (!path.includes('node_modules/') || each.link) continue;
    expect([path, each.integrity]).toEqual([path, expect.stringMatching(/^sha512-/)]);
    const isForUsers = !each.dev && !each.devOptional;
    // Bun's script puts its program in place.
    const runs = each.hasInstallScript === true && path !== 'node_modules/bun';
    expect([path, isForUsers && runs]).toEqual([path, false]);
    expect(path).not.toContain('scarf');
  }
});

test('versions are exact, actions have a commit, and workflows may do no more than they need', () => {
  const { dependencies, devDependencies } = JSON.parse(text('package.json'));
  for (const [name, version] of Object.entries<string>({ ...dependencies, ...devDependencies })) {
    expect([name, version]).toEqual([
      name,
      expect.stringMatching(/^(?:npm:[@\w/-]+@)?\d+\.\d+\.\d+(?:-[\w.]+)?$/),
    ]);
  }
  expect(text('.npmrc')).toMatch(/^min-release-age=7$/m);
  const workflows = globSync('.github/workflows/*.yml', { cwd: root });
  expect(workflows.length).toBeGreaterThan(1);
  for (const name of workflows) {
    const workflow: Any = load(text(name));
    expect([name, Object.values(workflow.permissions).includes('write')]).toEqual([name, false]);
    for (const { steps } of Object.values<Any>(workflow.jobs)) {
      for (const { uses } of steps) {
        if (uses) expect(uses).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
      }
    }
    expect(text(name)).not.toMatch(/pull_request_target|\$\{\{ github\.event\./);
  }
  expect(text('.github/workflows/check.yml')).toContain('.ci/run');
  for (const name of ['SECURITY.md', 'LICENSE', '.github/dependabot.yml']) {
    expect([name, existsSync(join(root, name))]).toEqual([name, true]);
  }
});
