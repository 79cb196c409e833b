export interface AgentTemplate {
  readonly id: string;
  readonly label: string;
  readonly name: string;
  readonly description: string;
  readonly systemPrompt: string;
  /** A prompt to try it with. */
  readonly prompt: string;
}

/** Agents that run as they are, with any model. */
export const AGENT_TEMPLATES: readonly AgentTemplate[] = [
  {
    id: 'greeter',
    label: 'Greeter: answers in one sentence',
    name: 'greeter',
    description: 'Greets people.',
    systemPrompt: 'You greet people by their name, in one friendly sentence.',
    prompt: 'Write a greeting for Ada.',
  },
  {
    id: 'summarizer',
    label: 'Summarizer: shortens a text',
    name: 'summarizer',
    description: 'Shortens texts.',
    systemPrompt: 'You summarize the text that you are given in at most three sentences. You add nothing of your own.',
    prompt: 'Summarize: The committee met on Monday. It approved the budget and put off the new building to next year.',
  },
  {
    id: 'reviewer',
    label: 'Reviewer: finds faults in a draft',
    name: 'reviewer',
    description: 'Reviews drafts.',
    systemPrompt: 'You review a draft. You list its faults, the worst first, each with one proposal to mend it.',
    prompt: 'Review: Our product are the best, everyone knows it and nobody need another.',
  },
];
