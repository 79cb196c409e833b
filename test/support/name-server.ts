import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';

const HEADER_BYTES = 12;
const TYPE_A = 1;
/** A response to a recursive query. */
const RESPONSE_FLAGS = 0x8580;
/** Points to the name in the question. */
const NAME_OF_QUESTION = 0xc00c;

/** Answers DNS queries (RFC 1035) for the IPv4 addresses of a name over UDP, and any other query with no record. */
export class NameServer {
  private readonly socket: Socket = createSocket('udp4');

  constructor(private readonly addressesOf: (name: string) => readonly string[]) {
    this.socket.on('message', (query, from) => this.socket.send(this.respond(query), from.port, from.address));
  }

  /** Resolves to the port. */
  async start(address: string): Promise<number> {
    this.socket.bind(0, address);
    await once(this.socket, 'listening');
    return this.socket.address().port;
  }

  stop(): void {
    this.socket.close();
  }

  private respond(query: Buffer): Buffer {
    const labels: string[] = [];
    let end = HEADER_BYTES;
    for (let length = query[end] ?? 0; length > 0; length = query[end] ?? 0) {
      labels.push(query.toString('latin1', end + 1, end + 1 + length));
      end += 1 + length;
    }
    const isForAddresses = query.readUInt16BE(end + 1) === TYPE_A;
    const answers = isForAddresses ? this.addressesOf(labels.join('.')).map(answerOf) : [];
    const header = Buffer.alloc(HEADER_BYTES);
    query.copy(header, 0, 0, 2);
    header.writeUInt16BE(RESPONSE_FLAGS, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(answers.length, 6);
    return Buffer.concat([header, query.subarray(HEADER_BYTES, end + 5), ...answers]);
  }
}

/** A record that is valid for this answer only. */
function answerOf(address: string): Buffer {
  const octets = address.split('.').map(Number);
  const answer = Buffer.alloc(HEADER_BYTES);
  answer.writeUInt16BE(NAME_OF_QUESTION, 0);
  answer.writeUInt16BE(TYPE_A, 2);
  answer.writeUInt16BE(1, 4);
  answer.writeUInt16BE(octets.length, 10);
  return Buffer.concat([answer, Buffer.from(octets)]);
}
