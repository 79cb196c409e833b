// A process that opens many connections to a stream and reads them.
import { request } from 'node:http';

const { STREAM_URL = '', API_KEY = '', READERS = '1' } = process.env;
/** Maximum number of connections that are opened at the same time: the queue of a listening socket is short. */
const AT_ONCE = 50;
let next = 0;
let connected = 0;

for (let n = 0; n < AT_ONCE; n += 1) open();

function open(): void {
  if (next === Number(READERS)) return;
  next += 1;
  const outgoing = request(
    STREAM_URL,
    { headers: { Authorization: `Bearer ${API_KEY}` }, agent: false },
    (response) => {
      if (response.statusCode !== 200) throw new Error(`The stream returned ${response.statusCode}`);
      response.resume();
      connected += 1;
      if (connected === Number(READERS)) console.log('all readers connected');
      open();
    },
  );
  outgoing.end();
}
