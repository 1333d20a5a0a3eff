import type { CompletionRequest, LiveServer, LogLevel } from '../../api/contract/live-servers.ts'
import type { OnProgress } from '../../api/contract/message.ts'
import type { GetSkillResult, ReadSkillFileResult, SkillCatalog } from '../../api/contract/server-operations.ts'
import { isoTime } from '../../lib/times.ts'
import { type Deadline, startDeadline } from '../core/deadline.ts'
import { examine } from './doctor.ts'
import { forgotSession } from './failures.ts'
import { createLive } from './live.ts'
import {
  callTool,
  complete,
  getPrompt,
  LISTINGS,
  listAllOrNone,
  listPage,
  offers,
  readResource,
  type Listing,
} from './requests.ts'
import { createRunner, requireEnabled, type ConnectionsOptions, type Runner } from './runner.ts'
import type { Lease } from './pool.ts'
import type { Session } from './session.ts'
import { getSkill, listSkills, readSkillFile } from './skills.ts'
import type {
  CallToolResult,
  CheckOAuthResult,
  DoctorReport,
  OnDoctorStep,
  ExportSnapshot,
  GetPromptResult,
  JsonObject,
  Page,
  Prompt,
  PromptArguments,
  Resource,
  ResourceContents,
  ServerTarget,
  Tool,
  TrialSession,
  ValidateResult,
  OwnSessions,
  StartedSession,
} from './types.ts'
import { probeHttp } from './http-request.ts'
import { isAboutOAuth } from './refusals.ts'

/**
 * Real MCP connections to saved servers. Every method throws a `ServiceError` of `SERVER_UNREACHABLE`, `TIMEOUT`,
 * `OAUTH_REQUIRED`, `FORBIDDEN`, `FEATURE_NOT_SUPPORTED` or `VALIDATION_ERROR`, or the signal's reason; JSON-RPC errors
 * are mapped by `PROTOCOL_ERROR_CODES`.
 */
export type Connections = {
  /** Connects and initializes over a separate connection. */
  validate(target: ServerTarget, signal?: AbortSignal): Promise<ValidateResult>
  /** Examines a server, even a disabled one. A broken server results in a report instead of an error. */
  doctor(target: ServerTarget, signal?: AbortSignal, onStep?: OnDoctorStep): Promise<DoctorReport>
  /**
   * Returns whether a server asks for OAuth, without opening a session. For an unreachable server returns the stored
   * setting.
   */
  checkOAuth(target: ServerTarget, signal?: AbortSignal): Promise<CheckOAuthResult>
  listTools(target: ServerTarget, query?: { cursor?: string }, signal?: AbortSignal): Promise<Page<Tool>>
  listPrompts(target: ServerTarget, query?: { cursor?: string }, signal?: AbortSignal): Promise<Page<Prompt>>
  listResources(target: ServerTarget, query?: { cursor?: string }, signal?: AbortSignal): Promise<Page<Resource>>
  listResourceTemplates(
    target: ServerTarget,
    query?: { cursor?: string },
    signal?: AbortSignal,
  ): Promise<Page<JsonObject>>
  /**
   * Returns what the server reported without being asked. Each read keeps the connection open for a while, unless
   * `keepsConnection` is false.
   */
  live(serverId: string, look?: { keepsConnection?: boolean | undefined }): LiveServer
  /** Sets the level of a server's log messages, also for later connections. */
  setLogLevel(target: ServerTarget, level: LogLevel, signal?: AbortSignal): Promise<LiveServer>
  /** Subscribes to a resource or ends the subscription, also for later connections. */
  subscribe(
    target: ServerTarget,
    wanted: { uri: string; subscribed: boolean },
    signal?: AbortSignal,
  ): Promise<LiveServer>
  /** Returns the server's suggestions for an argument. */
  complete(target: ServerTarget, asked: CompletionRequest, signal?: AbortSignal): Promise<{ values: string[] }>
  /**
   * Calls a tool. The call is sent again only if the server did not know the session, so that it takes effect at most
   * once. Reported progress restarts the deadline.
   */
  callTool(
    target: ServerTarget,
    call: { toolName: string; parameters?: JsonObject },
    signal?: AbortSignal,
    onProgress?: OnProgress,
  ): Promise<CallToolResult & { durationMs: number }>
  getPrompt(
    target: ServerTarget,
    prompt: { promptName: string; arguments?: PromptArguments },
    signal?: AbortSignal,
  ): Promise<GetPromptResult>
  readResource(target: ServerTarget, resource: { uri: string }, signal?: AbortSignal): Promise<ResourceContents>
  /** Lists the skills of a server. Entries that break a rule are listed apart, and no file is read. */
  listSkills(target: ServerTarget, signal?: AbortSignal): Promise<SkillCatalog>
  /** Reads a skill, or says why it is refused. */
  getSkill(target: ServerTarget, skill: { uri: string }, signal?: AbortSignal): Promise<GetSkillResult>
  /** Reads a file that a skill lists, or says why it is refused. */
  readSkillFile(
    target: ServerTarget,
    file: { skillUri: string; resourceUri: string },
    signal?: AbortSignal,
  ): Promise<ReadSkillFileResult>
  /**
   * Reads all pages of all lists. A list that the server does not offer is empty. A list that cannot be read is also
   * empty, and `unread` gives the reason. Throws if none of the offered lists can be read.
   */
  exportSnapshot(target: ServerTarget, signal?: AbortSignal): Promise<ExportSnapshot>
  /** Lends one session for several calls. Connecting and every call each have the server's deadline. */
  use<T>(target: ServerTarget, signal: AbortSignal | undefined, work: (session: TrialSession) => Promise<T>): Promise<T>
  /**
   * Provides sessions that only one task uses. Each server is started when it is first used, and runs until the task
   * ends.
   * @param onStart called with each session that started
   */
  separate(onStart?: (session: StartedSession) => void): OwnSessions
  /**
   * Ends the sessions of a server, including calls in progress, and connects again. Sessions of runs end once their
   * work is done.
   */
  restart(target: ServerTarget, signal?: AbortSignal): Promise<LiveServer>
  /** Ends the sessions of a server, including calls in progress. The next request connects again. */
  end(target: ServerTarget): Promise<LiveServer>
  /** Ends the sessions of a server that was changed, disabled or deleted, once their work is done. */
  drop(serverId: string): void
  /** Ends every session and every server program; resolves when none is left. */
  close(): Promise<void>
}

