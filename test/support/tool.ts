/** Runs programs that tests need. */

/** Runs a program to its end, and returns its output. @throws {Error} with the output, if the program fails */
export async function tool(command: string[], cwd = process.cwd(), env = {}): Promise<string> {
  const child = Bun.spawn(command, {
    cwd,
    env: { ...process.env, ...env },
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [out, complaint, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (code !== 0) throw new Error(`${command.join(' ')}: ${out}${complaint}`.slice(0, 2000));
  return `${out}${complaint}`;
}
