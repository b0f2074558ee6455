/**
 * Opens connections that send one request and stay open. Reads the total number, and reports when
 * it is reached.
 */
import { connect } from 'node:net';

const [url = '', key = ''] = process.argv.slice(2);
const { hostname, port, host, pathname } = new URL(url);

const open = (): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () =>
      socket.write(
        `GET ${pathname} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${key}\r\n\r\n`,
      ),
    );
    socket.on('error', reject);
    socket.once('data', () => resolve());
    socket.on('data', () => {});
  });

let opened = 0;
for await (const line of console) {
  while (opened < Number(line)) {
    const some = Math.min(50, Number(line) - opened);
    await Promise.all(Array.from({ length: some }, open));
    opened += some;
  }
  console.log('open');
}
