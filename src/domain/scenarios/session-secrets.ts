import { createListeners } from '../../lib/listeners.ts'
import { onceFor } from '../../lib/once-for.ts'
import type { Client } from '../../api/client/client.ts'
import { scenarioUrl, type ScenarioLink } from '../../api/contract/scenarios.ts'

/** The code that lets an invited person in, as it was answered once. */
export type Invitation = { member: string; code: string; at: number } & AsOf

/**
 * As of which state of its scenario something holds, by the service's times of its last change in epoch milliseconds:
 * `before` it was answered, and `since` from then on, undefined until that was read.
 */
type AsOf = { before: number | undefined; since: number | undefined }

/** A secret as far as it can still be the present one. */
export type Known<T> = T & { isCurrent: boolean }

/** Links and invitations that were answered in this session; they are never written anywhere. */
export type SessionSecrets = {
  /** `isCurrent` is false once somebody else changed the scenario. @param changedAt its last change as it was read */
  linkOf(scenarioId: string, changedAt: number | undefined): Known<{ link: string; at: number }> | undefined
  /** The latest first. @param changedAt as for `linkOf` */
  invitationsOf(scenarioId: string, changedAt: number | undefined): readonly Known<Invitation>[]
  /** Nothing where the answer has none. @param before last change of the scenario before it */
  keepLink(scenarioId: string, link: ScenarioLink | null | undefined, before: number | undefined): void
  keepInvitation(scenarioId: string, invited: { member: string; code: string }, before: number | undefined): void
  /** The last change of a scenario as it was read. */
  seen(scenarioId: string, changedAt: number | undefined): void
  /** A change from here, by the last changes that were read before and after it: what was current stays so. */
  moved(scenarioId: string, from: number, to: number): void
  /** It may lead nowhere by now. */
  dropLink(scenarioId: string): void
  dropInvitation(scenarioId: string, member: string): void
  forget(scenarioId: string): void
  /** Everything that let somebody in, also what does not any more. */
  ever(): readonly string[]
  subscribe(listener: () => void): () => void
  version(): number
}

const MASK = '********'
const NONE: readonly Invitation[] = []

/** A secret as it shows until somebody asks for it. */
export function masked(secret: string, shown: boolean): string {
  return shown ? secret : MASK
}

/** The secrets of this session: stored as long as the client lives, wherever the person goes meanwhile. */
export const secretsOf = onceFor((_client: Client) => createSecrets())

/** A state that is older than the secret proves nothing against it. */
function holds({ since }: AsOf, changedAt: number | undefined): boolean {
  return since === undefined || changedAt === undefined || changedAt <= since
}

function createSecrets(): SessionSecrets {
  const links = new Map<string, { link: string; at: number } & AsOf>()
  const invitations = new Map<string, readonly Invitation[]>()
  const { notify: changed, subscribe, version } = createListeners()
  const ever = new Set<string>()
  const without = (id: string, member: string): readonly Invitation[] =>
    (invitations.get(id) ?? NONE).filter(other => other.member !== member)
  /** Gives each secret of a scenario another time since which it holds, where `date` answers one. */
  const dated = (id: string, date: (asOf: AsOf) => number | undefined): void => {
    const link = links.get(id)
    const secrets = [...(link ? [link] : []), ...(invitations.get(id) ?? NONE)]
    const dates = secrets.map(date)
    if (dates.every(since => since === undefined)) return
    for (const [index, since] of dates.entries()) if (since !== undefined) secrets[index]!.since = since
    changed()
  }
  return {
    linkOf(id, changedAt) {
      const link = links.get(id)
      return link && { ...link, isCurrent: holds(link, changedAt) }
    },
    invitationsOf: (id, changedAt) =>
      (invitations.get(id) ?? NONE).map(each => ({ ...each, isCurrent: holds(each, changedAt) })),
    keepLink(id, answered, before) {
      const link = scenarioUrl(answered)
      if (link === undefined) return
      links.set(id, { link, at: Date.now(), before, since: undefined })
      ever.add(link)
      changed()
    },
    keepInvitation(id, { member, code }, before) {
      ever.add(code)
      const invitation = { member, code, at: Date.now(), before, since: undefined }
      invitations.set(id, [invitation, ...without(id, member)])
      changed()
    },
    seen(id, changedAt) {
      if (changedAt === undefined) return
      dated(id, asOf =>
        asOf.since === undefined && (asOf.before === undefined || changedAt > asOf.before) ? changedAt : undefined,
      )
    },
    moved: (id, from, to) => dated(id, asOf => (asOf.since === from && to > from ? to : undefined)),
    dropLink(id) {
      links.delete(id)
      changed()
    },
    dropInvitation(id, member) {
      invitations.set(id, without(id, member))
      changed()
    },
    forget(id) {
      links.delete(id)
      invitations.delete(id)
      changed()
    },
    ever: () => [...ever],
    subscribe,
    version,
  }
}

/** The invitation that the local workspace answers beside the contract's fields, because no mail carries it. */
export function invitationCode(answer: Readonly<Record<string, unknown>>): string | undefined {
  const invitation = answer['invitation']
  if (typeof invitation !== 'object' || invitation === null || !('code' in invitation)) return undefined
  return typeof invitation.code === 'string' ? invitation.code : undefined
}
