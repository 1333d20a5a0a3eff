import { resolve } from 'node:path'
import type { GRANTS } from '../../api/contract/choices.ts'
import type { GrantRequest } from '../../api/contract/sign-ins.ts'
import { systemErrorReason } from '../../api/client/errors/system-error-text.ts'
import { BOUNDS } from '../../lib/bounds.ts'
import { readInputText } from '../../lib/files/read-input.ts'
import { defined } from '../../lib/json.ts'
import { UsageError } from '../arguments/usage-error.ts'

/** Options of a sign-in without a person. Secrets are never arguments, which other users can read. */
export type GrantOptions = {
  grant?: (typeof GRANTS)[number]
  issuer?: string
  clientId?: string
  clientSecretEnv?: string
  clientSecretFile?: string
  clientKeyEnv?: string
  clientKeyFile?: string
  assertionEnv?: string
  assertionFile?: string
  idp?: string
  idpClientId?: string
  idpClientSecretEnv?: string
}

type Name = Exclude<keyof GrantOptions, 'grant'>

const FLAGS: Readonly<Record<Name, string>> = {
  issuer: '--issuer',
  clientId: '--client-id',
  clientSecretEnv: '--client-secret-env',
  clientSecretFile: '--client-secret-file',
  clientKeyEnv: '--client-key-env',
  clientKeyFile: '--client-key-file',
  assertionEnv: '--assertion-env',
  assertionFile: '--assertion-file',
  idp: '--idp',
  idpClientId: '--idp-client-id',
  idpClientSecretEnv: '--idp-client-secret-env',
}

const SECRET = ['clientSecretEnv', 'clientSecretFile'] as const
const KEY = ['clientKeyEnv', 'clientKeyFile'] as const
const ASSERTION = ['assertionEnv', 'assertionFile'] as const

/** The options that each grant takes; a sign-in with a browser takes the client and its secret from a variable. */
const TAKEN: Readonly<Record<(typeof GRANTS)[number] | 'browser', readonly Name[]>> = {
  'client-credentials': ['issuer', 'clientId', ...SECRET, ...KEY],
  'workload-identity': ['issuer', 'clientId', ...ASSERTION],
  enterprise: ['issuer', 'clientId', ...SECRET, ...ASSERTION, 'idp', 'idpClientId', 'idpClientSecretEnv'],
  browser: ['clientId', 'clientSecretEnv'],
}

/** @throws UsageError naming an option that this kind of sign-in does not take */
export function requireTaken(own: GrantOptions): void {
  const given = Object.keys(FLAGS).filter(name => own[name as Name] !== undefined) as Name[]
  const foreign = given.find(name => !TAKEN[own.grant ?? 'browser'].includes(name))
  if (foreign === undefined) return
  const owners = Object.entries(TAKEN).filter(([grant, names]) => grant !== 'browser' && names.includes(foreign))
  throw new UsageError(`${FLAGS[foreign]} belongs to --grant ${owners.map(([grant]) => grant).join(' or ')}.`)
}

/** Reads a grant from its options, and its secrets from where they name. @throws UsageError */
export async function grantOf(own: GrantOptions, scopes: readonly string[]): Promise<GrantRequest> {
  requireTaken(own)
  const common = defined({ issuer: address(own, 'issuer'), scope: scopes.join(' ') || undefined })
  switch (own.grant) {
    case 'client-credentials': {
      const name = either(own, [...SECRET, ...KEY])
      const proof = await secret(own, name)
      const isKey = KEY.some(each => each === name)
      const clientId = needed(own, 'clientId')
      return { ...common, grant: own.grant, clientId, ...(isKey ? { privateKey: proof } : { clientSecret: proof }) }
    }
    case 'workload-identity':
      return { ...common, grant: own.grant, assertion: source(own), ...defined({ clientId: own.clientId }) }
    default: {
      const provider = {
        issuer: address(own, 'idp') ?? needed(own, 'idp'),
        clientId: needed(own, 'idpClientId'),
        ...(own.idpClientSecretEnv !== undefined && { clientSecret: await secret(own, 'idpClientSecretEnv') }),
      }
      const clientId = needed(own, 'clientId')
      const clientSecret = await secret(own, either(own, SECRET))
      return { ...common, grant: 'enterprise', clientId, clientSecret, assertion: source(own), provider }
    }
  }
}

function needed(own: GrantOptions, name: Name): string {
  return own[name] ?? missing(own, [name])
}

function missing({ grant }: GrantOptions, names: readonly Name[]): never {
  throw new UsageError(`--grant ${grant} needs ${names.map(name => FLAGS[name]).join(' or ')}.`)
}

/** Returns the one option of several that is given. */
function either<N extends Name>(own: GrantOptions, names: readonly N[]): N {
  const [first, second] = names.filter(name => own[name] !== undefined)
  if (second !== undefined) throw new UsageError(`Give either ${FLAGS[first!]} or ${FLAGS[second]}.`)
  return first ?? missing(own, names)
}

function address(own: GrantOptions, name: 'issuer' | 'idp'): string | undefined {
  const text = own[name]
  if (text === undefined || /^https?:$/.test(URL.parse(text)?.protocol ?? '')) return text
  throw new UsageError(`${FLAGS[name]} is not an http or https address.`)
}

function source(own: GrantOptions): NonNullable<GrantRequest['assertion']> {
  const name = either(own, ASSERTION)
  if (name === 'assertionEnv') return { from: 'environment', name: own.assertionEnv! }
  if (own.assertionFile === '-')
    throw new UsageError('--assertion-file names a file: its token is read again for each request.')
  return { from: 'file', name: resolve(own.assertionFile!) }
}

/** Reads a secret from a variable or a file; `-` is standard input. */
async function secret(own: GrantOptions, name: Name): Promise<string> {
  const place = own[name]!
  if (name.endsWith('Env')) {
    const value = process.env[place]?.trim()
    if (value) return value
    throw new UsageError(`The variable ${place} of ${FLAGS[name]} is empty.`)
  }
  const text = await readInputText(place, BOUNDS.answer.most).catch((error: unknown) => {
    throw new UsageError(`The file ${place} of ${FLAGS[name]} cannot be read: ${systemErrorReason(error)}.`)
  })
  if (text.trim() !== '') return text.trim()
  throw new UsageError(`${place === '-' ? 'Standard input' : `The file ${place}`} of ${FLAGS[name]} is empty.`)
}
