/** The services that translate texts, in the order of preference. */
import { AUDIT_SERVICES } from '../../language/providers.ts';
import { deepl } from './deepl.ts';
import { google } from './google.ts';
import { libretranslate } from './libretranslate.ts';
import type { TextService } from './text-service.ts';

/** The descriptions of all services. */
export const TEXT_SERVICES: readonly TextService[] = [deepl, google, libretranslate];

/** All possible values of `provider` in a translation, in the order of preference: first those that do nothing else. */
export const TRANSLATION_PROVIDERS: readonly string[] = [
  ...TEXT_SERVICES.map(({ name }) => name),
  ...AUDIT_SERVICES.map(({ name }) => name),
  'edge',
  'apertium',
];
