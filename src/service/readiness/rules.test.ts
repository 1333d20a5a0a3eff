import { expect, test } from 'vitest'
import type { DoctorReport } from '../connections/types.ts'
import type { Evidence } from './evidence.ts'
import { judge } from './rules.ts'

const CHECK = { status: 'ok', detail: '1 listed.', durationMs: 1 } as const
const STEPS = ['probe', 'connection', 'initialization', 'capabilities'] as const
const LISTS = ['tools', 'prompts', 'resources', 'resourceTemplates'] as const

/** Returns evidence about a server whose lists were read. `report` replaces parts of the doctor's report. */
function evidenceOf(report: Partial<DoctorReport> = {}, more: Partial<Evidence> = {}): Evidence {
  const checks = Object.fromEntries([...STEPS, ...LISTS].map(name => [name, CHECK])) as DoctorReport['checks']
  const lists = { tools: [], prompts: [], resources: [], resourceTemplates: [] }
  return {
    url: new URL('https://mcp.test.org/mcp'),
    submissionMode: 'mcp-only',
    connected: true,
    report: {
      generatedAt: '',
      status: 'ready',
      probe: null,
      connection: { status: 'connected', detail: '' },
      initInfo: null,
      capabilities: { tools: {}, prompts: {}, resources: {} },
      ...lists,
      error: null,
      ...report,
      checks: { ...checks, ...report.checks },
    },
    unknownTool: undefined,
    auth: { demanded: false, isInTime: true, resourceMetadata: false, authorizationServer: undefined },
    isObjectSchema: () => true,
    ...more,
  }
}

const findingOf = (id: string, evidence: Evidence) => judge(evidence, 'openai').find(finding => finding.id === id)

/** Returns the doctor's checks of a server that answers these lists in this way. */
const answered = (status: 'skipped' | 'error', ...names: (typeof LISTS)[number][]) => ({
  checks: Object.fromEntries(
    names.map(name => [name, { status, detail: 'Method not found', durationMs: 1 }]),
  ) as DoctorReport['checks'],
})

test('a list that the server announces but whose method it lacks counts as unread', () => {
  expect(findingOf('lists-answer', evidenceOf(answered('skipped', 'prompts')))).toMatchObject({
    status: 'violated',
    subjects: ['prompts: Method not found'],
  })
  const isNotAnnounced = { ...answered('skipped', 'prompts'), capabilities: { tools: {}, resources: {} } }
  for (const report of [isNotAnnounced, answered('skipped', 'resourceTemplates')])
    expect(findingOf('lists-answer', evidenceOf(report))).toMatchObject({ status: 'satisfied' })
})

test.each([
  ['output-schemas', 'tools'],
  ['prompt-descriptions', 'prompts'],
  ['resource-names', 'resources'],
  ['widget-templates', 'tools'],
  ['widget-templates', 'resources'],
] as const)('the rule %s is not evaluated if the list of %s could not be read', (id, list) => {
  const widget = { name: 'draw', inputSchema: { type: 'object' }, _meta: { ui: { resourceUri: 'ui://page' } } } as const
  const tools = list === 'tools' ? [] : [widget]
  for (const status of ['error', 'skipped'] as const)
    expect(findingOf(id, evidenceOf({ ...answered(status, list), tools }))).toMatchObject({
      status: 'not-evaluated',
      detail: `The list of ${list} could not be read.`,
    })
  const none = { ...answered('skipped', list), capabilities: {} }
  if (id !== 'widget-templates') expect(findingOf(id, evidenceOf(none))).toMatchObject({ status: 'not-applicable' })
})

test.each([
  ['[::ffff:10.0.0.1]', 'violated'],
  ['[::]', 'violated'],
  ['[::1]', 'violated'],
  ['[fd00::1]', 'violated'],
  ['10.0.0.1', 'violated'],
  ['100.64.0.1', 'violated'],
  ['localhost', 'violated'],
  ['localhost.', 'violated'],
  ['foo.local.', 'violated'],
  ['[2606:4700::1111]', 'satisfied'],
  ['[::ffff:1.1.1.1]', 'satisfied'],
  ['1.1.1.1', 'satisfied'],
  ['mcp.test.org.', 'satisfied'],
])('the host %s counts as reachable from outside: %s', (host, status) => {
  const evidence = evidenceOf({}, { url: new URL(`https://${host}/mcp`) })
  expect(findingOf('public-https', evidence)).toMatchObject({ status })
})

test('what did not arrive in time or was too large to examine is not evaluated', () => {
  const tools = [{ name: 'a', inputSchema: { type: 'object' }, outputSchema: { type: 'object' } } as const]
  const evidence = evidenceOf(
    { tools },
    {
      unknownTool: { refused: undefined, detail: 'It took too long.' },
      auth: { demanded: true, isInTime: false, resourceMetadata: false, authorizationServer: undefined },
      isObjectSchema: () => undefined,
    },
  )
  const ids = ['refuses-unknown-tool', 'authorization-metadata', 'pkce', 'input-schemas', 'output-schemas']
  expect(ids.map(id => findingOf(id, evidence)?.status)).toEqual(ids.map(() => 'not-evaluated'))
  const mixed = {
    ...evidence,
    isObjectSchema: (schema?: object) => (schema === tools[0]!.inputSchema ? false : undefined),
  }
  expect(findingOf('input-schemas', mixed)).toMatchObject({ status: 'violated', subjects: ['a'] })
})
