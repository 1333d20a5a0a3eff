import { obstacle } from '../../domain/scenarios/rights.ts'
import type { AccessChange } from '../../domain/scenarios/table.ts'
import { unavailable, type KeyHandler, type Unavailable } from '../../tui/keymap/binding.ts'
import { useBindings, useKeyName } from '../../tui/keymap/use-bindings.ts'
import { usePlace, useRouter } from '../../tui/router/router-context.tsx'
import type { Collection } from '../../components/collection/use-collection.ts'
import { useNotify } from '../../hooks/notify.tsx'
import { useRunTask } from '../../hooks/tasks.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { scenariosKeys } from './bindings.ts'
import type { ScenarioRow } from './columns.ts'
import { useChange } from './use-change.ts'
import { useSecretCopies } from './use-copies.ts'
import { useExposure } from './use-exposure.ts'
import { useLeak } from './use-leak.ts'
import { useMembers } from './use-members.ts'
import { usePublication } from './use-publication.ts'
import type { ScenariosData } from './use-scenarios.ts'

const NO_LINK = 'The link is not known here: only publishing and rotating return it.'
const OLD_LINK =
  'The known link may no longer work: someone else changed the scenario since. Rotate it to get a new one.'

/** Handles the screen's keys for the selected scenario. */
export function useKeys(options: {
  projectId: string
  data: ScenariosData
  collection: Collection<ScenarioRow>
  /** The open tab. */
  tab: string | undefined
  showsSecrets: boolean
  setShowsSecrets: (shows: boolean) => void
}): void {
  const { projectId, data, collection } = options
  const { row } = collection
  const { door } = useWorkspace()
  const router = useRouter()
  const { params } = usePlace()
  const key = useKeyName()
  const change = useChange(projectId, data.isClosed)
  const onPublished = (scenarioId: string): void => {
    collection.show({ id: scenarioId }, { pane: 'detail', tab: 'overview', sessionId: undefined })
  }
  const publication = usePublication(projectId, { data, change, onPublished })
  const exposure = useExposure(projectId, change)
  const members = useMembers(projectId, change)
  const leak = useLeak({
    projectId,
    exposure,
    members,
    publication,
    mayUnpublish: obstacle('unpublish', data.capabilities) === undefined,
  })
  const copies = useSecretCopies()
  const checkLink = useLinkCheck()
  /** Returns an action on the selected scenario, if the person may do it. */
  const on = (action: AccessChange['do'], act: (row: ScenarioRow) => Promise<unknown>): KeyHandler | Unavailable => {
    const reason = row && obstacle(action, data.capabilities)
    return reason === undefined ? collection.on(act) : unavailable(reason)
  }
  const showsMembers = collection.inDetail && options.tab === 'access'
  const elsewhere =
    'This removes a member, in the tab Access of the open scenario. ' +
    `${key(scenariosKeys, 'unpublish')} takes the scenario offline.`
  const publishing = obstacle('publish', data.capabilities)
  const noLink = unavailable(row?.isLinkOld ? OLD_LINK : NO_LINK)
  const hasInvitation = row !== undefined && copies.invitationOf(row) !== undefined
  useBindings(scenariosKeys, {
    open: collection.open,
    back: params.sessionId === undefined ? collection.back : () => router.replace({ sessionId: undefined }),
    publish: publishing === undefined ? () => publication.publish() : unavailable(publishing),
    mode: on('mode', exposure.chooseMode),
    invite: on('invite', members.invite),
    remove: row === undefined || showsMembers ? on('remove', members.remove) : unavailable(elsewhere),
    rotate: on('rotate', exposure.rotate),
    leaked: on('rotate', leak),
    unpublish: on('unpublish', publication.unpublish),
    rebind: on('rebind', publication.rebind),
    limits: on('limits', exposure.limits),
    showSecrets: () => options.setShowsSecrets(!options.showsSecrets),
    copyLink: row?.link === undefined ? noLink : () => copies.copyLink(row),
    copyInvitation:
      row && hasInvitation
        ? () => copies.copyInvitation(row)
        : unavailable('No invitation was returned in this session.'),
    checkLink: !door
      ? unavailable('Only visitors can try the link of a service.')
      : row?.link === undefined
        ? noLink
        : () => checkLink(row.link ?? ''),
  })
}

/** Asks the workspace what the known link leads to, and checks its visitor address. */
function useLinkCheck(): (link: string) => Promise<void> {
  const { door } = useWorkspace()
  const runTask = useRunTask()
  const notify = useNotify()
  return async link => {
    const found = await runTask({
      start: 'Checking where the link leads…',
      work: async () => ({ leads: await door?.leadsTo(link), answers: await door?.look(URL.parse(link)?.origin) }),
    })
    if (!found?.leads) return
    const { leads, answers } = found
    if (leads.leads === 'unknown') notify('warn', leads.why)
    else if (leads.leads === 'nowhere') notify('error', 'The link no longer opens anything.')
    else if (answers === 'listening') notify('ok', `It opens ${leads.name}, and visitors can reach it.`)
    else notify('warn', `It opens ${leads.name}, but nothing serves it: ${door?.start ?? ''}`)
  }
}
