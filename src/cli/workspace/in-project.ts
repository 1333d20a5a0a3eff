import { chooseProject } from '../arguments/project-choice.ts'
import { resolveSettings, type CommonOptions } from '../config/settings.ts'
import { createLog } from '../output/log.ts'
import { reportError } from '../output/report-error.ts'
import { openWorkspace, type OpenedWorkspace } from './workspace.ts'

type Work = (opened: OpenedWorkspace, projectId: string, settings: { readOnly: boolean }) => Promise<number>

/** Opens the workspace for one answer in one project; resolves to the exit code. @throws UsageError */
export async function inProject(common: CommonOptions, work: Work): Promise<number> {
  const settings = await resolveSettings(common, process.env)
  const opened = openWorkspace(settings, createLog(settings.logFile), 'briefly')
  try {
    const { id } = await chooseProject(opened.workspace.client, settings.project)
    return await work(opened, id, settings)
  } catch (error) {
    return reportError(error)
  } finally {
    await opened.close()
  }
}
