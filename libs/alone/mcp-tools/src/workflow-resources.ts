import { ResourceNotFoundError, ResourceTemplate } from '@modelcontextprotocol/server';
import { listFor, readFor } from './caller-reads.js';
import { isNotFound, type PlatformForCaller, type Workflow } from './platform-for-caller.js';
import { toWorkflow } from './schemas.js';
import type { ToolHost } from './tool.js';

const MIME_TYPE = 'application/json';

/** Offers the definition of each workflow as the resource `workflow://{name}`. */
export function addWorkflowResources(host: ToolHost): void {
  const template = new ResourceTemplate('workflow://{name}', {
    list: async (context) => {
      const workflows = await listFor(host, 'resources/list', context);
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
  host.server.registerResource('workflow', template, metadata, (uri, { name }, context) =>
    readFor(host, 'resources/read', context, async (platform) => {
      const workflow = await readByUri(platform, uri, String(name));
      const text = JSON.stringify(toWorkflow(workflow), null, 2);
      return { contents: [{ uri: uri.href, mimeType: MIME_TYPE, text }] };
    }),
  );
}

/** Throws a ResourceNotFoundError, which has the code that the protocol demands. */
async function readByUri(platform: PlatformForCaller, { href }: URL, encodedName: string): Promise<Workflow> {
  try {
    return await platform.readWorkflow(decodeURIComponent(encodedName));
  } catch (error) {
    // A URIError: the name is not encoded.
    if (error instanceof URIError || (error instanceof Error && isNotFound(error))) {
      throw new ResourceNotFoundError(href, error.message);
    }
    throw error;
  }
}
