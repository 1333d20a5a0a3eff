import { createContext, useContext, type ReactNode } from 'react'
import type { Budget } from '../api/budget.ts'
import type { Client } from '../api/client.ts'
import type { Queries } from '../api/queries.ts'
import type { Seen } from '../api/seen.ts'

/** Where the data comes from, as the header names it. */
export type Profile = {
  name: string
  /** Host and port of the service; empty for the local workspace. */
  host: string
  local: boolean
  readOnly: boolean
  /** Addresses of the hosted UI by screen, where the profile tells them. */
  web?: Readonly<Partial<Record<string, string>>> | undefined
}

/** How much the line to the terminal takes: how many times rarer is polled than it could be. */
export type LinePace = { pollFactor: () => number; subscribe: (listener: () => void) => () => void }

/** What every screen works with: one client, one budget, one profile. */
export type Workspace = {
  client: Client
  queries: Queries
  budget: Budget
  profile: Profile
  /** What the person has seen of lists; absent where that is not kept. */
  seen?: Seen
  /** Absent where the line is not measured. */
  pace?: LinePace
}

const WorkspaceContext = createContext<Workspace | undefined>(undefined)

export function WorkspaceProvider(props: { workspace: Workspace; children: ReactNode }) {
  return <WorkspaceContext.Provider value={props.workspace}>{props.children}</WorkspaceContext.Provider>
}

export function useWorkspace(): Workspace {
  const workspace = useContext(WorkspaceContext)
  if (!workspace) throw new Error('WorkspaceProvider is missing')
  return workspace
}
