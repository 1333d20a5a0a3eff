import { contract } from '../../api/contract/contract.ts'
import type { GrantRequest } from '../../api/contract/sign-ins.ts'
import { discoverIssuer } from '../../service/servers/token-refresh.ts'
import { clean } from '../../tui/theme/text.ts'
import { sendWrite, type Sent, type WriteOptions } from '../journal/send-write.ts'
import { confirmPrompt } from '../output/confirm-prompt.ts'
import { say } from '../output/prose.ts'
import { EXIT } from '../process/exit-codes.ts'
import { Ended, refuseReadOnly, type CommandContext } from '../workspace/in-workspace.ts'

type Saved = { at: { projectId: string; serverId: string }; name: string; url: string }

/**
 * Stores a grant with a saved server. The MCP server names who gets the secrets, so a person agrees to that host,
 * unless they named it themselves.
 * @throws Ended if the person declined, or no host is known
 */
export async function storeGrant(
  context: CommandContext,
  { at, name, url }: Saved,
  grant: GrantRequest,
  own: WriteOptions,
): Promise<Sent<typeof contract.signIns.grant>> {
  refuseReadOnly(contract.signIns.grant.operation, context.refusing)
  const issuer = grant.issuer ?? (await discoverIssuer(url))
  if (issuer === undefined) {
    say(`${clean(name)} cannot be reached, so its authorization server is not known; --issuer names it.`)
    throw new Ended(EXIT.noVerdict)
  }
  const { host } = new URL(issuer)
  const isAgreed =
    grant.issuer !== undefined ||
    own.yes === true ||
    (await confirmPrompt(`This sends the credentials for ${clean(name)} to ${clean(host)}`))
  if (!isAgreed) {
    say('Nothing was sent.')
    throw new Ended(EXIT.noVerdict)
  }
  return await sendWrite(
    context,
    { endpoint: contract.signIns.grant, input: { ...at, body: { ...grant, issuer } } },
    own,
  )
}
