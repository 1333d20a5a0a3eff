import type { ReactNode } from 'react'
import type { Me, Organization } from '../../api/contract/account.ts'
import type { CatalogClient } from '../../api/contract/catalogs.ts'
import type { ProjectCapabilities } from '../../api/contract/projects.ts'
import { isPlainObject } from '../../api/contract/shapes.ts'
import { announcedVocabulary } from '../../api/client/transport/vocabulary.ts'
import { agoText } from '../../components/collection/plain-parts.ts'
import { TabbedPane } from '../../components/collection/tabbed-pane.tsx'
import { useCrumbs } from '../../components/crumbs.tsx'
import { fieldLines, heading, jsonLines, labelWidth, problemLines, type Field } from '../../components/lines.ts'
import { appKeys } from '../../components/everywhere-keys.ts'
import { Empty, PaneState } from '../../components/pane-state.tsx'
import { useKeyName } from '../../tui/keymap/use-bindings.ts'
import { Panes } from '../../components/panes.tsx'
import { featureText, permissionLines, wordsOf } from '../../components/records/permission-lines.ts'
import { useSubject } from '../../components/subject.tsx'
import { Viewer, type Line } from '../../components/viewer.tsx'
import { useApiQuery, type ApiQuery } from '../../hooks/use-api-query.ts'
import { idOf, useFirstOfEach } from '../../hooks/use-each.ts'
import { useProjectName } from '../../hooks/use-project-name.ts'
import { useWholeList } from '../../hooks/use-whole-list.ts'
import { useWorkspace, type Profile } from '../../hooks/workspace.tsx'
import { usePlace } from '../../tui/router/router-context.tsx'
import { beginningOfJson } from '../../lib/json-beginning.ts'
import { formatCount, plural, UNKNOWN } from '../../lib/format.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'

/** Maximum number of characters of JSON shown for one limit. */
const MOST_OF_LIMIT = 4_000

const NOT_OFFERED = 'not offered by this service’s API'

const TABS = [
  { id: 'overview', title: 'Overview', Content: Overview },
  { id: 'rights', title: 'Rights', Content: inProject(Rights) },
  { id: 'limits', title: 'Limits', Content: inProject(Limits) },
  { id: 'models', title: 'Models', Content: Models },
  { id: 'clients', title: 'Client catalog', Content: ClientCatalog },
]

/** Shows who the key acts as, what it may do and how often, and what the service knows of models and clients. */
export function AccountScreen() {
  const { queries } = useWorkspace()
  const me = useApiQuery(queries.account.me.options({})).data
  useSubject('account', me)
  useCrumbs(['Account', me?.name ?? me?.email])
  return (
    <Panes
      focused="account"
      onFocus={() => undefined}
      panes={[
        {
          id: 'account',
          weight: 1,
          render: focused => <TabbedPane title="Account" tabs={TABS} content={{ focused }} />,
        },
      ]}
    />
  )
}

type TabProps = { focused: boolean }

function Overview({ focused }: TabProps) {
  const { queries, profile } = useWorkspace()
  const { symbols } = useTheme()
  const me = useApiQuery(queries.account.me.options({}))
  const organizations = useWholeList(queries.account.organizations, {})
  const { first, left } = useFirstOfEach(organizations.items ?? NO_ORGANIZATIONS, idOf)
  const deployment = useApiQuery(queries.capabilities.get.options({}))
  const account = me.data ? accountFields(me.data) : []
  const organized = first.map(organizationFields)
  const own = keyFields(profile)
  const ids: Field[] = [
    ['Account id', me.data?.id],
    ...first.map(({ id, name }): Field => [`Id of ${name ?? 'organization'}`, id]),
  ]
  const width = labelWidth([...account, ...organized.flat(), ...own])
  const lines: Line[] = [
    ...fieldLines(account, 0, width),
    ...organized.flatMap(fields => ['', heading('Organization'), ...fieldLines(fields, 0, width)]),
    ...(left > 0 ? ['', { text: `${plural(left, 'further organization')}.`, tone: 'muted' as const }] : []),
    ...(organizations.problem ? ['', heading('Organization'), ...problemLines(symbols, organizations.problem)] : []),
    '',
    heading('Key and service'),
    ...fieldLines(own, 0, width),
  ]
  return (
    <PaneState data={me} loading="Reading the account…">
      <Viewer lines={lines} rest={[['Eval vocabulary', vocabularyText(deployment)], ...ids]} focused={focused} />
    </PaneState>
  )
}

