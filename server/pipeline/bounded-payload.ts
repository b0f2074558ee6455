/** The beginning of a provider's answer, within the limits of what a result may hold. */
import { RUN } from '../contract/limits.ts';

interface BoundedPayload {
  value: unknown;
  /** Whether something was left out. */
  cut: boolean;
}

/** Replaces a value that is nested too deeply. */
const TOO_DEEP = '[cut: nested too deep]';

/**
 * The beginning of a payload, within a limit. Arrays and objects lose their last entries, texts their end, and values
 * nested deeper than RUN.maxRawDepth are left out.
 * @param raw plain JSON
 * @param maxBytes the limit for its JSON in UTF-8, without the brackets and commas of omitted parts
 */
export function boundPayload(raw: unknown, maxBytes: number): BoundedPayload {
  let left = maxBytes;
  let cut = false;
  const spend = (bytes: number): boolean => {
    left -= bytes;
    if (left < 0) cut = true;
    return left >= 0;
  };
  const copyText = (text: string): string => {
    const size = jsonBytes(text);
    if (spend(size)) return text;
    // A character of JSON text takes at most six bytes.
    return text.slice(0, Math.max(0, Math.floor((left + size) / 6)));
  };
  const copy = (value: unknown, depth: number): unknown => {
    if (typeof value === 'string') return copyText(value);
    if (typeof value !== 'object' || value === null) {
      return spend(jsonBytes(value)) ? value : null;
    }
    if (depth > RUN.maxRawDepth) {
      cut = true;
      spend(TOO_DEEP.length);
      return TOO_DEEP;
    }
    spend(2);
    if (Array.isArray(value)) {
      const items: unknown[] = [];
      for (const item of value) {
        if (!spend(1)) break;
        items.push(copy(item, depth + 1));
      }
      return items;
    }
    const members: Record<string, unknown> = {};
    for (const name of Object.keys(value)) {
      if (!spend(jsonBytes(name) + 2)) break;
      // Not by assignment, since the name may be __proto__.
      const member = copy(Reflect.get(value, name), depth + 1);
      Object.defineProperty(members, name, {
        value: member,
        enumerable: true,
      });
    }
    return members;
  };
  const value = copy(raw, 1);
  return { value, cut };
}

const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
