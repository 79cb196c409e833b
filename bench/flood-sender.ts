// A process of one organization that changes its executions with many callers at once, each as fast as it is answered.
import { jsonClient } from './json-client.js';

const CALLERS = 64;

const { CONTROL_PLANE_URL = '', API_KEY = '' } = process.env;
const send = jsonClient(CONTROL_PLANE_URL, { Authorization: `Bearer ${API_KEY}` });
const change = { usage: { prompt_tokens: 100, completion_tokens: 20 } };

const create = async (): Promise<string> =>
  (await send<{ execution_id: string }>('POST', '/api/v1/executions/create', { prompt: 'x' })).execution_id;

const executions = await Promise.all(Array.from({ length: CALLERS }, create));
for (const id of executions) void changeForever(`/api/v1/executions/${id}`);
console.log('the flood runs');

async function changeForever(path: string): Promise<never> {
  for (;;) await send('PATCH', path, change);
}
