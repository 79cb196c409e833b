import 'reflect-metadata';

/** Turns the text of a variable into its value, or throws an Error whose message says what is expected. */
export type Parser<T> = (text: string) => T;

export interface EnvVarOptions<T> {
  /** Used when the variable is unset or empty. Without it the variable is required. `null` means "off". */
  readonly default?: T;
  /** One line for `.env.example`. */
  readonly doc: string;
}

interface Declared extends EnvVarOptions<unknown> {
  readonly property: string;
  readonly variable: string;
  readonly parse: Parser<unknown>;
}

export type ConfigClass<T = object> = new () => T;

const DECLARED = Symbol('declared environment variables');

/** Binds a property of a config class to one environment variable. */
export function EnvVar<T>(variable: string, parse: Parser<T>, options: EnvVarOptions<T | null>): PropertyDecorator {
  return (target, property) => {
    const declared = declaredBy(target.constructor);
    Reflect.defineMetadata(
      DECLARED,
      [...declared, { property: String(property), variable, parse, ...options }],
      target.constructor,
    );
  };
}

function declaredBy(config: object): readonly Declared[] {
  return (Reflect.getMetadata(DECLARED, config) as readonly Declared[] | undefined) ?? [];
}

/** What is wrong with the environment: one line per variable, each naming it and what is expected. */
export class ConfigError extends Error {
  constructor(readonly faults: readonly string[]) {
    super(`The configuration is not usable:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

/** Reads one config class from the environment; throws a ConfigError that lists every fault at once. */
export function loadConfig<T extends object>(config: ConfigClass<T>, env: NodeJS.ProcessEnv = process.env): T {
  const loaded = new config() as Record<string, unknown>;
  const faults: string[] = [];
  for (const declared of declaredBy(config)) {
    const text = env[declared.variable];
    if (text !== undefined && text !== '') {
      try {
        loaded[declared.property] = declared.parse(text);
      } catch (error) {
        faults.push(`${declared.variable}: ${(error as Error).message}`);
      }
    } else if (declared.default !== undefined) {
      loaded[declared.property] = declared.default;
    } else {
      faults.push(`${declared.variable} is missing: ${declared.doc}`);
    }
  }
  if (faults.length > 0) throw new ConfigError(faults);
  return loaded as T;
}

/** Fails with every fault of every class at once, so that a start is not a game of one error at a time. */
export function checkConfig(configs: readonly ConfigClass[], env: NodeJS.ProcessEnv = process.env): void {
  const faults = configs.flatMap((config) => {
    try {
      loadConfig(config, env);
      return [];
    } catch (error) {
      return error instanceof ConfigError ? error.faults : [String(error)];
    }
  });
  if (faults.length > 0) throw new ConfigError([...new Set(faults)]);
}

export interface DescribedVariable {
  readonly variable: string;
  readonly doc: string;
  readonly required: boolean;
  readonly default: unknown;
}

/** What `.env.example` is written from. */
export function describeConfig(config: ConfigClass): readonly DescribedVariable[] {
  return declaredBy(config).map((declared) => ({
    variable: declared.variable,
    doc: declared.doc,
    required: declared.default === undefined,
    default: declared.default ?? null,
  }));
}
