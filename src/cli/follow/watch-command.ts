import type { Client } from '../../api/client/client.ts'
import { atProfileOf } from '../profile/at-profile.ts'
import { createLog } from '../output/log.ts'
import { chooseProject } from '../arguments/project-choice.ts'
import { UsageError } from '../arguments/usage-error.ts'
import { resolveSettings, type CommonOptions, type Settings } from '../config/settings.ts'
import { openWorkspace } from '../workspace/workspace.ts'
import { baseOf, checkBase } from './base.ts'
import { parseRun, type NamedRun, type RunPlace } from './reference.ts'
import { openSession, type SessionOptions } from './session.ts'

/** `mcpdeck watch`: follows a run to its end; resolves to the exit code. */
export async function runWatch(text: string, given: CommonOptions, own: SessionOptions): Promise<number> {
  const common = await atProfileOf(text, given, process.env)
  const session = openSession(common, own)
  try {
    const settings = await resolveSettings(common, process.env)
    const named = parseRun(text, settings.profile.web)
    const base = baseOf(session.gates, settings.profile.web)
    const opened = openWorkspace(settings, createLog(settings.logFile), 'briefly')
    const { client } = opened.workspace
    try {
      return await session.guard(async () => {
        const place = await placeOf(client, settings, named)
        await checkBase(client, place.projectId, base)
        return await session.follow(client, [{ label: '', place }], { base, again: `mcpdeck watch ${text}` })
      })
    } finally {
      await opened.close()
    }
  } finally {
    session.close()
  }
}

async function placeOf(client: Client, { project }: Settings, named: NamedRun): Promise<RunPlace> {
  const { runId, projectId } = named
  if (projectId === undefined) return { projectId: (await chooseProject(client, project)).id, runId }
  if (project !== undefined && project !== projectId)
    throw new UsageError(`The run is of project ${projectId}, and --project names ${project}; leave one out.`)
  return { projectId, runId }
}
