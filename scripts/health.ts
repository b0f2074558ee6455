/**
 * `bun scripts/health.ts`: reports by its exit code whether the service on this machine (PORT) is
 * healthy.
 */
const url = `http://127.0.0.1:${process.env['PORT'] ?? '3000'}/health`;

async function isWell(): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(5000) });
    const { ok }: { ok?: unknown } = JSON.parse(await response.text());
    return ok === true;
  } catch {
    return false;
  }
}

process.exit((await isWell()) ? 0 : 1);
