/** A Python with packages, for tests with software that others wrote in it. */
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** A Python environment, or the reason why it could not be installed. */
export interface PythonEnvironment {
  /** The folder of its programs. */
  bin: string;
  /** Why it is missing; empty if it is there. */
  reason: string;
}

/**
 * Installs the packages of a requirements file, once for this checkout.
 * @param folder where the environment is kept
 */
export async function pythonWith(requirements: string, folder: string): Promise<PythonEnvironment> {
  const bin = `${folder}/bin`;
  const installed = `${folder}/installed`;
  if (existsSync(installed)) return { bin, reason: '' };
  try {
    await rm(folder, { recursive: true, force: true });
    await mkdir(dirname(folder), { recursive: true });
    await install(['python3', '-m', 'venv', folder]);
    await install([`${bin}/pip`, 'install', '-q', '-r', requirements]);
    await writeFile(installed, '');
    return { bin, reason: '' };
  } catch (error) {
    return { bin, reason: `${requirements} cannot be installed: ${String(error).slice(-300)}` };
  }
}

async function install(command: string[]): Promise<void> {
  const child = Bun.spawn(command, { stdout: 'ignore', stderr: 'pipe' });
  const [complaint, code] = await Promise.all([new Response(child.stderr).text(), child.exited]);
  if (code !== 0) throw new Error(complaint);
}
