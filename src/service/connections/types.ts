import type { DoctorStep } from '../../api/contract/server-operations.ts'
import type { Transport } from '@modelcontextprotocol/client'
import type { ServiceError } from '../core/errors.ts'
import type { Notices } from './notices.ts'

export type McpLibrary = typeof import('@modelcontextprotocol/client')

let library: Promise<McpLibrary> | undefined

/** Loads the protocol library on first use: it is large, and most starts of the dashboard never need it. */
export function loadLibrary(): Promise<McpLibrary> {
  library ??= import('@modelcontextprotocol/client')
  return library
}

/** How a saved server is reached, with its secrets already decrypted. */
export type ServerTransport =
  | { type: 'stdio'; command: string; args: string[]; env: Record<string, string> }
  | {
      type: 'http'
      url: string
      headers: Record<string, string>
      /** Current bearer token; read before every request, so that a refreshed token is used. */
      accessToken?: () => Promise<string | undefined>
    }

/** A saved server as stored. */
export type ServerTarget = {
  id: string
  name: string
  enabled: boolean
  transport: ServerTransport
  /** The server's own deadline in milliseconds; capped by {@link MAX_DEADLINE_MS}. */
  timeoutMs?: number
  useOAuth: boolean
}

/** Deadline of an operation if neither the engine nor the server has one, in milliseconds. */
export const DEADLINE_MS = 30_000

/** Longest deadline of a saved server in milliseconds; the runtime's fetch also gives up then. */
export const MAX_DEADLINE_MS = 300_000

export type JsonObject = Record<string, unknown>

/** Other fields are the server's own and are passed on unchanged. */
export type Tool = JsonObject & {
  name: string
  description?: string
  inputSchema?: JsonObject
  outputSchema?: JsonObject
}
export type Prompt = JsonObject & { name: string; description?: string }
export type Resource = JsonObject & { uri: string; name?: string; description?: string; mimeType?: string }

/** One page of a listing; `nextCursor` is the server's own. */
export type Page<T> = { items: T[]; nextCursor?: string }

export type CallToolResult = JsonObject & { content: JsonObject[]; isError?: boolean }
export type GetPromptResult = JsonObject & { messages: JsonObject[] }
export type ResourceContents = JsonObject & { contents: JsonObject[] }

/** What the server said about itself when the session started. */
export type InitInfo = {
  protocolVersion?: string
  serverInfo?: JsonObject
  capabilities: JsonObject
  instructions?: string
  transport: LinkKind
}
type LinkKind = 'stdio' | 'streamable-http' | 'sse'

export type ValidateResult = { success: true; status: 'connected'; initInfo: InitInfo }
export type CheckOAuthResult = { useOAuth: boolean; serverUrl: string | null }
export type ExportSnapshot = {
  serverId: string
  /** ISO 8601. */
  exportedAt: string
  tools: Tool[]
  resources: Resource[]
  prompts: Prompt[]
  /** Null if the server gives none. */
  instructions: string | null
  /** Why an announced list could not be read, by its name; absent if all were read. */
  unread?: Record<string, string>
}

/** `durationMs` is an extra field, since the contract does not define the report. */
export type DoctorCheck = { status: 'ok' | 'error' | 'skipped'; detail: string; durationMs: number }
/** Called when a step of the doctor has ended. */
export type OnDoctorStep = (step: DoctorStep, check: DoctorCheck) => void
export type DoctorReport = {
  /** ISO 8601. */
  generatedAt: string
  status: 'ready' | 'oauth_required' | 'partial' | 'error'
  probe: JsonObject | null
  connection: { status: 'connected' | 'error' | 'skipped'; detail: string }
  initInfo: InitInfo | null
  capabilities: JsonObject | null
  tools: Tool[]
  prompts: Prompt[]
  resources: Resource[]
  resourceTemplates: JsonObject[]
  checks: Record<DoctorStep, DoctorCheck>
  /** Null if all steps were taken, even if a listing failed. */
  error: { code: string; message: string; details?: unknown } | null
}

/** A connected server for the duration of one task; every call has its own deadline. */
export type TrialSession = {
  readonly initInfo: InitInfo
  /** All pages; empty if the server offers no tools. */
  listTools(): Promise<Tool[]>
  /** Never repeated by the engine; `durationMs` is the duration of only the call. */
  callTool(name: string, args?: JsonObject): Promise<{ result: CallToolResult; durationMs: number }>
  getPrompt(name: string, args?: PromptArguments): Promise<GetPromptResult>
  readResource(uri: string): Promise<ResourceContents>
}
/** A session that started, for readers of its results. */
export type StartedSession = {
  /** The server's name. */
  name: string
  /** Epoch milliseconds. */
  startedAt: number
  transport: LinkKind
  /** The program with its arguments, without their secrets; absent over HTTP. */
  command?: string[]
  /** Absent over stdio. */
  url?: string
  /** What the server said about itself, including its version. */
  serverInfo?: JsonObject
  protocolVersion?: string
}

export type OwnSessions = {
  /** Like `use` of the connections. */
  use<T>(target: ServerTarget, signal: AbortSignal | undefined, work: (session: TrialSession) => Promise<T>): Promise<T>
  /** Ends the sessions; nothing is lent afterwards. */
  end(): void
}

export type PromptArguments = Record<string, string | number | boolean>

/** Work that runs in the background, such as ending a server, but must be completed before the process ends. */
export type PendingWork = {
  add(work: Promise<unknown>): void
  /** Resolves when nothing is left, including work added in the meantime; never rejects. */
  settled(): Promise<void>
}

export function createPendingWork(): PendingWork {
  const running = new Set<Promise<unknown>>()
  return {
    add(work) {
      const quiet: Promise<unknown> = work.catch(() => {}).finally(() => running.delete(quiet))
      running.add(quiet)
    },
    async settled() {
      while (running.size > 0) await Promise.all(running)
    },
  }
}

/** A connection to a server below the protocol: bytes and their end. */
export type Link = {
  readonly kind: LinkKind
  readonly transport: Transport
  /** Notifications of the server. */
  readonly notices: Notices
  /** Why the connection ended by itself; undefined while it is open and if we closed it. */
  failure(): ServiceError | undefined
  /** What the server did while an answer was awaited, as sentences; empty if there is nothing to report. */
  instead?(): string
  /** What a program printed to stdout so far that is not a message of MCP; absent without stdout. */
  strayOutput?(): StrayOutput
  /** Ends the connection and everything behind it; safe to call twice. */
  close(): Promise<void>
}

/** Lines on stdout that were not messages, and the first readable one. */
export type StrayOutput = { lines: number; first: string }

const MEBIBYTE = 1024 * 1024

export function inMebibytes(bytes: number): string {
  return bytes >= MEBIBYTE ? `${Math.round(bytes / MEBIBYTE)} MiB` : `${bytes} bytes`
}

/** Size that a server's own request counts for among messages without an answer, in bytes, since each is answered. */
export const REQUEST_BYTES = 8 * 1024
