import { createContext, useContext, type ReactNode } from 'react'
import type { AccessNotes } from '../api/access/notes.ts'
import type { VisitorDoor } from '../api/access/visitor-door.ts'
import type { Budget } from '../api/budget.ts'
import type { Client } from '../api/client.ts'
import type { DoctorReports } from '../api/doctor/reports-file.ts'
import type { DoctorSteps } from '../api/doctor/steps.ts'
import type { Journal } from '../api/journal/journal.ts'
import type { Notebook } from '../api/notebook.ts'
import type { NowMemory } from '../api/now/memory.ts'
import type { Queries } from '../api/queries.ts'
import type { RerunLinks } from '../api/runs/rerun-links.ts'
import type { Pins } from '../api/runs/pins.ts'
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
  /** Which run each rerun from here repeats; absent where that is not kept. */
  reruns?: RerunLinks
  /** What was done to the access to scenarios from here; absent where that is not kept. */
  accessNotes?: AccessNotes
  /** Where visitors of the local workspace come in; absent for a service. */
  door?: VisitorDoor
  /** The runs that the person follows; absent where none can be. */
  pins?: Pins
  /** Writes without a known end; absent where none are noted. */
  journal?: Journal
  /** What Now keeps; absent where that is not kept. */
  now?: NowMemory
  /** Incidents; absent where they are not kept. */
  notebook?: Notebook
  /** The doctor's last report on each server; absent where none is kept. */
  doctorReports?: DoctorReports
  /** Steps of examinations under way; absent where the service answers all of them at once. */
  doctorSteps?: DoctorSteps
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
