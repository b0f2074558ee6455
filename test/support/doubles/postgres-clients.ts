/**
 * Doubles of the driver's clients for PostgreSQL, without a server: they record each statement, and answer as the test
 * says.
 */
import { spyOn } from 'bun:test';
import { Client } from 'pg';

/** A statement, and the client that received it. */
export interface AskedStatement {
  text: string;
  values: readonly unknown[];
  name?: string;
  client: Client;
}

type Done = (error?: Error, client?: Client) => void;
type Statement = Pick<AskedStatement, 'text' | 'name'> & { values?: readonly unknown[] };

export interface PostgresClients {
  /** In the order in which they connected. */
  clients: Client[];
  asked: AskedStatement[];
  /** Those whose connection was ended, by either side. */
  ended: Client[];
  /** Ends a connection, as a server that stops does. */
  lose(client: Client): void;
  restore(): void;
}

/**
 * Replaces the connections of all clients, until `restore`.
 * @param answer the rows for a statement (default: none); may throw
 * @param connect may throw, as if the server were down, or take its time
 */
export function postgresClients(
  answer: (text: string) => object[] = () => [],
  connect: () => void | Promise<void> = () => {},
): PostgresClients {
  const clients: Client[] = [];
  const asked: AskedStatement[] = [];
  const ended: Client[] = [];
  const lose = (client: Client): void => {
    if (ended.includes(client)) return;
    ended.push(client);
    client.emit('end');
  };
  const settled = async (
    client: Client,
    work: () => void | Promise<void>,
    done?: Done,
  ): Promise<void> => {
    const outcome = await Promise.try(work).then(
      () => null,
      (error: Error) => error,
    );
    if (done) return outcome ? done(outcome) : done(undefined, client);
    if (outcome) throw outcome;
  };
  const spies = [
    spyOn(Client.prototype, 'connect').mockImplementation(function (this: Client, done?: Done) {
      clients.push(this);
      return settled(this, connect, done);
    } as never),
    spyOn(Client.prototype, 'end').mockImplementation(function (this: Client, done?: Done) {
      return settled(this, () => lose(this), done);
    } as never),
    spyOn(Client.prototype, 'query').mockImplementation(async function (
      this: Client,
      given: string | Statement,
      values: readonly unknown[] = [],
    ) {
      const statement = typeof given === 'string' ? { text: given, values } : given;
      asked.push({ values, ...statement, client: this });
      const rows = answer(statement.text);
      return { rows, rowCount: rows.length };
    } as never),
  ];
  return {
    clients,
    asked,
    ended,
    lose,
    restore() {
      for (const spy of spies) spy.mockRestore();
    },
  };
}
