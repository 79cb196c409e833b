import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Programs that cost less are not shown. */
const LEAST_SHOWN_MS = 1000;

/** What one test file cost, as `tools/jest/costs.cjs` records it. Times in milliseconds. */
export interface FileCosts {
  /** Relative to the repository. */
  readonly file: string;
  readonly wall_ms: number;
  /** CPU time of the Jest worker. */
  readonly cpu_ms: number;
  /** CPU time of all processes that the file started or used, such as those of the shared platform. */
  readonly processes_cpu_ms: number;
  /** The processes, with CPU times as of the last sample before their end. */
  readonly processes: readonly { readonly program: string; readonly cpu_ms: number }[];
}

export function readCosts(folder: string): FileCosts[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.costs'));
  const lines = files.flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n').filter(Boolean));
  return lines.map((line) => JSON.parse(line) as FileCosts);
}

/** What all processes of a program cost. */
export /**
 * Returns the lines of a table of the most expensive test files and programs, by CPU time. `servers` are those that all
 * files use.
 */
function describeCosts(costs: readonly FileCosts[], servers: readonly ProgramCosts[], limit: number): string[] {
  const byCpu = costs.toSorted((one, other) => totalOf(other) - totalOf(one));
  const programs = [...servers, ...sumByProgram(costs)].filter(({ cpu_ms }) => cpu_ms >= LEAST_SHOWN_MS);
  return [
    row('CPU', 'worker', 'processes', 'wall', `test file (${costs.length} in all)`),
    ...byCpu
      .slice(0, limit)
      .map((cost) => row(totalOf(cost), cost.cpu_ms, cost.processes_cpu_ms, cost.wall_ms, cost.file)),
    row(sum(costs, totalOf), sum(costs, workerOf), sum(costs, processesOf), sum(costs, wallOf), 'all files'),
    ...programs.map(({ program, starts, cpu_ms }) => row(cpu_ms, '', '', '', `${program} (${starts})`)),
  ];
}

const workerOf = (cost: FileCosts): number => cost.cpu_ms;
const processesOf = (cost: FileCosts): number => cost.processes_cpu_ms;
const wallOf = (cost: FileCosts): number => cost.wall_ms;
const totalOf = (cost: FileCosts): number => cost.cpu_ms + cost.processes_cpu_ms;

function sum(costs: readonly FileCosts[], value: (cost: FileCosts) => number): number {
  return costs.reduce((total, cost) => total + value(cost), 0);
}

interface ProgramCosts {
  readonly program: string;
  readonly starts: number;
  readonly cpu_ms: number;
}

function sumByProgram(costs: readonly FileCosts[]): ProgramCosts[] {
  const byProgram = new Map<string, ProgramCosts>();
  for (const { program, cpu_ms } of costs.flatMap(({ processes }) => processes)) {
    const former = byProgram.get(program) ?? { program, starts: 0, cpu_ms: 0 };
    byProgram.set(program, { program, starts: former.starts + 1, cpu_ms: former.cpu_ms + cpu_ms });
  }
  return [...byProgram.values()].toSorted((one, other) => other.cpu_ms - one.cpu_ms);
}

function row(...cells: readonly [...(number | string)[], string]): string {
  const text = cells.at(-1) as string;
  const columns = cells.slice(0, -1).map((cell) => (typeof cell === 'number' ? `${(cell / 1000).toFixed(1)} s` : cell));
  return `${columns.map((column) => column.padStart(11)).join('')}  ${text}`;
}
