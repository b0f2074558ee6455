/** A double of the npm registry: documents and archives of packages that a test makes. */
import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import type { NpmPackage } from '../../../server/models/npm.ts';
import { startHttpDouble, type Misbehaviour, type Seen } from './http-double.ts';

/** A package of the double: its files by path, as npm has them below `package/`. */
export interface MadePackage extends NpmPackage {
  archive: Buffer;
}

/** Makes a package. */
export async function madePackage(
  name: string,
  version: string,
  files: Readonly<Record<string, string | Buffer>>,
): Promise<MadePackage> {
  const tar = pack();
  for (const [path, content] of Object.entries(files))
    tar.entry({ name: `package/${path}` }, content);
  tar.finalize();
  const archive = gzipSync(await buffer(tar));
  const integrity = `sha512-${createHash('sha512').update(archive).digest('base64')}`;
  return { name, version, bytes: archive.length, integrity, archive };
}

/** The response that has a package's archive. */
export const responseOf = ({ archive }: MadePackage): Response =>
  new Response(new Uint8Array(archive));

export type RegistryDouble = Awaited<ReturnType<typeof startRegistry>>;

/**
 * Starts a registry with these packages, and makes it that of every npm that this process starts.
 * @returns with `close`, which restores the environment
 */
export async function startRegistry(packages: readonly MadePackage[]) {
  let behaviour: ((made: MadePackage) => Response | Misbehaviour | null) | null = null;
  const asked: string[] = [];
  const wire = ({ url }: Seen): Response | Misbehaviour => {
    const path = decodeURIComponent(url.pathname).slice(1);
    const made = packages.find(({ name }) => path === name || path === `${name}.tgz`);
    if (!made) return Response.json({ error: 'not found' }, { status: 404 });
    const { name, version, integrity } = made;
    if (path.endsWith('.tgz')) {
      asked.push(name);
      return behaviour?.(made) ?? responseOf(made);
    }
    const dist = { tarball: `${host.origin}/${name}.tgz`, integrity };
    return Response.json({
      name,
      'dist-tags': { latest: version },
      versions: { [version]: { name, version, dist } },
    });
  };
  const host = await startHttpDouble(wire);
  const { npm_config_registry: before } = process.env;
  process.env['npm_config_registry'] = host.origin;
  return {
    host,
    /** Sets the response to requests for archives instead of the archive; null restores it. */
    behave: (next: typeof behaviour) => void (behaviour = next),
    /** The packages whose archives were requested. */
    archives: () => asked,
    async close() {
      if (before === undefined) delete process.env['npm_config_registry'];
      else process.env['npm_config_registry'] = before;
      await host.close();
    },
  };
}
