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

/** Where the data comes from, as the header names it. */
export type Profile = {
  name: string
  /** Host and port of the service; empty for the local workspace. */
  host: string
  local: boolean
  readOnly: boolean
  /** Where the key comes from, in words and never the key; absent if none is needed. */
  keySource?: string
  /** Addresses of the hosted UI by screen, where the profile names them. */
  web?: Readonly<Partial<Record<string, string>>> | undefined
}

/** How many times rarer is polled than it could be, for a slow line or because nobody is there. */
export type LinePace = {
  pollFactor: () => number
  /** Whether nobody has been there for so long that polling rests; absent if that is not watched. */
  isResting?: () => boolean
  subscribe: (listener: () => void) => () => void
}

/** What every screen works with: one client, one budget, one profile. */
export type Workspace = {
  client: Client
  queries: Queries
  budget: Budget
  profile: Profile
  /** What the person has seen of lists; absent if that is not kept. */
  seen?: Seen
  /** Which run each rerun from here repeats; absent if that is not kept. */
  reruns?: RerunLinks
  /** What was done to the access to scenarios from here; absent if that is not kept. */
  accessNotes?: AccessNotes
  /** Where visitors of the local workspace come in; absent for a service. */
  door?: VisitorDoor
  /** Work that this process runs in the local workspace and that stops with it. Absent for a remote service. */
  executing?: () => readonly { kind: string; subjectId: string }[]
  /** The runs that the person follows; absent if none can be. */
  pins?: Pins
  /** Whose end was announced in any window; without it each window announces for itself. */
  rings?: Rings
  /** Suites that run again when files change; absent if none can. */
  watches?: Watches
  /** Servers that are restarted when files change; absent if none can be. */
  serverWatches?: ServerWatches
  /** Journey runs that were launched or seen in flight here; absent if none are. */
  waves?: WaveMemory
  /** The connection requests that were begun here; they end with the session where they are not stored. */
  connections?: Connections
  /** Writes without a known end; absent if none are noted. */
  journal?: Journal
  /** What Now keeps; absent if that is not kept. */
  now?: NowMemory
  /** Incidents; absent if they are not kept. */
  notebook?: Notebook
  /** The doctor's last report on each server; absent if none is kept. */
  doctorReports?: DoctorReports
  /** The last run of the conformance suite against each server; absent if none is kept. */
  conformanceReports?: ConformanceReports
  /** Steps of examinations under way; absent if the service answers all of them at once. */
  doctorSteps?: DoctorSteps
  /** What servers ask of the person; absent if the service does not connect them in this process. */
  waitingRequests?: WaitingRequests
  /** Servers that say by themselves that something is new; absent if only looking shows it. */
  serverNews?: ServerNews
  /** How saved servers are reached, for screens and nothing else; absent of a service, which returns none of it. */
  storedReaches?: StoredReaches
  /** Projects whose next steps were dismissed; absent if that is not saved. */
  dismissedSteps?: DismissedSteps
  /** Servers that are used without being saved. Absent if every change is saved. */
  unsaved?: UnsavedServers
  /** Files of other programs that hold servers; absent if none can be read. */
  serverFiles?: ServerFiles
  /** Signs in to MCP servers from this machine; absent if nothing can be opened. */
  signIns?: SignIns
  /** How often the person has screens read; absent if it cannot be set. */
  shares?: Shares
  /** Absent if the line is not measured. */
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
