/**
 * The bill of materials of a release: `sbom.cdx.json` (CycloneDX 1.6) and `NOTICE`, with the packages of
 * package-lock.json that a user gets and the models that the program may download.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MODELS } from '../server/models/registry.ts';

interface LockedPackage {
  version: string;
  license?: string;
  integrity?: string;
  dev?: boolean;
  devOptional?: boolean;
  link?: boolean;
}

const root = fileURLToPath(new URL('..', import.meta.url));
const json = (name: string) => JSON.parse(readFileSync(join(root, name), 'utf8')) as unknown;

/** The packages that are installed for users, by name and version. */
function packages() {
  const lock = json('package-lock.json') as { packages: Record<string, LockedPackage> };
  const found = new Map<string, { name: string } & LockedPackage>();
  for (const [path, each] of Object.entries(lock.packages)) {
    const [, name] = /.*node_modules\/(.+)$/.exec(path) ?? [];
    if (name === undefined || each.dev || each.devOptional || each.link) continue;
    found.set(`${name}@${each.version}`, { ...each, name });
  }
  return [...found.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** The CycloneDX document, the same for the same lock file. */
function billOfMaterials() {
  const { name, version, license } = json('package.json') as Record<string, string>;
  const self = `pkg:npm/${name}@${version}`;
  const libraries = packages().map((each) => {
    const purl = `pkg:npm/${each.name.replace(/^@/, '%40')}@${each.version}`;
    const [algorithm, hash] = each.integrity?.split('-') ?? [];
    return {
      type: 'library',
      'bom-ref': purl,
      name: each.name,
      version: each.version,
      purl,
      licenses: [{ expression: each.license ?? 'NOASSERTION' }],
      ...(algorithm === 'sha512' && {
        hashes: [{ alg: 'SHA-512', content: Buffer.from(hash ?? '', 'base64').toString('hex') }],
      }),
    };
  });
  const models = MODELS.map((model) => ({
    type: 'machine-learning-model',
    'bom-ref': `model:${model.name}`,
    name: model.name,
    description: `${model.purpose}. Downloaded on first use, not part of the package.`,
    licenses: [{ license: { name: model.licence } }],
    copyright: model.attribution,
    scope: 'optional',
  }));
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': self,
        purl: self,
        name,
        version,
        licenses: [{ expression: license }],
      },
    },
    components: [...libraries, ...models],
    dependencies: [{ ref: self, dependsOn: libraries.map(({ purl }) => purl) }],
  };
}

/** The text that names everything that a user gets, with its licence. */
function notice(): string {
  const lines = packages().map((each) => `${each.name} ${each.version}: ${each.license}`);
  const models = MODELS.map(
    ({ name, licence, attribution }) => `${name}: ${licence}. ${attribution}`,
  );
  return [
    'Captioner',
    '',
    'The packages that it installs. The text of each licence is in its folder in node_modules.',
    '',
    ...lines,
    '',
    'The models that it may download. None is part of it.',
    '',
    ...models,
    '',
  ].join('\n');
}

/** Writes both files into a folder. */
export function writeBillOfMaterials(folder: string): void {
  const bill = `${JSON.stringify(billOfMaterials(), null, 2)}\n`;
  writeFileSync(join(folder, 'sbom.cdx.json'), bill);
  writeFileSync(join(folder, 'NOTICE'), notice());
}
