import type { Project, ProjectCapabilities } from '../../api/contract/projects.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import type { Symbols } from '../../tui/theme/theme.ts'
import { formatAgo, UNKNOWN } from '../../lib/format.ts'
import { serviceNow } from '../../api/client/transport/service-time.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'
import type { EvalSuite } from '../../api/contract/suites.ts'
import { reportLook } from '../../components/records/run-look.ts'
import { runReportLabel, suiteStateOf } from '../../domain/runs/suite-state.ts'
import { Pane } from '../../components/panes/pane.tsx'
import { PaneState, type PaneData } from '../../components/pane-state.tsx'
import { Viewer, type Line } from '../../components/viewer.tsx'
import { heading, problemLines, recordView } from '../../components/lines.ts'
import { featureText, permissionSummary } from '../../components/records/permission-lines.ts'
import { useApiQuery, type ApiQuery } from '../../hooks/use-api-query.ts'
import type { ApiPages } from '../../hooks/use-api-pages.ts'
import { useWholeList } from '../../hooks/use-whole-list.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { useNextSteps } from './use-next-steps.ts'

/** Number of suites whose last run is shown. */
const LATEST = 8

/** Returns a line such as `✗ failed, 3 of 6 cases: nightly, 2h ago` for each suite that ran, newest first. */
function latestRunLines(suites: readonly EvalSuite[], symbols: Symbols): Line[] {
  const ran = suites.flatMap(suite => {
    const { latest } = suiteStateOf({ suite })
    return latest ? [{ suite, latest, at: toEpochMs(latest.run.createdAt) }] : []
  })
  if (ran.length === 0) return []
  const lines = ran
    .toSorted((a, b) => (b.at ?? 0) - (a.at ?? 0))
    .slice(0, LATEST)
    .map(({ suite, latest, at }): Line => {
      const { symbol, tone } = reportLook(latest)
      const words = `${runReportLabel(latest)}: ${suite.name ?? suite.id}, ${formatAgo(at, serviceNow())}`
      return { text: `${symbols[symbol]} ${words}`, tone }
    })
  return [heading('Latest runs of its suites'), ...lines, '']
}

/** The record is always available; a failure to read the capabilities is shown in their place. */
function shownBy(capabilities: ApiQuery<ProjectCapabilities>): PaneData {
  return { ...capabilities, hasData: true, problem: capabilities.data ? capabilities.problem : undefined }
}

/** Shows the selected project: its record, its contents, and the rights in it. */
export function ProjectDetail(props: { project: Project; focused: boolean }) {
  const { project } = props
  const { symbols } = useTheme()
  const { queries } = useWorkspace()
  const input = { projectId: project.id }
  const capabilities = useApiQuery(queries.projects.capabilities.options(input))
  const servers = useWholeList(queries.servers.list, input)
  const suites = useWholeList(queries.suites.list, input)
  const organizations = useWholeList(queries.account.organizations, {})
  const organization = organizations.items?.find(({ id }) => id === project.organizationId)
  const count = ({ items, hasMore }: Pick<ApiPages<unknown>, 'items' | 'hasMore'>): string =>
    items ? `${items.length}${hasMore ? '+' : ''}` : UNKNOWN
  const steps = useNextSteps(project, servers, suites)
  const { data, problem } = capabilities
  const unread = !data && problem ? ['', heading('What you may do here'), ...problemLines(symbols, problem)] : []
  const { lines, rest } = recordView(
    [
      ['Description', project.description],
      ['Servers', count(servers)],
      ['Eval suites', count(suites)],
      ['Role', capabilities.data?.projectRole],
      ['Allowed', data ? permissionSummary(data) : problem ? undefined : 'Reading…'],
      ['Swarms and scenarios', featureText(capabilities.data)],
    ],
    [
      ['Organization', organization?.name ?? project.organizationId],
      ['Plan', capabilities.data?.plan?.name],
      ['Id', project.id],
    ],
    unread,
  )
  const first = [...steps, ...latestRunLines(suites.items ?? [], symbols)]
  return (
    <Pane title={project.name} focused={props.focused}>
      <PaneState data={shownBy(capabilities)} loading="">
        <Viewer lines={[...first, ...lines]} rest={rest} focused={props.focused} />
      </PaneState>
    </Pane>
  )
}
