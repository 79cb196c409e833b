import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useList } from '../../api/list';
import { AssignedThings } from '../../resource/assigned-things';
import { skillChoices } from '../../resource/choices';
import type { Column } from '../../resource/resource';
import { useSession } from '../../session/session-context';
import {
  inheritedSkillsQuery,
  skillsOfQuery,
  useSkillsOf,
  type AssociatedSkill,
  type SkillHolder,
} from './skills.queries';

const COLUMNS: readonly Column<AssociatedSkill>[] = [
  { label: 'Type', cell: ({ type }) => type },
  { label: 'Description', cell: ({ description }) => description },
  { label: 'Enabled', cell: ({ enabled }) => (enabled ? 'yes' : 'no') },
];

/** The skills of an agent or a team, and those that its runs inherit. */
export function SkillsSection({ holder }: { readonly holder: SkillHolder }) {
  const session = useSession();
  const inherited = useQuery(inheritedSkillsQuery(session, holder)).data ?? [];
  return (
    <AssignedThings
      title="Skills"
      one="skill"
      many="skills"
      path="/skills"
      empty={`This ${holder.kind} has no skill of its own.`}
      list={useList(skillsOfQuery(session, holder))}
      columns={COLUMNS}
      choices={skillChoices}
      {...useSkillsOf(holder)}
    >
      {inherited.length > 0 && (
        <p>
          Its runs also receive{' '}
          {inherited.map(({ id, name, source }, index) => (
            <span key={id}>
              {index > 0 && ', '}
              <Link to="/skills/$id" params={{ id }} className="text-accent underline">
                {name}
              </Link>{' '}
              ({source.split(':')[0]})
            </span>
          ))}
          .
        </p>
      )}
    </AssignedThings>
  );
}
