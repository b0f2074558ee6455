/** The browser app in Chromium: script size, conversion speed and the cost of a keystroke. */
import { gzipSync } from 'node:zlib';
import { startChromium } from '../../../test/support/browser/chromium.ts';
import { bundleApp } from '../../../web/bundle.ts';
import { row } from '../../measure.ts';
import type { Bench } from '../../section.ts';
import { provided, somebody, startService } from '../../service.ts';
import { conversion } from './conversion.ts';
import { reviews } from './reviews.ts';

/** The limit for the script of the first screen, in kilobytes of gzip. */
const MAX_SCRIPT = 40;

/** Measures the app; without Chromium, only the size of the script. */
export async function app(bench: Bench): Promise<void> {
  bench.rows(
    row('script of the first screen, gzip', 'the limit', 'KB', [await firstScreen()], [MAX_SCRIPT]),
  );
  const browser = await startChromium();
  if (!browser) {
    bench.note('there is no Chromium here');
    return;
  }
  bench.after(() => browser.close());
  const { provider, env } = provided(bench);
  const client = await somebody(await startService(bench, env));
  await conversion(bench, browser, client);
  await reviews(bench, browser, client, provider);
}

/** Kilobytes of the entry script and its static imports. */
async function firstScreen(): Promise<number> {
  const scripts = (await bundleApp()).filter(({ name }) => name.endsWith('.js'));
  const entry = scripts.find(({ name }) => name.startsWith('main-'));
  const source = entry ? new TextDecoder().decode(entry.bytes) : '';
  return scripts
    .filter(({ name }) => name === entry?.name || source.includes(`from"./${name}"`))
    .reduce((sum, { bytes }) => sum + gzipSync(bytes).length / 1000, 0);
}
