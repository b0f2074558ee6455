/** Runs a command to its end, and returns its output. */
export async function spawned(command: string[], cwd: string, env: Record<string, string>) {
  const child = Bun.spawn(command, { cwd, env, stderr: 'pipe' });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { out, err, code: await child.exited };
}