declare module '../core/context.ts' {
  interface ServiceContext {
    connections: Connections
    /** Called with each step of an examination by the doctor. The whole report is returned at the end. */
    onDoctorStep: (serverId: string, ...step: Parameters<OnDoctorStep>) => void
  }
}

/** Creates the engine; nothing is started or loaded before the first use. */
export function createConnections(options: ConnectionsOptions = {}): Connections {
  const live = createLive(options.onServerNews ?? (() => undefined), options.heldMs)
  const runner = createRunner(options, live)
  const { timed, read, lend, deadlineOf } = runner
  const listPageOf =
    <T>(listing: Listing<T>) =>
    (target: ServerTarget, query?: { cursor?: string }, signal?: AbortSignal) =>
      read(target, signal, (session, deadline) => listPage(session, listing, query?.cursor, deadline))

  return {
    validate: (target, signal) =>
      timed(target, signal, async deadline => {
        requireEnabled(target)
        const session = await runner.openOwn(target, deadline)
        runner.closeOwn(session)
        return { success: true, status: 'connected', initInfo: session.initInfo }
      }),
    doctor: (target, signal, onStep) =>
      timed(target, signal, async deadline => {
        let hadBroken = false
        const examined = () => {
          let lease: Lease | undefined
          const open = async () => (lease = await runner.openExamined(target, deadline)).session
          const close = (session: Session) => {
            hadBroken = lease?.reused === true && !session.usable
            lease?.release()
          }
          return examine(target, deadline, open, close, onStep)
        }
        const report = await examined()
        return hadBroken && !deadline.signal.aborted ? await examined() : report
      }),
    checkOAuth: (target, signal) => checkOAuth(target, deadlineOf(target), signal),
    listTools: listPageOf(LISTINGS.tools),
    listPrompts: listPageOf(LISTINGS.prompts),
    listResources: listPageOf(LISTINGS.resources),
    listResourceTemplates: listPageOf(LISTINGS.resourceTemplates),
    live: live.of,
    async setLogLevel(target, level, signal) {
      const { id } = target
      await read(target, signal, (session, deadline) => live.setLevel(id, session, level, deadline))
      return live.of(id)
    },
    async subscribe(target, { uri, subscribed }, signal) {
      const { id } = target
      const change = subscribed ? live.subscribe : live.unsubscribe
      await read(target, signal, (session, deadline) => change(id, session, uri, deadline))
      return live.of(id)
    },
    complete: (target, asked, signal) =>
      read(target, signal, (session, deadline) => complete(session, asked, deadline)),
    callTool: (target, { toolName, parameters }, signal, onProgress) =>
      timed(target, signal, async deadline => {
        const once = () =>
          lend(target, deadline, async ({ session }) => {
            live.noteCall(target.id)
            const { result, durationMs } = await callTool(session, toolName, parameters, deadline, onProgress)
            return { ...result, durationMs }
          })
        return await againIfForgotten(once, once)
      }),
    getPrompt: (target, { promptName, arguments: args }, signal) =>
      read(target, signal, (session, deadline) => getPrompt(session, promptName, args, deadline)),
    readResource: (target, { uri }, signal) =>
      read(target, signal, (session, deadline) => readResource(session, uri, deadline)),
    listSkills: (target, signal) => read(target, signal, listSkills),
    getSkill: (target, { uri }, signal) =>
      read(target, signal, (session, deadline) => getSkill(session, uri, deadline)),
    readSkillFile: (target, file, signal) =>
      read(target, signal, (session, deadline) => readSkillFile(session, file, deadline)),
    // A snapshot contains the lists that runs see, no matter who takes it, so that snapshots can be compared.
    exportSnapshot: (target, signal) =>
      runner.readAsRunsDo(target, signal, (session, deadline) => takeSnapshot(target.id, session, deadline)),
    use: lendingFrom(runner, runner.acquire),
    separate(onStart) {
      const { acquire, end } = runner.separate(onStart)
      return { use: lendingFrom(runner, acquire), end }
    },
    async restart(target, signal) {
      requireEnabled(target)
      live.forget(target.id)
      await runner.endSessions(target, 'restarted')
      await read(target, signal, async () => undefined)
      return live.of(target.id)
    },
    async end(target) {
      live.forget(target.id)
      await runner.endSessions(target, 'ended')
      return live.of(target.id)
    },
    drop: runner.drop,
    close: runner.close,
  }
}

