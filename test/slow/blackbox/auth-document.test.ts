/** An agent follows auth.md by pasting its commands into a shell. */
import { expect, setDefaultTimeout } from 'bun:test';
import { mailedCode } from '../../support/servers/client.ts';
import { removeFolder, startServerProcess } from '../../support/servers/server-process.ts';
import { needsShell, shell, shellBlocks } from '../../support/shell.ts';

setDefaultTimeout(300_000);

needsShell('its commands lead to a key, and show no secret', async () => {
  const server = await startServerProcess();
  const text = await (await fetch(`${server.url}/auth.md`)).text();
  const commands = shellBlocks(text).slice(0, 3);
  expect(commands).toHaveLength(3);
  const [discover = '', register = '', claim = ''] = commands;
  expect(await shell(discover)).toContain('agent_auth');

  const email = 'agent@example.com';
  const started = await shell(`${register.replace('<email>', email)}\necho "token=$CLAIM_TOKEN"`);
  const [shown = '', token = ''] = started.split('token=');
  expect(token.trim()).toStartWith('clm_');
  expect(shown).toContain('claim_token_expires_at');
  expect(shown).not.toContain(token.trim());

  const code = await mailedCode(server.dataDir, email);
  const claimed = await shell(
    `${claim.replace('<six digits>', code)}\necho "key=$CAPTIONER_API_KEY"`,
    { env: { CLAIM_TOKEN: token.trim() } },
  );
  const [told = '', key = ''] = claimed.split('key=');
  expect(key.trim()).toStartWith('cap_live_');
  expect(told).toContain('"organization_id"');
  expect(told).not.toContain(key.trim());

  const again = await shell(claim.replace('<six digits>', code), {
    env: { CLAIM_TOKEN: token.trim() },
  });
  expect(again).toContain('claim_already_used');
  await server.stop();
  await removeFolder(server.dataDir);
});
