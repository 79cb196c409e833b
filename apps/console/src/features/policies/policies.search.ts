/** What is shown of a policy, as it stands in the address. */
export interface PolicySearch {
  /** Two versions whose sources are compared: `3..5`. */
  readonly compare?: string;
  /** What the source is tried with: `decision:` and the id of a decision. Absent: an example. */
  readonly input?: string;
}

const VERSIONS = /^([1-9]\d{0,8})\.\.([1-9]\d{0,8})$/;
const DECISION = /^decision:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** Leaves out what the page cannot show. */
export function parsePolicySearch(search: Readonly<Record<string, unknown>>): PolicySearch {
  const { compare, input } = search;
  return {
    ...(typeof compare === 'string' && VERSIONS.test(compare) ? { compare } : {}),
    ...(typeof input === 'string' && DECISION.test(input) ? { input } : {}),
  };
}

/** Two versions of a policy. */
export interface VersionPair {
  readonly from: number;
  readonly to: number;
}

export function comparedVersions({ compare }: PolicySearch): VersionPair | null {
  const [, from, to] = VERSIONS.exec(compare ?? '') ?? [];
  return from === undefined || to === undefined ? null : { from: Number(from), to: Number(to) };
}

/** Returns the address of a comparison; that of none for null. */
export function comparing(search: PolicySearch, pair: VersionPair | null): PolicySearch {
  return parsePolicySearch({ ...search, compare: pair === null ? undefined : `${pair.from}..${pair.to}` });
}

/** Returns the id of the decision whose input is tried. */
export function triedDecision({ input }: PolicySearch): string | undefined {
  return DECISION.exec(input ?? '')?.[1];
}

/** Returns the address of a trial with the input of a decision; with the example if there is none. */
export function trying(search: PolicySearch, decisionId: string | undefined): PolicySearch {
  return parsePolicySearch({ ...search, input: decisionId === undefined ? undefined : `decision:${decisionId}` });
}
