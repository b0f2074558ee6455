/** Runs the scripts in processes/, each in a process that ends with the section. */
import { fileURLToPath } from 'node:url';
import { createInterface } from 'node:readline';
import { spawn } from 'node:child_process';
import type { Bench } from './section.ts';

export interface Spawned {
  pid: number;
  /** The next line it prints. */
  line(): Promise<string>;
  /** Writes a line to its standard input. */
  tell(line: string): void;
  end(): void;
}

/** Starts a script from processes/ with arguments. */
export function spawned(bench: Bench, name: string, ...args: string[]): Spawned {
  const script = fileURLToPath(new URL(`processes/${name}`, import.meta.url));
  const child = spawn(process.execPath, [script, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const end = () => void child.kill();
  bench.after(end);
  return {
    pid: child.pid ?? 0,
    async line() {
      const { value, done } = await lines.next();
      if (done) throw new Error(`${name} ended early`);
      return value;
    },
    tell: (line) => void child.stdin.write(`${line}\n`),
    end,
  };
}
