// A process that reads a stream from its start with several connections. Each one starts again when it has read the log.
import { request } from 'node:http';

const { STREAM_URL = '', API_KEY = '', READERS = '1', LOG_BYTES = '0' } = process.env;
let waiting = Number(READERS);

for (let n = 0; n < Number(READERS); n += 1) read();

function read(): void {
  let bytes = 0;
  const headers = { Authorization: `Bearer ${API_KEY}` };
  const outgoing = request(STREAM_URL, { headers, agent: false }, (response) => {
    if (response.statusCode !== 200) throw new Error(`The stream returned ${response.statusCode}`);
    waiting -= 1;
    if (waiting === 0) console.log('all readers read');
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes >= Number(LOG_BYTES)) outgoing.destroy();
    });
    response.on('close', read);
  });
  outgoing.end();
}
