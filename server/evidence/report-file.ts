/** Reads a file that is said to be a signed report, which anybody may have written and signed. */
import type { Report } from './report.ts';
import { hexOf, verifyReport } from './signature.ts';

/** The report and the key that signed it, or why the file proves nothing. */
export type ReportFile =
  | { outcome: 'signed'; report: Report; publicKey: string }
  | { outcome: 'refused'; reason: string };

/** Checks the signature of a report, and that it has what is shown of it. */
export async function readReport(text: string): Promise<ReportFile> {
  const verified = await verifyReport(text);
  if (verified.outcome === 'refused') return verified;
  const { report, publicKey } = verified;
  return isReport(report)
    ? { outcome: 'signed', report, publicKey }
    : { outcome: 'refused', reason: 'It is signed, but no report on captions that is known here.' };
}

/** Whether a file is one that a report names, to the byte. */
export async function namesFile(report: Report, file: Uint8Array<ArrayBuffer>): Promise<boolean> {
  const hash = hexOf(new Uint8Array(await crypto.subtle.digest('SHA-256', file)));
  return report.files.some(({ sha256 }) => sha256 === hash);
}

function isReport(value: unknown): value is Report {
  if (!isObject(value) || !isObject(value['run'])) return false;
  return (
    value['kind'] === 'captioner-report' &&
    value['version'] === 1 &&
    !Number.isNaN(Date.parse(String(value['madeAt']))) &&
    hasTexts(value['run'], ['name']) &&
    isListOf(value['files'], (file) => hasTexts(file, ['format', 'sha256'])) &&
    isListOf(value['points'], (point) => hasTexts(point, ['rule', 'point', 'status', 'basis'])) &&
    isListOf(
      value['measurements'],
      (one) => hasTexts(one, ['person']) && isObject(one['figures']) && hasFigure(one['figures']),
    )
  );
}

type Fields = Record<string, unknown>;

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

const hasTexts = (value: Fields, names: readonly string[]): boolean =>
  names.every((name) => typeof value[name] === 'string');

const isListOf = (value: unknown, isOne: (item: Fields) => boolean): boolean =>
  Array.isArray(value) && value.every((item) => isObject(item) && isOne(item));

const hasFigure = ({ accuracy }: Fields): boolean =>
  accuracy === null ||
  (isObject(accuracy) &&
    ['value', 'low', 'high'].every((name) => typeof accuracy[name] === 'number'));
