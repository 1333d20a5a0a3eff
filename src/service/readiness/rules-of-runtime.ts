import { isIP } from 'node:net'
import { everyOne, isText, notApplicable, SATISFIED, whenConnected, whenToolsListed } from './outcomes.ts'
import type { Rule } from './outcomes.ts'

/** Whether the server works for a client that reaches it over the internet. */
export const RUNTIME_RULES: readonly Rule[] = [
  {
    id: 'public-https',
    lane: 'runtime-compatibility',
    title: 'The address is https and can be reached from outside',
    judge({ url }) {
      const detail =
        url.protocol !== 'https:'
          ? 'The address is not https.'
          : isPrivateHost(url.hostname)
            ? 'The host belongs to this machine or a private network.'
            : undefined
      if (detail === undefined) return SATISFIED
      return { status: 'violated', detail, remediation: 'Deploy the server behind a public https address.' }
    },
  },
  {
    id: 'streamable-http',
    lane: 'runtime-compatibility',
    title: 'The transport is streamable HTTP',
    judge: evidence =>
      whenConnected(evidence, () =>
        evidence.report.initInfo?.transport === 'streamable-http'
          ? SATISFIED
          : {
              status: 'violated',
              detail: `The server was reached over ${evidence.report.initInfo?.transport ?? 'another transport'} only.`,
              remediation: 'Offer streamable HTTP; the older event stream is on its way out.',
            },
      ),
  },
  {
    id: 'server-identity',
    lane: 'runtime-compatibility',
    title: 'The server says its name and version',
    judge: evidence =>
      whenConnected(evidence, () => {
        const { name, version } = evidence.report.initInfo?.serverInfo ?? {}
        if (isText(name) && isText(version)) return SATISFIED
        return {
          status: 'violated',
          detail: 'serverInfo lacks a name or a version.',
          remediation: 'Answer initialize with serverInfo.name and serverInfo.version.',
        }
      }),
  },
  {
    id: 'lists-answer',
    lane: 'runtime-compatibility',
    title: 'Everything that the server offers can be listed to its end',
    judge: evidence =>
      whenConnected(evidence, () => {
        const lists = (['tools', 'prompts', 'resources', 'resourceTemplates'] as const).filter(
          name => evidence.report.checks[name].status !== 'skipped',
        )
        return everyOne(
          lists,
          name => `${name}: ${evidence.report.checks[name].detail}`,
          name => evidence.report.checks[name].status === 'ok',
          'Answer every list that the capabilities announce.',
        )
      }),
  },
  {
    id: 'offers-tools',
    lane: 'runtime-compatibility',
    title: 'The server lists at least one tool',
    judge: evidence =>
      whenConnected(evidence, () =>
        evidence.report.tools.length > 0
          ? SATISFIED
          : {
              status: 'violated',
              detail: 'The server lists no tools.',
              remediation: 'Announce the capability `tools` and list them.',
            },
      ),
  },
  {
    id: 'input-schemas',
    lane: 'runtime-compatibility',
    title: 'Every tool has a valid JSON Schema of type object for its input',
    judge: evidence =>
      whenToolsListed(evidence, () =>
        everyOne(
          evidence.report.tools,
          ({ name }) => name,
          ({ inputSchema }) => evidence.isObjectSchema(inputSchema),
          'Give each tool an inputSchema of type "object" that is valid JSON Schema.',
        ),
      ),
  },
  {
    id: 'refuses-unknown-tool',
    lane: 'runtime-compatibility',
    title: 'A call of a tool that does not exist is refused',
    judge: evidence =>
      whenToolsListed(evidence, () =>
        evidence.unknownTool?.refused
          ? SATISFIED
          : {
              status: 'violated',
              detail: evidence.unknownTool?.detail ?? 'It was not answered.',
              remediation: 'Answer wrong calls with an error that says what is wrong.',
            },
      ),
  },
  {
    id: 'authorization-metadata',
    lane: 'runtime-compatibility',
    title: 'The authorization describes itself (RFC 9728 and RFC 8414)',
    judge({ auth }) {
      if (!auth.demanded) return notApplicable('The server asks for no authorization.')
      if (auth.resourceMetadata && auth.authorizationServer) return SATISFIED
      return {
        status: 'violated',
        detail: `${auth.resourceMetadata ? 'The authorization server' : 'The protected resource'} has no metadata.`,
        remediation:
          'Serve /.well-known/oauth-protected-resource here and the metadata of its authorization server there.',
      }
    },
  },
  {
    id: 'pkce',
    lane: 'runtime-compatibility',
    title: 'The authorization server takes PKCE with S256',
    judge({ auth }) {
      if (!auth.demanded) return notApplicable('The server asks for no authorization.')
      if (!auth.authorizationServer) return { status: 'not-evaluated', detail: 'Its metadata cannot be read.' }
      if (auth.authorizationServer.pkceMethods.includes('S256')) return SATISFIED
      return {
        status: 'violated',
        detail: 'code_challenge_methods_supported does not name S256.',
        remediation: 'Support PKCE with S256 and say so in the metadata.',
      }
    },
  },
]

/** By the name alone: nothing is looked up, since what a name leads to here says nothing about elsewhere. */
function isPrivateHost(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '')
  if (isIP(bare) === 6) return bare === '::1' || /^f[cde]/i.test(bare)
  if (isIP(bare) === 4) return /^(0|10|127|169\.254|192\.168|172\.(1[6-9]|2\d|3[01]))\./.test(bare)
  return !bare.includes('.') || /\.(localhost|local|internal|test|example|invalid)$/.test(bare)
}
