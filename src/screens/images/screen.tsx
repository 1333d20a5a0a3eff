import { contract } from '../../api/contract/contract.ts'
import type { SandboxImage, SandboxImageBuild } from '../../api/contract/images.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'
import { collectionScreen, plainRows, type DetailProps } from '../../components/collection/collection-screen.tsx'
import { ageColumn, agoText } from '../../components/collection/plain-parts.ts'
import { fieldsTab } from '../../components/collection/tabbed-pane.tsx'
import { fieldLines, heading, type Field } from '../../components/lines.ts'
import { PaneState } from '../../components/pane-state.tsx'
import { Viewer, type Line } from '../../components/viewer.tsx'
import { useWholeList } from '../../hooks/use-whole-list.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { formatDuration } from '../../lib/format.ts'
import type { Tone } from '../../tui/theme/theme.ts'
import { imagesKeys } from './index.ts'
import { ownValue } from '../../lib/own-value.ts'

const TONES: Readonly<Record<string, Tone>> = { ready: 'ok', failed: 'error' }
const SHARING: Readonly<Record<string, string>> = { user: 'a private draft', project: 'the whole project' }

/** The sandbox images of a project, drafts and shared. */
export const ImagesScreen = collectionScreen({
  noun: 'image',
  title: 'Images',
  what: 'the images',
  list: contract.images.list,
  param: 'imageId',
  rows: plainRows<SandboxImage>(() => [
    { id: 'name', title: 'Image', width: 'flex', cell: ({ name }) => name },
    { id: 'sharing', title: 'For', width: 17, from: 52, cell: row => ({ text: sharingOf(row), tone: 'muted' }) },
    {
      id: 'build',
      title: 'Build',
      width: 11,
      cell: row => ({ text: buildOf(row), tone: ownValue(TONES, row.currentBuild?.status) ?? 'muted' }),
    },
    ageColumn('Changed', ({ updatedAt }) => updatedAt),
  ]),
  tabs: [
    fieldsTab(
      'Overview',
      (image: SandboxImage) => [
        ['Current build', buildOf(image), ownValue(TONES, image.currentBuild?.status)],
        ['For', sharingOf(image)],
        ['Yours', image.isOwner == null ? undefined : image.isOwner ? 'yes' : 'no'],
        ['Created', agoText(image.createdAt)],
        ['Changed', agoText(image.updatedAt)],
      ],
      image => [
        ['Content', image.contentHash],
        ['Id', image.id],
      ],
    ),
    { id: 'builds', title: 'Builds', Content: Builds },
    {
      id: 'blueprint',
      title: 'Blueprint',
      Content: ({ row, focused }: DetailProps<SandboxImage>) => (
        <Viewer lines={(row.blueprint ?? 'The service returned none.').split('\n')} focused={focused} />
      ),
    },
  ],
  keys: imagesKeys,
  empty: (_key, { isLocal }) => ({
    why: isLocal ? 'The local workspace builds no images.' : 'This project has no image.',
    next: isLocal ? 'Images need the hosted service.' : 'Sandboxes of the hosted service start from images.',
    isFinal: isLocal,
  }),
})

function sharingOf({ sharing }: SandboxImage): string {
  return ownValue(SHARING, sharing) ?? sharing ?? 'not known'
}

function buildOf({ currentBuild }: SandboxImage): string {
  return currentBuild === undefined ? 'not known' : (currentBuild?.status ?? 'never built')
}

function Builds({ projectId, row, focused }: DetailProps<SandboxImage>) {
  const { queries } = useWorkspace()
  const { items = [], ...data } = useWholeList(queries.images.builds, { projectId, imageId: row.id })
  const none: Line[] = [{ text: 'It was never built.', tone: 'muted' }]
  return (
    <PaneState data={data} loading="Reading the builds…">
      <Viewer lines={items.length === 0 ? none : items.flatMap(buildLines)} focused={focused} />
    </PaneState>
  )
}

function buildLines(build: SandboxImageBuild): Line[] {
  const { id, status, provider, createdAt, startedAt, finishedAt, baseImageDigests, error, logPreview } = build
  const took = (toEpochMs(finishedAt) ?? NaN) - (toEpochMs(startedAt) ?? NaN)
  const fields: Field[] = [
    ['State', status, ownValue(TONES, status)],
    ['By', provider],
    ['Queued', agoText(createdAt)],
    ['Took', formatDuration(took)],
    ['Base', baseImageDigests?.join(', ')],
    ...(error ? [['Error', error, 'error'] as const] : []),
  ]
  const log = (logPreview ?? '').split('\n').filter(Boolean)
  return [
    heading(id),
    ...fieldLines(fields, 2),
    ...(log.length > 0 ? [{ text: 'End of its log', tone: 'muted' as const, indent: 2 }] : []),
    ...log.map(text => ({ text, indent: 4 })),
  ]
}
