import { contract } from '../../api/contract/contract.ts'
import { clean } from '../../tui/theme/text.ts'
import { suiteStateLabel, suiteStateOf } from '../../domain/runs/suite-state.ts'
import type { Workspace } from '../../hooks/workspace.tsx'
import { projectNamed } from '../workspace/project-choice.ts'
import { reportError } from '../output/report-error.ts'

/**
 * Writes what `mcpdeck` prints without a terminal: the projects with their servers and suites. Resolves to the exit
 * code.
 * @param wanted id or name of the only project to print
 */
export async function plainSummary(
  workspace: Workspace,
  write: (text: string) => void,
  wanted?: string,
): Promise<number> {
  const { client, profile } = workspace
  try {
    const all = await client.items(contract.projects.list, {})
    const projects = wanted === undefined ? all : [projectNamed(all, wanted)]
    write(`${profile.local ? 'local workspace' : profile.host}\n`)
    for (const project of projects) {
      const input = { projectId: project.id }
      const [servers, suites] = await Promise.all([
        client.items(contract.servers.list, input),
        client.items(contract.suites.list, input),
      ])
      write(`project ${clean(project.name)} (${project.id})\n`)
      for (const server of servers)
        write(`  server ${clean(server.name)} ${clean(server.transportType)}${server.enabled ? '' : ' disabled'}\n`)
      for (const suite of suites)
        write(`  suite ${clean(suite.name ?? suite.id)}: ${clean(suiteStateLabel(suiteStateOf({ suite })))}\n`)
    }
    return 0
  } catch (error) {
    return reportError(error)
  }
}