const NO_ORGANIZATIONS: readonly Organization[] = []

function accountFields({ name, email, plan, createdAt }: Me): Field[] {
  return [
    ['Name', name],
    ['Email', email],
    ['Plan', plan],
    ['Created', agoText(createdAt)],
  ]
}

function organizationFields({ name, plan, myRole, isCreator, createdAt }: Organization): Field[] {
  return [
    ['Name', name],
    ['Role', myRole],
    ['Plan', plan],
    ['Created', agoText(createdAt)],
    ['Created by you', isCreator == null ? undefined : isCreator ? 'yes' : 'no'],
  ]
}

/** Returns which key is used and where it comes from; the key itself is never shown. */
function keyFields({ name, host, local, readOnly, keySource }: Profile): Field[] {
  return [
    ['Profile', name],
    ['Service', local ? 'the local workspace, in this program' : host],
    ['Key', local ? 'not needed here' : keySource],
    ['This session', readOnly ? 'read-only: nothing is changed' : 'reads and writes'],
  ]
}

/** Returns the vocabularies that the deployment announces: vocabulary 1 if it announces none, or has no such page. */
function vocabularyText({ data, error, problem }: ApiQuery<unknown>): string | undefined {
  if (data) return announcedVocabulary(data) === '2' ? '1 and 2' : '1: the only one that this deployment announces'
  return error?.status === 404 ? '1: this deployment announces none' : problem?.title
}

type InProject = TabProps & { projectId: string }

/** Makes a tab about the project of the place, or about the only project. */
function inProject(Content: (props: InProject) => ReactNode) {
  return function InProjectTab({ focused }: TabProps) {
    const { queries } = useWorkspace()
    const key = useKeyName()
    const { items = [], ...projects } = useWholeList(queries.projects.list, {})
    const projectId = usePlace().params['projectId'] ?? (items.length === 1 ? items[0]?.id : undefined)
    if (projectId !== undefined) return <Content projectId={projectId} focused={focused} />
    return (
      <PaneState data={projects} loading="Reading the projects…">
        <Empty
          why="No project is chosen. Rights and limits depend on the project."
          next={`Press ${key(appKeys, 'projects')} to choose one.`}
        />
      </PaneState>
    )
  }
}

function Rights({ projectId, focused }: InProject) {
  const { queries } = useWorkspace()
  const { symbols } = useTheme()
  const data = useApiQuery(queries.projects.capabilities.options({ projectId }))
  const project = useProjectName(projectId)
  const lines = data.data && [
    ...fieldLines(rightsFields(project, data.data)),
    '',
    heading('What this key may do in it'),
    ...permissionLines(data.data, symbols),
  ]
  return (
    <PaneState data={data} loading="Reading what you may do…">
      {lines && <Viewer lines={lines} focused={focused} />}
    </PaneState>
  )
}

function rightsFields(project: string, capabilities: ProjectCapabilities): Field[] {
  const { role, projectRole, surface, features } = capabilities
  const { mode, enforced, reason } = features?.sandboxes ?? {}
  return [
    ['Project', project],
    ['Role in the project', projectRole],
    ['Role in the organization', role],
    ['Called as', surface],
    ['Swarms and scenarios', featureText(capabilities)],
    ['Its flag', mode && `${mode}${enforced === false ? ', not enforced' : ''}`],
    ...(reason ? [['Reason', reason] as const] : []),
  ]
}

