/**
 * Bare Bun.serve that answers what a file holds, `{body, headers}` as JSON, the body in base64: what
 * documents and open connections are measured against. Prints its port.
 */
const { body, headers } = await Bun.file(Bun.argv[2] ?? '').json();
const bytes = Uint8Array.fromBase64(body);
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  idleTimeout: 0,
  fetch: () => new Response(bytes, { headers }),
});
console.log(server.port);
