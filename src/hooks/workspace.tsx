import { createContext, useContext, type ReactNode } from 'react'
import type { AccessNotes } from '../domain/scenarios/notes.ts'
import type { VisitorDoor } from '../domain/scenarios/visitor-door.ts'
import type { Budget } from '../api/client/budget/budget.ts'
import type { Client } from '../api/client/client.ts'
import type { ConformanceReports } from '../domain/conformance/reports.ts'
import type { Connections } from '../domain/connections/connections.ts'
import type { DoctorReports } from '../domain/servers/reports.ts'
import type { ServerFiles } from '../domain/servers/files/importing.ts'
import type { SignIns } from '../domain/servers/sign-in.ts'
import type { ServerNews } from '../domain/servers/news.ts'
import type { DoctorSteps } from '../domain/servers/steps.ts'
import type { StoredReaches } from '../domain/servers/stored-reach.ts'
import type { WaitingRequests } from '../domain/servers/waiting.ts'
import type { UnsavedServers } from '../domain/servers/unsaved.ts'
import type { Journal } from '../api/client/journal/journal.ts'
import type { Notebook } from '../domain/notebook/notebook.ts'
import type { NowMemory } from '../domain/now/memory.ts'
import type { Queries } from '../api/client/cache/queries.ts'
import type { DismissedSteps } from '../domain/next-steps/next-steps.ts'
import type { RerunLinks } from '../domain/runs/rerun-links.ts'
import type { Pins, Rings } from '../domain/runs/pins.ts'
import type { WaveMemory } from '../domain/swarms/wave-memory.ts'
import type { ServerWatches } from '../domain/watching/server-watches.ts'
import type { Watches } from '../domain/watching/watches.ts'
import type { Shares } from '../domain/polling/share.ts'
import type { Seen } from '../domain/seen/seen.ts'

/** The source of the data, as the header names it. */
export type Profile = {
  name: string
  /** Host and port of the service; empty for the local workspace. */
  host: string
  local: boolean
  readOnly: boolean
  /** The source of the key in words, never the key itself; absent if none is needed. */
  keySource?: string
  /** Addresses of the hosted UI by screen, if the profile has them. */
  web?: Readonly<Partial<Record<string, string>>> | undefined
}

/** The factor by which polling slows down, because of a slow connection or because nobody is present. */
export type LinePace = {
  pollFactor: () => number
  /** Whether nobody has been present for so long that polling pauses; absent if that is not watched. */
  isResting?: () => boolean
  subscribe: (listener: () => void) => () => void
}

/** The objects that every screen works with: one client, one budget, one profile. */
export type Workspace = {
  client: Client
  queries: Queries
  budget: Budget
  profile: Profile
  /** What the person has seen of lists; absent if that is not saved. */
  seen?: Seen
  /** Which run each rerun from this machine repeats; absent if that is not saved. */
  reruns?: RerunLinks
  /** Changes of the access to scenarios that were made on this machine; absent if they are not saved. */
  accessNotes?: AccessNotes
  /** The entry for visitors of the local workspace; absent for a service. */
  door?: VisitorDoor
  /** Work that this process runs in the local workspace and that stops with it. Absent for a remote service. */
  executing?: () => readonly { kind: string; subjectId: string }[]
  /** The runs that the person follows; absent if following is not possible. */
  pins?: Pins
  /** Runs whose end was announced in any window; without it each window announces for itself. */
  rings?: Rings
  /** Suites that run again when files change; absent if that is not possible. */
  watches?: Watches
  /** Servers that are restarted when files change; absent if that is not possible. */
  serverWatches?: ServerWatches
  /** Journey runs that were launched or seen in flight here; absent if they are not tracked. */
  waves?: WaveMemory
  /** The connection requests that were started here; they end with the session if they are not stored. */
  connections?: Connections
  /** Writes with an unknown outcome; absent if they are not recorded. */
  journal?: Journal
  /** The memory of Now; absent if it is not saved. */
  now?: NowMemory
  /** Incidents; absent if they are not saved. */
  notebook?: Notebook
  /** The doctor's last report on each server; absent if none is saved. */
  doctorReports?: DoctorReports
  /** The last run of the conformance suite against each server; absent if none is saved. */
  conformanceReports?: ConformanceReports
  /** Steps of examinations in progress; absent if the service returns all of them at once. */
  doctorSteps?: DoctorSteps
  /** Requests of servers to the person; absent if the service does not connect to servers in this process. */
  waitingRequests?: WaitingRequests
  /** Servers that announce changes by themselves; absent if changes are only found by reading. */
  serverNews?: ServerNews
  /** Connections of saved servers, only for screens; absent for a service, which does not return them. */
  storedReaches?: StoredReaches
  /** Projects whose next steps were dismissed; absent if that is not saved. */
  dismissedSteps?: DismissedSteps
  /** Servers that are used without being saved. Absent if every change is saved. */
  unsaved?: UnsavedServers
  /** Files of other programs that contain servers; absent if none can be read. */
  serverFiles?: ServerFiles
  /** Signs in to MCP servers from this machine; absent if no browser can be opened. */
  signIns?: SignIns
  /** How often screens are read, as set by the person; absent if that cannot be set. */
  shares?: Shares
  /** Absent if the speed of the connection is not measured. */
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
