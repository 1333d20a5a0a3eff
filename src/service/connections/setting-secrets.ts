import { secretsOfUrl } from '../core/urls.ts'

type Settings = { env?: Record<string, string>; headers?: Record<string, string>; url?: string }

/** Shorter values of settings may be ordinary words. */
const LEAST_SECRET = 8

/** Secrets among a server's settings: values, values after a header's scheme, and those in its address. */
export function settingSecrets({ env = {}, headers = {}, url = '' }: Settings, ...others: string[]): string[] {
  const sent = Object.values(headers).flatMap(value => [value, /^\S+ (\S+)$/.exec(value)?.[1] ?? ''])
  const all = [...Object.values(env), ...sent, ...secretsOfUrl(url), ...others]
  return all.filter(({ length }) => length >= LEAST_SECRET)
}

/** Matches names of settings whose value grants access. */
const CREDENTIAL = /key|token|secret|pass|pwd|credential|auth|cookie|session|dsn|webhook|_ur[il]$/i

/** The secrets that grant access, by their names; other settings may be the subject of answers. */
export function settingCredentials({ env = {}, headers = {}, ...settings }: Settings, ...others: string[]): string[] {
  const credentials = (all: Record<string, string>) =>
    Object.fromEntries(Object.entries(all).filter(([name]) => CREDENTIAL.test(name)))
  return settingSecrets({ ...settings, env: credentials(env), headers: credentials(headers) }, ...others)
}
