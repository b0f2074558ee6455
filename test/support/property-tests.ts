/**
 * Preloaded for all tests: property tests generate values for as long as they ask; the default is
 * ten.
 */
import fc from 'fast-check';
import { rounds } from './fuzz.ts';

fc.configureGlobal({ defaultSizeToMaxWhenMaxSpecified: true, numRuns: rounds(100) });
