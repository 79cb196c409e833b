import { useQuery } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { useSession } from '../../session/session-context';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { FailurePanel } from '../../ui/failure-panel';
import { textOf } from '../../ui/form-data';
import { SelectField } from '../../ui/select-field';
import { TextAreaField } from '../../ui/text-area-field';
import { TextField } from '../../ui/text-field';
import { AGENT_TEMPLATES } from './agent-templates';
import { modelsQuery, useSaveAgent, type Agent } from './agents.queries';

interface AgentDialogProps {
  /** The agent that is changed; absent: a new one is created. */
  readonly agent?: Agent;
  readonly onClose: () => void;
  readonly onSaved: (agent: Agent) => void;
}

const NOTHING = { id: '', name: '', description: '', systemPrompt: '' };
const STARTS = [{ value: '', label: 'Nothing' }, ...AGENT_TEMPLATES.map(({ id, label }) => ({ value: id, label }))];

/** Creates or changes an agent. What it has no field for is kept: tools, skills and settings of the model. */
export function AgentDialog({ agent, onClose, onSaved }: AgentDialogProps) {
  const save = useSaveAgent(agent);
  const [templateId, setTemplateId] = useState('');
  const template = AGENT_TEMPLATES.find(({ id }) => id === templateId) ?? NOTHING;
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const fields = {
      name: textOf(data, 'name'),
      description: textOf(data, 'description') || null,
      system_prompt: textOf(data, 'system_prompt') || null,
      model_id: textOf(data, 'model_id') || null,
    };
    save.mutate(fields, { onSuccess: onSaved });
  };
  return (
    <Dialog isOpen title={agent === undefined ? 'New agent' : `Change ${agent.name}`} onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        {agent === undefined && (
          <SelectField
            label="Start from"
            options={STARTS}
            value={templateId}
            onChange={({ target }) => setTemplateId(target.value)}
          />
        )}
        {/* Fields are set anew by a template, and belong to the person afterwards. */}
        <div key={template.id} className="flex flex-col gap-4">
          <TextField name="name" label="Name" required maxLength={255} defaultValue={agent?.name ?? template.name} />
          <TextField name="description" label="Description" defaultValue={agent?.description ?? template.description} />
          <TextAreaField
            name="system_prompt"
            label="System prompt"
            help="What the agent is and how it answers. It is sent to the model before each prompt."
            defaultValue={agent?.system_prompt ?? template.systemPrompt}
          />
        </div>
        <ModelField named={agent?.model_id ?? ''} />
        {save.error !== null && <FailurePanel error={save.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" isBusy={save.isPending}>
            {agent === undefined ? 'Create the agent' : 'Save'}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** Agents name a model by its id or its value. One that is not offered any more stays chosen until another one is. */
function ModelField({ named }: { readonly named: string }) {
  const { data = [] } = useQuery(modelsQuery(useSession()));
  const [chosen, setChosen] = useState(named);
  const known = data.find(({ id, value }) => id === named || value === named);
  const options = [
    { value: '', label: 'The default model' },
    ...(named === '' ? [] : [{ value: named, label: known?.label ?? named }]),
    ...data.filter((model) => model !== known).map(({ value, label }) => ({ value, label })),
  ];
  return (
    <SelectField
      name="model_id"
      label="Model"
      options={options}
      value={chosen}
      onChange={({ target }) => setChosen(target.value)}
    />
  );
}
