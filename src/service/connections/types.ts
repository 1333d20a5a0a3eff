import type { DoctorStep } from '../../api/contract/server-operations.ts'
import type { ProofKey } from '../../api/contract/sign-ins.ts'
import type { Transport } from '@modelcontextprotocol/client'
import type { ServiceError } from '../core/errors.ts'
import type { Notices } from './notices.ts'

export type McpLibrary = typeof import('@modelcontextprotocol/client')

let library: Promise<McpLibrary> | undefined

/** Loads the protocol library on first use. It is large, and most starts of the dashboard never need it. */
export function loadLibrary(): Promise<McpLibrary> {
  library ??= import('@modelcontextprotocol/client')
  return library
}

/** A token for requests to a server, and the key that it is bound to; absent if it is a bearer token. */
export type AccessToken = { value: string; proofKey?: ProofKey | undefined }

/** The settings for connecting to a server. Its secrets are already decrypted. */
export type ServerTransport =
  | { type: 'stdio'; command: string; args: string[]; env: Record<string, string> }
  | {
      type: 'http'
      url: string
      headers: Record<string, string>
      /**
       * Returns the current token. It is called before every request, so that a renewed token is used at once.
       */
      accessToken?: () => Promise<AccessToken | undefined>
      /** Gets another token for one that the server refused; absent if only a person can. */
      renewedToken?: (refused: string) => Promise<AccessToken | undefined>
      /** The scopes of the last sign-in, if its answer named them. */
      grantedScope?: string
    }

/** The stored settings of one server. */
export type ServerTarget = {
  id: string
  name: string
  enabled: boolean
  transport: ServerTransport
  /** The server's own deadline in milliseconds; capped by {@link MAX_DEADLINE_MS}. */
  timeoutMs?: number
  useOAuth: boolean
}

/** Deadline of an operation in milliseconds, if neither the engine nor the server sets one. */
export const DEADLINE_MS = 30_000

/** Longest deadline in milliseconds that a server may have. The runtime's fetch does not wait longer. */
export const MAX_DEADLINE_MS = 300_000

export type JsonObject = Record<string, unknown>

/** All other fields are passed on as the server sent them. */
export type Tool = JsonObject & {
  name: string
  description?: string
  inputSchema?: JsonObject
  outputSchema?: JsonObject
}
export type Prompt = JsonObject & { name: string; description?: string }
export type Resource = JsonObject & { uri: string; name?: string; description?: string; mimeType?: string }

/** One page of a listing. `nextCursor` is the server's own cursor. */
export type Page<T> = { items: T[]; nextCursor?: string }

export type CallToolResult = JsonObject & { content: JsonObject[]; isError?: boolean }
export type GetPromptResult = JsonObject & { messages: JsonObject[] }
export type ResourceContents = JsonObject & { contents: JsonObject[] }

/** What the server reported about itself when the session began. */
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
  /** Why an announced list could not be read, by the name of the list; absent if all were read. */
  unread?: Record<string, string>
}

/** `durationMs` is an extra field, because the contract does not define the report. */
export type DoctorCheck = { status: 'ok' | 'error' | 'skipped'; detail: string; durationMs: number }
/** Called with each new result of a step, even if the step was skipped or its result was completed later. */
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
  /** The error that ended the examination; null if it was completed, even if a list could not be read. */
  error: { code: string; message: string; details?: unknown } | null
}

/** A connected server for one piece of work. Every call has its own deadline. */
export type TrialSession = {
  readonly initInfo: InitInfo
  /** Reads every page of tools. Empty if the server offers no tools. */
  listTools(): Promise<Tool[]>
  /**
   * Calls a tool. The call is sent again only if the server did not know the session. `durationMs` excludes connecting.
   */
  callTool(name: string, args?: JsonObject): Promise<{ result: CallToolResult; durationMs: number }>
  getPrompt(name: string, args?: PromptArguments): Promise<GetPromptResult>
  readResource(uri: string): Promise<ResourceContents>
}
/** A session that was started, as recorded in results. */
export type StartedSession = {
  /** The name of the server. */
  name: string
  /** Epoch milliseconds. */
  startedAt: number
  transport: LinkKind
  /** The program with its arguments, without secrets; absent over HTTP. */
  command?: string[]
  /** The address of the server; absent over stdio. */
  url?: string
  /** What the server reported about itself, including its version. */
  serverInfo?: JsonObject
  protocolVersion?: string
}

export type OwnSessions = {
  /** Works like `use` of the connections. */
  use<T>(target: ServerTarget, signal: AbortSignal | undefined, work: (session: TrialSession) => Promise<T>): Promise<T>
  /** Ends the sessions. A later `use` would start others. */
  end(): void
}

export type PromptArguments = Record<string, string | number | boolean>

/** Work that nobody waits for, such as ending a server, but that must be done before the process exits. */
export type PendingWork = {
  add(work: Promise<unknown>): void
  /** Resolves when no work is left, including work that was added meanwhile. Never rejects. */
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

/** One connection to a server below the protocol: its bytes and its end. */
export type Link = {
  readonly kind: LinkKind
  readonly transport: Transport
  readonly notices: Notices
  /** Returns the error that ended the connection; undefined while it is open, and after it was closed on request. */
  failure(): ServiceError | undefined
  /** Returns sentences about what the server did instead of answering; empty if it did nothing. */
  instead?(): string
  /** Returns what a program printed to stdout that is not MCP; absent if there is no stdout. */
  strayOutput?(): StrayOutput
  /** Ends the connection and everything behind it. It is safe to call twice. */
  close(): Promise<void>
}

/** The number of lines on stdout that were no messages, and the first of them that is readable. */
export type StrayOutput = { lines: number; first: string }

const MEBIBYTE = 1024 * 1024

export function inMebibytes(bytes: number): string {
  return bytes >= MEBIBYTE ? `${Math.round(bytes / MEBIBYTE)} MiB` : `${bytes} bytes`
}

/**
 * Bytes by which a request of the server counts in the limit on output without an answer, since mcpdeck answers each.
 */
export const REQUEST_BYTES = 8 * 1024
