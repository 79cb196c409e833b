import { createControlPlaneClient, streamEvents, unwrap } from '@app/api-client';

const [baseUrl, apiKey] = process.argv.slice(2);
if (baseUrl === undefined || apiKey === undefined) {
  console.error('Usage: node dist/examples/greet.js <address of the control plane> <API key>');
  process.exit(64);
}
const client = createControlPlaneClient({ baseUrl, apiKey });

const agent = await unwrap(client.POST('/api/v1/agents', { body: { name: 'greeter in TypeScript' } }));
const started = await unwrap(
  client.POST('/api/v1/agents/{agent_id}/execute', {
    params: { path: { agent_id: agent.id } },
    body: { prompt: 'Write a greeting for Ada.' },
  }),
);
const options = { baseUrl, authorization: `Bearer ${apiKey}` };
for await (const { event, data } of streamEvents(started.execution_id, options)) console.log(event, data);
