import { ResourceTemplate, type McpServer } from '@modelcontextprotocol/server';
import { toWorkflow } from './schemas.js';
import { workflowsOf, type PlatformOf } from './workflow-prompts.js';

const MIME_TYPE = 'application/json';

/** Offers the definition of each workflow as the resource `workflow://{name}`. */
export function addWorkflowResources(server: McpServer, platformOf: PlatformOf): void {
  const template = new ResourceTemplate('workflow://{name}', {
    list: async (context) => {
      const workflows = await workflowsOf(platformOf, context);
      const resources = workflows.map(({ name, description }) => ({
        uri: `workflow://${encodeURIComponent(name)}`,
        name,
        mimeType: MIME_TYPE,
        ...(description === null ? {} : { description }),
      }));
      return { resources };
    },
  });
  const metadata = { title: 'Workflow', description: 'Definition of a workflow', mimeType: MIME_TYPE };
  server.registerResource('workflow', template, metadata, async (uri, { name }, context) => {
    const workflow = await platformOf(context).readWorkflow(decodeURIComponent(String(name)));
    return { contents: [{ uri: uri.href, mimeType: MIME_TYPE, text: JSON.stringify(toWorkflow(workflow), null, 2) }] };
  });
}
