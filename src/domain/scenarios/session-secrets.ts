import { createListeners } from '../../lib/listeners.ts'
import { onceFor } from '../../lib/once-for.ts'
import type { Client } from '../../api/client/client.ts'
import { scenarioUrl, type ScenarioLink } from '../../api/contract/scenarios.ts'

/** The code that admits an invited person, as returned once. */
export type Invitation = { member: string; code: string; at: number } & AsOf

/**
 * The times at which the scenario last changed around an answer with a secret, by the clock of the service in epoch
 * milliseconds: `before` as read before the answer, `since` as read after it; undefined until read.
 */
type AsOf = { before: number | undefined; since: number | undefined }

/** A secret, and whether it may still be current. */
export type Known<T> = T & { isCurrent: boolean }

/** Links and invitations returned in this session; they are never written anywhere. */
export type SessionSecrets = {
  /**
   * Returns the link. `isCurrent` is false once someone else has changed the scenario.
   * @param changedAt its last change as read
   */
  linkOf(scenarioId: string, changedAt: number | undefined): Known<{ link: string; at: number }> | undefined
  /**
   * Returns invitations, latest first.
   * @param changedAt as for `linkOf`
   */
  invitationsOf(scenarioId: string, changedAt: number | undefined): readonly Known<Invitation>[]
  /**
   * Stores the link of an answer. Does nothing if the answer has none.
   * @param before last change of the scenario before the answer
   */
  keepLink(scenarioId: string, link: ScenarioLink | null | undefined, before: number | undefined): void
  keepInvitation(scenarioId: string, invited: { member: string; code: string }, before: number | undefined): void
  /** Records the last change of a scenario as read. */
  seen(scenarioId: string, changedAt: number | undefined): void
  /**
   * Records a change from this machine, with the last changes read before and after it. Current secrets stay current.
   */
  moved(scenarioId: string, from: number, to: number): void
  /** Drops a link that may no longer work. */
  dropLink(scenarioId: string): void
  dropInvitation(scenarioId: string, member: string): void
  forget(scenarioId: string): void
  /** Returns every secret that granted access, even if it no longer does. */
  ever(): readonly string[]
  subscribe(listener: () => void): () => void
  version(): number
}

const MASK = '********'
const NONE: readonly Invitation[] = []

/** Returns a secret, hidden until the person asks to see it. */
export function masked(secret: string, shown: boolean): string {
  return shown ? secret : MASK
}

/** The secrets of this session, kept as long as the client while the person moves between screens. */
export const secretsOf = onceFor((_client: Client) => createSecrets())

/** Whether a secret is current. A state from before the secret does not contradict it. */
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
  /** Sets the time since which a secret is current, for each secret of a scenario for which `date` returns one. */
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

/**
 * Returns the invitation that the local workspace returns in addition to the contract's fields, because it sends no
 * mail.
 */
export function invitationCode(answer: Readonly<Record<string, unknown>>): string | undefined {
  const invitation = answer['invitation']
  if (typeof invitation !== 'object' || invitation === null || !('code' in invitation)) return undefined
  return typeof invitation.code === 'string' ? invitation.code : undefined
}
