/** Bare Bun.serve that streams every body to a file without looking at it. Prints its port. */
const path = Bun.argv[2] ?? '';
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  maxRequestBodySize: 1024 ** 3,
  async fetch(request) {
    const file = Bun.file(path).writer();
    for await (const chunk of request.body ?? []) {
      await file.write(chunk);
      await file.flush();
    }
    await file.end();
    return new Response('ok');
  },
});
console.log(server.port);
