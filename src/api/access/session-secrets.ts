import type { Client } from '../client.ts'
import { scenarioUrl, type ScenarioLink } from '../contract/scenario-shapes.ts'

/** The code that lets an invited person in, as it was answered once. */
export type Invitation = { member: string; code: string; at: number }

/** Links and invitations that were answered in this session; they are never written anywhere. */
export type SessionSecrets = {
  linkOf(scenarioId: string): { link: string; at: number } | undefined
  /** The latest first. */
  invitationsOf(scenarioId: string): readonly Invitation[]
  /** Nothing where the answer has none. */
  keepLink(scenarioId: string, link: ScenarioLink | null | undefined): void
  keepInvitation(scenarioId: string, member: string, code: string): void
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
const stores = new WeakMap<Client, SessionSecrets>()

/** A secret as it shows until somebody asks for it. */
export function masked(secret: string, shown: boolean): string {
  return shown ? secret : MASK
}

/** The secrets of this session: kept as long as the client lives, wherever the person goes meanwhile. */
export function secretsOf(client: Client): SessionSecrets {
  const known = stores.get(client)
  if (known) return known
  const made = createSecrets()
  stores.set(client, made)
  return made
}

function createSecrets(): SessionSecrets {
  const links = new Map<string, { link: string; at: number }>()
  const invitations = new Map<string, readonly Invitation[]>()
  const listeners = new Set<() => void>()
  const ever = new Set<string>()
  let version = 0
  const changed = (): void => {
    version += 1
    for (const listener of listeners) listener()
  }
  const without = (id: string, member: string): readonly Invitation[] =>
    (invitations.get(id) ?? NONE).filter(other => other.member !== member)
  return {
    linkOf: id => links.get(id),
    invitationsOf: id => invitations.get(id) ?? NONE,
    keepLink(id, answered) {
      const link = scenarioUrl(answered)
      if (link === undefined) return
      links.set(id, { link, at: Date.now() })
      ever.add(link)
      changed()
    },
    keepInvitation(id, member, code) {
      ever.add(code)
      invitations.set(id, [{ member, code, at: Date.now() }, ...without(id, member)])
      changed()
    },
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
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    version: () => version,
  }
}
