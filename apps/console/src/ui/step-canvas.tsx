import { Handle, MarkerType, Position, ReactFlow, type Node, type NodeProps } from '@xyflow/react';
import '@xyflow/react/dist/base.css';
import { Status } from './status';
import './step-canvas.css';
import { arrowsOf, placeSteps, STEP_SIZE, type GraphStep, type PlacedStep } from './step-layout';

type StepNode = Node<{ readonly step: PlacedStep }, 'step'>;

/** In pixels. A taller graph is drawn smaller. */
const MAX_HEIGHT = 320;
const MARGIN = 32;

const NODE_TYPES = { step: StepBox };

/** Draws steps and arrows. It only shows: nothing is moved or connected by hand. */
export function StepCanvas({ steps }: { readonly steps: readonly GraphStep[] }) {
  const placed = placeSteps(steps);
  const height = Math.min(MAX_HEIGHT, Math.max(...placed.map(({ y }) => y)) + STEP_SIZE.height + 2 * MARGIN);
  const nodes = placed.map((step): StepNode => ({
    id: step.name,
    type: 'step',
    position: { x: step.x, y: step.y },
    ...STEP_SIZE,
    data: { step },
    ariaLabel: [step.name, step.detail, step.status].filter(Boolean).join(', '),
  }));
  const edges = arrowsOf(steps).map(([source, target]) => ({
    id: `${source} ${target}`,
    source,
    target,
    markerEnd: { type: MarkerType.ArrowClosed },
    focusable: false,
  }));
  return (
    <figure aria-label="Graph of the steps" className="rounded-md border border-hairline bg-surface" style={{ height }}>
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={NODE_TYPES}
        nodesDraggable={false}
        nodesConnectable={false}
        elementsSelectable={false}
        nodesFocusable={false}
        preventScrolling={false}
        minZoom={0.2}
        maxZoom={1}
        fitView
        proOptions={{ hideAttribution: true }}
      />
    </figure>
  );
}

function StepBox({ data: { step } }: NodeProps<StepNode>) {
  return (
    <div className="flex h-full flex-col justify-center rounded-md border border-edge bg-surface px-3 text-sm">
      <Handle type="target" position={Position.Left} isConnectable={false} />
      <span className="truncate font-semibold">{step.name}</span>
      {step.status === null ? <span className="text-quiet">{step.detail}</span> : <Status of={step.status} />}
      <Handle type="source" position={Position.Right} isConnectable={false} />
    </div>
  );
}
