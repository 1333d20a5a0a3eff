import type { Contract } from '../../api/contract/contract.ts'
import type { AnyEndpoint } from '../../api/contract/endpoint.ts'
import { ServiceError } from './errors.ts'

/** The `resource.name` of every operation of the contract. */
type OperationName = {
  [R in keyof Contract]: `${R}.${keyof Contract[R] & string}`
}[keyof Contract]

const NO_IMAGES =
  'Sandbox images are built and run by the hosted service; here servers run as they are saved, so save the ' +
  'server with the command and environment that it needs.'
const NO_TUNNELS =
  'There is no relay to tunnel through on this machine; save the server under its local address, which this ' +
  'workspace reaches directly.'

/**
 * Operations that one machine cannot offer, each with advice. For any other operation a missing handler is a type
 * error.
 */
export const REFUSALS = {
  'harness.builtinTools':
    'No agent harness runs in this workspace; its tools are listed by the hosted service, or by the harness itself.',
  'images.create': NO_IMAGES,
  'images.update': NO_IMAGES,
  'images.delete': NO_IMAGES,
  'images.build': NO_IMAGES,
  'images.promote': NO_IMAGES,
  'images.use': NO_IMAGES,
  'images.validate':
    'Blueprints are checked by the hosted service, whose list of allowed base images this workspace does not have.',
  'computer.reset':
    'There is no computer of yours to reset in this workspace: servers and runs use this machine itself.',
  'tunnels.create': NO_TUNNELS,
  'tunnels.close': NO_TUNNELS,
  'chat.send':
    'This form of a chat turn is served by hosted deployments; here `sayInChat` talks to the servers of an ' +
    'environment or a client.',
  'checkRepos.connect':
    'Pull requests are checked by the app that the hosted service installs; connect it in a hosted ' +
    'workspace, or run the suite from its own CI and report it through eval ingest.',
  'evalIngest.uploadUrl':
    'The local workspace keeps no artifacts, so there is no upload address; report the run without its blobs.',
} as const satisfies Partial<Record<OperationName, string>>

export type Refused = keyof typeof REFUSALS

/** Returns the refusal of an operation that is not supported; undefined if it is supported. */
export function refusalOf({ resource, name }: Pick<AnyEndpoint, 'resource' | 'name'>): string | undefined {
  return (REFUSALS as Readonly<Record<string, string>>)[`${resource}.${name}`]
}

export function notServed({ resource, name }: AnyEndpoint): ServiceError {
  // An operation without a handler is in the table; otherwise the handlers would have a type error.
  return new ServiceError('FEATURE_NOT_SUPPORTED', REFUSALS[`${resource}.${name}` as Refused])
}

type ServedName<R extends keyof Contract> = {
  [O in keyof Contract[R] & string]: `${R}.${O}` extends Refused ? never : O
}[keyof Contract[R] & string]

/** The operations that have handlers. All others are refused with FEATURE_NOT_SUPPORTED. */
export type Served = {
  [R in keyof Contract as [ServedName<R>] extends [never] ? never : R]: Pick<Contract[R], ServedName<R>>
}
