/** A process that asks for a page every few milliseconds and says how long the answers took. */
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
times.sort((a, b) => a - b);
const at = (share: number) => times[Math.floor(times.length * share)]?.toFixed(1);
console.log(`${at(0.5)} / ${at(0.99)} ms`);
process.exit();
