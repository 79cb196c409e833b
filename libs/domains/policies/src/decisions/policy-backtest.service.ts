import { PolicyConfig } from '@app/config';
import { entityKeyOf, invalid, withoutUndefined, type EntityRef, type JsonObject, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { PolicyEntityNames } from '../associations/policy-entity-names.js';
import { toContentFaults } from '../policies/policy.errors.js';
import { PolicyService } from '../policies/policy.service.js';
import { draftOf, PolicyChecker } from '../verdicts/policy-checker.js';
import { TrialService, type Draft, type Trial } from '../verdicts/trial.service.js';
import type { Backtest, BacktestPolicy, ChangedDecision, ListedVerdict } from './policy-backtest.types.js';
import { PolicyDecisionRepository } from './policy-decision.repository.js';
import type { PolicyDecision, PolicyDecisionFilter } from './policy-decision.types.js';

/** Time of a backtest in milliseconds. */
const LIMIT_MS = 5000;
/** Time in milliseconds after which other evaluations of the organization take a turn. */
const TURN_MS = 200;
/** Maximum number of decisions that are read at once. */
const MAX_PAGE = 25;
/** Maximum number of bytes of the inputs of a page. */
const MAX_PAGE_INPUT_BYTES = 4 * 1024 * 1024;
/** Maximum number of listed violations of a verdict; further ones are only counted. */
const MAX_LISTED = 5;
const DRAFT_NAME = 'draft';

/** A decision whose input is stored. */
type TriedDecision = PolicyDecision & { readonly input: JsonObject };

/** Evaluates a text on the inputs of recorded decisions, to show what it would have changed. */
@Injectable()
export class PolicyBacktestService {
  constructor(
    private readonly policies: PolicyService,
    private readonly decisions: PolicyDecisionRepository,
    private readonly checker: PolicyChecker,
    private readonly trials: TrialService,
    private readonly names: PolicyEntityNames,
    private readonly config: PolicyConfig,
  ) {}

  /**
   * Evaluates the text for the newest decisions, each at its own time and with its own random seed, for at most
   * `limitMs`. The verdicts of the other policies of a decision are those that were recorded. Records nothing. Throws
   * `invalid` if the text does not compile.
   */
  async run(scope: Scope, request: BacktestPolicy, limitMs = LIMIT_MS): Promise<Backtest> {
    const { policy_id, policy_content: content, limit, entity_type, entity_id, from, to } = request;
    const name = policy_id === undefined ? DRAFT_NAME : (await this.policies.read(scope, policy_id)).name;
    const { faults } = await this.checker.compile(scope, draftOf(content, name));
    if (faults.length > 0) throw invalid(toContentFaults(faults));
    const endsAt = performance.now() + limitMs;
    const filter = withoutUndefined({ policy_id, entity_type, entity_id, from, to });
    const count = new Count(policy_id);
    let left = limit;
    let cursor: string | undefined;
    do {
      const page = await this.page(scope, filter, left, cursor);
      left -= page.items.length;
      cursor = page.nextCursor;
      const tried = page.items.filter(isTried);
      count.skipped += page.items.length - tried.length;
      if (!(await this.tryAll(scope, { name, content }, tried, count, endsAt))) count.stoppedBy = 'time';
    } while (left > 0 && cursor !== undefined && count.stoppedBy === null);
    return count.result(await this.names.of(scope, count.changed));
  }

  private async page(
    scope: Scope,
    filter: PolicyDecisionFilter,
    left: number,
    cursor: string | undefined,
  ): ReturnType<PolicyDecisionRepository['listWithInputs']> {
    const fitting = Math.floor(MAX_PAGE_INPUT_BYTES / Math.max(1, this.config.decisionInputBytes));
    const limit = Math.min(left, MAX_PAGE, Math.max(1, fitting));
    return this.decisions.listWithInputs(scope, filter, {
      skip: 0,
      limit,
      total: false,
      ...withoutUndefined({ cursor }),
    });
  }

  /** Returns false if the time was over before all decisions were tried. */
  private async tryAll(
    scope: Scope,
    draft: Draft,
    decisions: readonly TriedDecision[],
    count: Count,
    endsAt: number,
  ): Promise<boolean> {
    let done = 0;
    while (done < decisions.length) {
      const leftMs = endsAt - performance.now();
      if (leftMs <= 0) return false;
      const milliseconds = Math.min(leftMs, TURN_MS);
      const rest = decisions.slice(done);
      const requests = rest.map(({ input, at, id }) => ({ input, at, seed: id }));
      const trials = await this.trials.run(scope, draft, requests, { milliseconds, explain: false });
      for (const [index, trial] of trials.entries()) count.add(rest[index], trial);
      done += trials.length;
    }
    return true;
  }
}

/** What a text would have changed so far. */
class Count {
  skipped = 0;
  stoppedBy: Backtest['stopped_by'] = null;
  private same = 0;
  private newlyDenied = 0;
  private newlyAllowed = 0;
  private failed = 0;
  private readonly changes: Omit<ChangedDecision, 'entity_name'>[] = [];

  constructor(private readonly replaced: string | undefined) {}

  add(decision: PolicyDecision | undefined, { verdict }: Trial): void {
    if (decision === undefined) return;
    const others = decision.policies.filter(({ policy_id }) => policy_id !== this.replaced);
    const allowed = verdict.allowed && others.every((other) => other.allowed);
    if (verdict.failure !== null) this.failed += 1;
    else if (allowed === decision.allowed) this.same += 1;
    else if (allowed) this.newlyAllowed += 1;
    else this.newlyDenied += 1;
    if (verdict.failure === null && allowed === decision.allowed) return;
    const violations = [...others, verdict].flatMap((one) => one.violations);
    this.changes.push({ decision, before: listed(decision), after: listed({ allowed, violations }) });
  }

  /** The entities of the changed decisions. */
  get changed(): readonly EntityRef[] {
    return this.changes.map(({ decision }) => decision);
  }

  result(names: ReadonlyMap<string, string>): Backtest {
    const { same, newlyDenied: newly_denied, newlyAllowed: newly_allowed, failed, skipped, stoppedBy } = this;
    const tried = same + newly_denied + newly_allowed + failed;
    const changes = this.changes.map((change) => ({
      ...change,
      entity_name: names.get(entityKeyOf(change.decision)) ?? null,
    }));
    return { tried, same, newly_denied, newly_allowed, failed, skipped, stopped_by: stoppedBy, changes };
  }
}

function isTried(decision: PolicyDecision): decision is TriedDecision {
  const wasEvaluated = decision.allowed || decision.policies.length > 0;
  return decision.input !== null && wasEvaluated;
}

function listed({ allowed, violations }: ListedVerdict): ListedVerdict {
  const more = violations.length - MAX_LISTED;
  return { allowed, violations: more <= 0 ? violations : [...violations.slice(0, MAX_LISTED), `and ${more} more`] };
}
