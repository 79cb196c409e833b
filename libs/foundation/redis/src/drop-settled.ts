import type { Redis } from 'ioredis';

type SendCommand = Redis['sendCommand'];
/** The result of a transaction that is dropped because its begin was. */
const TIMED_OUT = 'Command timed out';

/**
 * Lets a connection send no command whose caller has its result. The client of ioredis sends commands again after a lost
 * connection without a look at that: a write that was reported as failed would happen later, after others.
 */
export function dropSettled<Connection extends Redis>(connection: Connection): Connection {
  const send: SendCommand = connection.sendCommand.bind(connection);
  let dropsTransaction = false;
  connection.sendCommand = (command, stream) => {
    const { name, inTransaction } = command;
    // The rest of a transaction would take effect without it.
    if (dropsTransaction && !command.isSettled && (inTransaction || name === 'exec')) {
      command.reject(new Error(TIMED_OUT));
    }
    if (!command.isSettled) return send(command, stream);
    if (name === 'multi') dropsTransaction = true;
    if (name === 'exec') dropsTransaction = false;
    // A pipeline is written as soon as all its commands are.
    if (stream !== undefined && 'isPipeline' in stream) stream.write('');
    return command.promise;
  };
  return connection;
}