async function takeSnapshot(serverId: string, session: Session, deadline: Deadline): Promise<ExportSnapshot> {
  const unread = new Map<string, unknown>()
  const listed = async <T>(name: string, listing: Listing<T>): Promise<T[]> => {
    try {
      return await listAllOrNone(session, listing, deadline)
    } catch (error) {
      // If the server no longer answers, no snapshot is taken. If only this list failed, the snapshot continues without
      // it.
      if (!session.usable || deadline.signal.aborted) throw error
      unread.set(name, error)
      return []
    }
  }
  const lists = {
    tools: await listed('tools', LISTINGS.tools),
    resources: await listed('resources', LISTINGS.resources),
    prompts: await listed('prompts', LISTINGS.prompts),
  }
  const [first] = unread.values()
  const offered = Object.keys(lists).filter(name => offers(session, name))
  if (unread.size > 0 && unread.size === offered.length) throw first
  const reasons = [...unread].map(([name, error]) => [name, (error as Error).message])
  return {
    serverId,
    exportedAt: isoTime(Date.now()),
    ...lists,
    instructions: session.initInfo.instructions ?? null,
    ...(unread.size > 0 && { unread: Object.fromEntries(reasons) as Record<string, string> }),
  }
}

/**
 * Repeats a request once in a new session if the server no longer knows the session. The first request had no effect in
 * that case.
 */
async function againIfForgotten<T>(ask: () => Promise<T>, again: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (!forgotSession(error)) throw error
    return await again()
  }
}

function lendingFrom({ timed }: Runner, acquire: Runner['acquire']): Connections['use'] {
  return async (target, signal, work) => {
    const begin = (deadline: Deadline) => acquire(target, deadline)
    const first = await timed(target, signal, begin)
    const lent = [first]
    let isOver = false
    let lending = Promise.resolve(first)
    const renewed = new Map<Lease, Promise<Lease>>()
    /** Replaces the lease of a forgotten session, once for all requests that used it. */
    const renew = (forgotten: Lease, deadline: Deadline): Promise<Lease> => {
      const known = renewed.get(forgotten)
      if (known) return known
      const next = begin(deadline)
      renewed.set(forgotten, next)
      lending = next.then(lease => {
        lent.push(lease)
        // The work may have ended while this session was being opened.
        if (isOver) lease.release()
        return lease
      })
      lending.catch(() => {
        renewed.delete(forgotten)
        lending = Promise.resolve(forgotten)
      })
      return next
    }
    const asked = <T>(ask: (session: Session, deadline: Deadline) => Promise<T>) =>
      timed(target, signal, async deadline => {
        const lease = await lending
        const again = async () => await ask((await renew(lease, deadline)).session, deadline)
        return await againIfForgotten(() => ask(lease.session, deadline), again)
      })
    try {
      return await work({
        initInfo: first.session.initInfo,
        listTools: () => asked((session, deadline) => listAllOrNone(session, LISTINGS.tools, deadline)),
        callTool: (name, args) => asked((session, deadline) => callTool(session, name, args, deadline)),
        getPrompt: (name, args) => asked((session, deadline) => getPrompt(session, name, args, deadline)),
        readResource: uri => asked((session, deadline) => readResource(session, uri, deadline)),
      })
    } finally {
      isOver = true
      for (const lease of lent) lease.release()
    }
  }
}

/**
 * Returns whether the server asks for OAuth: true if the setting says so, else decided by its 401 and its metadata (RFC
 * 9728), without a session.
 */
export async function checkOAuth(
  target: ServerTarget,
  deadlineMs: number,
  signal?: AbortSignal,
): Promise<CheckOAuthResult> {
  const { transport, useOAuth } = target
  if (transport.type === 'stdio') return { useOAuth: false, serverUrl: null }
  const serverUrl = transport.url
  if (useOAuth) return { useOAuth, serverUrl }
  const deadline = startDeadline(deadlineMs, target.name, signal)
  try {
    return { useOAuth: await demandsOAuth(transport, deadline.signal), serverUrl }
  } catch {
    signal?.throwIfAborted()
    return { useOAuth, serverUrl }
  } finally {
    deadline.end()
  }
}

/** Whether a 401 asks for OAuth. A 401 may also ask for basic authentication or a plain token. */
async function demandsOAuth(transport: Parameters<typeof probeHttp>[0], signal: AbortSignal): Promise<boolean> {
  const response = await probeHttp(transport, { signal })
  return response.status === 401 && (await isAboutOAuth(transport.url, response, signal))
}
