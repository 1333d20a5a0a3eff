import type { Gate } from '../../api/contract/endpoint.ts'
import type { Store } from './database/store.ts'

/**
 * Every number that an organization can be given, declared once: `mcpdeck serve limits` sets them, `/capabilities` and
 * the refusals name them. The contract states the first two groups; it leaves the rest open (service-api, "Limits").
 */
export const LIMITS = {
  requestsPerMinute: { value: 60, min: 0, says: 'Requests of a key a minute, sustained; 0 = no limit.' },
  burst: { value: 10, min: 1, says: 'Requests of a key at once after a pause.' },
  concurrentRuns: { value: 2, min: 1, says: 'Eval runs in flight at once.' },
  pendingConnections: { value: 5, min: 1, says: 'Open server-connection requests of an account.' },
  generationsPerMinute: { value: 10, min: 1, says: 'Drafting requests a minute.' },
  generationsPerDay: { value: 200, min: 0, says: 'Drafting requests a day.' },
  launchesPerMinute: { value: 10, min: 1, says: 'Journey launches a minute.' },
  launchesPerDay: { value: 200, min: 0, says: 'Journey launches a day.' },
  insightsPerMinute: { value: 10, min: 1, says: 'Insight requests a minute.' },
  insightsPerDay: { value: 50, min: 0, says: 'Insight requests a day, over runs, waves and user testing.' },
} as const satisfies Record<string, { value: number; min: number; says: string }>

export type LimitName = keyof typeof LIMITS

/** The largest number that any limit can be given. */
export const MAX_LIMIT = 1_000_000

/** The features that can be switched off, in words. */
export const GATES: Readonly<Record<Gate, string>> = { swarms: 'Swarms', 'user-testing': 'User testing' }

/** What an organization is allowed; read at every use, so that a change counts at once in every process. */
export type OrganizationLimits = {
  number(organizationId: string, name: LimitName): number
  /** Features are on unless they were switched off. */
  isOn(organizationId: string, gate: Gate): boolean
}

/** @param fixed numbers that this process was started with; they go before stored ones */
export function createLimits(
  store: Store,
  fixed: { [name in LimitName]?: number | undefined } = {},
): OrganizationLimits {
  const stored = (organizationId: string, name: string) => store.organizationSettings.get(organizationId, name)
  return {
    number: (organizationId, name) => fixed[name] ?? Number(stored(organizationId, name) ?? LIMITS[name].value),
    isOn: (organizationId, gate) => stored(organizationId, gateSetting(gate)) !== 'off',
  }
}

/** The name under which a gate's switch is stored. */
export function gateSetting(gate: Gate): string {
  return `gate.${gate}`
}

/** A limit as it stands for an organization. */
export type LimitSetting = {
  name: LimitName
  value: number
  default: number
  /** Whether it was set, be it to its default. */
  isSet: boolean
  says: string
}

export type GateSetting = { name: Gate; says: string; isOn: boolean }

export const LIMIT_NAMES = Object.keys(LIMITS) as LimitName[]
export const GATE_NAMES = Object.keys(GATES) as Gate[]

/** Every limit, in the order of their declarations. */
export function listLimits(store: Store, organizationId: string): LimitSetting[] {
  const limits = createLimits(store)
  return LIMIT_NAMES.map(name => ({
    name,
    value: limits.number(organizationId, name),
    default: LIMITS[name].value,
    isSet: store.organizationSettings.get(organizationId, name) !== undefined,
    says: LIMITS[name].says,
  }))
}

/** Every number as it stands in this process, as capabilities tell them; null = no limit. */
export function announcedLimits(limits: OrganizationLimits, organizationId: string): Record<LimitName, number | null> {
  const numbers = LIMIT_NAMES.map(name => [name, limits.number(organizationId, name)])
  const all = Object.fromEntries(numbers) as Record<LimitName, number>
  return { ...all, requestsPerMinute: all.requestsPerMinute || null }
}

/**
 * Sets limits given as `name=value`, all or none; running processes follow at their next request.
 * @throws RangeError naming the first that is not one
 */
export function setLimits(store: Store, organizationId: string, assignments: readonly string[]): void {
  const parsed = assignments.map(parseAssignment)
  store.write(() => {
    for (const [name, value] of parsed) store.organizationSettings.set(organizationId, name, String(value))
  })
}

/**
 * Gives limits their defaults back, all or none.
 * @throws RangeError naming the first that is unknown
 */
export function unsetLimits(store: Store, organizationId: string, names: readonly string[]): void {
  const known = names.map(limitNamed)
  store.write(() => {
    for (const name of known) store.organizationSettings.unset(organizationId, name)
  })
}

/** Every feature with a switch. */
export function listGates(store: Store, organizationId: string): GateSetting[] {
  const limits = createLimits(store)
  return GATE_NAMES.map(name => ({ name, says: GATES[name], isOn: limits.isOn(organizationId, name) }))
}

/**
 * Switches a feature `on` or `off`; running processes follow at their next request.
 * @throws RangeError when there is no such feature or state
 */
export function setGate(store: Store, organizationId: string, name: string, state: string): void {
  const gate = GATE_NAMES.find(known => known === name)
  if (!gate) throw new RangeError(`There is no gate "${name}"; gates are ${GATE_NAMES.join(', ')}.`)
  if (state !== 'on' && state !== 'off') throw new RangeError(`"${state}" is no state of a gate; write on or off.`)
  store.write(() => {
    if (state === 'off') store.organizationSettings.set(organizationId, gateSetting(gate), state)
    else store.organizationSettings.unset(organizationId, gateSetting(gate))
  })
}

function parseAssignment(text: string): [LimitName, number] {
  const at = text.indexOf('=')
  if (at < 0) throw new RangeError(`"${text}" sets nothing; write name=value.`)
  const name = limitNamed(text.slice(0, at))
  const digits = text.slice(at + 1)
  const value = Number(digits)
  const { min } = LIMITS[name]
  if (!/^\d+$/.test(digits) || value < min || value > MAX_LIMIT)
    throw new RangeError(`${name} takes a whole number from ${min} to ${MAX_LIMIT}, not "${digits}".`)
  return [name, value]
}

function limitNamed(name: string): LimitName {
  const known = LIMIT_NAMES.find(each => each === name)
  if (!known) throw new RangeError(`There is no limit "${name}"; limits are ${LIMIT_NAMES.join(', ')}.`)
  return known
}
