/** `bun run bench`: a table of ratios, each measured against its rival in this same run. */
import { cpus } from 'node:os';
import { browserApp } from './browser-app.ts';
import { captionFigures } from './caption-figures.ts';
import { captions } from './captions.ts';
import { documents } from './documents.ts';
import { identity } from './identity.ts';
import { providers } from './providers.ts';
import { runs } from './runs.ts';
import { service } from './service.ts';
import { packsFolder } from '../server/terminology/installed.ts';
import { loadPacks } from '../server/terminology/packs.ts';
import { terminologyFigures } from './terminology-figures.ts';
import { terminology } from './terminology.ts';

console.log(`${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, Bun ${Bun.version}`);
console.table([...(await captions()), ...(await terminology()), ...(await service())]);
console.table(await documents());
console.table(await identity());
await providers();
await runs();
console.table(await browserApp());
console.table(captionFigures());
console.table(terminologyFigures(await loadPacks(packsFolder)));
process.exit();
