/** A double of an SMTP server that accepts mails, or refuses, stalls or drops them. */
import { createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { until } from '../servers/client.ts';

/** The step at which it misbehaves, and its reply or action. */
export interface SmtpFault {
  step: 'greeting' | 'auth' | 'mail' | 'rcpt' | 'data' | 'message';
  does: `${number} ${string}` | 'stall' | 'drop';
}

export interface SmtpDouble {
  url: string;
  /** Accepted messages, whole. */
  messages: { to: string; text: string }[];
  /** The code in the newest mail to an address, once it has arrived. */
  code(email: string): Promise<string>;
  /** The number of connections so far. */
  connections(): number;
  /** Connections are greeted once this resolves. */
  ready: Promise<void>;
  /** Misbehaves on the next connections, this many times. */
  fail(fault: SmtpFault, times?: number): void;
  close(): Promise<void>;
}

/** Starts a server on a free port of this host. */
export async function startSmtpDouble(): Promise<SmtpDouble> {
  const messages: SmtpDouble['messages'] = [];
  const faults: SmtpFault[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => {});
    const fault = faults.shift();
    void double.ready.then(() => converse(socket, fault, messages));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const double: SmtpDouble = {
    ready: Promise.resolve(),
    url: `smtp://user:smtp-password@127.0.0.1:${port}`,
    messages,
    code: (email) =>
      until(async () => {
        const mail = messages.findLast(({ to }) => to === email);
        return /^\d{6}\r?$/m.exec(mail?.text ?? '')?.[0]?.trim();
      }),
    connections: () => connections,
    fail: (fault, times = 1) => void faults.push(...Array<SmtpFault>(times).fill(fault)),
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        for (const socket of sockets) socket.destroy();
      }),
  };
  return double;
}

function converse(
  socket: Socket,
  fault: SmtpFault | undefined,
  messages: SmtpDouble['messages'],
): void {
  const reply = (step: SmtpFault['step'] | null, line: string): void => {
    if (step === null || fault?.step !== step) socket.write(`${line}\r\n`);
    else if (fault.does === 'drop') socket.destroy();
    else if (fault.does !== 'stall') socket.write(`${fault.does}\r\n`);
  };
  let input = '';
  let to = '';
  let inMessage = false;
  socket.on('data', (chunk: Buffer) => {
    input += chunk.toString();
    for (;;) {
      const end = input.indexOf(inMessage ? '\r\n.\r\n' : '\r\n');
      if (end < 0) return;
      const part = input.slice(0, end);
      input = input.slice(end + (inMessage ? 5 : 2));
      if (inMessage) {
        inMessage = false;
        if (fault?.step !== 'message') messages.push({ to, text: part });
        reply('message', '250 taken');
        continue;
      }
      const command = part.slice(0, 4).toUpperCase();
      if (command === 'EHLO') socket.write('250-here\r\n250-SMTPUTF8\r\n250 AUTH PLAIN\r\n');
      else if (command === 'AUTH') reply('auth', '235 welcome');
      else if (command === 'MAIL') reply('mail', '250 ok');
      else if (command === 'RCPT') {
        to = /<(.*)>/.exec(part)?.[1] ?? '';
        reply('rcpt', '250 ok');
      } else if (command === 'DATA') {
        inMessage = fault?.step !== 'data';
        reply('data', '354 go on');
      } else if (command === 'QUIT') socket.end('221 bye\r\n');
      else reply(null, '250 ok');
    }
  });
  reply('greeting', '220 smtp.double ESMTP');
}
