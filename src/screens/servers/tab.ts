import type { ProjectServer } from '../../api/contract/servers.ts'

/** What every tab of a server's pane is given. */
export type TabProps = { projectId: string; server: ProjectServer; focused: boolean }

/** A listing asks somebody else's server, so merely looking again within a minute does not. */
export const LISTING_AGE = { staleTime: 60_000 }

export const NO_ITEMS: never[] = []
