/** The screen on which anybody checks a signed report and the captions that it names, without an account. */
import { useSignal } from '@preact/signals';
import { REVIEW } from '../../server/contract/limits.ts';
import type { Report } from '../../server/evidence/report.ts';
import { namesFile, readReport } from '../../server/evidence/report-file.ts';
import { Notice } from '../components/notice.tsx';
import { FileButton } from '../components/file-button.tsx';
import { usePageTitle } from '../tab/page-title.ts';
import { dateTime } from '../texts/format.ts';
import { verifyText as says } from '../texts/evidence.ts';
import { said } from '../texts/said.ts';

/** What was found out about a file. */
interface Finding {
  kind: 'info' | 'error' | 'warning';
  text: string;
}

/** What was found out about the chosen files. */
interface Findings {
  list: Finding[];
  report: Report | null;
}

/** The screen. */
export function VerifyScreen() {
  usePageTitle(says.title);
  const found = useSignal<Findings>({ list: [], report: null });
  // Only the files that were chosen last count.
  const turn = useSignal(0);
  const check = async (files: readonly File[]): Promise<void> => {
    if (files.length === 0) return;
    const mine = (turn.value += 1);
    const findings = await findingsOf(files);
    if (turn.peek() === mine) found.value = findings;
  };
  const { list, report } = found.value;
  return (
    <section
      class="card verify"
      aria-labelledby="verify-title"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        void check([...(event.dataTransfer?.files ?? [])]);
      }}
    >
      <h1 id="verify-title">{says.title}</h1>
      <p>{says.about}</p>
      <p>
        <FileButton
          class="button primary"
          label={says.choose}
          multiple
          onFiles={(files) => void check(files)}
        />
      </p>
      {list.map(({ kind, text }) => (
        <Notice kind={kind} key={text}>
          <p>{text}</p>
        </Notice>
      ))}
      {report && (
        <>
          <h2>{says.read}</h2>
          <ul>
            {report.points.map(({ rule, point, status, basis }) => (
              <li key={`${rule} ${point}`}>
                {rule}, {point}: <strong>{status}</strong>. {basis}
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

async function findingsOf(files: readonly File[]): Promise<Findings> {
  const large = files.find(({ size }) => size > REVIEW.maxBytes);
  if (large) return { list: [{ kind: 'error', text: says.tooLarge(large.name) }], report: null };
  const read = await Promise.all(
    files.map(async (file) => {
      const bytes = new Uint8Array(await file.arrayBuffer());
      // Captions are no JSON, so what begins with a brace is meant to be the report.
      const isReport = bytes.find((byte) => byte > 0x20) === 0x7b;
      const verified = isReport ? await readReport(new TextDecoder().decode(bytes)) : null;
      return { name: file.name, bytes, verified };
    }),
  );
  const refused = read.flatMap(({ name, verified }): Finding[] =>
    verified?.outcome === 'refused'
      ? [{ kind: 'error', text: says.refused(name, said.sentence(verified.reason)) }]
      : [],
  );
  const signed = read.find(({ verified }) => verified?.outcome === 'signed');
  if (signed?.verified?.outcome !== 'signed') {
    const list: Finding[] = [...refused, { kind: 'warning', text: says.noReport }];
    return { list: refused.length > 0 ? refused : list, report: null };
  }
  const report = signed.verified.report;
  const list: Finding[] = [
    ...refused,
    { kind: 'info', text: says.signed(signed.name, dateTime(report.madeAt)) },
    { kind: 'info', text: says.talk(report.run.name) },
    await signerOf(signed.verified.publicKey),
  ];
  for (const { name, bytes, verified } of read) {
    if (verified) continue;
    list.push(
      (await namesFile(report, bytes))
        ? { kind: 'info', text: says.same(name) }
        : { kind: 'error', text: says.changed(name) },
    );
  }
  const measured = report.measurements.findLast(({ figures }) => figures.accuracy !== null);
  const accuracy = measured?.figures.accuracy;
  list.push({
    kind: 'info',
    text: measured && accuracy ? says.accuracy(accuracy, measured.person) : says.unmeasured,
  });
  return { list, report };
}

/** Whether this service signed a report; offline, nobody can tell. */
async function signerOf(publicKey: string): Promise<Finding> {
  const answer = await fetch('/.well-known/captioner-report-keys.json').catch(() => null);
  const known: { keys?: { kid?: string }[] } | null = answer?.ok
    ? await answer.json().catch(() => null)
    : null;
  if (!known?.keys) return { kind: 'warning', text: says.unknown(publicKey) };
  return known.keys.some(({ kid }) => kid === publicKey)
    ? { kind: 'info', text: says.ours }
    : { kind: 'warning', text: says.others(publicKey) };
}
