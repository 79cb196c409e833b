import {
  completable,
  inputRequired,
  type ContentBlock,
  type GetPromptResult,
  type McpServer,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { IMAGE, resource, text } from './contents.js';
import { form, isAnswered } from './input-tools.js';

const CONTEXT = { user_context: form('What context should the prompt use?', { context: { type: 'string' } }) };

/** Adds the prompts that the scenarios list, get and complete. */
export function addPrompts(server: McpServer): void {
  server.registerPrompt('test_simple_prompt', { description: 'A text' }, () =>
    messages(text('This is a simple prompt for testing.')),
  );
  const argsSchema = z.object({
    arg1: completable(z.string(), (value) => ['test', 'testing'].filter((word) => word.startsWith(value))),
    arg2: z.string(),
  });
  server.registerPrompt('test_prompt_with_arguments', { description: 'A text with arguments', argsSchema }, (args) =>
    messages(text(`Prompt with arguments: arg1='${args.arg1}', arg2='${args.arg2}'`)),
  );
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'A resource', argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri }) =>
      messages(
        resource(resourceUri, 'text/plain', 'Embedded resource content for testing.'),
        text('Please process the embedded resource above.'),
      ),
  );
  server.registerPrompt('test_prompt_with_image', { description: 'An image' }, () =>
    messages(IMAGE, text('Please analyze the image above.')),
  );
  server.registerPrompt('test_input_required_result_prompt', { description: 'Asks for input' }, (context) =>
    isAnswered(CONTEXT, context) ? messages(text('With context')) : inputRequired({ inputRequests: CONTEXT }),
  );
}

function messages(...contents: ContentBlock[]): GetPromptResult {
  return { messages: contents.map((content) => ({ role: 'user', content })) };
}
