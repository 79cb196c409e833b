import { stepsBefore } from '../../api/templates';
import { Row } from '../../ui/row';
import { Section } from '../../ui/section';
import { StepGraph } from '../../ui/step-graph';
import { Table } from '../../ui/table';
import { usePreviewWorkflow, useRunWorkflow, type Workflow } from './build.queries';
import { workflowParameters } from './placeholders';
import { RunForm } from './run-form';
import { ValueFields, valuesOf } from './value-fields';

/** Runs a workflow with values for its parameters, and shows what its steps wait for. */
export function WorkflowParts({ row: workflow }: { readonly row: Workflow }) {
  const names = workflowParameters(workflow.steps);
  return (
    <>
      <RunForm
        run={useRunWorkflow(workflow.id)}
        preview={usePreviewWorkflow(workflow.id)}
        inputOf={(data) => valuesOf(names, data)}
        action="Run"
        others={{ entity: workflow.id }}
      >
        <ValueFields names={names} />
      </RunForm>
      {workflow.steps.length > 0 && (
        <Section title="Steps">
          <StepGraph
            steps={workflow.steps.map((step) => ({
              name: step.name,
              detail: step.type,
              status: null,
              before: stepsBefore(step),
            }))}
          />
          <Table columns={['Step', 'Type', 'Runs', 'After']}>
            {workflow.steps.map((step) => (
              <Row
                key={step.name}
                head={step.name}
                cells={[step.type, step.agent_id ?? step.team_id ?? step.model_id, stepsBefore(step).join(', ')]}
              />
            ))}
          </Table>
        </Section>
      )}
    </>
  );
}
