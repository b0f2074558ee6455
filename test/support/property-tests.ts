/** Run before all tests: what property tests make may be as long as they say, which by itself is ten at most. */
import fc from 'fast-check';
import { rounds } from './fuzz.ts';

fc.configureGlobal({ defaultSizeToMaxWhenMaxSpecified: true, numRuns: rounds(100) });
