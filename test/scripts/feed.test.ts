/** `captioner feed`: the episodes of a podcast, the hosts they may come from, and the feed with its transcripts. */
import { afterAll, expect, test } from 'bun:test';
import { readdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { captionFeed, episodesOf, stemOf, withTranscripts } from '../../scripts/feed-episodes.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';

const home = await temporaryFolder();
afterAll(() => removeFolder(home));

const item = (id: string, url: string, more = '') =>
  `<item><title>Episode &amp; ${id}</title><guid>${id}</guid><enclosure url="${url}" type="audio/mpeg"/>${more}</item>`;
const FEED = `<?xml version="1.0"?><rss version="2.0"><channel><title>Show</title>
${item('one', 'https://show.example/1.mp3')}
${item('two', 'https://cdn.example/2.mp3')}
${item('three', 'https://show.example/moved.mp3')}
${item('four', 'https://show.example/4.mp3', '<podcast:transcript url="https://a.example/t.srt"/>')}
<item><title>No recording</title></item>
</channel></rss>`;

/** Answers as the hosts of the show would. */
const answers: Record<string, () => Response> = {
  'https://show.example/feed.xml': () => new Response(FEED),
  'https://show.example/1.mp3': () => new Response('one'),
  'https://cdn.example/2.mp3': () => new Response('two'),
  'https://show.example/moved.mp3': () =>
    new Response(null, { status: 302, headers: { location: 'http://169.254.169.254/secret' } }),
};

async function run(folder: string, hosts: string[], most = 10) {
  const asked: string[] = [];
  const said: string[] = [];
  const captioned: string[] = [];
  const fetching = {
    hosts: new Set(['show.example', ...hosts]),
    fetch: (async (url: string) => {
      asked.push(url);
      return answers[url]?.() ?? new Response('none', { status: 404 });
    }) as unknown as typeof fetch,
  };
  const task = { url: 'https://show.example/feed.xml', folder, most, tries: 2 };
  const made = await captionFeed(task, fetching, {
    async caption(recording) {
      captioned.push(await Bun.file(recording).text());
      const name = `${basename(recording, '.mp3')}.srt`;
      await writeFile(join(folder, name), 'captions');
      return [name];
    },
    say: (text) => void said.push(text),
  });
  return { ...made, asked, said, captioned };
}

test('new episodes are captioned once, from allowed hosts alone, and failures are bounded', async () => {
  const folder = join(home, 'show');
  const first = await run(folder, []);
  expect(first.captioned).toEqual(['one']);
  expect(first.failed).toBe(2);
  expect(first.said).toEqual([
    'Episode & one is captioned.',
    'Episode & two: cdn.example is not an allowed host: --hosts cdn.example allows it.',
    'Episode & three: 169.254.169.254 is not an allowed host: --hosts 169.254.169.254 allows it.',
  ]);
  expect(first.asked.some((url) => url.includes('169.254'))).toBe(false);
  const second = await run(folder, ['cdn.example']);
  expect(second.captioned).toEqual(['two']);
  const third = await run(folder, ['cdn.example']);
  // The moved one was tried twice.
  expect([third.asked, third.failed]).toEqual([['https://show.example/feed.xml'], 1]);
  // No recording stays.
  expect((await readdir(folder)).filter((name) => name.endsWith('.mp3'))).toEqual([]);

  const made = withTranscripts(third.feed, third.files, 'https://show.example/t/', 'en');
  const lines = made.match(/<podcast:transcript url="https:\/\/show[^>]*>/g)!;
  expect([...lines]).toEqual(
    ['one', 'two'].map(
      (id) =>
        `<podcast:transcript url="https://show.example/t/${stemOf({ id, title: `Episode & ${id}` })}.srt" type="application/x-subrip" language="en"/>`,
    ),
  );
  expect(made).toContain('xmlns:podcast=');
  expect(episodesOf(made).map(({ hasTranscript }) => hasTranscript)).toEqual([
    true,
    true,
    false,
    true,
  ]);
});

test('a second call while the first is at work leaves it alone', async () => {
  const folder = join(home, 'twice');
  const one = 'https://show.example/1.mp3';
  const { [one]: answer } = answers;
  let second = '';
  answers[one] = () =>
    new Response(
      new ReadableStream({
        async start(sound) {
          second = await run(folder, []).then(() => 'done', String);
          sound.enqueue(Buffer.from('one'));
          sound.close();
        },
      }),
    );
  const first = await run(folder, []);
  answers[one] = answer!;
  expect(second).toContain('Another captioner is at work in this folder.');
  expect(first.captioned).toEqual(['one']);
});

test('what is no feed is refused, and no title leads out of the folder', () => {
  expect(() => episodesOf('<html><p>Not found</p></html>')).toThrow('no podcast feed');
  expect(stemOf({ id: 'x', title: '../../etc/passwd' })).toMatch(/^etc-passwd-[0-9a-f]{8}$/);
  expect(stemOf({ id: 'x', title: '🎙️' })).toMatch(/^[0-9a-f]{8}$/);
});
