import type { ProjectServer } from '../../api/contract/servers.ts'

/** The props of every tab of a server's pane. */
export type TabProps = { projectId: string; server: ProjectServer; focused: boolean }

/** A listing is requested from a user's server, so it is not requested again within a minute. */
export const LISTING_AGE = { staleTime: 60_000 }

export const NO_ITEMS: never[] = []
