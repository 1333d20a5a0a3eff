import type { CaseForm } from './case-form.ts'
import { skeleton } from './skeleton.ts'
import type { SuiteFile } from './suite-file.ts'

/** A tool of a saved server, as its listing names it. */
export type ToolOf = {
  serverName: string
  toolName: string
  inputSchema: Readonly<Record<string, unknown>> | null | undefined
}

/** Returns a case that calls a tool with arguments derived from its input schema, and expects no error. */
export function caseOfTool({ serverName, toolName, inputSchema }: ToolOf): CaseForm {
  const start = skeleton(inputSchema ?? {}, 0)
  const args = typeof start === 'object' && start !== null && !Array.isArray(start) ? start : {}
  return {
    title: `${toolName} answers`,
    steps: [
      { id: 'call', kind: 'toolCall', serverName, toolName, arguments: { ...args } },
      { id: 'no-errors', kind: 'assert', assertion: { type: 'noToolErrors' } },
    ],
  }
}

/** Returns an initial case if no tool is chosen. It is valid as it is. */
export function caseOfServer(serverName: string | undefined): CaseForm {
  return {
    title: 'What this case is about',
    steps: [
      {
        id: 'call',
        kind: 'toolCall',
        ...(serverName !== undefined && { serverName }),
        toolName: 'name-of-the-tool',
        arguments: {},
      },
      { id: 'no-errors', kind: 'assert', assertion: { type: 'noToolErrors' } },
    ],
  }
}

/** Returns a copy of a case for editing, without an id. It does the same until it is changed. */
export function copyOf({ id: _id, ...form }: CaseForm): CaseForm {
  return { ...form, title: `${form.title} (copy)` }
}

/** The model of a new suite. Cases that only call tools need none. */
export const SUITE_MODEL = 'anthropic/claude-sonnet-4.5'

/** Returns an initial suite for one server. */
export function suiteOfServer(serverName: string, first: CaseForm): SuiteFile {
  return { suite: { name: `${serverName} suite`, servers: [serverName], model: SUITE_MODEL }, cases: [first] }
}
