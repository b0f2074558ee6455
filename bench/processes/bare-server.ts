/**
 * Bare Bun.serve that answers with the content of a file, `{body, headers}` as JSON with the body
 * in base64: the baseline for documents and open connections. Prints its port.
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
