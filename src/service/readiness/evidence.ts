import { BOUNDS } from '../../lib/bounds.ts'
import type { Connections } from '../connections/engine.ts'
import { loadLibrary, type DoctorReport, type JsonObject, type ServerTarget } from '../connections/types.ts'
import { createMetadataFetch } from '../connections/metadata-fetch.ts'
import { untilAborted } from '../core/deadline.ts'
import { ServiceError } from '../core/errors.ts'
import { messageOf } from '../core/one-line.ts'
import { WORK_LIMITS } from '../../lib/work-limits.ts'
import { inThread } from '../../lib/untrusted/in-thread.ts'
import type { ReadinessRow } from './rows.ts'
/** What a server reports about its authorization to a caller without credentials. */
export type AuthEvidence = {
  demanded: boolean
  /** False if the metadata did not arrive in time, so that nothing is known about it. */
  isInTime: boolean
  resourceMetadata: boolean
  authorizationServer: { pkceMethods: string[] } | undefined
}

/** Everything that the rules examine. It is gathered once and changes nothing on the server. */
export type Evidence = {
  url: URL
  submissionMode: ReadinessRow['submissionMode']
  /** False if the server requires authorization and none is stored. */
  connected: boolean
  report: DoctorReport
  /**
   * The server's answer to a call of a tool that does not exist; undefined if it lists no tools. `refused` is undefined
   * if the answer did not arrive in time.
   */
  unknownTool: { refused: boolean | undefined; detail: string } | undefined
  auth: AuthEvidence
  /** Whether a schema is JSON Schema for an object; undefined if it is too large or takes too long to check. */
  isObjectSchema: (schema: JsonObject | undefined) => boolean | undefined
}

/** Name that no tool of any server has. */
const UNKNOWN_TOOL = 'mcpdeck-readiness-no-such-tool'
/** Milliseconds to wait for metadata. */
const METADATA_MS = 15_000

/**
 * Examines the server as a reviewer of an app directory would: connects, reads the lists, calls a tool that does not
 * exist, and reads metadata.
 * @throws ServiceError if it cannot be reached
 */
export async function gatherEvidence(
  connections: Connections,
  target: ServerTarget,
  { serverUrl, submissionMode }: Pick<ReadinessRow, 'serverUrl' | 'submissionMode'>,
  signal: AbortSignal,
): Promise<Evidence> {
  const report = await connections.doctor(target, signal)
  const connected = report.connection.status === 'connected'
  if (report.error && report.error.code !== 'OAUTH_REQUIRED')
    throw new ServiceError('SERVER_UNREACHABLE', report.error.message, { details: { code: report.error.code } })
  return {
    url: new URL(serverUrl),
    submissionMode,
    connected,
    report,
    unknownTool: await callUnknownTool(connections, target, report, signal),
    auth: await examineAuth(connections, target, serverUrl, signal),
    isObjectSchema: await schemaChecker(report.tools),
  }
}

async function callUnknownTool(
  connections: Connections,
  target: ServerTarget,
  { tools }: DoctorReport,
  signal: AbortSignal,
): Promise<Evidence['unknownTool']> {
  if (tools.length === 0) return undefined
  try {
    const { isError } = await connections.callTool(target, { toolName: UNKNOWN_TOOL }, signal)
    return { refused: isError === true, detail: 'It answered with a result.' }
  } catch (error) {
    signal.throwIfAborted()
    const code = error instanceof ServiceError ? error.code : undefined
    return { refused: code === 'TIMEOUT' ? undefined : code === 'VALIDATION_ERROR', detail: messageOf(error) }
  }
}

/** Sends requests without the stored credentials, to see what an unknown caller sees. */
async function examineAuth(
  connections: Connections,
  target: ServerTarget,
  url: string,
  signal: AbortSignal,
): Promise<AuthEvidence> {
  const stranger: ServerTarget = { ...target, useOAuth: false, transport: { type: 'http', url, headers: {} } }
  const { useOAuth: demanded } = await connections.checkOAuth(stranger, signal)
  const nothing = { demanded, isInTime: true, resourceMetadata: false, authorizationServer: undefined }
  if (!demanded) return nothing
  const { discoverOAuthServerInfo } = await loadLibrary()
  const limited = AbortSignal.any([signal, AbortSignal.timeout(METADATA_MS)])
  try {
    const found = await untilAborted(
      discoverOAuthServerInfo(url, { fetchFn: createMetadataFetch(url, limited) }),
      limited,
    )
    const metadata = found.authorizationServerMetadata
    return {
      demanded,
      isInTime: true,
      resourceMetadata: found.resourceMetadata !== undefined,
      authorizationServer: metadata && { pkceMethods: metadata.code_challenge_methods_supported ?? [] },
    }
  } catch {
    signal.throwIfAborted()
    return { ...nothing, isInTime: !limited.aborted }
  }
}

/** Maximum characters of a schema that is examined. */
const MOST_SCHEMA_CHARACTERS = BOUNDS.toolSchema.most
const TOOL_LIMIT_MS = WORK_LIMITS.toolSchemas.most
const LIMIT_MS = WORK_LIMITS.allSchemas.most

type Schemas = { inputSchema?: JsonObject | undefined; outputSchema?: JsonObject | undefined }

/**
 * Returns a check whether a tool's schema is JSON Schema for an object. Each schema is validated against the schema of
 * its draft, in a thread. The result is unknown beyond the limits of size and time.
 */
async function schemaChecker(tools: readonly Schemas[]): Promise<Evidence['isObjectSchema']> {
  const judged = new Map<JsonObject, boolean>()
  const end = performance.now() + LIMIT_MS
  for (const { inputSchema, outputSchema } of tools) {
    const schemas = [inputSchema, outputSchema].filter(schema => schema !== undefined).filter(isSmall)
    const limitMs = Math.min(TOOL_LIMIT_MS, end - performance.now())
    if (schemas.length === 0 || limitMs <= 0) continue
    const outcome = await inThread('objectSchemas', { schemas }, limitMs)
    if ('answer' in outcome)
      for (const [at, schema] of schemas.entries()) judged.set(schema, outcome.answer[at] === true)
  }
  return schema => (schema === undefined ? false : judged.get(schema))
}

function isSmall(schema: JsonObject): boolean {
  return JSON.stringify(schema).length <= MOST_SCHEMA_CHARACTERS
}
