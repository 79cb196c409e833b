// Records what each test file costs: wall time, and CPU time of the Jest worker and of the processes that the file
// starts. One JSON line per file in TEST_RECORD_FOLDER, which `tools/test/costs.ts` reads. CPU times of processes are
// read from /proc; elsewhere they are 0. While a file runs, a record of it and of its current test is in the folder for
// `tools/test/stuck-files.ts`.
const { appendFileSync, readFileSync, readdirSync, rmSync, writeFileSync } = require('node:fs');
const path = require('node:path');

const FOLDER = process.env.TEST_RECORD_FOLDER;
const ROOT = path.join(__dirname, '..', '..');
const SAMPLE_INTERVAL_MS = 1000;
/** Duration of a clock tick, the unit of /proc. */
const TICK_MS = 10;

class CostRecord {
  start = { wall: performance.now(), own: ownCpu(), children: childrenCpu() };
  /** The processes of this file by their id. Sampled, because the CPU time of a process is gone with it. */
  processes = new Map();

  constructor(file) {
    this.file = path.relative(ROOT, file);
    this.running = path.join(FOLDER, `${process.pid}.running`);
    this.startedAt = Date.now();
    this.at('the start of the file');
    this.sample();
    this.timer = setInterval(() => this.sample(), SAMPLE_INTERVAL_MS).unref();
  }

  sample() {
    for (const pid of childrenIds()) {
      const { cpu } = cpuOf(pid);
      const known = this.processes.get(pid);
      if (known === undefined) this.processes.set(pid, { program: programOf(pid), before: cpu, cpu });
      else known.cpu = Math.max(known.cpu, cpu);
    }
  }

  /** Records what the file does now: the name of a test. */
  at(test) {
    const { file, startedAt } = this;
    writeFileSync(this.running, JSON.stringify({ pid: process.pid, file, test, started_at: startedAt }));
  }

  /** Writes the line of the file. */
  end() {
    rmSync(this.running, { force: true });
    clearInterval(this.timer);
    this.sample();
    const line = {
      file: this.file,
      wall_ms: performance.now() - this.start.wall,
      cpu_ms: ownCpu() - this.start.own,
      processes_cpu_ms: childrenCpu() - this.start.children,
      processes: [...this.processes.values()].map(({ program, before, cpu }) => ({ program, cpu_ms: cpu - before })),
    };
    appendFileSync(path.join(FOLDER, `${process.pid}.costs`), `${JSON.stringify(line)}\n`);
  }
}

/** Starts the record of a test file. Returns undefined outside of `npm test`. */
exports.recordCosts = (file) => (FOLDER === undefined ? undefined : new CostRecord(file));

function ownCpu() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** CPU time of all children so far: of those that have ended, and of those that run. */
function childrenCpu() {
  const running = childrenIds().map((pid) => cpuOf(pid).cpu);
  return running.reduce((sum, cpu) => sum + cpu, cpuOf(process.pid).ofChildren);
}

function childrenIds() {
  try {
    const tasks = readdirSync('/proc/self/task');
    return tasks.flatMap((task) => readFileSync(`/proc/self/task/${task}/children`, 'utf8').split(' ').filter(Boolean));
  } catch {
    return [];
  }
}

/** Returns the CPU time of a process with that of its ended children, and the latter alone. See proc_pid_stat(5). */
function cpuOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [user, system, childrenUser, childrenSystem] = fields.slice(11, 15).map((ticks) => Number(ticks) * TICK_MS);
    const ofChildren = childrenUser + childrenSystem;
    return { cpu: user + system + ofChildren, ofChildren };
  } catch {
    return { cpu: 0, ofChildren: 0 };
  }
}

/** Returns the file that a Node process runs, or the name of another program. */
function programOf(pid) {
  try {
    const [program, ...args] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    const file = args.find((arg) => /\.m?js$/.test(arg) && !arg.includes('parent-watch'));
    return file === undefined ? path.basename(program) : path.relative(ROOT, file);
  } catch {
    return 'unknown';
  }
}
