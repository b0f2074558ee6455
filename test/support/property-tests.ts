/** Run before all tests: what property tests make may be as long as they say, which by itself is ten at most. */
import fc from 'fast-check';

fc.configureGlobal({ defaultSizeToMaxWhenMaxSpecified: true });
