/** Before every test file: real servers, engines and files take longer than the five seconds that are usual. */
import { setDefaultTimeout } from 'bun:test';

setDefaultTimeout(120_000);
