/** Settings in a real browser: a key is made by a code, used, and revoked; and how the page looks. */
import { expect, setDefaultTimeout } from 'bun:test';
import { settingsText as says } from '../../../web/texts/settings.ts';
import { fill, hides, openApp, press, shows } from '../../support/browser/app.ts';
import { needsChromium } from '../../support/browser/chromium.ts';
import { expectToLookWell } from '../../support/browser/look.ts';
import { testBrowser } from '../../support/browser/test-browser.ts';
import { client, mailedCode, signUp } from '../../support/servers/client.ts';
import { testServer } from '../../support/servers/test-server.ts';

setDefaultTimeout(300_000);

const server = await testServer({ env: { REGISTRATIONS_PER_IP: '1000' } });
const { browser } = await testBrowser();
const ann = await signUp(server, 'ann@example.com');

needsChromium('a key is made with the chosen scopes, shown once, and revoked', async () => {
  const { page, faults } = await openApp(browser(), server.url, { client: ann, at: '/settings' });
  await shows(page, says.current);
  await expectToLookWell(page, 'settings');
  await page.setViewport({ width: 1280, height: 900 });
  await press(page, says.create);
  await press(page, says.scopes['captioner:audio:upload']);
  await press(page, says.send);
  await page.waitForSelector('.code-boxes input:focus');
  await page.keyboard.type(await mailedCode(server.dataDir, 'ann@example.com'));
  await shows(page, says.createdHint);
  const key = await page.$eval('input[readonly]', (field) => field.value);
  const holder = client(server.url, key);
  expect((await holder.get('/terminology/terms')).status).toBe(200);
  expect((await holder.put('talk.mp3', new Blob(['x']))).status).toBe(403);
  await expectToLookWell(page, 'settings-key');
  await page.setViewport({ width: 1280, height: 900 });
  await press(page, says.done);
  // Nothing of it is left, neither in the page nor in what the browser keeps.
  const left = await page.evaluate(() => [
    document.documentElement.outerHTML,
    ...[...document.querySelectorAll('input')].map(({ value }) => value),
    JSON.stringify([localStorage, sessionStorage]),
  ]);
  expect(left.join('\n')).not.toContain(key);
  const shown = `${key.slice(0, key.lastIndexOf('_')).replace(/_[^_]*$/, '')}_`;
  await press(page, says.revokeKey(shown));
  await page.waitForSelector('dialog[open]');
  await press(page, says.revoke, 'dialog');
  await hides(page, shown);
  expect((await holder.get('/terminology/terms')).status).toBe(401);
  expect(faults).toEqual([]);
});

needsChromium('the shortcuts are shown and changed', async () => {
  const { page } = await openApp(browser(), server.url, { at: '/settings' });
  await shows(page, says.signIn);
  await press(page, says.shortcuts);
  await page.waitForSelector('dialog .key-group');
  await expectToLookWell(page, 'settings-keys');
  await page.close();
});

needsChromium('everything is erased once the word is typed', async () => {
  const { page } = await openApp(browser(), server.url, { client: ann, at: '/settings' });
  await shows(page, says.eraseHint);
  await press(page, says.erase);
  await fill(page, says.eraseType(says.eraseWord), says.eraseWord);
  await expectToLookWell(page, 'settings-erase');
  await page.setViewport({ width: 1280, height: 900 });
  await press(page, says.erase, 'dialog');
  await shows(page, says.erased(0, 0, 0));
});
