/**
 * Loaded before all tests: lets property tests generate values as long as they ask for, where the default is ten.
 */
import fc from 'fast-check';
import { rounds } from './fuzz.ts';

fc.configureGlobal({ defaultSizeToMaxWhenMaxSpecified: true, numRuns: rounds(100) });
