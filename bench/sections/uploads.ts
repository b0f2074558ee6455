/** Uploads against bare Bun and the disk, their memory, and the growth of both. */
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { bySize, growth } from '../growth.ts';
import { inTurn, row, timed } from '../measure.ts';
import { peakAboveIdle } from '../memory.ts';
import { MEBIBYTE, recordingOfBytes } from '../recording.ts';
import { within, type Bench } from '../section.ts';
import { folderOf, somebody, startService } from '../service.ts';
import { spawned } from '../spawned.ts';

const AT_ONCE = 8;

/** Measures uploads of 1 to 100 MiB over HTTP, and eight of 100 MiB at once. */
export async function uploads(bench: Bench): Promise<void> {
  const folder = await folderOf(bench);
  const server = await startService(bench, {}, folder);
  const ann = await somebody(server);
  const port = await spawned(bench, 'bare-upload.ts', join(folder, 'bare')).line();
  const large = recordingOfBytes(100 * MEBIBYTE);

  const { ours, bare, disk } = await inTurn(5, {
    ours: timed(() => ann.put('large.mp3', large)),
    bare: timed(() => fetch(`http://127.0.0.1:${port}/`, { method: 'PUT', body: large })),
    disk: () => writeDurably(join(folder, 'part'), large),
  });
  const what = 'upload of 100 MiB, checked and synced';
  bench.rows(
    row(what, 'bare Bun.serve, a plain stream to disk, not synced', 'ms', ours, bare),
    row(what, 'the disk itself: written and synced', 'ms', ours, disk),
  );
  bench.growths(
    growth(
      'upload',
      '1 / 10 / 100 MiB',
      'ms',
      await bySize(5, [1, 10, 100], (size) => {
        const body = recordingOfBytes(size * MEBIBYTE);
        return timed(() => ann.put(`${size}.mp3`, body));
      }),
    ),
  );
  const peaks = [await manyAtOnce(bench, large), await manyAtOnce(bench, large)];
  const mebibytes = (AT_ONCE * large.length) / MEBIBYTE;
  bench.rows(
    row(
      `memory above idle, at most: ${AT_ONCE} uploads of 100 MiB at once, from a fresh start`,
      'the bytes that come in',
      'MiB',
      peaks,
      [mebibytes],
    ),
  );
}

/** Writes a new file each time and deletes it afterwards. */
async function writeDurably(path: string, bytes: Uint8Array): Promise<number> {
  const took = await timed(async () => {
    const file = await open(path, 'wx');
    await file.writeFile(bytes);
    await file.sync();
    await file.close();
  })();
  await rm(path);
  return took;
}

const manyAtOnce = (bench: Bench, body: BodyInit): Promise<number> =>
  within(bench, async (inner) => {
    const server = await startService(inner);
    const ann = await somebody(server);
    return peakAboveIdle(server.pid, () =>
      Promise.all(Array.from({ length: AT_ONCE }, (_, at) => ann.put(`large-${at}.mp3`, body))),
    );
  });
