/** A Python environment with packages, for tests that use other projects' Python programs. */
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { tool } from './tool.ts';

/** A Python environment, or the reason why it could not be installed. */
export interface PythonEnvironment {
  /** The folder of its programs. */
  bin: string;
  /** The reason why it is missing; empty if it is installed. */
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
    await tool(['python3', '-m', 'venv', folder]);
    await tool([`${bin}/pip`, 'install', '-q', '-r', requirements]);
    await writeFile(installed, '');
    return { bin, reason: '' };
  } catch (error) {
    return { bin, reason: `${requirements} cannot be installed: ${String(error).slice(-300)}` };
  }
}
