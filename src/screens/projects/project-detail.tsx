import { PROJECT_PERMISSIONS, type Project, type ProjectCapabilities } from '../../api/contract/projects.ts'
import { flagState, type FlagState } from '../../domain/projects/feature-gate.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import type { Symbols } from '../../tui/theme/theme.ts'
import { UNKNOWN } from '../../tui/theme/format.ts'
import { Pane } from '../../components/panes/pane.tsx'
import { PaneState, type PaneData } from '../../components/pane-state.tsx'
import { Viewer, type Line } from '../../components/viewer.tsx'
import { fieldLines, heading, problemLines } from '../../components/lines.ts'
import { useApiQuery, type ApiQuery } from '../../hooks/use-api-query.ts'
import type { ApiPages } from '../../hooks/use-api-pages.ts'
import { useWholeList } from '../../hooks/use-whole-list.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'

/** `launchEvalRun` as words: `launch eval run`. */
function words(permission: string): string {
  return permission.replaceAll(/([A-Z])/g, letter => ` ${letter.toLowerCase()}`)
}

/** Whether the organization has the gated features. */
const FEATURE_TEXTS: Record<FlagState, string | undefined> = {
  on: 'on',
  off: 'off for this organization',
  unenforced: 'on: the flag is off, but not enforced',
  unknown: undefined,
}

/** What the caller may do in the project; advice, since every write still checks. */
export function permissionLines(capabilities: ProjectCapabilities, symbols: Symbols): Line[] {
  const names = [...new Set([...PROJECT_PERMISSIONS, ...Object.keys(capabilities.can)])]
  const allowedFirst = names.sort((a, b) => Number(capabilities.can[b] === true) - Number(capabilities.can[a] === true))
  return allowedFirst.map(name => {
    const allowed = capabilities.can[name]
    const known = typeof allowed === 'boolean'
    return {
      parts: [
        {
          text: `${known ? (allowed ? symbols.ok : symbols.error) : UNKNOWN} `,
          tone: known ? (allowed ? 'ok' : 'error') : 'muted',
        },
        { text: words(name), tone: allowed === true ? 'plain' : 'muted' },
      ],
    }
  })
}

function capabilityLines({ data, problem }: ApiQuery<ProjectCapabilities>, symbols: Symbols): Line[] {
  if (data) return permissionLines(data, symbols)
  if (problem) return problemLines(symbols, problem)
  return [{ text: 'Reading what you may do here…', tone: 'muted', indent: 2 }]
}

/** The record is here in any case; what failed before anything was read of the capabilities stands in their place. */
function shownBy(capabilities: ApiQuery<ProjectCapabilities>): PaneData {
  return { ...capabilities, hasData: true, problem: capabilities.data ? capabilities.problem : undefined }
}

/** The chosen project: its record, what it holds, what may be done in it. */
export function ProjectDetail(props: { project: Project; focused: boolean }) {
  const { project } = props
  const { symbols } = useTheme()
  const { queries } = useWorkspace()
  const input = { projectId: project.id }
  const capabilities = useApiQuery(queries.projects.capabilities.options(input))
  const servers = useWholeList(queries.servers.list, input)
  const suites = useWholeList(queries.suites.list, input)
  const count = ({ items, hasMore }: Pick<ApiPages<unknown>, 'items' | 'hasMore'>): string =>
    items ? `${items.length}${hasMore ? '+' : ''}` : UNKNOWN
  const lines: Line[] = [
    ...fieldLines([
      ['Id', project.id],
      ['Description', project.description],
      ['Organization', project.organizationId],
      ['Servers', count(servers)],
      ['Eval suites', count(suites)],
      ['Role here', capabilities.data?.projectRole],
      ['Plan', capabilities.data?.plan?.name],
      ['Swarms and scenarios', FEATURE_TEXTS[flagState(capabilities.data)]],
    ]),
    '',
    heading('What you may do here'),
    ...capabilityLines(capabilities, symbols),
  ]
  return (
    <Pane title={project.name} focused={props.focused}>
      <PaneState data={shownBy(capabilities)} loading="">
        <Viewer lines={lines} focused={props.focused} />
      </PaneState>
    </Pane>
  )
}
