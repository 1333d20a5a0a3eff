import { isoTime } from '../../lib/times.ts'
import type { DoctorReport, Tool } from '../connections/types.ts'
import { newId } from '../core/ids.ts'
import type { Evidence } from '../readiness/evidence.ts'
import { completeRun } from '../readiness/runs.ts'
import type { ReadinessRow } from '../readiness/rows.ts'
import { judge } from '../readiness/rules.ts'
import type { Stage } from './stage.ts'

const DAYS = 2
const HOUR = 14
const GRADING_MS = 3200
/** A host that cannot exist, so that nobody takes the samples for their own server. */
const ADDRESS = 'https://sample.mcpdeck.example/mcp'

const CITY = { type: 'string', description: 'City and state.' }
const TOOLS: Tool[] = [
  {
    name: 'get-weather',
    title: 'Weather of a city',
    description: 'Weather of today in a city.',
    inputSchema: { type: 'object', properties: { city: CITY } },
    annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: true },
  },
  {
    name: 'export-weather',
    description: 'Writes the weather of a city into a file.',
    inputSchema: { type: 'object', properties: { city: CITY, file: { type: 'string' } } },
  },
]

const RUNS = [
  { kind: 'claude', submissionMode: null },
  { kind: 'openai', submissionMode: 'mcp-only' },
] as const satisfies readonly Pick<ReadinessRow, 'kind' | 'submissionMode'>[]

/** Grades recorded evidence about a server as a run grades live evidence. */
export function replayReadiness({ store, project, at, mark }: Stage): void {
  const createdAt = at(DAYS, HOUR)
  const serverId = newId('srv')
  for (const { kind, submissionMode } of RUNS) {
    const evidence = evidenceFor(submissionMode, createdAt)
    const row: ReadinessRow = {
      id: newId('rdy'),
      projectId: project.id,
      serverId,
      serverUrl: ADDRESS,
      kind,
      submissionMode,
      idempotencyKey: null,
      includeObservations: false,
      authMode: 'headless',
      status: 'running',
      observations: { status: 'not-requested', reason: 'not_requested' },
      terminalReason: null,
      errorMessage: null,
      createdAt,
      updatedAt: createdAt + GRADING_MS,
    }
    store.readinessRuns.insert(row)
    completeRun(store, row, { evidence, findings: judge(evidence, kind) })
    mark('readinessRun', row)
  }
}

function evidenceFor(submissionMode: ReadinessRow['submissionMode'], at: number): Evidence {
  const ok = { status: 'ok', detail: 'ok', durationMs: 40 } as const
  const skipped = { status: 'skipped', detail: 'not offered', durationMs: 0 } as const
  const report: DoctorReport = {
    generatedAt: isoTime(at),
    status: 'ready',
    probe: null,
    connection: { status: 'connected', detail: 'connected' },
    initInfo: {
      protocolVersion: '2025-11-25',
      serverInfo: { name: 'Sample: weather desk', version: '1.0.0' },
      capabilities: { tools: {} },
      transport: 'streamable-http',
    },
    capabilities: { tools: {} },
    tools: TOOLS,
    prompts: [],
    resources: [],
    resourceTemplates: [],
    checks: {
      probe: ok,
      connection: ok,
      initialization: ok,
      capabilities: ok,
      tools: ok,
      prompts: skipped,
      resources: skipped,
      resourceTemplates: skipped,
    },
    error: null,
  }
  return {
    url: new URL(ADDRESS),
    submissionMode,
    connected: true,
    report,
    unknownTool: { refused: true, detail: 'Unknown tool' },
    auth: { demanded: false, isInTime: true, resourceMetadata: false, authorizationServer: undefined },
    isObjectSchema: schema => schema?.['type'] === 'object',
  }
}
