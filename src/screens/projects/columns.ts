import type { Project } from '../../api/contract/projects.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'
import { serviceNow } from '../../api/client/transport/service-time.ts'
import { formatAge, UNKNOWN } from '../../tui/theme/format.ts'
import type { Column } from '../../components/list/columns.ts'

export const projectColumns: readonly Column<Project>[] = [
  { id: 'name', title: 'Name', width: 'flex', cell: project => project.name, sort: project => project.name },
  {
    id: 'role',
    title: 'Role',
    width: 8,
    cell: project => ({ text: project.role ?? UNKNOWN, tone: 'muted' }),
    sort: project => project.role ?? undefined,
  },
  {
    id: 'visibility',
    title: 'Visible',
    width: 8,
    from: 44,
    cell: project => ({ text: project.visibility ?? UNKNOWN, tone: 'muted' }),
    sort: project => project.visibility ?? undefined,
  },
  {
    id: 'age',
    title: 'Age',
    width: 5,
    align: 'right',
    cell: project => ({ text: formatAge(toEpochMs(project.createdAt), serviceNow()), tone: 'muted' }),
    sort: project => toEpochMs(project.createdAt),
  },
]

export const projectKey = (project: Project): string => project.id
