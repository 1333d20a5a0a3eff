import { secretsOfUrl } from '../core/urls.ts'

type Settings = { env?: Record<string, string>; headers?: Record<string, string>; url?: string }

/** Shorter values of settings are words like any other. */
const LEAST_SECRET = 8

/** Secrets among a server's settings: their values, those behind a header's scheme, and those in its address. */
export function settingSecrets({ env = {}, headers = {}, url = '' }: Settings, ...others: string[]): string[] {
  const sent = Object.values(headers).flatMap(value => [value, /^\S+ (\S+)$/.exec(value)?.[1] ?? ''])
  const all = [...Object.values(env), ...sent, ...secretsOfUrl(url), ...others]
  return all.filter(({ length }) => length >= LEAST_SECRET)
}

/** Names of settings whose value lets somebody in. */
const CREDENTIAL = /key|token|secret|pass|pwd|credential|auth|cookie|session|dsn|webhook|_ur[il]$/i

/** Those of them that let somebody in, by what they are called: other settings may be what answers are about. */
export function settingCredentials({ env = {}, headers = {}, ...settings }: Settings, ...others: string[]): string[] {
  const credentials = (all: Record<string, string>) =>
    Object.fromEntries(Object.entries(all).filter(([name]) => CREDENTIAL.test(name)))
  return settingSecrets({ ...settings, env: credentials(env), headers: credentials(headers) }, ...others)
}
