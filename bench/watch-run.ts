/** A process that opens so many event streams of a run, says so, and keeps them open. */
import { connect } from 'node:net';

const [url = '', key = '', runId = '', count = '1'] = process.argv.slice(2);
const { hostname, port, host } = new URL(url);

const open = (): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () =>
      socket.write(
        `GET /workflows/captioner/${runId}/events HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${key}\r\n\r\n`,
      ),
    );
    socket.on('error', reject);
    socket.once('data', () => resolve());
    socket.on('data', () => {});
  });

for (let opened = 0; opened < Number(count); opened += 50) {
  await Promise.all(Array.from({ length: Math.min(50, Number(count) - opened) }, open));
}
process.stdout.write('open\n');
setInterval(() => {}, 1000);
