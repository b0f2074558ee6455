/**
 * `npm run lock`: adds the packages for other platforms to package-lock.json. npm omits them if its
 * registry does not have them, but `npm ci` needs them on other machines. The entries name the
 * exact version but no checksum, so npm accepts that of the other machine's registry.
 */
import { readFileSync, writeFileSync } from 'node:fs';

/** An entry of a package. */
interface Locked {
  version?: string;
  optional?: boolean;
  dev?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  optionalDependencies?: Record<string, string>;
}

const SYSTEMS: Record<string, string> = {
  android: 'android',
  darwin: 'darwin',
  freebsd: 'freebsd',
  linux: 'linux',
  openharmony: 'openharmony',
  win32: 'win32',
  windows: 'win32',
};
const PROCESSORS = ['arm64', 'arm', 'x64', 'ia32', 'ppc64', 'riscv64', 's390x'];

/**
 * The lock entry of a package for one platform, derived from its name, as in
 * `@oxlint/binding-linux-arm64-musl`.
 */
function platformEntry(name: string, version: string, dev: boolean): Locked {
  const parts = name.split(/[/@-]/);
  const system = parts.map((part) => SYSTEMS[part]).find((known) => known !== undefined);
  const processor = PROCESSORS.find((known) => parts.includes(known));
  if (!system || !processor || !/^\d+\.\d+\.\d+[\w.-]*$/.test(version)) {
    throw new Error(`${name}@${version} does not have its platform in its name`);
  }
  const [, library] = /-(musl|gnu|glibc)[a-z]*$/.exec(name) ?? [];
  return {
    version,
    cpu: [processor],
    ...(dev ? { dev: true } : {}),
    ...(library ? { libc: [library === 'musl' ? 'musl' : 'glibc'] } : {}),
    optional: true,
    os: [system],
  };
}

/**
 * The packages with an entry for each optional dependency that has none, sorted by path.
 * @throws {Error} if the name of such a package does not contain its platform
 */
function completedPackages(packages: Readonly<Record<string, Locked>>): Record<string, Locked> {
  const all = { ...packages };
  for (const [path, { optionalDependencies = {}, dev = false }] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(optionalDependencies)) {
      const places = [`node_modules/${name}`, `${path}/node_modules/${name}`];
      if (places.some((place) => all[place])) continue;
      all[`node_modules/${name}`] = platformEntry(name, version, dev);
    }
  }
  return Object.fromEntries(
    Object.entries(all).sort(([left], [right]) => left.localeCompare(right, 'en')),
  );
}

const file = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(file, 'utf8')) as { packages: Record<string, Locked> };
const packages = completedPackages(lock.packages);
writeFileSync(file, `${JSON.stringify({ ...lock, packages }, null, 2)}\n`);
const added = Object.keys(packages).length - Object.keys(lock.packages).length;
console.log(`${added} packages added`);
