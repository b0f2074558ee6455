/** A run that moderation blocked: what was found, where, and what to do. */
import type { CaptionerBlockedResult } from '../../server/contract/results.ts';
import { Notice } from '../components/notice.tsx';
import { position } from '../format.ts';
import { text } from '../strings.ts';

/** The notice of a block. */
export function BlockedRun({ result }: { result: CaptionerBlockedResult }) {
  const { severity, flaggedChunk } = result.metadata.moderation;
  return (
    <Notice kind="warning" title={text.run.blocked}>
      <p>{text.run.blockedWhy(severity)}</p>
      {flaggedChunk?.start !== undefined && (
        <p>
          {text.run.blockedWhere}: {position(flaggedChunk.start)}
          {flaggedChunk.end !== undefined && ` – ${position(flaggedChunk.end)}`}
        </p>
      )}
      <p>{text.run.blockedAdvice}</p>
    </Notice>
  );
}
