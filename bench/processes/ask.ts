/** Requests a page every few milliseconds, and prints the time of each answer, as JSON. */
import { connect } from 'node:net';
import { once } from 'node:events';

const [url = '', seconds = '10'] = process.argv.slice(2);
const { hostname, port, host } = new URL(url);
const socket = connect(Number(port), hostname);
await once(socket, 'connect');
const times: number[] = [];
for (const end = performance.now() + Number(seconds) * 1000; performance.now() < end;) {
  const start = performance.now();
  socket.write(`GET / HTTP/1.1\r\nhost: ${host}\r\naccept: text/markdown\r\n\r\n`);
  await once(socket, 'data');
  times.push(performance.now() - start);
  await Bun.sleep(5);
}
console.log(JSON.stringify(times));
process.exit();
