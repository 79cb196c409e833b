import { HttpProblem } from '../errors/http-problem.js';

/** Limits the total bytes of the bodies of concurrent requests, or of their responses. */
export interface Budget {
  /** Reserves bytes, or throws `server_busy` and reserves none. */
  reserve(bytes: number): void;
  release(bytes: number): void;
}

const BUSY = 'Too many large requests are in progress; try again';

export class ByteBudget implements Budget {
  private held = 0;

  constructor(
    private readonly bytes: number,
    private readonly message = BUSY,
  ) {}

  get isUnused(): boolean {
    return this.held === 0;
  }

  reserve(bytes: number): void {
    if (this.held + bytes > this.bytes) {
      throw new HttpProblem('server_busy', this.message);
    }
    this.held += bytes;
  }

  release(bytes: number): void {
    this.held -= bytes;
  }
}

/**
 * A budget of the same size for each holder (an organization, an address). Stores only the holders that have reserved
 * bytes.
 */
export class BudgetPerHolder {
  private readonly budgets = new Map<string, ByteBudget>();

  constructor(
    private readonly bytes: number,
    private readonly message = BUSY,
  ) {}

  of(holder: string): Budget {
    return {
      reserve: (bytes) => {
        const budget = this.budgets.get(holder) ?? new ByteBudget(this.bytes, this.message);
        budget.reserve(bytes);
        this.budgets.set(holder, budget);
      },
      release: (bytes) => {
        const budget = this.budgets.get(holder);
        budget?.release(bytes);
        if (budget?.isUnused === true) this.budgets.delete(holder);
      },
    };
  }

  get holders(): number {
    return this.budgets.size;
  }
}

/** Reserves bytes in all of the budgets or in none. */
export class CombinedBudget implements Budget {
  constructor(private readonly parts: readonly Budget[]) {}

  reserve(bytes: number): void {
    const reserved: Budget[] = [];
    try {
      for (const part of this.parts) {
        part.reserve(bytes);
        reserved.push(part);
      }
    } catch (error) {
      for (const part of reserved) part.release(bytes);
      throw error;
    }
  }

  release(bytes: number): void {
    for (const part of this.parts) part.release(bytes);
  }
}
