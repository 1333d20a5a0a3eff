import type { Client } from '../../api/client/client.ts'
import { chooseProject } from './project-choice.ts'
import { UsageError } from '../arguments/usage-error.ts'
import { resolveSettings, type CommonOptions, type Settings } from '../config/settings.ts'
import { findOne, type Fields } from '../nouns/listing.ts'
import { nounOf } from '../nouns/nouns.ts'
import type { Item } from '../nouns/states.ts'
import type { WaitingRequests } from '../../domain/servers/waiting.ts'
import type { EarlyStart } from '../../service/connections/early-start.ts'
import { createLog } from '../output/log.ts'
import { say } from '../output/prose.ts'
import { reportError } from '../output/report-error.ts'
import { EXIT } from '../process/exit-codes.ts'
import { openWorkspace, type OpenedWorkspace, type Stay } from './workspace.ts'

/** Ends a command with this exit code; the reason was already printed. */
export class Ended extends Error {
  override readonly name = 'Ended'
  readonly exitCode: number
  constructor(exitCode: number) {
    super(`ended with ${exitCode}`)
    this.exitCode = exitCode
  }
}

/** Context of a command. */
export type CommandContext = {
  client: Client
  common: CommonOptions
  /** Returns the id of the command's project, which is chosen on first use. */
  projectId: () => Promise<string>
  /**
   * Finds the record of a noun with this id, or the only record with this name.
   * @throws UsageError with the candidates if there are none or several
   */
  find: (noun: string, wanted: string, fields?: Fields) => Promise<Item & { id: string }>
  /** The setting that refuses every write, as the subject of a sentence; undefined if none does. */
  refusing?: string | undefined
  /** Returns a server with its secrets, to connect to it from here; absent if the server belongs to a service. */
  targetOf?: OpenedWorkspace['targetOf']
  /** The requests of servers; absent if the command cannot answer them. */
  waitingRequests?: WaitingRequests | undefined
  /** Absent if nothing is saved. */
  saved?: { opened: OpenedWorkspace; settings: Settings }
}

/** Context of a command with an opened workspace. */
export type SavedContext = CommandContext & Required<Pick<CommandContext, 'saved'>>

/** Returns the context of a command over any client. */
export function contextOf(
  given: Omit<CommandContext, 'projectId' | 'find'> & { project: string | undefined },
): CommandContext {
  const { project, ...own } = given
  const { client } = own
  let chosen: Promise<string> | undefined
  const projectId = () => (chosen ??= chooseProject(client, project).then(({ id }) => id))
  return {
    ...own,
    projectId,
    async find(word, wanted, fields) {
      const noun = nounOf(word)
      if (!noun) throw new TypeError(`there is no noun ${word}`)
      return (await findOne({ client, noun, fields: { projectId: await projectId(), ...fields } }, wanted)) as Item & {
        id: string
      }
    },
  }
}

/**
 * Runs a command in the workspace that its options name: opens it, reports failures, closes it.
 * @returns the exit code; 0 if the work returns none
 * @throws UsageError
 */
export async function inWorkspace(
  common: CommonOptions,
  work: (context: SavedContext) => Promise<number | void>,
  stays: Stay = 'briefly',
): Promise<number> {
  return await inSettings({ common, settings: await resolveSettings(common, process.env) }, work, { stays })
}

/**
 * Runs a command like {@link inWorkspace}, with resolved settings, and with a server's program that may already be
 * running.
 */
export async function inSettings(
  { common, settings }: { common: CommonOptions; settings: Settings },
  work: (context: SavedContext) => Promise<number | void>,
  {
    stays = 'briefly',
    early,
    answers = false,
  }: { stays?: Stay; early?: EarlyStart | undefined; answers?: boolean } = {},
): Promise<number> {
  const opened = openWorkspace(settings, createLog(settings.logFile), stays, { early, answers, tell: say })
  const { client, waitingRequests } = opened.workspace
  const refusing = settings.readOnly
    ? common.readOnly
      ? '--read-only'
      : `profile ${settings.profile.name}`
    : undefined
  const saved = { opened, settings }
  const given = { client, common, refusing, project: settings.project, targetOf: opened.targetOf, waitingRequests }
  return await ending(() => work({ ...contextOf(given), saved }), opened.close)
}

/** Returns the exit code of a command's work, and closes it in any case. */
export async function ending(work: () => Promise<number | void>, close: () => Promise<void>): Promise<number> {
  try {
    return (await work()) ?? EXIT.done
  } catch (error) {
    if (error instanceof Ended) return error.exitCode
    return reportError(error)
  } finally {
    await close()
  }
}

/** @throws UsageError for a write that the caller's own settings refuse */
export function refuseReadOnly(what: string, refusing: string | undefined): void {
  if (refusing !== undefined) throw new UsageError(`${what} writes, and ${refusing} refuses every write.`)
}
