/** Parts of a resumable upload while they are being stored, and when another process has the upload. */
import { expect, test } from 'bun:test';
import { createResumableUploading } from '../../server/http/uploads/resumable-uploading.ts';
import type { ResumableUpload } from '../../server/storage/resumable-rows.ts';
import type { ResumableUploads } from '../../server/storage/resumable-uploads.ts';

const upload = {
  id: 'upload_1',
  organizationId: 'org_1',
  key: 'talk.mp3',
  length: 100,
  received: 10,
  expiresAt: 1000,
} as ResumableUpload;

/** Uploads whose parts are stored by `append`, and a request with the next bytes. */
function takingOver(append: ResumableUploads['append'], now = 0) {
  const stored = { received: upload.received };
  const resumable = {
    append,
    countParts: async () => 0,
    find: async () => ({ ...upload, ...stored }),
  } as unknown as ResumableUploads;
  const uploads = {
    receive: (request: Request, _organizationId: string, work: (body: unknown) => unknown) =>
      work(request.body),
  };
  const uploading = createResumableUploading(
    { resumable, uploads: uploads as never, audioTtlMs: 1000 },
    () => now,
  );
  const headers = { 'content-type': 'application/offset+octet-stream' };
  const request = () =>
    new Request('http://localhost/', { method: 'PATCH', headers, body: new Uint8Array(5) });
  return { stored, uploading, take: () => uploading.take(request(), upload, 10) };
}

test('the offset is reported once the part that has arrived is stored', async () => {
  const arrived = Promise.withResolvers<void>();
  const written = Promise.withResolvers<void>();
  const { stored, uploading, take } = takingOver(async (before, part) => {
    for await (const _ of part);
    arrived.resolve();
    await written.promise;
    stored.received = 15;
    return { ...before, received: 15 };
  });
  const taken = take();
  await arrived.promise;
  const asked = uploading.find('org_1', 'upload_1');
  written.resolve();
  expect((await asked).received).toBe(15);
  expect((await taken).received).toBe(15);
});

test.each([
  [999, 10],
  [1000, 410],
])('at %d ms, an upload that ends at 1000 ms is found or has expired: %d', async (now, found) => {
  const { uploading } = takingOver(async () => 'busy', now);
  const asked = uploading.find('org_1', 'upload_1');
  expect(
    await asked.then(
      ({ received }) => received,
      ({ status }) => status,
    ),
  ).toBe(found);
});

test('the offset is reported once all parts that have arrived are stored', async () => {
  const arrived = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const written = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let calls = 0;
  const { stored, uploading, take } = takingOver(async (before, part) => {
    const at = (calls += 1) - 1;
    for await (const _ of part);
    arrived[at]!.resolve();
    await written[at]!.promise;
    if (at === 0) return 'moved';
    stored.received = 15;
    return { ...before, received: 15 };
  });
  const refused = take().catch(({ status }) => status);
  await arrived[0]!.promise;
  const taken = take();
  await arrived[1]!.promise;
  written[0]!.resolve();
  for (let at = 0; at < 20; at += 1) await Promise.resolve();
  const asked = uploading.find('org_1', 'upload_1');
  written[1]!.resolve();
  expect((await asked).received).toBe(15);
  expect([await refused, (await taken).received]).toEqual([409, 15]);
});

test.each([
  ['busy', 423, { 'retry-after': '2' }],
  ['moved', 409, { 'upload-offset': '12' }],
] as const)('bytes for an upload that is %s get %d', async (refusal, status, headers) => {
  const { stored, take } = takingOver(async (_before, part) => {
    for await (const _ of part);
    stored.received = 12;
    return refusal;
  });
  await expect(take()).rejects.toMatchObject({ status, options: { headers } });
});
