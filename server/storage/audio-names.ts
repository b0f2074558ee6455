/** What audio objects are called in a store. */
import { createHash } from 'node:crypto';
import type { AudioName } from './audio.ts';

/**
 * The name of an object: hashes of organisation and key, so that no key can leave its folder, collide
 * by case or exceed what a file system allows.
 */
export const objectName = ({ organizationId, key }: AudioName): string =>
  `objects/${digest(organizationId).slice(0, 32)}/${digest(key)}.mp3`;

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
