/**
 * The bill of materials of a release: `sbom.cdx.json` (CycloneDX 1.6) and `NOTICE`, with the packages of
 * package-lock.json that a user gets, and the models and libraries that the program may download.
 */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MODELS, ONNXRUNTIME_PACKAGES, type Model } from '../server/models/registry.ts';

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

/** The licences that the lock file does not have: of packages that are downloaded, and that only have its text. */
const LICENCES: Readonly<Record<string, string>> = {
  'onnxruntime-node': 'MIT',
  'onnxruntime-common': 'MIT',
  '@usefulsensors/moonshine-js': 'MIT',
  'llama-tokenizer-js': 'MIT',
  '@ricky0123/vad-web': 'ISC',
  '@browsermt/bergamot-translator': 'MPL-2.0',
  // Its text is in the file LICENSE.
  'png-js': 'MIT',
};

/** The packages that are installed for users, by name and version. */
function packages() {
  const lock = json('package-lock.json') as { packages: Record<string, LockedPackage> };
  const found = new Map<string, { name: string } & LockedPackage>();
  for (const [path, each] of Object.entries(lock.packages)) {
    const [, name] = /.*node_modules\/(.+)$/.exec(path) ?? [];
    if (name === undefined || each.dev || each.devOptional || each.link) continue;
    const license = each.license ?? LICENCES[name];
    found.set(`${name}@${each.version}`, { ...each, name, ...(license && { license }) });
  }
  return [...found.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** The packages that the program downloads when a model needs them. */
function downloaded() {
  const all = [...ONNXRUNTIME_PACKAGES, ...MODELS.flatMap(({ packages = [] }) => packages)];
  return all.map(({ name, version, integrity }) => {
    const license = LICENCES[name];
    if (!license) throw new Error(`The licence of ${name} is not in the bill of materials.`);
    return { name, version, integrity, license };
  });
}

const purlOf = ({ name, version }: { name: string; version: string }): string =>
  `pkg:npm/${name.replace(/^@/, '%40')}@${version}`;

const libraryOf = ({ name, version, license, integrity }: { name: string } & LockedPackage) => {
  const [algorithm, hash] = integrity?.split('-') ?? [];
  const purl = purlOf({ name, version });
  return {
    type: 'library',
    'bom-ref': purl,
    name,
    version,
    purl,
    licenses: [{ expression: license ?? 'NOASSERTION' }],
    ...(algorithm === 'sha512' && {
      hashes: [{ alg: 'SHA-512', content: Buffer.from(hash ?? '', 'base64').toString('hex') }],
    }),
  };
};

/** A model, with its files and their hashes. Of a model without known hashes, those of the first download are kept. */
const modelOf = ({ name, purpose, licence, attribution, files, sums }: Model) => ({
  type: 'machine-learning-model',
  'bom-ref': `model:${name}`,
  name,
  description: `${purpose}. Downloaded on first use, not part of the package.`,
  licenses: [{ license: { name: licence } }],
  copyright: attribution,
  scope: 'optional',
  components: files.map((file) => ({
    type: 'file',
    'bom-ref': `model:${name}/${file}`,
    name: file,
    ...(sums?.[file] && { hashes: [{ alg: 'SHA-256', content: sums[file] }] }),
  })),
});

/** A UUID that the content determines, so that two bills have the same one only if they are equal. */
function serialOf(content: string): string {
  const digits = createHash('sha256').update(content).digest('hex');
  const parts = [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `8${digits.slice(13, 16)}`,
    `8${digits.slice(17, 20)}`,
    digits.slice(20, 32),
  ];
  return `urn:uuid:${parts.join('-')}`;
}

/**
 * The CycloneDX document.
 * @param at when it is made
 */
function billOfMaterials(at: Date) {
  const { name, version, license } = json('package.json') as Record<string, string>;
  const self = `pkg:npm/${name}@${version}`;
  const libraries = packages().map(libraryOf);
  const optional = downloaded().map((each) => ({
    ...libraryOf(each),
    description: 'Downloaded when a model needs it, not part of the package.',
    scope: 'optional',
  }));
  const bill = {
    specVersion: '1.6',
    version: 1,
    metadata: {
      timestamp: at.toISOString(),
      component: {
        type: 'application',
        'bom-ref': self,
        purl: self,
        name,
        version,
        licenses: [{ expression: license }],
      },
    },
    components: [...libraries, ...optional, ...MODELS.map(modelOf)],
    dependencies: [
      { ref: self, dependsOn: libraries.map(({ purl }) => purl) },
      ...MODELS.filter(({ packages: from }) => from).map(
        ({ name: model, packages: from = [] }) => ({
          ref: `model:${model}`,
          dependsOn: from.map(purlOf),
        }),
      ),
    ],
  };
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    serialNumber: serialOf(JSON.stringify(bill)),
    ...bill,
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
    'The models that it may download, and the packages that these need. None is part of it.',
    '',
    ...models,
    ...downloaded().map(({ name, version, license }) => `${name} ${version}: ${license}`),
    '',
  ].join('\n');
}

/** Writes both files into a folder; SOURCE_DATE_EPOCH gives a build that is repeated the same time. */
export function writeBillOfMaterials(folder: string): void {
  const epoch = process.env['SOURCE_DATE_EPOCH'];
  const at = epoch ? new Date(Number(epoch) * 1000) : new Date();
  const bill = `${JSON.stringify(billOfMaterials(at), null, 2)}\n`;
  writeFileSync(join(folder, 'sbom.cdx.json'), bill);
  writeFileSync(join(folder, 'NOTICE'), notice());
}
