import type { JsonObject } from '@app/kernel';
import type { Subject } from '../control-plane/lease.js';
import { DockerSkill } from './docker.skill.js';
import { FileGenerationSkill } from './file-generation.skill.js';
import { FileSystemSkill } from './file-system.skill.js';
import { PythonSkill, ShellSkill } from './command.skills.js';
import type { BuiltInSkill, SkillTool } from './skill.js';

export const BUILT_IN_SKILLS: readonly BuiltInSkill[] = [
  new FileSystemSkill(),
  new FileGenerationSkill(),
  new ShellSkill(),
  new PythonSkill(),
  new DockerSkill(),
];

/** Types of skills that every worker supports: texts of the prompt, and MCP servers. */
const WITHOUT_TOOLS: ReadonlySet<string> = new Set(['custom', 'mcp']);

/** The built-in skills that the operator of this worker allows. */
export class OfferedSkills {
  private readonly byType: ReadonlyMap<string, BuiltInSkill>;

  /** `inherited`: variables of the worker's environment that processes of tools receive. */
  constructor(
    types: readonly string[],
    private readonly inherited: Readonly<Record<string, string>>,
  ) {
    this.byType = new Map(
      BUILT_IN_SKILLS.filter(({ type }) => types.includes(type)).map((skill) => [skill.type, skill]),
    );
  }

  get types(): string[] {
    return [...this.byType.keys()];
  }

  /** Whether any skill of the subject has tools here. */
  serves({ skills }: Subject): boolean {
    return skills.some(({ type }) => this.byType.has(type));
  }

  /**
   * The tools of the subject's skills, which work in `folder`. Of two tools with the same name the first one is
   * offered.
   */
  toolsOf(subject: Subject, folder: string): SkillTool[] {
    const { inherited } = this;
    const environment = { ...subject.environment, ...inherited, HOME: folder };
    const tools = new Map<string, SkillTool>();
    for (const { type, configuration } of subject.skills) {
      for (const tool of this.byType.get(type)?.tools({ folder, inherited, environment, configuration }) ?? []) {
        if (!tools.has(tool.name)) tools.set(tool.name, tool);
      }
    }
    return [...tools.values()];
  }

  /** Returns the data of the event that names the skills that this worker does not offer; null if it offers all. */
  missingFor({ skills }: Subject): JsonObject | null {
    const missing = skills.filter(({ type }) => !WITHOUT_TOOLS.has(type) && !this.byType.has(type));
    if (missing.length === 0) return null;
    return { unavailable_skills: missing.map(({ name, type }) => ({ name, type })) };
  }
}
