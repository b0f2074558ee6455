/** A bucket in the memory of a test, with the requests that it received. */

/** An object of the bucket. */
export interface StoredObject {
  bytes: Uint8Array<ArrayBuffer>;
  at: Date;
  etag: string;
}

/** The bucket `talks`. */
export interface S3Double {
  endpoint: string;
  objects: Map<string, StoredObject>;
  /** Each request as its method, name and the headers that matter. */
  asked: string[];
  /** The scope of the last signature: key, day, region and service. */
  scope: string;
  /** Whether the bucket has been created. */
  exists: boolean;
  /** Answers a request in place of the bucket, unless it returns null. */
  instead: (method: string, name: string) => Response | null;
  close(): Promise<void>;
}

const HEADERS = ['range', 'if-match', 'content-type'];

/**
 * Starts a bucket.
 * @param now when new objects are stored
 */
export function startS3Double(now: Date): S3Double {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    // Idle connections stay open.
    idleTimeout: 0,
    async fetch(request) {
      const { method, headers } = request;
      const { pathname, searchParams } = new URL(request.url);
      const name = decodeURIComponent(pathname.replace(/^\/talks\/?/, ''));
      const said = HEADERS.filter((one) => headers.has(one)).map(
        (one) => `${one}: ${headers.get(one)}`,
      );
      double.asked.push([method, name, ...said].filter((part) => part !== '').join(' '));
      const signed = /Credential=([^,]+)/.exec(headers.get('authorization') ?? '');
      double.scope = signed?.[1] ?? '';
      const answer = double.instead(method, name);
      if (answer) return answer;
      if (name !== '') return objectAnswer(method, name, headers.get('range') ?? '', request);
      double.exists ||= method === 'PUT';
      if (!double.exists) return new Response(null, { status: 404 });
      return new Response(method === 'GET' ? list(searchParams.get('prefix') ?? '') : null);
    },
  });
  const double: S3Double = {
    endpoint: `http://127.0.0.1:${server.port}`,
    objects: new Map(),
    asked: [],
    scope: '',
    exists: true,
    instead: () => null,
    close: () => server.stop(true),
  };

  async function objectAnswer(method: string, name: string, range: string, request: Request) {
    if (method === 'PUT') {
      const bytes = new Uint8Array(await request.arrayBuffer());
      double.objects.set(name, { bytes, at: now, etag: 'e1' });
      return new Response(null, { headers: { etag: '"e1"' } });
    }
    const found = double.objects.get(name);
    if (!found) return new Response(null, { status: 404 });
    if (method === 'DELETE') {
      double.objects.delete(name);
      return new Response(null, { status: 204 });
    }
    const headers = { etag: `"${found.etag}"`, 'last-modified': found.at.toUTCString() };
    if (method === 'HEAD') {
      const size = `${found.bytes.length}`;
      return new Response(null, { headers: { ...headers, 'content-length': size } });
    }
    const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(range) ?? [];
    if (from === undefined) return new Response(found.bytes, { headers });
    if (Number(from) >= found.bytes.length) return new Response(null, { status: 416 });
    const part = found.bytes.slice(Number(from), to ? Number(to) + 1 : undefined);
    return new Response(part, { status: 206, headers });
  }

  function list(prefix: string): string {
    const contents = [...double.objects]
      .filter(([name]) => name.startsWith(prefix))
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(
        ([name, { bytes, at, etag }]) =>
          `<Contents><Key>${name}</Key><LastModified>${at.toISOString()}</LastModified><ETag>"${etag}"</ETag><Size>${bytes.length}</Size></Contents>`,
      );
    return `<ListBucketResult><IsTruncated>false</IsTruncated>${contents.join('')}</ListBucketResult>`;
  }

  return double;
}
