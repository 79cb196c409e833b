interface AgentTemplate {
  readonly label: string;
  readonly values: { readonly name: string; readonly description: string; readonly system_prompt: string };
  /** A prompt to try it with. */
  readonly prompt: string;
}

/** Agents that run as they are, with any model. */
export const AGENT_TEMPLATES: readonly AgentTemplate[] = [
  {
    label: 'Greeter: answers in one sentence',
    values: {
      name: 'greeter',
      description: 'Greets people.',
      system_prompt: 'You greet people by their name, in one friendly sentence.',
    },
    prompt: 'Write a greeting for Ada.',
  },
  {
    label: 'Summarizer: shortens a text',
    values: {
      name: 'summarizer',
      description: 'Shortens texts.',
      system_prompt:
        'You summarize the text that you are given in at most three sentences. You add nothing of your own.',
    },
    prompt: 'Summarize: The committee met on Monday. It approved the budget and put off the new building to next year.',
  },
  {
    label: 'Reviewer: finds faults in a draft',
    values: {
      name: 'reviewer',
      description: 'Reviews drafts.',
      system_prompt: 'You review a draft. You list its faults, the worst first, each with one proposal to mend it.',
    },
    prompt: 'Review: Our product are the best, everyone knows it and nobody need another.',
  },
];
