/** Where captions go: standard output, a file or a folder, without ever losing what is there. */
import { afterEach, beforeEach, describe, expect, spyOn, test } from 'bun:test';
import {
  link,
  mkdir,
  open,
  readdir,
  readFile,
  realpath,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { planOutputs, type Wanted } from '../../scripts/caption-outputs.ts';
import { captionsFile } from '../../scripts/captions-file.ts';
import { CommandFailure, UsageError } from '../../scripts/command-line.ts';
import { fromHere } from '../../scripts/current-folder.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';

let folder = '';
const at = (name: string) => join(folder, name);
const content = (name: string) => readFile(at(name), 'utf8');
beforeEach(async () => {
  folder = await realpath(await temporaryFolder());
  await mkdir(at('sub'));
  for (const name of ['talk.mp3', 'talk.m4a', 'other.mp3']) await writeFile(at(name), 'recording');
});
afterEach(() => removeFolder(folder));

describe('the file of captions', () => {
  const refusal = async (path: string, says: string) => {
    const names = async () => [await readdir(folder), await readdir(at('sub'))];
    const before = await names();
    const refused = captionsFile(path, at('talk.mp3'));
    await expect(refused).rejects.toThrow(CommandFailure);
    await expect(refused).rejects.toThrow(says);
    expect(await names()).toEqual(before);
  };

  test('is replaced as a whole, and not before the captions are there', async () => {
    await writeFile(at('talk.srt'), 'before');
    const file = await captionsFile(at('talk.srt'), at('talk.mp3'));
    expect(await content('talk.srt')).toBe('before');
    await file.write('captions');
    expect(await content('talk.srt')).toBe('captions');
    expect((await readdir(folder)).filter((name) => name.includes('.part'))).toEqual([]);
  });

  test('is the one that a link leads to, and the link stays', async () => {
    await symlink('sub/first.srt', at('talk.srt'));
    await symlink('real.srt', at('sub/first.srt'));
    await (await captionsFile(at('talk.srt'), at('talk.mp3'))).write('captions');
    expect(await realpath(at('talk.srt'))).toBe(at('sub/real.srt'));
    expect(await content('sub/real.srt')).toBe('captions');
  });

  test('may be a pipe, which is written and not replaced', async () => {
    Bun.spawnSync(['mkfifo', at('pipe')]);
    // Open at both ends, so that nothing waits for the other.
    const pipe = await open(at('pipe'), 'r+');
    await (await captionsFile(at('pipe'), at('talk.mp3'))).write('captions');
    expect((await stat(at('pipe'))).isFIFO()).toBe(true);
    const { bytesRead, buffer } = await pipe.read(Buffer.alloc(100), 0, 100);
    expect(buffer.toString('utf8', 0, bytesRead)).toBe('captions');
    await pipe.close();
  });

  test('may not be the recording, under whatever name', async () => {
    await link(at('talk.mp3'), at('hard.srt'));
    await symlink('talk.mp3', at('soft.srt'));
    for (const name of ['talk.mp3', 'hard.srt', 'soft.srt']) {
      await refusal(at(name), `${at(name)} is the recording: captions would overwrite it.`);
    }
    expect(await content('talk.mp3')).toBe('recording');
  });

  test('may not be a folder, in no folder, or a link to itself', async () => {
    await symlink('circle', at('circle'));
    await refusal(at('sub'), `${at('sub')} is a folder; give the name of a file in it.`);
    await refusal(at('none/a.srt'), `there is no folder ${at('none')}.`);
    await refusal(at('talk.mp3/a.srt'), `${at('talk.mp3')} is not a folder.`);
    await refusal(at('circle'), `${at('circle')} is a link to itself.`);
    await refusal('/proc/a.srt', 'Nothing can be written to the folder /proc: ');
  });

  test('that cannot be put in place leaves nothing behind', async () => {
    const file = await captionsFile(at('talk.srt'), at('talk.mp3'));
    await mkdir(at('talk.srt'));
    await writeFile(at('talk.srt/mine.txt'), '');
    await expect(file.write('captions')).rejects.toThrow(
      `${at('talk.srt')} could not be written: `,
    );
    expect((await readdir(folder)).filter((name) => name.includes('.part'))).toEqual([]);
  });
});

describe('the outputs of a command', () => {
  const plan = async (wanted: Partial<Wanted>): Promise<unknown[][]> => {
    const planned = await planOutputs({
      recordings: [at('talk.mp3')],
      formats: ['srt'],
      overwrite: false,
      filesOnly: false,
      ...wanted,
    });
    return [...planned].map(([recording, outputs]) => [
      recording,
      outputs.map(({ format, path }) => [format, path]),
    ]);
  };

  test.each([undefined, '-', '/dev/stdout'])(
    'of one recording in one format are standard output: %p',
    async (output) => {
      expect(await plan({ output })).toEqual([[at('talk.mp3'), [['srt', null]]]]);
    },
  );

  test('of one recording with --json are a file named after it', async () => {
    const [[, outputs] = []] = await plan({ filesOnly: true });
    expect(outputs).toEqual([['srt', fromHere('talk.srt')]]);
  });

  test('on standard output are complete once it has taken them', async () => {
    const planned = await planOutputs({
      recordings: [at('talk.mp3')],
      formats: ['srt'],
      overwrite: false,
      filesOnly: false,
    });
    const output = planned.get(at('talk.mp3'))?.[0];
    const taken = (error?: Error) =>
      spyOn(process.stdout, 'write').mockImplementation((_, after) => {
        setImmediate(after as (error?: Error) => void, error);
        return true;
      });
    const whole = taken();
    await output?.write('captions');
    expect(whole.mock.calls[0]?.[0]).toBe('captions');
    whole.mockRestore();
    const broken = taken(new Error('the reader is gone'));
    const failed = await output?.write('captions').catch(String);
    broken.mockRestore();
    expect(failed).toContain('the reader is gone');
  });

  test('of one recording in one format are the named file, even if it exists', async () => {
    await writeFile(at('mine.vtt'), '');
    const [[, outputs] = []] = await plan({ formats: ['vtt'], output: at('mine.vtt') });
    expect(outputs).toEqual([['vtt', at('mine.vtt')]]);
  });

  test('of several are named after the recordings, in a folder that is made', async () => {
    const recordings = [at('talk.mp3'), at('talk.m4a'), at('other.mp3')];
    expect(await plan({ recordings, formats: ['srt', 'vtt'], output: at('new/made') })).toEqual(
      ['talk.mp3', 'talk.m4a', 'other'].map((name, index) => [
        recordings[index],
        [
          ['srt', at(`new/made/${name}.srt`)],
          ['vtt', at(`new/made/${name}.vtt`)],
        ],
      ]),
    );
    expect(await readdir(at('new/made'))).toEqual([]);
  });

  test.each(['sub', 'sub/', 'new/'])('of one recording go to the folder %s', async (name) => {
    const [[, outputs] = []] = await plan({ output: folder + '/' + name });
    expect(outputs).toEqual([['srt', at(`${name}/talk.srt`)]]);
  });

  test('in a folder replace existing files only if that is wanted', async () => {
    await writeFile(at('sub/talk.srt'), 'by hand');
    await expect(plan({ output: at('sub') })).rejects.toThrow(
      `${at('sub/talk.srt')} exists; --overwrite replaces it, --output takes another folder.`,
    );
    expect(await plan({ output: at('sub'), overwrite: true })).toHaveLength(1);
    expect(await content('sub/talk.srt')).toBe('by hand');
  });

  test.each<[Partial<Wanted>, string]>([
    [{ output: '-', formats: ['srt', 'vtt'] }, 'one recording in one format'],
    [{ output: '-', recordings: ['a.mp3', 'b.mp3'] }, 'one recording in one format'],
    [{ output: '-', filesOnly: true }, 'With --json, standard output takes no captions.'],
  ])('are refused: %j', async (wanted, says) => {
    await expect(plan(wanted)).rejects.toThrow(UsageError);
    await expect(plan(wanted)).rejects.toThrow(says);
  });

  test('of several recordings need a folder, and names that differ', async () => {
    await mkdir(at('more'));
    await writeFile(at('more/talk.mp3'), 'recording');
    const recordings = [at('talk.mp3'), at('more/talk.mp3')];
    await expect(plan({ recordings, output: at('other.mp3') })).rejects.toThrow(UsageError);
    await expect(plan({ recordings, output: at('sub') })).rejects.toThrow(
      'Several recordings are called talk.mp3: caption their folders one by one.',
    );
    await expect(plan({ formats: ['srt', 'vtt'], output: at('other.mp3/x') })).rejects.toThrow(
      `The folder ${at('other.mp3/x')} cannot be created: `,
    );
  });
});
