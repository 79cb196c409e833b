import 'reflect-metadata';

/** Parses the text of a variable. Throws an Error that states the expected value. */
export type Parser<T> = (text: string) => T;

export interface EnvVarOptions<T> {
  /** Used if the variable is unset or empty. Without a default the variable is required. `null` means "not configured". */
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

/** Invalid environment variables: one line each, with the name of the variable and the expected value. */
export class ConfigError extends Error {
  constructor(readonly faults: readonly string[]) {
    super(`Invalid configuration:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

/**
 * Sets variables of this process's environment, for config classes that are loaded afterwards. Tests set the
 * addresses of their stores with it.
 */
export function setEnvironment(variables: Readonly<Record<string, string>>): void {
  Object.assign(process.env, variables);
}

/** Returns those variables of this process's environment that are set, for processes that it starts. */
export function inheritedVariables(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}

/** Reads a config class from the environment. Throws a ConfigError that lists all faults. */
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

/** Throws a ConfigError that lists the faults of all given classes. */
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

/** Describes the variables of a class, for `.env.example`. */
export function describeConfig(config: ConfigClass): readonly DescribedVariable[] {
  return declaredBy(config).map((declared) => ({
    variable: declared.variable,
    doc: declared.doc,
    required: declared.default === undefined,
    default: declared.default ?? null,
  }));
}
