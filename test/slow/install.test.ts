/** The installation on one machine as docs/operate.md says, in a copy of its folders: each command, then the unit's line. */
import { afterAll, expect, setDefaultTimeout } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { root } from '../support/checkout.ts';
import { fencedBlocks } from '../support/fenced-blocks.ts';
import { needs } from '../support/requirements.ts';
import { freePort } from '../support/servers/postgres.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';
import { tool } from '../support/tool.ts';

setDefaultTimeout(600_000);

/** The machine's folders that the commands change, each of which is one of the test's own. */
const FOLDERS = ['/etc', '/opt', '/usr/local/bin', '/var/lib', '/var/backups'];
const canMount = spawnSync('unshare', ['--mount', 'runuser', '--version']).status === 0;
const folder = await temporaryFolder();
afterAll(() => removeFolder(folder));

/** The values of a key in the unit, in order. */
const valuesOf = (unit: string, key: string): string[] =>
  [...unit.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value = '']) => value);

/** The shell commands of a section of the page; those of systemd need a machine that was started by it. */
const commandsOf = (page: string, section: string): string =>
  fencedBlocks(page.split(`\n## ${section}\n`)[1]?.split('\n## ')[0] ?? '')
    .filter(({ language, text }) => language === 'sh' && !text.includes('docker buildx'))
    .flatMap(({ text }) => text.split('\n'))
    .filter((line) => !line.startsWith('systemctl '))
    .join('\n');

needs(canMount, 'folders of its own take unshare and runuser (Linux), and root')(
  'every command of the page works, and the service starts by the line of its unit, as its user, on a tree that nobody can write',
  async () => {
    const page = await readFile(join(root, 'docs/operate.md'), 'utf8');
    const unit = await readFile(join(root, 'deploy/captioner.service'), 'utf8');
    for (const path of FOLDERS) await mkdir(join(folder, path), { recursive: true });
    // npm and the users of this machine; nothing else of /etc is needed.
    await tool(['cp', '-a', '/etc/.', join(folder, 'etc')]);
    await mkdir(join(folder, 'opt/captioner'));
    // The released tree: no node_modules, nothing that git ignores.
    const files = await tool(['git', 'ls-files', '-co', '--exclude-standard'], root);
    await writeFile(join(folder, 'files'), files);
    await tool(
      ['cp', '--parents', '-t', join(folder, 'opt/captioner'), ...files.trim().split('\n')],
      root,
    );

    const port = await freePort();
    const [line = ''] = valuesOf(unit, 'ExecStart');
    const [user = ''] = valuesOf(unit, 'User');
    const [where = ''] = valuesOf(unit, 'WorkingDirectory');
    const environment = valuesOf(unit, 'Environment').join(' ').replace('9464', '0');
    // The directory that systemd makes, and its umask.
    const started = `
      install -d -m ${valuesOf(unit, 'StateDirectoryMode').join('')} -o ${user} /var/lib/${valuesOf(unit, 'StateDirectory').join('')}
      mount -o remount,bind,ro /opt
      cd ${where}
      (umask ${valuesOf(unit, 'UMask').join('')}
       exec setpriv --reuid=${user} --regid=${user} --init-groups env -i ${environment} PORT=${port} ${line} 2> /var/lib/captioner.log) &
      for i in $(seq 600); do curl -sf http://127.0.0.1:${port}/ready && echo && break; sleep 0.1; done
      cd /root`;
    const script = [
      'set -e',
      ...FOLDERS.map((path) => `mount --bind ${folder}${path} ${path}`),
      commandsOf(page, 'Install').replace('--omit=dev', '--omit=dev --prefer-offline --no-audit'),
      started,
      'captioner admin keys create ann@example.com',
      'captioner admin workspaces',
      commandsOf(page, 'Backups'),
      'captioner admin audit export',
      `kill -TERM $! && wait $!`,
      'echo ended with $?',
      `find /var/lib/captioner /var/backups/captioner ! -user ${user}`,
    ].join('\n');
    await writeFile(join(folder, 'script'), script);
    const path = `/usr/local/bin:${dirname(Bun.which('node') ?? '')}:/usr/sbin:/usr/bin:/sbin:/bin`;
    const ran = spawnSync('unshare', ['--mount', 'bash', join(folder, 'script')], {
      env: { ...process.env, PATH: path },
      encoding: 'utf8',
    });
    expect([ran.status, ran.stdout + ran.stderr]).toEqual([0, expect.anything()]);
    expect(ran.stdout).toContain('{"ready":true}');
    expect(ran.stdout).toMatch(/^cap_live_\S+$/m);
    expect(ran.stdout).toMatch(/^org_.*\t1 keys$/m);
    expect(ran.stdout).toMatch(/"action":"keys create"/);
    // Nothing belongs to another user, whom the service could not read or replace.
    expect(ran.stdout).toEndWith('ended with 0\n');
  },
);