function Limits({ projectId, focused }: InProject) {
  const { queries, profile } = useWorkspace()
  const data = useApiQuery(queries.projects.capabilities.options({ projectId }))
  const { name, limits, features } = data.data?.plan ?? {}
  const open = (fields: Readonly<Record<string, unknown>> | null | undefined): Field[] =>
    Object.entries(fields ?? {}).map(([label, value]) => [wordsOf(label), limitText(value, profile)])
  const part = (title: string, fields: readonly Field[], none: string): Line[] => [
    '',
    heading(title),
    ...(fields.length > 0 ? fieldLines(fields) : [{ text: none, tone: 'muted' as const }]),
  ]
  const lines: Line[] = [
    ...fieldLines([['Plan', name]]),
    ...part('Limits', open(limits), 'The service lists no limits for this plan.'),
    ...part('Features', open(features), 'The service lists no features for this plan.'),
    ...part(
      'Used',
      [
        ['Daily quotas left', NOT_OFFERED],
        ['Request rate left', profile.local ? 'no limit' : 'the gauge at the top right shows what is left'],
      ],
      '',
    ),
  ]
  return (
    <PaneState data={data} loading="Reading the limits…">
      <Viewer lines={lines} focused={focused} />
    </PaneState>
  )
}

/** Returns a limit as text; for the local workspace null means unlimited. */
function limitText(value: unknown, { local }: Profile): string {
  if (typeof value === 'number') return formatCount(value)
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (value == null) return local ? 'no limit' : UNKNOWN
  return typeof value === 'string' ? value : beginningOfJson(value, MOST_OF_LIMIT).text
}

/** The contract does not define the model catalog: known parts are laid out, others are shown as received. */
function Models({ focused }: TabProps) {
  const { queries } = useWorkspace()
  const data = useApiQuery(queries.models.list.options({}))
  const { items, note } = data.data ?? {}
  const isEmpty = Array.isArray(items) && items.length === 0
  const next = typeof note === 'string' ? note : 'The service offers no models to this account.'
  return (
    <PaneState
      data={data}
      loading="Reading the models…"
      empty={isEmpty ? { why: 'No models are listed.', next } : undefined}
    >
      {data.data && <Viewer lines={modelLines(data.data)} focused={focused} />}
    </PaneState>
  )
}

function modelLines(catalog: Readonly<Record<string, unknown>>): Line[] {
  const { items, note } = catalog
  const isKnown = Array.isArray(items) && items.every(item => isPlainObject(item) && typeof item['id'] === 'string')
  if (!isKnown) return jsonLines(catalog)
  const models = items as { id: string; name?: unknown; isDefault?: unknown }[]
  const fields = models.map(({ id, name, isDefault }): Field => {
    const label = typeof name === 'string' && name !== id ? name : 'model'
    return [id, isDefault === true ? `${label}, the default` : label]
  })
  return [...fieldLines(fields), ...(typeof note === 'string' ? [{ text: note, tone: 'muted' as const }] : [])]
}

function ClientCatalog({ focused }: TabProps) {
  const { queries } = useWorkspace()
  const data = useApiQuery(queries.hostCatalog.get.options({}))
  const { source, version, publishedAt, catalog } = data.data ?? {}
  const known = Object.values(catalog?.hostsById ?? {})
  const published = source === 'bundled' ? 'bundled: never published' : agoText(publishedAt)
  const lines: Line[] = [
    ...fieldLines([
      ['Version', source === 'bundled' ? undefined : formatCount(version)],
      ['Published', published],
    ]),
    ...known.flatMap(each => [heading(each.label), ...fieldLines(clientFields(each), 2)]),
  ]
  return (
    <PaneState data={data} loading="Reading the client catalog…">
      <Viewer lines={lines} focused={focused} />
    </PaneState>
  )
}

function clientFields(client: CatalogClient): Field[] {
  const { id, provenance, rendersMcpApps, supportedProtocolVersions, verifiedAt } = client
  return [
    ['Renders MCP Apps', rendersMcpApps == null ? undefined : rendersMcpApps ? 'yes' : 'no'],
    ['Protocol', supportedProtocolVersions?.join(', ')],
    ['Known from', provenance],
    ['Verified', agoText(verifiedAt)],
    ['Id', id],
  ]
}
