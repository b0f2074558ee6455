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
    // The system's pip installs into it, because one of its own takes as long as most packages.
    await tool(['python3', '-m', 'venv', '--without-pip', folder]);
    const pip = ['python3', '-m', 'pip', '--python', `${bin}/python`, 'install'];
    await tool([...pip, '-q', '-r', requirements]);
    await writeFile(installed, '');
    return { bin, reason: '' };
  } catch (error) {
    return { bin, reason: `${requirements} cannot be installed: ${String(error).slice(-300)}` };
  }
}
