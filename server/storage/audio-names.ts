/** Names of audio objects in a store. */
import { createHash } from 'node:crypto';
import type { AudioName } from './audio.ts';

/** The name under which a store keeps the objects of an organisation. */
export const workspaceName = (organizationId: string): string =>
  digest(organizationId).slice(0, 32);

/**
 * The name of an object: hashes of organisation and key, so that no key can escape its folder, differ from another only
 * in case, or exceed the limits of a file system.
 */
export const objectName = ({ organizationId, key }: AudioName): string =>
  `objects/${workspaceName(organizationId)}/${digest(key)}.mp3`;

/** The workspace of an object; null if the name was not made by objectName(). */
export const workspaceOf = (name: string): string | null =>
  /^objects\/([0-9a-f]{32})\/[0-9a-f]{64}\.mp3$/.exec(name)?.[1] ?? null;

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
