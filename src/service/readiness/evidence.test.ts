import { expect, test, vi } from 'vitest'
import { BOUNDS } from '../../lib/bounds.ts'
import type { Connections } from '../connections/engine.ts'
import type { ServerTarget } from '../connections/types.ts'
import { ServiceError } from '../core/errors.ts'
import { gatherEvidence } from './evidence.ts'

const url = 'http://127.0.0.1:9/mcp'
const target: ServerTarget = {
  id: 'srv_1',
  name: 'late',
  enabled: true,
  useOAuth: false,
  transport: { type: 'http', url, headers: {} },
}

test('a late answer, late metadata and a schema that is too large are distinguished from wrong ones', async () => {
  const late = AbortSignal.abort(new DOMException('late', 'TimeoutError'))
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(late)
  const huge = { type: 'object', description: 'x'.repeat(BOUNDS.toolSchema.most) }
  const report = { connection: { status: 'connected' }, error: null, tools: [{ name: 'a', inputSchema: huge }] }
  const connections = {
    doctor: async () => report,
    checkOAuth: async () => ({ useOAuth: true }),
    callTool: async () => {
      throw new ServiceError('TIMEOUT', 'It took too long.')
    },
  } as unknown as Connections
  const asked = { serverUrl: url, submissionMode: 'mcp-only' } as const
  const evidence = await gatherEvidence(connections, target, asked, new AbortController().signal)
  timeout.mockRestore()
  expect(evidence.unknownTool).toEqual({ refused: undefined, detail: 'It took too long.' })
  expect(evidence.auth).toMatchObject({ demanded: true, isInTime: false })
  expect(evidence.isObjectSchema(huge)).toBe(undefined)
  expect(evidence.isObjectSchema(undefined)).toBe(false)
})
