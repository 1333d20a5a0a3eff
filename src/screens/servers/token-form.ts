import type * as z from 'zod'
import type { ImportTokensRequest } from '../../api/contract/server-operations.ts'
import type { ProjectServer } from '../../api/contract/servers.ts'
import type { FormSpec, FormFieldSpec, FormValues } from '../../components/form/form-dialog.tsx'

export type TokensTyped = z.infer<ReturnType<typeof ImportTokensRequest>>

/** Maximum lifetime of an accepted token, in seconds: a year of 366 days. */
const LONGEST_S = 366 * 24 * 60 * 60

/** Returns the form for tokens that a person obtained for a server over HTTP. */
export function tokenForm({ name, url }: ProjectServer): FormSpec {
  const field = (id: string, label: string, more: Partial<FormFieldSpec>): FormFieldSpec => ({
    id,
    label,
    input: { kind: 'secret' },
    ...more,
  })
  return {
    title: `Import tokens for ${name}`,
    fields: [
      field('access', 'Access token', { required: true, note: 'As its authorization server gave it to you.' }),
      field('expires', 'Lasts', {
        kind: 'seconds',
        note: 'How long the access token is valid from now; left empty, until the server refuses it.',
        input: { kind: 'number', least: 1, most: LONGEST_S, whole: true },
      }),
      field('refresh', 'Refresh token', {
        note: 'Fetches the next access token; this also needs the client that it was granted to.',
      }),
      field('client', 'Client id', { input: { kind: 'text' } }),
      field('secret', 'Client secret', { note: 'If that client has one.' }),
    ],
    effect: now => [
      ...(typeof tokensOf(now, '') === 'string' ? [{ text: NO_CLIENT, tone: 'warn' as const }] : []),
      {
        text:
          `The service stores them, sends the access token to ${url} with every request, and shows none of ` +
          'them again. They replace those before.',
        tone: 'muted' as const,
      },
    ],
    act: 'Import the tokens',
  }
}

const NO_CLIENT = 'A client secret needs the client’s id.'

/** Returns the typed tokens as they are sent, or why they cannot be. */
export function tokensOf(values: FormValues, serverUrl: string): TokensTyped | string {
  const typed = (id: string): string | undefined => values[id]?.trim() || undefined
  const [clientId, clientSecret, refresh, expires] = ['client', 'secret', 'refresh', 'expires'].map(typed)
  if (clientId === undefined && clientSecret !== undefined) return NO_CLIENT
  return {
    serverUrl,
    ...(clientId !== undefined && { clientInformation: { clientId, ...(clientSecret && { clientSecret }) } }),
    tokens: {
      access_token: typed('access') ?? '',
      ...(refresh !== undefined && { refresh_token: refresh }),
      ...(expires !== undefined && { expires_in: Number(expires) }),
    },
  }
}
